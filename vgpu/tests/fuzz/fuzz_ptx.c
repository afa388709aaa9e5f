/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx.c: any text is a module or a message; a module can be printed, its
 * kernels decoded, and what decodes can run, recorded step by step: one warp,
 * few instructions. Then it runs once more with one of the changes that a
 * grader would try.
 */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ptx.h"
#include "vgpu.h"

enum { MOST_KERNELS = 8, PARAMETER_BYTES = 4096 };

static void print_module(const struct ptx_module *module) {
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out) {
        ptx_print(module, out);
        fclose(out);
    }
    free(text);
}

static void run_kernel(vgpu_device *device, vgpu_kernel *kernel,
                       uint64_t buffer) {
    static const uint32_t one[3] = {1, 1, 1}, warp[3] = {32, 1, 1};
    static uint64_t parameters[PARAMETER_BYTES / sizeof(uint64_t)];
    struct vgpu_kernel_info info;
    vgpu_kernel_info(kernel, &info);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        parameters[i] = buffer + 16 * i;
    if (info.param_bytes > sizeof parameters) return;
    vgpu_launch(device, kernel, one, warp, 64, parameters, info.param_bytes);
}

static void use_module(vgpu_device *device, const struct ptx_module *parsed,
                       vgpu_module *module, uint64_t buffer) {
    size_t n_kernels = 0;
    for (uint32_t i = 0; i < parsed->n_functions; i++) {
        vgpu_kernel *kernel;
        const struct ptx_function *f = &parsed->functions[i];
        if (!f->is_entry || n_kernels++ == MOST_KERNELS) continue;
        if (vgpu_module_kernel(module, f->name, &kernel) == VGPU_OK)
            run_kernel(device, kernel, buffer);
    }
}

/* The k-th change that some line allows; n counts them. */
struct choice {
    size_t k, n;
    struct vgpu_edit edit;
    char file[256];
};

static void choose(void *user, const struct vgpu_edit_site *site) {
    struct choice *c = user;
    for (int kind = 0; kind < VGPU_N_EDITS; kind++) {
        if (!site->n[kind] || c->n++ != c->k) continue;
        snprintf(c->file, sizeof c->file, "%s", site->file);
        c->edit = (struct vgpu_edit){.kind = (vgpu_edit_kind)kind,
                                     .file = c->file,
                                     .line = site->line,
                                     .by = c->k & 1 ? -1 : 1};
    }
}

/* Runs what can run; *c is the c->k-th change that it allows. */
static void run_module(const char *text, size_t bytes,
                       const struct ptx_module *parsed,
                       const struct vgpu_options *options, struct choice *c) {
    vgpu_device *device = vgpu_open(options, NULL);
    vgpu_module *module;
    uint64_t buffer = 0;
    if (device) {
        vgpu_malloc(device, 4096, &buffer);
        vgpu_fill(device, buffer, 1, 4096);
        if (vgpu_module_load(device, text, bytes, &module) == VGPU_OK) {
            use_module(device, parsed, module, buffer);
            vgpu_edit_sites(device, choose, c);
            vgpu_module_unload(device, module);
        }
    }
    vgpu_close(device);
}

static size_t hash_of(const uint8_t *data, size_t bytes) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) h = (h ^ data[i]) * 0x100000001b3u;
    return (size_t)(h >> 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct ptx_error error;
    struct ptx_module *parsed = ptx_parse((const char *)data, bytes, &error);
    if (!parsed) return 0;
    print_module(parsed);
    struct vgpu_options options = {.checks = VGPU_CHECK_ALL,
                                   .steps = true,
                                   .instruction_budget = 3000,
                                   .memory_limit_bytes = 8 << 20};
    struct choice all = {.k = SIZE_MAX}, one = {0}, none = {.k = SIZE_MAX};
    char *text = malloc(bytes + 1);
    if (text) {
        memcpy(text, data, bytes);
        text[bytes] = '\0';
        run_module(text, bytes + 1, parsed, &options, &all);
        if (all.n) {
            one.k = hash_of(data, bytes) % all.n;
            run_module(text, bytes + 1, parsed, &options, &one);
            options.edits = &one.edit;
            options.n_edits = 1;
            run_module(text, bytes + 1, parsed, &options, &none);
        }
    }
    free(text);
    ptx_free(parsed);
    return 0;
}

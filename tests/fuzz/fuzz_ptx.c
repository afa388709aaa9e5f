/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx.c: any text is a module or a message; a module can be printed, its
 * kernels decoded, and what decodes can run, recorded step by step: one warp,
 * few instructions.
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
    vgpu_module_unload(device, module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct ptx_error error;
    struct ptx_module *parsed = ptx_parse((const char *)data, bytes, &error);
    if (!parsed) return 0;
    print_module(parsed);
    const struct vgpu_options options = {.checks = VGPU_CHECK_ALL,
                                         .steps = true,
                                         .instruction_budget = 3000,
                                         .memory_limit_bytes = 8 << 20};
    vgpu_device *device = vgpu_open(&options, NULL);
    char *text = malloc(bytes + 1);
    vgpu_module *module;
    uint64_t buffer = 0;
    if (device && text) {
        memcpy(text, data, bytes);
        text[bytes] = '\0';
        vgpu_malloc(device, 4096, &buffer);
        vgpu_fill(device, buffer, 1, 4096);
        if (vgpu_module_load(device, text, bytes + 1, &module) == VGPU_OK)
            use_module(device, parsed, module, buffer);
    }
    free(text);
    vgpu_close(device);
    ptx_free(parsed);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * conform.c: runs conformance programs (case.h) on the virtual GPU.
 *
 *   conform FILE.ptx...
 *   conform --ptx FILE.ptx      prints its PTX
 *
 * Exit status 0 when all files keep their promises. Each failure is one line,
 * file:line: what was expected, what came.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "vgpu.h"
#include "said.h"

struct run {
    struct conformance_case c;
    const char *path;
    vgpu_device *device;
    vgpu_kernel *kernel;
    uint64_t address[CASE_PARAMS];
    uint8_t *results[CASE_PARAMS];
    char printed[4096];
    size_t n_printed;
    unsigned failures;
};

static void fail(struct run *r, unsigned line, const char *what,
                 const char *why) {
    fprintf(stderr, "%s:%u: %s: %s\n", r->path, line, what, why);
    r->failures++;
}

static void collect_print(void *user, const char *text, size_t bytes) {
    struct run *r = user;
    size_t room = sizeof r->printed - 1 - r->n_printed;
    if (bytes > room) bytes = room;
    memcpy(r->printed + r->n_printed, text, bytes);
    r->n_printed += bytes;
}

static unsigned read_checks(struct run *r) {
    if (!*r->c.checks) return VGPU_CHECK_ALL;
    if (!strcmp(r->c.checks, "none")) return 0;
    unsigned checks = 0;
    for (char *w = strtok(r->c.checks, ", "); w; w = strtok(NULL, ", ")) {
        unsigned bit = vgpu_check_by_name(w);
        if (!bit) fail(r, 0, "no such check", w);
        checks |= bit;
    }
    return checks;
}

/* NULL results mark what is no buffer. */
static bool set_up(struct run *r) {
    struct vgpu_options o = {.checks = read_checks(r),
                             .print = collect_print,
                             .instruction_budget = 20000000,
                             .user = r};
    vgpu_status s;
    vgpu_module *module;
    r->device = vgpu_open(&o, &s);
    if (!r->device) {
        fail(r, 0, "vgpu_open", vgpu_status_name(s));
        return false;
    }
    s = vgpu_module_load(r->device, r->c.ptx, r->c.bytes, &module);
    if (!s) s = vgpu_module_kernel(module, r->c.kernel, &r->kernel);
    for (unsigned k = 0; !s && k < r->c.n_params; k++) {
        struct case_param *p = &r->c.params[k];
        size_t bytes = p->count * p->type->bytes;
        if (!p->is_buffer) continue;
        r->results[k] = malloc(bytes ? bytes : 1);
        s = r->results[k] ? vgpu_malloc(r->device, bytes, &r->address[k])
                          : VGPU_OUT_OF_MEMORY;
        if (!s) s = vgpu_write(r->device, r->address[k], p->bytes, bytes);
        if (!s && *p->name) vgpu_name(r->device, r->address[k], p->name);
    }
    if (s && !strcmp(vgpu_status_name(s), r->c.error)) return false;
    if (s) fail(r, 0, vgpu_status_name(s), vgpu_last_message(r->device));
    return !s;
}

static bool pack(struct run *r, uint8_t *block, size_t *bytes) {
    struct vgpu_kernel_info info;
    vgpu_kernel_info(r->kernel, &info);
    *bytes = info.param_bytes;
    if (info.n_params != r->c.n_params || *bytes > 4096) {
        fail(r, 0, r->c.kernel, "has another number of parameters");
        return false;
    }
    memset(block, 0, 4096);
    for (unsigned k = 0; k < r->c.n_params; k++) {
        const struct case_param *p = &r->c.params[k];
        if (info.param_size[k] != case_param_bytes(p)) {
            fail(r, 0, p->name, "parameter is of another size");
            return false;
        }
        memcpy(block + info.param_offset[k],
               p->is_buffer ? (const void *)&r->address[k] : p->bytes,
               case_param_bytes(p));
    }
    return true;
}

static void judge_findings(struct run *r) {
    const struct vgpu_finding *f;
    size_t n = vgpu_findings(r->device, &f);
    struct case_words *want = &r->c.findings;
    for (size_t k = 0; k < n; k++) {
        bool expected = false;
        for (unsigned j = 0; j < want->n; j++)
            expected |=
                !strcmp(vgpu_finding_name(f[k].kind), want->list[j].text);
        if (!expected)
            fail(r, f[k].where.line, vgpu_finding_name(f[k].kind),
                 said_by(&f[k]));
    }
    for (unsigned j = 0; j < want->n; j++) {
        bool found = false;
        for (size_t k = 0; k < n; k++)
            found |= !strcmp(vgpu_finding_name(f[k].kind), want->list[j].text);
        if (!found)
            fail(r, want->list[j].line, "expected a finding, got none",
                 want->list[j].text);
    }
}

static void judge_counts(struct run *r) {
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_counts(r->device, counts);
    for (unsigned k = 0; k < r->c.counts.n; k++) {
        const struct case_word *w = &r->c.counts.list[k];
        int which = vgpu_counter_by_name(w->text);
        char text[96];
        if (which < 0) {
            fail(r, w->line, "no such counter", w->text);
        } else if (counts[which] != w->number) {
            snprintf(text, sizeof text, "expected %" PRIu64 ", got %" PRIu64,
                     w->number, counts[which]);
            fail(r, w->line, w->text, text);
        }
    }
}

static void judge_prints(struct run *r) {
    r->printed[r->n_printed] = 0;
    for (unsigned k = 0; k < r->c.prints.n; k++) {
        const struct case_word *w = &r->c.prints.list[k];
        if (!strstr(r->printed, w->text))
            fail(r, w->line, "expected to be printed", w->text);
    }
}

static void launch(struct run *r) {
    uint8_t block[4096];
    size_t bytes;
    if (!pack(r, block, &bytes)) return;
    vgpu_status s = vgpu_launch(r->device, r->kernel, r->c.grid, r->c.block,
                                r->c.smem_bytes, block, bytes);
    const char *want = *r->c.error ? r->c.error : "OK";
    if (strcmp(vgpu_status_name(s), want)) {
        fail(r, 0, vgpu_status_name(s), vgpu_last_message(r->device));
        if (s) return;
        fail(r, 0, "expected the error", want);
    }
    for (unsigned k = 0; !s && k < r->c.n_params; k++) {
        const struct case_param *p = &r->c.params[k];
        if (p->is_buffer && vgpu_read(r->device, r->results[k], r->address[k],
                                      p->count * p->type->bytes))
            fail(r, 0, p->name, "cannot be read back");
    }
    if (!s) r->failures += case_judge(&r->c, r->path, r->results);
    judge_findings(r);
    if (!s) judge_counts(r);
    judge_prints(r);
}

static unsigned run_file(const char *path) {
    struct run *r = calloc(1, sizeof *r);
    if (!r) return 1;
    r->path = path;
    if (!case_read(&r->c, path))
        r->failures++;
    else if (set_up(r))
        launch(r);
    for (unsigned k = 0; k < CASE_PARAMS; k++) free(r->results[k]);
    if (r->device) vgpu_close(r->device);
    case_free(&r->c);
    unsigned failures = r->failures;
    free(r);
    return failures;
}

static int print_ptx(const char *path) {
    struct conformance_case c;
    bool ok = case_read(&c, path) && fputs(c.ptx, stdout) >= 0;
    case_free(&c);
    return !ok;
}

int main(int argc, char **argv) {
    int bad = 0;
    if (argc == 3 && !strcmp(argv[1], "--ptx")) return print_ptx(argv[2]);
    for (int k = 1; k < argc; k++) bad += run_file(argv[k]) != 0;
    if (argc > 2) printf("%d of %d files failed\n", bad, argc - 1);
    return argc < 2 || bad;
}

/* SPDX-License-Identifier: MIT
 *
 * on_gpu.c: runs conformance programs (case.h) on a real GPU and holds them to
 * the same promises, so that what the suite expects of the virtual GPU is what
 * the hardware does. The driver is loaded by name: this builds without CUDA.
 * Counts, findings and printed lines are not looked at here.
 *
 *   conform_on_gpu FILE.ptx...
 */
#include <stdio.h>
#include <stdlib.h>

#include "case.h"
#include "driver.h"

struct run {
    struct conformance_case c;
    const char *path;
    const struct driver *cuda;
    void *module;
    address address[CASE_PARAMS];
    uint8_t *results[CASE_PARAMS];
    void *arguments[CASE_PARAMS];
};

static bool fail(const struct run *r, const char *what, int code) {
    fprintf(stderr, "%s: %s: CUDA error %d\n", r->path, what, code);
    return false;
}

static bool compile(struct run *r, void **f) {
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 }; /* CU_JIT_... */
    char log[2048] = "";
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[] = {log, (void *)sizeof log};
    int e = r->cuda->load(&r->module, r->c.ptx, 2, options, values);
    if (e) {
        fprintf(stderr, "%s: %s\n", r->path, log);
        return fail(r, "compilation", e);
    }
    e = r->cuda->find(f, r->module, r->c.kernel);
    return !e || fail(r, r->c.kernel, e);
}

static bool copy_in(struct run *r) {
    for (unsigned k = 0; k < r->c.n_params; k++) {
        struct case_param *p = &r->c.params[k];
        size_t bytes = p->count * p->type->bytes;
        r->arguments[k] = p->is_buffer ? (void *)&r->address[k] : p->bytes;
        if (!p->is_buffer) continue;
        r->results[k] = malloc(bytes);
        if (!r->results[k]) return fail(r, "memory", 0);
        int e = r->cuda->allocate(&r->address[k], bytes);
        if (!e) e = r->cuda->to_device(r->address[k], p->bytes, bytes);
        if (e) return fail(r, p->name, e);
    }
    return true;
}

static bool run_kernel(struct run *r, void *f) {
    const uint32_t *g = r->c.grid, *b = r->c.block;
    int e =
        r->cuda->launch(f, g[0], g[1], g[2], b[0], b[1], b[2],
                        (unsigned)r->c.smem_bytes, NULL, r->arguments, NULL);
    if (!e) e = r->cuda->synchronise();
    if (e) return fail(r, "launch", e);
    for (unsigned k = 0; k < r->c.n_params; k++) {
        const struct case_param *p = &r->c.params[k];
        if (!p->is_buffer) continue;
        e = r->cuda->to_host(r->results[k], r->address[k],
                             p->count * p->type->bytes);
        if (e) return fail(r, p->name, e);
    }
    return !case_judge(&r->c, r->path, r->results);
}

enum outcome { PASSED, FAILED, LEFT_OUT };

static enum outcome run_file(const struct driver *cuda, const char *path) {
    struct run *r = calloc(1, sizeof *r);
    if (!r) return FAILED;
    r->path = path;
    r->cuda = cuda;
    enum outcome o = FAILED;
    void *f;
    if (case_read(&r->c, path)) {
        if (*r->c.not_on_gpu)
            o = LEFT_OUT;
        else if (compile(r, &f) && copy_in(r) && run_kernel(r, f))
            o = PASSED;
    }
    for (unsigned k = 0; k < CASE_PARAMS; k++) {
        if (r->address[k]) cuda->release(r->address[k]);
        free(r->results[k]);
    }
    if (r->module) cuda->unload(r->module);
    case_free(&r->c);
    free(r);
    return o;
}

int main(int argc, char **argv) {
    struct driver cuda;
    const char *missing = driver_open(&cuda);
    if (missing) {
        fprintf(stderr, "conform_on_gpu: no %s\n", missing);
        return 2;
    }
    int n[3] = {0};
    for (int k = 1; k < argc; k++) n[run_file(&cuda, argv[k])]++;
    printf("%d passed, %d failed, %d left out\n", n[PASSED], n[FAILED],
           n[LEFT_OUT]);
    return n[FAILED] != 0;
}

/* SPDX-License-Identifier: MIT
 *
 * on_gpu.c: the hardware as referee of the ALU forms. Every row of the table
 * becomes a kernel; the same operands go through the kernel and through the
 * handler; what differs is printed. Needs a GPU of compute capability 9.0 and
 * its driver, which is loaded by name so that this builds without CUDA.
 *
 *   alu_on_gpu [CUBIN] [ROUNDS]
 *
 * CUBIN: what ptxas made of alu_emit_ptx's output; without it the driver
 * compiles the PTX itself (a minute). Approximate forms are printed with their
 * largest distance in units in the last place. A NaN equals a NaN only bit for
 * bit. Exit status 1 when an exact form differs.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "form_ptx.h"
#include "vectors.h"

enum { THREADS = FORM_PTX_THREADS, MOST = 8, IMMEDIATE = 0x96 };

/* The driver API, as far as it is used. */
typedef struct context *context;
typedef struct module *module;
typedef struct function *function;
typedef unsigned long long address;
static struct driver {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(context *, int);
    int (*current)(context);
    int (*load)(module *, const void *);
    int (*find)(function *, module, const char *);
    int (*allocate)(address *, size_t);
    int (*to_device)(address, const void *, size_t);
    int (*to_host)(void *, address, size_t);
    int (*launch)(function, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **, void **);
    int (*synchronise)(void);
} cuda;

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "alu_on_gpu: %s failed\n", what);
    exit(2);
}

static void load_driver(void) {
    void *d = dlopen("libcuda.so.1", RTLD_NOW);
    must(d != NULL, "loading libcuda.so.1");
#define NAME(member, symbol)                                                   \
    *(void **)(void *)&cuda.member = dlsym(d, symbol);                         \
    must(cuda.member != NULL, symbol)
    NAME(init, "cuInit");
    NAME(device, "cuDeviceGet");
    NAME(retain, "cuDevicePrimaryCtxRetain");
    NAME(current, "cuCtxSetCurrent");
    NAME(load, "cuModuleLoadData");
    NAME(find, "cuModuleGetFunction");
    NAME(allocate, "cuMemAlloc_v2");
    NAME(to_device, "cuMemcpyHtoD_v2");
    NAME(to_host, "cuMemcpyDtoH_v2");
    NAME(launch, "cuLaunchKernel");
    NAME(synchronise, "cuCtxSynchronize");
#undef NAME
    int device;
    context c;
    must(!cuda.init(0), "cuInit");
    must(!cuda.device(&device, 0), "cuDeviceGet");
    must(!cuda.retain(&c, device), "cuDevicePrimaryCtxRetain");
    must(!cuda.current(c), "cuCtxSetCurrent");
}

static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    must(f != NULL, path);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *r = malloc((size_t)n + 1);
    must(r && fread(r, 1, (size_t)n, f) == (size_t)n, path);
    r[n] = 0;
    fclose(f);
    return r;
}

static char *all_ptx(const struct alu_row *rows, unsigned n) {
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    must(f != NULL, "open_memstream");
    fputs(FORM_PTX_HEADER, f);
    for (unsigned k = 0; k < n; k++) form_ptx(f, &rows[k], k, IMMEDIATE);
    fclose(f);
    return text;
}

struct trial {
    uint64_t in[MOST][THREADS], got[MOST][THREADS], want[MOST][THREADS];
};

/* The row's handler, a warp at a time; sources after destinations. */
static void run_handler(const struct alu_row *row, struct trial *t) {
    static _Alignas(64) uint8_t registers[12 * 256];
    struct lane_set on = {.mask = ~0u};
    memset(on.w, 0xff, sizeof on.w);
    memset(on.d, 0xff, sizeof on.d);
    struct alu_operands o = {.immediate = IMMEDIATE};
    for (uint32_t k = 0; k < ALU_MAX_OPERANDS; k++) o.at[k] = k * 256;
    for (unsigned w = 0; w < THREADS; w += VGPU_LANES) {
        memset(registers, 0, sizeof registers);
        for (int pass = 0; pass < 2; pass++) {
            unsigned slot = 0, k = 0;
            bool source = false;
            for (const char *c = row->signature; *c; c++) {
                if (*c == '=') {
                    source = true;
                    k = 0;
                }
                if (*c == '=' || *c == 'i') continue;
                uint8_t *r = registers + 256 * slot++;
                uint64_t *lanes = source ? t->in[k] : t->got[k];
                k++;
                if (source != !pass) continue;
                for (unsigned l = 0; l < VGPU_LANES; l++) {
                    uint64_t v = lanes[w + l];
                    uint32_t *p = (uint32_t *)(void *)r;
                    if (*c == 'd' && source)
                        ((uint64_t *)(void *)r)[l] = v;
                    else if (*c == 'd')
                        lanes[w + l] = ((uint64_t *)(void *)r)[l];
                    else if (*c == 'w' && source)
                        p[l] = (uint32_t)v;
                    else if (*c == 'w')
                        lanes[w + l] = p[l];
                    else if (source)
                        *p |= (uint32_t)(v & 1) << l;
                    else
                        lanes[w + l] = *p >> l & 1;
                }
            }
            if (!pass) row->run(registers, &o, &on);
        }
    }
}

static bool is_approximate(const char *form) {
    return strstr(form, "approx") || strstr(form, ".full");
}

/* Distance between two floats of `bits` as integers on one line. */
static uint64_t distance(uint64_t a, uint64_t b, unsigned bits) {
    uint64_t top = 1ull << (bits - 1);
    int64_t x = a & top ? -(int64_t)(a & (top - 1)) : (int64_t)a;
    int64_t y = b & top ? -(int64_t)(b & (top - 1)) : (int64_t)b;
    return (uint64_t)(x > y ? x - y : y - x);
}

struct tally {
    unsigned differ;
    uint64_t furthest;
    uint64_t in[MOST], got, want;
    unsigned operand;
};

static void compare(const struct alu_row *row, const struct trial *t,
                    unsigned n_in, unsigned n_out, struct tally *r) {
    unsigned bits = strstr(row->form, "f64")   ? 64
                    : strstr(row->form, "f16") ? 16
                                               : 32;
    for (unsigned k = 0; k < n_out; k++)
        for (unsigned i = 0; i < THREADS; i++) {
            if (t->got[k][i] == t->want[k][i]) continue;
            uint64_t far = distance(t->got[k][i], t->want[k][i], bits);
            bool worse = !r->differ++ ||
                         (is_approximate(row->form) && far > r->furthest);
            if (!worse) continue;
            r->furthest = far;
            r->got = t->got[k][i];
            r->want = t->want[k][i];
            r->operand = k;
            for (unsigned j = 0; j < n_in; j++) r->in[j] = t->in[j][i];
        }
}

static void report(const struct alu_row *row, const struct tally *r,
                   unsigned n_in, unsigned total) {
    printf("%-32s %5u/%u", row->form, r->differ, total);
    if (is_approximate(row->form))
        printf(" at most %llu ulp:", (unsigned long long)r->furthest);
    printf(" d%u", r->operand);
    for (unsigned j = 0; j < n_in; j++)
        printf(" %#llx", (unsigned long long)r->in[j]);
    printf(" -> ours %#llx, GPU %#llx\n", (unsigned long long)r->got,
           (unsigned long long)r->want);
}

int main(int argc, char **argv) {
    unsigned n;
    const struct alu_table *table = alu_tables_select(-1);
    const struct alu_row *rows = table ? alu_rows(table, &n) : NULL;
    must(rows != NULL, "alu_tables_select");
    load_driver();
    module m;
    char *image = argc > 1 ? read_all(argv[1]) : all_ptx(rows, n);
    must(!cuda.load(&m, image), "cuModuleLoadData");
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 4;
    address in, out;
    struct trial *t = calloc(1, sizeof *t);
    must(t != NULL, "memory");
    must(!cuda.allocate(&in, sizeof t->in), "cuMemAlloc");
    must(!cuda.allocate(&out, sizeof t->want), "cuMemAlloc");
    unsigned wrong = 0, missing = 0;
    for (unsigned k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", k);
        function f;
        if (cuda.find(&f, m, name)) {
            printf("%-32s not in the module\n", rows[k].form);
            missing++;
            continue;
        }
        unsigned n_out = 0, n_in = 0;
        uint64_t seed = 0x9e3779b97f4a7c15ull + k;
        const char *sources = strchr(rows[k].signature, '=') + 1;
        n_out = (unsigned)(sources - rows[k].signature - 1);
        struct tally r = {.differ = 0};
        bool one_half = !strncmp(rows[k].form, "setp", 4) &&
                        strstr(rows[k].form, "f16") &&
                        !strstr(rows[k].form, "x2");
        for (unsigned round = 0; round < rounds; round++) {
            n_in = 0;
            for (const char *c = sources; *c; c++) {
                if (*c == 'i') continue;
                for (unsigned i = 0; i < THREADS; i++)
                    t->in[n_in][i] = vectors_value(&seed, rows[k].form,
                                                   *c == 'c' ? 'p' : *c);
                n_in++;
            }
            run_handler(&rows[k], t);
            must(!cuda.to_device(in, t->in, sizeof t->in), "copy in");
            void *arguments[] = {&in, &out};
            must(!cuda.launch(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments,
                              NULL),
                 rows[k].form);
            must(!cuda.synchronise(), rows[k].form);
            must(!cuda.to_host(t->want, out, sizeof t->want), "copy out");
            compare(&rows[k], t, n_in, one_half ? 1 : n_out, &r);
        }
        if (r.differ) report(&rows[k], &r, n_in, rounds * THREADS);
        wrong += r.differ && !is_approximate(rows[k].form);
    }
    printf("%u forms, %u differ, %u missing\n", n, wrong, missing);
    return wrong != 0;
}

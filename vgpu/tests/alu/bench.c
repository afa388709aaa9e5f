/* SPDX-License-Identifier: MIT
 *
 * bench.c: nanoseconds per handler call (32 lanes) of the forms that student
 * code is made of. Not a test: run it by hand.  alu_bench [form...]
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "alu.h"

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static _Alignas(64) uint8_t registers[ALU_MAX_OPERANDS * 256];

static void fill(struct lane_set *on, uint32_t mask) {
    on->mask = mask;
    for (unsigned l = 0; l < VGPU_LANES; l++) {
        on->w[l] = mask >> l & 1u ? ~0u : 0;
        on->d[l] = mask >> l & 1u ? ~0ull : 0;
    }
}

/* Numbers, not subnormals: those cost hardware a hundred cycles each. */
static void put_values(const char *form) {
    const char *type = strrchr(form, '.');
    for (size_t k = 0; k < sizeof registers / 8; k++) {
        double d = 1.0 + (double)k;
        float f[2] = {(float)d, (float)d + 0.5f};
        uint64_t bits = k * 0x9e3779b97f4a7c15u;
        if (!strcmp(type, ".f64"))
            memcpy(&bits, &d, 8);
        else if (!strcmp(type, ".f32"))
            memcpy(&bits, f, 8);
        else if (strstr(type, "f16"))
            bits = 0x3c003c003c003c00u + k;
        memcpy(registers + 8 * k, &bits, 8);
    }
}

static double measure(const struct alu_row *row, uint32_t mask) {
    enum { CALLS = 200000, ROUNDS = 7 };
    struct alu_operands o = {.immediate = 0x96};
    for (uint32_t k = 0; k < ALU_MAX_OPERANDS; k++) o.at[k] = k * 256;
    struct lane_set on;
    fill(&on, mask);
    put_values(row->form);
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_ns();
        for (int k = 0; k < CALLS; k++) row->run(registers, &o, &on);
        double took = (now_ns() - start) / CALLS;
        if (took < best) best = took;
    }
    return best;
}

static const char *const hot[] = {
    "mov.u32",     "mov.b64",        "add.s32",         "add.s64",
    "sub.s32",     "mul.lo.s32",     "mul.wide.u32",    "mul.wide.s32",
    "mad.lo.s32",  "mul.lo.s64",     "and.b32",         "or.b32",
    "shl.b32",     "shl.b64",        "shr.u32",         "shr.u64",
    "shr.s32",     "min.s32",        "max.u32",         "setp.lt.s32",
    "setp.lt.u64", "setp.eq.s64",    "setp.gt.u32",     "setp.lt.f32",
    "selp.b32",    "selp.b64",       "cvt.u64.u32",     "cvt.u32.u64",
    "cvt.s64.s32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", "cvt.f64.f32",
    "add.f32",     "mul.f32",        "fma.rn.f32",      "add.f64",
    "fma.rn.f64",  "max.f32",        "lop3.b32",        "prmt.b32",
    "bfe.u32",     "popc.b32",       "clz.b32",         "div.u32",
    "rem.u32",     "div.s64",        "pack.b64.b32",    "unpack.b64.b32",
    "add.cc.u32",  "shf.l.wrap.b32", "add.f16x2",       "not.pred"};

static void line(const char *form, const struct alu_table *const t[2]) {
    printf("%-20s", form);
    for (int isa = 0; isa < 2; isa++) {
        const struct alu_row *row = t[isa] ? alu_find(t[isa], form) : NULL;
        if (!row) {
            printf("  %8s %8s", "-", "-");
            continue;
        }
        printf("  %8.2f %8.2f", measure(row, ~0u), measure(row, 0x5555ffffu));
    }
    printf("\n");
}

int main(int argc, char **argv) {
    const struct alu_table *const t[2] = {alu_tables_select(0),
                                          alu_tables_select(1)};
    printf("%-20s  %8s %8s  %8s %8s   (ns per call of 32 lanes)\n", "form",
           "baseline", "masked", "avx2", "masked");
    if (argc > 1)
        for (int k = 1; k < argc; k++) line(argv[k], t);
    else
        for (size_t k = 0; k < sizeof hot / sizeof *hot; k++) line(hot[k], t);
    return 0;
}

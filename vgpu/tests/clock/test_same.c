/* SPDX-License-Identifier: MIT
 *
 * test_same.c: the same program, profile and input take the same model time on
 * every machine, whatever compiler and options built this: the numbers of
 * same.txt. When a rule or a constant has changed, VGPU_SAME=FILE of
 * the test's environment is a file that it writes instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "text.h"
#include "unit.h"

static const struct {
    const char *name, *body;
    uint32_t blocks, threads;
} programs[] = {
    {"chain", /* block b waits for block b - 1 */
     "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;\n"
     "setp.eq.u32 %p1, %r1, 0; @%p1 bra GO;\n"
     "W: ld.volatile.global.u32 %r4, [%rd2+-4];\n"
     "setp.eq.u32 %p2, %r4, 0; @%p2 bra W;\n"
     "GO: mov.u32 %r5, 1; st.volatile.global.u32 [%rd2], %r5;\n",
     300, 32},
    {"atomics",
     "and.b32 %r4, %r0, 3; mul.wide.u32 %rd3, %r4, 128;\n"
     "add.s64 %rd2, %rd1, %rd3; atom.global.add.u32 %r5, [%rd2], %r0;\n"
     "red.global.add.u32 [%rd1+4096], %r5;\n",
     200, 256},
    {"conflicts",
     "shl.b32 %r4, %r0, 4; and.b32 %r4, %r4, 16380; mov.u32 %r5, 0;\n"
     "L: st.shared.u32 [%r4], %r0; bar.sync 0; ld.shared.u32 %r6, [%r4];\n"
     "add.s32 %r0, %r0, %r6; add.s32 %r5, %r5, 1;\n"
     "setp.lt.u32 %p1, %r5, 20; @%p1 bra L;\n",
     50, 512},
    {"gather",
     "mad.lo.s32 %r4, %r1, %r2, %r0; mov.u32 %r5, 0;\n"
     "L: mad.lo.s32 %r4, %r4, 1664525, 1013904223; and.b32 %r6, %r4, 262143;\n"
     "mul.wide.u32 %rd3, %r6, 4; add.s64 %rd2, %rd1, %rd3;\n"
     "ld.global.u32 %r7, [%rd2]; add.s32 %r4, %r4, %r7;\n"
     "add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 12; @%p1 bra L;\n"
     "st.global.u32 [%rd2], %r4;\n",
     100, 256},
    {"diverge",
     "and.b32 %r4, %r0, 7; mov.u32 %r5, 0;\n"
     "L: setp.ge.u32 %p1, %r5, %r4; @%p1 bra DONE; div.u32 %r6, %r0, 3;\n"
     "add.s32 %r5, %r5, 1; bra L;\n"
     "DONE: shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; fence.acq_rel.gpu;\n",
     64, 128},
};
static const char *const clocks[] = {"pram", "pram:7", "kmodel", "teach",
                                     "h200", "titanx", "k40",    "gtx275"};
enum {
    N_PROGRAMS = sizeof programs / sizeof *programs,
    N_CLOCKS = sizeof clocks / sizeof *clocks
};

static void write_all(struct text *t) {
    for (size_t k = 0; k < N_CLOCKS; k++)
        for (size_t p = 0; p < N_PROGRAMS; p++) {
            uint64_t c[VGPU_N_COUNTERS];
            struct run r = {.clock = clocks[k],
                            .body = programs[p].body,
                            .blocks = programs[p].blocks,
                            .threads = programs[p].threads,
                            .bytes = 1 << 20};
            run_counts(r, c);
            text_add(t,
                     "%s %s: %" PRIu64 " cycles, %" PRIu64 " ns, depth %" PRIu64
                     ", chain %" PRIu64 "\n",
                     clocks[k], programs[p].name, c[VGPU_COUNT_MODEL_CYCLES],
                     c[VGPU_COUNT_MODEL_NS], c[VGPU_COUNT_DEPTH],
                     c[VGPU_COUNT_LONGEST_CHAIN]);
        }
}

/* SAME: the file. */
TEST(model_times_are_those_of_every_other_machine) {
    struct text t = {0};
    char said[1 << 14] = "";
    const char *fresh = getenv("VGPU_SAME");
    FILE *file = fopen(fresh ? fresh : SAME, fresh ? "w" : "r");
    assert_non_null(file);
    write_all(&t);
    if (fresh) {
        fputs(text_string(&t), file);
        fclose(file);
        text_free(&t);
        return;
    }
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text_string(&t), said);
    text_free(&t);
}

UNIT_MAIN(NULL, NULL)

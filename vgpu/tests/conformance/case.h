/* SPDX-License-Identifier: MIT
 *
 * case.h: a conformance program and the launch and results it carries in its
 * own header lines (vgpu/tests/README.md). conform.c runs it on the virtual
 * GPU, on_gpu.c on a real one.
 *
 * The lines, in any order but params as the kernel has them:
 *   //: run: kernel=main grid=2,1,1 block=64 smem=0    defaults: main 1 32 0
 *   //: param: u32 out[64]              a buffer of zeros; its address is
 * passed
 *   //: param: s32 in[64] = 3*i-7       with contents (expr.h)
 *   //: param: f32 1.5                  a scalar; may be named: u32 n = 7
 *   //: param: u32 {1, 2, 3}            an array by value
 *   //: expect: out = 2*i+1             every element
 *   //: expect: out[3] = 9              one, or out[8..15] = expr
 *   //: expect: out : 1 2 3 4           the first ones
 *   //: expect: error ILLEGAL_ADDRESS   the launch's status (vgpu_status.def)
 *   //: expect: finding out-of-bounds   at least one of it (vgpu_findings.def)
 *   //: expect: count shared_wavefronts 32
 *   //: expect: prints text             a line that device code prints
 *   //: checks: memcheck,racecheck      default: all
 *   //: gpu: no, reason                 on_gpu.c leaves it out
 *   //: for: sm_90 8.6                  target and version; otherwise sm_75 8.0
 *   //: begin: main                     a kernel; directives may follow its
 * name
 *   //: use: copy.part                  lines of a file beside this one
 *
 * begin stands for what most kernels begin with: parameters p_NAME (p_NUMBER
 * without a name), registers %p %h %r %d %f %g, the thread's number %t in its
 * block and %i in the grid, of each buffer the address %to_NAME_0 and that of
 * element i, %to_NAME. Where no line "}" ends the kernel, the end of the file
 * does, with a ret. Types: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64. What is not
 * expected (a finding, an error) fails the case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { CASE_PARAMS = 16, CASE_EXPECTS = 64, CASE_WORDS = 8, CASE_PARTS = 4 };

struct case_type {
    const char *name;
    unsigned bytes;
    bool is_float, is_signed;
};

struct case_param {
    char name[32]; /* may be empty */
    const struct case_type *type;
    bool is_buffer;
    size_t count;
    uint8_t *bytes; /* contents, or the value */
};

struct case_expect {
    unsigned param;
    size_t from, to;  /* elements, to included */
    const char *text; /* a formula, or values one after another */
    bool is_list;
    unsigned line;
};

struct case_word {
    char text[128];
    uint64_t number;
    unsigned line;
};
struct case_words {
    struct case_word list[CASE_WORDS];
    unsigned n;
};

struct conformance_case {
    struct text text; /* the file, cut into lines */
    struct text parts[CASE_PARTS];
    unsigned n_parts;
    char *ptx;
    size_t bytes; /* of ptx, with the zero at its end */
    char kernel[64];
    uint32_t grid[3], block[3];
    size_t smem_bytes;
    struct case_param params[CASE_PARAMS];
    unsigned n_params;
    struct case_expect expects[CASE_EXPECTS];
    unsigned n_expects;
    char error[64]; /* empty: OK */
    struct case_words findings, counts, prints;
    char checks[128];
    char not_on_gpu[128]; /* why not; empty: run it */
};

/* False: unreadable or wrong; says so on standard error as file:line. */
bool case_read(struct conformance_case *, const char *path);
void case_free(struct conformance_case *);
/* Compares what a buffer holds after the run. Says the first difference of each
 * expectation on standard error; the number of expectations not met. */
unsigned case_judge(const struct conformance_case *, const char *path,
                    uint8_t *const results[CASE_PARAMS]);
size_t case_param_bytes(const struct case_param *); /* in the parameter block */

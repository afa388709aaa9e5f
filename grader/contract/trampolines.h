/* SPDX-License-Identifier: MIT
 *
 * trampolines.h: `trampolines`, a trampoline for each row of signatures.def.
 * Defines static functions: for the one file of a program that calls labs'
 * functions. C and CUDA C++.
 */
#pragma once

#include <string.h>

#include "frame.h"
#include "tables.h"

#define X(name, type, words) typedef type element_##name;
#include "types.def"
#undef X

#define PARAMETER(name) frame->parameters[PARAMETER_##name]
#define MAYBE           __attribute__((unused)) /* some calls take it */
#define X(name, type_in, type_in2, type_out, type_out2, takes, types,          \
          arguments, text)                                                     \
    static int call_##name(void *function, struct frame *frame) {              \
        MAYBE const element_##type_in *in =                                    \
            (const element_##type_in *)frame->in;                              \
        MAYBE const element_##type_in2 *in2 =                                  \
            (const element_##type_in2 *)frame->in2;                            \
        MAYBE element_##type_out *out = (element_##type_out *)frame->out;      \
        MAYBE element_##type_out2 *out2 = (element_##type_out2 *)frame->out2;  \
        MAYBE size_t n = frame->n;                                             \
        MAYBE size_t *n_out = &frame->n_out;                                   \
        int(*call) types;                                                      \
        memcpy(&call, &function, sizeof call);                                 \
        return call arguments;                                                 \
    }
#include "signatures.def"
#undef X
#undef PARAMETER
#undef MAYBE

static trampoline *const trampolines[] = {
#define X(name, in, in2, out, out2, takes, types, arguments, text) call_##name,
#include "signatures.def"
#undef X
};

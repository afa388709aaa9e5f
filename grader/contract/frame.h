/* SPDX-License-Identifier: MIT
 *
 * frame.h: what a lab's function is called with, whatever its signature.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct frame {
    const void *in, *in2;
    void *out, *out2;
    size_t n, n_out;           /* n_out is for the function to set */
    const int32_t *parameters; /* [N_PARAMETERS] */
    /* Of a signature that takes `devices`: part d of in and out, which lies on
     * device d, and its elements. NULL: the arrays are whole. */
    const int32_t *const *part_in;
    int32_t *const *part_out;
    const size_t *part_n;
};

/* Calls the function at this address; its result. */
typedef int trampoline(void *function, struct frame *);

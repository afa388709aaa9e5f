/* SPDX-License-Identifier: MIT
 *
 * versus.h: what became of a lab since it was last saved: a function's counts
 * and model time at one size beside those of the save before, of the reference
 * and of CUB (the last two are numbers that the course publishes).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"

enum versus_side {
    VERSUS_MINE,
    VERSUS_LAST,
    VERSUS_REFERENCE,
    VERSUS_CUB,
    N_VERSUS_SIDES
};

enum versus_what {
    VERSUS_LAUNCHES,
    VERSUS_OPS,
    VERSUS_MOVED, /* elements of 4 bytes between memory and chip, per element */
    VERSUS_MODEL_US,
    N_VERSUS
};

struct versus {
    int function; /* index in the lab's functions */
    size_t n;
    bool right;                             /* mine */
    double value[N_VERSUS_SIDES][N_VERSUS]; /* below 0: not known */
};

enum { VERSUS_MOST = 4 };

struct since {
    const struct lab *lab;
    char *changed; /* "one-block: FAIL, now pass"; NULL: nothing, or no grade */
    struct versus versus[VERSUS_MOST];
    size_t n_versus;
    const char *unpublished; /* why there is none; NULL: there are */
};

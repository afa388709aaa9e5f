/* SPDX-License-Identifier: MIT
 *
 * cpu_round.h: times all contestants at one size, in a child process: code of a
 * submission may crash or never return, and that is then a line in the result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu_rivals.h"

enum { CPU_MOST_REPEATS = 201, CPU_MOST_CONTESTANTS = 24, CPU_WHO_BYTES = 96 };

struct cpu_contestant {
    char who[CPU_WHO_BYTES];
    bool copies; /* the output is the input, else its inclusive scan */
    cpu_rival *run;
    char *library, *symbol; /* or this, opened in the child */
};

enum cpu_status {
    CPU_RIGHT,
    CPU_WRONG,  /* an output of a timed call was wrong */
    CPU_ABSENT, /* not written yet, or not on this machine */
    CPU_FAILED, /* returned an error, crashed or did not return */
};

struct cpu_result {
    enum cpu_status status;
    char why[160];
    size_t repeats;
    double ns[CPU_MOST_REPEATS]; /* sorted */
};

/* repeats: timed calls of each, at most CPU_MOST_REPEATS, after one that is not
 * timed. results: one per contestant. false: no memory or no process, and
 * standard error says which. */
bool cpu_round(const struct cpu_contestant *, size_t n_contestants, size_t n,
               int threads, size_t repeats, struct cpu_result *results);

/* SPDX-License-Identifier: MIT
 *
 * units.h: bench/gpu, compiled by nvcc into <build_folder>/bench/<unit>-<hash>
 * when it is not there yet: the measuring program, the libraries of peers, the
 * baselines of timed checks. The hash covers sources, words of the command and
 * nvcc's version, and no path, so that the folder may be carried to a machine
 * of the same kind.
 */
#ifndef SCANLAB_BENCH_UNITS_H
#define SCANLAB_BENCH_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum bench_unit {
#define X(name, sources, more) UNIT_##name,
#include "units.def"
#undef X
    N_UNITS
};

struct units {
    char *paths[N_UNITS]; /* those that were asked for */
};

enum { UNITS_ERROR_BYTES = 2048 };

/* needed: a bit per unit. capability: 90 for 9.0. compiling: told how many are
 * to be compiled, before that; or NULL. false: error says why (no nvcc, no CUB,
 * the compiler's message). units_free in any case. */
bool units_build(struct units *, const char *root, const char *build_folder,
                 int capability, unsigned needed,
                 void (*compiling)(void *user, size_t n), void *user,
                 char error[UNITS_ERROR_BYTES]);
void units_free(struct units *);

#endif

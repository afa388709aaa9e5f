/* SPDX-License-Identifier: MIT
 *
 * units.h: CUDA sources of ours, compiled by nvcc into
 * <build_folder>/bench/<unit>-<hash> when they are not there yet: the measuring
 * program and the baselines of timed checks (judge/gpu), and what else is timed
 * beside them. The hash covers sources, words of the command and nvcc's
 * version, and no path, so that the folder may be carried to a machine of the
 * same kind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What one run of nvcc makes. */
struct unit {
    const char *name;
    const char *folder;  /* of the sources, below ScanLab's folder */
    const char *sources; /* with blanks between them */
    const char *more;    /* one more word for nvcc; "": none */
    bool is_program;     /* else a library */
    bool newer_cub;      /* see units_newer_cub */
};
extern const struct unit unit_worker, unit_baselines;

enum { UNITS_MOST = 24, UNITS_ERROR_BYTES = 2048 };

/* Is a newer CUB than the toolkit's beside what is compiled (in
 * <build_folder>/bench/cccl, put there by timing/gpu/fetch_cub.sh), for units
 * that want it? */
bool units_newer_cub(const char *build_folder);

/* paths[i] becomes where list[i] is; n is at most UNITS_MOST. capability: 90
 * for 9.0. compiling: told how many are to be compiled, before that; or NULL.
 * false: error says why (no nvcc, no CUB, the compiler's message). units_free
 * in any case; the paths must be NULL before. */
bool units_build(const struct unit *const *list, size_t n, char **paths,
                 const char *root, const char *build_folder, int capability,
                 void (*compiling)(void *user, size_t n), void *user,
                 char error[UNITS_ERROR_BYTES]);
void units_free(char **paths, size_t n);

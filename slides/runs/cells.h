/* SPDX-License-Identifier: MIT
 *
 * cells.h: what the programs of this folder print: lines of LaTeX for the
 * decks, \cellrow{label}{values}{indices to be marked}, see style.tex.
 */
#ifndef CELLS_H
#define CELLS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* marked[i] != 0: element i is marked; NULL: none is. */
static inline void cells_row(const char *label, const int32_t *values, int n,
                             const char *marked) {
    printf("\\cellrow{%s}{", label);
    for (int i = 0; i < n; i++) printf("%s%d", i ? "," : "", values[i]);
    printf("}{");
    for (int i = 0, first = 1; marked && i < n; i++)
        if (marked[i]) printf("%s%d", first ? "" : ",", i), first = 0;
    printf("}\n");
}

static inline void cells_check(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    exit(1);
}

#endif

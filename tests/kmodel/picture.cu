/* SPDX-License-Identifier: MIT
 *
 * picture.cu: draws where lab 3's bank_index puts the nodes of a tree, as in
 * the lab's handout. For each level: the word of each node's sum, its bank, and
 * the passes that storing the sums takes, k at a time.
 *
 *     picture plain|padding|leftright N BANKS
 */
#include "bank_conflicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t words_of(int32_t *words, int32_t n, int map, int banks) {
    int32_t *d_in = NULL, *d_out = NULL;
    size_t bytes = (size_t)n * sizeof *d_in;
    for (int32_t v = 0; v < n; v++) words[v] = v;
    cudaError_t status = cudaMalloc(&d_in, bytes);
    if (status == cudaSuccess) status = cudaMalloc(&d_out, bytes);
    if (status == cudaSuccess)
        status = cudaMemcpy(d_in, words, bytes, cudaMemcpyHostToDevice);
    if (status == cudaSuccess)
        status = bank_index(d_in, d_out, (size_t)n, map, banks);
    if (status == cudaSuccess)
        status = cudaMemcpy(words, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
    return status;
}

/* The fullest bank of each k stores in a row, added up. */
static int passes_of(const int32_t *words, int nodes, int banks) {
    int passes = 0;
    for (int first = 0; first < nodes; first += banks) {
        int most = 0, end = first + banks < nodes ? first + banks : nodes;
        for (int bank = 0; bank < banks; bank++) {
            int here = 0;
            for (int x = first; x < end; x++) here += words[x] % banks == bank;
            if (here > most) most = here;
        }
        passes += most;
    }
    return passes;
}

static void row(const char *title, const int32_t *words, int nodes, int modulo,
                int width) {
    printf("%s", title);
    for (int x = 0; x < nodes; x++) printf(" %*d", width, words[x] % modulo);
}

int main(int argc, char **argv) {
    static const char *const maps[] = {"plain", "padding", "leftright"};
    int map = 0, n = argc == 4 ? atoi(argv[2]) : 0;
    int banks = argc == 4 ? atoi(argv[3]) : 0;
    int32_t words[BANK_MAX_N];
    while (map < 3 && argc == 4 && strcmp(argv[1], maps[map]) != 0) map++;
    if (map == 3 || n < 2 || n > BANK_MAX_N || n & (n - 1) || banks < 2 ||
        banks & (banks - 1)) {
        fprintf(stderr, "usage: picture plain|padding|leftright N BANKS\n");
        return 2;
    }
    cudaError_t status = words_of(words, n, map, banks);
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 1;
    }
    int width = snprintf(NULL, 0, "%d", words[0]), total = 0;
    for (int nodes = n / 2, level = 1; nodes > 0; nodes /= 2, level++) {
        int passes = passes_of(words + nodes, nodes, banks);
        printf("level %d  ", level);
        row("word", words + nodes, nodes, BANK_MAX_N * 2, width);
        row("\n         bank", words + nodes, nodes, banks, width);
        printf("%*s%d pass%s\n", 3 + (n / 2 - nodes) * (width + 1), "", passes,
               passes == 1 ? "" : "es");
        total += passes;
    }
    printf("%d words, %d passes\n", words[0], total);
    return 0;
}

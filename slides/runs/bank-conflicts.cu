/* SPDX-License-Identifier: MIT
 *
 * bank-conflicts.cu: where lab 3's reference puts the sums of each level, for
 * 16 leaves and 4 banks under the three maps: \bankrun{map-level}{words}{words
 * of the sums}{gaps}{passes} A word is a gap when no leaf lives in it.
 */
#include <bank_conflicts.cu>
#include "cells.h"

enum { LEAVES = 16, K = 4, MOST_WORDS = 2 * LEAVES };

/* The fullest bank of each K stores in a row, added up. */
static int passes_of(const int32_t *words, int nodes) {
    int passes = 0;
    for (int first = 0; first < nodes; first += K) {
        int here[K] = {0}, most = 0;
        for (int x = first; x < first + K && x < nodes; x++)
            if (++here[words[x] % K] > most) most = here[words[x] % K];
        passes += most;
    }
    return passes;
}

static void list(const int32_t *words, int count) {
    printf("{");
    for (int i = 0; i < count; i++) printf("%s%d", i ? "," : "", words[i]);
    printf("}");
}

static void print_map(const char *name, int map) {
    int32_t nodes[2 * LEAVES], words[2 * LEAVES], gaps[MOST_WORDS];
    int32_t *d_nodes, *d_words;
    int n_gaps = 0;
    char taken[MOST_WORDS] = {0};
    for (int v = 0; v < 2 * LEAVES; v++) nodes[v] = v;
    cells_check(cudaMalloc(&d_nodes, sizeof nodes));
    cells_check(cudaMalloc(&d_words, sizeof words));
    cells_check(
        cudaMemcpy(d_nodes, nodes, sizeof nodes, cudaMemcpyHostToDevice));
    /* bank_index takes numbers of nodes n at a time: the leaves come second. */
    for (int half = 0; half < 2; half++)
        cells_check(bank_index(d_nodes + half * LEAVES, d_words + half * LEAVES,
                               LEAVES, map, K));
    cells_check(
        cudaMemcpy(words, d_words, sizeof words, cudaMemcpyDeviceToHost));
    for (int i = 0; i < LEAVES; i++) taken[words[LEAVES + i]] = 1;
    for (int w = 0; w < words[0]; w++)
        if (!taken[w]) gaps[n_gaps++] = w;
    for (int level = 1; LEAVES >> level > 0; level++) {
        int count = LEAVES >> level; /* node x is number count + x */
        printf("\\bankrun{%s-%d}{%d}", name, level, words[0]);
        list(words + count, count);
        list(gaps, n_gaps);
        printf("{%d}\n", passes_of(words + count, count));
    }
    cells_check(cudaFree(d_nodes));
    cells_check(cudaFree(d_words));
}

int main(void) {
    print_map("plain", BANK_MAP_PLAIN);
    print_map("padding", BANK_MAP_PADDING);
    print_map("leftright", BANK_MAP_LEFTRIGHT);
    return 0;
}

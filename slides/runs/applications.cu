/* SPDX-License-Identifier: MIT
 *
 * applications.cu: what lab 8's reference makes of small arrays.
 */
#include <applications.cu>
#include "cells.h"

enum { N = 8, KEYS = 5 };

/* n elements from the device, as a row. */
static void show(const char *label, const void *d_values, size_t n) {
    int32_t values[N];
    cells_check(cudaMemcpy(values, d_values, n * sizeof *values,
                           cudaMemcpyDeviceToHost));
    cells_row(label, values, (int)n, NULL);
}

/* Two digits of a key, as on paper. */
static void show_keys(const char *label, const uint32_t *d_keys) {
    uint32_t keys[KEYS];
    cells_check(cudaMemcpy(keys, d_keys, sizeof keys, cudaMemcpyDeviceToHost));
    printf("\\cellrow{%s}{", label);
    for (int i = 0; i < KEYS; i++)
        printf("%s%u--%u", i ? "," : "", keys[i] >> 8, keys[i] & 255);
    printf("}{}\n");
}

int main(void) {
    const int32_t values[N] = {3, 1, 7, 0, 4, 1, 6, 3};
    const int32_t runs[N] = {5, 5, 5, 2, 9, 9, 9, 9};
    const uint32_t keys[KEYS] = {0x203, 0x101, 0x200, 0x103, 0x002};
    int32_t *d_in, *d_out, *d_more;
    size_t n_out;
    for (int32_t **d : {&d_in, &d_out, &d_more})
        cells_check(cudaMalloc(d, N * sizeof **d));

    printf("\\cellrun{select}{%%\n");
    cells_check(
        cudaMemcpy(d_in, values, sizeof values, cudaMemcpyHostToDevice));
    cells_row("in", values, N, NULL);
    cells_check(apps_flag_less(d_in, d_out, N, 4));
    show("flags", d_out, N);
    cells_check(apps_exclusive_sum(d_out, d_more, N));
    show("positions", d_more, N);
    cells_check(apps_select_less(d_in, d_out, N, 4, &n_out));
    show("out", d_out, n_out);
    printf("}\n\\cellrun{partition}{%%\n");
    cells_row("in", values, N, NULL);
    cells_check(apps_partition_less(d_in, d_out, N, 4, &n_out));
    show("out", d_out, N);

    printf("}\n\\cellrun{runs}{%%\n");
    cells_check(cudaMemcpy(d_in, runs, sizeof runs, cudaMemcpyHostToDevice));
    cells_row("in", runs, N, NULL);
    cells_check(apps_run_length_encode(d_in, d_out, d_more, N, &n_out));
    show("unique", d_out, n_out);
    show("counts", d_more, n_out);

    printf("}\n\\cellrun{sort}{%%\n");
    uint32_t *d_keys = (uint32_t *)d_in, *d_low = (uint32_t *)d_out;
    cells_check(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));
    show_keys("in", d_keys);
    cells_check(apps_sort_digit(d_keys, d_low, KEYS, 0));
    show_keys("low digit", d_low);
    cells_check(apps_sort_digit(d_low, d_keys, KEYS, 8));
    show_keys("high digit", d_keys);
    printf("}\n");
    for (int32_t *d : {d_in, d_out, d_more}) cells_check(cudaFree(d));
    return 0;
}

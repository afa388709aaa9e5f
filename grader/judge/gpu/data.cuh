/* SPDX-License-Identifier: MIT
 *
 * data.cuh: inputs, poison, and the check of outputs, all on the device and
 * without CUB or Thrust.
 *
 * Scans are checked by their inverse: the difference of order q of the output
 * must be the input, which only the right output satisfies. Integers wrap;
 * floats hold small whole numbers, so that every sum is exact. Selections, runs
 * and their sums are compared element by element with positions counted here.
 * Sorted keys: in order, and the same multiset by a sum of hashes; pairs: the
 * value tells where its key came from.
 */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "bench_wire.h"

/* What an input holds. */
enum data_kind {
    DATA_RANDOM, /* full range; floats: small whole numbers */
    DATA_RUNS,   /* int32: runs of geometric length, mean 8 */
    DATA_VALUES  /* uint32: a scrambled 0, 1, 2, ...: position and value tell
                    each other */
};

/* Fills n elements of a type (DATA_RUNS, DATA_VALUES: of 4 bytes). */
cudaError_t data_fill(enum data_kind, int type, void *out, size_t n,
                      uint32_t seed);

/* Overwrites some thousand elements, drawn by `by`, with other numbers. */
cudaError_t data_change(int type, void *out, size_t n, uint32_t by);

/* How many elements differ: of some ten thousand drawn by `by`, or of all.
 * count: a word on the device. Waits for the device. */
cudaError_t data_sample(int type, const void *a, const void *b, size_t n,
                        uint32_t by, void *count, uint64_t *wrong);
cudaError_t data_compare(int type, const void *a, const void *b, size_t n,
                         void *count, uint64_t *wrong);

/* Reads all of it, so that the L2 cache holds nothing else. */
cudaError_t data_flush(const void *buffer, size_t bytes);

/* The arrays of one call. */
struct data_call {
    const void *in, *in2;
    const void *out, *out2;
    uint64_t n_out; /* as the contestant said */
    uint32_t seed;  /* of in2 */
};

/* Memory the checks need besides, for n elements. */
size_t data_scratch_bytes(int operation, size_t n);

/* How many elements are wrong (a wrong count: at least 1), and the fewest
 * bytes such a call must move. n: of the cell; covered: elements that the
 * contestant was to write, n or whole tuples. */
cudaError_t data_check(const struct bench_cell *, size_t covered,
                       const struct data_call *, void *scratch, uint64_t *wrong,
                       uint64_t *bytes);

/* SPDX-License-Identifier: MIT
 *
 * oracle.h: the input of the scans across devices, and what the host says that
 * comes out. All sums are exact, so that nothing depends on their order.
 */
#ifndef TIMING_DEVICES_ORACLE_H
#define TIMING_DEVICES_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ORACLE_BOTH __host__ __device__
#else
#define ORACLE_BOTH
#endif

enum { ORACLE_STEP = 64 };
enum oracle_type { ORACLE_INT32, ORACLE_INT64, ORACLE_FLOAT };

/* 64 random bits for each index (splitmix64). */
static ORACLE_BOTH inline uint64_t oracle_bits(uint64_t i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Element i as a number modulo 2^64; a float's is between -63 and 63. */
static ORACLE_BOTH inline uint64_t oracle_item(int type, uint64_t i) {
    uint64_t bits = oracle_bits(i);
    if (type == ORACLE_INT64) return bits;
    if (type == ORACLE_INT32) return (uint64_t)(int64_t)(int32_t)bits;
    return bits % 127 - 63;
}

#ifdef __cplusplus
extern "C" {
#endif

/* before[k]: what lies before element k * ORACLE_STEP, for all k up to
 * n / ORACLE_STEP, by so many threads. Returns the largest absolute value that
 * a sum of floats has there. */
uint64_t oracle_sums(int type, size_t n, uint64_t *before, int threads);

#ifdef __cplusplus
}
#endif

#endif

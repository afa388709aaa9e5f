/* SPDX-License-Identifier: MIT
 *
 * cpu_scan.h: the functions of lab 0, in C on the host. You write them in
 * cpu_scan.c.
 *
 * Common to all of them
 *   Elements are int32_t; sums wrap modulo 2^32 (scan_add in scanlab.h).
 *   n        number of elements, 0 allowed; then nothing is read or written,
 *            and in and out may be NULL.
 *   in, out  n elements each, aligned to 4 bytes and not more.
 *   Nothing outside out[0..n) is written; in is left alone unless it is out.
 *   Returns  0; SCANLAB_TODO when not written yet; else an errno value.
 *   Calls may follow one another in one process, with other n and threads.
 */
#ifndef CPU_SCAN_H
#define CPU_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* out[i] = in[0] + ... + in[i].
 * in == out is allowed; other overlap is not. n - 1 additions. */
int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n);

/* out[i] = in[0] + ... + in[i-1], out[0] = 0.
 * in == out is allowed; other overlap is not. */
int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n);

/* Stream compaction: the non-zero elements of in, in their order, into
 * out[0..*n_out). out has room for n elements; what lies behind *n_out is
 * unspecified. in and out do not overlap. *n_out is always set, 0 for n = 0.
 * One loop, no scan. */
int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out);

/* The same result in the three steps a GPU can take: map to flags, exclusive
 * scan of the flags, scatter. May allocate up to two arrays of n elements. */
int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out);

/* Inclusive scan on several threads in two passes over the data: reduce each
 * chunk, scan the chunk sums, scan each chunk from its offset.
 * threads  1 to 256; may be larger than n. in == out is allowed.
 * Source: Merrill and Garland 2016, section 3, reduce-then-scan. */
int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads);

/* Stretch. Inclusive scan on several threads in one pass: tiles, each read
 * from memory once, and decoupled look-back to find a tile's offset.
 * threads and aliasing as for cpu_threaded_scan.
 * Source: Merrill and Garland 2016, section 4. */
int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads);

#endif

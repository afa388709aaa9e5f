/* SPDX-License-Identifier: MIT
 *
 * cpu_rivals.h: what lab 0's functions are timed beside, in the shape of
 * cpu_threaded_scan: in and out are n int32, threads >= 1; 0 or an errno value.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int cpu_rival(const int32_t *in, int32_t *out, size_t n, int threads);

/* The loop of cpu_inclusive_scan, one thread. */
cpu_rival cpu_serial_scan;
/* memcpy by one thread; by all, a contiguous part each. */
cpu_rival cpu_memcpy, cpu_memcpy_threads;
/* As cpu_memcpy_threads with stores past the caches, reading at four places at
 * once: the fastest copy known here for arrays much larger than the caches.
 * NULL-like where the machine has no such stores: returns ENOTSUP. */
cpu_rival cpu_nontemporal_copy;

/* The part of n elements that thread t of `threads` has begins here; whole
 * cache lines, but for the last. t = threads: n. */
size_t cpu_part(size_t n, int threads, int t);

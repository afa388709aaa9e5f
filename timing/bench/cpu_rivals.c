/* SPDX-License-Identifier: MIT
 *
 * cpu_rivals.c: see cpu_rivals.h.
 */
#include "cpu_rivals.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "parallel.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE_ITEMS = 16, PAGE_ITEMS = 1024, PLACES = 4, LINES_AHEAD = 4 };

size_t cpu_part(size_t n, int threads, int t) {
    size_t lines = n / LINE_ITEMS, k = (size_t)t, p = (size_t)threads;
    if (t == threads) return n;
    return (lines / p * k + lines % p * k / p) * LINE_ITEMS;
}

struct copy {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads;
};

int cpu_serial_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    uint32_t sum = 0;
    (void)threads;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
    return 0;
}

int cpu_memcpy(const int32_t *in, int32_t *out, size_t n, int threads) {
    (void)threads;
    memcpy(out, in, n * sizeof *out);
    return 0;
}

static void copy_part(void *context, int t) {
    const struct copy *c = context;
    size_t begin = cpu_part(c->n, c->threads, t);
    size_t end = cpu_part(c->n, c->threads, t + 1);
    memcpy(c->out + begin, c->in + begin, (end - begin) * sizeof *c->out);
}

int cpu_memcpy_threads(const int32_t *in, int32_t *out, size_t n, int threads) {
    struct copy c = {in, out, n, threads};
    return parallel_run(threads, copy_part, &c);
}

#ifdef __SSE2__

static inline void stream_line(const int32_t *in, int32_t *out) {
    for (int i = 0; i < LINE_ITEMS; i += 4)
        _mm_stream_si128(
            (__m128i *)(void *)(out + i),
            _mm_loadu_si128((const __m128i *)(const void *)(in + i)));
}

static void stream_part(void *context, int t) {
    const struct copy *c = context;
    size_t i = cpu_part(c->n, c->threads, t);
    size_t end = cpu_part(c->n, c->threads, t + 1);
    for (; i + PLACES * PAGE_ITEMS <= end; i += PLACES * PAGE_ITEMS)
        for (size_t j = i; j < i + PAGE_ITEMS; j += LINE_ITEMS)
            for (size_t at = j; at < j + PLACES * PAGE_ITEMS;
                 at += PAGE_ITEMS) {
                __builtin_prefetch(c->in + at + LINES_AHEAD * LINE_ITEMS);
                stream_line(c->in + at, c->out + at);
            }
    for (; i + LINE_ITEMS <= end; i += LINE_ITEMS)
        stream_line(c->in + i, c->out + i);
    for (; i < end; i++) c->out[i] = c->in[i];
    _mm_sfence();
}

int cpu_nontemporal_copy(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    if ((uintptr_t)out % sizeof(__m128i) != 0) return EINVAL;
    struct copy c = {in, out, n, threads};
    return parallel_run(threads, stream_part, &c);
}

#else

int cpu_nontemporal_copy(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    (void)in, (void)out, (void)n, (void)threads;
    return ENOTSUP;
}

#endif

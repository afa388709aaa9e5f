/* SPDX-License-Identifier: MIT
 *
 * cpu_pieces.h: sums and scans of one piece of an array by one thread. Included
 * once per instruction set, with ISA naming one of cpu_vectors.h; what it makes
 * carries that name in front. No include guard for that reason.
 *
 *   struct pieces ISA_pieces = {sum, scan, both}     see cpu_scan.c
 */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define V(name)     JOIN(ISA, name)

static inline int32_t V(lanes_sum)(V(vec) x) {
    return V(first)(V(last)(V(scan)(x)));
}

/* Scans a cache line. before, in every lane: the sum of all before it. */
static inline V(vec)
    V(line_scan)(const int32_t *in, int32_t *out, V(vec) before, bool stream) {
    for (int i = 0; i < LINE_ITEMS; i += V(LANES)) {
        V(vec) x = V(scan)(V(load)(in + i));
        V(vec) y = V(add)(x, before);
        /* The next vector waits for one addition only. */
        before = V(add)(before, V(last)(x));
        if (stream)
            V(stream)(out + i, y);
        else
            V(store)(out + i, y);
    }
    return before;
}

static inline V(vec) V(line_sum)(const int32_t *in, V(vec) sum) {
    for (int i = 0; i < LINE_ITEMS; i += V(LANES))
        sum = V(add)(sum, V(load)(in + i));
    return sum;
}

static int32_t V(sum)(const int32_t *in, size_t n) {
    V(vec) sum = V(all)(0);
    size_t i = 0, part = n / (STREAMS * LINE_ITEMS) * LINE_ITEMS;
    for (; i < part; i += LINE_ITEMS)
        for (size_t s = 0; s < STREAMS; s++) {
            const int32_t *line = in + s * part + i;
            __builtin_prefetch(line + AHEAD * LINE_ITEMS);
            sum = V(line_sum)(line, sum);
        }
    int32_t total = V(lanes_sum)(sum);
    for (i = STREAMS * part; i < n; i++) total = scan_add(total, in[i]);
    return total;
}

static inline void V(scan_as)(const int32_t *in, int32_t *out, size_t n,
                              int32_t before, bool stream) {
    V(vec) sum = V(all)(before);
    size_t i = 0;
    for (; i + LINE_ITEMS <= n; i += LINE_ITEMS) {
        __builtin_prefetch(in + i + STREAMS * AHEAD * LINE_ITEMS);
        sum = V(line_scan)(in + i, out + i, sum, stream);
    }
    scan_plainly(in + i, out + i, n - i, V(first)(sum));
}

static void V(scan_piece)(const int32_t *in, int32_t *out, size_t n,
                          int32_t before, bool stream) {
    if (stream)
        V(scan_as)(in, out, n, before, true);
    else
        V(scan_as)(in, out, n, before, false);
}

static inline int32_t V(both_as)(const int32_t *in, int32_t *out,
                                 const int32_t *next, size_t n, int32_t before,
                                 bool stream) {
    V(vec) scan = V(all)(before), sum = V(all)(0);
    const size_t part = n / STREAMS;
    for (size_t i = 0; i < part; i += LINE_ITEMS)
        for (size_t s = 0; s < STREAMS; s++) {
            const int32_t *line = next + s * part + i;
            const size_t at = STREAMS * i + s * LINE_ITEMS;
            __builtin_prefetch(line + AHEAD * LINE_ITEMS);
            sum = V(line_sum)(line, sum);
            scan = V(line_scan)(in + at, out + at, scan, stream);
        }
    return V(lanes_sum)(sum);
}

static int32_t V(both)(const int32_t *in, int32_t *out, const int32_t *next,
                       size_t n, int32_t before, bool stream) {
    return stream ? V(both_as)(in, out, next, n, before, true)
                  : V(both_as)(in, out, next, n, before, false);
}

static const struct pieces V(pieces) = {V(sum), V(scan_piece), V(both)};

#undef JOIN_
#undef JOIN
#undef V
#undef ISA

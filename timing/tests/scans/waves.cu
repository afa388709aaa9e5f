/* SPDX-License-Identifier: MIT
 *
 * waves.cu: the engine for small n (timing/fast/wave.cuh) at sizes around those
 * where a thread gets a pack more, a block a warp more, a grid a block more;
 * elements of 32 and 64 bits, results with and without their own element, an
 * operator that is no sum, in place. Exit status: 1 when an output is wrong.
 *
 *   waves [MOST]          what fast_scan takes for n up to MOST
 *   waves MOST holding    the wave that holds some in shared memory, whatever n
 *                         is; 1, too, where it does not take n
 */
#include <stdio.h>
#include <stdlib.h>

#include "scanlab.h"

enum { BOARD_WORDS = 1 << 16 };

#include "launch.cuh"

static bool holding;

template <typename A, typename T>
static cudaError_t scan(const T *in, T *out, size_t n) {
    if (!holding) return fast_scan<typename A::algebra, 1, true>(in, out, n, 1);
    bool done;
    cudaError_t status =
        scan_in_holding_wave<typename A::algebra>(in, out, n, 0, &done);
    return status == cudaSuccess && !done ? cudaErrorNotSupported : status;
}

template <typename A> static bool try_one(size_t n, bool in_place) {
    typedef typename A::Elem T;
    T *in = (T *)malloc(n * sizeof *in), *got = (T *)malloc(n * sizeof *in);
    T *d_in, *d_out, sum = 0;
    size_t wrong = 0, first = n;
    bool exclusive = A::EXCLUDES;
    for (size_t i = 0; i < n; i++) in[i] = (T)((i * 2654435761u >> 9) % 1000);
    if (cudaMalloc(&d_in, n * sizeof *in) ||
        cudaMalloc(&d_out, n * sizeof *in) ||
        cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice) ||
        scan<A>(d_in, in_place ? d_in : d_out, n) ||
        cudaMemcpy(got, in_place ? d_in : d_out, n * sizeof *in,
                   cudaMemcpyDeviceToHost)) {
        printf("n = %zu: %s\n", n, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        T before = sum;
        sum = A::join(sum, in[i]);
        if (got[i] == (exclusive ? before : sum)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong)
        printf("%s, n = %zu: %zu wrong, the first is %zu\n", A::NAME(), n,
               wrong, first);
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(got);
    return wrong == 0;
}

#define ALGEBRA(name, of, type, excludes, joined)                              \
    struct name {                                                              \
        typedef of algebra;                                                    \
        typedef type Elem;                                                     \
        enum { EXCLUDES = excludes };                                          \
        static const char *NAME(void) { return #name; }                        \
        static type join(type a, type b) { return joined; }                    \
    };
#define WITH(op, type, excludes) operation<op COMMA type COMMA excludes>
#define COMMA                    ,
ALGEBRA(sums_u32, orders<uint32_t COMMA 1>, uint32_t, false, a + b)
ALGEBRA(sums_u64, orders<uint64_t COMMA 1>, uint64_t, false, a + b)
ALGEBRA(sums_float, orders<float COMMA 1>, float, false, a + b)
ALGEBRA(sums_double, orders<double COMMA 1>, double, false, a + b)
ALGEBRA(exclusive, WITH(SCAN_SUM, int32_t, true), int32_t, true, a + b)
ALGEBRA(most_i64, WITH(SCAN_MAX, int64_t, false), int64_t, false, a > b ? a : b)

/* Floats: up to 2^24 exactly. */
static bool try_all(size_t n) {
    bool right = try_one<sums_u32>(n, false) & try_one<sums_u64>(n, false);
    right &= try_one<sums_double>(n, true) & try_one<exclusive>(n, false);
    right &= try_one<most_i64>(n, true);
    return n > 16000 ? right : right & try_one<sums_float>(n, true);
}

int main(int n_words, char **words) {
    bool right = true;
    int tried = 0, processors = 0;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0))
        return 1;
    size_t most = n_words > 1 ? strtoul(words[1], NULL, 0) : 1 << 16;
    holding = n_words > 2;
    /* Elements in a warp's rows, a block's, a grid's. row: 16 bytes for each
     * thread, of 64 bits. */
    size_t row = (size_t)processors * 2048;
    const size_t units[] = {
        4,     16,    64,      128,     256,     512,      576,
        1024,  1152,  2048,    2176,    4096,    8192,     16384,
        32768, 65536, row / 4, row * 2, row * 9, row * 11, row * 17 - 5};
    for (size_t unit : units)
        for (size_t n = unit - 3; n <= unit + 5 && n <= most; n += 4) {
            right &= try_all(n);
            tried++;
        }
    for (size_t n = 1; n <= most; n = n * 5 / 2 + 3) {
        right &= try_all(n);
        tried++;
    }
    printf("%d sizes: %s\n", tried, right ? "all right" : "NOT all right");
    return !right;
}

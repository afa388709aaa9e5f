// SPDX-License-Identifier: MIT
//
// passes.cu: how fast a multiprocessor does what a scan of orders does for each
// element: columns in shared memory are summed, or become results, again and
// again, and no memory is read or waited for (timing/fast/columns.cuh).
//
//   nvcc -std=c++17 -O2 -arch=sm_90 -I labs/common -I labs/06-lookback
//     -I timing/fast timing/gpu/passes.cu -o passes && ./passes >FILE.csv
//
// Rows: type, order, tuple known to the compiler (0: not), what, threads,
// elements for each cycle and multiprocessor (median, least and most of 9).
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { BOARD_WORDS = 1024 };
#include "columns.cuh"

namespace {

enum { TIMES = 64, RUNS = 9, SUM = 0, WALK = 1 };

void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "passes: %s\n", cudaGetErrorString(status));
    exit(2);
}

// Each thread has a column of its own; `tuple` is 8 where S is 0.
template <typename T, int Q, int S, int ITEMS, int WHAT>
__global__ void pass(T *out, int tuple, long long *cycles) {
    extern __shared__ __align__(128) char bytes[];
    typedef orders<T, Q> A;
    T *tile = (T *)bytes;
    int stride = S ? S : tuple, t = (int)threadIdx.x;
    T *top = tile + t / stride * (ITEMS * stride) + t % stride;
    for (int i = t; i < ITEMS * (int)blockDim.x; i += (int)blockDim.x)
        tile[i] = (T)(i * 2654435761u);
    __syncthreads();
    typename A::Sum sum = A::none(), all = A::none();
    long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < TIMES; k++) {
        if (WHAT == SUM) {
            sum = sum_column<A, ITEMS, S>(top, stride);
            all = A::join(all, sum);
        } else
            walk_column<A, ITEMS, S>(top, stride, all);
        __syncwarp();
        asm volatile("" ::: "memory");
    }
    __syncthreads();
    long long end = clock64();
    if (t == 0) cycles[blockIdx.x] = end - begin;
    words_of<typename A::Sum> w(all);
    unsigned mixed = 0;
    for (int k = 0; k < w.WORDS; k++) mixed ^= w.word[k];
    out[blockIdx.x * blockDim.x + t] = (T)mixed + top[0];
}

template <typename T, int Q, int S, int ITEMS, int WHAT>
void measure(const char *type, int threads) {
    T *out;
    long long *cycles, of[132];
    size_t room = (size_t)threads * ITEMS * sizeof(T);
    int blocks = 132;
    must(cudaMalloc((void **)&out, sizeof(T) * (size_t)blocks * threads));
    must(cudaMalloc((void **)&cycles, sizeof of));
    must(cudaFuncSetAttribute(pass<T, Q, S, ITEMS, WHAT>,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)room));
    std::vector<double> rates;
    for (int run = 0; run < RUNS + 1; run++) {
        pass<T, Q, S, ITEMS, WHAT><<<blocks, threads, room>>>(out, 8, cycles);
        must(cudaMemcpy(of, cycles, sizeof of, cudaMemcpyDeviceToHost));
        if (run > 0)
            rates.push_back((double)TIMES * ITEMS * threads / (double)of[0]);
    }
    std::sort(rates.begin(), rates.end());
    printf("%s,%d,%d,%s,%d,%.3f,%.3f,%.3f\n", type, Q, S,
           WHAT == SUM ? "sum" : "walk", threads, rates[RUNS / 2], rates[0],
           rates[RUNS - 1]);
    cudaFree(out), cudaFree(cycles);
}

template <typename T, int Q, int S, int ITEMS> void both(const char *type) {
    for (int threads : {128, 256, 384, 512}) {
        if (threads * ITEMS * sizeof(T) > 227 * 1024) continue;
        measure<T, Q, S, ITEMS, SUM>(type, threads);
        measure<T, Q, S, ITEMS, WALK>(type, threads);
    }
}

} // namespace

int main(void) {
    cudaDeviceProp p;
    must(cudaGetDeviceProperties(&p, 0));
    if (p.multiProcessorCount != 132) {
        fprintf(stderr, "passes: written for 132 multiprocessors\n");
        return 2;
    }
    printf("# gpu: %s\ntype,order,slots,what,threads,per_cycle,least,most\n",
           p.name);
    both<uint32_t, 1, 1, 29>("int32");
    both<uint32_t, 8, 1, 35>("int32");
    both<uint32_t, 8, 0, 65>("int32");
    both<uint64_t, 1, 1, 15>("int64");
    both<uint64_t, 8, 1, 33>("int64");
    both<uint64_t, 8, 0, 33>("int64");
    return 0;
}

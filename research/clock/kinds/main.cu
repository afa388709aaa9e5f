// SPDX-License-Identifier: MIT
//
// main.cu: times kernels of many kinds, on a GPU or under a clock.
//
//   kinds [REPEATS [[LEAST:]MOST [NAME...]]]
//
// REPEATS: calls of each (9); LEAST (2^10), MOST (2^24): elements. Sizes are
// 2^10, 2^12 and so on. Before each call, other data take L2; two events are
// around it. Rows of a CSV to standard output:
// who,n,median_ns,min_ns,max_ns,judges. Exit status: 0; 2: a call failed.
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "kinds.cuh"

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "kinds: %s: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

// A word of each sector is enough to have it in L2.
__global__ static void read_sectors(const uint32_t *from, size_t sectors,
                                    uint32_t *out) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (; i < sectors; i += (size_t)gridDim.x * blockDim.x) sum += from[i * 8];
    if (sum == 0x1234567) *out = sum;
}

struct flush {
    uint32_t *words;
    size_t bytes;
};

static std::vector<double> times(const kind &k, const arrays &x, const flush &f,
                                 int repeats) {
    cudaEvent_t begin, end;
    std::vector<double> ns;
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    for (int r = repeats > 1 ? -1 : 0; r < repeats; r++) { // -1: warms up
        float ms = 0;
        read_sectors<<<132 * 8, 256>>>(f.words, f.bytes / 32, x.d);
        must(cudaDeviceSynchronize(), "emptying L2");
        must(cudaEventRecord(begin), "cudaEventRecord");
        k.run(x);
        must(cudaEventRecord(end), "cudaEventRecord");
        must(cudaEventSynchronize(end), k.name);
        must(cudaGetLastError(), k.name);
        must(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        if (r >= 0) ns.push_back(ms * 1e6);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(ns.begin(), ns.end());
    return ns;
}

static void fill(const arrays &x) {
    std::vector<uint32_t> random(x.n), order(x.n);
    uint64_t state = 88172645463325252ull;
    for (uint32_t i = 0; i < x.n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        random[i] = (uint32_t)(state >> 16);
        uint32_t other = (uint32_t)((state >> 32) % (i + 1)); // Fisher, Yates
        order[i] = order[other];
        order[other] = i;
    }
    size_t bytes = x.n * sizeof *x.a;
    for (uint32_t *to : {x.a, x.c})
        must(cudaMemcpy(to, random.data(), bytes, cudaMemcpyHostToDevice),
             "cudaMemcpy");
    for (uint32_t *to : {x.b, x.d})
        must(cudaMemcpy(to, order.data(), bytes, cudaMemcpyHostToDevice),
             "cudaMemcpy");
}

static bool wanted(const kind &k, uint32_t n, int n_names, char **names) {
    if (n > k.most) return false;
    for (int i = 0; i < n_names; i++)
        if (!strcmp(names[i], k.name)) return true;
    return !n_names;
}

static void all_of(const kind *kinds, size_t n_kinds, const arrays &x,
                   const flush &f, int repeats, int n_names, char **names) {
    for (const kind *k = kinds; k < kinds + n_kinds; k++) {
        if (!wanted(*k, x.n, n_names, names)) continue;
        fill(x);
        std::vector<double> ns = times(*k, x, f, repeats);
        printf("%s,%u,%.0f,%.0f,%.0f,%d\n", k->name, x.n, ns[ns.size() / 2],
               ns.front(), ns.back(), k->judges_only);
        fflush(stdout);
    }
}

int main(int n, char **words) {
    int repeats = n > 1 ? atoi(words[1]) : 9;
    char *rest = NULL;
    uint32_t least = 0, most = 1u << 24;
    if (n > 2) most = (uint32_t)strtoul(words[2], &rest, 0);
    if (rest && *rest == ':') {
        least = most;
        most = (uint32_t)strtoul(rest + 1, NULL, 0);
    }
    int n_names = n > 3 ? n - 3 : 0;
    cudaDeviceProp card;
    must(cudaGetDeviceProperties(&card, 0), "no device");
    // As large as twice the L2 of an H200 whatever the device says.
    size_t twice = std::max((size_t)card.l2CacheSize * 2, (size_t)120 << 20);
    // One call each: under a clock, whose L2 is filled by as much as it holds.
    flush f = {NULL, repeats > 1 ? twice : twice / 2};
    must(cudaMalloc(&f.words, f.bytes), "cudaMalloc");
    must(cudaMemset(f.words, 0, f.bytes), "cudaMemset");
    printf("# %s, L2 %d MiB, CUDA %d\nwho,n,median_ns,min_ns,max_ns,judges\n",
           card.name, card.l2CacheSize >> 20, CUDART_VERSION);
    for (uint32_t size = 1u << 10; size <= most; size *= 4) {
        arrays x = {};
        if (size < least) continue;
        x.n = size;
        for (uint32_t **to : {&x.a, &x.b, &x.c, &x.d})
            must(cudaMalloc(to, size * sizeof **to), "cudaMalloc");
        all_of(simple_kinds, n_simple_kinds, x, f, repeats, n_names, words + 3);
        all_of(block_kinds, n_block_kinds, x, f, repeats, n_names, words + 3);
        all_of(heavy_kinds, n_heavy_kinds, x, f, repeats, n_names, words + 3);
        if (n_names)
            all_of(more_kinds, n_more_kinds, x, f, repeats, n_names, words + 3);
        for (uint32_t *to : {x.a, x.b, x.c, x.d})
            must(cudaFree(to), "cudaFree");
    }
    return 0;
}

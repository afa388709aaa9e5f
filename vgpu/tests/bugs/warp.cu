/* SPDX-License-Identifier: MIT
 *
 * warp.cu: masks of warp operations: lanes that have exited need not come, and
 * a lane that executes the operation must be in its mask.
 */
#include "check.h"

enum { N = 50, THREADS = 64 };

/* case: the lanes that have exited are in the mask */
__global__ void exited_exchange(unsigned *out) {
    unsigned i = threadIdx.x, v = i;
    if (i >= N) return;
    out[i] = v + __shfl_xor_sync(0xffffffffu, v, 1);
}

__global__ void exited_ballot(unsigned *out) {
    unsigned i = threadIdx.x;
    if (i >= N) return;
    bool all = __all_sync(0xffffffffu, i < N);
    __syncwarp();
    out[i] = __popc(__ballot_sync(0xffffffffu, all));
}

/* Each step one more lane leaves. */
__global__ void leaving(unsigned *out) {
    unsigned i = threadIdx.x, v = 1;
    for (unsigned k = 0; k < 32; k++) {
        out[i] = v;
        if (k == i % 32) return;
        v += __popc(__ballot_sync(0xffffffffu, true)) == 31 - k;
    }
}

/* Those who wait for exited lanes write what the others poll for. */
__global__ void exited_and_polling(unsigned *out) {
    __shared__ volatile unsigned ready;
    unsigned i = threadIdx.x;
    if (i == 0) ready = 0;
    __syncthreads();
    if (i >= 8 && i < 16) return;
    unsigned n = 0;
    if (i >= 16) {
        while (!ready) {
        }
    } else {
        n = __popc(__ballot_sync(0x0000ffffu, true));
        if (i == 0) ready = n;
    }
    out[i] = n;
}

/* case: sums by halves, of which the upper lanes read beyond the mask */
__device__ unsigned sum(unsigned mask, unsigned v, unsigned d) {
    for (; d; d /= 2) v += __shfl_down_sync(mask, v, d); // BUG odd-sum
    return v;
}

__global__ void half_sum(unsigned *out) {
    unsigned i = threadIdx.x;
    if (i < 16) {
        unsigned s = sum(0xffffu, i, 8);
        if (i == 0) out[0] = s;
    } else if (i >= 40 && i < 44) {
        unsigned s = sum(0xf00u, i, 2);
        if (i == 40) out[1] = s;
    }
}

/* Lane 8 is added to lane 0, and reads lane 24, which has exited. */
__global__ void odd_sum(unsigned *out) {
    if (threadIdx.x >= 24) return;
    out[threadIdx.x] = sum(0xffffffffu, 1, 16);
}

/* case: differences of neighbours, of which the last lane that is there has
 * none: what it gets is stored, or it is not used */
__global__ void differences(unsigned *out) {
    unsigned i = threadIdx.x, v = i * i;
    if (i >= 20) return;
    out[i] = __shfl_down_sync(0xfffffu, v, 1) - v; // BUG differences
}

__global__ void differences_but_one(unsigned *out) {
    unsigned i = threadIdx.x, v = i * i;
    if (i >= 20) return;
    unsigned next = __shfl_down_sync(0xfffffu, v, 1);
    out[i] = i < 19 ? next - v : v;
}

/* case: those who are here by chance, and values of others */
__global__ void active_neighbour(unsigned *out) {
    unsigned i = threadIdx.x, v = i;
    if (i & 1) v += __shfl_up_sync(__activemask(), v, 1); // BUG active
    out[i] = v;
}

/* A value of one of them. */
__global__ void active_leader(unsigned *out) {
    unsigned i = threadIdx.x, v = i;
    if (i & 1) {
        unsigned here = __activemask();
        v = __shfl_sync(here, 7, __ffs(here) - 1);
    }
    out[i] = v;
}

/* case: the caller is not in its own mask */
__global__ void ballot_of_others(unsigned *out) {
    unsigned i = threadIdx.x;
    out[i] = __ballot_sync(0xffffffffu ^ 1u << (i & 31), i & 1); // BUG ballot
}

__global__ void any_of_none(unsigned *out) {
    out[threadIdx.x] = __any_sync(out[0], 1); // BUG none
}

__global__ void shuffle_of_others(unsigned *out) {
    unsigned i = threadIdx.x, half = i & 16 ? 0xffffu : 0xffff0000u;
    out[i] = __shfl_xor_sync(half, i, 1); // BUG shuffle
}

__global__ void syncwarp_of_others(unsigned *out) {
    unsigned low = out[0] + 0xffffu;
    __syncwarp(low); // BUG syncwarp
    out[threadIdx.x] = 1;
}

//: run: --check all | --check all --schedule reverse | --check all --schedule random:SEED
//: case: warp-exited-exchange exited_exchange
//: expect: prints 1 1 5 5 9
//: case: warp-exited-ballot exited_ballot
//: expect: prints 32 32 32
//: case: warp-leaving leaving
//: expect: prints 1 2 3
//: case: warp-half-sum half_sum
//: expect: prints 120 166 0
//: case: warp-odd-sum odd_sum
//: expect: finding inactive-lane at odd-sum "which does not take part"
//: case: warp-differences differences
//: expect: finding inactive-lane at differences "lane 19 shuffles from lane 20"
//: case: warp-differences-but-one differences_but_one
//: expect: prints 1 3 5 7 9 11
//: case: warp-active-neighbour active_neighbour
//: expect: finding inactive-lane at active "lane 1 shuffles from lane 0" "__activemask() says which lanes are here by chance"
//: case: warp-active-leader active_leader
//: expect: prints 0 7 2
//: case: warp-exited-and-polling exited_and_polling
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: prints 8 8 8
//: case: warp-ballot-of-others ballot_of_others
//: expect: finding inactive-lane at ballot "executes vote.sync.ballot.b32 with the mask 0xfff" "which does not name that lane"
//: case: warp-any-of-none any_of_none
//: expect: finding inactive-lane at none "with the mask 0x00000000"
//: case: warp-shuffle-of-others shuffle_of_others
//: expect: finding inactive-lane at shuffle "only lanes of the mask may execute it"
//: case: warp-syncwarp-of-others syncwarp_of_others
//: expect: finding inactive-lane at syncwarp "executes __syncwarp() with the mask 0x0000ffff"
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(unsigned *);
    } kernels[] = {
#define K(name) {#name, name}
        K(half_sum),           K(odd_sum),
        K(differences),        K(differences_but_one),
        K(active_neighbour),   K(active_leader),
        K(exited_exchange),    K(exited_ballot),     K(leaving),
        K(exited_and_polling), K(ballot_of_others),  K(any_of_none),
        K(shuffle_of_others),  K(syncwarp_of_others)};
    unsigned got[THREADS], *d_out;
    CHECK(cudaMalloc(&d_out, sizeof got));
    CHECK(cudaMemset(d_out, 0, sizeof got));
    for (auto &k : kernels) {
        if (argc < 2 || strcmp(argv[1], k.name)) continue;
        k.kernel<<<1, THREADS>>>(d_out);
        cudaError_t error = cudaDeviceSynchronize();
        puts(cudaGetErrorName(error));
        if (error) return 1;
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 6; i++) printf("%u ", got[i]);
        CHECK(cudaFree(d_out));
        return 0;
    }
    return 2;
}

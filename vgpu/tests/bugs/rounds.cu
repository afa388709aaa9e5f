/* SPDX-License-Identifier: MIT
 *
 * rounds.cu: the lanes of a warp are in different rounds of a loop until they
 * meet in every second one. Lanes that stand at the same instruction in
 * different rounds are not together: whoever takes them for that sees some go
 * to the __syncwarp() and the others wait behind it.
 */
//: arch: compute_90
#include <cstdint>

#include "check.h"

enum { LANES = 32, ROUNDS = 24 };
enum bug { NONE, LEFT_OUT, HALF };

/* What a lane hands its neighbour lies in two rows in turn, so that one meeting
 * is enough: before a row is written again, all have met once more. */
struct rows {
    unsigned of[2][LANES];
};

template <bug B> __device__ unsigned exchange(rows &r, unsigned k, unsigned x) {
    unsigned i = threadIdx.x % LANES;
    bool meets = k & 1;
    if (B == LEFT_OUT && i == 7 && k == 5) meets = false;
    if (B == HALF && i >= LANES / 2) meets = false;
    if (meets) {
        r.of[k >> 1 & 1][i] = x;
        __syncwarp(); // BUG meets
        x += r.of[k >> 1 & 1][i ^ 1];
    }
    return x;
}

/* case: each lane works by itself until they meet */
template <bug B> __global__ void work(unsigned *out, unsigned n) {
    __shared__ rows r;
    unsigned i = threadIdx.x, x = i;
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
        x = x * 5 + k;
        x = exchange<B>(r, k, x);
        if (x % 3 == i % 3) x++;
    }
    /* All of them wait for all: no mistake above ends well by chance. */
    out[i] = x + __shfl_xor_sync(0xffffffffu, x, 1);
}

__device__ uint32_t in_shared(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void wait(uint64_t *b) {
    asm volatile("{\n.reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra again;\n}" ::"r"(in_shared(b))
                 : "memory");
}

/* case: they wait for another warp, each lane in its round: what that one does
 * lets several of them go on at once */
template <bug B> __global__ void stages(unsigned *out, unsigned n) {
    __shared__ rows r;
    __shared__ uint64_t full[ROUNDS];
    unsigned i = threadIdx.x;
    if (i < n)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                         in_shared(&full[i])),
                     "r"(LANES)
                     : "memory");
    __syncthreads();
    if (i >= LANES) {
        for (unsigned k = 0; k < n; k++)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                             in_shared(&full[k]))
                         : "memory");
        return;
    }
    unsigned x = i;
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
        wait(&full[k]);
        x = x * 5 + k;
        x = exchange<B>(r, k, x);
        if (x % 3 == i % 3) x++;
    }
    out[i] = x + __shfl_xor_sync(0xffffffffu, x, 1);
}

//: case: rounds-work work
//: run: --check all --device teach90 | --check all --device teach90 --schedule reverse | --check all --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 50
//: expect: prints right
//: case: rounds-stages stages
//: run: --check all --device teach90 | --check all --device teach90 --schedule reverse | --check all --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 50
//: expect: prints right
//: case: rounds-left-out work-left-out
//: run: --device teach90 | --device teach90 --schedule reverse | --device teach90 --schedule random:SEED
//: seeds: 20
//: expect: finding inactive-lane at meets "__syncwarp() names lanes 0xffffffff, but lanes 0x00000080 are elsewhere"
//: case: rounds-stages-left-out stages-left-out
//: run: --device teach90 | --device teach90 --schedule reverse | --device teach90 --schedule random:SEED
//: seeds: 20
//: expect: finding inactive-lane at meets "__syncwarp() names lanes 0xffffffff, but lanes 0x00000080 are elsewhere"
//: case: rounds-half work-half
//: run: --device teach90 | --device teach90 --schedule reverse | --device teach90 --schedule random:SEED
//: seeds: 20
//: expect: finding inactive-lane at meets "__syncwarp() names lanes 0xffffffff, but lanes 0xffff0000 are elsewhere"
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(unsigned *, unsigned);
        unsigned threads;
    } kernels[] = {{"work", work<NONE>, LANES},
                   {"stages", stages<NONE>, 2 * LANES},
                   {"work-left-out", work<LEFT_OUT>, LANES},
                   {"stages-left-out", stages<LEFT_OUT>, 2 * LANES},
                   {"work-half", work<HALF>, LANES}};
    unsigned got[LANES], want[LANES], x[LANES], all[LANES], *d_out;
    for (unsigned i = 0; i < LANES; i++) x[i] = i;
    for (unsigned k = 0; k < ROUNDS; k++) {
        for (unsigned i = 0; i < LANES; i++) all[i] = x[i] * 5 + k;
        for (unsigned i = 0; i < LANES; i++)
            x[i] = all[i] + (k & 1 ? all[i ^ 1] : 0);
        for (unsigned i = 0; i < LANES; i++) x[i] += x[i] % 3 == i % 3;
    }
    for (unsigned i = 0; i < LANES; i++) want[i] = x[i] + x[i ^ 1];
    CHECK(cudaMalloc(&d_out, sizeof got));
    for (auto &k : kernels) {
        if (argc < 2 || strcmp(argv[1], k.name)) continue;
        k.kernel<<<1, k.threads>>>(d_out, ROUNDS);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(d_out));
        return verdict(got, want, LANES);
    }
    return 2;
}

/* SPDX-License-Identifier: MIT
 *
 * strides.cu: what the checks see of accesses whose lanes are evenly spaced (or
 * all at one word), of sums by atomics, and after very many barriers. All of
 * these take ways of their own in the virtual GPU.
 */
#include "check.h"

enum { THREADS = 64, BLOCKS = 40, MANY_BARRIERS = 600000 };

/* Every other block writes, between the same two barriers, what other threads
 * of the block before it read: no race, whatever a block leaves behind. */
__global__ void turns(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    __syncthreads();
    if (blockIdx.x % 2 == 0)
        s[(me + 32) % THREADS] = 0;
    else if (s[me] == 12345)
        out[me] = 0;
}

/* Pairs from both ends, halves of warps, elements of 8 bytes. */
__global__ void right(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    __shared__ unsigned long long d[2 * THREADS];
    unsigned me = threadIdx.x;
    s[2 * me] = in[me];
    s[2 * me + 1] = 1;
    d[2 * me] = in[me];
    d[2 * me + 1] = 2;
    __syncthreads();
    unsigned x = s[2 * (THREADS - 1 - me)] + s[2 * (THREADS - 1 - me) + 1];
    x += (unsigned)d[2 * THREADS - 1 - me];
    if (me % 32 >= 16) x += s[3 * (me / 2)] - s[3 * (me / 2)];
    __syncthreads();
    s[2 * THREADS - 1 - 2 * me] = x;
    if (me < 8) s[4 * me] = in[me];
    __syncthreads();
    if (blockIdx.x == BLOCKS - 1) out[me] = s[2 * THREADS - 1 - 2 * me];
}

__global__ void read_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    unsigned me = threadIdx.x;
    s[2 * me] = in[me];                  // BUG early-write
    out[me] = s[2 * (THREADS - 1 - me)]; // BUG early-read
}

__global__ void written_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    unsigned me = threadIdx.x;
    s[2 * me] = in[me];
    __syncthreads();
    out[me] = s[2 * (THREADS - 1 - me)]; // BUG late-read
    s[2 * me] = 0;                       // BUG late-write
}

__global__ void doubles_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long s[2 * THREADS];
    unsigned me = threadIdx.x;
    s[2 * me] = in[me];
    out[me] = (unsigned)s[2 * (THREADS - 1 - me)]; // BUG early-double
}

__global__ void one_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned s;
    s = in[threadIdx.x]; // BUG one-word
    __syncthreads();
    out[threadIdx.x] = s;
}

__global__ void holes(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    unsigned me = threadIdx.x;
    if (me != 33) s[2 * me] = in[me];
    __syncthreads();
    out[me] = s[2 * (THREADS - 1 - me)]; // BUG hole
}

__global__ void holes_of_doubles(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long s[2 * THREADS];
    unsigned me = threadIdx.x;
    if (me != 33) s[2 * me] = in[me];
    ((unsigned *)s)[132] = 0; // one half of it
    __syncthreads();
    out[me] = (unsigned)s[2 * (THREADS - 1 - me)]; // BUG half-hole
}

/* Half of `in`'s rows are another block's. */
__global__ void columns(const unsigned *in, unsigned *out) {
    unsigned me = threadIdx.x, other = 1 - blockIdx.x;
    out[2 * me + blockIdx.x] = in[me]; // BUG column-write
    if (out[2 * me + other] == 12345)  // BUG column-read
        out[2 * THREADS] = 0;
}

__global__ void long_run(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    unsigned me = threadIdx.x;
    for (int k = 0; k < MANY_BARRIERS; k++) {
        s[(me + k) % THREADS] = in[me];
        __syncthreads();
    }
    s[2 * me] = in[me];                  // BUG long-write
    out[me] = s[2 * (THREADS - 1 - me)]; // BUG long-read
}

__global__ void long_right(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2 * THREADS];
    unsigned me = threadIdx.x;
    s[THREADS + me] = 1;
    for (int k = 0; k < MANY_BARRIERS; k++) {
        s[(me + k) % THREADS] = in[me];
        __syncthreads();
    }
    out[me] = s[THREADS - 1 - me] + s[2 * THREADS - 1 - me];
}

__global__ void sums(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    unsigned me = threadIdx.x;
    if (me < 4) s[me] = 0;
    __syncthreads();
    atomicAdd(&s[me % 4], in[me]);
    __syncthreads();
    atomicAdd(&out[me % 4], s[me % 4]);
    atomicAdd(&out[me], 1);
}

__global__ void sums_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    unsigned me = threadIdx.x;
    if (me < 4) s[3 - me] = 0;     // BUG zero-early
    atomicAdd(&s[me % 4], in[me]); // BUG sum-early
    __syncthreads();
    out[me] = s[me % 4];
}

__global__ void sums_read_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    unsigned me = threadIdx.x;
    if (me < 4) s[me] = 0;
    __syncthreads();
    atomicAdd(&s[me % 4], in[me]); // BUG sum-late
    out[me] = s[3 - me % 4];       // BUG read-early
}

__global__ void global_sums_early(const unsigned *in, unsigned *out) {
    unsigned back = THREADS - 1 - threadIdx.x;
    if (blockIdx.x == 0) out[back] = 0;            // BUG zero-global
    atomicAdd(&out[threadIdx.x], in[threadIdx.x]); // BUG sum-global
}

/* Who has cleared a counter is the first to count: its own addition does not
 * hide from others that the clearing was not waited for. */
__global__ void own_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    unsigned me = threadIdx.x;
    if (me < 4) s[me] = 0;         // BUG own-zero
    atomicAdd(&s[me % 4], in[me]); // BUG own-sum
    __syncthreads();
    out[me] = s[me % 4];
}

/* The barrier is the first block's own: the others have not waited. */
__global__ void one_block_clears(const unsigned *in, unsigned *out) {
    unsigned me = threadIdx.x;
    if (blockIdx.x == 0) out[me] = 0; // BUG block-zero
    __syncthreads();
    atomicAdd(&out[THREADS - 1 - me], in[me]); // BUG block-sum
}

/* Each block has a counter of its own, waits, and only then adds up. */
__global__ void own_counters(const unsigned *in, unsigned *out) {
    __shared__ unsigned s;
    unsigned me = threadIdx.x;
    if (me == 0) s = out[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s, in[me]);
    atomicAdd(&out[blockIdx.x], in[me]);
    __syncthreads();
    if (me == 5) out[blockIdx.x] -= s - 7 * (blockIdx.x + 1);
}

//: case: strides-right right
//: run: --racecheck | --racecheck --schedule reverse | --racecheck --schedule random:SEED
//: expect: prints 67 128 65
//: case: strides-turns turns
//: run: --racecheck
//: case: strides-read-early read_early
//: run: --racecheck | --racecheck --schedule reverse
//: expect: finding shared-race at early-read other early-write
//: expect: finding uninitialised-read at early-read
//: case: strides-written-early written_early
//: run: --racecheck | --racecheck --schedule random:SEED
//: expect: finding shared-race at late-write other late-read
//: case: strides-doubles doubles_early
//: run: --racecheck
//: expect: finding shared-race at early-double
//: expect: finding uninitialised-read at early-double
//: case: strides-one-word one_word
//: run: --racecheck
//: expect: finding shared-race at one-word
//: case: strides-holes holes
//: run: --schedule in-order
//: expect: finding uninitialised-read at hole "byte 264 of shared memory"
//: case: strides-holes-of-doubles holes_of_doubles
//: run: --schedule in-order
//: expect: finding uninitialised-read at half-hole "byte 528 of shared memory"
//: case: strides-columns columns
//: run: --racecheck
//: expect: finding global-race at column-write
//: expect: finding global-race at column-read
//: case: strides-long-run long_run
//: run: --racecheck
//: expect: finding shared-race at long-read
//: expect: finding shared-race at long-write
//: expect: finding uninitialised-read at long-read
//: case: strides-long-right long_right
//: run: --racecheck
//: case: strides-sums sums
//: run: --racecheck | --racecheck --schedule random:SEED
//: case: strides-sums-early sums_early
//: run: --racecheck
//: expect: finding shared-race at sum-early other zero-early
//: case: strides-sums-read-early sums_read_early
//: run: --racecheck
//: expect: finding shared-race at read-early
//: expect: finding shared-race at sum-late
//: case: strides-global-sums global_sums_early
//: run: --racecheck
//: expect: finding global-race at sum-global other zero-global
//: case: strides-own-early own_early
//: run: --check racecheck
//: expect: finding shared-race at own-sum other own-zero
//: case: strides-own-early-reverse own_early
//: run: --check racecheck --schedule reverse
//: expect: finding shared-race at own-zero other own-sum
//: case: strides-one-block-clears one_block_clears
//: run: --check racecheck
//: expect: finding global-race at block-sum other block-zero
//: case: strides-own-counters own_counters
//: run: --racecheck | --racecheck --schedule reverse | --racecheck --schedule random:SEED
//: expect: prints 7 14 21
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(const unsigned *, unsigned *);
        int blocks;
    } kernels[] = {
#define K(name, blocks) {#name, name, blocks}
        K(right, BLOCKS),    K(turns, 2 * BLOCKS + 1), K(read_early, 1),
        K(written_early, 1), K(doubles_early, 1),      K(one_word, 1),
        K(holes, 1),         K(holes_of_doubles, 1),   K(columns, 2),
        K(long_run, 1),      K(long_right, 1),         K(sums, 3),
        K(sums_early, 1),    K(sums_read_early, 1),    K(global_sums_early, 2),
        K(own_early, 1),     K(one_block_clears, 2),   K(own_counters, 3)};
    unsigned in[THREADS], got[3], *d_in, *d_out;
    for (unsigned i = 0; i < THREADS; i++) in[i] = i + 1;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, (2 * THREADS + 1) * sizeof *d_out));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, (2 * THREADS + 1) * sizeof *d_out));
    for (auto &k : kernels)
        if (argc == 2 && !strcmp(argv[1], k.name)) {
            k.kernel<<<k.blocks, THREADS>>>(d_in, d_out);
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
            printf("%u %u %u\n", got[0], got[1], got[2]);
            return 0;
        }
    fprintf(stderr, "strides: which kernel?\n");
    return 2;
}

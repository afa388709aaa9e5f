/* SPDX-License-Identifier: MIT
 *
 * block.cu: bugs inside a block: shared memory, barriers, warps. Each kernel
 * makes an inclusive scan of n_threads values, or would without its bug.
 */
#include "check.h"

enum { THREADS = 128, WARPS = THREADS / 32 };

__device__ unsigned block_scan(unsigned *s, unsigned x) {
    unsigned me = threadIdx.x;
    s[me] = x;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned left = me >= d ? s[me - d] : 0;
        __syncthreads();
        s[me] += left;
        __syncthreads();
    }
    return s[me];
}

/* case: the second barrier of each step is missing */
__global__ void missing_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d *= 2) {
        unsigned left = me >= d ? s[me - d] : 0; // BUG missing-barrier-read
        __syncthreads();
        s[me] += left; // BUG missing-barrier-write
    }
    out[me] = s[me];
}

/* case: the barrier after filling is missing */
__global__ void missing_first(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    unsigned sum = 0;
    for (unsigned k = 0; k <= me; k++) sum += s[k]; // BUG missing-first
    out[me] = sum;
}

/* case: half a warp goes to the barrier */
__global__ void divergent_lanes(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    if (me < THREADS / 2 + 16) {
        __syncthreads(); // BUG divergent-lanes
        if (me == 0)
            for (unsigned k = 1; k < THREADS; k++) s[k] += s[k - 1];
    }
    __syncthreads();
    out[me] = s[me];
}

/* case: two barriers, one for each half of the block */
__global__ void two_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    if (me < THREADS / 2) {
        s[me] = in[me];
        __syncthreads(); // BUG two-barriers-left
        s[me] += 0;
    } else {
        s[me] = in[me] + 0;
        __syncthreads(); // BUG two-barriers-right
        s[me] ^= 0;
    }
    out[me] = block_scan(s, in[me]);
}

/* case: odd and even lanes meet at different barriers */
__global__ void odd_even(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    if (me % 2 == 0) {
        s[me] = in[me];
        __syncthreads(); // BUG odd-even-left
        s[me] = s[me + 1];
    } else {
        s[me] = in[me] + 1;
        __syncthreads(); // BUG odd-even-right
        s[me] = s[me - 1];
    }
    __syncthreads();
    out[me] = block_scan(s, in[me]);
}

/* case: one warp waits at a named barrier that nobody else comes to */
__global__ void named_alone(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // BUG named-alone
    out[threadIdx.x] = block_scan(s, in[threadIdx.x]); // BUG named-others
}

/* case: warp-synchronous code of the days before independent threads */
__global__ void no_syncwarp(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[32];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = me >= d ? s[me - d] : 0; // BUG no-syncwarp-read
        s[me] += left; // BUG no-syncwarp-write
    }
    out[me] = s[me];
}

/* case: the same with volatile, which orders one thread's accesses only */
__global__ void no_syncwarp_volatile(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned s[64];
    unsigned me = threadIdx.x;
    s[me] = 0;
    s[me + 32] = in[me];
    for (unsigned d = 1; d < 32; d *= 2)
        s[me + 32] += s[me + 32 - d]; // BUG volatile-warp
    out[me] = s[me + 32];
}

/* case: a barrier after an early return of some threads is no bug on a GPU of
 * today, and no finding; what those threads would have written is missing */
__global__ void early_return(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    if (me >= 100) return;
    s[me] = in[me];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k <= me + 28; k++)
        if (k <= me) sum += s[k];
    out[me] = sum;
}

/* case: a barrier in an if that whole warps pass by, and they end: as above */
__global__ void warps_left(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    if (me < THREADS / 2) {
        s[me] = in[me];
        __syncthreads();
        unsigned sum = 0;
        for (unsigned k = 0; k <= me; k++) sum += s[k];
        out[me] = sum;
    }
}

/* case: shuffles that name lanes which went another way */
__global__ void absent_lanes(const unsigned *in, unsigned *out) {
    unsigned me = threadIdx.x, x = in[me];
    if (me < 16)
        x += __shfl_up_sync(0xffffffffu, x, 1); // BUG absent-lanes
    out[me] = x;
}

/* case: a lane reads from one that its mask does not have */
__global__ void outside_mask(const unsigned *in, unsigned *out) {
    unsigned me = threadIdx.x, x = in[me];
    if (me < 16)
        x = __shfl_sync(0xffffu, x, 16 + me); // BUG outside-mask
    out[me] = x;
}

/* cases: shared memory past its end, and never written */
__global__ void shared_read_past(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned s[];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    __syncthreads();
    out[me] = s[me + 1]; // BUG shared-read-past
}

__global__ void shared_write_past(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned s[];
    unsigned me = threadIdx.x;
    s[2 * me] = in[me]; // BUG shared-write-past
    __syncthreads();
    out[me] = s[me];
}

__global__ void shared_before(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned s[];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    __syncthreads();
    out[me] = s[me] + s[(int)me - 1]; // BUG shared-before
}

__global__ void shared_uninitialised(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[THREADS];
    unsigned me = threadIdx.x;
    if (me != 77) s[me] = in[me];
    __syncthreads();
    out[me] = s[THREADS - 1 - me]; // BUG shared-uninitialised
}

__global__ void shared_misaligned(const unsigned *in, unsigned *out) {
    __shared__ __align__(8) unsigned s[THREADS + 2];
    unsigned me = threadIdx.x;
    s[me] = in[me];
    __syncthreads();
    uint2 both = *(uint2 *)&s[me]; // BUG shared-misaligned
    out[me] = both.x + both.y;
}

/* case: plain counter in shared memory */
__global__ void shared_counter(const unsigned *in, unsigned *out) {
    __shared__ unsigned n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    n += in[threadIdx.x]; // BUG shared-counter
    __syncthreads();
    out[threadIdx.x] = n;
}

//: case: block-missing-barrier missing_barrier
//: run: --racecheck | --racecheck --schedule reverse | --racecheck --schedule random:SEED
//: expect: finding shared-race at missing-barrier-read other missing-barrier-write "put a __syncthreads()"
//: case: block-missing-barrier-output missing_barrier
//: run: --schedule random:SEED
//: seeds: 40
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
//: case: block-missing-first-barrier missing_first
//: run: --racecheck --check racecheck
//: expect: finding shared-race at missing-first
//: case: block-missing-first-barrier-initcheck missing_first
//: run: --schedule reverse
//: expect: finding uninitialised-read at missing-first "shared memory"
//: case: block-divergent-lanes divergent_lanes
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: finding barrier-divergence at divergent-lanes "Every thread of the block must execute the same"
//: case: block-two-barriers two_barriers
//: run: --schedule in-order | --schedule random:SEED
//: expect: finding barrier-divergence at two-barriers-left "must execute the same"
//: case: block-odd-even odd_even
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: finding barrier-divergence at odd-even-left "must execute the same"
//: case: block-named-barrier-alone named_alone
//: run: --schedule in-order | --schedule random:SEED
//: expect: finding deadlock at named-alone "barrier 1, which 32 threads of 64 have reached" "Missing: block (0,0,0) thread (32,0,0) and 31 more of its warp"
//: case: block-no-syncwarp no_syncwarp
//: run: --check racecheck | --check racecheck --schedule random:SEED
//: expect: finding shared-race at no-syncwarp-read
//: expect: finding shared-race at no-syncwarp-write "__syncwarp()"
//: case: block-no-syncwarp-output no_syncwarp
//: run: --check none --schedule random:SEED
//: seeds: 40
//: expect: prints wrong
//: least: 8 of 10
//: exit: 1
//: case: block-no-syncwarp-volatile no_syncwarp_volatile
//: run: --check racecheck --schedule random:SEED
//: expect: finding shared-race at volatile-warp "__syncwarp()"
//: case: block-no-syncwarp-volatile-output no_syncwarp_volatile
//: run: --check none --schedule random:SEED
//: seeds: 40
//: expect: prints wrong
//: least: 8 of 10
//: exit: 1
//: case: block-early-return early_return
//: run: --check all | --check all --schedule random:SEED
//: expect: prints wrong at 100
//: expect: says remark: early_return
//: expect: says opened without 28 of the block's 128 threads, which had ended
//: exit: 1
//: case: block-warps-left warps_left
//: run: --check synccheck | --check synccheck --schedule random:SEED
//: expect: prints wrong at 64
//: expect: says remark: warps_left
//: expect: says opened without 64 of the block's 128 threads, which had ended
//: exit: 1
//: case: block-absent-lanes absent_lanes
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: finding inactive-lane at absent-lanes "lanes 0xffff0000" "Every lane of the mask must reach it"
//: case: block-outside-mask outside_mask
//: run: --schedule in-order
//: expect: finding inactive-lane at outside-mask "lane 0 shuffles from lane 16, which does not take part"
//: case: block-shared-read-past shared_read_past
//: run: --schedule in-order
//: expect: finding out-of-bounds at shared-read-past "read of 4 bytes at byte 512 of shared memory, of which the block has 512 bytes"
//: case: block-shared-write-past shared_write_past
//: run: --schedule in-order
//: expect: finding out-of-bounds at shared-write-past "write of 4 bytes at byte 512 of shared memory"
//: case: block-shared-before shared_before
//: run: --schedule in-order
//: expect: finding out-of-bounds at shared-before "byte -4 of shared memory"
//: case: block-shared-uninitialised shared_uninitialised
//: run: --schedule in-order | --schedule random:SEED
//: expect: finding uninitialised-read at shared-uninitialised "byte 308 of shared memory"
//: case: block-shared-misaligned shared_misaligned
//: run: --schedule in-order
//: expect: finding misaligned at shared-misaligned "not a multiple of 8"
//: case: block-shared-counter shared_counter
//: run: --racecheck
//: expect: finding shared-race at shared-counter
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(const unsigned *, unsigned *);
        int threads;
    } kernels[] = {
#define K(name, threads) {#name, name, threads}
        K(missing_barrier, THREADS),   K(missing_first, THREADS),
        K(divergent_lanes, THREADS),   K(two_barriers, THREADS),
        K(odd_even, THREADS),          K(named_alone, THREADS),
        K(no_syncwarp, 32),            K(no_syncwarp_volatile, 32),
        K(early_return, THREADS),      K(warps_left, THREADS),
        K(absent_lanes, 32),
        K(outside_mask, 32),           K(shared_read_past, THREADS),
        K(shared_write_past, THREADS), K(shared_before, THREADS),
        K(shared_uninitialised, THREADS),
        K(shared_misaligned, THREADS), K(shared_counter, THREADS)};
    unsigned in[THREADS], want[THREADS], got[THREADS], *d_in, *d_out;
    for (unsigned i = 0; i < THREADS; i++) {
        in[i] = i * 7 % 13 + 1;
        want[i] = in[i] + (i ? want[i - 1] : 0);
    }
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof in));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, sizeof in));
    for (auto &k : kernels) {
        if (argc < 2 || strcmp(argv[1], k.name)) continue;
        k.kernel<<<1, k.threads, k.threads * sizeof(unsigned)>>>(d_in, d_out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(d_in));
        CHECK(cudaFree(d_out));
        return verdict(got, want, k.threads);
    }
    return 2;
}

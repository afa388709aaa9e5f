/* SPDX-License-Identifier: MIT
 *
 * right.cu: programs that are right and look dangerous. Under every schedule and
 * memory model each is clean and gives the right output.
 */
//: seeds: 15
//: expect: prints right
//: run: --check all --schedule random:SEED --memory-model weak:SEED
enum { N_TILES = 32 };
#include "tiles.h"

/* Decoupled look-back: flag and value apart, fences on both sides. */
__global__ void lookback_flag(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        w.aggregate[tile] = shared[TILE - 1];
        __threadfence();
        flag[tile] = AGGREGATE;
        for (int t = (int)tile - 1; t >= 0; t--) {
            unsigned f;
            do f = flag[t];
            while (f == NOTHING);
            __threadfence();
            sum += f == PREFIX ? w.prefix[t] : w.aggregate[t];
            if (f == PREFIX) break;
        }
        w.prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* Decoupled look-back: flag and value in one 64-bit word, no fence needed. */
__global__ void lookback_packed(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned long long *status = w.status;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        status[tile] =
            (unsigned long long)AGGREGATE << 32 | shared[TILE - 1];
        for (int t = (int)tile - 1; t >= 0; t--) {
            unsigned long long x;
            do x = status[t];
            while (x >> 32 == NOTHING);
            sum += (unsigned)x;
            if (x >> 32 == PREFIX) break;
        }
        status[tile] =
            (unsigned long long)PREFIX << 32 | (sum + shared[TILE - 1]);
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* Look-back of a whole warp, 32 tiles at a time, with votes and shuffles. */
__global__ void lookback_warp(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned long long *status = w.status;
    if (threadIdx.x < 32) {
        unsigned lane = threadIdx.x, sum = 0;
        if (lane == 0)
            status[tile] =
                (unsigned long long)(tile ? AGGREGATE : PREFIX) << 32 |
                shared[TILE - 1];
        for (int t = (int)tile - 1; t >= 0; t -= 32) {
            int from = t - (int)lane;
            unsigned long long x;
            do
                x = from >= 0 ? status[from] : (unsigned long long)PREFIX << 32;
            while (__any_sync(0xffffffffu, x >> 32 == NOTHING));
            unsigned ends = __ballot_sync(0xffffffffu, x >> 32 == PREFIX);
            unsigned upto = ends ? (unsigned)__ffs((int)ends) - 1 : 31;
            unsigned value = lane <= upto ? (unsigned)x : 0;
            for (int d = 16; d; d /= 2)
                value += __shfl_xor_sync(0xffffffffu, value, d);
            sum += value;
            if (ends) break;
        }
        if (lane == 0) {
            if (tile)
                status[tile] =
                    (unsigned long long)PREFIX << 32 | (sum + shared[TILE - 1]);
            before = sum;
        }
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* Chained scan, volatile flag and fences (a handshake of neighbours). */
__global__ void chained(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    if (threadIdx.x == TILE - 1) {
        unsigned sum = 0;
        if (tile) {
            while (atomicAdd(&w.flag[tile - 1], 0) == NOTHING) {}
            __threadfence();
            sum = w.prefix[tile - 1];
        }
        w.prefix[tile] = sum + mine;
        __threadfence();
        atomicExch(&w.flag[tile], PREFIX);
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* Every thread of the grid takes the lock; the word it guards is plain. */
__global__ void spin_lock(struct work w) {
    unsigned x = w.in[blockIdx.x * TILE + threadIdx.x];
    while (atomicCAS(w.ticket, 0, 1) != 0) {}
    __threadfence();
    w.out[0] += x;
    w.out[1]++;
    __threadfence();
    atomicExch(w.ticket, 0);
}

/* The same with the critical section inside the loop. */
__global__ void spin_lock_inside(struct work w) {
    unsigned x = w.in[blockIdx.x * TILE + threadIdx.x];
    for (bool done = false; !done;) {
        if (atomicCAS(w.ticket, 0, 1) != 0) continue;
        __threadfence();
        w.out[0] += x;
        w.out[1]++;
        __threadfence();
        atomicExch(w.ticket, 0);
        done = true;
    }
}

/* A lock in shared memory. */
__global__ void shared_lock(struct work w) {
    __shared__ unsigned lock, sum, n;
    if (threadIdx.x == 0) lock = sum = n = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence_block();
    sum += w.in[blockIdx.x * TILE + threadIdx.x];
    n++;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&w.out[0], sum);
    if (threadIdx.x == 1) atomicAdd(&w.out[1], n);
}

/* The block that comes last adds up what all have left. */
__global__ void last_block(struct work w) {
    __shared__ unsigned shared[TILE];
    __shared__ bool last;
    unsigned mine = tile_scan(w, blockIdx.x, shared);
    if (threadIdx.x == TILE - 1) {
        w.aggregate[blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(w.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += TILE)
        sum += w.aggregate[b];
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = TILE / 2; half; half /= 2) {
        if (threadIdx.x < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) w.out[0] = shared[0], w.out[1] = N;
}

/* Scan of each tile by shuffles, tiles joined through shared memory. */
__device__ unsigned warp_scan(unsigned x) {
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(0xffffffffu, x, d);
        if (threadIdx.x % 32 >= d) x += left;
    }
    return x;
}

__global__ void shuffle_scan(struct work w) {
    __shared__ unsigned totals[32];
    unsigned warp = threadIdx.x / 32, before = 0;
    for (unsigned at = threadIdx.x; at < N; at += blockDim.x) {
        unsigned x = warp_scan(w.in[at]);
        if (threadIdx.x % 32 == 31) totals[warp] = x;
        __syncthreads();
        if (warp == 0 && threadIdx.x < blockDim.x / 32) {
            unsigned mask = (1u << blockDim.x / 32) - 1, t = totals[threadIdx.x];
            for (unsigned d = 1; d < blockDim.x / 32; d *= 2) {
                unsigned left = __shfl_up_sync(mask, t, d);
                if (threadIdx.x >= d) t += left;
            }
            totals[threadIdx.x] = t;
        }
        __syncthreads();
        w.out[at] = before + x + (warp ? totals[warp - 1] : 0);
        before += totals[blockDim.x / 32 - 1];
        __syncthreads();
    }
}

/* Warp-synchronous code with its __syncwarp()s. */
__global__ void syncwarp_scan(struct work w) {
    __shared__ unsigned s[TILE];
    unsigned me = threadIdx.x, lane = me % 32, sum = 0;
    for (unsigned at = me; at < N; at += 32) {
        s[lane] = w.in[at];
        __syncwarp();
        for (unsigned d = 1; d < 32; d *= 2) {
            unsigned left = lane >= d ? s[lane - d] : 0;
            __syncwarp();
            s[lane] += left;
            __syncwarp();
        }
        w.out[at] = sum + s[lane];
        sum += s[31];
        __syncwarp();
    }
}

/* Shared tiles in two buffers: one barrier per tile. */
__global__ void double_buffer(struct work w) {
    __shared__ unsigned tile[2][TILE];
    unsigned me = threadIdx.x, before = 0;
    tile[0][me] = w.in[me];
    __syncthreads();
    for (unsigned t = 0; t < N_TILES; t++) {
        if (t + 1 < N_TILES) tile[(t + 1) % 2][me] = w.in[(t + 1) * TILE + me];
        unsigned sum = 0, all = 0;
        for (unsigned k = 0; k < TILE; k++) {
            unsigned x = tile[t % 2][k];
            all += x;
            if (k <= me) sum += x;
        }
        w.out[t * TILE + me] = before + sum;
        before += all;
        __syncthreads();
    }
}

/* Two warps, one fills, one adds up, through two named barriers. */
__global__ void named_barriers(struct work w) {
    __shared__ unsigned box[32];
    unsigned lane = threadIdx.x % 32, sum = 0;
    for (unsigned at = lane; at < N; at += 32)
        if (threadIdx.x < 32) {
            box[lane] = w.in[at];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += box[lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x < 32) return;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) w.out[0] = sum, w.out[1] = N;
}

/* Barriers that count. */
__global__ void counting_barriers(struct work w) {
    unsigned n = 0, sum = 0;
    bool all = true, any = false;
    for (unsigned at = threadIdx.x; at < N; at += TILE) {
        unsigned x = w.in[at];
        n += (unsigned)__syncthreads_count(x % 2);
        any |= __syncthreads_or(x > 1000) != 0;
        all &= __syncthreads_and(x > 0) != 0;
        sum += (unsigned)__syncthreads_count(x % 2 == 0);
    }
    if (threadIdx.x == 0) {
        w.out[0] = 0;
        for (unsigned at = 0; at < N; at++) w.out[0] += w.in[at];
        w.out[1] = !any && all ? n + sum : 0;
    }
}

__device__ __noinline__ unsigned sum_range(const unsigned *in, unsigned n) {
    if (n == 1) return *in;
    return sum_range(in, n / 2) + sum_range(in + n / 2, n - n / 2);
}

__global__ void recursion(struct work w) {
    unsigned each = N / TILE;
    unsigned s = sum_range(w.in + threadIdx.x * each, each - threadIdx.x % 3);
    for (unsigned k = each - threadIdx.x % 3; k < each; k++)
        s += w.in[threadIdx.x * each + k];
    atomicAdd(&w.out[0], s);
    atomicAdd(&w.out[1], each);
}

/* One atomic per warp for those who want to add. */
__global__ void aggregated(struct work w) {
    unsigned x = w.in[blockIdx.x * TILE + threadIdx.x];
    for (unsigned k = 0; k < x; k++) {
        unsigned active = __activemask();
        unsigned leader = (unsigned)__ffs((int)active) - 1;
        if (threadIdx.x % 32 == leader)
            atomicAdd(&w.out[0], (unsigned)__popc(active));
    }
    unsigned same = __match_any_sync(0xffffffffu, x);
    if (threadIdx.x % 32 == (unsigned)__ffs((int)same) - 1)
        atomicAdd(&w.out[1], (unsigned)__popc(same));
}

/* Histogram in shared memory; its bins times their values are the sum. */
__global__ void histogram(struct work w) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[w.in[blockIdx.x * TILE + threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&w.out[0], bins[threadIdx.x] * threadIdx.x);
        atomicAdd(&w.out[1], bins[threadIdx.x]);
    }
}

/* Threads past the end return before the barrier. */
__global__ void early_return(struct work w) {
    __shared__ unsigned shared[2 * TILE];
    if (threadIdx.x >= TILE) return;
    unsigned mine = tile_scan(w, blockIdx.x, shared);
    if (threadIdx.x == TILE - 1) {
        atomicAdd(&w.out[0], mine);
        atomicAdd(&w.out[1], TILE);
    }
}

    enum what { SCAN, SUM }; /* out: the scan; or sum and count */
    static const struct {
        const char *name;
        void (*kernel)(struct work);
        enum what what;
        int blocks, threads;
    } kernels[] = {
#define K(name, ...) {#name, name, __VA_ARGS__}
        K(lookback_flag, SCAN, N_TILES, TILE),
        K(lookback_packed, SCAN, N_TILES, TILE),
        K(lookback_warp, SCAN, N_TILES, TILE),
        K(chained, SCAN, N_TILES, TILE),
        K(spin_lock, SUM, 6, TILE),
        K(spin_lock_inside, SUM, 6, TILE),
        K(shared_lock, SUM, 6, TILE),
        K(last_block, SUM, N_TILES, TILE),
        K(shuffle_scan, SCAN, 1, 128),
        K(syncwarp_scan, SCAN, 1, 32),
        K(double_buffer, SCAN, 1, TILE),
        K(named_barriers, SUM, 1, 64),
        K(counting_barriers, SUM, 1, TILE),
        K(recursion, SUM, 1, TILE),
        K(aggregated, SUM, N_TILES, TILE),
        K(histogram, SUM, N_TILES, TILE),
        K(early_return, SUM, N_TILES, TILE + 23)};

//: case: right-lookback-flag lookback_flag
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: case: right-lookback-packed lookback_packed
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: case: right-lookback-warp lookback_warp
//: case: right-chained chained
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: case: right-spin-lock spin_lock
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule in-order
//: seeds: 6
//: case: right-spin-lock-inside spin_lock_inside
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse
//: seeds: 6
//: case: right-shared-lock shared_lock
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule in-order
//: seeds: 6
//: case: right-last-block last_block
//: case: right-shuffle-scan shuffle_scan
//: case: right-syncwarp-scan syncwarp_scan
//: case: right-double-buffer double_buffer
//: case: right-named-barriers named_barriers
//: case: right-counting-barriers counting_barriers
//: case: right-recursion recursion
//: case: right-aggregated aggregated
//: case: right-histogram histogram
//: case: right-early-return early_return
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule in-order
int main(int argc, char **argv) {
    static unsigned in[N], want[N], got[N];
    struct work w = allocate();
    fill(w, in, want, 0);
    for (auto &k : kernels) {
        if (argc < 2 || strcmp(k.name, argv[1])) continue;
        int n = k.what == SCAN ? N : 2;
        unsigned items = k.blocks > 1 ? (unsigned)k.blocks * TILE : N;
        if (k.what == SUM) want[0] = want[items - 1], want[1] = items;
        for (int round = 0; round < 2; round++) {
            CHECK(cudaMemset(w.ticket, 0, sizeof(unsigned)));
            CHECK(cudaMemset(w.flag, 0, N_TILES * sizeof(unsigned)));
            CHECK(cudaMemset(w.status, 0, N_TILES * sizeof *w.status));
            CHECK(cudaMemset(w.out, 0, sizeof in));
            k.kernel<<<k.blocks, k.threads>>>(w);
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(got, w.out, sizeof got, cudaMemcpyDeviceToHost));
            if (memcmp(got, want, (size_t)n * sizeof *got)) break;
        }
        release(w);
        return verdict(got, want, n);
    }
    return 2;
}

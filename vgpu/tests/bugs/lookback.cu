/* SPDX-License-Identifier: MIT
 *
 * lookback.cu: single-pass scans that go wrong, and how: each kernel is the
 * right one (in right.cu) with one thing changed.
 */
enum { N_TILES = 48 };
#include "tiles.h"

/* case: tile number from blockIdx */
__global__ void by_block_index(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = blockIdx.x, mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag, *prefix = w.prefix;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile > 0) {
            while (flag[tile - 1] == NOTHING) {} // BUG index
            __threadfence();
            sum = prefix[tile - 1];
        }
        prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* case: nothing between value and flag */
__global__ void no_fence(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        w.aggregate[tile] = shared[TILE - 1];
        flag[tile] = AGGREGATE;
        for (int t = (int)tile - 1; t >= 0; t--) {
            unsigned f;
            do f = flag[t];
            while (f == NOTHING);
            __threadfence();
            sum += f == PREFIX ? w.prefix[t] : w.aggregate[t]; // BUG no-fence
            if (f == PREFIX) break;
        }
        w.prefix[tile] = sum + shared[TILE - 1];
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* case: the flag may come from L1 again and again */
__global__ void cached_flag(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile > 0) {
            while (__ldca(&w.flag[tile - 1]) == NOTHING) {} // BUG cached-flag
            __threadfence();
            sum = *(volatile unsigned *)&w.prefix[tile - 1];
        }
        *(volatile unsigned *)&w.prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* case: the compiler reads the flag once and keeps it in a register */
__global__ void hoisted_flag(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    if (threadIdx.x == 0) {
        unsigned sum = 0, turns = 0;
        if (tile > 0) {
            while (w.flag[tile - 1] == NOTHING) turns++; // BUG hoisted-flag
            __threadfence();
            sum = *(volatile unsigned *)&w.prefix[tile - 1];
        }
        *(volatile unsigned *)&w.prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        *(volatile unsigned *)&w.flag[tile] = PREFIX;
        before = sum;
        if (turns == 12345) w.ticket[0] = turns;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* case: the value may come from a line of L1 older than the flag */
__global__ void cached_value(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile > 0) {
            while (flag[tile - 1] == NOTHING) {}
            sum = w.prefix[tile - 1]; // BUG cached-value
        }
        *(volatile unsigned *)&w.prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* case: 64-bit status written as two words */
__global__ void torn_status(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *words = (volatile unsigned *)w.status;
    volatile unsigned long long *status = w.status;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile > 0) {
            unsigned long long x;
            do x = status[tile - 1]; // BUG torn-read
            while ((unsigned)(x >> 32) == NOTHING);
            sum = (unsigned)x;
        }
        words[2 * tile] = sum + shared[TILE - 1];
        words[2 * tile + 1] = PREFIX; // BUG torn-write
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* Right by itself; wrong when the flags are those of the launch before. */
__global__ void right(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    volatile unsigned *flag = w.flag, *prefix = w.prefix;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile > 0) {
            while (flag[tile - 1] == NOTHING) {} // BUG never-set
            __threadfence();
            sum = prefix[tile - 1];
        }
        prefix[tile] = sum + shared[TILE - 1];
        __threadfence();
        flag[tile] = PREFIX;
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

//: case: lookback-block-index index
//: run: --schedule reverse --racecheck
//: expect: finding deadlock at index "40 blocks have not started" "let each wait only for those that started before it"
//: case: lookback-block-index-in-order index
//: run: --racecheck
//: expect: prints right
//: case: lookback-no-fence no-fence
//: run: --check none --memory-model weak:SEED
//: seeds: 40
//: expect: prints wrong
//: least: 38 of 40
//: exit: 1
//: case: lookback-no-fence-race no-fence
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: expect: finding global-race at no-fence "__threadfence()"
//: case: lookback-cached-flag cached-flag
//: run: --check none --schedule random:SEED --memory-model weak:SEED
//: expect: finding deadlock at cached-flag "L1" "volatile"
//: case: lookback-cached-flag-race cached-flag
//: run: --racecheck --schedule random:SEED
//: expect: finding global-race at cached-flag
//: case: lookback-hoisted-flag hoisted-flag
//: run: --schedule random:SEED --budget 2000000
//: expect: finding instruction-budget at hoisted-flag "volatile"
//: case: lookback-cached-value cached-value
//: run: --check none --memory-model weak:SEED
//: seeds: 20
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
//: case: lookback-cached-value-race cached-value
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: expect: finding global-race at cached-value
//: case: lookback-torn-status torn
//: run: --check none --memory-model weak:SEED
//: seeds: 20
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
//: case: lookback-torn-status-race torn
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: expect: finding global-race at torn-read other torn-write "in two halves"
//: case: lookback-stale-status twice
//: run: --check all --schedule random:SEED
//: expect: prints wrong
//: exit: 1
//: case: lookback-status-never-set never-set
//: run: --schedule random:SEED
//: expect: finding uninitialised-read at never-set "nothing has written"
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(struct work);
    } kernels[] = {{"index", by_block_index},   {"no-fence", no_fence},
                   {"cached-flag", cached_flag}, {"hoisted-flag", hoisted_flag},
                   {"cached-value", cached_value}, {"torn", torn_status},
                   {"twice", right},            {"never-set", right}};
    const char *which = argc > 1 ? argv[1] : "";
    void (*kernel)(struct work) = NULL;
    for (auto &k : kernels)
        if (!strcmp(k.name, which)) kernel = k.kernel;
    if (!kernel) return 2;
    static unsigned in[N], want[N], got[N];
    bool twice = !strcmp(which, "twice"), set = strcmp(which, "never-set");
    struct work w = allocate();
    for (int round = 0; round <= twice; round++) {
        fill(w, in, want, round);
        CHECK(cudaMemset(w.ticket, 0, sizeof(unsigned)));
        if (set && round == 0) {
            CHECK(cudaMemset(w.flag, 0, N_TILES * sizeof(unsigned)));
            CHECK(cudaMemset(w.status, 0, N_TILES * sizeof *w.status));
            CHECK(cudaMemset(w.prefix, 0, N_TILES * sizeof(unsigned)));
            CHECK(cudaMemset(w.aggregate, 0, N_TILES * sizeof(unsigned)));
        }
        kernel<<<N_TILES, TILE>>>(w);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(got, w.out, sizeof got, cudaMemcpyDeviceToHost));
    release(w);
    return verdict(got, want, N);
}

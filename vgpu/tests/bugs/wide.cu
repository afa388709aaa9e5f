/* SPDX-License-Identifier: MIT
 *
 * wide.cu: a chained scan whose status is a word of 128 bits: the flag in its
 * lower half, the sum in its upper one. Such a word is whole when it is read
 * and written as one (ld and st .b128), and only then.
 */
enum { N_TILES = 48 };
#include "tiles.h"

struct __align__(16) wide { unsigned long long low, high; };
__device__ wide words[N_TILES];

__device__ wide load_whole(const wide *at) {
    wide w;
    asm volatile("{ .reg .b128 w;\n"
                 "ld.relaxed.gpu.global.b128 w, [%2];\n"
                 "mov.b128 {%0, %1}, w; }"
                 : "=l"(w.low), "=l"(w.high)
                 : "l"(__cvta_generic_to_global(at)) // BUG whole-load
                 : "memory");
    return w;
}
__device__ void store_whole(wide *at, wide w) {
    asm volatile("{ .reg .b128 w;\n"
                 "mov.b128 w, {%1, %2};\n"
                 "st.relaxed.gpu.global.b128 [%0], w; }"
                 :
                 : "l"(__cvta_generic_to_global(at)), "l"(w.low), "l"(w.high)
                 : "memory");
}
__device__ wide load_halves(const wide *at) {
    const volatile wide *half = at;
    return {half->low, half->high};
}
__device__ void store_halves(wide *at, wide w) {
    volatile wide *half = at;
    half->high = w.high; // BUG two-stores
    half->low = w.low;
}

template <bool WHOLE_LOAD, bool WHOLE_STORE>
__global__ void chained(struct work w) {
    __shared__ unsigned shared[TILE], before;
    unsigned tile = take_ticket(w), mine = tile_scan(w, tile, shared);
    if (threadIdx.x == 0) {
        wide last = {PREFIX, 0};
        if (tile > 0) do
                last = WHOLE_LOAD ? load_whole(&words[tile - 1])
                                  : load_halves(&words[tile - 1]);
            while (last.low == NOTHING);
        wide now = {PREFIX, last.high + shared[TILE - 1]};
        if (WHOLE_STORE)
            store_whole(&words[tile], now);
        else
            store_halves(&words[tile], now);
        before = (unsigned)last.high;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

//: case: right-wide-status whole
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: seeds: 20
//: expect: prints right
//: case: wide-status-two-stores two-stores
//: run: --check none --memory-model weak:SEED
//: seeds: 20
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
//: case: wide-status-two-stores-race two-stores
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: expect: finding global-race at whole-load other two-stores "in two halves"
//: case: wide-status-two-loads two-loads
//: run: --check none --schedule random:SEED --memory-model weak:SEED
//: seeds: 20
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
int main(int argc, char **argv) {
    static unsigned in[N], want[N], got[N];
    const char *which = argc > 1 ? argv[1] : "";
    struct work w = allocate();
    fill(w, in, want, 0);
    CHECK(cudaMemset(w.ticket, 0, sizeof(unsigned)));
    if (!strcmp(which, "whole"))
        chained<true, true><<<N_TILES, TILE>>>(w);
    else if (!strcmp(which, "two-stores"))
        chained<true, false><<<N_TILES, TILE>>>(w);
    else if (!strcmp(which, "two-loads"))
        chained<false, true><<<N_TILES, TILE>>>(w);
    else
        return 2;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, w.out, sizeof got, cudaMemcpyDeviceToHost));
    release(w);
    return verdict(got, want, N);
}

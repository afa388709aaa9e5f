/* SPDX-License-Identifier: MIT
 *
 * limits.cu: races that racecheck once passed over in silence, because there
 * were too many blocks, words, flags or accesses, each beside a right program
 * of the same size.
 */
//: expect: prints right
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 2
#include "check.h"

/* Every block sets its flag; thread 0 of the last one looks at all flags, and
 * only then passes a fence. */
__global__ void collect(unsigned *data, unsigned *flags, unsigned *out) {
    volatile unsigned *flag = flags;
    unsigned n = gridDim.x - 1, sum = 0;
    if (threadIdx.x) return;
    if (blockIdx.x < n) {
        data[blockIdx.x] = 1;
        __threadfence();
        flag[blockIdx.x] = 1;
        return;
    }
    for (unsigned b = 0; b < n; b++)
        while (!flag[b]) {}
    __threadfence();
    for (unsigned b = 0; b < n; b++) sum += data[b];
    *out = sum == n;
}

/* case: one flag of many is not looked at */
__global__ void collect_all_but_one(unsigned *data, unsigned *flags,
                                    unsigned *out) {
    volatile unsigned *flag = flags;
    unsigned n = gridDim.x - 1, sum = 0;
    if (threadIdx.x) return;
    if (blockIdx.x < n) {
        data[blockIdx.x] = 1; // BUG one-writes
        __threadfence();
        flag[blockIdx.x] = 1;
        return;
    }
    for (unsigned b = 1; b < n; b++)
        while (!flag[b]) {}
    __threadfence();
    for (unsigned b = 0; b < n; b++) sum += data[b]; // BUG one-reads
    *out = sum ? 1 : 0;
}

__global__ void count_atomically(unsigned *word, unsigned *out) {
    if (atomicAdd(word, 1) == gridDim.x - 1) *out = 1;
}

/* case: all blocks change one word */
__global__ void count(unsigned *word, unsigned *out) {
    *word = *word + 1; // BUG count
    *out |= 1; // BUG count-out
}

__global__ void fill(unsigned *words, unsigned n, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 64) words[n - 64 + i] = i;
    if (i == 64) *out = 1;
}

/* case: two blocks write the last word of a large array */
__global__ void fill_twice(unsigned *words, unsigned n, unsigned *out) {
    if (threadIdx.x == 0) words[n - 1] = blockIdx.x; // BUG fill-twice
    if (blockIdx.x == 0) *out = 1;
}

/* The word is set by one block, and changed atomically by the same. */
__global__ void set_then_add(unsigned *word, unsigned *out) {
    if (blockIdx.x) return;
    *word = 5;
    atomicAdd(word, 1);
    *out = *word == 6;
}

/* case: another block's atomic operation does not come after the plain store,
 * whatever the storing block does later */
__global__ void set_beside_add(unsigned *word, unsigned *out) {
    if (blockIdx.x == 0) {
        *word = 0; // BUG set-beside
        atomicAdd(word, 1);
        *out = 1;
    } else {
        atomicAdd(word, 1); // BUG add-beside
    }
}

/* Three blocks read a word; each says so, and the fourth waits for all. */
__global__ void readers(unsigned *word, unsigned *out) {
    volatile unsigned *done = word + 1;
    unsigned x;
    if (threadIdx.x) return;
    if (blockIdx.x < 3) {
        x = *word;
        __threadfence();
        done[blockIdx.x] = x + 1;
        return;
    }
    for (int b = 0; b < 3; b++)
        while (!done[b]) {}
    __threadfence();
    *word = 7;
    *out = 1;
}

/* case: it waits for two of the three */
__global__ void readers_but_one(unsigned *word, unsigned *out) {
    volatile unsigned *done = word + 1;
    unsigned x;
    if (threadIdx.x) return;
    if (blockIdx.x < 3) {
        x = *word; // BUG third-reads
        __threadfence();
        done[blockIdx.x] = x + 1;
        return;
    }
    for (int b = 1; b < 3; b++)
        while (!done[b]) {}
    __threadfence();
    *word = 7; // BUG fourth-writes
    *out = 1;
}

/* All threads read a shared word; behind a barrier, one writes it. */
__global__ void all_read(unsigned *out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    unsigned x = s;
    asm volatile("" ::"r"(x)); /* every thread reads it */
    __syncthreads();
    if (threadIdx.x == 5) s = x + 1;
    __syncthreads();
    if (threadIdx.x == 9) *out = s - 1;
}

/* case: the last of many readers writes it, and the others may still read */
__global__ void last_reader_writes(unsigned *out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    unsigned x = s;
    asm volatile("" ::"r"(x)); /* every thread reads it */
    if (threadIdx.x == blockDim.x - 1) s = x + 1; // BUG last-writes
    __syncthreads();
    if (threadIdx.x == 9) *out = s - 1;
}

/* A flag behind a barrier without a fence on the reader's side. */
__global__ void no_reader_fence(unsigned *data, unsigned *out) {
    volatile unsigned *flag = data + 1;
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        *data = 1; // BUG unfenced-write
        __threadfence();
        *flag = 1;
        return;
    }
    if (threadIdx.x == 0)
        while (!*flag) {}
    __syncthreads();
    if (threadIdx.x == 5) *out = *data; // BUG unfenced-read
}

//: case: limits-65-flags collect 66
//: case: limits-4096-flags collect 4097
//: seeds: 1
//: case: limits-65-flags-but-one collect_all_but_one 66
//: expect: finding global-race at one-reads other one-writes
//: run: --check racecheck --schedule in-order | --check racecheck --schedule random:SEED
//: case: limits-4096-flags-but-one collect_all_but_one 4097
//: expect: finding global-race at one-reads other one-writes
//: run: --check racecheck
//: case: limits-2049-blocks-atomic count_atomically 2049
//: case: limits-2049-blocks count 2049
//: expect: finding global-race at count other count
//: run: --check racecheck | --check racecheck --schedule reverse
//: case: limits-20000-blocks-atomic count_atomically 20000
//: run: --check racecheck
//: case: limits-20000-blocks count 20000
//: expect: finding global-race at count other count
//: run: --check racecheck
//: case: limits-large fill 32
//: run: --check racecheck
//: case: limits-large-twice fill_twice 2
//: expect: finding global-race at fill-twice other fill-twice
//: run: --check racecheck
//: case: limits-set-then-add set_then_add 2
//: case: limits-set-beside-add set_beside_add 2
//: expect: finding global-race at add-beside other set-beside
//: run: --check racecheck
//: case: limits-readers readers 4
//: case: limits-readers-but-one readers_but_one 4
//: expect: finding global-race at fourth-writes other third-reads
//: run: --check racecheck
//: case: limits-all-read all_read 1
//: case: limits-last-reader-writes last_reader_writes 1
//: expect: finding shared-race at last-writes
//: run: --check racecheck
//: case: limits-incomplete fill 32
//: exit: 86
//: expect: says racecheck is incomplete in kernel fill: the kernel accesses allocations of 32 MiB
//: expect: says there is memory to look at 8 MiB
//: run: --check racecheck --race-memory 8
//: case: limits-no-reader-fence no_reader_fence 2
//: expect: finding global-race at unfenced-read other unfenced-write
//: run: --check racecheck
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    unsigned blocks = argc > 2 ? (unsigned)atoi(argv[2]) : 1, n = 1 << 23;
    unsigned *data, *flags, *out, right = 0;
    CHECK(cudaMalloc(&data, n * sizeof *data));
    CHECK(cudaMalloc(&flags, (blocks + 1) * sizeof *flags));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(data, 0, 4 * (blocks + 8)));
    CHECK(cudaMemset(flags, 0, 4 * (blocks + 1)));
    CHECK(cudaMemset(out, 0, sizeof *out));
    if (is("collect")) collect<<<blocks, 32>>>(data, flags, out);
    if (is("collect_all_but_one"))
        collect_all_but_one<<<blocks, 32>>>(data, flags, out);
    if (is("count_atomically")) count_atomically<<<blocks, 1>>>(data, out);
    if (is("count")) count<<<blocks, 1>>>(data, out);
    if (is("fill")) fill<<<blocks, 32>>>(data, n, out);
    if (is("fill_twice")) fill_twice<<<blocks, 32>>>(data, n, out);
    if (is("set_then_add")) set_then_add<<<blocks, 1>>>(data, out);
    if (is("set_beside_add")) set_beside_add<<<blocks, 1>>>(data, out);
    if (is("readers")) readers<<<blocks, 32>>>(data, out);
    if (is("readers_but_one")) readers_but_one<<<blocks, 32>>>(data, out);
    if (is("all_read")) all_read<<<blocks, 64>>>(out);
    if (is("last_reader_writes")) last_reader_writes<<<blocks, 64>>>(out);
    if (is("no_reader_fence")) no_reader_fence<<<blocks, 32>>>(data, out);
    CHECK(cudaMemcpy(&right, out, sizeof right, cudaMemcpyDeviceToHost));
    puts(right == 1 ? "right" : "wrong");
    CHECK(cudaFree(data));
    CHECK(cudaFree(flags));
    CHECK(cudaFree(out));
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * memory.cu: global memory used wrongly, by kernels and by the host; launches
 * that are not possible.
 */
//: run: --schedule in-order
#include "check.h"

enum { N = 1000, BYTES = N * sizeof(int) };

__global__ void add_one(const int *in, int *out, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i <= n) out[i] = in[i] + 1; // BUG read-past
}

__global__ void fill(int *out, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n + 1) out[i] = i; // BUG write-past
}

__global__ void shift(int *data, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) data[i - 1] = i; // BUG write-before
}

__global__ void pairs(const int *in, int *out, int n) {
    int i = (int)threadIdx.x;
    int2 x = *(const int2 *)(in + 2 * i + 1); // BUG misaligned
    if (i < n) out[i] = x.x + x.y;
}

__global__ void sum(const int *in, int *out, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += in[i]; // BUG uninitialised
    *out = total;
}

__global__ void touch(int *data) {
    data[threadIdx.x] = 1; // BUG freed
}

__global__ void null_pointer(int *data) {
    data[threadIdx.x] = 1; // BUG null
}

__global__ void host_pointer(int *data) {
    data[threadIdx.x] = 1; // BUG host-pointer
}

__global__ void nothing(int *) {}

/* Takes it that shared memory begins as zeros. */
__global__ void tally(int *out) {
    __shared__ int cells[32];
    int lane = threadIdx.x;
    cells[lane] += 1; // BUG others
    __syncthreads();
    out[lane] = cells[31 - lane] == 1;
}

/* One block's result read by another of the same launch. */
__global__ void next_block(int *data) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = (int)i; // BUG between-blocks-write
    data[i] += data[(i + blockDim.x) % (gridDim.x * blockDim.x)]; // BUG between-blocks
}

__global__ void count(const int *in, int *n_odd, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && in[i] % 2) *n_odd += 1; // BUG counter
}

/* A counter of all blocks, by an atomic that is one for each block alone. */
__global__ void count_narrowly(int *n) {
    atomicAdd_block(n, 1); // BUG narrow
}

static int finish(int *a, int *b) {
    CHECK(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(b);
    return 0;
}

//: case: memory-read-past read-past
//: run: --schedule in-order | --schedule random:SEED
//: expect: finding out-of-bounds at read-past "read of 4 bytes 0 bytes past the end of"
//: case: memory-write-past write-past
//: expect: finding out-of-bounds at write-past "write of 4 bytes 0 bytes past the end of" "(4000 bytes)"
//: case: memory-write-before write-before
//: expect: finding out-of-bounds at write-before "write of 4 bytes 4 bytes before the start of"
//: case: memory-misaligned misaligned
//: expect: finding misaligned at misaligned "read of 8 bytes" "not a multiple of 8"
//: case: memory-uninitialised uninitialised
//: expect: finding uninitialised-read at uninitialised "byte 2000 of"
//: case: memory-of-others others
//: expect: finding uninitialised-read at others
//: expect: prints 0 of 32 are right
//: case: memory-of-others-unchecked others
//: run: --check none
//: expect: prints 0 of 32 are right
//: case: memory-use-after-free freed
//: expect: finding use-after-free at freed "which has been freed"
//: case: memory-null null
//: expect: finding out-of-bounds at null "a null pointer"
//: case: memory-host-pointer host-pointer
//: expect: finding out-of-bounds at host-pointer "no device memory"
//: case: memory-leak leak
//: run: --leakcheck
//: expect: finding leak at - "2 allocations (8000 bytes) never freed"
//: case: memory-no-leak ok
//: run: --check all
//: case: memory-double-free double-free
//: expect: finding host-misuse at - "freed twice?"
//: case: memory-free-inside free-inside
//: expect: finding host-misuse at - "free the pointer that cudaMalloc gave"
//: case: memory-host-reads host-reads
//: expect: finding host-access at - "cudaMemcpy"
//: case: memory-host-writes host-writes
//: expect: finding host-access at - "wrote"
//: case: memory-copy-past copy-past
//: expect: finding host-misuse at -
//: case: memory-between-blocks between-blocks
//: run: --check racecheck | --check racecheck --schedule reverse | --check racecheck --schedule random:SEED
//: expect: finding global-race at between-blocks "nothing orders the two"
//: case: memory-counter counter
//: run: --racecheck | --racecheck --schedule random:SEED
//: expect: finding global-race at counter "atomicAdd"
//: case: memory-narrow narrow
//: run: --racecheck | --racecheck --schedule random:SEED
//: expect: finding global-race at narrow "access has the scope of its block"
//: case: launch-no-threads 0
//: expect: finding bad-launch at - "no dimension may be 0"
//: expect: prints cudaErrorInvalidConfiguration
//: case: launch-too-many-threads 2048
//: expect: finding bad-launch at - "has 2048 threads, at most 1024 are possible"
//: expect: prints cudaErrorInvalidConfiguration
//: case: launch-too-much-shared shared
//: expect: finding bad-launch at - "100000 bytes of dynamic"
//: expect: prints cudaErrorInvalidValue
//: case: launch-no-blocks no-blocks
//: expect: finding bad-launch at - "no dimension may be 0"
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    static int host[N];
    int *a, *b;
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));
    for (int i = 0; i < N; i++) host[i] = i;
    CHECK(cudaMemcpy(a, host, is("uninitialised") ? BYTES / 2 : BYTES,
                     cudaMemcpyHostToDevice));
    if (is("read-past")) add_one<<<4, 256>>>(a, b, N);
    if (is("write-past")) fill<<<4, 256>>>(b, N);
    if (is("write-before")) shift<<<4, 256>>>(a, N);
    if (is("misaligned")) pairs<<<1, 32>>>(a, b, 32);
    if (is("uninitialised")) sum<<<1, 1>>>(a, b, N);
    if (is("others")) {
        int right = 0;
        tally<<<1, 32>>>(b);
        CHECK(cudaMemcpy(host, b, 32 * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; i++) right += host[i];
        printf("%d of 32 are right\n", right);
    }
    if (is("null")) null_pointer<<<1, 32>>>(NULL);
    if (is("host-pointer")) /* an address like those of host variables */
        host_pointer<<<1, 32>>>((int *)0x555500001000);
    if (is("leak")) return 0;
    if (is("between-blocks")) next_block<<<3, 64>>>(a);
    if (is("freed")) {
        CHECK(cudaFree(b));
        touch<<<1, 32>>>(b);
        CHECK(cudaDeviceSynchronize());
    }
    if (is("double-free")) {
        CHECK(cudaFree(a));
        CHECK(cudaFree(a));
    }
    if (is("free-inside")) CHECK(cudaFree(b + 1));
    if (is("host-reads")) printf("%d\n", a[3]);
    if (is("host-writes")) a[3] = 1;
    if (is("copy-past"))
        CHECK(cudaMemcpy(a, host, BYTES + 4, cudaMemcpyHostToDevice));
    if (is("counter")) {
        CHECK(cudaMemset(b, 0, sizeof(int)));
        count<<<4, 256>>>(a, b, N);
    }
    if (is("narrow")) {
        CHECK(cudaMemset(b, 0, sizeof(int)));
        count_narrowly<<<4, 32>>>(b);
    }
    if (is("0") || is("2048") || is("no-blocks") || is("shared")) {
        size_t bytes = is("shared") ? 100000 : 0;
        nothing<<<is("no-blocks") ? 0 : 1, is("shared") ? 32 : atoi(what),
                  bytes>>>(a);
        CHECK(cudaGetLastError());
    }
    return finish(a, b);
}

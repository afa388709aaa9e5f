// SPDX-License-Identifier: MIT
//: what: A kernel of one thread launches the steps, by the calls that nvcc
//     makes of <<<>>> in kernels, written in PTX; the host launches one kernel
//     in all.
//: twin: control.reference
//: expect: tiny fail "dynamic parallelism"
//: expect: one-block fail "dynamic parallelism"
#include "naive.h"
#include "scanlab.h"

enum { THREADS = 256 };

/* Written into the PTX: the compiler drops calls by their names. */
static __device__ __noinline__ void declare() {
    asm volatile("ret; }\n"
                 ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2"
                 "(.param .b64 a, .param .align 4 .b8 b[12],"
                 " .param .align 4 .b8 c[12], .param .b32 d);\n"
                 ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2"
                 "(.param .b64 a, .param .b64 b);\n"
                 ".func filler() {");
}

static __device__ void *arguments_of(const void *kernel, unsigned blocks) {
    void *at;
    asm volatile("{ .param .b64 a; .param .align 4 .b8 b[12];"
                 " .param .align 4 .b8 c[12]; .param .b32 d; .param .b64 r;\n"
                 "st.param.b64 [a], %1; st.param.b32 [b], %2;"
                 " st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"
                 "st.param.b32 [c], %3; st.param.b32 [c+4], 1;"
                 " st.param.b32 [c+8], 1; st.param.b32 [d], 0;\n"
                 "call (r), __cudaCDP2GetParameterBufferV2, (a, b, c, d);\n"
                 "ld.param.b64 %0, [r]; }"
                 : "=l"(at)
                 : "l"(kernel), "r"(blocks), "r"(THREADS)
                 : "memory");
    return at;
}

static __device__ void launch_now(void *at) {
    asm volatile("{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
                 "st.param.b64 [a], %0; st.param.b64 [b], 0;\n"
                 "call (r), __cudaCDP2LaunchDeviceV2, (a, b); }"
                 :
                 : "l"(at)
                 : "memory");
}

static __global__ void step(const int32_t *from, int32_t *to, size_t n,
                            size_t by) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) to[i] = i < by ? from[i] : scan_add(from[i - by], from[i]);
}

static __device__ void launch(const int32_t *from, int32_t *to, size_t n,
                              size_t by) {
    struct {
        const int32_t *from;
        int32_t *to;
        size_t n, by;
    } *at = (decltype(at))arguments_of(
        (const void *)step, (unsigned)((n + THREADS - 1) / THREADS));
    if (!at) return;
    *at = {from, to, n, by};
    launch_now(at);
}

static __global__ void all(const int32_t *in, int32_t *out, int32_t *other,
                           size_t n, unsigned steps) {
    if (n == 0) declare();
    const int32_t *from = in;
    int32_t *to = steps % 2 ? out : other;
    for (unsigned k = 0; k < steps; k++) {
        launch(from, to, n, (size_t)1 << k);
        from = to;
        to = to == out ? other : out;
    }
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n < 2)
        return cudaMemcpyAsync(d_out, d_in, n * sizeof *d_in,
                               cudaMemcpyDeviceToDevice);
    int32_t *other;
    cudaError_t status = cudaMalloc(&other, n * sizeof *other);
    if (status != cudaSuccess) return status;
    unsigned steps = 0;
    while ((size_t)1 << steps < n) steps++;
    all<<<1, 1>>>(d_in, d_out, other, n, steps);
    status = cudaGetLastError();
    cudaError_t freed = cudaFree(other);
    return status != cudaSuccess ? status : freed;
}

/* SPDX-License-Identifier: MIT
 *
 * own_ptx.c: a program that uses the driver alone, and loads PTX of its own:
 * contexts, modules, kernels with arguments as pointers and packed, variables,
 * streams, events, fills, errors. It runs on a GPU as well.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n.reg .pred %p;\n"
    "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r1, %r2, %r3, %r1;\nsetp.ge.u32 %p, %r1, %r0;\n@%p ret;\n"
    "mul.wide.u32 %d1, %r1, 4;\nadd.u64 %d0, %d0, %d1;\n"
    "ld.global.u32 %r4, [%d0];\nld.global.u32 %r5, [factor];\n"
    "mul.lo.u32 %r4, %r4, %r5;\nst.global.u32 [%d0], %r4;\nret;\n}\n";

static void check(CUresult result, const char *call, int line) {
    const char *name = "?";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorName(result, &name);
    printf("line %d: %s: %s\n", line, call, name);
    exit(1);
}
#define DO(call) check(call, #call, __LINE__)

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}

enum { N = 1000 };
static unsigned h[N];

static unsigned wrong(unsigned factor) {
    unsigned bad = 0;
    for (unsigned k = 0; k < N; k++) bad += h[k] != k * factor;
    return bad;
}

/* Calls that must fail, and how. */
static void mistakes(CUmodule module) {
    CUfunction f;
    CUmodule none;
    CUdeviceptr p;
    CUcontext c;
    printf("no such kernel: %s\n",
           name_of(cuModuleGetFunction(&f, module, "scales")));
    printf("no such variable: %s\n",
           name_of(cuModuleGetGlobal(&p, NULL, module, "factors")));
    printf("no PTX: %s\n",
           name_of(cuModuleLoadData(&none, ".version 8.0\nnothing\n")));
    printf("no kernel: %s\n", name_of(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0,
                                                     NULL, NULL, NULL)));
    DO(cuCtxPopCurrent(&c));
    printf("no context: %s\n", name_of(cuMemAlloc(&p, 4)));
    DO(cuCtxPushCurrent(c));
}

/* A variable of the module; arguments in one buffer; fills; a range. */
static void more(CUmodule module, CUfunction scale, CUdeviceptr p) {
    CUdeviceptr factor, at;
    unsigned four = 4, pattern[4];
    size_t bytes = 0;
    DO(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    DO(cuMemcpyHtoD(factor, &four, sizeof four));
    struct {
        CUdeviceptr p;
        unsigned n;
    } packed = {p, N};
    size_t packed_bytes = sizeof p + sizeof packed.n; /* no padding behind */
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes,
                     CU_LAUNCH_PARAM_END};
    DO(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    DO(cuCtxSynchronize());
    DO(cuMemcpyDtoH(h, p, sizeof h));
    printf("variable of %zu bytes, wrong %u\n", bytes, wrong(12));
    DO(cuMemsetD32(p, 0x01020304, 3));
    DO(cuMemsetD8(p + 12, 7, 4));
    DO(cuMemcpyDtoH(pattern, p, sizeof pattern));
    printf("filled with %08x %08x %08x\n", pattern[0], pattern[2], pattern[3]);
    DO(cuMemGetAddressRange(&at, &bytes, p + 40));
    printf("range %d of %zu bytes\n", at == p, bytes);
}

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr p;
    CUstream stream;
    CUevent before, after;
    char name[64];
    int n = 0, major = 0, threads = 0;
    unsigned number = N;
    float ms = -1;
    printf("before cuInit: %s\n", name_of(cuDeviceGetCount(&n)));
    DO(cuInit(0));
    DO(cuDeviceGetCount(&n));
    DO(cuDeviceGet(&device, 0));
    DO(cuDeviceGetName(name, sizeof name, device));
    DO(cuDeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    printf("%d device, named: %d, capability: %d\n", n, name[0] != 0,
           major >= 7);
    DO(cuDevicePrimaryCtxRetain(&context, device));
    DO(cuCtxSetCurrent(context));
    DO(cuModuleLoadData(&module, ptx));
    DO(cuModuleGetFunction(&scale, module, "scale"));
    DO(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                          scale));
    DO(cuMemAlloc(&p, sizeof h));
    for (unsigned k = 0; k < N; k++) h[k] = k;
    DO(cuMemcpyHtoD(p, h, sizeof h));
    void *arguments[] = {&p, &number};
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DO(cuEventCreate(&before, CU_EVENT_DEFAULT));
    DO(cuEventCreate(&after, CU_EVENT_DEFAULT));
    DO(cuEventRecord(before, stream));
    DO(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    DO(cuEventRecord(after, stream));
    DO(cuStreamSynchronize(stream));
    DO(cuEventElapsedTime(&ms, before, after));
    DO(cuMemcpyDtoH(h, p, sizeof h));
    printf("threads %d, time %d, wrong %u\n", threads, ms >= 0, wrong(3));
    more(module, scale, p);
    mistakes(module);
    DO(cuModuleUnload(module));
    DO(cuMemFree(p));
    DO(cuEventDestroy(before));
    DO(cuEventDestroy(after));
    DO(cuStreamDestroy(stream));
    DO(cuDevicePrimaryCtxRelease(device));
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * compiled.c: a program that compiles CUDA C++ while it runs (NVRTC, which
 * needs no GPU), links the PTX with another text (cuLinkCreate), and launches
 * it by way of the driver; then the runtime's calls on what the driver made.
 */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] =
    "extern \"C\" __device__ float twice(float);\n"
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y,\n"
    "                                 int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + twice(y[i]);\n"
    "}\n";
static const char other[] =
    "extern \"C\" __device__ float twice(float v) { return v + v; }\n";

static void fail(const char *what, int error) {
    printf("%s: %d\n", what, error);
    exit(1);
}
#define DO(call)                                                               \
    do {                                                                       \
        int error_ = (int)(call);                                              \
        if (error_) fail(#call, error_);                                       \
    } while (0)

/* The caller frees it. */
static char *compile(const char *text) {
    const char *options[] = {"--gpu-architecture=compute_75", "-rdc=true"};
    nvrtcProgram program;
    size_t bytes;
    DO(nvrtcCreateProgram(&program, text, "text.cu", 0, NULL, NULL));
    DO(nvrtcCompileProgram(program, 2, options));
    DO(nvrtcGetPTXSize(program, &bytes));
    char *ptx = malloc(bytes);
    DO(nvrtcGetPTX(program, ptx));
    DO(nvrtcDestroyProgram(&program));
    return ptx;
}

static size_t length(const char *text) {
    size_t n = 0;
    while (text[n]) n++;
    return n + 1;
}

int main(void) {
    enum { N = 500 };
    float x[N], y[N], a = 3;
    int n = N, bad = 0, blocks = 0;
    char *texts[2] = {compile(source), compile(other)};
    CUcontext context;
    CUmodule module;
    CUfunction saxpy;
    CUlinkState link;
    CUdeviceptr dx, dy;
    void *image;
    size_t bytes;
    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, 0));
    DO(cuCtxSetCurrent(context));
    DO(cuLinkCreate(0, NULL, NULL, &link));
    for (int k = 0; k < 2; k++)
        DO(cuLinkAddData(link, CU_JIT_INPUT_PTX, texts[k], length(texts[k]),
                         "text", 0, NULL, NULL));
    DO(cuLinkComplete(link, &image, &bytes));
    DO(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    DO(cuLinkDestroy(link));
    DO(cuModuleGetFunction(&saxpy, module, "saxpy"));
    DO(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 128, 0));
    for (int k = 0; k < N; k++) {
        x[k] = (float)k;
        y[k] = 1;
    }
    DO(cuMemAlloc(&dx, sizeof x));
    DO(cuMemAlloc(&dy, sizeof y));
    DO(cuMemcpyHtoD(dx, x, sizeof x));
    DO(cuMemcpyHtoDAsync(dy, y, sizeof y, NULL));
    void *arguments[] = {&a, &dx, &dy, &n};
    DO(cuLaunchKernel(saxpy, 4, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    DO(cuMemcpyDtoH(y, dy, sizeof y));
    for (int k = 0; k < N; k++) bad += y[k] != 3 * (float)k + 2;
    printf("compiled and linked: %d, blocks %d, wrong %d\n", bytes > 0,
           blocks > 0, bad);
    DO(cuMemFree(dx));
    DO(cuMemFree(dy));
    DO(cuModuleUnload(module));
    free(texts[0]);
    free(texts[1]);
    return 0;
}

// SPDX-License-Identifier: MIT
// textures.cu: what textures and surfaces give: formats, address modes, filters, layers, gathers, boundaries. It prints
// every value in hexadecimal, so that a run on a GPU (h100.txt) and one on the virtual GPU can be compared.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define DO(call)                                                                                                     \
    do {                                                                                                             \
        cudaError_t error_ = (call);                                                                                 \
        if (error_ != cudaSuccess) printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_));                      \
    } while (0)

static const float places[] = {-2.25f, -1.5f, -1.0f,  -0.75f, -0.5f, -0.3f, -0.001f, 0.0f,  0.1f,  0.25f, 0.375f,
                               0.499f, 0.5f,  0.501f, 0.7f,   0.75f, 0.9f,  0.999f,  1.0f,  1.25f, 1.5f,  1.7f,
                               2.0f,   2.3f,  2.5f,   3.0f,   3.2f,  4.0f,  5.5f,    6.75f, 7.5f,  8.0f};
enum { N = sizeof places / sizeof *places };
static uint32_t *out;  // of device memory
static float *coordinates;

static void show(const char *name, int n)
{
    uint32_t h[4 * N];
    DO(cudaDeviceSynchronize());
    DO(cudaMemcpy(h, out, 4 * n, cudaMemcpyDeviceToHost));
    printf("%s:", name);
    for (int i = 0; i < n; i++) printf(" %08x", h[i]);
    printf("\n");
}

__device__ uint32_t bits(float v) { return __float_as_uint(v); }
__device__ uint32_t bits(int v) { return (uint32_t)v; }
__device__ uint32_t bits(unsigned v) { return v; }
__device__ uint32_t bits(short v) { return (uint32_t)(int)v; }
__device__ uint32_t bits(unsigned short v) { return v; }
__device__ uint32_t bits(signed char v) { return (uint32_t)(int)v; }
__device__ uint32_t bits(unsigned char v) { return v; }

template <class T> __global__ void along(cudaTextureObject_t t, const float *x, uint32_t *to)
{
    to[threadIdx.x] = bits(tex1D<T>(t, x[threadIdx.x]));
}
template <class T> __global__ void across(cudaTextureObject_t t, const float *x, float y, uint32_t *to)
{
    to[threadIdx.x] = bits(tex2D<T>(t, x[threadIdx.x], y));
}
template <class T> __global__ void through(cudaTextureObject_t t, const float *x, float y, float z, uint32_t *to)
{
    to[threadIdx.x] = bits(tex3D<T>(t, x[threadIdx.x], y, z));
}
template <class T> __global__ void fetched(cudaTextureObject_t t, uint32_t *to)
{
    to[threadIdx.x] = bits(tex1Dfetch<T>(t, (int)threadIdx.x - 4));
}
// All four words that the instruction gives.
__global__ void whole(cudaTextureObject_t t, uint32_t *to)
{
    float a, b, c, d;
    asm("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "f"(1.5f));
    to[0] = bits(a), to[1] = bits(b), to[2] = bits(c), to[3] = bits(d);
}
__global__ void layers1(cudaTextureObject_t t, const float *x, uint32_t *to)
{
    to[threadIdx.x] = bits(tex1DLayered<float>(t, x[threadIdx.x], (int)threadIdx.x / 4 - 2));
}
__global__ void layers2(cudaTextureObject_t t, const float *x, uint32_t *to)
{
    to[threadIdx.x] = bits(tex2DLayered<float>(t, x[threadIdx.x], 1.25f, (int)threadIdx.x / 4 - 2));
}
__global__ void gathers(cudaTextureObject_t t, uint32_t *to)
{
    for (int k = 0; k < 4; k++) {
        float x = 0.75f + (float)k * 0.9f, y = 2.25f - (float)k;
        float4 v = k == 0   ? tex2Dgather<float4>(t, x, y, 0)
                   : k == 1 ? tex2Dgather<float4>(t, x, y, 1)
                   : k == 2 ? tex2Dgather<float4>(t, x, y, 2)
                            : tex2Dgather<float4>(t, x, y, 3);
        to[4 * k] = bits(v.x), to[4 * k + 1] = bits(v.y), to[4 * k + 2] = bits(v.z), to[4 * k + 3] = bits(v.w);
    }
}
__global__ void levels(cudaTextureObject_t t, const float *x, uint32_t *to)
{
    to[threadIdx.x] = bits(tex2DLod<float>(t, x[threadIdx.x], 1.5f, (float)(threadIdx.x % 3)));
}

struct How {
    cudaTextureAddressMode mode;
    bool filters, normalised, reads_normalised;
    float border;
};

static cudaTextureObject_t object(const cudaResourceDesc &r, How how)
{
    cudaTextureDesc d;
    cudaTextureObject_t t = 0;
    memset(&d, 0, sizeof d);
    for (int k = 0; k < 3; k++) d.addressMode[k] = how.mode;
    d.filterMode = how.filters ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = how.reads_normalised ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = how.normalised;
    for (int k = 0; k < 4; k++) d.borderColor[k] = how.border * (float)(k + 1);
    DO(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static float value(int k) { return (float)((k * 37 + 11) % 101) * 0.375f - 7.0f; }

// One row of each format, read as it is and as a fraction of 1.
template <class T> static void format(const char *name, cudaChannelFormatDesc d, bool fractions)
{
    enum { W = 7 };
    T h[W];
    char line[64];
    cudaArray_t a;
    for (int k = 0; k < W; k++) h[k] = (T)(k == 0 ? -128 : k == 1 ? 127 : (k * 4111 + 77) * (k & 1 ? -1 : 1));
    DO(cudaMallocArray(&a, &d, W, 0, 0));
    DO(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice));
    for (int k = 0; k <= (int)fractions; k++) {
        cudaTextureObject_t t = object(of_array(a), How{cudaAddressModeClamp, false, false, k == 1, 0});
        if (k)
            along<float><<<1, N>>>(t, coordinates, out);
        else
            along<T><<<1, N>>>(t, coordinates, out);
        snprintf(line, sizeof line, "format %s%s", name, k ? " as fraction" : "");
        show(line, N);
        whole<<<1, 1>>>(t, out);
        snprintf(line, sizeof line, "words of %s%s", name, k ? " as fraction" : "");
        show(line, 4);
        DO(cudaDestroyTextureObject(t));
    }
    DO(cudaFreeArray(a));
}

static void formats()
{
    format<signed char>("s8", cudaCreateChannelDesc<signed char>(), true);
    format<unsigned char>("u8", cudaCreateChannelDesc<unsigned char>(), true);
    format<short>("s16", cudaCreateChannelDesc<short>(), true);
    format<unsigned short>("u16", cudaCreateChannelDesc<unsigned short>(), true);
    format<int>("s32", cudaCreateChannelDesc<int>(), false);
    format<unsigned>("u32", cudaCreateChannelDesc<unsigned>(), false);
    format<float>("f32", cudaCreateChannelDesc<float>(), false);
}

static void several_channels()
{
    uchar4 h[5];
    float2 f[5];
    __half half[5];
    cudaArray_t a;
    for (int k = 0; k < 5; k++) {
        h[k] = make_uchar4((unsigned char)(k * 50), (unsigned char)(255 - k), (unsigned char)(k * k), (unsigned char)(200 + k));
        f[k] = make_float2(value(k), value(k + 50));
        half[k] = __float2half(value(k) * (k == 3 ? 1e-6f : 1.0f));
    }
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>(), d2 = cudaCreateChannelDesc<float2>(),
                          d3 = cudaCreateChannelDescHalf();
    DO(cudaMallocArray(&a, &d, 5, 0, 0));
    DO(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++) {
        whole<<<1, 1>>>(object(of_array(a), How{cudaAddressModeClamp, k == 1, false, true, 0}), out);
        show(k ? "uchar4, filtered ~" : "uchar4", 4);
    }
    DO(cudaMallocArray(&a, &d2, 5, 0, 0));
    DO(cudaMemcpy2DToArray(a, 0, 0, f, sizeof f, sizeof f, 1, cudaMemcpyHostToDevice));
    whole<<<1, 1>>>(object(of_array(a), How{cudaAddressModeClamp, false, false, false, 0}), out);
    show("float2", 4);
    DO(cudaMallocArray(&a, &d3, 5, 0, 0));
    DO(cudaMemcpy2DToArray(a, 0, 0, half, sizeof half, sizeof half, 1, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++) {
        along<float><<<1, N>>>(object(of_array(a), How{cudaAddressModeClamp, k == 1, false, false, 0}), coordinates, out);
        show(k ? "half, filtered ~" : "half", N);
    }
}

static void modes()
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    enum { W = 5, H = 3 };
    float h[W * H];
    char line[64];
    cudaArray_t one, two;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    for (int k = 0; k < W * H; k++) h[k] = value(k);
    DO(cudaMallocArray(&one, &d, W, 0, 0));
    DO(cudaMallocArray(&two, &d, W, H, 0));
    DO(cudaMemcpy2DToArray(one, 0, 0, h, W * 4, W * 4, 1, cudaMemcpyHostToDevice));
    DO(cudaMemcpy2DToArray(two, 0, 0, h, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    for (int mode = 0; mode < 4; mode++)
        for (int how = 0; how < 4; how++) {
            bool filters = how & 1, normalised = how & 2;
            How w{(cudaTextureAddressMode)mode, filters, normalised, false, 2.5f};
            along<float><<<1, N>>>(object(of_array(one), w), coordinates, out);
            snprintf(line, sizeof line, "1d %s%s%s", names[mode], normalised ? " normalised" : "",
                     filters ? " filtered ~" : "");
            show(line, N);
            across<float><<<1, N>>>(object(of_array(two), w), coordinates, 0.4f, out);
            snprintf(line, sizeof line, "2d %s%s%s", names[mode], normalised ? " normalised" : "",
                     filters ? " filtered ~" : "");
            show(line, N);
        }
    levels<<<1, N>>>(object(of_array(two), How{cudaAddressModeClamp, false, false, false, 0}), coordinates, out);
    show("levels", N);
}

static void volumes()
{
    enum { W = 5, H = 3, D = 4 };
    float h[W * H * D];
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    for (int k = 0; k < W * H * D; k++) h[k] = value(k);
    for (int layered = 0; layered < 2; layered++) {
        DO(cudaMalloc3DArray(&a, &d, make_cudaExtent(W, H, D), layered ? cudaArrayLayered : 0));
        cudaMemcpy3DParms p;
        memset(&p, 0, sizeof p);
        p.srcPtr = make_cudaPitchedPtr(h, W * 4, W, H);
        p.dstArray = a;
        p.extent = make_cudaExtent(W, H, D);
        p.kind = cudaMemcpyHostToDevice;
        DO(cudaMemcpy3D(&p));
        for (int filters = 0; filters < 2; filters++) {
            cudaTextureObject_t t = object(of_array(a), How{cudaAddressModeClamp, filters == 1, false, false, 0});
            if (layered)
                layers2<<<1, N>>>(t, coordinates, out);
            else
                through<float><<<1, N>>>(t, coordinates, 1.3f, 2.1f, out);
            show(layered ? filters ? "2d layers, filtered ~" : "2d layers" : filters ? "3d, filtered ~" : "3d", N);
        }
        memset(h, 0, sizeof h);
        memset(&p, 0, sizeof p);
        p.srcArray = a;
        p.srcPos = make_cudaPos(1, 1, 2);
        p.dstPtr = make_cudaPitchedPtr(h, W * 4, W, H);
        p.extent = make_cudaExtent(3, 2, 2);
        p.kind = cudaMemcpyDeviceToHost;
        DO(cudaMemcpy3D(&p));
        printf("back: %g %g %g %g\n", h[0], h[2], h[W + 1], h[W * H + 2]);
        for (int k = 0; k < W * H * D; k++) h[k] = value(k);
    }
    DO(cudaMalloc3DArray(&a, &d, make_cudaExtent(W, 0, D), cudaArrayLayered));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(h, W * 4, W, 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(W, 1, D);
    p.kind = cudaMemcpyHostToDevice;
    DO(cudaMemcpy3D(&p));
    layers1<<<1, N>>>(object(of_array(a), How{cudaAddressModeClamp, false, false, false, 0}), coordinates, out);
    show("1d layers", N);
}

static void linear_memory()
{
    enum { W = 9, H = 4 };
    float h[W * H], *at, *rows;
    size_t pitch;
    cudaResourceDesc r;
    for (int k = 0; k < W * H; k++) h[k] = value(k);
    DO(cudaMalloc(&at, W * 4));
    DO(cudaMemcpy(at, h, W * 4, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = at;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = W * 4;
    fetched<float><<<1, 20>>>(object(r, How{cudaAddressModeClamp, false, false, false, 0}), out);
    show("fetch", 20);
    r.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    fetched<float><<<1, 20>>>(object(r, How{cudaAddressModeClamp, false, false, true, 0}), out);
    show("fetch of bytes", 20);
    r.res.linear.desc = cudaCreateChannelDesc<short>();
    fetched<short><<<1, 26>>>(object(r, How{cudaAddressModeBorder, false, false, false, 0}), out);
    show("fetch of shorts", 26);
    DO(cudaMallocPitch(&rows, &pitch, W * 4, H));
    DO(cudaMemcpy2D(rows, pitch, h, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    for (int filters = 0; filters < 2; filters++) {
        across<float><<<1, N>>>(object(r, How{cudaAddressModeClamp, filters == 1, false, false, 0}), coordinates, 2.6f, out);
        show(filters ? "rows, filtered ~" : "rows", N);
    }
}

static void gather()
{
    enum { W = 4, H = 3 };
    float4 h[W * H];
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float4>();
    for (int k = 0; k < W * H; k++) h[k] = make_float4((float)k, (float)k + 100, (float)k + 200, (float)k + 300);
    DO(cudaMallocArray(&a, &d, W, H, cudaArrayTextureGather));
    DO(cudaMemcpy2DToArray(a, 0, 0, h, W * 16, W * 16, H, cudaMemcpyHostToDevice));
    gathers<<<1, 1>>>(object(of_array(a), How{cudaAddressModeClamp, false, false, false, 0}), out);
    show("gather", 16);
}

__global__ void surface(cudaSurfaceObject_t s, uint32_t *to)
{
    int t = (int)threadIdx.x;
    surf2Dwrite<unsigned>(1000u + (unsigned)t, s, (t - 2) * 4, t % 3, cudaBoundaryModeZero);
    __syncthreads();
    to[t] = surf2Dread<unsigned>(s, (t - 2) * 4, t % 3, cudaBoundaryModeZero);
    to[t + 16] = surf2Dread<unsigned>(s, (t - 2) * 4, (t % 5) - 1, cudaBoundaryModeClamp);
    to[t + 32] = surf2Dread<unsigned short>(s, (t % 8) * 2, t % 2);
    uchar4 v = surf2Dread<uchar4>(s, (t % 4) * 4, 1);
    to[t + 48] = v.x + 2u * v.y + 3u * v.z + 4u * v.w;
}
__global__ void pairs(cudaSurfaceObject_t s, uint32_t *to)
{
    int t = (int)threadIdx.x;
    surf1Dwrite<uint2>(make_uint2(7u * (unsigned)t, 9u * (unsigned)t), s, t * 8);
    surf1Dwrite<unsigned char>((unsigned char)(200 + t), s, t * 8 + 3);
    uint2 v = surf1Dread<uint2>(s, t * 8);
    to[2 * t] = v.x, to[2 * t + 1] = v.y;
}
__global__ void past(cudaSurfaceObject_t s) { surf2Dwrite<unsigned>(1u, s, 6 * 4, 0); }

static void surfaces(bool goes_past)
{
    enum { W = 6, H = 3 };
    cudaArray_t a, b;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<unsigned>(), d2 = cudaCreateChannelDesc<uint2>();
    cudaSurfaceObject_t s = 0, s2 = 0;
    unsigned h[W * H];
    for (int k = 0; k < W * H; k++) h[k] = (unsigned)k * 0x01010101u;
    DO(cudaMallocArray(&a, &d, W, H, cudaArraySurfaceLoadStore));
    DO(cudaMemcpy2DToArray(a, 0, 0, h, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = of_array(a);
    DO(cudaCreateSurfaceObject(&s, &r));
    surface<<<1, 16>>>(s, out);
    show("surface", 64);
    DO(cudaMemcpy2DFromArray(h, W * 4, a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    printf("array:");
    for (int k = 0; k < W * H; k++) printf(" %08x", h[k]);
    printf("\n");
    DO(cudaMallocArray(&b, &d2, 8, 0, cudaArraySurfaceLoadStore));
    r = of_array(b);
    DO(cudaCreateSurfaceObject(&s2, &r));
    pairs<<<1, 8>>>(s2, out);
    show("pairs", 16);
    if (!goes_past) return;
    past<<<1, 1>>>(s);
    printf("past the end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(int argc, char **argv)
{
    DO(cudaMalloc(&out, 16 * N));
    DO(cudaMemset(out, 0, 16 * N));
    DO(cudaMalloc(&coordinates, sizeof places));
    DO(cudaMemcpy(coordinates, places, sizeof places, cudaMemcpyHostToDevice));
    formats();
    several_channels();
    modes();
    volumes();
    linear_memory();
    gather();
    surfaces(argc > 1 && !strcmp(argv[1], "past"));
    return 0;
}

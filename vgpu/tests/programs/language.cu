/* SPDX-License-Identifier: MIT
 *
 * language.cu: what CUDA C++ lets a kernel say: printf, assert, new, virtual
 * functions, lambdas, inline assembler, intrinsics, atomics of every type, warp
 * operations, clocks, more shared memory than usual; and what is refused.
 */
//: nvcc: --extended-lambda
//: seeds: 2
#include "cases.h"

#include <cassert>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>

#include <cmath>

using std::vector;

/* ---- output and assertions ---- */

__global__ void speak(int n, const char *word) {
    if (threadIdx.x < n)
        printf("%s %u of %d: %5.2f|%-4d|%04x|%c|%s|%lld|%%\n", word, threadIdx.x,
               n, 1.5 * threadIdx.x, threadIdx.x, 255 + threadIdx.x,
               'a' + threadIdx.x, threadIdx.x ? "on" : "off",
               -5000000000ll * threadIdx.x);
}

CASE(printf) {
    const char h[] = "lane";
    char *d;
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    speak<<<1, 32>>>(2, d);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d));
    return true;
}

__global__ void insist(const int *x) {
    assert(x[threadIdx.x] < 31); // BUG assert
}

CASE(assert) {
    vector<int> in(32);
    int *d;
    for (int i = 0; i < 32; i++) in[i] = i;
    CHECK(cudaMalloc(&d, 128));
    CHECK(cudaMemcpy(d, in.data(), 128, cudaMemcpyHostToDevice));
    insist<<<1, 32>>>(d);
    bool fails = cudaDeviceSynchronize() == cudaErrorAssert;
    return fails && cudaFree(d) == cudaErrorAssert; /* the context is gone */
}

/* ---- memory of the device's own heap ---- */

struct node {
    int value;
    node *next;
};
__device__ node *lists[64];

__global__ void build(int n) {
    node *first = nullptr;
    for (int i = 0; i < n; i++) {
        node *x = i % 2 ? new node : (node *)malloc(sizeof(node));
        x->value = i * threadIdx.x;
        x->next = first;
        first = x;
    }
    lists[threadIdx.x] = first;
}

__global__ void tear_down(int *sums) {
    int sum = 0, i = 0;
    for (node *x = lists[threadIdx.x]; x; i++) {
        node *next = x->next;
        sum += x->value;
        free(x);
        x = next;
    }
    sums[threadIdx.x] = sum * 100 + i;
}

CASE(heap) {
    buffer<int> sums(64);
    build<<<1, 64>>>(7);
    tear_down<<<1, 64>>>(sums);
    vector<int> got = sums.host();
    for (int t = 0; t < 64; t++)
        if (got[t] != 21 * t * 100 + 7) return false;
    return true;
}

/* ---- shared arrays that a device function declares ---- */

__device__ __noinline__ int turned(int x) {
    __shared__ int a[32];
    a[threadIdx.x] = x;
    __syncthreads();
    int y = a[31 - threadIdx.x];
    __syncthreads();
    return y;
}

__device__ __noinline__ int twice_turned(int x) {
    __shared__ int b[32];
    b[threadIdx.x] = 100 * turned(x);
    __syncthreads();
    int y = b[threadIdx.x] + turned(b[threadIdx.x]);
    __syncthreads();
    return y;
}

typedef int (*of_int)(int);
__device__ of_int which_turns[] = {turned, twice_turned};

__global__ void own_arrays(int *out, int which) {
    __shared__ int c[32];
    extern __shared__ int d[];
    c[threadIdx.x] = d[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    int y = which < 0 ? twice_turned(threadIdx.x) : which_turns[which](threadIdx.x);
    out[threadIdx.x] = y + 10000 * c[threadIdx.x] + 1000000 * d[threadIdx.x];
}

/* It reaches the function, and has no array of its own. */
__global__ void no_array(int *out) {
    out[threadIdx.x] = turned((int)threadIdx.x);
}

/* It does not, and so takes no more than its own. */
__global__ void small_array(int *out) {
    __shared__ int e[8];
    e[threadIdx.x % 8] = 1;
    __syncthreads();
    out[threadIdx.x] = e[threadIdx.x % 8];
}

CASE(function_arrays) {
    buffer<int> out(32);
    bool ok = true;
    for (int which = -1; which < 2; which++) {
        own_arrays<<<1, 32, 128>>>(out, which);
        vector<int> got = out.host();
        for (int t = 0; t < 32; t++) {
            int once = 31 - t, twice = 100 * (31 - t) + 100 * t;
            ok &= got[t] == (which ? twice : once) + 1010000 * t;
        }
    }
    no_array<<<1, 32>>>(out);
    vector<int> got = out.host();
    for (int t = 0; t < 32; t++) ok &= got[t] == 31 - t;
    small_array<<<1, 8>>>(out);
    cudaFuncAttributes calls, own;
    CHECK(cudaFuncGetAttributes(&calls, no_array));
    CHECK(cudaFuncGetAttributes(&own, small_array));
    return ok && calls.sharedSizeBytes >= 128 && own.sharedSizeBytes < 128;
}

/* ---- functions by address ---- */

typedef int (*binary)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ binary table[] = {plus, times};
__device__ binary d_plus = plus;

__global__ void by_pointer(int *out, binary last) {
    int i = threadIdx.x;
    binary f = i % 3 < 2 ? table[i % 3] : last;
    out[i] = f(i, 7);
}

/* A warp that does not keep step calls a function with a shuffle in it. */
__noinline__ __device__ int sum_of_warp(int x) {
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
__global__ void sums_of_warps(int *out) {
    int x = threadIdx.x;
    for (int i = 0; i < 5; i++) x += x % 3 ? i : 2 * i;
    out[threadIdx.x] = sum_of_warp(x);
}
CASE(function_shuffles) {
    buffer<int> out(64);
    sums_of_warps<<<1, 64>>>(out);
    vector<int> got = out.host();
    int sums[2] = {0, 0};
    for (int t = 0; t < 64; t++) {
        int x = t;
        for (int i = 0; i < 5; i++) x += x % 3 ? i : 2 * i;
        sums[t / 32] += x;
    }
    for (int t = 0; t < 64; t++)
        if (got[t] != sums[t / 32]) return false;
    return true;
}

CASE(function_pointers) {
    binary last;
    CHECK(cudaMemcpyFromSymbol(&last, d_plus, sizeof last));
    buffer<int> out(64);
    by_pointer<<<1, 64>>>(out, last);
    vector<int> got = out.host();
    for (int i = 0; i < 64; i++)
        if (got[i] != (i % 3 == 1 ? i * 7 : i + 7)) return false;
    return true;
}

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct box : shape {
    int w, h;
    __device__ box(int w, int h) : w(w), h(h) {}
    __device__ int area() const override { return w * h; }
};

__global__ void areas(int *out) {
    int i = threadIdx.x;
    shape *s;
    if (i % 2)
        s = new square(i);
    else
        s = new box(i, 3);
    out[i] = s->area();
    delete s;
}

CASE(virtual) {
    buffer<int> out(64);
    areas<<<1, 64>>>(out);
    vector<int> got = out.host();
    for (int i = 0; i < 64; i++)
        if (got[i] != (i % 2 ? i * i : i * 3)) return false;
    return true;
}

template <class F> __global__ void apply(int *x, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}

CASE(lambda) {
    int add = 5, n = 100;
    vector<int> in = numbers(n, 1000);
    buffer<int> d(in);
    apply<<<1, 128>>>(d, n, [=] __device__(int x) { return x * 2 + add; });
    apply<<<1, 128>>>(d, n, [=] __host__ __device__(int x) { return x - add; });
    vector<int> got = d.host();
    for (int i = 0; i < n; i++)
        if (got[i] != in[i] * 2) return false;
    return true;
}

/* Templates, structs by value, the device's standard library. */
struct settings {
    char tag;
    double scale;
    short shift[3];
};
template <int N, class T> __device__ T polynomial(const T (&c)[N], T x) {
    T sum = 0;
    for (int k = N - 1; k >= 0; k--) sum = sum * x + c[k];
    return sum;
}

__global__ void library(settings s, double *out) {
    const double c[] = {1, 2, 3};
    int i = threadIdx.x;
    cuda::std::complex<double> z(i, 1), w = z * z + z;
    cuda::std::array<int, 3> a = {1, 2, 3};
    auto t = cuda::std::make_tuple(i, w.real(), s.tag);
    out[i] = polynomial(c, (double)i) * s.scale + s.shift[i % 3] + w.imag() +
             a[i % 3] + cuda::std::get<1>(t) + cuda::std::get<2>(t);
}

CASE(library) {
    buffer<double> out(32);
    settings s = {'A', 0.5, {10, 20, 30}};
    library<<<1, 32>>>(s, out);
    vector<double> got = out.host();
    for (int i = 0; i < 32; i++) {
        double want = (1 + 2.0 * i + 3.0 * i * i) * 0.5 + 10 * (i % 3 + 1) +
                      2 * i + 1 + i % 3 + 1 + i * i - 1 + i + 'A';
        if (got[i] != want) return false;
    }
    return true;
}

/* ---- assembler and intrinsics ---- */

__global__ void assembler(const unsigned *in, unsigned *out) {
    unsigned i = threadIdx.x, x = in[i], y, z, lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, 100;\n\t"
        "selp.u32 %0, %1, 100, p;\n\t}"
        : "=r"(y)
        : "r"(x));
    asm volatile("bfe.u32 %0, %1, 3, 5;" : "=r"(z) : "r"(x));
    out[i] = y + z * 1000 + lane * 100000;
}

CASE(assembler) {
    vector<int> v = numbers(64, 300);
    vector<unsigned> in(v.begin(), v.end());
    buffer<unsigned> d_in(in), d_out(64);
    assembler<<<1, 64>>>(d_in, d_out);
    vector<unsigned> got = d_out.host();
    for (unsigned i = 0; i < 64; i++)
        if (got[i] != (in[i] > 100 ? in[i] : 100) + (in[i] >> 3 & 31) * 1000 +
                          i % 32 * 100000)
            return false;
    return true;
}

__global__ void intrinsics(const unsigned *in, unsigned *out) {
    unsigned x = in[threadIdx.x], y = x * 2654435761u, sum = 0;
    sum += __popc(y) + __clz(y | 1) * 3 + __ffs(y) * 5 + (__brev(y) >> 7);
    sum += __umulhi(x, y) ^ __byte_perm(x, y, 0x2145);
    sum += __funnelshift_l(x, y, x & 31) - __funnelshift_rc(x, y, 9);
    sum += __usad(x, 17u, y) + __dp4a(x, y, 3u) + __vadd4(x, y);
    sum += (unsigned)__float2int_rn(__uint2float_rn(x) * 0.25f);
    sum += __float_as_uint(__uint_as_float(0x3f800000u + x)) + __mul24(x, 5);
    sum += (unsigned)(__umul64hi((unsigned long long)y << 20, y) ^
                      __brevll(x) >> 40);
    out[threadIdx.x] = sum;
}

static unsigned bits_of(unsigned x) {
    unsigned n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

CASE(intrinsics) {
    vector<int> v = numbers(64, 1 << 20);
    vector<unsigned> in(v.begin(), v.end());
    buffer<unsigned> d_in(in), d_out(64);
    intrinsics<<<1, 64>>>(d_in, d_out);
    vector<unsigned> got = d_out.host();
    for (int i = 0; i < 64; i++) {
        unsigned x = in[i], y = x * 2654435761u, sum = 0, reversed = 0;
        for (int b = 0; b < 32; b++) reversed |= (y >> b & 1) << (31 - b);
        sum += bits_of(y) + __builtin_clz(y | 1) * 3 + __builtin_ffs(y) * 5 +
               (reversed >> 7);
        unsigned long long xy = (unsigned long long)y << 32 | x;
        unsigned bytes = 0;
        int pick[] = {5, 4, 1, 2};
        for (int b = 0; b < 4; b++)
            bytes |= (unsigned)(xy >> 8 * pick[b] & 255) << 8 * b;
        sum += (unsigned)((unsigned long long)x * y >> 32) ^ bytes;
        sum += (unsigned)(xy << (x & 31) >> 32) - (unsigned)(xy >> 9);
        sum += (x > 17 ? x - 17 : 17 - x) + y;
        unsigned dot = 3, add = 0;
        for (int b = 0; b < 32; b += 8) {
            dot += (x >> b & 255) * (y >> b & 255);
            add |= ((x >> b) + (y >> b) & 255) << b;
        }
        sum += dot + add + (unsigned)lrintf((float)x * 0.25f);
        sum += 0x3f800000u + x + x * 5;
        unsigned long long x_reversed = 0;
        for (int b = 0; b < 32; b++)
            x_reversed |= (unsigned long long)(x >> b & 1) << (63 - b);
        sum += (unsigned)((unsigned long long)((unsigned __int128)((unsigned long long)y << 20) * y >> 64) ^
                          x_reversed >> 40);
        if (got[i] != sum) return false;
    }
    return true;
}

/* ---- half, bfloat ---- */

__global__ void narrow(const float *in, float *out) {
    int i = threadIdx.x;
    __half h = __float2half(in[i]);
    __nv_bfloat16 b = __float2bfloat16(in[i]);
    h = __hadd(h, __float2half(0.5f)) * __float2half(2.0f);
    b = __hadd(b, __float2bfloat16(0.5f)) * __float2bfloat16(2.0f);
    out[i] = __half2float(h) + __bfloat162float(b) + __half2float(hsqrt(h));
}

CASE(narrow) {
    vector<float> in(64);
    for (int i = 0; i < 64; i++) in[i] = (float)i;
    buffer<float> d_in(in), d_out(64);
    narrow<<<1, 64>>>(d_in, d_out);
    vector<float> got = d_out.host();
    for (int i = 0; i < 64; i++) { /* 2i + 1: exact in both */
        float want = 2 * (2.0f * i + 1) + sqrtf(2.0f * i + 1);
        if (fabsf(got[i] - want) > 0.02f) return false;
    }
    return true;
}

/* ---- atomics ---- */

__global__ void atomics(const int *in, int *i, unsigned *u,
                        unsigned long long *l, float *f, double *d) {
    int x = in[blockIdx.x * blockDim.x + threadIdx.x];
    __shared__ int block_sum;
    if (threadIdx.x == 0) block_sum = 0;
    __syncthreads();
    atomicAdd_block(&block_sum, x);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd_system(&i[0], block_sum);
    atomicMin(&i[1], x);
    atomicMax(&i[2], -x);
    atomicSub(&i[3], x);
    atomicXor(&u[0], (unsigned)x);
    atomicOr(&u[1], 1u << x % 32);
    atomicAnd(&u[2], ~(1u << x % 7));
    atomicInc(&u[3], 99);
    atomicDec(&u[4], 1000);
    atomicExch(&u[5], 42u);
    atomicAdd(&l[0], (unsigned long long)x << 32);
    atomicMax(&l[1], (unsigned long long)x << 33);
    atomicAdd(f, (float)x);
    atomicAdd(d, 0.5 * x);
    unsigned long long old = l[2], seen; /* a sum by comparison */
    do {
        seen = old;
        old = atomicCAS(&l[2], seen, seen + x);
    } while (old != seen);
    unsigned short *s = (unsigned short *)&u[6], half = *s, before;
    do {
        before = half;
        half = atomicCAS(s, before, (unsigned short)(before + 1));
    } while (half != before);
}

CASE(atomics) {
    enum { N = 256 };
    vector<int> in = numbers(N, 1000);
    vector<int> want_i = {0, 500, -2000, 7};
    vector<unsigned> want_u = {0, 0, ~0u, 0, 0, 42, 0}, u = want_u;
    vector<unsigned long long> want_l(3);
    buffer<int> d_in(in), d_i(want_i);
    u[5] = 0;
    double sum = 0;
    unsigned dec = 0;
    for (int x : in) {
        want_i[0] += x;
        want_i[1] = std::min(want_i[1], x);
        want_i[2] = std::max(want_i[2], -x);
        want_i[3] -= x;
        want_u[0] ^= x;
        want_u[1] |= 1u << x % 32;
        want_u[2] &= ~(1u << x % 7);
        want_u[3] = want_u[3] >= 99 ? 0 : want_u[3] + 1;
        dec = dec == 0 || dec > 1000 ? 1000 : dec - 1;
        want_u[6]++;
        want_l[0] += (unsigned long long)x << 32;
        want_l[1] = std::max(want_l[1], (unsigned long long)x << 33);
        want_l[2] += x;
        sum += x;
    }
    want_u[4] = dec;
    buffer<unsigned> d_u(u);
    buffer<unsigned long long> d_l(3);
    buffer<float> d_f(1);
    buffer<double> d_d(1);
    atomics<<<4, N / 4>>>(d_in, d_i, d_u, d_l, d_f, d_d);
    return d_i.host() == want_i && d_u.host() == want_u &&
           d_l.host() == want_l && d_f.host()[0] == (float)sum &&
           d_d.host()[0] == sum / 2;
}

/* ---- warps ---- */

__global__ void warps(const int *in, int *out) {
    int i = threadIdx.x, lane = i % 32, x = in[i], sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += left;
    }
    int pred, most = x;
    unsigned odd = __ballot_sync(~0u, x & 1), same = __match_any_sync(~0u, x % 4);
    unsigned all = __match_all_sync(~0u, x / 1000, &pred);
    for (int d = 16; d; d /= 2) most = max(most, __shfl_xor_sync(~0u, most, d));
    int down = __shfl_down_sync(~0u, x, 3, 8), turn = __shfl_sync(~0u, x, lane + 1);
    int votes = __all_sync(~0u, x < 1000) + __any_sync(~0u, x > 998) * 2;
    __syncwarp();
    out[i] = sum + __popc(odd) * 7 + __popc(same) * 11 + (all == ~0u && pred) +
             most * 13 + down * 17 + turn * 19 + votes * 23;
}

CASE(warps) {
    vector<int> in = numbers(64, 1000);
    buffer<int> d_in(in), d_out(64);
    warps<<<1, 64>>>(d_in, d_out);
    vector<int> got = d_out.host();
    for (int i = 0; i < 64; i++) {
        const int *w = &in[i / 32 * 32];
        int lane = i % 32, sum = 0, odd = 0, same = 0, most = 0, votes = 1;
        for (int k = 0; k < 32; k++) {
            if (k <= lane) sum += w[k];
            odd += w[k] & 1;
            same += w[k] % 4 == w[lane] % 4;
            most = std::max(most, w[k]);
            if (w[k] > 998) votes = 3;
        }
        int down = lane % 8 + 3 < 8 ? w[lane + 3] : w[lane];
        if (got[i] != sum + odd * 7 + same * 11 + 1 + most * 13 + down * 17 +
                          w[(lane + 1) % 32] * 19 + votes * 23)
            return false;
    }
    return true;
}

/* ---- clocks, identities, cache operators ---- */

__global__ void clocks(long long *out, const int *in) {
    long long start = clock64(), began = (long long)clock();
    unsigned long long t0, t1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
    int x = __ldcg(&in[0]) + __ldcs(&in[1]) + __ldca(&in[2]) + __ldcv(&in[3]) +
            __ldg(&in[4]) + __ldlu(&in[5]);
    __nanosleep(10);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
    out[0] = x + (clock64() > start) * 1000 + (t1 >= t0) * 2000 + (began >= 0) * 4000;
    __stcg(&out[1], 5ll);
    __stwt(&out[2], 6ll);
    __threadfence_system();
}

CASE(clocks) {
    vector<int> in = {1, 2, 3, 4, 5, 6};
    buffer<int> d_in(in);
    buffer<long long> out(3);
    clocks<<<1, 1>>>(out, d_in);
    return out.host() == vector<long long>{7021, 5, 6};
}

/* ---- shapes of launches ---- */

__global__ void __launch_bounds__(64, 2) bounded(int *out) {
    atomicAdd(out, 1);
}

CASE(launch_bounds) {
    buffer<int> out(1);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, bounded));
    bounded<<<2, 64>>>(out);
    if (out.host()[0] != 128 || a.maxThreadsPerBlock != 64) return false;
    bounded<<<1, 65>>>(out);
    return cudaGetLastError() == cudaErrorInvalidConfiguration;
}

__global__ void three_d(int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    out[(z * h + y) * w + x] = x + y * 100 + z * 10000;
}

CASE(three_d) {
    buffer<int> out(6 * 6 * 4);
    three_d<<<dim3(2, 3, 2), dim3(3, 2, 2)>>>(out);
    vector<int> got = out.host();
    for (int i = 0; i < 6 * 6 * 4; i++)
        if (got[i] != i % 6 + i / 6 % 6 * 100 + i / 36 * 10000) return false;
    return true;
}

__global__ void large(const int *in, int *out, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}

CASE(large_shared) {
    int most = 0, n = 60 * 1024 / 4;
    CHECK(cudaDeviceGetAttribute(&most,
                                 cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most < n * 4) return false;
    vector<int> in = numbers(n, 1000);
    buffer<int> d_in(in), d_out(n);
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               n * 4));
    large<<<1, 256, n * 4>>>(d_in, d_out, n);
    vector<int> got = d_out.host();
    for (int i = 0; i < n; i++)
        if (got[i] != in[n - 1 - i]) return false;
    return true;
}

/* ---- what is refused, by its name ---- */

CASE(cluster) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = 2;
    config.blockDim = 32;
    config.attrs = &cluster;
    config.numAttrs = 1;
    int *out = nullptr;
    return cudaLaunchKernelEx(&config, bounded, out) == cudaErrorNotSupported;
}

//: case: language-printf printf
//: run: --check all
//: expect: prints lane 0 of 2:  0.00|0   |00ff|a|off|0|%
//: expect: prints lane 1 of 2:  1.50|1   |0100|b|on|-5000000000|%
//: case: language-assert assert
//: run: --check memcheck
//: expect: finding assert at assert
//: expect: prints right
//: case: language-large-shared large-shared
//: run: --check all | --check all --device h200
//: expect: prints right
//: case: language-launch-bounds launch-bounds
//: run: --check all
//: expect: finding bad-launch at -
//: expect: prints right
//: case: language-cluster cluster
//: run: --check all
//: expect: finding unsupported at - "cudaLaunchKernelExC"
//: expect: prints right
//: case: language-heap heap
//: expect: prints right
//: case: language-function-pointers function-pointers
//: expect: prints right
//: case: language-function-shuffles function-shuffles
//: run: --check all | --check all --schedule random:SEED | --check all --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: language-function-arrays function-arrays
//: run: --check all
//: expect: prints right
//: case: language-virtual virtual
//: expect: prints right
//: case: language-lambda lambda
//: expect: prints right
//: case: language-library library
//: expect: prints right
//: case: language-assembler assembler
//: expect: prints right
//: case: language-intrinsics intrinsics
//: expect: prints right
//: case: language-narrow narrow
//: expect: prints right
//: case: language-atomics atomics
//: expect: prints right
//: case: language-warps warps
//: expect: prints right
//: case: language-clocks clocks
//: expect: prints right
//: case: language-three-d three-d
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}

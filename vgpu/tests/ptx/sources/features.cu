/* SPDX-License-Identifier: MIT
 *
 * features.cu: one small kernel per construct that nvcc writes differently.
 * It is compiled to PTX by the tests and never run here.
 */
#include <assert.h>
#include <cstdio>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

typedef int (*binary)(int, int);

static __device__ __noinline__ int add(int a, int b) { return a + b; }
static __device__ __noinline__ int larger(int a, int b) {
    return a > b ? a : b;
}

__device__ binary operators[2] = {add, larger};
__constant__ binary fixed_operators[2] = {larger, add};
__constant__ float weights[4] = {1.0f, -2.5f, 3e-9f};
__constant__ double halves[3] = {0.5, 0.25, -0.125};
__constant__ char greeting[] = "hello\n\"device\"";
__device__ int grid2d[2][3] = {{1, 2, 3}, {-4, 5}};
__device__ int *middle = &grid2d[1][1];
__device__ const char *texts[3] = {"one", "two", nullptr};
__device__ long long big = -0x123456789abcdefLL;
__device__ unsigned char bytes[5] = {1, 2, 255};
__managed__ int managed_total = 7;
__device__ bool flag = true;

struct mixed {
    char tag;
    int *where;
    binary op;
    double value;
};
__device__ mixed table[2] = {{'a', &grid2d[0][2], add, 1.5},
                             {'b', nullptr, larger, -2.0}};

extern "C" __global__ void shared_loop(const int *in, int *out, int n) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[256];
    __shared__ __align__(16) double wide[32];
    int t = threadIdx.x;
    fixed[t] = in[t];
    dynamic[t] = n;
    wide[t & 31] = 0.5 * t;
    __syncthreads();
    for (int d = 1; d < n; d <<= 1) {
        int other = t >= d ? fixed[t - d] : 0;
        __syncthreads();
        fixed[t] += other;
        __syncthreads();
    }
    out[t] = fixed[t] + dynamic[t ^ 1] + (int)wide[(t + 1) & 31];
}

extern "C" __global__ void says(int n) {
    printf("%d of %s %f\n", n, greeting, 1.5);
    assert(n > 3);
}

extern "C" __global__ void picks(const int *in, int *out, int k) {
    int t = threadIdx.x;
    out[t] = operators[k](in[t], in[t + 1]) +
             fixed_operators[k & 1](in[t], 3) + *middle + table[k].op(1, 2) +
             texts[k][0] + (int)big + bytes[k] + flag +
             (int)(weights[k] * halves[k]);
    managed_total += k;
}

extern "C" __global__ void switches(int *out, int k) {
    switch (k) {
    case 0: out[0] = 17; break;
    case 1: out[1] = clock(); break;
    case 2: out[5] = 4; /* falls through */
    case 3: out[7] += 5; break;
    case 4: atomicAdd(out, 3); break;
    case 5: out[2] = out[3]; break;
    case 6: __threadfence(); break;
    case 7: out[9] = 1; break;
    default: out[3] = -k;
    }
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recurses(int *out, int n) {
    out[threadIdx.x] = fibonacci(n);
}

extern "C" __global__ void allocates(int **out, int n) {
    int *p = (int *)malloc(n * sizeof *p);
    if (p) memset(p, 0, n);
    out[threadIdx.x] = p;
    int *q = new int[n];
    delete[] q;
    free(p);
}

extern "C" __global__ void atomics(unsigned *a, unsigned long long *b,
                                   float *f, double *d) {
    atomicAdd(a, 1u);
    atomicMax(a + 1, threadIdx.x);
    atomicInc(a + 2, 7u);
    atomicExch(a + 3, atomicCAS(a + 4, 0u, 1u));
    a[9] = atomicAnd(a + 5, 3u) + atomicOr(a + 6, 3u) + atomicXor(a + 7, 1u);
    atomicAdd(b, 1ull);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd_block(a + 8, 1u);
    atomicAdd_system(a + 8, 1u);
}

extern "C" __global__ void warp(unsigned *a, int *out) {
    unsigned t = threadIdx.x;
    unsigned m = __activemask();
    unsigned b = __ballot_sync(m, t & 1);
    int s = __shfl_up_sync(m, out[t], 1);
    s += __shfl_xor_sync(0xffffffffu, s, 16);
    s += __shfl_sync(0xffffffffu, s, 0, 8);
    s += __shfl_down_sync(0xffffffffu, (double)s, 2) > 1.0;
    if (__any_sync(m, s) && !__all_sync(m, b)) s += __popc(b);
    s += __match_any_sync(m, t) + __ffs(b) + __clz(b) + __brev(b);
    __syncwarp();
    out[t] = s + __byte_perm(s, m, 0x3210) + __funnelshift_l(s, b, 3);
    a[t] = __syncthreads_or(s) + __syncthreads_count(t);
}

extern "C" __global__ void assembles(unsigned *a, unsigned long long *b) {
    unsigned lane, x;
    unsigned long long time;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(lane));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 r1;\n"
                 "  setp.ne.u32 p, %1, 0; // a comment\n"
                 "  /* and\n another */ mov.u32 r1, 0;\n"
                 "  @p add.u32 r1, r1, 5;\n  @!p bra L%=;\n"
                 "  add.u32 r1, r1, 1;\nL%=:\n"
                 "  mov.u32 %0, r1;\n}"
                 : "=r"(x)
                 : "r"(lane));
    asm volatile("{ .reg .pred p; { .reg .pred p; setp.eq.u32 p, %1, 1;\n"
                 "@p mov.u32 %0, 2; } setp.eq.u32 p, %1, 3;\n"
                 "@p mov.u32 %0, 4; }"
                 : "+r"(x)
                 : "r"(lane));
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(a), "r"(x)
                 : "memory");
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p|q, %0, 7; \n"
                 "@q st.global.u32 [%1+4], %0; @!p trap; }" ::"r"(x),
                 "l"(a));
    b[0] = time + b[-1];
    unsigned high, low;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(b[1]));
    asm volatile("ld.global.v4.u32 {%0, %1, _, _}, [%2];"
                 : "=r"(low), "+r"(high)
                 : "l"(a));
    a[2] = low + high;
}

struct big_struct {
    int values[12];
};
__device__ __noinline__ big_struct twist(big_struct s, float f, char c) {
    for (int i = 0; i < 12; i++)
        s.values[i] = s.values[(i * 5) % 12] + (int)f + c;
    return s;
}
extern "C" __global__ void
__launch_bounds__(128, 2) by_value(big_struct s, big_struct *out, int i) {
    big_struct r = twist(s, 2.5f, 'c');
    r.values[i] = 0;
    *out = twist(r, 1.5f, (char)i);
}

extern "C" __global__ void cooperates(int *out) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    out[grid.thread_rank()] = tile.shfl_down(out[block.thread_rank()], 1);
    grid.sync();
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) out[0] += active.size();
    tile.sync();
}

template <typename T, int N> __global__ void generic(T *out) {
    T local[N];
    for (int i = 0; i < N; i++) local[i] = out[(i * 7) % N];
    for (int i = 0; i < N; i++) out[i] = local[(int)(out[i]) % N];
}
template __global__ void generic<float, 8>(float *);
template __global__ void generic<unsigned char, 16>(unsigned char *);
template __global__ void generic<long long, 4>(long long *);
template __global__ void generic<double, 4>(double *);
template __global__ void generic<short, 64>(short *);

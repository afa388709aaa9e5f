// SPDX-License-Identifier: MIT
//
// clusters.cu: what clusters of blocks are and do: registers, addresses, accesses to each other's shared memory,
// barriers, launches that are refused. It prints every word, so that a run on a GPU (h200.txt) and one on the virtual
// GPU can be compared. nvcc -std=c++17 -arch=sm_90.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

enum { MOST = 4096 };
__device__ uint64_t out[MOST];

static void show(const char *name, int words)
{
    static uint64_t h[MOST];
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s:", name);
    if (e != cudaSuccess)
        printf(" %s", cudaGetErrorName(e));
    else
        cudaMemcpyFromSymbol(h, out, sizeof(uint64_t) * words);
    for (int i = 0; e == cudaSuccess && i < words; i++) printf(" %llx", (unsigned long long)h[i]);
    printf("\n");
    memset(h, 0, sizeof h);
    cudaMemcpyToSymbol(out, h, sizeof h);
}

// size.x 0: no attribute
template <class... P, class... A>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 size, size_t shared, A... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size.x;
    attribute.val.clusterDim.y = size.y;
    attribute.val.clusterDim.z = size.z;
    cudaLaunchConfig_t c = {};
    c.gridDim = grid;
    c.blockDim = block;
    c.dynamicSmemBytes = shared;
    c.attrs = &attribute;
    c.numAttrs = size.x != 99;
    return cudaLaunchKernelEx(&c, kernel, arguments...);
}

// ---- registers ----

#define REGISTER(name)                                        \
    ({                                                        \
        uint32_t v;                                           \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(v));    \
        v;                                                    \
    })
#define TRIPLE(name) (REGISTER(name ".x") | REGISTER(name ".y") << 8 | REGISTER(name ".z") << 16)

static __device__ void tell_registers()
{
    cg::cluster_group own = cg::this_cluster();
    uint32_t explicit_cluster, block =
        blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x || threadIdx.y) return;
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(explicit_cluster));
    uint64_t *o = out + block * 8;
    o[0] = TRIPLE("clusterid");
    o[1] = TRIPLE("nclusterid");
    o[2] = TRIPLE("cluster_ctaid");
    o[3] = TRIPLE("cluster_nctaid");
    o[4] = REGISTER("cluster_ctarank") | REGISTER("cluster_nctarank") << 8 | explicit_cluster << 16;
    o[5] = own.block_rank() | own.num_blocks() << 8 | own.dim_blocks().y << 16 | own.block_index().y << 24;
    o[6] = own.num_threads() | (uint64_t)own.thread_rank() << 32;
}
__global__ void registers() { tell_registers(); }
__global__ void __cluster_dims__(2, 1, 1) registers_of_two() { tell_registers(); }

static void all_registers()
{
    launch(registers, dim3(4, 2, 2), 32, dim3(2, 1, 1), 0);
    show("registers 4x2x2 by 2x1x1", 16 * 8);
    launch(registers, dim3(4, 2, 2), dim3(32, 2), dim3(2, 2, 2), 0);
    show("registers 4x2x2 by 2x2x2", 16 * 8);
    launch(registers, dim3(2, 6), 32, dim3(1, 3, 1), 0);
    show("registers 2x6 by 1x3", 12 * 8);
    launch(registers, 2, 32, dim3(1, 1, 1), 0);
    show("registers 2 by 1", 2 * 8);
    registers<<<2, 32>>>();
    show("registers 2", 2 * 8);
    registers_of_two<<<4, 32>>>();
    show("registers 4, __cluster_dims__ 2", 4 * 8);
}

// ---- addresses ----

__device__ int *passed;
__global__ void addresses()
{
    __shared__ int v[4];
    extern __shared__ int dynamic[];
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), rank, narrow, at = (uint32_t)__cvta_generic_to_shared(v);
    v[0] = 100 + r;
    v[1] = 200 + r;
    dynamic[3] = 300 + r;
    if (r == 1) passed = v + 1;
    __threadfence();
    own.sync();
    uint64_t *o = out + r * 16;
    int *zero = own.map_shared_rank(v, 0), *one = own.map_shared_rank(v, 1);
    o[0] = zero[0] | one[0] << 16;
    o[1] = (zero == v) | (one == v) << 4;
    o[2] = !!__isShared(v) | !!__isShared(zero) << 4 | !!__isShared(one) << 8 | !!__isClusterShared(v) << 12 |
           !!__isClusterShared(zero) << 16 | !!__isClusterShared(one) << 20 | !!__isGlobal(one) << 24;
    o[3] = own.query_shared_rank(v) | own.query_shared_rank(zero) << 4 | own.query_shared_rank(one) << 8;
    o[4] = *passed;  // what block 1 calls its own is its own everywhere
    o[5] = *own.map_shared_rank(dynamic + 3, 1);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(narrow) : "r"(at), "r"(1));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(narrow));
    o[6] = rank;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(at));
    o[7] = rank;
    asm volatile("ld.shared::cluster.u32 %0, [%1 + 4];" : "=r"(rank) : "r"(narrow));
    o[8] = rank;
    o[9] = one - zero != 0;
    int *back = own.map_shared_rank(one, 0);  // mapped again
    o[10] = *back;
    own.sync();
}

// ---- accesses ----

template <class T> static __device__ void exchange(uint32_t at, const cg::cluster_group &own, T of_rank)
{
    __shared__ T place[2];
    uint32_t r = own.block_rank(), n = own.num_blocks();
    if (!threadIdx.x) *own.map_shared_rank(&place[0], (r + 1) % n) = of_rank;
    own.sync();
    if (!threadIdx.x) {
        place[1] = *own.map_shared_rank(&place[0], (r + 2) % n);
        uint64_t word[2] = {};
        memcpy(word, &place[1], sizeof(T));
        out[r * 32 + at] = word[0] ^ word[1] * 3;
    }
    own.sync();
}
__global__ void types()
{
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank();
    exchange<uint8_t>(0, own, 0x81 + r);
    exchange<int16_t>(1, own, (int16_t)(-7 - (int)r));
    exchange<int>(2, own, 1000 + r);
    exchange<uint64_t>(3, own, 0x123456789abcdefull * (r + 1));
    exchange<float>(4, own, 1.5f * r);
    exchange<double>(5, own, 2.25 * r);
    exchange<int2>(6, own, make_int2(r, ~r));
    exchange<int4>(7, own, make_int4(r, 2 * r, 3 * r, 4 * r));
    exchange<__half2>(8, own, __floats2half2_rn(r, 0.5f));
    exchange<longlong2>(9, own, make_longlong2(r + 5, r * 77));
}

__global__ void atomics(int lanes)
{
    __shared__ uint32_t word[12];
    __shared__ uint64_t wide[3];
    __shared__ float real[2];
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), n = own.num_blocks(), t = threadIdx.x;
    for (uint32_t k = t; k < 12; k += blockDim.x) word[k] = k == 2 ? ~0u : 0;
    if (t < 3) wide[t] = t;
    if (t < 2) real[t] = 0;
    own.sync();
    for (uint32_t to = 0; to < n && t < lanes; to++) {
        uint32_t *w = own.map_shared_rank(word, to);
        uint64_t *d = own.map_shared_rank(wide, to);
        float *f = own.map_shared_rank(real, to);
        atomicAdd(&w[0], t + r);
        atomicMax(&w[1], 10 * t + r);
        atomicMin(&w[2], 7 + t + r);
        atomicOr(&w[3], 1u << (t + r) % 32);
        atomicXor(&w[4], 3u << (t + r) % 30);
        atomicInc(&w[5], 1000);
        uint32_t got, seen = w[6];
        do {
            got = seen;
            seen = atomicCAS(&w[6], got, got + 3);
        } while (seen != got);
        atomicAdd((unsigned long long *)&d[0], (1ull << 40) + t);
        atomicAdd(&f[0], 0.5f);
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(w + 7)),
                     "r"(2) : "memory");
        asm volatile("red.add.release.cluster.u32 [%0], %1;" ::"l"(w + 8), "r"(5) : "memory");
    }
    own.sync();
    if (t < 12) out[r * 16 + t] = word[t];
    if (t == 12) out[r * 16 + 12] = wide[0];
    if (t == 13) out[r * 16 + 13] = __float_as_uint(real[0]);
}

// Lanes of one warp reach different blocks at once, forth and back; with guards, vectors, in both forms of addresses.
__global__ void scattered()
{
    __shared__ uint32_t box[64];
    __shared__ alignas(16) uint4 four[32];
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), n = own.num_blocks(), t = threadIdx.x;
    box[t] = box[t + 32] = 0;
    four[t] = make_uint4(t, r, t + r, t * r);
    own.sync();
    own.map_shared_rank(box, (t + 3 * r) % n)[t] = r * 100 + t;
    if (t % 3 == 1) own.map_shared_rank(box, (t + r + 1) % n)[32 + t] = r + 1;
    own.sync();
    uint4 x = own.map_shared_rank(four, (t / 2 + r) % n)[31 - t];
    uint32_t at = (uint32_t)__cvta_generic_to_shared(box), there, y;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at + 4 * t), "r"((r + t) % n));
    asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(y) : "r"(there) : "memory");
    out[r * 64 + t] = y | (uint64_t)(box[32 + t] != 0) << 32;
    out[r * 64 + 32 + t] = x.x + 100 * x.y + 10000 * x.z + 1000000ull * x.w;
    own.sync();
}

// ---- barriers ----

__global__ void rounds(int times)
{
    __shared__ uint32_t sum;
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), n = own.num_blocks();
    if (!threadIdx.x) sum = r;
    own.sync();
    for (int k = 0; k < times; k++) {
        uint32_t next = *own.map_shared_rank(&sum, (r + 1) % n);
        auto token = own.barrier_arrive();
        uint32_t mine = next * 3 + k;
        own.barrier_wait(std::move(token));
        if (!threadIdx.x) sum = mine;
        own.sync();
    }
    if (!threadIdx.x) out[blockIdx.x] = sum;
    own.sync();
}

__global__ void early(int leaves)
{
    cg::cluster_group own = cg::this_cluster();
    if (own.block_rank() == 1 && threadIdx.x < leaves) return;
    own.sync();
    if (threadIdx.x == 63) out[blockIdx.x] = 5 + blockIdx.x;
}

__global__ void fenced()
{
    __shared__ uint32_t value;
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), n = own.num_blocks();
    if (!threadIdx.x) *own.map_shared_rank(&value, (r + 1) % n) = 17 * r;
    asm volatile("fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (!threadIdx.x) out[blockIdx.x] = value;
    own.sync();
}

// A value and a flag in another block's shared memory, release and acquire at the scope of the cluster.
__global__ void flags()
{
    __shared__ uint32_t value, flag;
    cg::cluster_group own = cg::this_cluster();
    uint32_t r = own.block_rank(), n = own.num_blocks();
    if (!threadIdx.x) flag = 0;
    own.sync();
    if (!threadIdx.x) {
        uint32_t to = (r + 1) % n, up;
        *own.map_shared_rank(&value, to) = 40 + r;
        asm volatile("st.release.cluster.u32 [%0], %1;" ::"l"(own.map_shared_rank(&flag, to)), "r"(1) : "memory");
        do asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(up) : "l"(&flag) : "memory");
        while (!up);
        out[blockIdx.x] = value;
    }
    own.sync();
}

// ---- a program as courses have it: a histogram whose bins lie in the shared memory of a cluster ----

__global__ void histogram(int bins_of_block, int n, uint32_t seed)
{
    extern __shared__ int bins[];
    cg::cluster_group own = cg::this_cluster();
    for (int k = threadIdx.x; k < bins_of_block; k += blockDim.x) bins[k] = 0;
    own.sync();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x) {
        uint32_t bin = (k * 2654435761u + seed) % (bins_of_block * own.num_blocks());
        atomicAdd(own.map_shared_rank(bins, bin / bins_of_block) + bin % bins_of_block, 1);
    }
    own.sync();
    for (int k = threadIdx.x; k < bins_of_block; k += blockDim.x)
        atomicAdd((unsigned long long *)&out[own.block_rank() * bins_of_block + k], bins[k]);
}

static void all_accesses()
{
    launch(addresses, 2, 1, dim3(2, 1, 1), 16);
    show("addresses", 32);
    launch(types, 4, 32, dim3(4, 1, 1), 0);
    show("types", 4 * 32);
    launch(types, dim3(2, 2, 2), 64, dim3(2, 2, 2), 0);
    show("types of 8", 8 * 32);
    launch(atomics, 4, 32, dim3(4, 1, 1), 0, 32);
    show("atomics", 4 * 16);
    launch(atomics, 3, 96, dim3(3, 1, 1), 0, 70);
    show("atomics of 3", 3 * 16);
    launch(scattered, 4, 32, dim3(4, 1, 1), 0);
    show("scattered", 4 * 64);
    launch(rounds, 8, 96, dim3(4, 1, 1), 0, 9);
    show("rounds", 8);
    launch(early, 4, 64, dim3(2, 1, 1), 0, 32);
    show("early", 4);
    launch(early, 4, 64, dim3(2, 1, 1), 0, 40);
    show("early in a warp", 4);
    launch(early, 4, 64, dim3(2, 1, 1), 0, 64);
    show("early, a whole block", 4);
    launch(fenced, 4, 64, dim3(4, 1, 1), 0);
    show("fenced", 4);
    launch(flags, 8, 64, dim3(4, 1, 1), 0);
    show("flags", 8);
    launch(histogram, 8, 128, dim3(4, 1, 1), 64 * 4, 64, 10000, 7u);
    show("histogram", 256);
    launch(histogram, 16, 128, dim3(8, 1, 1), 16 * 4, 16, 3000, 1u);
    show("histogram of 8", 128);
}

// ---- launches ----

__global__ void empty() {}
__global__ void __cluster_dims__(2, 1, 1) of_two() {}
__global__ void __cluster_dims__(16, 1, 1) of_sixteen() {}
__global__ void __launch_bounds__(128, 1, 4) at_most_four() {}

static void say(const char *what, cudaError_t e)
{
    cudaError_t last = cudaGetLastError(), after = cudaDeviceSynchronize();
    printf("%s: %s, last %s, then %s\n", what, cudaGetErrorName(e), cudaGetErrorName(last), cudaGetErrorName(after));
}
#define TRY(...) say(#__VA_ARGS__, __VA_ARGS__)

static void attributes(const char *name, const void *kernel)
{
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, kernel);
    printf("%s: %d x %d x %d, must %d, large %d\n", name, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.clusterDimMustBeSet, a.nonPortableClusterSizeAllowed);
}

static void occupancy(const char *name, void (*kernel)(), int size, int threads)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = size * 8;
    c.blockDim = threads;
    c.attrs = &attribute;
    c.numAttrs = size != 0;
    int clusters = -1, most = -1;
    cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, kernel, &c);
    cudaError_t f = cudaOccupancyMaxPotentialClusterSize(&most, kernel, &c);
    cudaGetLastError();
    // how many depends on the GPU
    printf("occupancy of %s by %d: %s %d, %s %d\n", name, size, cudaGetErrorName(e), clusters < 0 ? -1 : clusters > 0,
           cudaGetErrorName(f), most);
}

static void all_launches()
{
    dim3 two(2, 1, 1), none(99);
    TRY(launch(empty, 4, 32, two, 0));
    TRY(launch(empty, 3, 32, two, 0));
    TRY(launch(empty, dim3(4, 3), 32, dim3(2, 2, 1), 0));
    TRY(launch(empty, 4, 32, dim3(8, 1, 1), 0));
    TRY(launch(empty, 8, 1024, dim3(8, 1, 1), 0));
    TRY(launch(empty, 7, 32, dim3(7, 1, 1), 0));
    TRY(launch(empty, 9, 32, dim3(9, 1, 1), 0));
    TRY(launch(empty, 16, 32, dim3(16, 1, 1), 0));
    TRY(launch(empty, 4, 32, dim3(0, 1, 1), 0));
    TRY(launch(empty, 4, 32, dim3(2, 0, 1), 0));
    TRY(launch(empty, 4, 32, dim3(0, 0, 0), 0));
    TRY(launch(empty, 4, 32, dim3(1, 1, 1), 0));
    TRY(launch(of_two, 4, 32, two, 0));
    TRY(launch(of_two, 4, 32, none, 0));
    TRY(launch(of_two, 3, 32, none, 0));
    TRY(launch(of_two, 4, 32, dim3(4, 1, 1), 0));
    TRY(launch(of_two, 4, 32, dim3(1, 1, 1), 0));
    of_two<<<3, 32>>>();
    say("of_two<<<3, 32>>>", cudaSuccess);
    of_two<<<4, 32>>>();
    say("of_two<<<4, 32>>>", cudaSuccess);
    of_sixteen<<<16, 32>>>();
    say("of_sixteen<<<16, 32>>>", cudaSuccess);
    TRY(launch(at_most_four, 4, 32, dim3(4, 1, 1), 0));
    TRY(launch(at_most_four, 8, 32, dim3(8, 1, 1), 0));
    TRY(cudaFuncSetAttribute(empty, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    TRY(launch(empty, 16, 32, dim3(16, 1, 1), 0));
    TRY(launch(empty, 12, 32, dim3(12, 1, 1), 0));
    TRY(launch(empty, 17, 32, dim3(17, 1, 1), 0));
    TRY(cudaFuncSetAttribute(of_sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    of_sixteen<<<16, 32>>>();
    say("of_sixteen<<<16, 32>>>", cudaSuccess);
    TRY(cudaFuncSetAttribute(empty, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    TRY(cudaFuncSetAttribute(of_two, cudaFuncAttributeRequiredClusterWidth, 4));
    TRY(cudaFuncSetAttribute(of_two, cudaFuncAttributeRequiredClusterWidth, 2));
    attributes("empty", (const void *)empty);
    attributes("of_two", (const void *)of_two);
    attributes("of_sixteen", (const void *)of_sixteen);
    occupancy("registers", registers, 1, 256);
    occupancy("registers", registers, 4, 256);
    occupancy("registers", registers, 16, 256);
    occupancy("registers", registers, 0, 256);
    occupancy("of_two", of_two, 2, 256);
    occupancy("of_two", of_two, 4, 256);
    occupancy("of_two", of_two, 0, 256);
    occupancy("of_sixteen", of_sixteen, 16, 256);
}

int main()
{
    int has = 0;
    cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("clusters: %d %d\n", has, p.clusterLaunch);
    all_registers();
    all_accesses();
    all_launches();
    return 0;
}

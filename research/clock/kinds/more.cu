// SPDX-License-Identifier: MIT
//
// more.cu: kernels that foreign programs showed the model to be wrong about:
// bodies that attract each other, sums whose threads lie apart. They run only
// where they are named.
#include "kinds.cuh"

enum { THREADS = 256, BODIES = 1024 };

// Forces of 1024 bodies on each, from tiles in shared memory.
__global__ static void bodies_in_tiles(const float4 *at, float4 *force,
                                       uint32_t n) {
    __shared__ float4 tile[THREADS];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    float4 own = at[i], sum = {0, 0, 0, 0};
    for (uint32_t first = 0; first < BODIES; first += THREADS) {
        tile[threadIdx.x] = at[(first + threadIdx.x) % n];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            float x = tile[k].x - own.x, y = tile[k].y - own.y,
                  z = tile[k].z - own.z;
            float root = rsqrtf(x * x + y * y + z * z + 0.01f);
            float s = tile[k].w * root * root * root;
            sum.x += x * s, sum.y += y * s, sum.z += z * s;
        }
        __syncthreads();
    }
    force[i] = sum;
}

__global__ static void bodies(const float4 *at, float4 *force, uint32_t n) {
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    float4 own = at[i], sum = {0, 0, 0, 0};
    for (uint32_t k = 0; k < BODIES && k < n; k++) {
        float x = at[k].x - own.x, y = at[k].y - own.y, z = at[k].z - own.z;
        float root = rsqrtf(x * x + y * y + z * z + 0.01f);
        float s = root * root * root;
        sum.x += x * s, sum.y += y * s, sum.z += z * s;
    }
    force[i] = sum;
}

// Sums of 256, whose threads that work lie apart: by the remainder of their
// number, by an index that they compute, side by side.
enum apart { BY_REMAINDER, BY_INDEX, SIDE_BY_SIDE };
template <apart HOW>
__global__ static void sums(const uint32_t *in, uint32_t *out, uint32_t n) {
    __shared__ uint32_t part[THREADS];
    uint32_t t = threadIdx.x, i = blockIdx.x * THREADS + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (HOW == SIDE_BY_SIDE)
        for (uint32_t s = THREADS / 2; s; s /= 2) {
            if (t < s) part[t] += part[t + s];
            __syncthreads();
        }
    else
        for (uint32_t s = 1; s < THREADS; s *= 2) {
            uint32_t at = 2 * s * t;
            if (HOW == BY_REMAINDER && t % (2 * s) == 0) part[t] += part[t + s];
            if (HOW == BY_INDEX && at < THREADS) part[at] += part[at + s];
            __syncthreads();
        }
    if (!t) out[blockIdx.x] = part[0];
}

#define SUMS(name, how)                                                        \
    static void run_##name(const arrays &x) {                                  \
        sums<how><<<blocks_for(x.n, THREADS), THREADS>>>(x.a, x.c, x.n);       \
    }
SUMS(sums_by_remainder, BY_REMAINDER)
SUMS(sums_by_index, BY_INDEX)
SUMS(sums_side_by_side, SIDE_BY_SIDE)

static void run_bodies(const arrays &x) {
    bodies<<<x.n / 4 / THREADS, THREADS>>>((const float4 *)x.a, (float4 *)x.c,
                                           x.n / 4);
}
static void run_bodies_in_tiles(const arrays &x) {
    bodies_in_tiles<<<x.n / 4 / THREADS, THREADS>>>((const float4 *)x.a,
                                                    (float4 *)x.c, x.n / 4);
}

extern const kind more_kinds[] = {
    {"bodies", run_bodies, 1u << 20, true},
    {"bodies_in_tiles", run_bodies_in_tiles, 1u << 20, true},
    {"sums_by_remainder", run_sums_by_remainder, 1u << 24, true},
    {"sums_by_index", run_sums_by_index, 1u << 24, true},
    {"sums_side_by_side", run_sums_side_by_side, 1u << 24, true}};
extern const size_t n_more_kinds = sizeof more_kinds / sizeof *more_kinds;

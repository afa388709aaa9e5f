/* SPDX-License-Identifier: MIT
 *
 * patterns.cu: one warp, one access, one kernel per pattern, named after it:
 * shared_ld_b8_s33 is a read of 8-byte elements of shared memory, lane i at
 * element 33 * i. Runs on the virtual GPU and, under Nsight Compute, on a real
 * one; compare.py sets the counts of both side by side.
 *
 * How to read this: PATTERNS says who accesses which element; the four ACCESS
 * macros make a kernel each out of a row; `launches` runs them all. Accesses
 * are inline PTX, so that their width is the same in PTX and in SASS. Memory
 * is not initialised: what is read does not matter, but it must be used, so
 * that the compiler keeps the read (`use`).
 * It leaves out: instruction counts. PTX and SASS differ there.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 33 * 32, WIDEST_BYTES = 16, WARP = 32 };

struct arguments {
    unsigned char *data; /* ELEMENTS * WIDEST_BYTES in global memory */
    unsigned *sink;
    unsigned one;  /* 1, but the compiler does not know */
    unsigned rare; /* what no read returns */
};

/* X(name, element of lane i, whether lane i takes part) */
#define STRIDES(X, ...)                                                        \
    X(s1, i, true, __VA_ARGS__)                                                \
    X(s2, 2 * i, true, __VA_ARGS__)                                            \
    X(s3, 3 * i, true, __VA_ARGS__)                                            \
    X(s4, 4 * i, true, __VA_ARGS__)                                            \
    X(s8, 8 * i, true, __VA_ARGS__)                                            \
    X(s16, 16 * i, true, __VA_ARGS__)                                          \
    X(s32, 32 * i, true, __VA_ARGS__)                                          \
    X(s33, 33 * i, true, __VA_ARGS__)
#define SHAPES(X, ...)                                                         \
    X(broadcast, 5, true, __VA_ARGS__)                                         \
    X(pairs, i / 2, true, __VA_ARGS__)                                         \
    X(pairs_by_two, (i & 1) | (i / 4 * 2), true, __VA_ARGS__)                  \
    X(quads, i / 4, true, __VA_ARGS__)                                         \
    X(halves, i % 16, true, __VA_ARGS__)                                       \
    X(bit_reversed, __brev(i) >> 27, true, __VA_ARGS__)                        \
    X(permuted, (13 * i + 7) % 32, true, __VA_ARGS__)                          \
    X(backwards, 31 - i, true, __VA_ARGS__)                                    \
    X(off_by_one, i + 1, true, __VA_ARGS__)                                    \
    X(even_lanes, i, i % 2 == 0, __VA_ARGS__)                                  \
    X(low_half, i, i < 16, __VA_ARGS__)                                        \
    X(low_half_s2, 2 * i, i < 16, __VA_ARGS__)                                 \
    X(even_lanes_s2, 2 * i, i % 2 == 0, __VA_ARGS__)                           \
    X(every_fourth, i, i % 4 == 0, __VA_ARGS__)                                \
    X(every_fourth_s8, 8 * i, i % 4 == 0, __VA_ARGS__)                         \
    X(one_lane, 3, i == 9, __VA_ARGS__)
/* Padded by one element in 32: element k lies at k + k / 32. */
#define PADDED(X, ...)                                                         \
    X(padded_s2, 2 * i + 2 * i / 32, true, __VA_ARGS__)                        \
    X(padded_s8, 8 * i + 8 * i / 32, true, __VA_ARGS__)                        \
    X(padded_s16, 16 * i + 16 * i / 32, true, __VA_ARGS__)
#define PATTERNS(X, ...)                                                       \
    STRIDES(X, __VA_ARGS__)                                                    \
    SHAPES(X, __VA_ARGS__)                                                     \
    PADDED(X, __VA_ARGS__)

#define KERNEL(name)                                                           \
    extern "C" __global__ void name(const __grid_constant__ struct arguments a)

__device__ unsigned lane(struct arguments a) {
    return threadIdx.x * a.one;
}

__device__ void use(struct arguments a, unsigned value) {
    if (value == a.rare) *a.sink = value;
}

__device__ unsigned shared_room(void) {
    __shared__ __align__(1024) unsigned char room[ELEMENTS * WIDEST_BYTES];
    return (unsigned)__cvta_generic_to_shared(room);
}

/* ---- one access, of 4, 8 or 16 bytes ---- */

#define LOAD(space, constraint)                                                \
    __device__ unsigned space##_ld_b4(constraint at) {                         \
        unsigned x;                                                            \
        asm volatile("ld." #space ".u32 %0, [%1];" : "=r"(x) : AT(at));        \
        return x;                                                              \
    }                                                                          \
    __device__ unsigned space##_ld_b8(constraint at) {                         \
        unsigned x, y;                                                         \
        asm volatile("ld." #space ".v2.u32 {%0, %1}, [%2];"                    \
                     : "=r"(x), "=r"(y)                                        \
                     : AT(at));                                                \
        return x ^ y;                                                          \
    }                                                                          \
    __device__ unsigned space##_ld_b16(constraint at) {                        \
        unsigned x, y, z, w;                                                   \
        asm volatile("ld." #space ".v4.u32 {%0, %1, %2, %3}, [%4];"            \
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                      \
                     : AT(at));                                                \
        return x ^ y ^ z ^ w;                                                  \
    }

#define STORE(space, constraint)                                               \
    __device__ void space##_st_b4(constraint at, unsigned x) {                 \
        asm volatile("st." #space ".u32 [%0], %1;" ::AT(at), "r"(x)            \
                     : "memory");                                              \
    }                                                                          \
    __device__ void space##_st_b8(constraint at, unsigned x) {                 \
        asm volatile("st." #space ".v2.u32 [%0], {%1, %1};" ::AT(at), "r"(x)   \
                     : "memory");                                              \
    }                                                                          \
    __device__ void space##_st_b16(constraint at, unsigned x) {                \
        asm volatile("st." #space ".v4.u32 [%0], {%1, %1, %1, %1};" ::AT(at),  \
                     "r"(x)                                                    \
                     : "memory");                                              \
    }

#define AT(at) "r"(at)
LOAD(shared, unsigned)
STORE(shared, unsigned)
#undef AT
#define AT(at) "l"(at)
LOAD(global, uint64_t)
STORE(global, uint64_t)

/* ---- the kernels ---- */

#define SHARED_LD(pattern, element, active, bytes)                             \
    KERNEL(shared_ld_b##bytes##_##pattern) {                                   \
        unsigned i = lane(a);                                                  \
        if (active)                                                            \
            use(a, shared_ld_b##bytes(shared_room() + (element) * bytes));     \
    }
#define SHARED_ST(pattern, element, active, bytes)                             \
    KERNEL(shared_st_b##bytes##_##pattern) {                                   \
        unsigned i = lane(a);                                                  \
        if (active)                                                            \
            shared_st_b##bytes(shared_room() + (element) * bytes, a.one);      \
    }
#define GLOBAL_LD(pattern, element, active, bytes)                             \
    KERNEL(global_ld_b##bytes##_##pattern) {                                   \
        unsigned i = lane(a);                                                  \
        if (active)                                                            \
            use(a, global_ld_b##bytes((uint64_t)a.data + (element) * bytes));  \
    }
#define GLOBAL_ST(pattern, element, active, bytes)                             \
    KERNEL(global_st_b##bytes##_##pattern) {                                   \
        unsigned i = lane(a);                                                  \
        if (active)                                                            \
            global_st_b##bytes((uint64_t)a.data + (element) * bytes, a.one);   \
    }

#define ALL_PATTERNS(X)                                                        \
    PATTERNS(X##_LD, 4)                                                        \
    PATTERNS(X##_LD, 8)                                                        \
    PATTERNS(X##_LD, 16)                                                       \
    PATTERNS(X##_ST, 4)                                                        \
    PATTERNS(X##_ST, 8)                                                        \
    PATTERNS(X##_ST, 16)
ALL_PATTERNS(SHARED)
ALL_PATTERNS(GLOBAL)

/* ---- atomics: atom returns the old value, red does not ---- */

#define ATOMIC_PATTERNS(X, ...)                                                \
    X(same, i - i * a.one, true, __VA_ARGS__)                                  \
    X(pairs, i / 2, true, __VA_ARGS__)                                         \
    X(s1, i, true, __VA_ARGS__)                                                \
    X(s2, 2 * i, true, __VA_ARGS__)                                            \
    X(s8, 8 * i, true, __VA_ARGS__)                                            \
    X(s32, 32 * i, true, __VA_ARGS__)                                          \
    X(even_lanes, i, i % 2 == 0, __VA_ARGS__)                                  \
    X(one_lane, 3, i == 9, __VA_ARGS__)

#define SHARED_ATOM(pattern, element, active, operation)                       \
    KERNEL(shared_atom_##operation##_##pattern) {                              \
        unsigned i = lane(a), old = 0;                                         \
        if (active) {                                                          \
            asm volatile("atom.shared." #operation ".u32 %0, [%1], %2;"        \
                         : "=r"(old)                                           \
                         : "r"(shared_room() + (element) * 4), "r"(i)          \
                         : "memory");                                          \
            use(a, old);                                                       \
        }                                                                      \
    }
#define GLOBAL_ATOM(pattern, element, active, operation)                       \
    KERNEL(global_atom_##operation##_##pattern) {                              \
        unsigned i = lane(a), old = 0;                                         \
        if (active) {                                                          \
            asm volatile("atom.global." #operation ".u32 %0, [%1], %2;"        \
                         : "=r"(old)                                           \
                         : "l"((uint64_t)a.data + (element) * 4), "r"(i)       \
                         : "memory");                                          \
            use(a, old);                                                       \
        }                                                                      \
    }
#define GLOBAL_RED(pattern, element, active, operation)                        \
    KERNEL(global_red_##operation##_##pattern) {                               \
        unsigned i = lane(a);                                                  \
        if (active)                                                            \
            asm volatile("red.global." #operation ".u32 [%0], %1;" ::"l"(      \
                             (uint64_t)a.data + (element) * 4),                \
                         "r"(i)                                                \
                         : "memory");                                          \
    }
#define GLOBAL_CAS(pattern, element, active, bytes)                            \
    KERNEL(global_cas_b8_##pattern) {                                          \
        unsigned i = lane(a);                                                  \
        uint64_t old = 0;                                                      \
        if (active) {                                                          \
            asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;"               \
                         : "=l"(old)                                           \
                         : "l"((uint64_t)a.data + (element) * 8),              \
                           "l"((uint64_t)i), "l"((uint64_t)a.one)              \
                         : "memory");                                          \
            use(a, (unsigned)old);                                             \
        }                                                                      \
    }

#define ATOMIC_KERNELS                                                         \
    ATOMIC_PATTERNS(SHARED_ATOM, add)                                          \
    ATOMIC_PATTERNS(SHARED_ATOM, max)                                          \
    ATOMIC_PATTERNS(GLOBAL_ATOM, add)                                          \
    ATOMIC_PATTERNS(GLOBAL_RED, add)                                           \
    ATOMIC_PATTERNS(GLOBAL_CAS, 8)
ATOMIC_KERNELS

/* ---- barriers: X(name, warps, statements) ---- */

#define BARRIER asm volatile("bar.sync 0;" ::: "memory");
#define BARRIER_KERNELS(X)                                                     \
    X(barrier_one_warp, 1, BARRIER)                                            \
    X(barrier_four_warps, 4, BARRIER)                                          \
    X(barrier_thrice, 4, BARRIER BARRIER BARRIER)                              \
    X(barrier_half, 4,                                                         \
      if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");)     \
    X(barrier_arrive, 4,                                                       \
      if (threadIdx.x < 64) asm volatile("bar.sync 1, 128;" ::: "memory");     \
      else asm volatile("bar.arrive 1, 128;" ::: "memory");)
#define BARRIER_KERNEL(name, warps, statements) KERNEL(name) { statements }
BARRIER_KERNELS(BARRIER_KERNEL)

/* ---- the launches ---- */

typedef void kernel(struct arguments);
static const struct launch {
    kernel *run;
    int warps;
} launches[] = {
#undef KERNEL
#define ROW(name, n_warps) {name, n_warps},
#define SHARED_LD_ROW(p, e, m, bytes) ROW(shared_ld_b##bytes##_##p, 1)
#define SHARED_ST_ROW(p, e, m, bytes) ROW(shared_st_b##bytes##_##p, 1)
#define GLOBAL_LD_ROW(p, e, m, bytes) ROW(global_ld_b##bytes##_##p, 1)
#define GLOBAL_ST_ROW(p, e, m, bytes) ROW(global_st_b##bytes##_##p, 1)
#define SHARED_ATOM_ROW(p, e, m, operation) ROW(shared_atom_##operation##_##p, 1)
#define GLOBAL_ATOM_ROW(p, e, m, operation) ROW(global_atom_##operation##_##p, 1)
#define GLOBAL_RED_ROW(p, e, m, operation) ROW(global_red_##operation##_##p, 1)
#define GLOBAL_CAS_ROW(p, e, m, bytes) ROW(global_cas_b8_##p, 1)
#define BARRIER_ROW(name, warps, statements) ROW(name, warps)
#define WIDTHS_OF(X) PATTERNS(X, 4) PATTERNS(X, 8) PATTERNS(X, 16)
    WIDTHS_OF(SHARED_LD_ROW) WIDTHS_OF(SHARED_ST_ROW) WIDTHS_OF(GLOBAL_LD_ROW)
    WIDTHS_OF(GLOBAL_ST_ROW) ATOMIC_PATTERNS(SHARED_ATOM_ROW, add)
    ATOMIC_PATTERNS(SHARED_ATOM_ROW, max) ATOMIC_PATTERNS(GLOBAL_ATOM_ROW, add)
    ATOMIC_PATTERNS(GLOBAL_RED_ROW, add) ATOMIC_PATTERNS(GLOBAL_CAS_ROW, 8)
    BARRIER_KERNELS(BARRIER_ROW)};

static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "patterns: %s\n", cudaGetErrorString(status));
    exit(1);
}

int main(void) {
    struct arguments a = {.data = NULL, .sink = NULL, .one = 1,
                          .rare = 0x5ca1ab1e};
    check(cudaMalloc(&a.data, ELEMENTS * WIDEST_BYTES));
    check(cudaMemset(a.data, 0, ELEMENTS * WIDEST_BYTES));
    check(cudaMalloc(&a.sink, sizeof *a.sink));
    for (const struct launch &l : launches) {
        l.run<<<1, l.warps * WARP>>>(a);
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
    check(cudaFree(a.sink));
    check(cudaFree(a.data));
    return 0;
}

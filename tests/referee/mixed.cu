/* SPDX-License-Identifier: MIT
 *
 * mixed.cu: kernels whose accesses are of several kinds: loads and stores
 * beside atomics, with and without their old value; the read-only cache;
 * constant memory. compare.py sets the virtual GPU's counts beside those of a
 * real one.
 *
 * How to read this: every kernel is launched once, BLOCKS blocks of THREADS
 * threads. `mixed` scatters numbers without pattern. Accesses are inline PTX
 * where the compiler could choose another instruction; the kernels named c_*
 * are plain CUDA C++, where it chooses.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 14, BLOCKS = 3, THREADS = 192, TABLE = 4096 };

__constant__ unsigned table[TABLE];

struct arguments {
    unsigned *data; /* WORDS of them */
    const unsigned *input;
    unsigned *sink;
    unsigned one;  /* 1, but the compiler does not know */
    unsigned rare; /* what no read returns */
};

#define KERNEL(name)                                                           \
    extern "C" __global__ void name(const __grid_constant__ struct arguments a)

__device__ unsigned thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ unsigned mixed(unsigned x) {
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    return x ^ x >> 13;
}

__device__ void use(struct arguments a, unsigned value) {
    if (value == a.rare) *a.sink = value;
}

__device__ unsigned load(const unsigned *at) {
    unsigned x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
}

__device__ void store(unsigned *at, unsigned x) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
}

__device__ void red(unsigned *at, unsigned x) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
}

__device__ unsigned atom(unsigned *at, unsigned x) {
    unsigned old;
    asm volatile("atom.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(at), "r"(x)
                 : "memory");
    return old;
}

__device__ unsigned constant_word(unsigned at) {
    unsigned x;
    asm volatile("{ .reg .u64 t; cvta.to.const.u64 t, %1; ld.const.u32 %0, "
                 "[t]; }"
                 : "=r"(x)
                 : "l"(table + at));
    return x;
}

/* ---- atomics by how many lanes share a word ---- */

#define SHARING(X)                                                             \
    X(by_5, t % 5)                                                             \
    X(by_5_apart, t % 5 * 40)                                                  \
    X(of_64, mixed(t) % 64)                                                    \
    X(of_1024, mixed(t) % 1024)                                                \
    X(anywhere, mixed(t) % WORDS)                                              \
    X(half_one_word, t % 2 ? 9 : t)                                            \
    X(triples, t / 3)
#define ATOM(name, word)                                                       \
    KERNEL(mixed_atom_##name) {                                                \
        unsigned t = thread(), x = load(a.input + t);                          \
        use(a, atom(a.data + (word), x));                                      \
        store(a.data + WORDS / 2 + t, x);                                      \
    }
#define RED(name, word)                                                        \
    KERNEL(mixed_red_##name) {                                                 \
        unsigned t = thread(), x = load(a.input + t);                          \
        red(a.data + (word), x);                                               \
        store(a.data + WORDS / 2 + 2 * t, x);                                  \
    }
SHARING(ATOM)
SHARING(RED)

/* ---- other operations ---- */

KERNEL(mixed_operations) {
    unsigned t = thread(), old;
    uint64_t wide;
    asm volatile("atom.global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(a.data + t), "r"(t)
                 : "memory");
    use(a, old);
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;"
                 : "=r"(old)
                 : "l"(a.data + 3 * t), "r"(t)
                 : "memory");
    use(a, old);
    asm volatile("atom.global.add.u64 %0, [%1], %2;"
                 : "=l"(wide)
                 : "l"((uint64_t *)a.data + t / 2), "l"((uint64_t)t)
                 : "memory");
    use(a, (unsigned)wide);
    asm volatile(
        "red.global.max.u64 [%0], %1;" ::"l"((uint64_t *)a.data + 2 * t),
        "l"((uint64_t)t)
        : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(a.data + 5 * t),
                 "f"((float)t)
                 : "memory");
    if (t % 3) red(a.data + t, t);
}

KERNEL(mixed_both) {
    unsigned t = thread(), sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        sum += load(a.input + t + k);
        sum += atom(a.data + (t + k) % 96, sum);
        red(a.data + 1024 + t * 2 + k, sum);
    }
    store(a.data + 4096 + t, sum);
}

/* An old value that nobody reads. */
#define UNUSED_OLD(text, at, value)                                            \
    asm volatile("{ .reg .b32 old; " text " }" ::"l"(at), "r"(value) : "memor" \
                                                                       "y")
KERNEL(mixed_unused_old) {
    unsigned t = thread();
    UNUSED_OLD("atom.global.add.u32 old, [%0], %1;", a.data + t, t);
    UNUSED_OLD("atom.global.exch.b32 old, [%0], %1;", a.data + 1024 + t, t);
    UNUSED_OLD("atom.global.cas.b32 old, [%0], %1, %1;", a.data + 2048 + t, t);
    UNUSED_OLD("atom.global.max.s32 old, [%0], %1;", a.data + 4096 + t, t);
}

/* ---- plain CUDA C++ ---- */

KERNEL(c_histogram) {
    unsigned t = thread();
    atomicAdd(&a.data[a.input[t] % 64 + t % 7], 1u);
}

KERNEL(c_ticket) {
    __shared__ unsigned tile;
    if (!threadIdx.x) tile = atomicAdd(&a.data[0], 1u);
    __syncthreads();
    unsigned at = (tile % BLOCKS) * THREADS + threadIdx.x;
    a.data[1024 + at] = a.input[at];
}

KERNEL(c_one_counter) {
    if (a.input[thread()] % 2 == 0) atomicAdd(&a.data[0], a.one);
}

KERNEL(c_maximum) {
    atomicMax(&a.data[thread() / 4], a.input[thread()]);
}

/* ---- the read-only cache, constant memory ---- */

#define READ_ONLY(bytes, apart)                                                \
    KERNEL(readonly_b##bytes##_s##apart) {                                     \
        unsigned x, y = 0, z = 0, w = 0;                                       \
        const unsigned *at = a.input + thread() % 64 * apart * (bytes / 4);    \
        if (bytes == 4)                                                        \
            asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(at));    \
        else if (bytes == 8)                                                   \
            asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];"                 \
                         : "=r"(x), "=r"(y)                                    \
                         : "l"(at));                                           \
        else                                                                   \
            asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"         \
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                  \
                         : "l"(at));                                           \
        use(a, (x ^ y ^ z ^ w) + load(a.input + thread()));                    \
    }
READ_ONLY(4, 1)
READ_ONLY(4, 3)
READ_ONLY(4, 8)
READ_ONLY(8, 1)
READ_ONLY(16, 2)

#define CONSTANT(name, word)                                                   \
    KERNEL(constant_##name) {                                                  \
        unsigned t = thread() * a.one;                                         \
        use(a, constant_word(word) + load(a.input + t));                       \
    }
CONSTANT(one, t / 32)
CONSTANT(two, t % 2)
CONSTANT(four, t % 4)
CONSTANT(four_apart, t % 4 * 64)
CONSTANT(pairs, t % 32 / 2)
CONSTANT(row, t % 32)
CONSTANT(lines, t % 32 * 16)
CONSTANT(anywhere, mixed(t) % TABLE)

typedef void kernel(struct arguments);
static kernel *const kernels[] = {
#undef KERNEL
#define ATOM_ROW(name, word) mixed_atom_##name,
#define RED_ROW(name, word)  mixed_red_##name,
    SHARING(ATOM_ROW) SHARING(RED_ROW) mixed_operations,
    mixed_both,
    mixed_unused_old,
    c_histogram,
    c_ticket,
    c_one_counter,
    c_maximum,
    readonly_b4_s1,
    readonly_b4_s3,
    readonly_b4_s8,
    readonly_b8_s1,
    readonly_b16_s2,
    constant_one,
    constant_two,
    constant_four,
    constant_four_apart,
    constant_pairs,
    constant_row,
    constant_lines,
    constant_anywhere};

static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "mixed: %s\n", cudaGetErrorString(status));
    exit(1);
}

int main(void) {
    static unsigned words[WORDS];
    struct arguments a = {.data = NULL,
                          .input = NULL,
                          .sink = NULL,
                          .one = 1,
                          .rare = 0x5ca1ab1e};
    unsigned *input;
    for (unsigned i = 0; i < WORDS; i++) words[i] = i * 2654435761u >> 20;
    check(cudaMalloc(&a.data, sizeof words));
    check(cudaMalloc(&input, sizeof words));
    check(cudaMalloc(&a.sink, sizeof *a.sink));
    check(cudaMemcpy(input, words, sizeof words, cudaMemcpyHostToDevice));
    check(cudaMemcpyToSymbol(table, words, sizeof table));
    a.input = input;
    for (kernel *run : kernels) {
        check(cudaMemset(a.data, 0, sizeof words));
        run<<<BLOCKS, THREADS>>>(a);
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
    return 0;
}

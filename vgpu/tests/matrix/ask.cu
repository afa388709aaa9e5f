// SPDX-License-Identifier: MIT
//
// ask.cu: what a GPU answers to matrix instructions. Bits, in the order of
// cases.h:
//
//   ask CASES >FILE   first the answers of mma: of each form so many cases,
//                     [register][lane]; then what wmma and ldmatrix do
//
// nvcc -arch=sm_90 (or 80). Exit status 2: no GPU, or a call failed.
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "cases.h"

static void must(cudaError_t e) {
    if (!e) return;
    fprintf(stderr, "ask: %s\n", cudaGetErrorString(e));
    exit(2);
}

#define LIST_1(x, at)     "r"(x[at])
#define LIST_2(x, at)     LIST_1(x, at), LIST_1(x, at + 1)
#define LIST_4(x, at)     LIST_2(x, at), LIST_2(x, at + 2)
#define OUT_2(x)          "=r"(x[0]), "=r"(x[1])
#define OUT_4(x)          OUT_2(x), "=r"(x[2]), "=r"(x[3])
#define NAMES(d, a, b, c) NAMES_##d##_##a##_##b##_##c
#define NAMES_4_4_2_4     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13}"
#define NAMES_2_4_2_2     "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9}"
#define NAMES_4_2_1_4     "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10}"
#define NAMES_2_2_1_2     "{%0,%1},{%2,%3},{%4},{%5,%6}"
#define NAMES_2_1_1_2     "{%0,%1},{%2},{%3},{%4,%5}"

// One block of 32 threads a case.
#define X(name, text, na, nb, nc, nd, t, tc)                                   \
    __global__ static void ask_##name(const uint32_t *in, uint32_t *out) {     \
        uint32_t a[4], b[2], c[4], d[4], lane = threadIdx.x;                   \
        in += blockIdx.x * (na + nb + nc) * 32;                                \
        for (int k = 0; k < na; k++) a[k] = in[k * 32 + lane];                 \
        for (int k = 0; k < nb; k++) b[k] = in[(na + k) * 32 + lane];          \
        for (int k = 0; k < nc; k++) c[k] = in[(na + nb + k) * 32 + lane];     \
        asm volatile("mma.sync.aligned." text " " NAMES(nd, na, nb, nc) ";"    \
                     : OUT_##nd(d)                                             \
                     : LIST_##na(a, 0), LIST_##nb(b, 0), LIST_##nc(c, 0));     \
        for (int k = 0; k < nd; k++)                                           \
            out[(blockIdx.x * nd + k) * 32 + lane] = d[k];                     \
    }
MATRIX_FORMS(X)
#undef X

static uint32_t *device(const std::vector<uint32_t> &words) {
    uint32_t *d;
    must(cudaMalloc(&d, words.size() * 4));
    must(cudaMemcpy(d, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
    return d;
}

static void print(uint32_t *d, size_t n) {
    std::vector<uint32_t> words(n);
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(words.data(), d, n * 4, cudaMemcpyDeviceToHost));
    fwrite(words.data(), 4, n, stdout);
    must(cudaFree(d));
}

static void ask_form(uint32_t form, uint32_t cases, uint32_t na, uint32_t nb,
                     uint32_t nc, uint32_t nd, enum matrix_type t,
                     enum matrix_type tc,
                     void (*kernel)(const uint32_t *, uint32_t *)) {
    std::vector<uint32_t> in((size_t)cases * (na + nb + nc) * 32),
        out((size_t)cases * nd * 32, 0xdeadbeefu);
    for (uint32_t k = 0; k < cases; k++) {
        uint32_t *at = &in[(size_t)k * (na + nb + nc) * 32];
        matrix_operand(form, k, 0, t, na, at);
        matrix_operand(form, k, 1, t, nb, at + na * 32);
        matrix_operand(form, k, 2, tc, nc, at + (na + nb) * 32);
    }
    uint32_t *from = device(in), *to = device(out);
    kernel<<<cases, 32>>>(from, to);
    must(cudaGetLastError());
    print(to, out.size());
    must(cudaFree(from));
}

// ---- wmma: where elements lie, and what it computes ----

#define EIGHT(x)                                                               \
    "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]),    \
        "=r"(x[6]), "=r"(x[7])
#define INTO_8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define INTO_4 "{%0,%1,%2,%3}"

// X(name, shape, part, layout, type, registers)
#define WMMA_LOADS(X)                                                          \
    X(0, "m16n16k16", "a", "row", "f16", 8)                                    \
    X(1, "m16n16k16", "a", "col", "f16", 8)                                    \
    X(2, "m16n16k16", "b", "row", "f16", 8)                                    \
    X(3, "m16n16k16", "b", "col", "f16", 8)                                    \
    X(4, "m16n16k16", "c", "row", "f16", 4)                                    \
    X(5, "m16n16k16", "c", "col", "f16", 4)                                    \
    X(6, "m16n16k16", "c", "row", "f32", 8)                                    \
    X(7, "m16n16k16", "c", "col", "f32", 8)                                    \
    X(8, "m32n8k16", "a", "row", "f16", 8)                                     \
    X(9, "m32n8k16", "a", "col", "f16", 8)                                     \
    X(10, "m32n8k16", "b", "row", "f16", 8)                                    \
    X(11, "m32n8k16", "b", "col", "f16", 8)                                    \
    X(12, "m32n8k16", "c", "row", "f16", 4)                                    \
    X(13, "m32n8k16", "c", "col", "f16", 4)                                    \
    X(14, "m32n8k16", "c", "row", "f32", 8)                                    \
    X(15, "m32n8k16", "c", "col", "f32", 8)                                    \
    X(16, "m8n32k16", "a", "row", "f16", 8)                                    \
    X(17, "m8n32k16", "a", "col", "f16", 8)                                    \
    X(18, "m8n32k16", "b", "row", "f16", 8)                                    \
    X(19, "m8n32k16", "b", "col", "f16", 8)                                    \
    X(20, "m8n32k16", "c", "row", "f16", 4)                                    \
    X(21, "m8n32k16", "c", "col", "f16", 4)                                    \
    X(22, "m8n32k16", "c", "row", "f32", 8)                                    \
    X(23, "m8n32k16", "c", "col", "f32", 8)                                    \
    X(24, "m16n16k16", "a", "row", "bf16", 4)                                  \
    X(25, "m16n16k16", "a", "col", "bf16", 4)                                  \
    X(26, "m16n16k16", "b", "row", "bf16", 4)                                  \
    X(27, "m16n16k16", "b", "col", "bf16", 4)                                  \
    X(28, "m16n16k8", "a", "row", "tf32", 4)                                   \
    X(29, "m16n16k8", "a", "col", "tf32", 4)                                   \
    X(30, "m16n16k8", "b", "row", "tf32", 4)                                   \
    X(31, "m16n16k8", "b", "col", "tf32", 4)

// Which word of memory (f16: half) each register holds: memory word k is k.
#define X(id, shape, part, layout, type, n)                                    \
    __global__ static void wmma_load_##id(const void *from, uint32_t *out) {   \
        uint32_t x[8] = {};                                                    \
        asm volatile("wmma.load." part ".sync.aligned." layout "." shape       \
                     ".global." type " " INTO_##n ", [%8], 32;"                \
                     : EIGHT(x)                                                \
                     : "l"(from));                                             \
        for (int k = 0; k < 8; k++) out[k * 32 + threadIdx.x] = x[k];          \
    }
WMMA_LOADS(X)
#undef X

static void ask_layouts() {
    std::vector<uint32_t> halves(512), words(1024), out(256);
    for (uint32_t i = 0; i < 1024; i++) {
        halves[i / 2] |= i << (16 * (i & 1));
        words[i] = i;
    }
    uint32_t *h = device(halves), *w = device(words);
#define X(id, shape, part, layout, type, n)                                    \
    {                                                                          \
        uint32_t *to = device(out);                                            \
        wmma_load_##id<<<1, 32>>>(type[1] == '1' || type[0] == 'b' ? h : w,    \
                                  to);                                         \
        must(cudaGetLastError());                                              \
        print(to, 256);                                                        \
    }
    WMMA_LOADS(X)
#undef X
}

// The registers of wmma.mma, filled like those of mma, and its answer.
#define MORE(x, n, at) LIST_##n(x, at)
#define LIST_8(x, at)  LIST_4(x, at), LIST_4(x, at + 4)
#define WMMA_FORMS(X)                                                          \
    X(0, "m16n16k16.f32.f32", IS_F16, IS_F32,                                  \
      "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11,%12,%13,%14,%15},"             \
      "{%16,%17,%18,%19,%20,%21,%22,%23},{%24,%25,%26,%27,%28,%29,%30,%31}")   \
    X(1, "m32n8k16.f32.f32", IS_F16, IS_F32,                                   \
      "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11,%12,%13,%14,%15},"             \
      "{%16,%17,%18,%19,%20,%21,%22,%23},{%24,%25,%26,%27,%28,%29,%30,%31}")   \
    X(2, "m8n32k16.f32.f32", IS_F16, IS_F32,                                   \
      "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11,%12,%13,%14,%15},"             \
      "{%16,%17,%18,%19,%20,%21,%22,%23},{%24,%25,%26,%27,%28,%29,%30,%31}")   \
    X(3, "m16n16k16.f16.f16", IS_F16, IS_F16,                                  \
      "{%0,%1,%2,%3},{%8,%9,%10,%11,%12,%13,%14,%15},"                         \
      "{%16,%17,%18,%19,%20,%21,%22,%23},{%24,%25,%26,%27}")                   \
    X(4, "m16n16k16.f32.bf16.bf16.f32", IS_BF16, IS_F32,                       \
      "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11},{%16,%17,%18,%19},"           \
      "{%24,%25,%26,%27,%28,%29,%30,%31}")                                     \
    X(5, "m16n16k8.f32.tf32.tf32.f32", IS_TF32, IS_F32,                        \
      "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11},{%16,%17,%18,%19},"           \
      "{%24,%25,%26,%27,%28,%29,%30,%31}")
#define X(id, text, t, tc, names)                                              \
    __global__ static void wmma_##id(const uint32_t *in, uint32_t *out) {      \
        uint32_t a[8], b[8], c[8], d[8] = {}, lane = threadIdx.x;              \
        in += blockIdx.x * 24 * 32;                                            \
        for (int k = 0; k < 8; k++) {                                          \
            a[k] = in[k * 32 + lane];                                          \
            b[k] = in[(8 + k) * 32 + lane];                                    \
            c[k] = in[(16 + k) * 32 + lane];                                   \
        }                                                                      \
        asm volatile("wmma.mma.sync.aligned.row.col." text " " names ";"       \
                     : EIGHT(d)                                                \
                     : LIST_8(a, 0), LIST_8(b, 0), LIST_8(c, 0));              \
        for (int k = 0; k < 8; k++)                                            \
            out[(blockIdx.x * 8 + k) * 32 + lane] = d[k];                      \
    }
WMMA_FORMS(X)
#undef X

// ---- ldmatrix, movmatrix ----

__global__ static void moved(uint32_t *out) {
    __shared__ __align__(16) uint16_t words[32 * 8 * 2];
    uint32_t lane = threadIdx.x, x[4] = {}, y;
    for (int k = 0; k < 16; k++) words[lane * 16 + k] = lane * 16 + k;
    __syncwarp();
    uint32_t at = (uint32_t)__cvta_generic_to_shared(words) +
                  (lane * 7 % 32) * 32; // rows anywhere
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(x[0])
                 : "r"(at));
    out[lane] = x[0];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(x[0]), "=r"(x[1])
                 : "r"(at));
    out[32 + lane] = x[0], out[64 + lane] = x[1];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(at));
    for (int k = 0; k < 4; k++) out[(3 + k) * 32 + lane] = x[k];
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
        : "r"(at));
    for (int k = 0; k < 4; k++) out[(7 + k) * 32 + lane] = x[k];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
                 : "=r"(y)
                 : "r"(x[0]));
    out[11 * 32 + lane] = y;
}

int main(int n, char **words) {
    uint32_t cases = n > 1 ? (uint32_t)atoi(words[1]) : 64, form = 0;
#define X(name, text, na, nb, nc, nd, t, tc)                                   \
    ask_form(form++, cases, na, nb, nc, nd, t, tc, ask_##name);
    MATRIX_FORMS(X)
#undef X
#define X(id, text, t, tc, names)                                              \
    ask_form(100 + id, cases, 8, 8, 8, 8, t, tc, wmma_##id);
    WMMA_FORMS(X)
#undef X
    ask_layouts();
    uint32_t *to = device(std::vector<uint32_t>(12 * 32));
    moved<<<1, 32>>>(to);
    must(cudaGetLastError());
    print(to, 12 * 32);
    return 0;
}

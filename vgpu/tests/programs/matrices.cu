/* SPDX-License-Identifier: MIT
 *
 * matrices.cu: matrix instructions, as CUDA C++ (nvcuda::wmma) and inline PTX
 * have them: products of matrices, and scans that are made of products.
 */
//: what: matrix instructions from CUDA C++ and inline PTX
//: arch: compute_80
//: expect: prints right
//: run: --check all --device teach80 | --check all --device teach80 --schedule random:SEED --memory-model weak:SEED
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "cases.h"

using namespace nvcuda;

static unsigned mix(unsigned x) {
    x = (x ^ 61) ^ x >> 16;
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    return x ^ x >> 15;
}

/* Whole numbers of -4 to 4, so that any order of additions is exact. */
template <class T> static std::vector<T> some(size_t n, unsigned seed) {
    std::vector<T> v;
    for (size_t k = 0; k < n; k++)
        v.push_back((T)(float)((int)(mix((unsigned)k + seed) % 9) - 4));
    return v;
}

/* c = a * b, all row by row. */
template <class T, class U>
static std::vector<U> product(const std::vector<T> &a, const std::vector<T> &b,
                              int m, int n, int k) {
    std::vector<U> c;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += (float)a[i * k + l] * (float)b[l * n + j];
            c.push_back((U)sum);
        }
    return c;
}

template <class U>
static bool same(const std::vector<U> &a, const std::vector<U> &b) {
    for (size_t k = 0; k < a.size(); k++)
        if ((float)a[k] != (float)b[k]) {
            printf("%zu: %g, not %g\n", k, (double)(float)a[k],
                   (double)(float)b[k]);
            return false;
        }
    return a.size() == b.size();
}

/* ---- nvcuda::wmma ---- */

enum { SIDE = 64 };

/* Each warp a tile of M x N of the result, from global memory. */
template <int M, int N, int K, class T, class U>
__global__ void multiply(const T *a, const T *b, U *c, int side) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, M, N, K, U> z;
    int row = (int)blockIdx.y * M;
    int column = ((int)blockIdx.x * (int)blockDim.y + (int)threadIdx.y) * N;
    wmma::fill_fragment(z, (U)0);
    for (int k = 0; k < side; k += K) {
        wmma::load_matrix_sync(x, a + row * side + k, (unsigned)side);
        wmma::load_matrix_sync(y, b + k * side + column, (unsigned)side);
        wmma::mma_sync(z, x, y, z);
    }
    for (int k = 0; k < z.num_elements; k++) z.x[k] = z.x[k] * (U)2;
    wmma::store_matrix_sync(c + row * side + column, z, (unsigned)side,
                            wmma::mem_row_major);
}

template <int M, int N, int K, class T, class U> static bool multiplied() {
    std::vector<T> a = some<T>(SIDE * SIDE, 1), b = some<T>(SIDE * SIDE, 2);
    buffer<T> d_a(a), d_b(b);
    buffer<U> d_c(SIDE * SIDE);
    multiply<M, N, K, T, U>
        <<<dim3(SIDE / N / 2, SIDE / M), dim3(32, 2)>>>(d_a, d_b, d_c, SIDE);
    CHECK(cudaDeviceSynchronize());
    std::vector<U> c = product<T, U>(a, b, SIDE, SIDE, SIDE);
    for (U &v : c) v = v * (U)2;
    return same(d_c.host(), c);
}

CASE(wmma) {
    return multiplied<16, 16, 16, half, float>() &&
           multiplied<32, 8, 16, half, float>() &&
           multiplied<8, 32, 16, half, float>() &&
           multiplied<16, 16, 16, half, half>() &&
           multiplied<16, 16, 16, __nv_bfloat16, float>() &&
           multiplied<32, 8, 16, __nv_bfloat16, float>() &&
           multiplied<16, 16, 16, signed char, int>() &&
           multiplied<8, 32, 16, signed char, int>();
}

/* tf32: its fragments are rounded first. */
__global__ void multiply_tf32(const float *a, const float *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32,
                   wmma::row_major>
        x;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32,
                   wmma::col_major>
        y;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> z;
    wmma::load_matrix_sync(x, a, 8);
    wmma::load_matrix_sync(y, b, 8);
    for (int k = 0; k < x.num_elements; k++)
        x.x[k] = wmma::__float_to_tf32(x.x[k]);
    for (int k = 0; k < y.num_elements; k++)
        y.x[k] = wmma::__float_to_tf32(y.x[k]);
    wmma::fill_fragment(z, 1.0f);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_col_major);
}

CASE(wmma_tf32) {
    std::vector<float> a = some<float>(128, 3), b = some<float>(128, 4), want;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) {
            float sum = 1;
            for (int k = 0; k < 8; k++) sum += a[i * 8 + k] * b[j * 8 + k];
            want.push_back(sum);
        }
    buffer<float> d_a(a), d_b(b), d_c(256);
    multiply_tf32<<<1, 32>>>(d_a, d_b, d_c);
    CHECK(cudaDeviceSynchronize());
    return same(d_c.host(), want);
}

/* ---- ldmatrix and mma, in the words of PTX ---- */

__device__ static unsigned in_shared(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* A block of four warps multiplies tiles of 64 x 64, k by k; each warp has 16
 * rows. Rows in shared memory are 16 bytes longer, so that eight of them lie in
 * all banks. */
enum { TILE = 64, LONG = TILE + 8 };
__global__ void multiply_tiles(const half *a, const half *b, float *c, int n) {
    __shared__ __align__(16) half x[TILE][LONG], y[TILE][LONG];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum[8][4] = {};
    for (int k = 0; k < n; k += TILE) {
        for (unsigned i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
            unsigned row = i / TILE, column = i % TILE;
            x[row][column] = a[(blockIdx.y * TILE + row) * n + k + column];
            y[row][column] = b[(k + row) * n + blockIdx.x * TILE + column];
        }
        __syncthreads();
        for (unsigned s = 0; s < TILE; s += 16) {
            unsigned f[4], g[2];
            asm volatile(
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                : "r"(in_shared(
                    &x[warp * 16 + lane % 16][s + lane / 16 * 8])));
            for (unsigned j = 0; j < 8; j++) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                             "{%0,%1}, [%2];"
                             : "=r"(g[0]), "=r"(g[1])
                             : "r"(in_shared(&y[s + lane % 16][j * 8])));
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                    "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]),
                      "+f"(sum[j][3])
                    : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]),
                      "r"(g[1]));
            }
        }
        __syncthreads();
    }
    for (unsigned j = 0; j < 8; j++)
        for (unsigned e = 0; e < 4; e++) {
            unsigned row = warp * 16 + lane / 4 + e / 2 * 8;
            unsigned column = j * 8 + lane % 4 * 2 + e % 2;
            c[(blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column] =
                sum[j][e];
        }
}

CASE(mma) {
    enum { N = 128 };
    std::vector<half> a = some<half>(N * N, 5), b = some<half>(N * N, 6);
    buffer<half> d_a(a), d_b(b);
    buffer<float> d_c(N * N);
    multiply_tiles<<<dim3(N / TILE, N / TILE), 128>>>(d_a, d_b, d_c, N);
    CHECK(cudaDeviceSynchronize());
    return same(d_c.host(), product<half, float>(a, b, N, N, N));
}

/* ---- a scan of products ----
 *
 * Dakkak, Li, Xiong, Gelado, Hwu: Accelerating reduction and scan using tensor
 * core units (2019). 256 numbers are a matrix A of 16 rows. With U, whose ones
 * lie on and above the diagonal, A * U has the sums along each row. With L,
 * whose ones lie below it, L * A has in each column the sums of the rows above,
 * and that times a matrix of ones has the whole sum of the rows above. Together
 * they are the inclusive scan. */
__global__ void scan(const half *in, float *out) {
    __shared__ __align__(32) half upper[256], lower[256], above[256];
    __shared__ __align__(32) float sums[256];
    const half one = __float2half(1), zero = __float2half(0);
    for (unsigned i = threadIdx.x; i < 256; i += 32) {
        upper[i] = i / 16 <= i % 16 ? one : zero;
        lower[i] = i / 16 > i % 16 ? one : zero;
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a, l;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b, u;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> rows, before;
    const half *mine = in + blockIdx.x * 256;
    wmma::load_matrix_sync(a, mine, 16);
    wmma::load_matrix_sync(b, mine, 16);
    wmma::load_matrix_sync(u, upper, 16);
    wmma::load_matrix_sync(l, lower, 16);
    wmma::fill_fragment(rows, 0.0f);
    wmma::fill_fragment(before, 0.0f);
    wmma::mma_sync(rows, a, u, rows);
    wmma::mma_sync(before, l, b, before);
    wmma::store_matrix_sync(sums, before, 16, wmma::mem_row_major);
    __syncwarp();
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        above[i] = __float2half(sums[i]);
    __syncwarp();
    wmma::load_matrix_sync(a, above, 16);
    wmma::fill_fragment(b, one);
    wmma::mma_sync(rows, a, b, rows);
    wmma::store_matrix_sync(out + blockIdx.x * 256, rows, 16,
                            wmma::mem_row_major);
}

CASE(scan) {
    enum { TILES = 5 };
    std::vector<half> in = some<half>(TILES * 256, 7);
    std::vector<float> want;
    for (size_t k = 0; k < in.size(); k++)
        want.push_back((float)in[k] + (k % 256 ? want[k - 1] : 0));
    buffer<half> d_in(in);
    buffer<float> d_out(in.size());
    scan<<<TILES, 32>>>(d_in, d_out);
    CHECK(cudaDeviceSynchronize());
    return same(d_out.host(), want);
}

//: case: matrices-wmma wmma
//: case: matrices-tf32 wmma-tf32
//: case: matrices-mma mma
//: case: matrices-scan scan
int main(int argc, char **argv) { return run_case(argc, argv); }

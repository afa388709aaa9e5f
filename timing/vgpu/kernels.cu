/* SPDX-License-Identifier: MIT
 *
 * kernels.cu: what `make bench-vgpu` runs on the virtual GPU and on its peers.
 *
 * One signature for all, so that the driver needs one launch:
 *   step       one Hillis-Steele step over global memory (Hillis, Steele 1986)
 *   blelloch   exclusive scan of each 512 elements in shared memory, no padding
 *   lookback   chained scan with decoupled look-back: ticket, packed status
 *   histogram  atomics: 64 bins in shared memory, then one addition per bin
 * Sizes are multiples of what a block takes, so there is no bounds test but
 * step's. timing/vgpu/kernels.cl says the same in OpenCL C.
 */
#define THREADS 256
#define TILE    512
#define BINS    64

typedef unsigned long long status_word; /* flag << 32 | value */
enum { AGGREGATE = 1, PREFIX = 2 };

extern "C" __global__ void step(const int *in, int *out, status_word *aux,
                                int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i >= offset ? in[i] + in[i - offset] : in[i];
}

extern "C" __global__ void blelloch(const int *in, int *out, status_word *aux,
                                    int n, int arg) {
    __shared__ int temp[TILE];
    int t = threadIdx.x, base = blockIdx.x * TILE, offset = 1;
    temp[t] = in[base + t];
    temp[t + THREADS] = in[base + t + THREADS];
    for (int d = TILE / 2; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    }
    if (t == 0) temp[TILE - 1] = 0;
    for (int d = 1; d < TILE; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int left = temp[a];
            temp[a] = temp[b];
            temp[b] += left;
        }
    }
    __syncthreads();
    out[base + t] = temp[t];
    out[base + t + THREADS] = temp[t + THREADS];
}

extern "C" __global__ void lookback(const int *in, int *out, status_word *aux,
                                    int n, int arg) {
    __shared__ unsigned sums[THREADS], tile, before;
    volatile status_word *status = aux + 1;
    int t = threadIdx.x;
    if (t == 0) tile = atomicAdd((unsigned *)aux, 1u);
    __syncthreads();
    int base = tile * TILE + 2 * t;
    unsigned a = in[base], b = in[base + 1], sum = a + b;
    sums[t] = sum;
    for (int d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        unsigned left = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sum += left;
        sums[t] = sum;
    }
    if (t == THREADS - 1) {
        unsigned flag = tile ? AGGREGATE : PREFIX, prefix = 0;
        status[tile] = (status_word)flag << 32 | sum;
        for (int k = (int)tile - 1; k >= 0; k--) {
            status_word s;
            do s = status[k];
            while (!(s >> 32));
            prefix += (unsigned)s;
            if (s >> 32 == PREFIX) break;
        }
        if (tile) status[tile] = (status_word)PREFIX << 32 | (prefix + sum);
        before = prefix;
    }
    __syncthreads();
    sum += before;
    out[base] = sum - b;
    out[base + 1] = sum;
}

extern "C" __global__ void histogram(const int *in, int *out, status_word *aux,
                                     int n, int arg) {
    __shared__ int bins[BINS];
    int t = threadIdx.x, base = blockIdx.x * TILE;
    if (t < BINS) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[base + t] % BINS], 1);
    atomicAdd(&bins[in[base + t + THREADS] % BINS], 1);
    __syncthreads();
    if (t < BINS) atomicAdd(&out[t], bins[t]);
}

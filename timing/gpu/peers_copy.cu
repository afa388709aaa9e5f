// SPDX-License-Identifier: MIT
//
// peers_copy.cu: the ceilings: cudaMemcpy from device to device, and a kernel
// that copies with 16-byte accesses, four in flight per thread.
#include "peers.cuh"

namespace {

template <size_t BYTES> cudaError_t runtime_copy(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    return cudaMemcpyAsync(c->out, c->in, c->n * BYTES,
                           cudaMemcpyDeviceToDevice);
}

enum { THREADS = 256, ROUNDS = 4 };

__global__ void copy_words(const int4 *in, int4 *out, size_t words,
                           const char *rest_in, char *rest_out, unsigned rest) {
    size_t first = (size_t)blockIdx.x * THREADS * ROUNDS + threadIdx.x;
    int4 held[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        if (first + k * THREADS < words)
            held[k] = __ldcs(in + first + k * THREADS);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        if (first + k * THREADS < words)
            __stcs(out + first + k * THREADS, held[k]);
    if (first < rest) rest_out[first] = rest_in[first];
}

template <size_t BYTES> cudaError_t kernel_copy(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    size_t bytes = c->n * BYTES, words = bytes / sizeof(int4);
    size_t tile = THREADS * ROUNDS, blocks = (words + tile - 1) / tile;
    const char *in = (const char *)c->in;
    char *out = (char *)c->out;
    copy_words<<<(unsigned)(blocks ? blocks : 1), THREADS>>>(
        (const int4 *)in, (int4 *)out, words, in + words * sizeof(int4),
        out + words * sizeof(int4), (unsigned)(bytes % sizeof(int4)));
    return cudaGetLastError();
}

const peer table[] = {
#define X(name, type, bytes)                                                   \
    {{"memcpy", BENCH_copy, BENCH_TYPE_##name, 1, 1}, runtime_copy<bytes>},    \
        {{"copy16", BENCH_copy, BENCH_TYPE_##name, 1, 1}, kernel_copy<bytes>},
#include "bench_types.def"
#undef X
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}

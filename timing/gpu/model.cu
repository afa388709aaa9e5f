// SPDX-License-Identifier: MIT
//
// model.cu: the peers of scanlab bench in model time: linked with one of
// peers_*.cu and run by `vgpu --clock=PROFILE`, where CUDA events say model
// time. Rows are those of scanlab bench --clock. One call each, between two
// events, after twice the L2 cache's size was read; every output is compared.
//
//   model PROFILE MOST-ORDER N...    (timing/gpu/model.sh)
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "peers.cuh"

namespace {

const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
};
const char *const types[] = {
#define X(name, type, bytes) #name,
#include "bench_types.def"
#undef X
};

void check(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "model: %s: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

// The model's L2 keeps or drops 4 KiB at a time (vgpu/observers/clock/tags.h):
// one word of each is enough, and a hundredth of the work.
const size_t piece = 4096, flush_bytes = (size_t)120 << 20;

__global__ void read_pieces(const char *in, int *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int word = *(const int *)(in + i * piece);
    if (word != 0) *out = word;
}

void empty_l2() {
    static char *buffer;
    if (!buffer) {
        check(cudaMalloc((void **)&buffer, flush_bytes), "room");
        check(cudaMemset(buffer, 0, flush_bytes), "room");
    }
    read_pieces<<<flush_bytes / piece / 256, 256>>>(buffer, (int *)buffer);
    check(cudaDeviceSynchronize(), "read_pieces");
}

float time_of(const peer &p, peer_call *c) {
    cudaEvent_t start, end;
    float ms = 0;
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&end), "event");
    empty_l2();
    check(cudaEventRecord(start), "event");
    check(p.run(c), p.what.who);
    check(cudaEventRecord(end), "event");
    check(cudaEventSynchronize(end), p.what.who);
    check(cudaEventElapsedTime(&ms, start, end), "event");
    check(cudaEventDestroy(start), "event");
    check(cudaEventDestroy(end), "event");
    return ms;
}

// What the output should be, in place. Floats are whole numbers whose sums are
// exact, however they are added up.
template <typename T>
void expect(const peer &p, int order, std::vector<T> &data) {
    size_t n = data.size(), tuple = (size_t)p.what.tuple;
    if (p.what.operation == BENCH_copy) return;
    for (int q = 0; q < order; q++)
        for (size_t i = tuple; i < n; i++) data[i] = data[i] + data[i - tuple];
    if (p.what.operation == BENCH_exclusive_sum) {
        for (size_t i = n; i > 1; i--) data[i - 1] = data[i - 2];
        data[0] = 0;
    }
}

template <typename T>
void measure(const peer &p, const char *profile, int order, size_t n) {
    typedef typename std::conditional<std::is_integral<T>::value,
                                      std::make_unsigned<T>,
                                      std::common_type<T>>::type::type word;
    n -= n % (size_t)p.what.tuple;
    std::vector<word> data(n), got(n);
    uint32_t random = 1;
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        data[i] = std::is_integral<T>::value ? (word)random
                                             : (word)((int)(random >> 30) - 1);
    }
    size_t bytes = n * sizeof(T);
    peer_call c = {};
    c.n = n, c.order = order;
    check(p.run(&c), p.what.who); // how much temporary storage
    check(cudaMalloc((void **)&c.in, bytes), "room");
    check(cudaMalloc(&c.out, bytes), "room");
    check(cudaMalloc(&c.temp, c.temp_bytes + 1), "room");
    check(cudaMemcpy((void *)c.in, data.data(), bytes, cudaMemcpyHostToDevice),
          "input");
    float ms = time_of(p, &c);
    check(cudaMemcpy(got.data(), c.out, bytes, cudaMemcpyDeviceToHost), "out");
    expect(p, order, data);
    double ns = 1e6 * ms;
    printf("%s,%s,%s,%d,%d,%zu,1,%.0f,%.0f,%.0f,%.0f,%zu,%d,model %s\n",
           p.what.who, operations[p.what.operation], types[p.what.type], order,
           p.what.tuple, n, ns, ns, ns, ns, 2 * bytes, got == data, profile);
    fflush(stdout);
    check(cudaFree((void *)c.in), "free");
    check(cudaFree(c.out), "free");
    check(cudaFree(c.temp), "free");
}

void measure_any(const peer &p, const char *profile, int order, size_t n) {
    switch (p.what.type) {
#define X(name, type, bytes)                                                   \
    case BENCH_TYPE_##name:                                                    \
        measure<type>(p, profile, order, n);                                   \
        break;
#include "bench_types.def"
#undef X
    }
}

} // namespace

int main(int argc, char **argv) {
    size_t n_peers;
    const peer *peers = bench_peers(&n_peers);
    int most_order = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 3; i < argc; i++)
        for (size_t k = 0; k < n_peers; k++) {
            const bench_peer &w = peers[k].what;
            bool scan = w.operation == BENCH_inclusive_sum ||
                        w.operation == BENCH_exclusive_sum;
            for (int q = 1; q <= w.most_order && q <= most_order; q++)
                if (scan || w.operation == BENCH_copy)
                    measure_any(peers[k], argv[1], q,
                                (size_t)strtoull(argv[i], NULL, 10));
        }
    return 0;
}

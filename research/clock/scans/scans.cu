// SPDX-License-Identifier: MIT
//
// scans.cu: times the labs' functions and their peers, on a GPU or under a
// clock, as scanlab bench does (timing/docs/bench.md), of 32-bit integers:
//
//   scans REPEATS [LEAST:]MOST NAME=LIBRARY...
//
// LEAST (2^10), MOST: elements; sizes are four times one another. LIBRARY: a
// lab's functions or bench_peers (peers.cuh). Rows of a CSV to standard output:
// who,operation,n,median_ns,min_ns,max_ns. Exit status: 0; 2: it could not.
#include <algorithm>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#include "peers.cuh"

struct arrays {
    int32_t *in, *in2, *out, *out2;
    int32_t *keep; // so that the runtime has a chunk with room for scratch
    size_t n;
};

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "scans: %s: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

// ---- what is called ----

typedef cudaError_t scan(const int32_t *, int32_t *, size_t);
typedef cudaError_t scan_op(const int32_t *, int32_t *, size_t, int);
typedef cudaError_t scan_orders(const int32_t *, int32_t *, size_t, int, int);
typedef cudaError_t less_than(const int32_t *, int32_t *, size_t, int32_t,
                              size_t *);
typedef cudaError_t runs(const int32_t *, int32_t *, int32_t *, size_t,
                         size_t *);
typedef cudaError_t sums(const int32_t *, const int32_t *, int32_t *, int32_t *,
                         size_t, size_t *);

template <class F> static F *as(void *f) {
    return (F *)f;
}

struct lab_row {
    const char *symbol, *operation;
    cudaError_t (*call)(void *f, const arrays &);
};

#define ROW(symbol, operation, ...)                                            \
    {                                                                          \
        symbol, operation, [](void *f, const arrays &a) -> cudaError_t {       \
            size_t n_out = 0;                                                  \
            (void)n_out;                                                       \
            return __VA_ARGS__;                                                \
        }                                                                      \
    }
#define SCAN(symbol, operation)                                                \
    ROW(symbol, operation, as<scan>(f)(a.in, a.out, a.n))
static const lab_row lab_rows[] = {
    SCAN("naive_inclusive_scan", "inclusive_sum"),
    SCAN("work_efficient_exclusive_scan", "exclusive_sum"),
    SCAN("shared_tiled_reduce_scan", "exclusive_sum"),
    SCAN("chained_inclusive_scan", "inclusive_sum"),
    ROW("lookback_scan_i32", "inclusive_sum",
        as<scan_op>(f)(a.in, a.out, a.n, 0)),
    SCAN("lookback_exclusive_sum", "exclusive_sum"),
    ROW("sam_scan_i32", "inclusive_sum",
        as<scan_orders>(f)(a.in, a.out, a.n, 1, 1)),
    ROW("sam_encode_i32", "encode", as<scan_orders>(f)(a.in, a.out, a.n, 1, 1)),
    SCAN("apps_exclusive_sum", "exclusive_sum"),
    ROW("apps_select_less", "select_half",
        as<less_than>(f)(a.in, a.out, a.n, 0, &n_out)),
    ROW("apps_run_length_encode", "run_length",
        as<runs>(f)(a.in2, a.out, a.out2, a.n, &n_out)),
    ROW("apps_reduce_by_key", "reduce_by_key",
        as<sums>(f)(a.in2, a.in, a.out, a.out2, a.n, &n_out)),
    SCAN("apps_sort_u32", "sort_keys"),
};

// ---- one call ----

__global__ static void read_sectors(const uint32_t *from, size_t sectors,
                                    int32_t *out) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (; i < sectors; i += (size_t)gridDim.x * blockDim.x) sum += from[i * 8];
    if (sum == 0x1234567) *out = (int32_t)sum;
}

static uint32_t *flush;
static size_t flush_bytes = 120 << 20;
static cudaEvent_t begin, end;

// Contestants take turns: the host's pace changes within seconds.
struct contestant {
    std::string who;
    const char *operation;
    std::function<void()> before, after; // not timed
    std::function<cudaError_t()> call;
    std::vector<double> ns;
};

static void take_turn(contestant &c, const arrays &a, bool counts) {
    float ms = 0;
    c.before();
    read_sectors<<<132 * 8, 256>>>(flush, flush_bytes / 32, a.out);
    must(cudaDeviceSynchronize(), "emptying L2");
    must(cudaEventRecord(begin), "cudaEventRecord");
    must(c.call(), c.operation);
    must(cudaEventRecord(end), "cudaEventRecord");
    must(cudaEventSynchronize(end), c.operation);
    must(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    c.after();
    if (counts) c.ns.push_back(ms * 1e6);
}

static void time_all(std::vector<contestant> &all, const arrays &a,
                     int repeats) {
    for (int r = repeats > 1 ? -1 : 0; r < repeats; r++) // -1: warms up
        for (contestant &c : all) take_turn(c, a, r >= 0);
    for (contestant &c : all) {
        std::sort(c.ns.begin(), c.ns.end());
        printf("%s,%s,%zu,%.0f,%.0f,%.0f\n", c.who.c_str(), c.operation, a.n,
               c.ns[c.ns.size() / 2], c.ns.front(), c.ns.back());
    }
    fflush(stdout);
}

static void add_lab(std::vector<contestant> &all, const std::string &who,
                    void *library, const arrays &a) {
    for (const lab_row &row : lab_rows)
        if (void *f = dlsym(library, row.symbol))
            all.push_back({who,
                           row.operation,
                           [] {},
                           [] {},
                           [&row, f, &a] { return row.call(f, a); },
                           {}});
}

static const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
};

static void add_peer(std::vector<contestant> &all, const peer *p,
                     const arrays &a) {
    bool runs = p->what.operation == BENCH_run_length ||
                p->what.operation == BENCH_reduce_by_key;
    auto c = std::make_shared<peer_call>(peer_call{
        runs ? a.in2 : a.in, a.in, a.out, a.out2, a.n, 1, NULL, NULL, 0});
    auto room = std::make_shared<size_t>(0);
    auto before = [=] {
        c->temp = NULL;
        must(cudaMalloc(&c->n_out, sizeof *c->n_out), "cudaMalloc");
        must(p->run(c.get()), "asking for scratch memory");
        must(cudaMalloc(&c->temp, c->temp_bytes ? c->temp_bytes : 1),
             "scratch");
        *room = c->temp_bytes;
    };
    auto after = [=] {
        must(cudaFree(c->temp), "cudaFree");
        must(cudaFree(c->n_out), "cudaFree");
    };
    auto call = [=] {
        c->temp_bytes = *room;
        return p->run(c.get());
    };
    all.push_back(
        {p->what.who, operations[p->what.operation], before, after, call, {}});
}

static void add_peers(std::vector<contestant> &all, const peer *peers, size_t n,
                      const arrays &a) {
    for (const peer *p = peers; p < peers + n; p++)
        if (p->what.type == BENCH_TYPE_int32 &&
            p->what.operation != BENCH_sort_pairs)
            add_peer(all, p, a);
}

// ---- all ----

static arrays make(size_t n) {
    arrays a = {};
    a.n = n;
    std::vector<int32_t> in(n), in2(n);
    uint64_t state = 88172645463325252ull;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        in[i] = (int32_t)(state >> 16);
        in2[i] = i && state >> 61 ? in2[i - 1] : in[i]; // runs of 8, the mean
    }
    for (int32_t **to : {&a.in, &a.in2, &a.out, &a.out2})
        must(cudaMalloc(to, n * sizeof **to), "cudaMalloc");
    must(cudaMalloc(&a.keep, 4096), "cudaMalloc");
    must(cudaMemcpy(a.in, in.data(), n * 4, cudaMemcpyHostToDevice), "in");
    must(cudaMemcpy(a.in2, in2.data(), n * 4, cudaMemcpyHostToDevice), "in");
    return a;
}

int main(int n, char **words) {
    if (n < 4) return 2;
    int repeats = atoi(words[1]);
    const char *colon = strchr(words[2], ':');
    size_t least = colon ? strtoull(words[2], NULL, 0) : 1024;
    size_t most = strtoull(colon ? colon + 1 : words[2], NULL, 0);
    if (repeats < 2) flush_bytes /= 2; // enough for the model of L2
    must(cudaMalloc(&flush, flush_bytes), "cudaMalloc");
    must(cudaMemset(flush, 0, flush_bytes), "cudaMemset");
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    printf("who,operation,n,median_ns,min_ns,max_ns\n");
    for (size_t size = least; size <= most; size *= 4) {
        arrays a = make(size);
        std::vector<contestant> all;
        for (int i = 3; i < n; i++) {
            std::string word = words[i];
            size_t equals = word.find('=');
            void *library =
                dlopen(word.c_str() + equals + 1, RTLD_NOW | RTLD_LOCAL);
            if (!library) {
                fprintf(stderr, "scans: %s\n", dlerror());
                return 2;
            }
            typedef const peer *table(size_t *);
            size_t n_peers = 0;
            if (table *peers = (table *)dlsym(library, "bench_peers")) {
                const peer *first = peers(&n_peers);
                add_peers(all, first, n_peers, a);
            } else {
                add_lab(all, word.substr(0, equals), library, a);
            }
        }
        time_all(all, a, repeats);
        for (int32_t *p : {a.in, a.in2, a.out, a.out2, a.keep})
            must(cudaFree(p), "cudaFree");
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * cub.cu: CUB's device-wide algorithms, unmodified, beside a loop on the host.
 * Each case is a family of algorithms; sizes lie around tiles and are odd.
 */
//: when: nightly
//: seeds: 3
//: expect: prints right
#include "check.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <vector>

using std::vector;
static int failures;

template <class T> struct array { /* of the device */
    T *at;
    size_t n;
    explicit array(size_t n) : n(n) { CHECK(cudaMalloc(&at, n * sizeof(T))); }
    explicit array(const vector<T> &v) : array(v.size()) {
        CHECK(cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    array(const array &) = delete;
    ~array() { CHECK(cudaFree(at)); }
    vector<T> host(size_t count) const {
        vector<T> v(count);
        CHECK(cudaMemcpy(v.data(), at, count * sizeof(T),
                         cudaMemcpyDeviceToHost));
        return v;
    }
    vector<T> host() const { return host(n); }
};

/* CUB's two steps: how much workspace, then the work. */
template <class F> static void call(F f) {
    size_t bytes = 0;
    void *workspace = nullptr;
    CHECK(f(workspace, bytes));
    CHECK(cudaMalloc(&workspace, bytes));
    CHECK(f(workspace, bytes));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(workspace));
}

template <class T>
static void expect(const char *what, const vector<T> &got,
                   const vector<T> &want) {
    for (size_t i = 0; i < want.size(); i++)
        if (got.size() <= i || !(got[i] == want[i])) {
            printf("%s: wrong at %zu of %zu\n", what, i, want.size());
            failures++;
            return;
        }
    if (got.size() != want.size()) {
        printf("%s: %zu results, not %zu\n", what, got.size(), want.size());
        failures++;
    }
}

static vector<int> numbers(int n, int most) {
    vector<int> v(n);
    unsigned x = 12345;
    for (int &e : v) e = (int)((x = x * 1664525 + 1013904223) >> 8) % most;
    return v;
}
/* Runs of equal keys, of lengths 1..7. */
static vector<int> runs(int n) {
    vector<int> v(n);
    for (int i = 0, left = 0, key = 0; i < n; i++, left--) {
        if (left <= 0) left = 1 + (++key * 5) % 7;
        v[i] = key;
    }
    return v;
}

struct larger {
    __host__ __device__ int operator()(int a, int b) const {
        return a < b ? b : a;
    }
};
struct odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct same {
    __host__ __device__ bool operator()(int a, int b) const { return a == b; }
};

static void scan(int n) {
    vector<int> v = numbers(n, 1000), want(n);
    array<int> in(v), out(n);
    for (int i = 0, sum = 0; i < n; i++) want[i] = sum += v[i];
    call([&](void *w, size_t &b) {
        return cub::DeviceScan::InclusiveSum(w, b, in.at, out.at, n);
    });
    expect("InclusiveSum", out.host(), want);
    for (int i = 0, sum = 0; i < n; i++) want[i] = sum, sum += v[i];
    call([&](void *w, size_t &b) {
        return cub::DeviceScan::ExclusiveSum(w, b, in.at, out.at, n);
    });
    expect("ExclusiveSum", out.host(), want);
    for (int i = 0, m = -5; i < n; i++) want[i] = m, m = larger()(m, v[i]);
    call([&](void *w, size_t &b) {
        return cub::DeviceScan::ExclusiveScan(w, b, in.at, out.at, larger(), -5,
                                              n);
    });
    expect("ExclusiveScan", out.host(), want);
}

static void scan_by_key(int n) {
    vector<int> v = numbers(n, 1000), k = runs(n), want(n);
    array<int> in(v), keys(k), out(n);
    for (int i = 0; i < n; i++)
        want[i] = v[i] + (i && k[i] == k[i - 1] ? want[i - 1] : 0);
    call([&](void *w, size_t &b) {
        return cub::DeviceScan::InclusiveSumByKey(w, b, keys.at, in.at, out.at,
                                                  n);
    });
    expect("InclusiveSumByKey", out.host(), want);
}

static void select(int n) {
    vector<int> v = numbers(n, 1000), k = runs(n), want, rest;
    array<int> in(v), keys(k), out(n), count(1);
    for (int x : v) (x & 1 ? want : rest).push_back(x);
    call([&](void *w, size_t &b) {
        return cub::DeviceSelect::If(w, b, in.at, out.at, count.at, n, odd());
    });
    expect("Select::If", out.host(count.host()[0]), want);
    call([&](void *w, size_t &b) {
        return cub::DevicePartition::If(w, b, in.at, out.at, count.at, n,
                                        odd());
    });
    want.insert(want.end(), rest.rbegin(), rest.rend());
    expect("Partition::If", out.host(), want);
    call([&](void *w, size_t &b) {
        return cub::DeviceSelect::Unique(w, b, keys.at, out.at, count.at, n);
    });
    want = k;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    expect("Select::Unique", out.host(count.host()[0]), want);
}

static void run_lengths(int n) {
    vector<int> k = runs(n), keys, lengths;
    array<int> in(k), out(n), length(n), count(1);
    for (int i = 0; i < n; i++)
        if (i && k[i] == k[i - 1])
            lengths.back()++;
        else
            keys.push_back(k[i]), lengths.push_back(1);
    call([&](void *w, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(w, b, in.at, out.at,
                                                  length.at, count.at, n);
    });
    int m = count.host()[0];
    expect("RunLengthEncode keys", out.host(m), keys);
    expect("RunLengthEncode lengths", length.host(m), lengths);
}

static void reduce(int n) {
    vector<int> v = numbers(n, 1000), k = runs(n), sums;
    array<int> in(v), keys(k), out(n), key(n), count(1);
    int sum = 0;
    for (int x : v) sum += x;
    call([&](void *w, size_t &b) {
        return cub::DeviceReduce::Sum(w, b, in.at, out.at, n);
    });
    expect("Reduce::Sum", out.host(1), {sum});
    for (int i = 0; i < n; i++)
        if (i && k[i] == k[i - 1])
            sums.back() += v[i];
        else
            sums.push_back(v[i]);
    call([&](void *w, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(w, b, keys.at, key.at, in.at,
                                              out.at, count.at,
                                              ::cuda::std::plus<>{}, n);
    });
    expect("ReduceByKey", out.host(count.host()[0]), sums);
}

static void segments(int n) {
    vector<int> v = numbers(n, 1000), ends = {0}, want;
    for (int at = 0, step = 1; at < n; step = step * 3 % 401) {
        int end = std::min(n, at + step - 1), sum = 0; /* some are empty */
        for (; at < end; at++) sum += v[at];
        want.push_back(sum);
        ends.push_back(end);
    }
    int m = (int)want.size();
    array<int> in(v), end(ends), out(m);
    call([&](void *w, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(w, b, in.at, out.at, m, end.at,
                                               end.at + 1);
    });
    expect("SegmentedReduce::Sum", out.host(), want);
}

static void histogram(int n) {
    vector<int> v = numbers(n, 64), want(64, 0);
    array<int> in(v), out(64);
    for (int x : v) want[x]++;
    call([&](void *w, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(w, b, in.at, out.at, 65, 0,
                                                   64, n);
    });
    expect("HistogramEven", out.host(), want);
}

static void sort(int n) {
    vector<int> v = numbers(n, 1 << 20);
    vector<unsigned> k(n), want(n);
    for (int i = 0; i < n; i++) k[i] = (unsigned)v[i] * 4093;
    array<unsigned> in(k), out(n);
    call([&](void *w, size_t &b) {
        return cub::DeviceRadixSort::SortKeys(w, b, in.at, out.at, n);
    });
    want = k;
    std::sort(want.begin(), want.end());
    expect("SortKeys", out.host(), want);
}

static void sort_pairs(int n) {
    vector<int> v = numbers(n, 256), order(n);
    vector<unsigned> k(v.begin(), v.end());
    for (int i = 0; i < n; i++) order[i] = i;
    array<unsigned> in(k), out(n);
    array<int> value(order), values(n);
    call([&](void *w, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(w, b, in.at, out.at, value.at,
                                               values.at, n);
    });
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return k[a] < k[b]; });
    expect("SortPairs", values.host(), order);
}

//: case: cub-scan scan 1 777 9001
//: case: cub-scan-by-key scan-by-key 1 777 9001
//: case: cub-select select 1 777 9001
//: case: cub-run-lengths run-lengths 1 777 9001
//: case: cub-reduce reduce 1 777 9001
//: case: cub-segments segments 1 777 9001
//: case: cub-histogram histogram 1 777 9001
//: case: cub-sort sort 1 777 9001
//: case: cub-sort-pairs sort-pairs 1 777 9001
//: case: cub-profile all 4001
//: run: --check all --device h200 --schedule random:SEED | --check all --device titanx --schedule reverse
//: seeds: 1
// A tile of CUB's is its block's number: it waits for blocks with smaller ones,
// which no rule of CUDA's says have started.
//: case: cub-scan-reverse scan 40001
//: run: --check all --schedule reverse
//: expect: finding deadlock at - "A block may wait only for blocks that have started"
//: exit: 86
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(int);
    } cases[] = {
        {"scan", scan},       {"scan-by-key", scan_by_key},
        {"select", select},   {"run-lengths", run_lengths},
        {"reduce", reduce},   {"segments", segments},
        {"sort", sort},       {"sort-pairs", sort_pairs},
        {"histogram", histogram},
    };
    int n_run = 0;
    for (const auto &c : cases) {
        if (argc < 2 || (strcmp(argv[1], c.name) && strcmp(argv[1], "all")))
            continue;
        for (int i = 2; i < argc; i++) c.run(atoi(argv[i])), n_run++;
    }
    if (!failures && n_run) puts("right");
    return failures || !n_run;
}

/* SPDX-License-Identifier: MIT
 *
 * thrust.cu: Thrust's algorithms, unmodified, beside the host's.
 */
//: when: nightly
//: nvcc: --extended-lambda
//: seeds: 3
//: expect: prints right
#include "check.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <vector>

using std::vector;
static int failures;

struct odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

template <class T>
static void expect(const char *what, const thrust::device_vector<T> &d,
                   const vector<T> &want) {
    vector<T> got(d.size());
    thrust::copy(d.begin(), d.end(), got.begin());
    if (got != want) {
        printf("%s: wrong\n", what);
        failures++;
    }
}

static vector<int> numbers(int n) {
    vector<int> v(n);
    unsigned x = 12345;
    for (int &i : v) i = (int)((x = x * 1664525 + 1013904223) >> 8) % 1000;
    return v;
}

static vector<int> sevens(int n) { /* 0 seven times, 1 seven times ... */
    vector<int> v(n);
    for (int i = 0; i < n; i++) v[i] = i / 7;
    return v;
}

static void run(const char *name, int n) {
    auto is = [=](const char *other) { return !strcmp(name, other); };
    vector<int> v = numbers(n), keys = sevens(n), want(n);
    thrust::device_vector<int> d(v), d_keys(keys), out(n);
    if (is("scan")) {
        thrust::inclusive_scan(d.begin(), d.end(), out.begin());
        std::partial_sum(v.begin(), v.end(), want.begin());
        expect("inclusive_scan", out, want);
        thrust::exclusive_scan(thrust::device, d.begin(), d.end(), out.begin(),
                               5);
        for (int i = 0, sum = 5; i < n; i++) want[i] = sum, sum += v[i];
        expect("exclusive_scan", out, want);
    } else if (is("scan-by-key")) {
        thrust::exclusive_scan_by_key(d_keys.begin(), d_keys.end(), d.begin(),
                                      out.begin());
        for (int i = 0; i < n; i++)
            want[i] = i % 7 ? want[i - 1] + v[i - 1] : 0;
        expect("exclusive_scan_by_key", out, want);
    } else if (is("sort")) {
        thrust::sort(d.begin(), d.end());
        want = v;
        std::sort(want.begin(), want.end());
        expect("sort", d, want);
    } else if (is("merge-sort")) { /* not by digits: an order of its own */
        auto order = [] __host__ __device__(int a, int b) {
            return a % 10 != b % 10 ? a % 10 < b % 10 : a < b;
        };
        thrust::sort(d.begin(), d.end(), order);
        want = v;
        std::sort(want.begin(), want.end(), order);
        expect("sort with a comparison", d, want);
    } else if (is("reduce")) {
        int sum = thrust::reduce(d.begin(), d.end(), 0, thrust::plus<int>());
        int most = thrust::reduce(d.begin(), d.end(), 0, thrust::maximum<int>());
        if (sum != std::accumulate(v.begin(), v.end(), 0) ||
            most != *std::max_element(v.begin(), v.end()))
            printf("reduce: wrong\n"), failures++;
    } else if (is("compact")) {
        auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), odd());
        out.resize(end - out.begin());
        want.clear();
        std::copy_if(v.begin(), v.end(), std::back_inserter(want), odd());
        expect("copy_if", out, want);
        end = thrust::unique(d_keys.begin(), d_keys.end());
        d_keys.resize(end - d_keys.begin());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        expect("unique", d_keys, keys);
    } else if (is("transform")) {
        thrust::transform(d.begin(), d.end(), out.begin(), square());
        std::transform(v.begin(), v.end(), want.begin(), square());
        expect("transform", out, want);
        thrust::fill(out.begin(), out.end(), 3);
        expect("fill", out, vector<int>(n, 3));
        thrust::sequence(out.begin(), out.end());
        std::iota(want.begin(), want.end(), 0);
        expect("sequence", out, want);
    } else {
        printf("no case %s\n", name), failures++;
    }
}

//: case: thrust-scan scan 1 777 9001
//: case: thrust-scan-by-key scan-by-key 1 777 9001
//: case: thrust-sort sort 1 777 9001
//: case: thrust-merge-sort merge-sort 1 777 9001
//: case: thrust-reduce reduce 1 777 9001
//: case: thrust-compact compact 1 777 9001
//: case: thrust-transform transform 1 777 9001
int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) run(argv[1], atoi(argv[i]));
    if (!failures && argc > 2) puts("right");
    return failures || argc <= 2;
}

/* SPDX-License-Identifier: MIT
 *
 * cases.h: a program of many cases: a table of names and functions; each says
 * whether it went right.
 */
#ifndef CASES_H
#define CASES_H

#include "../bugs/check.h"

#include <vector>

struct test_case {
    const char *name;
    bool (*run)();
};

/* Runs the case that is named first on the command line; for main. */
template <size_t N>
int run_case(const test_case (&cases)[N], int argc, char **argv) {
    for (const test_case &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) {
            bool ok = c.run();
            puts(ok ? "right" : "wrong");
            return !ok;
        }
    puts("no such case");
    return 1;
}

/* Memory of the device that frees itself. */
template <class T> struct buffer {
    T *at = nullptr;
    size_t n;
    explicit buffer(size_t n, int byte = 0) : n(n) {
        CHECK(cudaMalloc(&at, n * sizeof(T)));
        CHECK(cudaMemset(at, byte, n * sizeof(T)));
    }
    explicit buffer(const std::vector<T> &v) : n(v.size()) {
        CHECK(cudaMalloc(&at, n * sizeof(T)));
        CHECK(cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    buffer(const buffer &) = delete;
    ~buffer() { CHECK(cudaFree(at)); }
    operator T *() const { return at; }
    std::vector<T> host() const {
        std::vector<T> v(n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

static inline std::vector<int> numbers(int n, int most) {
    std::vector<int> v(n);
    unsigned x = 12345;
    for (int &e : v) e = (int)((x = x * 1664525 + 1013904223) >> 8) % most;
    return v;
}

#endif

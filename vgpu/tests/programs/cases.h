/* SPDX-License-Identifier: MIT
 *
 * cases.h: a program of many cases; each says whether it went right.
 */
#pragma once

#include "check.h"

#include <vector>

/* CASE(some_name) { ... } is the case some-name. */
struct test_case {
    static inline test_case *first;
    const char *name;
    bool (*run)();
    test_case *next;
    test_case(const char *name, bool (*run)())
        : name(name), run(run), next(first) {
        first = this;
    }
    bool is_called(const char *word) const {
        const char *n = name;
        for (; *n && (*n == *word || (*n == '_' && *word == '-')); n++) word++;
        return !*n && !*word;
    }
};

#define CASE(name)                                                             \
    static bool run_##name();                                                  \
    static test_case case_##name(#name, run_##name);                           \
    static bool run_##name()

/* Runs the case that is named first on the command line; for main. */
static inline int run_case(int argc, char **argv) {
    for (test_case *c = test_case::first; c && argc > 1; c = c->next)
        if (c->is_called(argv[1])) {
            bool ok = c->run();
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

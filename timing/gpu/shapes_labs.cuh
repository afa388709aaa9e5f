// SPDX-License-Identifier: MIT
//
// shapes_labs.cuh: whom shapes.cu times: peers, and a lab's functions, by type
// or, of lab 8, by operation.
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#include "data.cuh"
#include "peers.cuh"

namespace {

enum { MOST_CALLS = 5 }; // of a turn, and one before them

const char *const type_names[] = {
#define X(name, type, bytes) #name,
#include "bench_types.def"
#undef X
};
const size_t type_bytes[] = {
#define X(name, type, bytes) bytes,
#include "bench_types.def"
#undef X
};

void die(const std::string &what) {
    fprintf(stderr, "shapes: %s\n", what.c_str());
    exit(2);
}

void must(cudaError_t error, const char *what) {
    if (error) die(std::string(what) + ": " + cudaGetErrorString(error));
}

// ---- who ----

const char *const operation_names[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
};

// A function of a lab: which one is told by the type, or by the operation.
struct lab_functions {
    void *of[BENCH_N_TYPES];
    void *does[BENCH_N_OPERATIONS];
    bool widths; // takes orders and tuples
};

struct library {
    std::string name; // FOLDER/LAB
    const peer *peers;
    size_t n_peers;
    lab_functions lab;
};

// Which functions lab 8 has for an operation, and what they take.
enum shape { KEEPS, RUNS, BY_KEY, SORTS, SORTS_PAIRS };
const struct {
    int operation;
    const char *name;
    shape takes;
} applications[] = {
    {BENCH_select_half, "apps_select_less", KEEPS},
    {BENCH_partition_half, "apps_partition_less", KEEPS},
    {BENCH_run_length, "apps_run_length_encode", RUNS},
    {BENCH_reduce_by_key, "apps_reduce_by_key", BY_KEY},
    {BENCH_sort_keys, "apps_sort_u32", SORTS},
    {BENCH_sort_pairs, "apps_sort_pairs_u32", SORTS_PAIRS},
};

int is_application(int operation) {
    for (size_t i = 0; i < sizeof applications / sizeof *applications; i++)
        if (applications[i].operation == operation) return (int)i;
    return -1;
}
bool has_second_input(int operation) {
    return operation == BENCH_reduce_by_key || operation == BENCH_sort_pairs;
}
bool has_second_output(int operation) {
    return has_second_input(operation) || operation == BENCH_run_length;
}

void load_applications(library *l, void *handle) {
    for (const auto &a : applications)
        if (!(l->lab.does[a.operation] = dlsym(handle, a.name)))
            die(l->name + " has no " + a.name);
}

library load(const char *path) {
    library l = {};
    std::string whole(path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) die(dlerror());
    typedef const peer *table(size_t *);
    if (table *peers = (table *)dlsym(handle, "bench_peers")) {
        l.peers = peers(&l.n_peers);
        return l;
    }
    size_t slash = whole.rfind('/');
    size_t before = slash ? whole.rfind('/', slash - 1) : slash;
    if (slash == std::string::npos) die(whole + ": not FOLDER/LAB.so");
    before = before == std::string::npos ? 0 : before + 1;
    l.name = whole.substr(before, whole.rfind('.') - before);
    std::string lab = l.name.substr(l.name.find('/') + 1);
    if (lab == "applications") {
        load_applications(&l, handle);
        return l;
    }
    l.lab.widths = lab == "sam";
    std::string stem = l.lab.widths ? "sam_scan_" : "lookback_scan_";
    const struct {
        int type;
        const char *end;
    } ends[] = {{BENCH_TYPE_int32, "i32"},
                {BENCH_TYPE_int64, "i64"},
                {BENCH_TYPE_float, "f32"},
                {BENCH_TYPE_double, "f64"}};
    bool any = false;
    for (auto &e : ends) {
        l.lab.of[e.type] = dlsym(handle, (stem + e.end).c_str());
        any |= l.lab.of[e.type] != NULL;
    }
    if (!any) die(whole + " has neither bench_peers nor " + stem + "...");
    return l;
}

struct contestant {
    std::string who;
    const peer *rival;
    void *function; // of a lab
    bool widths;
    std::vector<double> ns;
    uint64_t wrong, bytes;
    bool out;
    void *temp;
    size_t temp_bytes;
    shape takes;                     // a function of lab 8
    uint64_t counts[MOST_CALLS + 1]; // that it said, of each slot
    bool absent; // out, because it is for fewer elements: nothing is wrong
};

// *count: what a function of lab 8 says.
int call_application(const contestant &c, size_t n, const data_call &d,
                     size_t *count) {
    void *f = c.function, *out = (void *)d.out, *out2 = (void *)d.out2;
    typedef int keeps(const void *, void *, size_t, int, size_t *);
    typedef int runs(const void *, void *, void *, size_t, size_t *);
    typedef int by_key(const void *, const void *, void *, void *, size_t,
                       size_t *);
    typedef int sorts(const void *, void *, size_t);
    typedef int sorts_pairs(const void *, const void *, void *, void *, size_t);
    switch (c.takes) {
    case KEEPS: return ((keeps *)f)(d.in, out, n, 0, count);
    case RUNS: return ((runs *)f)(d.in, out, out2, n, count);
    case BY_KEY: return ((by_key *)f)(d.in, d.in2, out, out2, n, count);
    case SORTS: return ((sorts *)f)(d.in, out, n);
    default: return ((sorts_pairs *)f)(d.in, d.in2, out, out2, n);
    }
}

} // namespace

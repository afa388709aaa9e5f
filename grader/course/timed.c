/* SPDX-License-Identifier: MIT
 *
 * timed.c: see timed.h.
 */
#include "timed.h"

#include <string.h>

#include "oracle.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
#define X(name, type, bytes) {#name, bytes},
#include "bench_types.def"
#undef X
};
static const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
};

const char *operation_name(int operation) {
    return operations[operation];
}
const char *type_name(int type) {
    return types[type].name;
}
size_t type_bytes(int type) {
    return types[type].bytes;
}

int operation_by_name(const char *name) {
    for (int i = 0; i < BENCH_N_OPERATIONS; i++)
        if (strcmp(name, operations[i]) == 0) return i;
    return -1;
}

int type_by_name(const char *name) {
    for (int i = 0; i < BENCH_N_TYPES; i++)
        if (strcmp(name, types[i].name) == 0) return i;
    return -1;
}

/* By the first letters of the oracle's name: scan_op_i32, scan_op_i64, ... */
static int operation_of(int oracle) {
    static const struct {
        const char *oracle;
        int operation;
    } rows[] = {{"inclusive_sum", BENCH_inclusive_sum},
                {"exclusive_sum", BENCH_exclusive_sum},
                {"scan_op_", BENCH_inclusive_sum},
                {"sam_scan_", BENCH_inclusive_sum},
                {"sam_encode_", BENCH_encode},
                {"select_less", BENCH_select_half},
                {"partition_less", BENCH_partition_half},
                {"run_length", BENCH_run_length},
                {"sum_by_key", BENCH_reduce_by_key},
                {"sort_u32", BENCH_sort_keys},
                {"sort_pairs", BENCH_sort_pairs}};
    const char *name = oracle_name(oracle);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(name, rows[i].oracle, strlen(rows[i].oracle)) == 0)
            return rows[i].operation;
    return -1;
}

static int type_of(int signature) {
    static const struct {
        const char *element;
        int type;
    } rows[] = {{"i8", BENCH_TYPE_int8},   {"i16", BENCH_TYPE_int16},
                {"i32", BENCH_TYPE_int32}, {"u32", BENCH_TYPE_int32},
                {"i64", BENCH_TYPE_int64}, {"f32", BENCH_TYPE_float},
                {"f64", BENCH_TYPE_double}};
    const char *name = element_name(signature_element(signature, BUFFER_IN));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].element) == 0) return rows[i].type;
    return -1;
}

bool function_is_timed(const struct lab_function *f, int *operation,
                       int *type) {
    *operation = operation_of(f->oracle);
    *type = type_of(f->signature);
    return *operation >= 0 && *type >= 0 && !f->untimed;
}

/* SPDX-License-Identifier: MIT
 *
 * timed.h: which of a lab's functions are timed, and as what: an operation of
 * contract/operations.def on a type of contract/bench_types.def. The rows of
 * `scanlab bench` are of these, on a GPU and in model time.
 */
#pragma once

#include "bench_wire.h"
#include "lab.h"

const char *operation_name(int);
const char *type_name(int);
size_t type_bytes(int);
int operation_by_name(const char *); /* -1: none */
int type_by_name(const char *);

/* False: it is none of the operations, or its type is none of ours, or it is
 * untimed. */
bool function_is_timed(const struct lab_function *, int *operation, int *type);

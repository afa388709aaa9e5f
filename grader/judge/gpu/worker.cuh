/* SPDX-License-Identifier: MIT
 *
 * worker.cuh: the state of a measuring process (worker.cu), which timed checks
 * use as well (holder.cu).
 */
#pragma once

#include "data.cuh"
#include "peers.cuh"

enum { MOST_LIBRARIES = 64 };

/* The arrays a contestant may be given. */
enum role { IN, IN2, OUT, OUT2, SCRATCH, FLUSH, ANSWER, PRIVATE, N_ROLES };

struct buffer {
    char *base;
    size_t bytes;
};

struct library {
    void *handle;
    const peer *peers;
    size_t n_peers;
};

struct worker {
    library libraries[MOST_LIBRARIES];
    uint32_t n_libraries;
    buffer buffers[N_ROLES];
    /* What IN and IN2 hold. */
    struct {
        bool known;
        int kind, type;
        uint64_t n;
        uint32_t seed;
        size_t slots;
    } input;
    cudaEvent_t begin, end;
    uint64_t *n_out;               /* on the device */
    size_t l2_bytes, memory_bytes; /* of the GPU */
    unsigned turns;
    /* Of timed checks: what is held, and how many elements its answer has. */
    bench_cell held;
    uint64_t answer_n;
};

/* At least so many bytes of an array. */
cudaError_t need(worker *, role, size_t bytes);
size_t width_of(int type);
void fail(bench_answer *, uint32_t status, const char *what, int error);

/* Requests of timed checks (holder.cu). */
typedef void request(worker *, const bench_ask *, bench_answer *);
request on_hold, on_prepare, on_change, on_sample, on_compare;

// SPDX-License-Identifier: MIT
//
// holder.cu: requests of timed checks: the arrays that a submission's process
// gets by their handles, and what is right in them.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "trampolines.h"
#include "worker.cuh"

void on_hold(worker *w, const bench_ask *ask, bench_answer *answer) {
    const bench_cell *c = &ask->turn.cell;
    size_t bytes = c->n * width_of(c->type);
    cudaIpcMemHandle_t in, out;
    // An allocation of their own each: a handle opens all of it.
    const size_t least = 4u << 20;
    cudaError_t error = need(w, IN, bytes > least ? bytes : least);
    if (!error) error = need(w, OUT, bytes > least ? bytes : least);
    if (!error) error = need(w, ANSWER, bytes);
    if (!error) error = need(w, PRIVATE, bytes);
    if (!error)
        error = need(w, SCRATCH, data_scratch_bytes(c->operation, c->n));
    if (!error) error = cudaIpcGetMemHandle(&in, w->buffers[IN].base);
    if (!error) error = cudaIpcGetMemHandle(&out, w->buffers[OUT].base);
    if (error) {
        fail(answer, BENCH_FAILED, "preparing", error);
        return;
    }
    w->held = *c;
    memcpy(answer->u.handles.in, &in, sizeof in);
    memcpy(answer->u.handles.out, &out, sizeof out);
}

namespace {

// The right answer: by CUB, and checked, so that it is right. From an input of
// our own: who scanned the shared array all the time would otherwise have found
// in it, before the clock starts, what it is going to be
// (timing/tests/fast/ahead.cu).
cudaError_t find_answer(worker *w, const bench_ask *ask, void *function,
                        uint64_t *wrong) {
    const bench_turn *a = &ask->turn;
    const bench_cell *c = &w->held;
    void *in = w->buffers[PRIVATE].base;
    uint64_t bytes;
    cudaError_t error = data_fill(DATA_RANDOM, c->type, in, c->n, a->seed);
    if (!error) error = data_change(c->type, in, c->n, (uint32_t)ask->value);
    frame f = {in,   NULL,         w->buffers[ANSWER].base, NULL, c->n,
               c->n, a->parameters};
    if (!error) error = (cudaError_t)trampolines[a->signature](function, &f);
    if (!error) error = cudaDeviceSynchronize();
    data_call d = {in, NULL, f.out, NULL, f.n_out, 0};
    w->answer_n = c->operation == BENCH_select_half ? f.n_out : c->n;
    if (!error)
        error =
            data_check(c, c->n, &d, w->buffers[SCRATCH].base, wrong, &bytes);
    return error;
}

} // namespace

void on_prepare(worker *w, const bench_ask *ask, bench_answer *answer) {
    const library *l = &w->libraries[ask->library % MOST_LIBRARIES];
    const bench_cell *c = &w->held;
    void *function = ask->library < w->n_libraries
                         ? dlsym(l->handle, ask->turn.symbol)
                         : NULL;
    uint64_t wrong = 0;
    if (!function || ask->turn.signature < 0) {
        answer->status = BENCH_NO_SYMBOL;
        snprintf(answer->text, sizeof answer->text, "there is no %s",
                 ask->turn.symbol);
        return;
    }
    cudaError_t error = find_answer(w, ask, function, &wrong);
    w->turns++;
    w->input.known = false;
    if (!error)
        error = data_fill(DATA_RANDOM, c->type, w->buffers[IN].base, c->n,
                          ask->turn.seed);
    if (!error)
        error = cudaMemset(w->buffers[OUT].base,
                           (int)((w->turns * 37 + 0x5b) & 0xff),
                           c->n * width_of(c->type));
    if (!error) error = cudaDeviceSynchronize();
    if (error)
        fail(answer, BENCH_FAILED, "preparing", error);
    else if (wrong)
        fail(answer, BENCH_FAILED, "the answer to compare with is wrong", 0);
    answer->value = w->answer_n;
}

void on_change(worker *w, const bench_ask *ask, bench_answer *answer) {
    const bench_cell *c = &w->held;
    cudaError_t error =
        data_change(c->type, w->buffers[IN].base, c->n, (uint32_t)ask->value);
    if (!error) error = cudaDeviceSynchronize();
    if (error) fail(answer, BENCH_FAILED, "changing the input", error);
}

void on_sample(worker *w, const bench_ask *ask, bench_answer *answer) {
    cudaError_t error = data_sample(
        w->held.type, w->buffers[OUT].base, w->buffers[ANSWER].base,
        w->answer_n, (uint32_t)ask->value, w->n_out, &answer->value);
    if (error) fail(answer, BENCH_FAILED, "looking at the output", error);
}

void on_compare(worker *w, const bench_ask *ask, bench_answer *answer) {
    cudaError_t error = data_compare(w->held.type, w->buffers[OUT].base,
                                     w->buffers[ANSWER].base, w->answer_n,
                                     w->n_out, &answer->value);
    if (w->held.operation == BENCH_select_half)
        answer->value += ask->value != w->answer_n;
    if (error) fail(answer, BENCH_FAILED, "comparing the output", error);
}

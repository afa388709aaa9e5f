// SPDX-License-Identifier: MIT
//
// worker.cu: one measuring process of scanlab bench. It loads one folder's
// libraries, or the peers', and times their calls when asked to; what timed
// checks ask of it is in holder.cu.
//
// A turn of one contestant: poison its outputs, read a buffer larger than the
// L2 cache, one call that warms up, then the timed calls: each starts on an
// idle device, between two events on the default stream, on arrays of its own
// while they are small. Afterwards all their outputs are checked.
// Memory that a function allocates is part of its time; CUB's temporary storage
// is allocated before, as its users do.
#include <cub/version.cuh>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

#include "trampolines.h"
#include "worker.cuh"

// ---- memory ----

cudaError_t need(worker *w, role r, size_t bytes) {
    buffer *b = &w->buffers[r];
    if (b->bytes >= bytes) return cudaSuccess;
    cudaFree(b->base);
    *b = buffer();
    if (r == IN || r == IN2) w->input.known = false;
    cudaError_t error = cudaMalloc((void **)&b->base, bytes);
    if (error)
        cudaGetLastError(); // not to be found by the next call
    else
        b->bytes = bytes;
    return error;
}

size_t width_of(int type) {
    static const size_t widths[] = {
#define X(name, type, bytes) bytes,
#include "bench_types.def"
#undef X
    };
    return widths[type];
}

void fail(bench_answer *answer, uint32_t status, const char *what, int error) {
    answer->status =
        error == cudaErrorMemoryAllocation ? (uint32_t)BENCH_NO_ROOM : status;
    answer->value = (uint64_t)(int64_t)error;
    snprintf(answer->text, sizeof answer->text, "%s: %s", what,
             cudaGetErrorString((cudaError_t)error));
}

namespace {

enum { ALIGNMENT = 256 };

// Beyond this size a call's arrays cannot stay in the cache until the next: all
// calls of a turn share them.
const size_t shared_from = (size_t)256 << 20;

void drop_larger(worker *w, size_t than) {
    for (int r = 0; r < N_ROLES; r++)
        if (r != FLUSH && w->buffers[r].bytes > than) {
            cudaFree(w->buffers[r].base);
            w->buffers[r] = buffer();
            w->input.known = false;
        }
}

// Every contestant's process has arrays of its own. Where a dozen such would
// fill the GPU, each gives its own back when its turn ends, and so does the
// pool that lab 8's fast functions take scratch from.
void leave_room(worker *w, size_t bytes) {
    int device = 0;
    cudaMemPool_t pool;
    if (bytes <= w->memory_bytes / 40) return;
    if (!cudaGetDevice(&device) && !cudaDeviceGetDefaultMemPool(&pool, device))
        cudaMemPoolTrimTo(pool, 0);
    drop_larger(w, 0);
}

bool has_second_input(int operation) {
    return operation == BENCH_reduce_by_key || operation == BENCH_sort_pairs;
}
bool has_second_output(int operation) {
    return has_second_input(operation) || operation == BENCH_run_length;
}
bool has_runs(int operation) {
    return operation == BENCH_run_length || operation == BENCH_reduce_by_key;
}

// ---- one turn ----

struct turn {
    const bench_turn *ask;
    void *function; // of a lab; or
    const peer *rival;
    size_t stride, slots, covered;
    peer_call temporary; // CUB's storage
    uint64_t counts[BENCH_CALLS];
};

char *slot(const worker *w, const turn *t, role r, size_t k) {
    return w->buffers[r].base + (k % t->slots) * t->stride;
}

cudaError_t make_room(worker *w, turn *t) {
    const bench_cell *c = &t->ask->cell;
    size_t bytes = c->n * width_of(c->type);
    t->stride = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    t->slots = bytes >= shared_from ? 1 : (size_t)t->ask->calls + 1;
    size_t all = t->stride * t->slots;
    // After a large size, memory that only it needed is in others' way.
    drop_larger(w, 4 * all + (64u << 20));
    cudaError_t error = need(w, IN, all);
    if (!error) error = need(w, OUT, all);
    if (!error && has_second_input(c->operation)) error = need(w, IN2, all);
    if (!error && has_second_output(c->operation)) error = need(w, OUT2, all);
    if (!error)
        error = need(w, SCRATCH, data_scratch_bytes(c->operation, c->n));
    size_t had = w->buffers[FLUSH].bytes;
    if (!error) error = need(w, FLUSH, 2 * w->l2_bytes);
    if (!error && had == 0)
        error = data_fill(DATA_RANDOM, BENCH_TYPE_int32, w->buffers[FLUSH].base,
                          w->buffers[FLUSH].bytes / sizeof(int32_t), 1);
    return error;
}

cudaError_t fill_inputs(worker *w, turn *t) {
    const bench_cell *c = &t->ask->cell;
    int kind = has_runs(c->operation) ? DATA_RUNS : DATA_RANDOM;
    bool second = has_second_input(c->operation);
    kind += second ? 16 : 0; // then IN2 is filled as well
    if (w->input.known && w->input.kind == kind && w->input.type == c->type &&
        w->input.n == c->n && w->input.seed == t->ask->seed &&
        w->input.slots >= t->slots)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (size_t k = 0; k < t->slots && !error; k++) {
        uint32_t seed = t->ask->seed + 7919 * (uint32_t)k;
        error = data_fill((data_kind)(kind & 15), c->type, slot(w, t, IN, k),
                          c->n, seed);
        if (!error && second)
            error =
                data_fill(DATA_VALUES, c->type, slot(w, t, IN2, k), c->n, seed);
    }
    w->input.known = !error;
    w->input.kind = kind;
    w->input.type = c->type;
    w->input.n = c->n;
    w->input.seed = t->ask->seed;
    w->input.slots = t->slots;
    return error;
}

cudaError_t poison(worker *w, turn *t) {
    const bench_cell *c = &t->ask->cell;
    int byte = (int)((w->turns * 37 + 0x5b) & 0xff);
    size_t all = t->stride * t->slots;
    cudaError_t error = cudaMemsetAsync(w->buffers[OUT].base, byte, all);
    if (!error && has_second_output(c->operation))
        error = cudaMemsetAsync(w->buffers[OUT2].base, byte, all);
    if (!error) error = cudaMemsetAsync(w->n_out, byte, sizeof *w->n_out);
    return error;
}

int call_once(worker *w, turn *t, size_t k, uint64_t *n_out) {
    const bench_turn *a = t->ask;
    bool two_in = has_second_input(a->cell.operation),
         two_out = has_second_output(a->cell.operation);
    void *in = slot(w, t, IN, k), *out = slot(w, t, OUT, k);
    void *in2 = two_in ? slot(w, t, IN2, k) : NULL;
    void *out2 = two_out ? slot(w, t, OUT2, k) : NULL;
    if (t->rival) {
        peer_call c = t->temporary;
        c.in = in, c.in2 = in2, c.out = out, c.out2 = out2;
        c.n = a->cell.n, c.order = a->cell.order, c.n_out = w->n_out;
        return t->rival->run(&c);
    }
    frame f = {in, in2, out, out2, a->cell.n, SIZE_MAX, a->parameters};
    int status = trampolines[a->signature](t->function, &f);
    *n_out = f.n_out;
    return status;
}

// One call between two events. The count that a peer leaves on the device is
// fetched after the clock has stopped.
int timed_call(worker *w, turn *t, size_t k, float *ms) {
    cudaError_t error = cudaEventRecord(w->begin);
    if (error) return error;
    int status = call_once(w, t, k, &t->counts[k % BENCH_CALLS]);
    if (status) return status;
    error = cudaEventRecord(w->end);
    if (!error) error = cudaEventSynchronize(w->end);
    if (!error) error = cudaEventElapsedTime(ms, w->begin, w->end);
    if (!error && t->rival)
        error = cudaMemcpy(&t->counts[k % BENCH_CALLS], w->n_out,
                           sizeof *w->n_out, cudaMemcpyDeviceToHost);
    return error;
}

int all_calls(worker *w, turn *t, float *ms) {
    const size_t calls = (size_t)t->ask->calls;
    float ignored;
    int status = 0;
    bool small = t->slots > 1;
    cudaError_t error = poison(w, t);
    if (!error && small)
        error = data_flush(w->buffers[FLUSH].base, 2 * w->l2_bytes);
    if (!error) error = cudaDeviceSynchronize();
    if (error) return error;
    status = timed_call(w, t, calls, &ignored);
    for (size_t k = 0; k < calls && !status; k++) {
        if (!small) {
            error = poison(w, t);
            if (!error)
                error = data_flush(w->buffers[FLUSH].base, 2 * w->l2_bytes);
            if (!error) error = cudaDeviceSynchronize();
            if (error) return error;
        }
        status = timed_call(w, t, k, &ms[k]);
    }
    if (!status) status = cudaDeviceSynchronize();
    return status;
}

cudaError_t check_all(worker *w, turn *t, uint64_t *wrong, uint64_t *bytes) {
    const bench_turn *a = t->ask;
    cudaError_t error = cudaSuccess;
    size_t first = t->slots > 1 ? 0 : (size_t)a->calls - 1;
    *wrong = 0;
    for (size_t k = first; k < (size_t)a->calls && !error; k++) {
        data_call d = {
            slot(w, t, IN, k),
            has_second_input(a->cell.operation) ? slot(w, t, IN2, k) : NULL,
            slot(w, t, OUT, k),
            has_second_output(a->cell.operation) ? slot(w, t, OUT2, k) : NULL,
            t->counts[k],
            a->seed + 7919 * (uint32_t)(k % t->slots)};
        uint64_t more = 0;
        error = data_check(&a->cell, t->covered, &d, w->buffers[SCRATCH].base,
                           &more, bytes);
        *wrong += more;
    }
    return error;
}

// A peer's temporary storage. 1 byte where it wants none: NULL would only ask.
cudaError_t open_temporary(turn *t) {
    if (!t->rival) return cudaSuccess;
    peer_call *c = &t->temporary;
    c->n = t->ask->cell.n;
    c->order = t->ask->cell.order;
    cudaError_t error = t->rival->run(c);
    if (!error) error = cudaMalloc(&c->temp, c->temp_bytes ? c->temp_bytes : 1);
    return error;
}

void on_turn(worker *w, const bench_ask *ask, bench_answer *answer) {
    turn t = {};
    t.ask = &ask->turn;
    const bench_turn *a = t.ask;
    const library *l = &w->libraries[ask->library % MOST_LIBRARIES];
    w->turns++;
    t.covered = a->cell.n;
    if (ask->library >= w->n_libraries || a->calls < 1 ||
        a->calls > BENCH_CALLS - 1 || a->cell.n == 0) {
        fail(answer, BENCH_FAILED, "a turn that makes no sense", 0);
        return;
    }
    if (a->signature < 0 && (size_t)a->peer < l->n_peers) {
        t.rival = &l->peers[a->peer];
        t.covered -= a->cell.n % (size_t)a->cell.tuple;
    } else if (!(t.function = dlsym(l->handle, a->symbol))) {
        answer->status = BENCH_NO_SYMBOL;
        snprintf(answer->text, sizeof answer->text, "there is no %s",
                 a->symbol);
        return;
    }
    cudaError_t error = make_room(w, &t);
    if (!error) error = open_temporary(&t);
    if (!error) error = fill_inputs(w, &t);
    if (error)
        fail(answer, BENCH_FAILED, "preparing", error);
    else if (int status = all_calls(w, &t, answer->u.turn.ms)) {
        cudaError_t sticky = cudaDeviceSynchronize();
        cudaGetLastError();
        fail(answer, sticky ? (uint32_t)BENCH_FAILED : (uint32_t)BENCH_REFUSED,
             "the call", status);
    } else {
        error = check_all(w, &t, &answer->u.turn.wrong, &answer->u.turn.bytes);
        if (error) fail(answer, BENCH_FAILED, "checking", error);
    }
    if (t.temporary.temp) cudaFree(t.temporary.temp);
    leave_room(w, t.stride * t.slots);
}

// ---- the other requests ----

void on_hello(worker *w, const bench_ask *, bench_answer *answer) {
    bench_hello *h = &answer->u.hello;
    cudaDeviceProp p;
    size_t available, total;
    cudaError_t error = cudaGetDeviceProperties(&p, 0);
    if (!error) error = cudaMemGetInfo(&available, &total);
    if (!error) error = cudaDriverGetVersion(&h->driver);
    if (!error) error = cudaRuntimeGetVersion(&h->runtime);
    if (!error) error = cudaEventCreate(&w->begin);
    if (!error) error = cudaEventCreate(&w->end);
    if (!error) error = cudaMalloc((void **)&w->n_out, sizeof *w->n_out);
    if (error) {
        fail(answer, BENCH_FAILED, "the GPU cannot be used", error);
        return;
    }
    snprintf(h->gpu, sizeof h->gpu, "%.*s", (int)sizeof h->gpu - 1, p.name);
    h->capability = 10 * p.major + p.minor;
    h->processors = p.multiProcessorCount;
    h->cub = CUB_VERSION;
    h->l2_bytes = w->l2_bytes = (size_t)p.l2CacheSize;
    h->memory_bytes = w->memory_bytes = total;
}

void on_load(worker *w, const bench_ask *ask, bench_answer *answer) {
    if (w->n_libraries == MOST_LIBRARIES) {
        fail(answer, BENCH_FAILED, "too many libraries", 0);
        return;
    }
    library *l = &w->libraries[w->n_libraries];
    l->handle = dlopen(ask->text, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) {
        answer->status = BENCH_FAILED;
        snprintf(answer->text, sizeof answer->text, "%s", dlerror());
        return;
    }
    if (void *symbol = dlsym(l->handle, "bench_peers")) {
        const peer *(*table)(size_t *);
        memcpy(&table, &symbol, sizeof table);
        l->peers = table(&l->n_peers);
    }
    answer->value = w->n_libraries++;
}

// Peers are asked for by number; value: how many there are.
void on_peers(worker *w, const bench_ask *ask, bench_answer *answer) {
    library *l = &w->libraries[ask->library % MOST_LIBRARIES];
    if (ask->library >= w->n_libraries || !l->peers) {
        fail(answer, BENCH_FAILED, "not a library of peers", 0);
        return;
    }
    answer->value = l->n_peers;
    if (ask->value < l->n_peers) answer->u.peer = l->peers[ask->value].what;
}

request *const kinds[] = {on_hello,   on_load,   on_peers,  on_turn,   on_hold,
                          on_prepare, on_change, on_sample, on_compare};

} // namespace

int main() {
    static worker w;
    static bench_ask ask;
    // Gone with the process that measures.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return 2;
    for (;;) {
        static bench_answer answer;
        ssize_t got = recv(BENCH_FD, &ask, sizeof ask, 0);
        if (got != (ssize_t)sizeof ask ||
            ask.kind >= sizeof kinds / sizeof *kinds)
            break;
        answer = bench_answer();
        answer.kind = ask.kind;
        kinds[ask.kind](&w, &ask, &answer);
        if (send(BENCH_FD, &answer, sizeof answer, MSG_NOSIGNAL) < 0) break;
    }
    _exit(0); // a submission's destructors have no say
}

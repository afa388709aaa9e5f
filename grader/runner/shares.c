/* SPDX-License-Identifier: MIT
 *
 * shares.c: who writes the output of a function that is asked for several
 * threads. Each window of it can be read only until somebody writes there: that
 * one's it is. When all have been written, they are closed again, because a
 * function may clear its output first, or write it twice.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

enum { WINDOWS = 64, MOST_THREADS = 64, MOST_ROUNDS = 4, MOST_NAPS = 1000 };

/* Read by a handler, written before the student's code runs. */
static struct {
    uintptr_t begin;
    size_t bytes, window;
    unsigned call, windows, least; /* least: windows of the second thread */
    atomic_uint threads, written, rounds, naps;
    atomic_uint of[MOST_THREADS];
    atomic_bool taken[WINDOWS], shared;
} out;

bool shares_begin(void *begin, size_t bytes, unsigned threads) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = ((uintptr_t)begin + bytes + page - 1) & ~(page - 1);
    out.begin = (uintptr_t)begin & ~(uintptr_t)(page - 1);
    out.bytes = end - out.begin;
    out.window = (out.bytes / WINDOWS + page) & ~(page - 1);
    out.windows = (unsigned)((out.bytes + out.window - 1) / out.window);
    /* Of threads that take turns, one that a busy machine lets in late writes
     * half of what is left then, which may be little. */
    out.least = out.windows / (4 * threads);
    out.call++;
    out.threads = out.written = out.rounds = out.naps = 0;
    out.shared = false;
    for (int t = 0; t < MOST_THREADS; t++) out.of[t] = 0;
    for (int w = 0; w < WINDOWS; w++) out.taken[w] = false;
    return mprotect((void *)out.begin, out.bytes, PROT_READ) == 0;
}

static unsigned number_of_this(void) {
    static _Thread_local unsigned number, call;
    if (call != out.call) number = atomic_fetch_add(&out.threads, 1);
    call = out.call;
    return number < MOST_THREADS ? number : MOST_THREADS - 1;
}

/* Has a second thread its share? */
static bool is_shared(void) {
    unsigned with_share = 0;
    for (int t = 0; t < MOST_THREADS; t++)
        with_share += out.of[t] && out.of[t] >= out.least;
    if (with_share > 1) out.shared = true;
    return out.shared;
}

/* Who writes faster than others who have come waits for them, a while at most.
 */
static void wait_for_share(unsigned mine) {
    const struct timespec ms = {.tv_nsec = 1000 * 1000};
    while (2 * mine > out.windows && signals_met() > 1 && !is_shared() &&
           atomic_fetch_add(&out.naps, 1) < MOST_NAPS)
        nanosleep(&ms, NULL);
}

static void close_again(void) {
    if (atomic_fetch_add(&out.rounds, 1) >= MOST_ROUNDS) return;
    out.written = 0;
    for (int t = 0; t < MOST_THREADS; t++) out.of[t] = 0;
    for (unsigned w = 0; w < out.windows; w++) out.taken[w] = false;
    mprotect((void *)out.begin, out.bytes, PROT_READ);
}

bool shares_wrote(uintptr_t at) {
    if (at - out.begin >= out.bytes) return false;
    uintptr_t window = (at - out.begin) / out.window;
    uintptr_t from = out.begin + window * out.window;
    uintptr_t left = out.begin + out.bytes - from;
    bool first = !atomic_exchange(&out.taken[window], true);
    if (first)
        wait_for_share(1 + atomic_fetch_add(&out.of[number_of_this()], 1));
    is_shared();
    mprotect((void *)from, left < out.window ? left : out.window,
             PROT_READ | PROT_WRITE);
    if (first && atomic_fetch_add(&out.written, 1) + 1 == out.windows &&
        !out.shared)
        close_again();
    return true;
}

bool shares_end(void) {
    bool shared = is_shared();
    if (out.bytes)
        mprotect((void *)out.begin, out.bytes, PROT_READ | PROT_WRITE);
    out.bytes = 0;
    return shared;
}

/* SPDX-License-Identifier: MIT
 *
 * cpu_round.c: see cpu_round.h.
 *
 * The child fills the input with random numbers, each part by the thread that
 * will use it, and then calls the contestants in turn, again and again; every
 * round begins with another one. Before each call the output is poisoned,
 * afterwards checked, by the same threads: so all find the caches alike. What
 * it learns goes into memory that it shares with its parent, who sees there
 * whom it was calling when it died.
 */
#include "cpu_round.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parallel.h"
#include "scanlab.h"
#include "inputs.h"

enum { CALL_LIMIT_S = 60, NOBODY = -1 };

struct shared {
    int running; /* the contestant that is being called, or NOBODY */
    struct cpu_result results[CPU_MOST_CONTESTANTS];
};

struct round {
    const struct cpu_contestant *contestants;
    size_t n_contestants, n, repeats;
    int threads;
    struct shared *shared;
    int32_t *in, *out;
    cpu_rival *run[CPU_MOST_CONTESTANTS];
    bool copies;       /* what check_part is to expect */
    uint32_t *sums;    /* of each part: expected before it */
    atomic_bool wrong; /* check_part found a difference */
};

static double clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- data ---- */

static void fill_part(void *context, int t) {
    struct round *r = context;
    size_t end = cpu_part(r->n, r->threads, t + 1);
    uint32_t sum = 0;
    for (size_t i = cpu_part(r->n, r->threads, t); i < end; i++) {
        r->in[i] = (int32_t)(uint32_t)inputs_mix(1, i);
        r->out[i] = 0;
        sum += (uint32_t)r->in[i];
    }
    r->sums[t] = sum;
}

static void poison_part(void *context, int t) {
    struct round *r = context;
    size_t begin = cpu_part(r->n, r->threads, t);
    size_t end = cpu_part(r->n, r->threads, t + 1);
    memset(r->out + begin, 0x5a, (end - begin) * sizeof *r->out);
}

static void check_part(void *context, int t) {
    struct round *r = context;
    size_t end = cpu_part(r->n, r->threads, t + 1);
    uint32_t sum = r->sums[t], difference = 0;
    for (size_t i = cpu_part(r->n, r->threads, t); i < end; i++) {
        sum += (uint32_t)r->in[i];
        difference |=
            (uint32_t)r->out[i] ^ (r->copies ? (uint32_t)r->in[i] : sum);
    }
    if (difference) atomic_store(&r->wrong, true);
}

static int32_t *array(size_t n) {
    void *p = mmap(NULL, n * sizeof(int32_t), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, n * sizeof(int32_t), MADV_HUGEPAGE); /* where there are any */
    return p;
}

static bool prepare(struct round *r) {
    r->in = array(r->n);
    r->out = array(r->n);
    r->sums = calloc((size_t)r->threads, sizeof *r->sums);
    if (!r->in || !r->out || !r->sums) return false;
    if (parallel_run(r->threads, fill_part, r) != 0) return false;
    uint32_t before = 0;
    for (int t = 0; t < r->threads; t++) {
        uint32_t sum = r->sums[t];
        r->sums[t] = before;
        before += sum;
    }
    return true;
}

/* ---- calls, in the child ---- */

static void give_up(struct cpu_result *result, enum cpu_status status,
                    const char *why) {
    result->status = status;
    snprintf(result->why, sizeof result->why, "%s", why);
}

static void find(struct round *r, size_t k) {
    const struct cpu_contestant *c = &r->contestants[k];
    r->run[k] = c->run;
    if (c->run) return;
    void *library = dlopen(c->library, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, c->symbol) : NULL;
    if (symbol)
        memcpy(&r->run[k], &symbol, sizeof symbol);
    else
        give_up(&r->shared->results[k], CPU_ABSENT, dlerror());
}

/* One call; counted: its time is kept. */
static void call(struct round *r, size_t k, bool counted) {
    struct cpu_result *result = &r->shared->results[k];
    r->copies = r->contestants[k].copies;
    parallel_run(r->threads, poison_part, r);
    r->shared->running = (int)k;
    alarm(CALL_LIMIT_S);
    double before = clock_ns();
    int error = r->run[k](r->in, r->out, r->n, r->threads);
    double ns = clock_ns() - before;
    alarm(0);
    r->shared->running = NOBODY;
    atomic_store(&r->wrong, false);
    if (error == SCANLAB_TODO) {
        give_up(result, CPU_ABSENT, "not written yet");
        return;
    }
    if (error == ENOTSUP) {
        give_up(result, CPU_ABSENT, "not on this machine");
        return;
    }
    if (error) {
        give_up(result, CPU_FAILED, strerror(error));
        return;
    }
    parallel_run(r->threads, check_part, r);
    if (atomic_load(&r->wrong))
        give_up(result, CPU_WRONG, "the output was wrong");
    if (counted) result->ns[result->repeats++] = ns;
}

static bool plays(const struct round *r, size_t k) {
    enum cpu_status status = r->shared->results[k].status;
    return status == CPU_RIGHT || status == CPU_WRONG;
}

static void child(struct round *r) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!prepare(r)) _exit(EXIT_FAILURE);
    for (size_t k = 0; k < r->n_contestants; k++) {
        r->shared->running = (int)k; /* a library may run code when loaded */
        if (plays(r, k)) find(r, k);
        r->shared->running = NOBODY;
        r->shared->results[k].repeats = 0;
    }
    for (size_t i = 0; i <= r->repeats; i++)
        for (size_t j = 0; j < r->n_contestants; j++) {
            size_t k = (i + j) % r->n_contestants;
            if (plays(r, k)) call(r, k, i > 0);
        }
    _exit(EXIT_SUCCESS);
}

/* ---- the parent ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* true: the child went through, or died calling a contestant, who is out now
 * (*again). */
static bool one_child(struct round *r, bool *again) {
    int status;
    *again = false;
    r->shared->running = NOBODY;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) child(r);
    if (pid < 0) return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS &&
        r->shared->running == NOBODY)
        return true;
    if (r->shared->running == NOBODY) {
        errno = ENOMEM;
        return false;
    }
    struct cpu_result *result = &r->shared->results[r->shared->running];
    give_up(result, CPU_FAILED, "ended the process");
    if (WIFSIGNALED(status))
        snprintf(result->why, sizeof result->why, "%s",
                 WTERMSIG(status) == SIGALRM ? "did not return in a minute"
                                             : strsignal(WTERMSIG(status)));
    return *again = true;
}

bool cpu_round(const struct cpu_contestant *contestants, size_t n_contestants,
               size_t n, int threads, size_t repeats,
               struct cpu_result *results) {
    struct round r = {.contestants = contestants,
                      .n_contestants = n_contestants,
                      .n = n,
                      .threads = threads,
                      .repeats = repeats < CPU_MOST_REPEATS ? repeats
                                                            : CPU_MOST_REPEATS};
    r.shared = mmap(NULL, sizeof *r.shared, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool ok = r.shared != MAP_FAILED;
    for (bool again = ok; again;)
        if (!one_child(&r, &again)) ok = again = false;
    if (!ok)
        fprintf(stderr, "scanlab: cannot measure n = %zu: %s\n", n,
                strerror(errno));
    for (size_t k = 0; ok && k < n_contestants; k++) {
        results[k] = r.shared->results[k];
        qsort(results[k].ns, results[k].repeats, sizeof(double), by_size);
    }
    if (r.shared != MAP_FAILED) munmap(r.shared, sizeof *r.shared);
    return ok;
}

/* SPDX-License-Identifier: MIT
 *
 * client_watch.c: host code that uses pinned or managed memory too early. The
 * device's side knows which bytes operations use that the host has not waited
 * for (WATCH). The pages they lie in are taken away; a fault shows the address,
 * which is looked up among the bytes. Then the access is let through: on x86-64
 * alone, for one instruction; elsewhere the page stays open until the next call
 * of the runtime.
 *
 * The handler reads what was prepared, writes notes into room that is there,
 * and asks the system for pages; nothing else.
 */
#define _GNU_SOURCE /* REG_EFL */
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, MOST_NOTES = 16, MOST_STEPPED = 4, READ = 0, WROTE = 1 };

struct run { /* of pages with one protection */
    uint64_t from, to;
    int access; /* PROT_* */
};

/* Guarded by the client's lock; the handler reads, and marks what it noted. */
static struct {
    struct vgpu_watched *list; /* what WATCH said */
    size_t n;
    struct run *runs; /* of pages that are closed, by address */
    size_t n_runs, capacity;
    bool is_open; /* for a call of the runtime's own */
    bool can_step;
    struct vgpu_request_ORDER notes[MOST_NOTES];
    volatile size_t n_notes, n_sent;
} watch;

/* Pages that an instruction is let through to. */
static _Thread_local struct {
    uint64_t pages[MOST_STEPPED];
    volatile size_t n;
} stepped;

/* ---- pages ---- */

static bool is_the_kernels(uint64_t address) {
    return client_mapped_is_closed((const void *)(uintptr_t)address);
}

static void set_runs(bool open) {
    for (size_t k = 0; k < watch.n_runs; k++) {
        const struct run *r = &watch.runs[k];
        if (!is_the_kernels(r->from))
            mprotect((void *)(uintptr_t)r->from, r->to - r->from,
                     open ? PROT_READ | PROT_WRITE : r->access);
    }
}

void client_watch_open(void) {
    if (watch.is_open) return;
    set_runs(true);
    watch.is_open = true;
}

static int by_address(const void *a, const void *b) {
    const struct run *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool is_plain(unsigned how) {
    return how & (VGPU_USE_READ | VGPU_USE_WRITE);
}

/* The host may read what is only read. Strong accesses are left alone: a flag
 * that both sides poll. */
static size_t runs_of_list(struct run *to) {
    size_t n = 0;
    for (size_t k = 0; k < watch.n; k++) {
        const struct vgpu_watched *w = &watch.list[k];
        if (!is_plain(w->how)) continue;
        to[n++] = (struct run){w->from / PAGE * PAGE,
                               (w->to + PAGE - 1) / PAGE * PAGE,
                               w->how & VGPU_USE_WRITE ? PROT_NONE : PROT_READ};
    }
    qsort(to, n, sizeof *to, by_address);
    return n;
}

/* Sorted runs that may overlap become runs that do not; where they do, nothing
 * may be done. */
static size_t make_disjoint(struct run *runs, size_t n) {
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        struct run *last = kept ? &runs[kept - 1] : NULL;
        if (last && runs[k].from < last->to) {
            if (runs[k].to > last->to) last->to = runs[k].to;
            if (runs[k].access == PROT_NONE) last->access = PROT_NONE;
        } else if (last && runs[k].from == last->to &&
                   runs[k].access == last->access) {
            last->to = runs[k].to;
        } else {
            runs[kept++] = runs[k];
        }
    }
    return kept;
}

static bool watch_reserve(void) {
    enum { ROOM = VGPU_CHUNK / sizeof(struct vgpu_watched) };
    if (watch.list) return true;
    watch.list = malloc(VGPU_CHUNK);
    watch.runs = malloc(ROOM * sizeof *watch.runs);
    return watch.list && watch.runs;
}

static void install_step(void);

void client_watch_close(void) {
    if (!client_order_is_on() || !watch_reserve()) return;
    struct vgpu_request_WATCH none = {0};
    struct client_call call = {.request = VGPU_REQUEST_WATCH,
                               .fixed = &none,
                               .reply_tail = watch.list,
                               .reply_tail_capacity = VGPU_CHUNK};
    client_watch_open();
    watch.n = watch.n_runs = 0;
    watch.is_open = false;
    if (client_send(&call) || !client_fault_is_ours()) return;
    watch.n = call.reply_tail_bytes / sizeof *watch.list;
    watch.n_runs = make_disjoint(watch.runs, runs_of_list(watch.runs));
    if (watch.n_runs) install_step();
    set_runs(false);
}

/* ---- faults ---- */

static const struct run *run_at(uint64_t address) {
    for (size_t k = 0; k < watch.n_runs; k++)
        if (address >= watch.runs[k].from && address < watch.runs[k].to)
            return &watch.runs[k];
    return NULL;
}

static struct vgpu_watched *conflict_at(uint64_t address, unsigned access) {
    unsigned how =
        access == WROTE ? VGPU_USE_READ | VGPU_USE_WRITE : VGPU_USE_WRITE;
    for (size_t k = 0; k < watch.n; k++)
        if (address >= watch.list[k].from && address < watch.list[k].to &&
            watch.list[k].how & how)
            return &watch.list[k];
    return NULL;
}

/* Where the access stands; the walk takes its own place for that of a call,
 * which is one before where it comes back. */
static void find_access(uint64_t at[VGPU_CALLERS_MAX], const void *context) {
    client_callers(at, VGPU_CALLERS_MAX);
#if defined(__x86_64__)
    const ucontext_t *c = context;
    uint64_t place = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
    if (at[0] && (place - 1 - at[0]) % PAGE == 0) at[0]++;
#else
    (void)context;
#endif
}

/* It is noted once for an operation. */
static void note_access(struct vgpu_watched *w, uint64_t address,
                        unsigned access, const void *context) {
    uint64_t seq = w->seq;
    uint32_t stream = w->stream;
    if (watch.n_notes == MOST_NOTES) return;
    struct vgpu_request_ORDER *r = &watch.notes[watch.n_notes];
    *r = (struct vgpu_request_ORDER){.what = VGPU_ORDER_HOST_USE,
                                     .stream = stream,
                                     .object = address,
                                     .bytes = seq,
                                     .how = access};
    find_access(r->at, context);
    watch.n_notes = watch.n_notes + 1;
    for (size_t k = 0; k < watch.n; k++)
        if (watch.list[k].seq == seq && watch.list[k].stream == stream)
            watch.list[k].how = 0;
}

bool client_watch_pending(struct vgpu_request_ORDER *to) {
    if (watch.n_sent == watch.n_notes) {
        watch.n_sent = watch.n_notes = 0;
        return false;
    }
    *to = watch.notes[watch.n_sent++];
    return true;
}

/* The next instruction but one traps. */
static bool step_alone(void *context) {
#if defined(__x86_64__)
    enum { TRAP_FLAG = 0x100 };
    ucontext_t *c = context;
    if (!watch.can_step) return false;
    c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
#else
    (void)context;
    return false;
#endif
}

bool client_watch_fault(const void *pointer, unsigned access, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const struct run *r = watch.is_open ? NULL : run_at(address);
    int error = errno;
    if (!r || is_the_kernels(address)) return false;
    if (access > WROTE) access = r->access == PROT_READ ? WROTE : READ;
    struct vgpu_watched *w = conflict_at(address, access);
    if (w) note_access(w, address, access, context);
    uint64_t page = address / PAGE * PAGE;
    mprotect((void *)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE);
    if (stepped.n < MOST_STEPPED && step_alone(context))
        stepped.pages[stepped.n++] = page;
    errno = error;
    return true;
}

#if defined(__x86_64__)
static void after_step(int number, siginfo_t *info, void *context) {
    enum { TRAP_FLAG = 0x100 };
    ucontext_t *c = context;
    int error = errno;
    (void)info;
    if (!stepped.n) { /* somebody else's: as without us */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    while (stepped.n) {
        uint64_t page = stepped.pages[--stepped.n];
        const struct run *r = watch.is_open ? NULL : run_at(page);
        if (r && !is_the_kernels(page))
            mprotect((void *)(uintptr_t)page, PAGE, r->access);
    }
    c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    errno = error;
}
#endif

/* Where the program traps itself, pages stay open instead. */
static void install_step(void) {
#if defined(__x86_64__)
    struct sigaction old, action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    watch.can_step =
        sigaction(SIGTRAP, NULL, &old) == 0 &&
        (old.sa_handler == SIG_DFL || old.sa_sigaction == after_step);
    action.sa_sigaction = after_step;
    sigemptyset(&action.sa_mask);
    if (watch.can_step) sigaction(SIGTRAP, &action, NULL);
#endif
}

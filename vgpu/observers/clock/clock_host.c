/* SPDX-License-Identifier: MIT
 *
 * clock_host.c: the host's calls, and the device's queue of the commands that
 * they put there. A call takes the host's time; its command begins when the
 * call has ended and the queue is empty. All streams are one queue.
 */
#include "clock_inside.h"
#include "links.h"
#include "timeline.h"

enum { LARGE = 1 << 20 };

/* What the host or a copy wrote was L2's last. */
static void fill_l2(struct clock *k, uint64_t to, uint64_t bytes) {
    uint64_t evicted, most = (uint64_t)k->profile->l2_kib << 10;
    if (!bytes || !to) return;
    if (bytes > most) to += bytes - most, bytes = most;
    for (uint64_t line = to >> LINE_SHIFT;
         line <= (to + bytes - 1) >> LINE_SHIFT; line++)
        l2_take(&k->tags, line, 15, true, &evicted);
}

/* The host waits for the queue; if there was nothing to wait for, at no cost.
 */
static void wait(struct clock *k) {
    uint64_t end = k->links ? links_awaited(k) : k->queue;
    if (end > k->host) k->host = end + k->profile->wait_ps;
    if (k->pooled) k->host += k->profile->pool_trim_ps;
    k->pooled = 0;
}

/* The pool of streams' memory; it goes back to the driver in each wait. */
static void pool(struct clock *k, bool frees, uint64_t bytes) {
    const struct clock_profile *p = k->profile;
    k->host += p->pool_ps;
    if (frees) {
        k->pooled += bytes;
    } else if (k->pooled < bytes) {
        k->host += p->pool_first_ps;
    } else {
        k->pooled -= bytes;
    }
}

static void command(struct clock *k, uint64_t call, uint64_t takes) {
    if (k->links) {
        k->queue = later(k->queue, links_command(k, call)) + takes;
        return;
    }
    k->host += call;
    k->queue = later(k->queue, k->host) + takes;
}

static void makes_call(struct clock *k, enum clock_call call, uint64_t to,
                       uint64_t from, uint64_t bytes) {
    const struct clock_profile *p = k->profile;
    if (p->counts_steps) return;
    uint64_t moves = bytes * 1000 / p->dram_rate;
    if (call != CLOCK_COPY_HOST) k->copied_until = 0;
    uint64_t large = bytes > LARGE ? p->malloc_large_ps : 0;
    if (!p->pool_first_ps && call == CLOCK_POOL_MALLOC) call = CLOCK_MALLOC;
    if (!p->pool_first_ps && call == CLOCK_POOL_FREE) call = CLOCK_FREE;
    switch (call) {
    case CLOCK_MEMSET:
        command(k, p->memset_call_ps, p->memset_ps + moves);
        fill_l2(k, to, bytes);
        break;
    case CLOCK_COPY:
        command(k, p->copy_call_ps, p->copy_ps + 2 * moves);
        fill_l2(k, from, bytes);
        fill_l2(k, to, bytes);
        break;
    case CLOCK_COPY_PEER:
        command(k, p->link_copy_call_ps,
                p->link_copy_ps + bytes * 1000 / p->link_copy_rate);
        break;
    case CLOCK_COPY_HOST:
        /* A long copy comes in pieces. */
        if (to + from != k->copied_until)
            k->host = later(k->host, k->queue) + p->host_copy_ps + p->wait_ps;
        k->copied_until = to + from + bytes;
        k->host += bytes * 1000 / p->host_rate;
        k->queue = k->host;
        fill_l2(k, to, bytes);
        break;
    case CLOCK_MALLOC:
        k->host += p->malloc_ps + large;
        if (k->links && !large) links_small(k, false);
        break;
    case CLOCK_FREE:
        wait(k);
        k->host += p->malloc_ps + large;
        if (k->links && !large) links_small(k, true);
        break;
    case CLOCK_POOL_MALLOC: pool(k, false, bytes); break;
    case CLOCK_POOL_FREE: pool(k, true, bytes); break;
    case CLOCK_WAIT: wait(k); break;
    }
}

void clock_calls(struct clock *k, enum clock_call call, uint64_t to,
                 uint64_t from, uint64_t bytes) {
    static const char *const names[] = {
        "memset", "copy", "copy between devices", "copy to or from the host",
        "malloc", "free", "wait for the device"};
    if (k->links) links_enter(k);
    uint64_t host = k->host, queue = k->queue;
    makes_call(k, call, to, from, bytes);
    if (k->links) links_leave_host(k);
    if (k->timeline) timeline_called(k, names[call], host, queue);
}

uint64_t clock_event(struct clock *k) {
    uint64_t queue = k->queue;
    k->queue = later(k->queue + k->profile->event_ps, k->host);
    if (k->timeline) timeline_called(k, "event", k->host, queue);
    return k->queue;
}

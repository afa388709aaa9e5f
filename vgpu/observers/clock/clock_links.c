/* SPDX-License-Identifier: MIT
 *
 * clock_links.c: see links.h; and what an access takes that goes over a
 * link.
 *
 * A link takes bytes at its rate, each way by itself, from each GPU and into
 * each GPU; behind that comes the way. The other GPU's L2 and memory, which are
 * ten times as fast, are not looked at.
 */
#include "links.h"

#include "clock_inside.h"

#include <stddef.h>
#include <stdlib.h>

struct clock_links {
    struct clock *of[CLOCK_MOST_GPUS];
    uint32_t n, n_left; /* clocks; those that have not left */
    uint32_t n_flying;  /* launches under way */
    uint64_t host;
    uint64_t may_begin; /* the next command; 0: its call is made now */
    uint64_t awaited;   /* by the host's next wait; 0: what its GPU does */
    struct messages messages;
    struct calendar out[CLOCK_MOST_GPUS], in[CLOCK_MOST_GPUS];
};

/* ---- together ---- */

bool clock_has_links(const struct clock *k) {
    return k->profile->counts_steps || k->profile->link_rate;
}

static void links_free(struct charges *c, struct clock_links *all) {
    for (uint32_t g = 0; g < all->n; g++) {
        charges_free(c, all->out[g].slots);
        charges_free(c, all->in[g].slots);
    }
    charges_free(c, all->messages.list);
    free(all);
}

bool clock_link(struct clock *const *list, uint32_t n) {
    struct clock_links *all = calloc(1, sizeof *all);
    const struct clock_profile *p = list[0]->profile;
    if (!all) return false;
    all->n = all->n_left = n;
    for (uint32_t g = 0; g < n && !p->counts_steps; g++)
        if (!calendar_make(&all->out[g], p->link_rate, list[0]->charges) ||
            !calendar_make(&all->in[g], p->link_rate, list[0]->charges)) {
            links_free(list[0]->charges, all);
            return false;
        }
    for (uint32_t g = 0; g < n; g++) {
        all->of[g] = list[g];
        list[g]->gpu = (uint8_t)g;
        list[g]->links = all;
        list[g]->messages = &all->messages;
    }
    return true;
}

void links_leave(struct clock *k) {
    struct clock_links *all = k->links;
    if (all && !--all->n_left) links_free(k->charges, all);
    k->links = NULL;
}

/* ---- the host ---- */

void links_enter(struct clock *k) {
    k->host = k->links->host;
}

void links_leave_host(struct clock *k) {
    k->links->host = k->host;
}

uint64_t links_command(struct clock *k, uint64_t call) {
    struct clock_links *all = k->links;
    uint64_t at = all->may_begin;
    all->may_begin = 0;
    k->host = all->host;
    if (at) return at;
    k->host = all->host += call;
    return k->host;
}

uint64_t clock_asks(struct clock *k, unsigned what) {
    const struct clock_profile *p = k->profile;
    const uint64_t takes[] = {[CLOCK_ASKS_LAUNCH] = p->launch_ps,
                              [CLOCK_ASKS_FILL] = p->memset_call_ps,
                              [CLOCK_ASKS_COPY] = p->copy_call_ps,
                              [CLOCK_ASKS_COPY_PEER] = p->link_copy_call_ps,
                              [CLOCK_ASKS_EVENT_WAIT] = p->wait_event_ps,
                              [CLOCK_ASKS_NOTHING] = 0};
    if (!k->links) return 0;
    return k->links->host += p->counts_steps ? 0 : takes[what];
}

void clock_may_begin(struct clock *k, uint64_t time) {
    if (k->links) k->links->may_begin = time;
}

uint64_t clock_queue_ends(const struct clock *k) {
    return k->queue;
}

void clock_awaits(struct clock *k, uint64_t time) {
    if (k->links) k->links->awaited = time ? time : 1;
}

uint64_t links_awaited(struct clock *k) {
    uint64_t time = k->links->awaited;
    k->links->awaited = 0;
    return time ? time : k->queue;
}

uint64_t clock_event_takes(const struct clock *k) {
    return k->profile->event_ps;
}

uint64_t clock_event_hops(const struct clock *k) {
    return k->profile->link_event_ps;
}

/* The driver gives a GPU's small allocations a chunk, which goes with the last
 * of them. */
void links_small(struct clock *k, bool frees) {
    if (!frees && !k->n_small++) k->host += k->profile->link_chunk_ps;
    if (frees && k->n_small) k->n_small--;
}

/* ---- launches ---- */

bool links_launch_begins(struct clock *k) {
    return !k->links->n_flying++;
}

void links_launch_ends(struct clock *k) {
    k->links->n_flying--;
}

void links_totals(const struct clock *k, struct clock_totals *t) {
    const struct clock_links *all = k->links;
    uint64_t end = k->profile->counts_steps ? 0 : all->host;
    for (uint32_t g = 0; g < all->n; g++) {
        const struct clock_totals *other = &all->of[g]->device;
        end = later(end, all->of[g]->queue);
        t->deepest = later(t->deepest, other->deepest);
        t->chain = later(t->chain, other->chain);
        t->links = later(t->links, other->links);
    }
    t->ps = end > k->origin ? end - k->origin : 0;
}

uint64_t links_reset(struct clock *k) {
    struct clock_links *all = k->links;
    for (uint32_t g = 0; g < all->n; g++)
        all->host = later(all->host, all->of[g]->queue);
    return all->host;
}

/* ---- accesses ---- */

/* Whose memory it is: that of the first lane decides. */
static uint32_t owner_of(struct clock *k, struct access *x) {
    const struct region *r = access_region(x, (uint32_t)__builtin_ctz(x->mask));
    const struct allocation *a =
        (const struct allocation *)(const void *)((const uint8_t *)r -
                                                  offsetof(struct allocation,
                                                           region));
    return a->is_mapped || a->gpu >= k->links->n ? k->gpu : a->gpu;
}

/* When the bytes are over the link. */
static uint64_t links_pass(struct clock *k, uint32_t from, uint32_t to,
                           uint64_t bytes) {
    struct clock_sm *sm = k->warp->sm;
    struct clock_links *all = k->links;
    uint64_t at =
        slots_take(&sm->port, k->issued, bytes * 1000 / k->profile->port_rate);
    at = later(calendar_take(&all->out[from], at, bytes),
               calendar_take(&all->in[to], at, bytes));
    clock_limit_queue(k, at, CLOCK_QUEUE_PS);
    return at;
}

static uint64_t bytes_over(const struct access *x) {
    uint64_t bytes = (uint64_t)__builtin_popcount(x->mask) * x->bytes;
    return bytes > SECTOR ? bytes : SECTOR;
}

bool links_access(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    const struct insn *i = c->insn;
    uint32_t owner = owner_of(k, x);
    if (owner == k->gpu || k->profile->counts_steps) return false;
    bool strong = i->order != ORDER_WEAK || x->atomic;
    bool message = strong || k->all_messages, reads = !x->write || x->atomic;
    if (message) access_spread(x);
    if (strong && reads) clock_notes_poll(c, x);
    bool depends = i->kind != KIND_ATOMIC || i->atomic == ATOMIC_CAS ||
                   i->atomic == ATOMIC_EXCH;
    uint64_t seen = message && reads ? clock_reads(k, x, depends) : 0;
    uint64_t at = x->write ? links_pass(k, k->gpu, owner, bytes_over(x))
                           : links_pass(k, owner, k->gpu, bytes_over(x));
    uint64_t way = x->atomic ? k->at.link_atomic : k->at.link_load;
    k->copied = at + way;
    if (x->write) {
        k->visible = at + k->at.link_store;
        k->warp->has_stored = true;
        k->warp->stored = later(k->warp->stored, at + way);
        if (message && !x->atomic) clock_wrote(k, x, k->visible, false);
    }
    if (!reads || i->kind == KIND_ASYNC) return true;
    clock_result(k, i, later(at, seen) + way, VGPU_CAUSE_BANDWIDTH);
    return true;
}

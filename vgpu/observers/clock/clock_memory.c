/* SPDX-License-Identifier: MIT
 *
 * clock_memory.c: what an access takes: shared memory's banks, L1, L2, DRAM,
 * atomics.
 *
 * A read is served by the first level that has its sectors: its latency, and a
 * place in the rate of every level that it goes through. A store goes to L2 and
 * the warp goes on. An atomic is done at L2, one after another in each of its
 * places, which lines share.
 */
#include "clock_inside.h"
#include "counts.h"
#include "links.h"
#include "recount.h"
#include "why.h"

enum { MOST_LINES = 4 * WARP_LANES, SHARED_QUEUE_PS = 200000 };

struct lines {
    uint64_t line[MOST_LINES];
    uint32_t sectors[MOST_LINES], n;
};

static void add_sector(struct lines *l, uint64_t sector) {
    uint64_t line = sector >> (LINE_SHIFT - SECTOR_SHIFT);
    uint32_t bit = 1u << (sector & 3), k = l->n;
    while (k && l->line[k - 1] != line) k--;
    if (!k) {
        if (l->n == MOST_LINES) return;
        l->line[l->n] = line;
        l->sectors[l->n++] = 0;
        k = l->n;
    }
    l->sectors[k - 1] |= bit;
}

static void find_lines(struct access *x, struct lines *l) {
    l->n = 0;
    int64_t stride = (int64_t)x->stride;
    if (x->shape.even && x->shape.neighbours && stride <= SECTOR &&
        stride >= -SECTOR) {
        uint64_t last = (x->high + x->bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t s = x->low >> SECTOR_SHIFT; s <= last; s++)
            add_sector(l, s);
        return;
    }
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint64_t a = x->address[__builtin_ctz(m)];
        uint64_t last = (a + x->bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t s = a >> SECTOR_SHIFT; s <= last; s++) add_sector(l, s);
    }
}

void clock_result(struct clock *k, const struct insn *i, uint64_t time,
                  vgpu_cause rest) {
    struct clock_warp *w = k->warp;
    uint32_t n = i->kind == KIND_LOAD ? i->n_elements : 1;
    for (uint32_t e = 0; e < n && e < ALU_MAX_OPERANDS; e++) {
        uint32_t number = clock_number_at(k, i->operands.at[e]);
        if (number) w->ready[number] = time;
    }
    if (i->kind == KIND_MATRIX) clock_matrix_result(k, i, time);
    w->latest = later(w->latest, time);
    if (k->why) why_read(k, i, time, rest);
}

/* The queue in front of a unit is full: the warp cannot hand over more. */
void clock_limit_queue(struct clock *k, uint64_t served, uint64_t most) {
    if (served <= k->issued + most) return;
    k->warp->time = later(k->warp->time, served - most);
    if (k->why)
        why_later(k, most == CLOCK_QUEUE_PS ? VGPU_CAUSE_BANDWIDTH
                                            : VGPU_CAUSE_SHARED);
}

/* The access gets on, until `time`, as fast as this allows. */
static inline void until(struct clock *k, vgpu_cause c, uint64_t time) {
    if (k->why) why_until(k, c, time);
}

/* ---- shared memory ---- */

static void shared(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    const struct insn *i = c->insn;
    const struct clock_profile *p = k->profile;
    uint64_t passes = x->passes;
    recount_passes(c, x, passes);
    /* The instruction was a step, and with it the first wavefront. */
    uint64_t more = passes - p->instruction_steps;
    k->warp->cause.depth += more * p->wavefront_steps;
    k->work += more * p->wavefront_steps;
    if (k->all_messages) {
        access_spread(x);
        if (!x->write || x->atomic) clock_reads(k, x, true);
        if (x->write) clock_wrote(k, x, k->issued, false);
    }
    if (p->counts_steps) {
        k->warp->time = k->warp->cause.depth * p->cycle_ps;
        if (k->why) why_later(k, VGPU_CAUSE_SHARED);
        return;
    }
    struct clock_sm *sm = k->warp->sm;
    uint64_t way = k->at.shared_wavefront, others = passes - 1;
    uint64_t far = clock_far(k, c, x, &way), takes = passes * way;
    uint64_t start = slots_take(&sm->shared, k->issued, takes);
    clock_limit_queue(k, start, SHARED_QUEUE_PS);
    if (x->write && !x->atomic) return;
    clock_result(k, i,
                 far + (x->atomic
                            ? start + k->at.shared_atomic +
                                  others * k->at.shared_atomic_way
                            : start + k->at.shared + others * k->at.shared_way),
                 VGPU_CAUSE_SHARED);
}

/* ---- global memory ---- */

/* The multiprocessor's port to L2, and L2 itself, for which they are worth so
 * many: when the bytes got through. */
static uint64_t goes_to_l2(struct clock *k, uint64_t start, uint64_t bytes,
                           uint64_t worth) {
    struct clock_sm *sm = k->warp->sm;
    uint64_t from =
        slots_take(&sm->port, start, bytes * 1000 / k->profile->port_rate);
    from = calendar_take(&k->l2, from, worth);
    until(k, VGPU_CAUSE_BANDWIDTH, from);
    return from;
}

static uint64_t takes_lines(struct clock *k, const struct lines *l) {
    struct clock_sm *sm = k->warp->sm;
    uint64_t start = slots_take(&sm->lines, k->issued, l->n * k->at.line);
    until(k, VGPU_CAUSE_LINES, start);
    return start;
}

/* Passes over the banks beyond the first. */
static uint64_t further_ways(struct context *c, struct access *x) {
    uint8_t ideal;
    if (x->shape.in_line)
        return x->bytes > 4 ? (x->shape.lanes * x->bytes - 1) >> LINE_SHIFT : 0;
    if (!x->stride && x->shape.even) return 0;
    return counts_wavefronts(c, x, &ideal) - 1u;
}

/* When L1 has looked up a load's lines: several at once. */
static uint64_t takes_load(struct clock *k, const struct lines *l,
                           uint64_t ways) {
    struct clock_sm *sm = k->warp->sm;
    const struct clock_profile *p = k->profile;
    if (!p->load_lines) return takes_lines(k, l);
    uint64_t looks = (l->n + p->load_lines - 1) / p->load_lines;
    uint64_t takes = later(later(looks, ways + 1) * k->at.line, k->at.load);
    uint64_t start = slots_take(&sm->lines, k->issued, takes);
    until(k, VGPU_CAUSE_LINES, start);
    return start;
}

static uint32_t lacks_in_l1(struct clock *k, uint64_t line, uint32_t sectors) {
    struct l1 *l1 = &k->warp->sm->l1;
    if (l1->launch != k->generation) {
        uint64_t bytes = (uint64_t)k->profile->l1_kib << 10;
        uint64_t used = (uint64_t)k->machine->shared_bytes * k->n_slots /
                        (k->n_sms ? k->n_sms : 1);
        if (!l1_make(l1, bytes > 2 * used ? bytes - used : bytes / 2,
                     k->charges))
            return sectors;
        l1->launch = k->generation;
    }
    return l1_take(l1, line, sectors);
}

/* What goes out of L2 takes DRAM longer among reads. */
static uint64_t worth_of_writes(const struct clock *k, uint64_t bytes,
                                uint64_t time) {
    enum { AMONG_PS = 1000000 };
    uint32_t turn = k->profile->dram_turn;
    return turn && time < k->dram_read + AMONG_PS ? bytes * turn / 1000 : bytes;
}

/* Sectors that L2 has to fetch, in bytes; what is evicted for them goes out. */
static uint64_t lacks_in_l2(struct clock *k, const struct lines *l, bool write,
                            uint64_t time) {
    uint64_t bytes = 0, evicted, out = 0;
    for (uint32_t n = 0; n < l->n; n++) {
        if (!l->sectors[n]) continue;
        uint32_t lacks =
            l2_take(&k->tags, l->line[n], l->sectors[n], write, &evicted);
        if (!write) bytes += SECTOR * (uint64_t)__builtin_popcount(lacks);
        out += evicted;
    }
    if (bytes) k->dram_read = later(k->dram_read, time);
    if (out) {
        uint64_t worth = worth_of_writes(k, out, time);
        clock_limit_queue(k, calendar_take(&k->dram, time, worth),
                          CLOCK_QUEUE_PS);
    }
    return bytes;
}

static uint64_t clock_memory_bytes_of(const struct lines *l) {
    uint64_t bytes = 0;
    for (uint32_t n = 0; n < l->n; n++)
        bytes += SECTOR * (uint64_t)__builtin_popcount(l->sectors[n]);
    return bytes;
}

/* What L2 has to do, in bytes of whole lines: a line of which a sector is read
 * is worth more than that. */
static uint64_t worth_of_load(const struct clock *k, const struct lines *l) {
    uint64_t worth = 0;
    for (uint32_t n = 0; n < l->n; n++) {
        uint64_t bytes = SECTOR * (uint64_t)__builtin_popcount(l->sectors[n]);
        worth += bytes ? later(bytes, k->profile->l2_load_line) : 0;
    }
    return worth;
}

/* And one that is written word by word, or not as a whole. */
static uint64_t worth_of_store(const struct clock *k, const struct access *x,
                               const struct lines *l) {
    const struct clock_profile *p = k->profile;
    int64_t stride = (int64_t)x->stride;
    bool wide = x->bytes > 4 && x->shape.even && x->shape.neighbours &&
                (stride == x->bytes || stride == -(int64_t)x->bytes);
    uint64_t worth = 0;
    if (!p->l2_store_sector) return clock_memory_bytes_of(l);
    for (uint32_t n = 0; n < l->n; n++) {
        uint64_t sectors = (uint64_t)__builtin_popcount(l->sectors[n]);
        worth += wide && sectors == 4
                     ? 4 * SECTOR
                     : p->l2_store_line + sectors * p->l2_store_sector;
    }
    return worth;
}

/* How much longer a lone warp waits for its own lines, passes over the banks
 * and, at L2, bytes: of an access that L1 serves, */
static uint64_t own_at_l1(const struct clock *k, uint32_t n, uint64_t ways,
                          uint64_t way) {
    return k->lone ? (n - 1) / 4 * k->at.l1_lines + ways * way : 0;
}

/* and of one of which L2 serves so many bytes. */
static uint64_t own_at_l2(const struct clock *k, const struct lines *l,
                          uint64_t ways, uint64_t bytes) {
    enum { LINE = 1 << LINE_SHIFT };
    uint64_t n = 0;
    if (!k->lone) return 0;
    for (uint32_t at = 0; at < l->n; at++) n += l->sectors[at] != 0;
    return own_at_l1(k, l->n, ways, k->at.l2_way) + (n - 1) * k->at.l2_line +
           (bytes > LINE ? (bytes - LINE) * 1000 / k->profile->port_rate : 0);
}

static uint64_t clock_memory_load(struct clock *k, const struct insn *i,
                                  struct lines *l, uint64_t ways) {
    uint64_t start = takes_load(k, l, ways);
    bool loads = i->kind == KIND_LOAD || i->kind == KIND_MATRIX;
    bool l1 = loads && i->cached && k->profile->l1_kib;
    for (uint32_t n = 0; n < l->n && l1; n++)
        l->sectors[n] = lacks_in_l1(k, l->line[n], l->sectors[n]);
    uint64_t bytes = clock_memory_bytes_of(l);
    if (!bytes) {
        k->served_by = VGPU_CAUSE_L1;
        uint64_t done = start + (k->lone ? k->at.lone_l1 : k->at.l1) +
                        own_at_l1(k, l->n, ways, k->at.l1_way);
        until(k, VGPU_CAUSE_L1, done);
        return done;
    }
    uint64_t own = own_at_l2(k, l, ways, bytes);
    uint64_t at_l2 = goes_to_l2(k, start, bytes, worth_of_load(k, l));
    uint64_t fetched = lacks_in_l2(k, l, false, at_l2);
    uint64_t done = at_l2 + k->at.l2;
    if (fetched) {
        uint64_t served = calendar_take(&k->dram, start, fetched);
        clock_limit_queue(k, served, CLOCK_QUEUE_PS);
        until(k, VGPU_CAUSE_BANDWIDTH, served);
        done = later(done, later(served, at_l2) + k->at.dram);
    }
    done += own;
    clock_limit_queue(k, at_l2, CLOCK_QUEUE_PS);
    k->served_by = fetched ? VGPU_CAUSE_DRAM : VGPU_CAUSE_L2;
    until(k, k->served_by, done);
    return done;
}

/* When L2 has it. */
static uint64_t store(struct clock *k, const struct access *x,
                      const struct lines *l) {
    struct clock_warp *w = k->warp;
    uint64_t start = takes_lines(k, l);
    uint64_t at_l2 =
        goes_to_l2(k, start, clock_memory_bytes_of(l), worth_of_store(k, x, l));
    lacks_in_l2(k, l, true, at_l2);
    clock_limit_queue(k, at_l2, CLOCK_QUEUE_PS);
    w->has_stored = true;
    w->stored = later(w->stored, at_l2 + k->at.l2);
    if (k->why) why_stored(k, VGPU_CAUSE_L2);
    return at_l2 + k->at.store;
}

uint64_t clock_run_of_bytes(struct clock *k, uint64_t at, uint32_t bytes,
                            bool write, uint64_t start) {
    struct lines l = {.n = 0};
    uint64_t last = (at + bytes - 1) >> SECTOR_SHIFT;
    for (uint64_t s = at >> SECTOR_SHIFT; s <= last; s++) add_sector(&l, s);
    uint64_t at_l2 = goes_to_l2(k, start, clock_memory_bytes_of(&l),
                                clock_memory_bytes_of(&l));
    uint64_t fetched = lacks_in_l2(k, &l, write, at_l2);
    k->served_by = fetched ? VGPU_CAUSE_DRAM : VGPU_CAUSE_L2;
    if (!fetched) return at_l2;
    uint64_t served = calendar_take(&k->dram, start, fetched);
    return later(served, at_l2) + k->at.dram - k->at.l2;
}

/* ---- a thread's own memory ---- */

/* Lines of a place that no allocation has. */
static void find_own_lines(struct context *c, const struct access *x,
                           struct lines *l) {
    enum { OWN_SHIFT = 56 };
    uint64_t bytes = c->warp->local_bytes, words = bytes / 4 + 1;
    const struct clock *k = clock_in(c->machine);
    uint64_t first = (1ull << (OWN_SHIFT - LINE_SHIFT)) +
                     (uint64_t)(k->warp - k->warps) * words;
    l->n = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t a = x->address[lane] - lane * bytes;
        for (uint64_t w = a / 4; w <= (a + x->bytes - 1) / 4; w++)
            add_sector(l, (first + w) * 4 + lane / 8);
    }
}

/* L1 keeps what is stored, and hands it on to L2. */
static void own_memory(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    const struct insn *i = c->insn;
    struct lines l;
    find_own_lines(c, x, &l);
    uint64_t start = x->write ? takes_lines(k, &l) : takes_load(k, &l, 0);
    uint64_t bytes = clock_memory_bytes_of(&l);
    for (uint32_t n = 0; n < l.n; n++) {
        uint32_t lacks = lacks_in_l1(k, l.line[n], l.sectors[n]);
        if (!x->write) l.sectors[n] = lacks;
    }
    uint64_t done = start + (k->lone ? k->at.lone_l1 : k->at.l1);
    if (!x->write) bytes = clock_memory_bytes_of(&l);
    k->served_by = VGPU_CAUSE_L1;
    if (bytes) {
        uint64_t worth =
            x->write ? worth_of_store(k, x, &l) : worth_of_load(k, &l);
        uint64_t at_l2 = goes_to_l2(k, start, bytes, worth);
        lacks_in_l2(k, &l, x->write, at_l2);
        clock_limit_queue(k, at_l2, CLOCK_QUEUE_PS);
        done = at_l2 + k->at.l2;
        k->served_by = VGPU_CAUSE_L2;
    }
    until(k, k->served_by, done);
    if (!x->write) clock_result(k, i, done, k->served_by);
}

static uint64_t place_is_free(struct clock *k, uint64_t place, uint64_t time,
                              uint64_t takes) {
    struct atomic_place *a =
        &k->atomic_places[(place * 0x9e3779b97f4a7c15ull) >> 50];
    if (a->place != place) *a = (struct atomic_place){.place = place};
    if (time > a->latest) {
        uint64_t since = time - a->latest;
        a->backlog = a->backlog > since ? a->backlog - since : 0;
        a->latest = time;
    }
    uint64_t free = time + a->backlog;
    a->backlog += takes;
    return free;
}

/* Lanes that change a word of this line after another lane: L2 takes them one
 * by one. The assembler adds up what all lanes add to one word. */
static uint32_t lanes_again(const struct access *x, bool adds, uint64_t line) {
    uint32_t again = 0;
    if (adds && x->low == x->high) return 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), before = x->mask;
        uint64_t a = x->address[lane];
        if (a >> LINE_SHIFT != line) continue;
        for (before &= (1u << lane) - 1; before; before &= before - 1)
            if (x->address[__builtin_ctz(before)] == a) break;
        again += before != 0;
    }
    return again;
}

/* When L2 begins with the last line. */
static uint64_t atomic(struct clock *k, const struct access *x, bool adds,
                       const struct lines *l) {
    uint64_t start = takes_lines(k, l);
    uint64_t at_l2 = goes_to_l2(k, start, clock_memory_bytes_of(l),
                                clock_memory_bytes_of(l));
    at_l2 = later(at_l2,
                  calendar_take(&k->atomics, start, clock_memory_bytes_of(l)));
    uint64_t begins = at_l2;
    for (uint32_t n = 0; n < l->n; n++) {
        uint64_t sectors = (uint64_t)__builtin_popcount(l->sectors[n]) +
                           lanes_again(x, adds, l->line[n]);
        uint64_t place = l->line[n] & ~(uint64_t)k->profile->atomic_same_place;
        begins = later(begins,
                       place_is_free(k, place, at_l2,
                                     sectors * k->profile->atomic_sector_ps));
    }
    uint64_t fetched = lacks_in_l2(k, l, false, begins);
    if (fetched) {
        uint64_t served = calendar_take(&k->dram, start, fetched);
        until(k, VGPU_CAUSE_ATOMIC, begins);
        begins = later(begins, served + k->at.dram - k->at.l2);
        until(k, VGPU_CAUSE_DRAM, begins);
    }
    until(k, VGPU_CAUSE_ATOMIC, begins);
    lacks_in_l2(k, l, true, begins);
    clock_limit_queue(k, begins, CLOCK_QUEUE_PS);
    k->warp->has_stored = true;
    k->warp->stored = later(k->warp->stored, begins + k->at.atomic);
    if (k->why) why_stored(k, VGPU_CAUSE_ATOMIC);
    return begins;
}

/* Of an atomic: a line, a pass, a sector beyond the first of its line, one
 * after another. */
static uint64_t own_of_atomic(struct context *c, struct access *x,
                              const struct lines *l) {
    const struct clock *k = clock_in(c->machine);
    if (!k->lone || x->low == x->high) return 0;
    uint64_t sectors = clock_memory_bytes_of(l) / SECTOR;
    return (l->n - 1) * k->at.l2_line + further_ways(c, x) * k->at.l2_way +
           (sectors - l->n) * k->profile->atomic_sector_ps;
}

static bool commutes(const struct insn *i) {
    return i->kind == KIND_ATOMIC && i->atomic != ATOMIC_CAS &&
           i->atomic != ATOMIC_EXCH;
}

static void global(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    if (k->links && links_access(c, x)) return;
    const struct insn *i = c->insn;
    bool strong = i->order != ORDER_WEAK || x->atomic;
    bool message = strong || k->all_messages, reads;
    struct lines l;
    uint64_t done, half = k->at.l2 - k->at.l2 / 2;
    reads = !x->write || x->atomic;
    if (message) access_spread(x);
    if (strong && reads) clock_notes_poll(c, x);
    uint64_t seen = message && reads ? clock_reads(k, x, !commutes(i)) : 0;
    if (k->profile->counts_steps) {
        done = k->warp->time = k->warp->cause.depth * k->profile->cycle_ps;
        if (k->why) why_sets(k);
    } else {
        find_lines(x, &l);
        recount_lines(c, x, l.line, l.sectors, l.n);
        done = x->atomic  ? atomic(k, x, commutes(i), &l)
               : x->write ? store(k, x, &l)
                          : clock_memory_load(k, i, &l,
                                              k->lone || (k->at.load && l.n > 2)
                                                  ? further_ways(c, x)
                                                  : 0);
    }
    if (message && x->write) {
        k->visible = x->atomic ? done + k->at.store : done;
        if (k->why) why_sends(k, k->visible);
        if (!x->atomic) clock_wrote(k, x, done, false);
    }
    if (x->atomic) done += k->at.atomic + own_of_atomic(c, x, &l);
    k->copied = done;
    if (i->kind == KIND_ASYNC) return; /* clock_copies.c */
    if (!reads || k->profile->counts_steps) return;
    bool waited = seen && seen + half >= done;
    clock_result(k, i, later(done, seen + half),
                 k->why ? why_waits(k, waited) : VGPU_CAUSE_ATOMIC);
}

/* In the graph of dependences, an atomic that leaves the word as it was is a
 * read: it depends on the last write, and no later access depends on it. So is
 * one of a thread that adds to the same word again and again, and does nothing
 * else meanwhile: it polls. */
void clock_changed(struct context *c, struct access *x, bool changed) {
    struct clock *k = clock_in(c->machine);
    const struct insn *i = c->insn;
    if (x->space == PTX_SHARED) return;
    bool polls = commutes(i) && (!changed || clock_adds_again(k->warp, i, x));
    if (changed && !polls) clock_wrote(k, x, k->visible, commutes(i));
    if (!polls) return;
    uint64_t seen = clock_reads(k, x, true), half = k->at.l2 - k->at.l2 / 2;
    if (!seen) return;
    if (k->profile->counts_steps) {
        k->warp->time = k->warp->cause.depth * k->profile->cycle_ps;
        if (k->why) why_sets(k);
        return;
    }
    uint64_t done = k->visible - k->at.store + k->at.atomic;
    if (seen + half >= done)
        clock_result(k, i, seen + half,
                     k->why ? why_waits(k, true) : VGPU_CAUSE_MESSAGE);
}

void clock_access(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    if (k->why) why_accesses(k);
    if (x->write && !x->atomic) k->warp->n_added = 0;
    if (x->space == PTX_SHARED) {
        if (c->insn->order != ORDER_WEAK || x->atomic) clock_notes_poll(c, x);
        shared(c, x);
    } else if (x->space == PTX_LOCAL && k->profile->local_in_lines) {
        own_memory(c, x);
    } else if (x->space == PTX_LOCAL || x->space == PTX_PARAM) {
        if (!k->profile->counts_steps && !x->write)
            clock_result(k, c->insn, k->issued + k->at.l1, VGPU_CAUSE_L1);
    } else if (x->space == PTX_CONST && k->profile->constant_cycles) {
        clock_constant(c, x);
    } else {
        global(c, x);
    }
}

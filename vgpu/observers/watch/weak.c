/* SPDX-License-Identifier: MIT
 *
 * weak.c: accesses to weak memory, and what fences do. weak.h has the rules.
 *
 * How to read this: the access is redirected to x->scratch, 16 bytes per lane:
 * a load finds there what its block may see, and a store leaves there what will
 * be written later (weak_wait.c).
 */
#include "race.h"
#include "weak_inside.h"

#include <stdlib.h>
#include <string.h>

/* Who acquires what the warp writes from now on sees all that it has seen. */
static void weak_release(struct context *c) {
    if (cluster_of_block(c->machine, c->insn->of_block)) {
        view_meet(c);
        return;
    }
    waiting_drain_fenced(c);
    struct view *v = view_of(c);
    v->release.all = weak_of(c->machine)->old.time;
    v->release.known = view_knows(c);
    if (weak_is_system(c)) v->release.system = v->release.all;
    view_meet(c);
}

/* A thread that has read a released value sees all writes before the release.
 */
static void acquire(struct context *c) {
    if (cluster_of_block(c->machine, c->insn->of_block)) {
        view_meet(c);
        return;
    }
    view_acquire(c);
    l1_of(c)->n = 0;
}

/* A load through the read-only cache may get what its word held when the launch
 * began, whatever was stored since and whatever fences stand between: the
 * compiler may load early, or once for several loads. */
static void load_first(struct context *c, struct access *x) {
    struct weak_state *s = weak_of(c->machine);
    uint32_t versions[WARP_LANES] = {0};
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        versions[l] =
            view_read_first(c, x->address[l], x->bytes, access_bytes(x, l),
                            s->scratch + (size_t)l * 16);
    }
    x->scratch = s->scratch;
    race_weak_access(c, x, versions);
}

/* Has the launch written to a line that it reads? */
static bool reads_written(const struct history *h, const struct access *x) {
    uint64_t before = 0; /* not a line of an allocation */
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint64_t line = line_of(x->address[__builtin_ctz(k)]);
        if (line != before && history_wrote(h, line)) return true;
        before = line;
    }
    return false;
}

void weak_load(struct context *c, struct access *x) {
    struct weak_state *s = weak_of(c->machine);
    if (c->insn->read_only && reads_written(&s->old, x) &&
        random_next(&s->random) & 1) {
        load_first(c, x);
        return;
    }
    uint32_t versions[WARP_LANES] = {0};
    const struct line *kept = NULL;
    uint64_t before = 0; /* not a line of an allocation */
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = x->address[l], line = line_of(a);
        uint8_t *to = s->scratch + (size_t)l * 16;
        if (line != before && c->insn->cached)
            kept = l1_find(l1_of(c), line);
        else if (line != before)
            l1_forget(l1_of(c), line);
        before = line;
        if (kept) {
            memcpy(to, kept->data + (a - line), x->bytes);
            view_read_line(c, kept, a, x->bytes);
            continue;
        }
        if (c->insn->cached) kept = l1_fill(c, line);
        versions[l] = view_read(c, a, x->bytes, access_bytes(x, l), to);
    }
    waiting_overlay(c, x, s->scratch, versions);
    x->scratch = s->scratch;
    race_weak_access(c, x, versions);
    if (c->insn->order == ORDER_ACQUIRE) acquire(c);
}

struct handed weak_handed_on(struct context *c) {
    struct handed h = view_of(c)->release;
    if (!weak_is_system(c)) h.system = 0;
    return h;
}

static void forget_lines(struct context *c, const struct access *x) {
    uint64_t before = 0; /* not a line of an allocation */
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint64_t line = line_of(x->address[__builtin_ctz(k)]);
        if (line != before) l1_forget(l1_of(c), line);
        before = line;
    }
}

/* Others may come between any two instructions of threads that talk by words; a
 * turn has hundreds. */
static void pause_at_times(struct context *c) {
    enum { ONE_OF = 4 };
    if (random_next(&weak_of(c->machine)->random) % ONE_OF == 0)
        c->machine->pauses = true;
}

void weak_stored(struct context *c, struct access *x) {
    struct weak_state *s = weak_of(c->machine);
    forget_lines(c, x);
    race_weak_access(c, x, NULL);
    if (c->insn->order == ORDER_RELEASE) weak_release(c);
    waiting_drain_overlapping(c, x);
    waiting_keep(c, x);
    /* A release may wait as long as any store; the stores before it may not. */
    if (random_next(&s->random) % 8 == 0) waiting_let_go_one(c->machine);
    if (c->insn->order == ORDER_WEAK) return;
    pause_at_times(c);
    /* Others see it without the stores that were made before it. */
    if (c->machine->pauses && s->waiting.n) waiting_let_go_newest(c->machine);
}

/* What the word hands on already goes on through the new write. */
static void hand_again(const struct context *c, struct handed *to,
                       const struct old_value *e) {
    if (e->gpu == c->machine->gpu) {
        weak_raise(&to->all, e->release.all);
        weak_raise(&to->known, e->release.known);
    }
    if (weak_is_system(c)) weak_raise(&to->system, e->release.system);
}

/* What a lane's atomic operation has read, and perhaps written: what was
 * released through the word before stays so. */
static void changed(struct context *c, uint64_t address, uint32_t bytes,
                    const uint8_t *old, const uint8_t *memory,
                    const uint32_t *found) {
    struct machine *m = c->machine;
    const struct block *b = context_block(c);
    struct old_value *e = history_newest(m, address & ~3ull);
    struct old_value by = {.release = weak_handed_on(c),
                           .block = b->linear,
                           .warp = c->warp->index,
                           .barrier = b->barriers_passed,
                           .made = weak_of(m)->made,
                           .sm = b->sm,
                           .gpu = m->gpu};
    /* If an older write stored the same value, a load of that value counts as a
     * load of the newest write. */
    const uint32_t *was = memcmp(old, memory, bytes) ? found : NULL;
    if (e) view_hears(c, e);
    if (e) hand_again(c, &by.release, e);
    if (e && !memcmp(old, memory, bytes))
        e->release = by.release;
    else
        history_write(m, address, bytes, old, &by, was);
    e = history_newest(m, address & ~3ull);
    if (e) view_saw(c, address & ~3ull, e->time);
}

void weak_atomic(struct context *c, struct access *x) {
    enum memory_order o = c->insn->order;
    struct weak_state *s = weak_of(c->machine);
    if (o == ORDER_RELEASE || o == ORDER_ACQ_REL) weak_release(c);
    waiting_drain_overlapping(c, x);
    forget_lines(c, x);
    s->old.time++;
    s->made++;
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t in = x->address[l] & 3, n = (in + x->bytes + 3) & ~3u;
        if (!memory_range(c->machine->memory, x->address[l] - in, n))
            n = in + x->bytes;
        memcpy(s->scratch + (size_t)l * 16, access_bytes(x, l) - in, n);
        for (uint32_t at = 0; at < in + x->bytes; at += 4) {
            uint32_t id = race_version_at(c->machine, x->address[l] - in + at);
            race_version_keep(c->machine, id);
            s->was[l][at / 4] = id;
        }
    }
    race_weak_access(c, x, NULL);
}

void weak_atomic_done(struct context *c, struct access *x) {
    enum memory_order o = c->insn->order;
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t in = x->address[l] & 3;
        changed(c, x->address[l], x->bytes,
                weak_of(c->machine)->scratch + (size_t)l * 16 + in,
                access_bytes(x, l), weak_of(c->machine)->was[l]);
        for (uint32_t at = 0; at < in + x->bytes; at += 4)
            race_version_drop(c->machine, weak_of(c->machine)->was[l][at / 4]);
    }
    if (o == ORDER_ACQUIRE || o == ORDER_ACQ_REL) acquire(c);
}

void weak_fenced(struct context *c) {
    struct weak_state *s = weak_of(c->machine);
    enum memory_order o =
        c->insn->kind == KIND_FENCE ? c->insn->order : ORDER_SC;
    if (!s) return;
    /* It is not remembered what was released by flags in shared memory. */
    if (cluster_in(c->machine)) o = ORDER_SC;
    if (c->insn->kind == KIND_FENCE) pause_at_times(c);
    if (o != ORDER_ACQUIRE) weak_release(c);
    if (o == ORDER_RELEASE) return;
    if (o == ORDER_SC) view_of(c)->pending.all = s->old.time;
    if (o == ORDER_SC && weak_is_system(c))
        view_of(c)->pending.system = s->old.time;
    acquire(c);
}

/* barrier.cluster: arriving releases, unless it says .relaxed. */
void weak_came(struct context *c, uint32_t barrier, uint32_t lanes) {
    (void)lanes;
    if (barrier == CLUSTER_BARRIER && cluster_in(c->machine) &&
        c->insn->order != ORDER_RELAXED && weak_of(c->machine))
        weak_release(c);
}

/* And waiting acquires. */
void weak_passed(struct context *c, uint32_t lanes) {
    (void)lanes;
    if (cluster_in(c->machine)) weak_fenced(c);
}

void weak_block_fenced(struct context *c) {
    if (weak_of(c->machine)) view_meet(c);
}

void weak_before_read(struct context *c) {
    if (weak_of(c->machine)) waiting_drain_fenced(c);
}

void weak_before_copy(struct machine *m, uint32_t sm, uint64_t address,
                      uint64_t bytes) {
    if (!weak_of(m)) return;
    race_version_lands(m, address, (uint32_t)bytes, 0);
    for (uint64_t a = line_of(address); a < address + bytes; a += LINE) {
        l1_keep_old(m, sm, a < address ? address & ~31ull : a);
        l1_forget(&weak_of(m)->l1[sm], a);
    }
}

uint8_t *weak_scratch(struct context *c) {
    return weak_of(c->machine)->scratch;
}

/* ---- launches ---- */

/* With launches of other GPUs that run: it sees all that was written before. */
static void weak_share(struct machine *m, struct weak_state *s) {
    uint32_t sms = (uint32_t)m->profile->sms;
    s->n_machines++;
    s->began[m->gpu] = s->old.time;
    for (uint32_t k = 0; k < sms; k++) s->l1[m->gpu * sms + k].n = 0;
    m->slots[OBSERVER_WEAK] = s;
}

void weak_land(struct machine *m) {
    if (weak_of(m))
        waiting_let_go_blocks(m, m->first_block,
                              (uint64_t)m->grid[0] * m->grid[1] * m->grid[2]);
}

void weak_launch_begins(struct machine *m) {
    struct weak_state *s = m->beside ? weak_of(m->beside) : NULL;
    if (s) {
        weak_share(m, s);
        return;
    }
    s = calloc(1, sizeof *s);
    if (!s) {
        m->status = VGPU_OUT_OF_MEMORY;
        return;
    }
    s->random = m->options->memory_seed * 2 + 1;
    bool began = waiting_begin(&s->waiting);
    s->n_machines = 1;
    s->n_sms = m->n_gpus * (uint32_t)m->profile->sms;
    s->l1 = calloc(s->n_sms, sizeof *s->l1);
    m->slots[OBSERVER_WEAK] = s;
    if (began && s->l1 && history_begin(&s->old)) return;
    weak_launch_ends(m);
    m->status = VGPU_OUT_OF_MEMORY;
}

void weak_launch_ends(struct machine *m) {
    if (!weak_of(m)) return;
    if (weak_of(m)->n_machines > 1) {
        weak_of(m)->n_machines--;
        m->slots[OBSERVER_WEAK] = NULL;
        return;
    }
    weak_drain(m);
    history_end(&weak_of(m)->old);
    waiting_end(&weak_of(m)->waiting);
    free(weak_of(m)->l1);
    free(weak_of(m));
    m->slots[OBSERVER_WEAK] = NULL;
}

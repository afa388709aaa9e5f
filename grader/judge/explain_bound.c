/* SPDX-License-Identifier: MIT
 *
 * explain_bound.c: what a broken bound means: see explain.h.
 */
#include "explain.h"

static size_t volume(const uint32_t of[3]) {
    return (size_t)of[0] * of[1] * of[2];
}

static size_t threads_of(const struct vgpu_launch_record *r) {
    return volume(r->grid) * volume(r->block);
}

/* The one with the most threads; NULL: none. */
static const struct vgpu_launch_record *
largest_launch(const struct harness *h) {
    const struct vgpu_launch_record *records, *most = NULL;
    size_t n = vgpu_launch_records(h->vgpu, &records);
    for (size_t i = 0; i < n; i++)
        if (!most || threads_of(&records[i]) > threads_of(most))
            most = &records[i];
    return most;
}

/* A warp that scans 32 elements by shuffles takes 16 steps at least, half a
 * step for an element; one thread takes more. Mostly serial is what takes half
 * of that: it is as slow as one warp, within a factor of two. */
static bool is_serial(const struct harness_call *call, size_t n) {
    enum { SMALL = 4096 };
    return n >= SMALL && call->counts[VGPU_COUNT_DEPTH] >= n / 4;
}

/* Is the chain as long as there are blocks, where a shorter one is asked for?
 */
static bool is_each(const struct harness_call *call, const struct measured *m,
                    size_t blocks) {
    enum { SEVERAL = 8 };
    if (blocks < SEVERAL || call->counts[VGPU_COUNT_LONGEST_CHAIN] + 1 < blocks)
        return false;
    for (size_t i = 0; i < m->n_bounds; i++)
        if (m->bounds[i].bound->counter == (int)VGPU_COUNT_LONGEST_CHAIN &&
            bound_is_passed(&m->bounds[i]))
            return true;
    return false;
}

/* Who does it, and who waits for whom. */
static void add_chain(const struct harness_call *call, size_t n,
                      const struct vgpu_launch_record *r,
                      const struct measured *m, struct outcome *o) {
    size_t blocks = volume(r->grid), threads = volume(r->block);
    uint64_t messages = call->counts[VGPU_COUNT_LONGEST_CHAIN];
    if (is_each(call, m, blocks))
        outcome_add(
            o, FACT(CHAIN_EACH, {V(blocks), V(threads), V(n), V(messages)}));
    else if (is_serial(call, n))
        outcome_add(o, FACT(SERIAL, {V(r->kernel), V(blocks),
                                     V(blocks * threads), V(n), V(messages)}));
    else
        outcome_add(o, FACT(CHAIN, {V(blocks), V(threads), V(n), V(messages)}));
}

/* Is it because steps wait for each other, or because one block does them? */
static bool is_of_clock(const struct measured *m) {
    for (size_t i = 0; i < m->n_bounds; i++) {
        int counter = m->bounds[i].bound->counter;
        if (bound_is_passed(&m->bounds[i])
                ? counter >= (int)VGPU_COUNT_DEPTH &&
                      counter <= (int)VGPU_COUNT_MODEL_NS
                : counter == (int)VGPU_COUNT_BLOCKS && !m->bounds[i].holds)
            return true;
    }
    return false;
}

static bool asks_for_more(const struct lab_bound *b, vgpu_counter of) {
    return b->counter == (int)of &&
           (b->compare == FORMULA_GE || b->compare == FORMULA_GT);
}

/* Does some check of the lab ask for several blocks, or for messages? */
static bool is_of_many_blocks(const struct lab *lab) {
    for (size_t i = 0; i < lab->n_checks; i++)
        for (size_t k = 0; k < lab->checks[i].n_bounds; k++) {
            const struct lab_bound *b = &lab->checks[i].bounds[k];
            if (asks_for_more(b, VGPU_COUNT_BLOCKS) ||
                asks_for_more(b, VGPU_COUNT_LONGEST_CHAIN))
                return true;
        }
    return false;
}

/* One block, of elements for at least two. */
static bool is_one_block(const struct lab *lab, const struct measured *m) {
    size_t part = 0;
    for (size_t i = 0; i < lab->n_parts; i++)
        if (lab->parts[i].size > part) part = lab->parts[i].size;
    return m->env.blocks == 1 && part && m->tried.n >= 2 * part &&
           is_of_many_blocks(lab);
}

static bool is_silent(const struct measured *m) {
    for (size_t i = 0; i < m->n_bounds; i++)
        if (!m->bounds[i].holds &&
            asks_for_more(m->bounds[i].bound, VGPU_COUNT_LONGEST_CHAIN))
            return true;
    return false;
}

/* Does some check of the lab ask for messages between blocks? */
static bool is_of_messages(const struct lab *lab) {
    for (size_t i = 0; i < lab->n_checks; i++)
        for (size_t k = 0; k < lab->checks[i].n_bounds; k++)
            if (asks_for_more(&lab->checks[i].bounds[k],
                              VGPU_COUNT_LONGEST_CHAIN))
                return true;
    return false;
}

/* A message is asked for, or few launches where there is none: in a lab whose
 * blocks tell each other something. */
static void add_silence(const struct lab *lab, const struct measured *m,
                        struct outcome *o) {
    if (m->env.messages || !is_of_messages(lab)) return;
    for (size_t i = 0; i < m->n_bounds; i++) {
        const struct lab_bound *b = m->bounds[i].bound;
        if (m->bounds[i].holds || (b->counter != (int)VGPU_COUNT_LAUNCHES &&
                                   b->counter != (int)VGPU_COUNT_LONGEST_CHAIN))
            continue;
        outcome_add(o, FACT(NO_MESSAGE));
        return;
    }
}

/* A step adds once for each element at most. */
static void add_other_scan(const struct harness *h, size_t n,
                           const struct measured *m, struct outcome *o) {
    const struct vgpu_launch_record *records;
    size_t n_records = vgpu_launch_records(h->vgpu, &records);
    bool of_work = false;
    for (size_t i = 0; i < m->n_bounds; i++)
        of_work |= m->bounds[i].bound->counter == (int)VGPU_COUNT_DATA_OPS &&
                   bound_is_passed(&m->bounds[i]);
    for (size_t i = 0; of_work && i < n_records; i++) {
        uint64_t additions = records[i].counts[VGPU_COUNT_DATA_OPS];
        if (additions <= n || !records[i].kernel) continue;
        outcome_add(o, FACT(MORE_THAN_A_STEP,
                            {V(records[i].kernel), V(additions), V(n)}));
        return;
    }
}

void explain_bound(const struct harness *h, const struct lab_check *check,
                   size_t n, const struct harness_call *call,
                   const struct measured *m, struct outcome *o) {
    enum { FEW = 8 };
    const struct vgpu_launch_record *most = largest_launch(h);
    bool waits = check->clock.name && is_of_clock(m);
    bool serial = waits && is_serial(call, n);
    bool one = most && !serial && check->clock.name &&
               (waits || is_silent(m)) && is_one_block(h->settings.lab, m);
    if (serial) o->advice = h->settings.lab->serial;
    if (one)
        outcome_add(o, FACT(ONE_BLOCK, {V(threads_of(most)), V(n)}));
    else if (most && waits) {
        if (!serial) explain_lane(h, m, o);
        add_chain(call, n, most, m, o);
    } else if (most && threads_of(most) == 1 && n > 1)
        outcome_add(o, FACT(ONE_THREAD, {V(most->kernel), V(n)}));
    if (check->clock.name && !one) add_silence(h->settings.lab, m, o);
    uint64_t additions = 0, leaves = 1, all = call->counts[VGPU_COUNT_DATA_OPS];
    for (; leaves < n; leaves *= 2) additions += n;
    if (h->settings.function->way == WAY_tree && n >= FEW &&
        all == additions - leaves + 1)
        outcome_add(o, FACT(WORK_OF_STEPS, {V(all)}));
    if (h->settings.function->way == WAY_steps) add_other_scan(h, n, m, o);
    explain_most(h, call, m, o);
}

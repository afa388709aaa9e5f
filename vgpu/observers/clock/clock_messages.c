/* SPDX-License-Identifier: MIT
 *
 * clock_messages.c: words by which blocks tell each other something: what a
 * strong store or an atomic wrote in this launch, when L2 has it, and what led
 * to it.
 */
#include "clock_inside.h"
#include "why.h"

enum { FIRST_ROOM = 1 << 12, MOST_ROOM = 1 << 21 };

static struct message *clock_messages_place_of(const struct clock *k,
                                               uint64_t word) {
    const struct messages *all = k->messages;
    uint64_t mask = all->room - 1;
    uint64_t at = (word * 0x9e3779b97f4a7c15ull) >> 32;
    for (;; at++) {
        struct message *e = &all->list[at & mask];
        if (e->generation != all->generation || e->word == word) return e;
    }
}

static bool clock_messages_grow(struct clock *k) {
    struct messages *all = k->messages;
    uint64_t n = all->room;
    struct message *old = all->list;
    if (n && (all->n * 2 < n || n >= MOST_ROOM)) return all->n * 2 < n;
    all->room = n ? n * 2 : FIRST_ROOM;
    all->list = charges_zeroed(k->charges, all->room * sizeof *old, NULL);
    if (!all->list) { /* what was there stays */
        all->list = old;
        all->room = n;
        return n && all->n * 2 < n;
    }
    for (uint64_t m = 0; m < n; m++)
        if (old[m].generation == all->generation)
            *clock_messages_place_of(k, old[m].word) = old[m];
    charges_free(k->charges, old);
    return true;
}

/* Each block has a shared memory of its own, at the same addresses. */
static uint64_t first_of_space(const struct clock *k, const struct access *x) {
    if (x->space != PTX_SHARED) return 0;
    return (uint64_t)1 << 63 | (uint64_t)k->gpu << 60 |
           (uint64_t)k->block << 30;
}

/* Every lane's words, one after another: address >> 2, in shared memory behind
 * first_of_space. */
#define EACH_MESSAGE(k, x, w)                                                  \
    for (uint32_t m_ = (x)->mask; m_; m_ &= m_ - 1)                            \
        for (uint64_t from_ = first_of_space(k, x),                            \
                      a_ = (x)->address[__builtin_ctz(m_)],                    \
                      w = from_ | a_ >> 2;                                     \
             w <= (from_ | (a_ + (x)->bytes - 1) >> 2); w++)

/* Of two that others see together the later one. */
static void clock_messages_add(struct clock *k, struct message *e,
                               uint64_t time) {
    struct clock_cause *own = &k->warp->cause;
    bool later_one = k->profile->counts_steps ? own->depth >= e->cause.depth
                                              : time >= e->time;
    if (k->why && later_one) why_sent(k, &e->step);
    if (later_one) {
        e->gpu = k->gpu;
        e->block = k->block;
        e->warp = k->number;
    }
    e->stored = false;
    e->time = later(e->time, time);
    e->cause.depth = later(e->cause.depth, own->depth);
    e->cause.chain = larger(e->cause.chain, own->chain);
    e->cause.links = larger(e->cause.links, own->links);
}

void clock_wrote(struct clock *k, const struct access *x, uint64_t time,
                 bool adds) {
    EACH_MESSAGE(k, x, word) {
        if (!clock_messages_grow(k)) { /* so many are not messages */
            k->messages->lost = true;
            return;
        }
        struct message *e = clock_messages_place_of(k, word);
        bool known = e->generation == k->messages->generation;
        if (known && adds) {
            clock_messages_add(k, e, time);
            continue;
        }
        uint32_t step = known ? e->step : 0;
        if (k->why) why_sent(k, &step);
        k->messages->n += !known;
        *e = (struct message){.word = word,
                              .time = time,
                              .cause = k->warp->cause,
                              .block = k->block,
                              .warp = k->number,
                              .generation = k->messages->generation,
                              .step = step,
                              .stored = !adds,
                              .gpu = k->gpu};
    }
}

/* What warps of a block tell each other, barriers put in order; where all are
 * messages, there may be none. */
static bool clock_messages_is_own(const struct clock *k,
                                  const struct message *e) {
    return e->block == k->block && e->gpu == k->gpu &&
           (!k->all_messages || e->warp == k->number);
}

uint64_t clock_reads(struct clock *k, const struct access *x, bool counts) {
    uint64_t time = 0;
    struct clock_cause *own = &k->warp->cause;
    uint64_t before = own->depth;
    if (!k->messages->n) return 0;
    EACH_MESSAGE(k, x, word) {
        const struct message *e = clock_messages_place_of(k, word);
        if (e->generation != k->messages->generation ||
            clock_messages_is_own(k, e))
            continue;
        if (!counts && !e->stored) continue;
        if (k->why) why_reads(k, e);
        time = later(time, e->time);
        own->depth =
            later(own->depth, e->cause.depth + k->profile->instruction_steps);
        bool link = e->gpu != k->gpu, other = link || e->block != k->block;
        own->chain = larger(own->chain, e->cause.chain + other);
        own->links = larger(own->links, e->cause.links + link);
        if (other && !link) clock_tally_adds(k, e->block, k->block);
    }
    k->warp->learnt += own->depth - before;
    return time;
}

/* SPDX-License-Identifier: MIT
 *
 * watch_idea.c: how a function with threads does its work. Counted are words
 * that a thread reads, wherever they lie, but not one that it has read just
 * before: so a pointer in a loop counts once, and an array that is read again
 * counts again.
 *
 *   SHARED      no thread reads many times as many words as its part. Whoever
 *               is far ahead waits for the others, a second at most, so that it
 *               is no matter which threads the machine lets run. A machine that
 *               is busier than that can still look like one thread that does
 *               most: the judge runs the case again (check.c). And the first
 *               thread that has read a quarter of its part is stopped for a
 *               while: the others go on, unless they work in turn.
 *   ONE_PASS    the output is begun before half of the input was read, an
 *               eighth of it is there when n words of the input were, and it is
 *               written once.
 *   AGGREGATES  the thread with the first element is held back: meanwhile
 *               another one publishes a word after it has read its part.
 *   PREFIXES    a thread that looks back, word after word, soon finds one with
 *               an inclusive prefix: all threads together read only a few times
 *               as many words as there are.
 */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "watch.h"

enum {
    WORD = 4,
    LEAST = 1 << 20,   /* below, making threads costs more than it gains */
    LOOK_EVERY = 1024, /* loads, at who is ahead */
    MOST_NAPS = 1200,  /* of a thread: more than a second */
    SPINS = 64,        /* so often the same word: it waits */
    LONG_SPIN = 4096,  /* and leaves the processor to others */
    HELD_MS = 400,
    REST_MS = 20, /* the others are at rest for so long */
    SEEN = 1 << 16
};

static struct {
    atomic_bool began, held, released, told, full, stopped, in_turn, read_all;
    _Atomic uint64_t in_at_begin, out_at_all;
    _Atomic uintptr_t words[SEEN]; /* that somebody looked at */
    atomic_uint n_words;
} idea;

static bool is_asked(void) {
    return watch.bits >> WIRE_WATCH_SHARED;
}

void watch_idea_begin(void) {
    memset(&idea, 0, sizeof idea);
}

static void nap(void) {
    const struct timespec ms = {.tv_nsec = 1000 * 1000};
    nanosleep(&ms, NULL);
}

/* A thread that waits in a loop uses up the time of the call, and on a busy
 * machine the turns of the thread that it waits for. */
static void give_way(unsigned looks) {
    const struct timespec a_moment = {.tv_nsec = 50 * 1000};
    if (looks < LONG_SPIN)
        sched_yield();
    else
        nanosleep(&a_moment, NULL);
}

static uint64_t sum_of(size_t counter) {
    uint64_t sum = 0;
    unsigned used = watch.used;
    for (unsigned i = 0; i < used; i++)
        sum += atomic_load_explicit(
            (_Atomic uint64_t *)((char *)&watch.slots[i] + counter),
            memory_order_relaxed);
    return sum;
}
#define SUM(counter) sum_of(offsetof(struct watch_thread, counter))

static void watch_idea_add(_Atomic uint64_t *counter, uint64_t more) {
    atomic_store_explicit(
        counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
        memory_order_relaxed);
}

/* ---- who is ahead ---- */

static bool somebody_waits(const struct watch_thread *but) {
    unsigned used = watch.used;
    for (unsigned i = 0; i < used; i++)
        if (&watch.slots[i] != but && watch.slots[i].waits) return true;
    return false;
}

static bool is_ahead(const struct watch_thread *t) {
    uint64_t part = SUM(loads) / watch.threads;
    return t->loads > part + part / 5 + watch.n / (4 * watch.threads);
}

static void keep_pace(struct watch_thread *t) {
    while (is_ahead(t) && !somebody_waits(t) && t->naps++ < MOST_NAPS) nap();
}

/* ---- in turn ---- */

/* One thread stops while it works. If the others do not go on, they wait for
 * it: then one at a time works. */
static void stop_once(struct watch_thread *t) {
    uint64_t part = watch.n / watch.threads;
    uint64_t others = SUM(in_loads) - t->in_loads, now = others;
    if (watch.n < LEAST || watch.used < 2 || t->in_loads < part / 4 ||
        others >= part / 2 || atomic_exchange(&idea.stopped, true))
        return;
    for (int i = 0; i < MOST_NAPS && now < others + LOOK_EVERY; i++) {
        nap();
        now = SUM(in_loads) - t->in_loads;
    }
    idea.in_turn = now < others + LOOK_EVERY;
}

/* ---- how much is written when the input was read once ---- */

static void note_read_all(void) {
    if (idea.read_all || SUM(in_loads) < watch.n) return;
    if (!atomic_exchange(&idea.read_all, true))
        idea.out_at_all = SUM(out_stores);
}

/* ---- the first element is late ---- */

/* Until the others have done what they can without it. */
static void hold(const struct watch_thread *t) {
    uint64_t before = 0;
    int rest = 0;
    idea.held = true;
    for (int i = 0; i < HELD_MS && rest < REST_MS && !idea.told; i++) {
        uint64_t now = SUM(loads) - t->loads;
        rest = now && now == before && somebody_waits(t) ? rest + 1 : 0;
        before = now;
        nap();
    }
    idea.held = false;
}

/* ---- what is seen ---- */

static bool is_in(const struct watch_array *a, uintptr_t at) {
    return at >= a->begin && at < a->end;
}

static bool was_just_read(struct watch_thread *t, uintptr_t at) {
    uintptr_t *place = &t->recent[at / WORD % WATCH_RECENT];
    bool was = *place == at;
    *place = at;
    return was;
}

void watch_idea_load(struct watch_thread *t, uintptr_t at, size_t bytes) {
    if (!is_asked()) return;
    t->waits = false;
    if (was_just_read(t, at)) return;
    if (watch_has(WIRE_WATCH_AGGREGATES) && at == watch.in.begin &&
        !atomic_exchange(&idea.released, true))
        hold(t);
    uint64_t words = (bytes + WORD - 1) / WORD;
    uint64_t before = t->loads;
    watch_idea_add(&t->loads, words);
    if (is_in(&watch.in, at)) watch_idea_add(&t->in_loads, words);
    if (before / LOOK_EVERY != t->loads / LOOK_EVERY && watch.threads > 1 &&
        !watch_has(WIRE_WATCH_AGGREGATES)) {
        if (!idea.stopped) stop_once(t);
        note_read_all();
        keep_pace(t);
    }
}

void watch_idea_store(struct watch_thread *t, uintptr_t at, size_t bytes) {
    if (!is_asked()) return;
    t->waits = false;
    if (!is_in(&watch.out, at)) {
        watch_idea_tell(t, at);
        return;
    }
    /* What is cleared before anything was read is nobody's answer. */
    if (!idea.began) {
        uint64_t read = SUM(in_loads);
        if (!read) return;
        if (!atomic_exchange(&idea.began, true)) idea.in_at_begin = read;
    }
    watch_idea_add(&t->out_stores, (bytes + WORD - 1) / WORD);
}

/* Is the word seen for the first time? */
static void note_word(uintptr_t at) {
    size_t i = (size_t)((uint64_t)at * 0x9e3779b97f4a7c15u >> 48);
    for (int tries = 0; tries < 64; tries++, i++) {
        uintptr_t free_place = 0;
        _Atomic uintptr_t *place = &idea.words[i % SEEN];
        if (*place == at) return;
        if (atomic_compare_exchange_strong(place, &free_place, at)) {
            atomic_fetch_add(&idea.n_words, 1);
            return;
        }
        if (free_place == at) return;
    }
    idea.full = true;
}

void watch_idea_look(struct watch_thread *t, uintptr_t at) {
    if (!is_asked()) return;
    if (at == t->last) {
        if (++t->same == SPINS) t->waits = true;
        if (t->same > SPINS && t->same % SPINS == 0) give_way(t->same);
        return;
    }
    t->last = at;
    t->same = 0;
    /* From a word that was seen on the way already nothing is learned about how
     * far it goes. */
    if (t->low && at >= t->low && at <= t->high) return;
    if (!t->low || at < t->low) t->low = at;
    if (at > t->high) t->high = at;
    watch_idea_add(&t->steps, 1);
    note_word(at);
}

void watch_idea_tell(struct watch_thread *t, uintptr_t at) {
    if (!is_asked()) return;
    (void)at;
    t->waits = false;
    t->low = t->high = 0;
    if (idea.held && t->in_loads) idea.told = true;
    watch_idea_add(&t->told, 1);
}

/* ---- between two stores ---- */

/* A value that is published before it is there is wrong only for who looks
 * between two stores that follow each other. Threads stay there for different
 * times, as they would all go on together otherwise. */
void watch_idea_linger(void) {
    enum { OFTEN = 16, TIMES = 4 };
    struct watch_thread *t = watch_thread_self();
    if (!watch.on || !t || watch.threads < 2 || t->lingered >= OFTEN) return;
    unsigned ms = (t->slot * 3 + t->lingered++) % TIMES;
    while (ms-- > 0) nap();
}

/* ---- the end ---- */

static uint64_t most_loads(void) {
    uint64_t most = 0;
    for (unsigned i = 0; i < watch.used; i++)
        if (watch.slots[i].loads > most) most = watch.slots[i].loads;
    return most;
}

void watch_idea_end(void) {
    enum { FEW_WORDS_EACH = 4, ROUNDS = 2, WRITTEN = 8 };
    uint64_t n = watch.n, words = idea.n_words, threads = watch.threads;
    /* Few words may stand for many tiles, one after the other; a tile is told
     * of twice. */
    if (words < SUM(told) / 2) words = SUM(told) / 2;
    /* With few elements, or threads, there is little to share. */
    if (!is_asked() || threads < 2 || n < LEAST) return;
    /* Two passes take 2 n / threads each; three threads may be enough. Whoever
     * scans alone reads n. */
    uint64_t most = threads > 2 ? 3 * n / 4 : n + n / 4;
    if (most_loads() > most || SUM(loads) < n)
        watch_found(WIRE_WATCH_SHARED, 0, most_loads(), SUM(loads));
    if (idea.in_turn) watch_found(WIRE_WATCH_SHARED, 0, 0, 0);
    /* Assembler can load and store what is not watched; stores that go past the
     * caches are not watched either, but then the words that they were computed
     * from were loaded a second time. */
    if (SUM(out_stores) < n / 2 && SUM(loads) < n + n / 2)
        watch_found(WIRE_WATCH_SHARED, 0, 0, 1 + SUM(out_stores));
    /* Where its stores are seen. */
    bool late = idea.read_all && idea.out_at_all < n / WRITTEN &&
                SUM(out_stores) >= n / 2;
    if (late) watch_found(WIRE_WATCH_ONE_PASS, 0, UINT64_MAX, idea.out_at_all);
    if (idea.in_at_begin > n / 2 || SUM(out_stores) > n + n / 4)
        watch_found(WIRE_WATCH_ONE_PASS, 0, idea.in_at_begin, SUM(out_stores));
    if (!idea.told) watch_found(WIRE_WATCH_AGGREGATES, 0, 0, 0);
    if (words > FEW_WORDS_EACH * threads &&
        SUM(steps) > ROUNDS * threads * words)
        watch_found(WIRE_WATCH_PREFIXES, 0, SUM(steps), words);
}

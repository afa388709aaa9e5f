/* SPDX-License-Identifier: MIT
 *
 * watch_race.c: two accesses to a word, one of them a store and not both
 * atomic, of which neither comes before the other: a race. What comes before
 * what is known by vector clocks: a thread has one number per thread, the last
 * step of that thread that is before its own. Steps are handed over with what
 * C11 says hands them over: a release that an acquire reads from, fences, a
 * thread's begin and end, locks.
 *
 * Of each word the last store is kept, and two loads. So a race may be missed,
 * which another run may find; what is found is one. A table of fixed size; when
 * it is full nothing more is found.
 */
#include <string.h>
#include <sys/mman.h>

#include "watch.h"

enum { WORDS = 1 << 20, OBJECTS = 1 << 13, TRIES = 64, WORD = 4 };

/* Words that lie side by side stand side by side in the table, so many: else
 * each would touch a page of the table of its own. */
enum { GROUP = 64 };

struct epoch {
    uint32_t at;
    uint16_t slot;
    uint8_t bytes; /* of the word, a bit each; 0: none */
    bool atomic;
};

struct word {
    uintptr_t address; /* divided by WORD; 0: free */
    struct epoch store, loads[2];
};

struct object {
    uintptr_t address; /* 0: free */
    struct watch_clock clock;
};

static struct {
    struct word *words;
    struct object *objects;
} race;

static void *map(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool watch_race_begin(void) {
    race.words = map(WORDS * sizeof *race.words);
    race.objects = map(OBJECTS * sizeof *race.objects);
    return race.words && race.objects;
}

void watch_race_end(void) {
    if (race.words) munmap(race.words, WORDS * sizeof *race.words);
    if (race.objects) munmap(race.objects, OBJECTS * sizeof *race.objects);
    memset(&race, 0, sizeof race);
}

static size_t mixed(uintptr_t key) {
    return (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 32);
}

static struct word *word_of(uintptr_t key, bool make) {
    size_t group = mixed(key / GROUP);
    for (size_t i = 0; i < TRIES; i++) {
        size_t place = (group + i) % (WORDS / GROUP) * GROUP + key % GROUP;
        struct word *w = &race.words[place];
        if (w->address == key) return w;
        if (w->address) continue;
        if (make) w->address = key;
        return make ? w : NULL;
    }
    return NULL;
}

static struct object *object_of(uintptr_t key) {
    for (size_t i = 0; i < TRIES; i++) {
        struct object *o = &race.objects[(mixed(key) + i) % OBJECTS];
        if (!o->address) o->address = key;
        if (o->address == key) return o;
    }
    watch.lost = true; /* which thread waits for which is no longer known */
    return NULL;
}

/* ---- clocks ---- */

void watch_race_join(struct watch_clock *to, const struct watch_clock *from) {
    unsigned used = watch.used;
    for (unsigned i = 0; i < used; i++)
        if (to->at[i] < from->at[i]) to->at[i] = from->at[i];
}

static bool acquires(enum watch_order o) {
    return o == WATCH_ACQUIRE || o == WATCH_BOTH;
}

static bool releases(enum watch_order o) {
    return o == WATCH_RELEASE || o == WATCH_BOTH;
}

static void step(struct watch_thread *t) {
    t->now.at[t->slot]++;
}

void watch_race_load(uintptr_t at, enum watch_order order) {
    struct watch_thread *t = watch_self;
    struct object *o = object_of(at);
    if (o) watch_race_join(acquires(order) ? &t->now : &t->pending, &o->clock);
}

void watch_race_store(uintptr_t at, enum watch_order order) {
    struct watch_thread *t = watch_self;
    struct object *o = object_of(at);
    if (!o) return;
    o->clock = releases(order) ? t->now : t->fenced;
    step(t);
}

void watch_race_change(uintptr_t at, enum watch_order order) {
    struct watch_thread *t = watch_self;
    struct object *o = object_of(at);
    if (!o) return;
    watch_race_join(acquires(order) ? &t->now : &t->pending, &o->clock);
    watch_race_join(&o->clock, releases(order) ? &t->now : &t->fenced);
    step(t);
}

void watch_race_fence(enum watch_order order) {
    struct watch_thread *t = watch_self;
    if (acquires(order)) watch_race_join(&t->now, &t->pending);
    if (releases(order)) t->fenced = t->now;
    step(t);
}

/* ---- accesses ---- */

static bool is_before(const struct epoch *e, const struct watch_thread *t) {
    return e->slot == t->slot || e->at <= t->now.at[e->slot];
}

static bool clash(const struct epoch *was, const struct watch_thread *t,
                  unsigned bytes, bool atomic) {
    return (was->bytes & bytes) && !(was->atomic && atomic) &&
           !is_before(was, t);
}

static bool access_word(struct word *w, unsigned bytes, bool write,
                        bool atomic) {
    struct watch_thread *t = watch_self;
    struct epoch now = {t->now.at[t->slot], (uint16_t)t->slot, (uint8_t)bytes,
                        atomic};
    bool bad = clash(&w->store, t, bytes, atomic);
    for (int i = 0; i < 2 && write; i++)
        bad |= clash(&w->loads[i], t, bytes, atomic);
    if (write) {
        w->store = now;
        return bad;
    }
    int place = 0;
    for (int i = 0; i < 2; i++)
        if (!w->loads[i].bytes || w->loads[i].slot == t->slot) place = i;
    /* An own load of other bytes is not to be forgotten for these. */
    if (w->loads[place].slot == t->slot) now.bytes |= w->loads[place].bytes;
    if (now.bytes != bytes && w->loads[place].at != now.at)
        now.bytes = (uint8_t)bytes;
    w->loads[place] = now;
    return bad;
}

bool watch_race_access(uintptr_t at, size_t bytes, bool write, bool atomic) {
    bool bad = false;
    for (uintptr_t end = at + bytes; at < end;) {
        size_t from = at % WORD, n = WORD - from;
        if (n > end - at) n = end - at;
        struct word *w = word_of(at / WORD, true);
        unsigned mask = ((1u << n) - 1) << from;
        if (w) bad |= access_word(w, mask, write, atomic);
        at += n;
    }
    return bad;
}

void watch_race_forget(uintptr_t at, size_t bytes) {
    for (uintptr_t key = at / WORD; key <= (at + bytes - 1) / WORD && bytes;
         key++) {
        struct word *w = word_of(key, false);
        if (w) *w = (struct word){.address = key};
    }
}

/* SPDX-License-Identifier: MIT
 *
 * race_more.c: the accesses that found no place in their word's entries: a list
 * per word, and a hash over who made them, so that a thread that does the same
 * again takes no more room.
 */
#include "race_inside.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 10, MOST_ROOM = 1 << 23 };

static uint32_t race_more_place(uint64_t x, uint32_t room) {
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32) & (room - 1);
}

/* What is alike: word, thread, kind, strength and bytes. */
static uint64_t kind_of(const struct race_more *m) {
    uint64_t kept = m->what & (THREAD_MASK | ALL_BYTES | WHAT_STRONG |
                               WHAT_SPECIAL | WHAT_DEVICE);
    return (m->name ^ m->when >> 32 << 20) * 0x9e3779b97f4a7c15ull + kept +
           m->wrote;
}

static bool are_alike(const struct race_more *a, const struct race_more *b) {
    return a->name == b->name && a->wrote == b->wrote &&
           !((a->when ^ b->when) >> 32) &&
           !((a->what ^ b->what) & (THREAD_MASK | ALL_BYTES | WHAT_STRONG |
                                    WHAT_SPECIAL | WHAT_DEVICE));
}

static void link_in(struct race_mores *t, uint32_t k) {
    uint32_t *word = &t->words[race_more_place(t->list[k].name, t->room)];
    uint32_t *like = &t->likes[race_more_place(kind_of(&t->list[k]), t->room)];
    t->list[k].next = *word;
    t->list[k].next_like = *like;
    *word = *like = k;
}

static bool race_more_grow(struct race_mores *t) {
    uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
    if (room > MOST_ROOM) return false;
    struct race_more *list =
        charges_bytes(t->charges, room * sizeof *list, NULL);
    uint32_t *heads =
        charges_zeroed(t->charges, 2 * (size_t)room * sizeof *heads, NULL);
    if (!list || !heads) {
        charges_free(t->charges, list);
        charges_free(t->charges, heads);
        return false;
    }
    if (t->n) memcpy(list, t->list, t->n * sizeof *list);
    race_more_free(t);
    t->list = list;
    t->words = heads;
    t->likes = heads + room;
    t->room = room;
    if (!t->n) t->n = 1;
    for (uint32_t k = 1; k < t->n; k++) link_in(t, k);
    return true;
}

bool race_more_add(struct race_mores *t, uint64_t name, bool wrote,
                   struct race_entry e) {
    struct race_more new = {
        .name = name, .when = e.when, .what = e.what, .wrote = wrote};
    for (uint32_t k =
             t->room ? t->likes[race_more_place(kind_of(&new), t->room)] : 0;
         k; k = t->list[k].next_like)
        if (are_alike(&t->list[k], &new)) {
            t->list[k].when = e.when;
            t->list[k].what = e.what;
            return true;
        }
    if (t->n == t->room && !race_more_grow(t)) return false;
    t->list[t->n] = new;
    link_in(t, t->n++);
    return true;
}

uint32_t race_more_first(const struct race_mores *t, uint64_t name) {
    uint32_t k = t->room ? t->words[race_more_place(name, t->room)] : 0;
    while (k && t->list[k].name != name) k = t->list[k].next;
    return k;
}

void race_more_forget(struct race_mores *t, uint64_t name) {
    for (uint32_t k = race_more_first(t, name); k; k = t->list[k].next)
        if (t->list[k].name == name) race_more_drop(&t->list[k]);
}

void race_more_free(struct race_mores *t) {
    charges_free(t->charges, t->list);
    charges_free(t->charges, t->words);
}

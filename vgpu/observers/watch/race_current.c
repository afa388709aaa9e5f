/* SPDX-License-Identifier: MIT
 *
 * race_current.c: the tables of versions, and which are in memory
 * (race_version.h).
 */
#include "race_version.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 8, MOST_ROOM = 1 << 23 };

static uint64_t mixed(uint64_t x) {
    return (x ^ x >> 32) * 0x9e3779b97f4a7c15ull >> 32;
}

struct race_versions *race_versions_new(bool weak, struct charges *charges) {
    struct race_versions *t = calloc(1, sizeof *t);
    if (t) t->weak = weak;
    if (t) t->charges = charges;
    return t;
}

bool race_versions_weak(const struct race_versions *t) {
    return t && t->weak;
}

static void drop_clocks(struct clock_pool *p, struct race_version *v) {
    race_sync_drop(p, &v->sync);
    clock_drop(p, &v->own);
    clock_drop(p, &v->own_device);
    clock_drop(p, &v->own_block);
}

void race_versions_free(struct clock_pool *p, struct race_versions *t) {
    if (!t) return;
    for (uint32_t k = 1; k < t->n; k++) drop_clocks(p, &t->list[k]);
    free(t->list);
    free(t->heads);
    free(t->saws);
    free(t->current);
    charges_drop(t->charges, t->charged);
    free(t);
}

/* ---- the table ---- */

uint32_t *race_version_head(const struct race_versions *t, uint64_t name,
                            uint64_t writer) {
    return &t->heads[mixed(name * 31 + writer) & (t->room - 1)];
}

void race_version_link(struct race_versions *t, uint32_t id) {
    struct race_version *v = &t->list[id];
    uint32_t *head = race_version_head(t, v->sync.name, v->sync.writer);
    v->next = *head;
    *head = id;
}

static void unlink_from(struct race_versions *t, uint32_t id) {
    struct race_version *v = &t->list[id];
    uint32_t *at = race_version_head(t, v->sync.name, v->sync.writer);
    while (*at != id) at = &t->list[*at].next;
    *at = v->next;
}

static bool charge(struct race_versions *t, uint64_t bytes) {
    if (!charges_add(t->charges, bytes, NULL)) return false;
    t->charged += bytes;
    return true;
}

static bool race_current_grow(struct race_versions *t) {
    uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
    if (room > MOST_ROOM ||
        !charge(t, (room - t->room) * (sizeof *t->list + sizeof *t->heads)))
        return false;
    struct race_version *list = realloc(t->list, room * sizeof *list);
    if (list) t->list = list;
    uint32_t *heads = list ? calloc(room, sizeof *heads) : NULL;
    if (!heads) return false;
    free(t->heads);
    t->heads = heads;
    t->room = room;
    if (!t->n) t->n = 1;
    for (uint32_t k = 1; k < t->n; k++) /* none is free: it was full */
        race_version_link(t, k);
    return true;
}

uint32_t race_version_new(struct race_versions *t) {
    uint32_t id = t->free;
    if (id) {
        t->free = t->list[id].next;
    } else {
        if (t->n == t->room && !race_current_grow(t)) return 0;
        id = t->n++;
    }
    t->list[id] = (struct race_version){.next = 0};
    return id;
}

static uint32_t new_saw(struct race_versions *t) {
    uint32_t k = t->free_saw;
    if (k) {
        t->free_saw = t->saws[k].next;
        return k;
    }
    if (t->n_saws == t->saws_room) {
        uint32_t room = t->saws_room ? 2 * t->saws_room : FIRST_ROOM;
        struct race_saw *saws = realloc(t->saws, room * sizeof *saws);
        if (!saws) return 0;
        t->saws = saws;
        t->saws_room = room;
        if (!t->n_saws) t->n_saws = 1;
    }
    return t->n_saws++;
}

bool race_version_note(struct race_versions *t, uint32_t *list,
                       struct race_saw saw) {
    uint32_t s = new_saw(t);
    if (!s) return false;
    saw.next = *list;
    t->saws[s] = saw;
    *list = s;
    return true;
}

static void free_saws(struct race_versions *t, uint32_t s) {
    for (uint32_t next; s; s = next) {
        next = t->saws[s].next;
        t->saws[s].next = t->free_saw;
        t->free_saw = s;
    }
}

static void forget(struct machine *m, uint32_t id) {
    struct race_versions *t = race_of(m)->versions;
    struct race_version *v = &t->list[id];
    uint32_t hides = v->hides;
    unlink_from(t, id);
    free_saws(t, v->saw);
    drop_clocks(&race_of(m)->clocks, v);
    *v = (struct race_version){.next = t->free};
    t->free = id;
    for (uint32_t h = hides; h; h = t->saws[h].next)
        race_version_drop(m, (uint32_t)t->saws[h].who);
    free_saws(t, hides);
}

void race_version_done(struct machine *m, uint32_t id) {
    struct race_versions *t = race_of(m)->versions;
    while (id && !t->list[id].references && !t->list[id].open) {
        uint32_t from = t->list[id].from;
        forget(m, id);
        id = from;
        if (id) t->list[id].references--;
    }
}

void race_version_keep(struct machine *m, uint32_t id) {
    if (id && race_of(m) && race_of(m)->versions)
        race_of(m)->versions->list[id].references++;
}

void race_version_drop(struct machine *m, uint32_t id) {
    if (!id || !race_of(m) || !race_of(m)->versions) return;
    race_of(m)->versions->list[id].references--;
    race_version_done(m, id);
}

/* ---- what is in memory ---- */

static struct race_current *race_current_place(const struct race_versions *t,
                                               uint64_t name) {
    uint64_t k = mixed(name);
    while (t->current[k & (t->current_room - 1)].name &&
           t->current[k & (t->current_room - 1)].name != name)
        k++;
    return &t->current[k & (t->current_room - 1)];
}

static struct race_current *current_of(struct race_versions *t, uint64_t name,
                                       bool make) {
    struct race_current *at =
        t->current_room ? race_current_place(t, name) : NULL;
    if ((at && at->name) || !make) return at && at->name ? at : NULL;
    if (2 * t->n_current >= t->current_room) {
        struct race_versions new = *t;
        new.current_room = t->current_room ? 2 * t->current_room : FIRST_ROOM;
        if (!charge(t,
                    (new.current_room - t->current_room) * sizeof *new.current))
            return NULL;
        new.current = calloc((size_t) new.current_room, sizeof *new.current);
        if (!new.current) return NULL;
        for (uint64_t k = 0; k < t->current_room; k++)
            if (t->current[k].name)
                *race_current_place(&new, t->current[k].name) = t->current[k];
        free(t->current);
        t->current = new.current;
        t->current_room = new.current_room;
        at = race_current_place(t, name);
    }
    at->name = name;
    t->n_current++;
    return at;
}

void race_version_set(struct machine *m, uint64_t name, uint32_t id) {
    struct race_versions *t = race_of(m)->versions;
    struct race_current *at = current_of(t, name, id != 0);
    race_of(m)->clocks.lacks |= id && !at;
    if (!at) return;
    uint32_t old = at->version;
    struct race_version *was = old ? &t->list[old] : NULL;
    if (was && id && race_version_is_shared(name) &&
        block_of(was->sync.writer) != block_of(t->list[id].sync.writer))
        was->open = 0; /* its block has ended */
    race_version_keep(m, id);
    at->version = id;
    race_version_drop(m, old);
}

uint32_t race_version_of(struct race_versions *t, uint64_t name) {
    struct race_current *at = current_of(t, name, false);
    return at ? at->version : 0;
}

uint32_t race_version_at(const struct machine *m, uint64_t address) {
    struct race_versions *t = race_of(m) ? race_of(m)->versions : NULL;
    return t ? race_version_of(t, address & ~3ull) : 0;
}

void race_version_lands(struct machine *m, uint64_t address, uint32_t bytes,
                        uint32_t id) {
    if (!race_of(m) || !race_of(m)->versions) return;
    for (uint64_t a = address & ~3ull; a < address + bytes; a += 4)
        race_version_set(m, a, id);
    race_version_drop(m, id);
}

/* SPDX-License-Identifier: MIT
 *
 * lives.c: see lives.h. A program may allocate in a loop: only so many places
 * are looked up, those of memory that was kept before the others.
 */
#include "lives.h"

#include <stdlib.h>
#include <string.h>

enum { LIVES_LOOKED_UP = 12 };

/* Allocations with the same calls on both ends. */
struct same_calls {
    struct vgpu_life of;
    uint64_t n, bytes;
};
struct calls {
    struct same_calls list[LIVES_LOOKED_UP];
    size_t n;
    uint64_t left_out;
};

static bool lives_alike(const struct vgpu_life *a, const struct vgpu_life *b) {
    return a->is_freed == b->is_freed &&
           memcmp(a->callers, b->callers, sizeof a->callers) == 0 &&
           (!a->is_freed ||
            memcmp(a->freers, b->freers, sizeof a->freers) == 0);
}

static void collect(const vgpu_device *device, bool freed, struct calls *c) {
    struct vgpu_life one;
    for (size_t at = 0; vgpu_next_life(device, &at, &one);) {
        if (one.is_freed != freed) continue;
        size_t k = 0;
        while (k < c->n && !lives_alike(&c->list[k].of, &one)) k++;
        if (k == LIVES_LOOKED_UP) {
            c->left_out++;
            continue;
        }
        if (k == c->n) c->list[c->n++] = (struct same_calls){.of = one};
        c->list[k].n++;
        c->list[k].bytes += one.bytes;
    }
}

static bool lives_at_one_place(const struct place *a, const struct place *b) {
    bool files = a->file && b->file;
    return a->line == b->line &&
           (files ? strcmp(a->file, b->file) == 0 : !a->file == !b->file);
}

static void lives_drop(struct life *l) {
    struct place *both[] = {&l->made, &l->freed};
    for (size_t k = 0; k < 2; k++) {
        free(both[k]->file);
        free(both[k]->kernel);
    }
}

/* Calls that stand in one line are one row. */
static void lives_add(struct lives *to, struct life one) {
    size_t k = 0;
    while (k < to->n && !(to->list[k].is_freed == one.is_freed &&
                          lives_at_one_place(&to->list[k].made, &one.made) &&
                          lives_at_one_place(&to->list[k].freed, &one.freed)))
        k++;
    if (k == OUTCOME_LIVES) {
        to->left_out += one.n;
    } else if (k == to->n) {
        to->list[to->n++] = one;
        return;
    } else {
        to->list[k].n += one.n;
        to->list[k].bytes += one.bytes;
    }
    lives_drop(&one);
}

void lives_take(const struct harness *h, lives_placed *place,
                struct outcome *o) {
    struct calls *c = calloc(1, sizeof *c);
    struct lives *to = calloc(1, sizeof *to);
    if (!c || !to) {
        free(c);
        free(to);
        return;
    }
    collect(h->vgpu, false, c);
    collect(h->vgpu, true, c);
    to->left_out = c->left_out;
    for (size_t k = 0; k < c->n; k++) {
        const struct same_calls *s = &c->list[k];
        struct life one = {
            .is_freed = s->of.is_freed, .n = s->n, .bytes = s->bytes};
        place(h, s->of.callers, &one.made);
        if (one.is_freed) place(h, s->of.freers, &one.freed);
        lives_add(to, one);
    }
    free(c);
    o->lives = to;
}

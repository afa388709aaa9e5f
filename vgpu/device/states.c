/* SPDX-License-Identifier: MIT
 *
 * states.c: what memory held behind each launch, and how far a change of the
 * input reached by then.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* Of all launches together; what comes later is not kept. */
enum { MOST_BYTES = 64 << 20, STATE_WORD = 4 };

struct kept_array {
    uint64_t base, bytes;
    uint8_t *copy;
};
struct state {
    struct kept_array *arrays;
    size_t n;
};
struct vgpu_states {
    struct state *list; /* of each launch */
    size_t n, room;
    uint64_t bytes;
    bool is_cut;
};

struct vgpu_states *states_new(void) {
    return calloc(1, sizeof(struct vgpu_states));
}

void vgpu_states_free(struct vgpu_states *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->list[i].n; k++)
            free(s->list[i].arrays[k].copy);
        free(s->list[i].arrays);
    }
    free(s->list);
    free(s);
}

static struct state *next_state(struct vgpu_states *s, size_t n_arrays) {
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 16;
        struct state *more = realloc(s->list, room * sizeof *more);
        if (!more) return NULL;
        s->list = more;
        s->room = room;
    }
    struct state *at = &s->list[s->n];
    *at = (struct state){calloc(n_arrays + 1, sizeof *at->arrays), 0};
    if (at->arrays) s->n++;
    return at->arrays ? at : NULL;
}

/* Of what host code allocated, the caller's own arrays among it, and of the
 * program's variables. */
static bool is_kept(const struct allocation *a) {
    return a->region.bytes && !a->device_heap && !a->is_host;
}

static bool keep_array(struct vgpu_states *s, struct state *at,
                       const struct allocation *a) {
    uint64_t bytes = a->size - a->slack;
    uint8_t *copy = bytes <= MOST_BYTES - s->bytes ? malloc(bytes + 1) : NULL;
    if (!copy) return false;
    memcpy(copy, a->region.bytes, bytes);
    s->bytes += bytes;
    at->arrays[at->n++] = (struct kept_array){a->region.base, bytes, copy};
    return true;
}

void states_keep(vgpu_device *d) {
    struct vgpu_states *s = d->states;
    const struct memory *m = &d->memory;
    struct state *at = s->is_cut ? NULL : next_state(s, m->n_allocations);
    s->is_cut |= !at;
    for (size_t k = 0; at && k < m->n_allocations && !s->is_cut; k++)
        if (is_kept(m->allocations[k]))
            s->is_cut = !keep_array(s, at, m->allocations[k]);
}

void states_forget(vgpu_device *d) {
    if (d->states) vgpu_states_free(vgpu_take_states(d));
}

struct vgpu_states *vgpu_take_states(vgpu_device *d) {
    struct vgpu_states *s = d->states;
    d->states = s ? states_new() : NULL;
    return s;
}

/* ---- two runs ---- */

static const struct kept_array *array_in(const struct state *s, uint64_t base,
                                         uint64_t bytes) {
    for (size_t k = 0; k < s->n; k++)
        if (s->arrays[k].base == base && s->arrays[k].bytes == bytes)
            return &s->arrays[k];
    return NULL;
}

static size_t words_apart(const struct kept_array *x,
                          const struct kept_array *y) {
    size_t n = 0;
    for (uint64_t at = 0; at + STATE_WORD <= x->bytes; at += STATE_WORD)
        n += memcmp(x->copy + at, y->copy + at, STATE_WORD) != 0;
    return n;
}

/* Behind one launch: the array of at least so many bytes in which most words
 * differ. */
struct apart {
    size_t words;
    uint64_t bytes; /* of that array */
};

static struct apart most_apart(const struct state *x, const struct state *y,
                               uint64_t least_bytes) {
    struct apart most = {0, 0};
    for (size_t k = 0; k < x->n; k++) {
        const struct kept_array *a = &x->arrays[k],
                                *b = array_in(y, a->base, a->bytes);
        size_t words = b && a->bytes >= least_bytes ? words_apart(a, b) : 0;
        if (words > most.words) most = (struct apart){words, a->bytes};
    }
    return most;
}

bool vgpu_states_reach(const struct vgpu_states *x, const struct vgpu_states *y,
                       struct vgpu_reach *r) {
    size_t most = 1; /* the changed word itself */
    *r = (struct vgpu_reach){0, 0};
    if (x->is_cut || y->is_cut || x->n != y->n) return false;
    struct apart end = {0, 0};
    for (size_t k = 0; k < x->n; k++) {
        struct apart now = most_apart(&x->list[k], &y->list[k], 0);
        r->launches += now.words > most;
        if (now.words > most) most = now.words;
        if (now.words > end.words) end = now;
    }
    for (size_t k = 0; k < x->n; k++) {
        struct apart now =
            most_apart(&x->list[k], &y->list[k], (end.bytes + 1) / 2);
        if (now.words < end.words && now.words > r->early) r->early = now.words;
    }
    return true;
}

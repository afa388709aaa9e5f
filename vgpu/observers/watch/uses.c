/* SPDX-License-Identifier: MIT
 *
 * uses.c: see uses.h.
 */
#include "uses.h"

#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "event.h"
#include "words_map.h"

enum { IN_CHUNK = 64, INSN_BITS = 24 };

struct chunk {
    struct chunk *next;
    struct use uses[IN_CHUNK];
};

struct uses {
    struct charges *charges;
    struct words_map places; /* by page and instruction: number + 1 */
    struct chunk **chunks;
    size_t n, n_chunks, capacity;
    bool is_cut;
    uint64_t era; /* one more with each launch: hints of before are old */
};

struct uses *uses_new(struct charges *charges) {
    struct uses *u = calloc(1, sizeof *u);
    if (u) u->charges = charges;
    return u;
}

void uses_free(struct uses *u) {
    if (!u) return;
    for (size_t k = 0; k < u->n_chunks; k++)
        charges_free(u->charges, u->chunks[k]);
    free(u->chunks);
    free(u->places.entries);
    free(u);
}

void uses_clear(struct uses *u) {
    u->n = 0;
    u->is_cut = false;
    u->era++;
    words_clear(&u->places);
}

const struct use *uses_at(const struct uses *u, size_t k) {
    return k < u->n ? &u->chunks[k / IN_CHUNK]->uses[k % IN_CHUNK] : NULL;
}

bool uses_are_cut(const struct uses *u) {
    return u->is_cut;
}

static bool more_chunks(struct uses *u) {
    if (u->n_chunks == u->capacity) {
        size_t n = u->capacity ? 2 * u->capacity : 16;
        void *grown = realloc(u->chunks, n * sizeof *u->chunks);
        if (!grown) return false;
        u->chunks = grown;
        u->capacity = n;
    }
    struct chunk *c = charges_bytes(u->charges, sizeof *c,
                                    "what ordercheck remembers of a launch");
    if (c) u->chunks[u->n_chunks++] = c;
    return c != NULL;
}

/* How an instruction uses memory. */
static uint32_t how_of(const struct insn *i, bool write, bool atomic) {
    bool strong = atomic || i->order != ORDER_WEAK || i->before_cas;
    if (strong)
        return write || atomic ? VGPU_USE_STRONG_WRITE : VGPU_USE_STRONG_READ;
    return write ? VGPU_USE_WRITE : VGPU_USE_READ;
}

static struct use *new_use(struct uses *u, uint64_t page, const struct insn *i,
                           uint32_t how, uint64_t key) {
    if (u->n == u->n_chunks * IN_CHUNK && !more_chunks(u)) return NULL;
    struct use *use = &u->chunks[u->n / IN_CHUNK]->uses[u->n % IN_CHUNK];
    if (!words_set(&u->places, key, (uint32_t)u->n + 1)) return NULL;
    *use = (struct use){.page = page, .insn = i->number, .how = how};
    u->n++;
    return use;
}

/* An instruction that reads and writes (a copy's ends) has one for each. */
static struct use *use_for(struct context *c, uint64_t page, uint32_t how) {
    struct uses *u = uses_of(c->machine);
    const struct insn *i = c->insn;
    bool writes = how & (VGPU_USE_WRITE | VGPU_USE_STRONG_WRITE);
    uint64_t key = (page << INSN_BITS | i->number) << 1 | (writes ? 1 : 0);
    uint32_t at = words_get(&u->places, key + 2);
    if (at) return &u->chunks[(at - 1) / IN_CHUNK]->uses[(at - 1) % IN_CHUNK];
    struct use *use = new_use(u, page, i, how, key + 2);
    if (!use) u->is_cut = true;
    return use;
}

static inline void set_bits(struct use *use, uint32_t first, uint32_t n) {
    uint64_t *word = &use->bits[first / 64];
    uint32_t at = first % 64;
    while (n) {
        uint32_t here = 64 - at < n ? 64 - at : n;
        *word++ |= (here == 64 ? ~0ull : (1ull << here) - 1) << at;
        n -= here;
        at = 0;
    }
}

static void uses_range(struct context *c, uint64_t address, uint64_t bytes,
                       uint32_t how) {
    struct uses_hint *h =
        (struct uses_hint *)c->machine->insn_slots[OBSERVER_USES] +
        c->insn->number;
    uint64_t era = uses_of(c->machine)->era << 1;
    while (bytes) {
        uint64_t page = address / USE_PAGE;
        uint32_t first = (uint32_t)(address % USE_PAGE);
        uint32_t n =
            USE_PAGE - first < bytes ? USE_PAGE - first : (uint32_t)bytes;
        bool is_hit =
            h->use && h->page == (page ^ era << 40) && h->use->how == how;
        struct use *use = is_hit ? h->use : use_for(c, page, how);
        if (!use) return;
        h->use = use;
        h->page = page ^ era << 40;
        set_bits(use, first, n);
        address += n;
        bytes -= n;
    }
}

void uses_access(struct context *c, struct access *x) {
    if (x->space != PTX_GLOBAL && x->space != PTX_CONST) return;
    uint32_t how = how_of(c->insn, x->write, x->atomic);
    if (x->one && x->shape.run) {
        uses_range(c, x->address[x->shape.first],
                   (uint64_t)x->shape.lanes * x->bytes, how);
        return;
    }
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1)
        uses_range(c, x->address[__builtin_ctz(m)], x->bytes, how);
}

void uses_copy_moves(struct context *c, uint64_t global, uint32_t bytes,
                     bool write) {
    uses_range(c, global, bytes, how_of(c->insn, write, false));
}

void uses_small_copy(struct context *c, const struct small *s, uint32_t lane) {
    uses_range(c, s->from[lane], s->bytes[lane], VGPU_USE_READ);
}

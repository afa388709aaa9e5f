/* SPDX-License-Identifier: MIT
 *
 * memory.c: allocations and their shadow bits. See memory.h.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "slack.h"

/* Between allocations lies at least a guard of unmapped addresses, so that a
 * small overrun never lands in a neighbour; cudaMalloc's own alignment. */
enum { ALIGNMENT = 256, GUARD = 256 };

/* A KiB and more begins at a multiple of that, as where a GPU's allocator packs
 * arrays of such sizes: which lines share a place of L2 depends on it. */
enum { WIDE = 1024 };

/* The heap takes no more than a part of the device's memory; each block of it
 * costs a head. */
#define HEAP_BASE (VGPU_ADDRESS_BASE + VGPU_SHARED_BYTES / 2)
enum { HEAP_PART = 4, HEAP_HEAD = 64 };

/* What a check remembers of an allocation is a quarter of it, and a little. */
enum { BESIDE = 1 << 16 };

void memory_init(struct memory *m, uint64_t limit_bytes) {
    memset(m, 0, sizeof *m);
    m->next_address = VGPU_ADDRESS_BASE + 0x1000000;
    m->next_in_heap = HEAP_BASE;
    m->limit_bytes = limit_bytes;
}

void memory_set_contents(struct memory *m, vgpu_contents contents,
                         uint64_t seed) {
    m->contents = contents;
    m->contents_random = seed;
}

static void drop_bytes(struct memory *m, struct allocation *a) {
    slack_ends(m, a);
    if (a->device_heap)
        m->heap_bytes -= a->size + HEAP_HEAD;
    else if (!a->is_host) {
        m->held_bytes -= a->size - a->slack;
        m->held_of[a->gpu] -= a->size - a->slack;
    }
    if (a->is_mapped)
        memory_unmap(m, a);
    else
        contents_drop(m, a);
    charges_free(&m->charges, a->region.written);
    charges_free(&m->charges, a->region.data);
    for (unsigned k = 0; k < OBSERVER_SLOTS; k++) memory_drop_shadow(m, a, k);
    a->region.bytes = a->region.written = a->region.data = NULL;
}

void memory_set_shadow(struct memory *m, struct allocation *a, unsigned slot,
                       void *shadow) {
    a->slots[slot] = shadow;
    m->shadowed_bytes[slot] += a->size;
}

void memory_drop_shadow(struct memory *m, struct allocation *a, unsigned slot) {
    if (!a->slots[slot]) return;
    m->shadowed_bytes[slot] -= a->size;
    charges_free(&m->charges, a->slots[slot]);
    a->slots[slot] = NULL;
}

void *memory_shadow(struct memory *m, struct allocation *a, unsigned slot,
                    size_t bytes) {
    if (a->slots[slot]) return a->slots[slot];
    void *shadow = charges_zeroed(&m->charges, bytes, NULL);
    if (shadow) memory_set_shadow(m, a, slot, shadow);
    return shadow;
}

void memory_free_all(struct memory *m) {
    for (size_t i = 0; i < m->n_allocations; i++) {
        if (m->allocations[i]->region.bytes) drop_bytes(m, m->allocations[i]);
        charges_free(&m->charges, m->allocations[i]->name);
        charges_free(&m->charges, m->allocations[i]);
    }
    for (struct allocation *a = m->spare, *next; a; a = next) {
        next = a->next_spare;
        charges_free(&m->charges, a);
    }
    contents_end(m);
    free(m->textures);
    charges_free(&m->charges, m->allocations);
    memset(m, 0, sizeof *m);
}

static bool grow_table(struct memory *m) {
    if (m->n_allocations < m->capacity) return true;
    size_t capacity = m->capacity ? m->capacity * 2 : 64;
    struct allocation **t =
        charges_grown(&m->charges, m->allocations, m->capacity * sizeof *t,
                      capacity * sizeof *t, "a list of allocations");
    if (!t) return false;
    m->allocations = t;
    m->capacity = capacity;
    return true;
}

/* Bytes have a limit, and so has the number of allocations, dead ones that are
 * still remembered among them: a kernel that calls malloc and free for ever
 * ends up without memory, not its host. */
enum { MAX_TOMBSTONES = 1 << 16, MAX_ALLOCATIONS = 1 << 20 };

/* Tombstones help messages only, so a very long list of them is dropped. */
static void forget_tombstones(struct memory *m) {
    if (m->n_allocations < MAX_TOMBSTONES) return;
    if (m->launching || m->n_allocations & (MAX_TOMBSTONES - 1)) return;
    size_t kept = 0;
    for (size_t i = 0; i < m->n_allocations; i++) {
        struct allocation *a = m->allocations[i];
        if (a->region.bytes) {
            m->allocations[kept++] = a;
        } else {
            charges_free(&m->charges, a->name);
            charges_free(&m->charges, a);
        }
    }
    m->n_allocations = kept;
}

/* A launch may hold pointers to allocations, so those of freed blocks of the
 * heap are not given back but used for the next ones: whoever has a pointer
 * asks for the address first. */
static void forget_in_heap(struct memory *m) {
    size_t kept = 0;
    for (size_t i = 0; i < m->n_allocations; i++) {
        struct allocation *a = m->allocations[i];
        if (a->region.bytes || !a->device_heap || a->name) {
            m->allocations[kept++] = a;
        } else {
            a->next_spare = m->spare;
            m->spare = a;
        }
    }
    m->n_allocations = kept;
}

static struct allocation *new_allocation(struct memory *m) {
    struct allocation *a = m->spare;
    if (!a)
        return charges_zeroed(&m->charges, sizeof *a, "a list of allocations");
    m->spare = a->next_spare;
    *a = (struct allocation){0};
    return a;
}

struct allocation *memory_add(struct memory *m, uint64_t base, uint64_t bytes) {
    forget_tombstones(m);
    if (m->n_allocations >= MAX_ALLOCATIONS || !grow_table(m)) return NULL;
    struct allocation *a = new_allocation(m);
    if (!a) return NULL;
    a->region.base = base;
    a->size = bytes;
    a->gpu = (uint8_t)m->gpu;
    size_t at = m->n_allocations++;
    while (at && m->allocations[at - 1]->region.base > base) at--;
    struct allocation **to = &m->allocations[at];
    memmove(to + 1, to, (m->n_allocations - 1 - at) * sizeof *to);
    return *to = a;
}

/* What kernels take for themselves is memory as well. */
static void note_peak(struct memory *m) {
    uint64_t all = m->held_bytes + m->heap_bytes;
    if (all > m->peak_bytes) m->peak_bytes = all;
}

void memory_hold(struct memory *m, uint64_t bytes) {
    m->held_bytes += bytes;
    m->held_of[m->gpu] += bytes;
    m->n_made++;
    note_peak(m);
}

static void remove_again(struct memory *m, struct allocation *a) {
    size_t at = m->n_allocations;
    while (m->allocations[--at] != a) {
    }
    memmove(&m->allocations[at], &m->allocations[at + 1],
            (--m->n_allocations - at) * sizeof *m->allocations);
    charges_free(&m->charges, a);
}

/* At *next, which moves on, below `end`. */
static struct allocation *allocate_at(struct memory *m, uint64_t *next,
                                      uint64_t end, uint64_t bytes) {
    uint64_t span =
        (bytes + GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    uint64_t base = bytes < WIDE ? *next : (*next + WIDE - 1) / WIDE * WIDE;
    if (base + span >= end) return NULL;
    struct allocation *a = memory_add(m, base, bytes);
    if (!a) return NULL;
    if (!contents_new(m, a) ||
        (m->track_written && !memory_track_written(m, a)) ||
        (m->track_data && !memory_track_data(m, a))) {
        if (a->region.bytes) contents_drop(m, a);
        charges_free(&m->charges, a->region.written);
        remove_again(m, a);
        return NULL;
    }
    *next = base + span;
    return a;
}

struct allocation *memory_allocate(struct memory *m, uint64_t bytes) {
    if (bytes > m->limit_bytes || m->held_of[m->gpu] > m->limit_bytes - bytes)
        return NULL;
    contents_make_room(m, bytes + bytes / 4 + BESIDE);
    struct allocation *a =
        allocate_at(m, &m->next_address, HEAP_BASE, bytes + m->slack_bytes);
    if (!a) return NULL;
    a->slack = m->slack_bytes;
    slack_begins(a);
    memory_hold(m, bytes);
    return a;
}

struct allocation *memory_allocate_in_heap(struct memory *m, uint64_t bytes) {
    uint64_t most = m->limit_bytes / HEAP_PART, taken = m->heap_bytes;
    if (m->n_allocations >= MAX_ALLOCATIONS / 2) forget_in_heap(m);
    if (bytes > most || taken > most || taken + HEAP_HEAD > most - bytes ||
        m->n_allocations >= MAX_ALLOCATIONS / 2)
        return NULL;
    struct allocation *a =
        allocate_at(m, &m->next_in_heap, VGPU_ADDRESS_LIMIT, bytes);
    if (!a) return NULL;
    a->device_heap = true;
    m->heap_bytes += bytes + HEAP_HEAD;
    note_peak(m);
    return a;
}

bool memory_release(struct memory *m, uint64_t address) {
    struct allocation *a = memory_find(m, address);
    if (!a || !a->region.bytes || a->region.base != address) return false;
    drop_bytes(m, a);
    return true;
}

struct allocation *memory_before(const struct memory *m, uint64_t address) {
    size_t low = 0, high = m->n_allocations; /* first one above address */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (m->allocations[mid]->region.base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? m->allocations[low - 1] : NULL;
}

struct allocation *memory_find(const struct memory *m, uint64_t address) {
    struct allocation *a = memory_before(m, address);
    if (!a) return NULL;
    uint64_t span = a->size ? a->size : 1; /* an empty one still has a name */
    return address - a->region.base < span ? a : NULL;
}

struct allocation *memory_range(const struct memory *m, uint64_t address,
                                uint64_t bytes) {
    struct allocation *a = memory_before(m, address);
    if (!a || !a->region.bytes) return NULL;
    uint64_t offset = address - a->region.base;
    if (offset > a->size || bytes > a->size - offset) return NULL;
    return a;
}

bool memory_name(struct memory *m, struct allocation *a, const char *name) {
    char *copy = charges_text(&m->charges, name, "names of variables");
    if (!copy) return false;
    charges_free(&m->charges, a->name);
    a->name = copy;
    return true;
}

bool memory_track_written(struct memory *m, struct allocation *a) {
    if (!a->region.written)
        a->region.written = charges_zeroed(&m->charges, bits_size(a->size),
                                           "what initcheck remembers");
    if (a->region.written && m->clears)
        bits_set(a->region.written, 0, a->size, true);
    return a->region.written != NULL;
}

bool memory_track_data(struct memory *m, struct allocation *a) {
    if (!a->region.data)
        a->region.data = charges_zeroed(&m->charges, bits_size(a->size),
                                        "what marks of data take");
    return a->region.data != NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * server_set.c: the addresses a program allocated, as a hash set, so that
 * 10^5 allocations are freed in any order without a walk for each.
 */
#include "server.h"

#include <stdlib.h>

enum { EMPTY = 0, REMOVED = 1, SLOTS_MIN = 64 };

static size_t first_slot(const struct server_set *set, uint64_t address) {
    uint64_t hash = address * 0x9E3779B97F4A7C15ull;
    return (size_t)(hash >> 20) & (set->n_slots - 1);
}

static void server_set_put(struct server_set *set, uint64_t address) {
    size_t i = first_slot(set, address);
    while (set->slots[i] > REMOVED) i = (i + 1) & (set->n_slots - 1);
    if (set->slots[i] == EMPTY) set->n_used++;
    set->slots[i] = address;
    set->n_items++;
}

/* Twice the items, without the removed ones. */
static bool rehash(struct server_set *set) {
    struct server_set bigger = {.n_slots = SLOTS_MIN};
    while (bigger.n_slots < set->n_items * 4) bigger.n_slots *= 2;
    bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < set->n_slots; i++)
        if (set->slots[i] > REMOVED) server_set_put(&bigger, set->slots[i]);
    free(set->slots);
    *set = bigger;
    return true;
}

bool server_set_add(struct server_set *set, uint64_t address) {
    if (set->n_used * 2 >= set->n_slots && !rehash(set)) return false;
    server_set_put(set, address);
    return true;
}

bool server_set_remove(struct server_set *set, uint64_t address) {
    if (set->n_slots == 0) return false;
    size_t i = first_slot(set, address);
    while (set->slots[i] != EMPTY) {
        if (set->slots[i] == address) {
            set->slots[i] = REMOVED;
            set->n_items--;
            return true;
        }
        i = (i + 1) & (set->n_slots - 1);
    }
    return false;
}

void server_set_clear(struct server_set *set) {
    free(set->slots);
    *set = (struct server_set){0};
}

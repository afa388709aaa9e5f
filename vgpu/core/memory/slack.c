/* SPDX-License-Identifier: MIT
 *
 * slack.c: see slack.h.
 */
#include "slack.h"

/* FNV-1a over words: any changed word changes the sum. */
static uint64_t sum_behind(const struct allocation *a) {
    const uint8_t *bytes = a->region.bytes + (a->size - a->slack);
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < a->slack; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

void slack_begins(struct allocation *a) {
    if (a->slack) a->slack_sum = sum_behind(a);
}

static bool is_stored(const struct allocation *a) {
    return a->slack && a->region.bytes && sum_behind(a) != a->slack_sum;
}

void slack_ends(struct memory *m, const struct allocation *a) {
    m->slack_stored |= is_stored(a);
}

bool slack_is_stored(const struct memory *m) {
    bool stored = m->slack_stored;
    for (size_t i = 0; i < m->n_allocations && !stored; i++)
        stored = is_stored(m->allocations[i]);
    return stored;
}

/* SPDX-License-Identifier: MIT
 *
 * diagnose_windows.c: functions whose outputs are sums of inputs that stand
 * together: which they are, and the shapes of sums of others.
 */
#include "diagnose_parts.h"

enum { MOST_IN_GROUP = 16 }; /* elements that a thread has side by side */

static bool since_multiple(size_t k, size_t size, size_t own, struct due *due) {
    *due = (struct due){k - k % size, k + own, 1};
    return true;
}

/* The size of the parts that are scanned apart; 0: the whole, or no scan. */
static size_t scanned_apart(enum oracle oracle) {
    switch (oracle) {
    case ORACLE_tile_exclusive: return 2048;
    case ORACLE_sums_of_32: return 32;
    case ORACLE_sums_of_512: return 512;
    case ORACLE_sums_of_4096: return 4096;
    case ORACLE_sums_of_8192: return 8192;
    default: return 0;
    }
}

bool diagnose_due(const struct diagnose_case *c, size_t k, struct due *due) {
    enum { TILE = 2048, LATER_TILE = 4096 };
    const int *value = c->parameters ? c->parameters->value : NULL;
    enum oracle oracle = (enum oracle)c->oracle;
    size_t apart = scanned_apart(oracle), tile = k / LATER_TILE;
    if (apart)
        return since_multiple(k, apart, oracle != ORACLE_tile_exclusive, due);
    switch (oracle) {
    case ORACLE_inclusive_sum: *due = (struct due){0, k + 1, 1}; return true;
    case ORACLE_exclusive_sum: *due = (struct due){0, k, 1}; return true;
    case ORACLE_tile_total:
        *due = (struct due){k * TILE, (k + 1) * TILE, 1};
        if (due->to > c->n) due->to = c->n;
        return due->from < c->n;
    case ORACLE_total_before_4096:
        *due = (struct due){tile ? (tile - 1) * LATER_TILE : 0,
                            tile * LATER_TILE, 1};
        return true;
    case ORACLE_scan_op_i32:
        *due = (struct due){0, k + 1, 1};
        return value && value[PARAMETER_op] == 0;
    case ORACLE_sam_scan_i32:
        if (!value || value[PARAMETER_order] != 1) return false;
        *due = (struct due){k % (size_t)value[PARAMETER_tuple], k + 1,
                            (size_t)value[PARAMETER_tuple]};
        return true;
    default: return false;
    }
}

/* Is got[i] always the sum of what stands in front of it since the last
 * multiple of `size`, itself included or not? */
static bool is_scan_of(const struct scan_view *v, size_t size, size_t own) {
    uint32_t sum = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (i % size == 0) sum = 0;
        if (v->got[i] != sum + (own ? v->in[i] : 0)) return false;
        sum += v->in[i];
    }
    return true;
}

/* Is it the sum of the last elements only, counted in groups of so many? Of
 * groups those of several elements a thread holds: steps that are missing. */
static bool ends_early(const struct scan_view *v, size_t apart, size_t group,
                       struct diagnosis *d) {
    size_t first = v->difference.first, groups = first / group;
    uint32_t sum = 0;
    if (first % group != 0 || groups < 2 || first >= apart) return false;
    for (size_t i = 0; i < v->n; i++) {
        size_t in_part = i % apart;
        if (in_part == 0) sum = 0;
        sum += v->in[i];
        if (in_part % group == 0 && in_part >= groups * group)
            for (size_t k = 0; k < group; k++)
                sum -= v->in[i - groups * group + k];
        if (v->got[i] != sum) return false;
    }
    if (group > 1)
        return shape_is(d, FACT(WINDOW_OF_GROUPS, {V(group), V(groups - 1)}));
    bool power = (groups & (groups - 1)) == 0;
    return shape_is(d, FACT(WINDOW, {V(groups), V(power ? groups : 0)}));
}

/* What is less than a warp has belongs to a thread, but for sums of rows, which
 * lanes make. */
static bool restarts_at(struct diagnosis *d, size_t block, size_t n,
                        bool of_thread) {
    if (n > 2 * block)
        return shape_is(d, of_thread ? FACT(RESTARTS_THREAD, {V(block)})
                                     : FACT(RESTARTS_EVERY, {V(block)}));
    return shape_is(d, of_thread ? FACT(RESTARTS_AT_THREAD, {V(block)})
                                 : FACT(RESTARTS_AT, {V(block)}));
}

bool diagnose_window_shape(const struct scan_view *v, struct diagnosis *d) {
    size_t apart = scanned_apart((enum oracle)v->c->oracle);
    size_t own = v->c->oracle != ORACLE_tile_exclusive;
    size_t block = v->difference.first;
    if (!apart) return false;
    if (v->n == 1) return diagnose_alone(v->c, own, d);
    if (is_scan_of(v, apart, 1 - own))
        return shape_is(d, own ? FACT(EXCLUSIVE) : FACT(INCLUSIVE));
    if (v->n > apart && is_scan_of(v, SIZE_MAX, own))
        return shape_is(d, FACT(GOES_ON, {V(apart)}));
    if (block >= 2 && block < apart && apart % block == 0 &&
        is_scan_of(v, block, own))
        return restarts_at(d, block, v->n, !own && block < 32);
    for (size_t group = 1; own && group <= MOST_IN_GROUP; group *= 2)
        if (v->difference.count > 1 && ends_early(v, apart, group, d))
            return true;
    return false;
}

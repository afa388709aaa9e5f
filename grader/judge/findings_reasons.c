/* SPDX-License-Identifier: MIT
 *
 * findings_reasons.c: what stands behind a finding, where more is known than
 * its kind (finding_reasons.def): from what the device says of it, from its
 * other findings, launches and counts, and never from the text of a source.
 */
#include <string.h>

#include "findings_parts.h"
#include "oracle.h"

/* Does no thread store there? True only if racecheck was complete and saw no
 * store. */
static bool is_never_stored(const struct harness *h, const struct choice *c) {
    const struct vgpu_finding *found;
    const struct vgpu_incomplete *list;
    size_t n = vgpu_findings(h->vgpu, &found),
           n_incomplete = vgpu_incompletes(h->vgpu, &list);
    bool never = c->first->kind == VGPU_FINDING_UNINITIALISED &&
                 (h->settings.vgpu_checks & VGPU_CHECK_RACECHECK);
    for (size_t i = 0; i < n; i++) never = never && !is_race(&found[i]);
    for (size_t i = 0; i < n_incomplete; i++)
        never = never && !(list[i].check & VGPU_CHECK_RACECHECK);
    return never;
}

/* One statement reads and another writes, and the one that writes does so from
 * two threads: not what a barrier too few does to a scan in steps, where each
 * word has one writer. */
static bool is_shared_part(const struct harness *h,
                           const struct vgpu_finding *f) {
    const struct vgpu_finding *found;
    size_t n = vgpu_findings(h->vgpu, &found);
    bool is_overlap = false;
    if (f->kind != VGPU_FINDING_SHARED_RACE || f->writes == f->other_wrote)
        return false;
    const struct vgpu_source *write = f->writes ? &f->where : &f->other_where;
    for (size_t k = 0; k < n; k++)
        is_overlap = is_overlap || (found[k].kind == f->kind &&
                                    found[k].writes && found[k].other_wrote &&
                                    same_line(&found[k].where, write) &&
                                    same_line(&found[k].other_where, write));
    return is_overlap;
}

/* Did the call launch the finding's kernel more than once? */
static bool is_later_launch(const struct harness *h,
                            const struct vgpu_finding *f) {
    const struct vgpu_launch_record *records;
    size_t n = vgpu_launch_records(h->vgpu, &records), launches = 0;
    for (size_t i = 0; i < n && f->kernel; i++)
        launches +=
            records[i].kernel && strcmp(records[i].kernel, f->kernel) == 0;
    return launches > 1;
}

/* Of two threads of a block. */
static enum finding_reason reason_in_block(const struct vgpu_finding *f,
                                           bool one_line) {
    bool both_store = f->writes && f->other_wrote;
    if (!one_line || f->kind != VGPU_FINDING_SHARED_RACE)
        return one_line && both_store ? REASON_TWO_STORES : REASON_KIND;
    if (!both_store) return REASON_ONE_STATEMENT;
    return of_one_warp(f) ? REASON_TWO_STORES : REASON_TWO_WARPS;
}

/* The launch that was refused is no record. */
static enum finding_reason reason_of_empty(const struct harness *h) {
    const struct vgpu_launch_record *records;
    const struct lab_function *f = h->settings.function;
    size_t before = vgpu_launch_records(h->vgpu, &records), levels = 0;
    if (!h->n) return REASON_EMPTY_LAUNCH;
    if (!before) return REASON_EMPTY_GRID;
    while ((size_t)2 << levels <= h->n) levels++;
    bool is_tree = f && f->oracle == ORACLE_tree_swept_up &&
                   (h->n & (h->n - 1)) == 0; /* nothing was rounded */
    return is_tree && before < levels ? REASON_LEVELS_SKIPPED
                                      : REASON_EMPTY_LEVEL;
}

/* Of one element that goes to a place which the function computes. */
static bool is_one_place(const struct harness *h,
                         const struct vgpu_finding *f) {
    static const int places[] = {ORACLE_compact_nonzero, ORACLE_select_less,
                                 ORACLE_partition_less,  ORACLE_sort_digit,
                                 ORACLE_sort_u32,        ORACLE_sort_pairs};
    const struct lab_function *of = h->settings.function;
    bool of_output = f->stray != VGPU_STRAY_SHARED && !f->array_bytes;
    if (h->n != 1 || !of || !of_output) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (of->oracle == places[i]) return true;
    return false;
}

/* Of a call that names bytes outside of an array. */
static enum finding_reason reason_of_range(const struct harness *h,
                                           const struct vgpu_message *m) {
    enum { BYTES = 1, BYTE = 2, SIZE = 5 };
    uint64_t bytes = m->values[BYTES].number, size = m->values[SIZE].number;
    if (h->n && m->values[BYTE].number) return REASON_RANGE_SHIFTED;
    bool of_elements = h->n > 1 && size == h->n;
    return of_elements && bytes == size * sizeof(int32_t) ? REASON_ARRAY_BYTES
                                                          : REASON_KIND;
}

/* The reason of a finding about an index that leaves its array. */
static enum finding_reason reason_of_stray(const struct harness *h,
                                           const struct vgpu_finding *f) {
    static const enum finding_reason reasons[] = {
        [VGPU_STRAY_UNKNOWN] = REASON_KIND,
        [VGPU_STRAY_PRODUCT] = REASON_INDEX_PRODUCT,
        [VGPU_STRAY_UNSIGNED] = REASON_INDEX_UNSIGNED,
        [VGPU_STRAY_FAR] = REASON_INDEX_FAR,
        [VGPU_STRAY_NEGATIVE] = REASON_INDEX_NEGATIVE,
        [VGPU_STRAY_LOADED] = REASON_INDEX_LOADED,
        [VGPU_STRAY_BESIDE] = REASON_INDEX_BESIDE,
        [VGPU_STRAY_SHARED] = REASON_SHARED_SHORT};
    if (f->stray == VGPU_STRAY_LOADED && is_later_launch(h, f))
        return REASON_LATER_LAUNCH;
    if ((f->stray == VGPU_STRAY_UNKNOWN || f->stray == VGPU_STRAY_BESIDE) &&
        h->n > 1 && f->array_bytes == h->n)
        return REASON_ARRAY_BYTES;
    return is_one_place(h, f) ? REASON_ONE_PLACE : reasons[f->stray];
}

/* What calls of the runtime have set ends where a quarter of it would. */
static bool is_quarter_set(const struct harness *h,
                           const struct vgpu_finding *f) {
    enum { NEAR = 4, WORD = 4, LEAST = 8 }; /* WORD: a root is cleared, too */
    uint64_t counts[VGPU_N_COUNTERS], all = f->found_in;
    if (f->kind != VGPU_FINDING_UNINITIALISED || !all) return false;
    vgpu_counts(h->vgpu, counts);
    uint64_t set = counts[VGPU_COUNT_MEMSET_BYTES];
    for (uint64_t of = set; of >= LEAST && of + WORD >= set; of -= WORD) {
        uint64_t end = f->found_at + 3 * of;
        if (end + NEAR >= all && end <= all + NEAR) return true;
    }
    return false;
}

/* Threads read in one launch what others of it write, in a kernel that no
 * barrier divides, where a launch is a step. */
static bool is_own_target(const struct harness *h, const struct choice *c) {
    const struct vgpu_launch_record *records;
    const struct vgpu_finding *f = c->first;
    size_t n = vgpu_launch_records(h->vgpu, &records);
    bool barrier = !h->settings.function ||
                   h->settings.function->way != WAY_steps ||
                   f->kind != VGPU_FINDING_GLOBAL_RACE;
    for (size_t i = 0; i < n && f->kernel; i++)
        barrier |= records[i].counts[VGPU_COUNT_BARRIERS] > 0 &&
                   records[i].kernel &&
                   strcmp(records[i].kernel, f->kernel) == 0;
    return !barrier;
}

/* A negative number whose sign went on over the flag beside it; all ones may be
 * what memory was set to. */
static bool is_widened(const struct vgpu_finding *f) {
    return f->kind == VGPU_FINDING_DEADLOCK && f->word_bytes == 8 &&
           f->word >> 31 == 0x1ffffffffull && f->word != UINT64_MAX;
}

enum finding_reason findings_reason(const struct harness *h,
                                    const struct choice *c) {
    const struct vgpu_finding *f = c->first;
    if (c->early)
        return is_own_target(h, c) ? REASON_OWN_TARGET : REASON_READ_EARLY;
    if (f->message.id == VGPU_MESSAGE_PAST_RANGE)
        return reason_of_range(h, &f->message);
    if (f->waits_for_own) return REASON_WAITS_FOR_OWN;
    if (is_widened(f)) return REASON_SIGN_WIDENED;
    if (f->empty) return reason_of_empty(h);
    if (f->advances) return REASON_TOO_MUCH_WORK;
    if (f->before_array) return REASON_BEFORE_ARRAY;
    if (f->torn) return REASON_TORN;
    if (f->message.id == VGPU_MESSAGE_LANE_AWAY_ACTIVE)
        return REASON_ACTIVE_MASK;
    if (f->message.id == VGPU_MESSAGE_LANE_AWAY) return REASON_LANE_AWAY;
    if (is_quarter_set(h, f)) return REASON_MEMSET_BYTES;
    if (f->kind == VGPU_FINDING_UNINITIALISED && f->strong)
        return f->address < VGPU_ADDRESS_BASE ? REASON_SHARED_NOT_CLEARED
                                              : REASON_NOT_CLEARED;
    if (is_never_stored(h, c)) return REASON_NEVER_STORED;
    if (f->kind == VGPU_FINDING_OUT_OF_BOUNDS) return reason_of_stray(h, f);
    if (!is_race(f) || !f->has_other) return REASON_KIND;
    bool one_line = same_line(&f->where, &f->other_where);
    if (f->half_weak) return REASON_HALF_WEAK;
    if (f->same_array) return REASON_SAME_ARRAY;
    if (f->not_acquired) return REASON_NOT_ACQUIRED;
    if (!one_line && is_shared_part(h, f)) return REASON_SHARED_PART;
    /* Source and target of a step are one array. */
    if (!one_line && f->writes != f->other_wrote && is_own_target(h, c))
        return REASON_OWN_TARGET;
    if (memcmp(f->block, f->other_block, sizeof f->block) == 0)
        return reason_in_block(f, one_line);
    if (one_line && memcmp(f->thread, f->other_thread, sizeof f->thread) == 0)
        return REASON_SAME_NUMBER;
    if (one_line && f->writes && f->other_wrote) return REASON_OVERLAP;
    if (f->has_flags) return REASON_BESIDE_FLAG;
    if (f->writes != f->other_wrote && h->settings.in_place)
        return REASON_IN_PLACE;
    return f->writes != f->other_wrote ? REASON_OTHER_READS
                                       : REASON_OTHER_BLOCK;
}

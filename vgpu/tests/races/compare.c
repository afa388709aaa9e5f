/* SPDX-License-Identifier: MIT
 *
 * compare.c: racecheck's findings against the referee's races
 * (vgpu/tests/README.md, "What agreement means").
 */
#include <stdlib.h>

#include "referee.h"
#include "run.h"
#include "said.h"

enum { MOST_SAID = 2 };

static uint32_t thread_number(const struct program *p, const uint32_t block[3],
                              const uint32_t thread[3]) {
    return block[0] * p->n_warps * LANES + thread[0];
}

static enum space space_of(const struct vgpu_finding *f) {
    return f->kind == VGPU_FINDING_SHARED_RACE ? SPACE_shared : SPACE_global;
}

/* The word of a finding, as a race numbers it. */
static uint32_t word_of(const struct run *run, const struct vgpu_finding *f) {
    if (space_of(f) == SPACE_global)
        return (uint32_t)((f->address - run->words) / 4);
    return f->block[0] * WORDS + (uint32_t)(f->address / 4) % WORDS;
}

/* A copy belongs to its warp. A finding may name no other access: "which other
 * threads have read since". */
static bool is_race(const struct program *p, const struct run *run,
                    const struct vgpu_finding *f, const struct race *race) {
    uint32_t word = word_of(run, f);
    uint32_t other = thread_number(p, f->other_block, f->other_thread);
    return race->space == space_of(f) && race->word >= word &&
           race->word < word + (f->bytes + 3) / 4 + 1 &&
           race->op + FIRST_LINE == f->where.line &&
           (!f->has_other ||
            race->other_op + FIRST_LINE == f->other_where.line) &&
           race->thread == thread_number(p, f->block, f->thread) &&
           (!f->has_other || race->other_thread == other ||
            (p->ops[race->other_op].kind >= OP_copy &&
             race->other_thread / LANES == other / LANES));
}

/* It is at the line of the race's later access. */
static bool is_at(const struct vgpu_finding *f, const struct race *race) {
    return race->space == space_of(f) && race->op + FIRST_LINE == f->where.line;
}

/* The later access itself is: at this word, or at another one of its words. */
static bool is_of_access(const struct program *p, const struct run *run,
                         const struct vgpu_finding *f, const struct race *race,
                         const struct race *end) {
    const struct race *r = race;
    for (; r < end && r->order == race->order; r++)
        if (is_race(p, run, f, r)) return true;
    return false;
}

static bool is_reported(const struct program *p, const struct run *run,
                        const struct race *races, size_t n, size_t k) {
    while (k && races[k - 1].order == races[k].order) k--;
    for (size_t j = 0; j < run->n_findings; j++) {
        const struct vgpu_finding *f = &run->findings[j];
        if (!is_at(f, &races[k])) continue;
        if (f->repeats || is_of_access(p, run, f, &races[k], races + n))
            return true;
    }
    return false;
}

static void print_race(const struct program *p, const struct race *race,
                       FILE *why) {
    fprintf(why, "  %s word %u, launch %u:\n    thread %u, operation %u: ",
            race->space == SPACE_shared ? "shared" : "global", race->word,
            race->launch, race->thread, race->op);
    op_print(&p->ops[race->op], why);
    fprintf(why, "    after thread %u, operation %u: ", race->other_thread,
            race->other_op);
    op_print(&p->ops[race->other_op], why);
}

/* The words of which a race was met. */
struct met {
    bool words[MOST_LAUNCHES][N_SPACES][MOST_BLOCKS * WORDS];
};

/* Whether no race of the word had an earlier later access. */
static bool is_first(struct met *met, const struct race *r) {
    bool *was = &met->words[r->launch][r->space][r->word], first = !*was;
    *was = true;
    return first;
}

/* "The block has ended while this copy is on its way": it is true of a copy
 * that nobody has waited for. When a copy arrives is the schedule's choice, so
 * it need not be said. */
static bool is_left_alone(const struct program *p, const struct referee *r,
                          const struct vgpu_finding *f) {
    return !f->has_other &&
           !referee_was_waited_for(r, f->where.line - FIRST_LINE,
                                   thread_number(p, f->block, f->thread));
}

static bool all_true(const struct program *p, const struct run *run,
                     const struct referee *r, FILE *why) {
    const struct race *races;
    size_t n = referee_races(r, &races);
    bool good = true;
    unsigned said = 0;
    for (size_t k = 0; k < run->n_findings; k++) {
        const struct vgpu_finding *f = &run->findings[k];
        size_t j = 0;
        while (j < n && !is_race(p, run, f, &races[j])) j++;
        if (j < n || is_left_alone(p, r, f)) continue;
        good = false;
        if (++said > MOST_SAID) continue;
        fprintf(why,
                "racecheck reports what is no race (word %u): block %u "
                "thread %u line %u, other block %u thread %u line %u\n"
                "  %s\n",
                word_of(run, f), f->block[0], f->thread[0], f->where.line,
                f->other_block[0], f->other_thread[0], f->other_where.line,
                said_by(f));
    }
    return good;
}

static void note(struct seen *seen, const struct race *race) {
    uint32_t a = race->op, b = race->other_op;
    seen->pairs[a < b ? a : b][a < b ? b : a] = true;
}

bool compare(const struct program *p, const struct run *run, struct seen *seen,
             FILE *why) {
    const struct race *races;
    struct rules rules = {
        .global = run->words, .reads_return = run->reads_return, .sc = run->sc};
    struct referee *r = referee_new(p, &run->events, rules);
    size_t n = referee_races(r, &races);
    if (referee_gave_up(r)) {
        seen->too_long++;
        referee_free(r);
        return true;
    }
    bool good = all_true(p, run, r, why);
    unsigned said = 0;
    struct met *met = calloc(1, sizeof *met);
    if (!met) exit(2);
    for (size_t k = 0; k < n; k++) {
        note(seen, &races[k]);
        if (races[k].need_not || !is_first(met, &races[k])) continue;
        seen->words++;
        if (is_reported(p, run, races, n, k)) continue;
        good = false;
        if (++said > MOST_SAID) continue;
        fprintf(why, "racecheck does not report a race\n");
        print_race(p, &races[k], why);
    }
    free(met);
    referee_free(r);
    return good;
}

/* SPDX-License-Identifier: MIT
 *
 * test_suspects.c: which lines are shown of a failure: by the run, by those
 * that passed, and by the text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose_lines.h"
#include "spots.h"
#include "suspects.h"
#include "text.h"
#include "unit.h"

static const char source[] =
    "__device__ int part(int *in, int i) {\n" /* 1 */
    "    int sum = 0;\n"
    "    for (int k = 0; k < i; k++)\n" /* 3 */
    "        sum += in[k];\n"
    "    return sum;\n" /* 5 */
    "}\n"
    "__device__ int wide(int *in, int i) {\n" /* 7 */
    "    int sum = in[0];\n"
    "    sum += in[2 * i];\n" /* 9 */
    "    return sum;\n"
    "}\n" /* 11 */
    "__global__ void scan(int *in, int *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" /* 13 */
    "    if (i >= n) return;\n"
    "    if (n > 32)\n" /* 15 */
    "        out[i] = wide(in, i);\n"
    "    else\n" /* 17 */
    "        out[i] = part(in, i);\n"
    "}\n" /* 19 */
    "cudaError_t naive(int *in, int *out, int n) {\n"
    "    if (n >= 4096) return cudaErrorInvalidValue;\n" /* 21 */
    "    int blocks = n / 256;\n"
    "    scan<<<blocks,\n" /* 23 */
    "           256>>>(in, out, n);\n"
    "    return cudaGetLastError();\n" /* 25 */
    "}\n";

static struct lab_function function = {.symbol = "naive"};
static const bool works[1] = {false};
static struct lab lab = {.folder = "/nowhere",
                         .source = "naive.cu",
                         .functions = &function,
                         .n_functions = 1};

static const char *text_of(const void *user, const char *file) {
    (void)file;
    return user;
}

struct marks {
    uint8_t of[RAN_LINES];
};

static void mark(struct marks *m, unsigned from, unsigned to, uint8_t what) {
    for (unsigned k = from; k <= to; k++) m->of[k] = what;
}

/* Fills o's lines, and frees nothing of it. */
static void look(struct outcome *o, const char *text,
                 const struct ran_lines *passed) {
    const struct measured m = {0};
    const struct choose_from from = {.lab = &lab,
                                     .text_of = text_of,
                                     .user = text,
                                     .works = works,
                                     .passed = passed};
    o->tried.function = &function;
    assert_true(choose_lines(&from, &m, o));
}

/* Where a line stands among those that are shown; 100: nowhere. */
static size_t place_of(const struct outcome *o, unsigned line) {
    for (size_t i = 0; i < o->n_chosen; i++)
        if (o->chosen[i].line == line) return i;
    return 100;
}

static void forget(struct outcome *o) {
    for (size_t i = 0; i < o->n_chosen; i++) free(o->chosen[i].file);
}

TEST(what_ran_here_alone_comes_before_what_ran_in_cases_that_passed) {
    static struct marks ran, before;
    struct diagnosis wrong = {.n_got = SIZE_MAX};
    struct outcome o = {
        .kind = OUTCOME_DIFFERENCE, .difference = &wrong, .ran.marks = ran.of};
    mark(&ran, 8, 10, RAN_COULD | RAN_DID);
    mark(&ran, 2, 5, RAN_COULD);
    mark(&ran, 13, 16, RAN_COULD | RAN_DID);
    mark(&before, 2, 5, 7);
    mark(&before, 13, 15, 7);
    mark(&before, 18, 18, 7);
    look(&o, source, &(struct ran_lines){before.of});
    assert_true(place_of(&o, 9) < 6);
    assert_true(place_of(&o, 9) < place_of(&o, 4));
    assert_true(place_of(&o, 9) < place_of(&o, 13));
    forget(&o);
}

TEST(who_returns_an_error_is_shown_for_it) {
    struct outcome o = {.kind = OUTCOME_FACT,
                        .facts[0].row = FACT_RETURNED_ERROR,
                        .n_facts = 1};
    look(&o, source, NULL);
    assert_true(place_of(&o, 21) < 4);
    forget(&o);
}

TEST(the_place_itself_comes_first_and_a_statement_is_shown_whole) {
    struct finding refused = {.kind = VGPU_FINDING_BAD_LAUNCH};
    struct outcome o = {.kind = OUTCOME_FINDING,
                        .finding = &refused,
                        .place = {.file = "naive.cu", .line = 23}};
    look(&o, source, NULL);
    assert_int_equal(place_of(&o, 23), 0);
    assert_int_equal(o.chosen[0].kind, SPOT_HERE);
    assert_true(place_of(&o, 22) < 6); /* gives it its blocks */
    assert_true(place_of(&o, 24) < 9);
    assert_int_equal(o.chosen[place_of(&o, 24)].kind, SPOT_SAME);
    forget(&o);
}

TEST(few_lines_are_shown) {
    struct diagnosis wrong = {.n_got = SIZE_MAX};
    struct outcome o = {.kind = OUTCOME_DIFFERENCE, .difference = &wrong};
    look(&o, source, NULL);
    assert_in_range(o.n_chosen, 4, 11);
    forget(&o);
}

TEST(of_what_is_not_written_yet_nothing_is_suspected) {
    struct outcome o = {.kind = OUTCOME_FACT,
                        .facts[0].row = FACT_NOT_IMPLEMENTED,
                        .n_facts = 1};
    look(&o, source, NULL);
    assert_int_equal(o.n_chosen, 0);
    forget(&o);
}

TEST(given_lines_are_no_suspects) {
    static const bool given[27] = {[9] = true, [16] = true};
    struct related_file f;
    struct suspect to[32];
    struct outcome o = {.kind = OUTCOME_DIFFERENCE,
                        .tried.function = &function};
    assert_true(related_open(source, &f));
    const struct suspects_ask ask = {
        .file = &f, .outcome = &o, .given = given, .n_given = 27};
    size_t n = suspects_rank(&ask, to, 32);
    double sum = 0;
    assert_true(n > 10 && n < 32);
    for (size_t i = 0; i < n; i++) {
        assert_true(to[i].line != 9 && to[i].line != 16);
        assert_true(!i || to[i].share <= to[i - 1].share);
        sum += to[i].share;
    }
    assert_true(sum > 0.999 && sum < 1.001);
    related_close(&f);
}

/* "decides whether it runs" stands beside conditions and loops alone. */
TEST(words_are_true_of_the_line_that_they_stand_beside) {
    struct finding refused = {.kind = VGPU_FINDING_OUT_OF_BOUNDS};
    struct outcome o = {.kind = OUTCOME_FINDING,
                        .finding = &refused,
                        .place = {.file = "naive.cu", .line = 4}};
    size_t decide = 0;
    look(&o, source, NULL);
    for (size_t i = 0; i < o.n_chosen; i++) {
        unsigned line = o.chosen[i].line;
        if (o.chosen[i].kind != SPOT_CONDITION) continue;
        assert_true(line == 3 || line == 14 || line == 15 || line == 21);
        decide++;
    }
    assert_true(decide > 0);
    forget(&o);
}

/* A name for a number that is at hand anyway: line 13 has no instruction. How
 * much more suspicious it is than the host's line 22. */
static double more_than_the_host(uint8_t *marks) {
    struct related_file f;
    struct suspect to[32];
    struct outcome o = {.kind = OUTCOME_DIFFERENCE,
                        .tried.function = &function,
                        .ran.marks = marks};
    double share = 0, other = 1;
    assert_true(related_open(source, &f));
    const struct suspects_ask ask = {.file = &f, .outcome = &o};
    size_t n = suspects_rank(&ask, to, 32);
    for (size_t i = 0; i < n; i++) {
        if (to[i].line == 13) share = to[i].share;
        if (to[i].line == 22) other = to[i].share;
    }
    related_close(&f);
    return share / other;
}

TEST(what_has_no_instruction_runs_with_what_stands_beside_it) {
    static struct marks ran;
    mark(&ran, 14, 15, RAN_COULD | RAN_DID);
    assert_true(more_than_the_host(ran.of) > 2 * more_than_the_host(NULL));
}

/* How much more suspicious than line 13. */
static double more_in_a_deadlock(const char *schedule, unsigned line) {
    const struct suspect_seed seed = {SPOT_HERE, 9};
    struct finding stuck = {.kind = VGPU_FINDING_DEADLOCK};
    struct related_file f;
    struct suspect to[32];
    struct outcome o = {.kind = OUTCOME_FINDING,
                        .finding = &stuck,
                        .tried.function = &function};
    double share = 0, other = 0;
    snprintf(o.tried.schedule, sizeof o.tried.schedule, "%s", schedule);
    assert_true(related_open(source, &f));
    const struct suspects_ask ask = {
        .file = &f, .outcome = &o, .seeds = &seed, .n_seeds = 1};
    size_t n = suspects_rank(&ask, to, 32);
    for (size_t i = 0; i < n; i++) {
        if (to[i].line == line) share = to[i].share;
        if (to[i].line == 13) other = to[i].share;
    }
    related_close(&f);
    assert_true(other > 0);
    return share / other;
}

/* Blocks wait for those that cannot start: there are too many. */
TEST(of_a_deadlock_in_reverse_what_makes_the_grid_is_suspected) {
    double reverse = more_in_a_deadlock("reverse", 22);
    assert_true(reverse > 4 * more_in_a_deadlock("in-order", 22));
}

static const char links[] =
    "struct board { int places; };\n" /* 1 */
    "__global__ void sam(struct board b, int *out) {\n"
    "    __shared__ int parts[4][8];\n" /* 3 */
    "    int lane = threadIdx.x;\n"
    "    int other = lane + 1;\n" /* 5 */
    "    parts[0][lane] = other;\n"
    "    out[lane % b.places] = parts[0][lane];\n" /* 7 */
    "}\n"
    "cudaError_t naive(int *out) {\n" /* 9 */
    "    struct board b;\n"
    "    int threads = 32;\n" /* 11 */
    "    b.places = 20;\n"
    "    sam<<<1, threads>>>(b, out);\n" /* 13 */
    "    return cudaGetLastError();\n"
    "}\n";

/* Two blocks use one word: what its index is made of, in any function. */
TEST(of_a_race_what_sets_a_part_of_the_index_is_shown) {
    struct finding race = {.kind = VGPU_FINDING_GLOBAL_RACE};
    struct outcome o = {.kind = OUTCOME_FINDING,
                        .finding = &race,
                        .place = {.file = "naive.cu", .line = 7}};
    look(&o, links, NULL);
    assert_true(place_of(&o, 12) < 4);
    assert_true(place_of(&o, 12) < place_of(&o, 11));
    forget(&o);
}

/* x[0][lane] = ... sets x. */
TEST(of_a_word_that_nobody_wrote_who_writes_its_array_is_shown) {
    struct finding unwritten = {.kind = VGPU_FINDING_UNINITIALISED};
    struct outcome o = {.kind = OUTCOME_FINDING,
                        .finding = &unwritten,
                        .place = {.file = "naive.cu", .line = 7}};
    look(&o, links, NULL);
    assert_true(place_of(&o, 6) < 4);
    forget(&o);
}

/* Whoever writes a file decides how long it is. */
TEST(any_file_is_looked_through_in_time) {
    enum { MANY = 30000 };
    struct text text = {0};
    struct diagnosis wrong = {.n_got = SIZE_MAX};
    struct outcome o = {.kind = OUTCOME_DIFFERENCE,
                        .difference = &wrong,
                        .place = {.file = "naive.cu", .line = 2}};
    text_add(&text, "int naive() {\n");
    for (int i = 0; i < MANY; i++) text_add(&text, "if (a) b = c + d;\n");
    text_add(&text, "}\n");
    look(&o, text.bytes, NULL);
    assert_true(o.n_chosen > 0);
    forget(&o);
    text_free(&text);
}

UNIT_MAIN(NULL, NULL)

/* ---- counts ---- */

static void look_at_count(struct outcome *o, int counter) {
    const struct lab_bound bound = {.counter = counter};
    struct bound_count count = {
        .bound = &bound, .count = 9, .limit = 3, .known = true};
    const struct measured m = {.bounds = &count, .n_bounds = 1};
    const struct choose_from from = {
        .lab = &lab, .text_of = text_of, .user = source, .works = works};
    o->kind = OUTCOME_BOUND;
    o->tried.function = &function;
    o->makers[0] = (char *)"void scan<int>(int *, int *, int)";
    o->launches_matter = true;
    assert_true(choose_lines(&from, &m, o));
}

TEST(too_many_threads_are_those_of_the_launch_and_of_the_first_condition) {
    struct outcome o = {0};
    look_at_count(&o, VGPU_COUNT_THREADS);
    assert_int_equal(place_of(&o, 23), 0);
    assert_int_equal(o.chosen[0].kind, SPOT_COSTLY);
    assert_int_equal(o.chosen[place_of(&o, 14)].kind, SPOT_IDLE);
    forget(&o);
}

TEST(too_many_launches_leave_no_thread_without_work) {
    struct outcome o = {0};
    look_at_count(&o, VGPU_COUNT_LAUNCHES);
    assert_int_equal(place_of(&o, 23), 0);
    for (size_t i = 0; i < o.n_chosen; i++)
        assert_int_not_equal(o.chosen[i].kind, SPOT_IDLE);
    forget(&o);
}

/* ---- sums that parts take over ---- */

static const char walking[] =
    "__device__ int look(const volatile int *words, int part) {\n" /* 1 */
    "    int before = 0, word = 0;\n"
    "    for (int at = part - 1; at >= 0; at -= 31) {\n" /* 3 */
    "        while (word == 0)\n"
    "            word = ((const volatile int *)words)[at];\n" /* 5 */
    "        before += word;\n"
    "    }\n" /* 7 */
    "    return before;\n"
    "}\n" /* 9 */
    "__global__ void scan(int *in, int *out, int *words, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" /* 11 */
    "    int before = look(words, blockIdx.x);\n"
    "    for (int k = 0; k < n; k++) out[i] += in[k];\n" /* 13 */
    "    out[i] += before;\n"
    "}\n" /* 15 */
    "void naive(int *in, int *out, int n) {\n"
    "    scan<<<n / 256, 256>>>(in, out, out, n);\n" /* 17 */
    "}\n";

static size_t place_of_walk(enum fact_row shape) {
    struct diagnosis wrong = {.n_got = SIZE_MAX, .shape.row = shape};
    struct outcome o = {.kind = OUTCOME_DIFFERENCE, .difference = &wrong};
    look(&o, walking, NULL);
    size_t place = place_of(&o, 3);
    forget(&o);
    return place;
}

TEST(who_takes_over_a_sum_twice_goes_from_part_to_part_wrongly) {
    assert_true(place_of_walk(FACT_CARRY_AGAIN) < 4);
    assert_true(place_of_walk(FACT_CARRY_AGAIN) < place_of_walk(FACT_WINDOW));
}

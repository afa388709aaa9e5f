/* SPDX-License-Identifier: MIT
 *
 * test_grade.c: judge_grade: parents, filters, seeds, set-up errors, on a lab
 * made for the test.
 */
#include <stdint.h>
#include <unistd.h>

#include "judge.h"
#include "report.h"
#include "words.h"
#include "workshop.h"
#include "unit.h"

#define TOY_CHILD                                                              \
    "[check child]\nkind = correct\ntitle = Child\npoints = 5\n"               \
    "parent = any\nfunction = scan\nsizes = 2 1000\ninputs = random\n"         \
    "repeat = 3\n"                                                             \
    "cause = Something.\nread = README.md#idea\nhint = Think.\n"

static const struct judge_options standard = {
    .root = WORK_FOLDER,
    .submission = WORK_FOLDER "/student",
    .build_folder = WORK_FOLDER "/build",
    .device = "vgpu",
    .seed = 42};

static int grade_with(const struct judge_options *o, struct lab *lab,
                      struct grade *g) {
    char error[JUDGE_ERROR_BYTES] = "";
    int failed = judge_grade(o, &lab, 1, g, error);
    if (failed) print_message("told: %s\n", error);
    return failed;
}

TEST(right_solution_gets_all) {
    struct lab *lab = make_workshop(TOY_CHECK TOY_CHILD, TOY_RIGHT);
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    assert_int_equal(g.score, 15);
    assert_int_equal(g.max_score, 15);
    assert_int_equal(g.labs[0].checks[0].outcome.kind, OUTCOME_NONE);
    grade_free(&g);
    lab_free(lab);
}

TEST(failed_parent_skips_the_child_with_its_name) {
    struct lab *lab = make_workshop(
        TOY_CHECK TOY_CHILD,
        "#include \"toy.h\"\nint toy_scan(const int32_t *in, int32_t *out,"
        "size_t n) { for (size_t i = 0; i < n; i++) out[i] = in[i]; "
        "return 0; }\n");
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct check_result *c = g.labs[0].checks;
    assert_int_equal(g.score, 0);
    assert_int_equal(c[0].status, STATUS_FAIL);
    assert_int_equal(c[0].outcome.kind, OUTCOME_DIFFERENCE);
    assert_int_equal(c[0].outcome.tried.n, 33);
    assert_int_equal(c[0].outcome.difference->first, 1);
    assert_int_equal(c[0].outcome.difference->shape.row, FACT_COPIES_INPUT);
    const struct window *w = &c[0].outcome.difference->window;
    assert_memory_equal(w->in, w->got, w->n_got * sizeof *w->got);
    assert_int_equal(w->n_expected, WINDOW);
    char *again = words_reproduce(&g, &g.labs[0], &c[0]);
    assert_non_null(strstr(again, "grade toy --check any --seed 42"));
    assert_non_null(strstr(again, "-n 33"));
    free(again);
    assert_int_equal(c[1].status, STATUS_SKIP);
    assert_int_equal(c[1].outcome.facts[0].row, FACT_NEEDS);
    assert_string_equal(c[1].outcome.facts[0].values[0].text, "any");
    grade_free(&g);
    lab_free(lab);
}

/* Right for every n but 1, which is two of any's five points. */
#define TOY_NOT_ONE                                                            \
    "#include \"toy.h\"\n"                                                     \
    "int toy_scan(const int32_t *in, int32_t *out, size_t n) {\n"              \
    "    uint32_t s = 0;\n"                                                    \
    "    for (size_t i = 0; i < n; i++)\n"                                     \
    "        out[i] = (int32_t)(s += (uint32_t)in[i]);\n"                      \
    "    if (n == 1) out[0]++;\n"                                              \
    "    return 0;\n"                                                          \
    "}\n"
#define TOY_GROUPS                                                             \
    "[check any]\nkind = correct\ntitle = Any\npoints = 5\n"                   \
    "function = scan\nsizes = edges 2: 0 1 2\n  more 3: 33 100..4096\n"        \
    "large = 20000\ninputs = random\n"                                         \
    "cause = Something.\nread = README.md#idea\nhint = Think.\n"

TEST(a_group_that_fails_costs_its_points_alone) {
    struct lab *lab = make_workshop(TOY_GROUPS TOY_CHILD, TOY_NOT_ONE);
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct check_result *c = g.labs[0].checks;
    assert_int_equal(c[0].status, STATUS_FAIL);
    assert_int_equal(c[0].score, 3);
    assert_int_equal(c[0].outcome.tried.n, 1);
    assert_int_equal(c[0].n_groups, 2);
    assert_true(c[0].groups[0].failed && !c[0].groups[1].failed);
    assert_int_equal(c[0].groups[0].tried.n, 1);
    char *lost = words_lost(&c[0]);
    assert_string_equal(lost, "2 of 5 points: edges (2, at n = 1)");
    free(lost);
    /* It earned something, so its child may say something new. */
    assert_int_equal(c[1].status, STATUS_PASS);
    assert_int_equal(g.score, 8);
    grade_free(&g);
    lab_free(lab);
}

/* Of a check of counts without groups: which rule took the points? */
TEST(counts_of_a_wrong_answer_are_said_to_be_lost) {
    static const struct {
        enum check_kind kind;
        const char *schedule, *lost;
        int score;
    } rows[] = {
        {CHECK_EFFICIENT, "reverse",
         "4 of 4 points: the answer at n = 33 is wrong under schedule reverse, "
         "and a bound asks for the right one in that order, too",
         0},
        {CHECK_EFFICIENT, "in-order",
         "4 of 4 points: the answer at n = 33 is wrong, and a bound asks for "
         "the right one",
         0},
        {CHECK_EFFICIENT, "reverse",
         "3 of 4 points: the call at n = 33 goes wrong, and earns half of "
         "what its counts would earn",
         1},
        {CHECK_CORRECT, "reverse", NULL, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnosis wrong = {0};
        const struct lab_check check = {.kind = rows[i].kind, .points = 4};
        struct check_result r = {
            .check = &check,
            .status = STATUS_FAIL,
            .score = rows[i].score,
            .outcome = {.tried = {.n = 33}, .difference = &wrong}};
        snprintf(r.outcome.tried.schedule, sizeof r.outcome.tried.schedule,
                 "%s", rows[i].schedule);
        char *lost = words_lost(&r);
        if (rows[i].lost)
            assert_string_equal(lost, rows[i].lost);
        else
            assert_null(lost);
        free(lost);
    }
}

TEST(large_sizes_run_where_they_are_asked_for) {
    struct lab *lab = make_workshop(
        TOY_GROUPS, "#include \"toy.h\"\nint toy_scan(const int32_t *in, "
                    "int32_t *out, size_t n) { uint32_t s = 0; for (size_t i = "
                    "0; i < n; i++) out[i] = (int32_t)(s += (uint32_t)in[i]); "
                    "if (n == 20000) out[7]++; return 0; }\n");
    struct judge_options o = standard;
    struct grade g;
    assert_int_equal(grade_with(&o, lab, &g), 0);
    assert_int_equal(g.score, 5);
    grade_free(&g);
    o.large = true;
    assert_int_equal(grade_with(&o, lab, &g), 0);
    assert_int_equal(g.labs[0].checks[0].outcome.tried.n, 20000);
    assert_int_equal(g.score, 2); /* of the last group */
    grade_free(&g);
    lab_free(lab);
}

/* child calls a function of its own: whatever becomes of its parent, it runs.
 */
TEST(a_check_of_another_function_runs) {
    struct lab *lab = make_workshop(
        "[function other]\nsymbol = toy_scan\nsignature = scan\n"
        "oracle = exclusive_sum\n"
        "[check any]\nkind = correct\ntitle = Any\npoints = 5\n"
        "function = other\nsizes = 33\ninputs = random\n" TOY_CHILD,
        TOY_RIGHT);
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct check_result *c = g.labs[0].checks;
    assert_int_equal(c[0].status, STATUS_FAIL);
    assert_int_equal(c[0].score, 0);
    assert_int_equal(c[1].status, STATUS_PASS);
    grade_free(&g);
    lab_free(lab);
}

TEST(a_seed_draws_the_same_sizes) {
    struct lab *lab = make_workshop(
        "[check any]\nkind = correct\ntitle = Any\npoints = 5\n"
        "function = scan\nsizes = 100..1000\ninputs = random\n",
        "#include \"toy.h\"\nint toy_scan(const int32_t *in, int32_t *out, "
        "size_t n) { (void)in, (void)out, (void)n; return 0; }\n");
    size_t seen[3];
    for (int i = 0; i < 3; i++) {
        struct judge_options o = standard;
        struct grade g;
        o.seed = i == 1 ? 43 : 42;
        assert_int_equal(grade_with(&o, lab, &g), 0);
        seen[i] = g.labs[0].checks[0].outcome.tried.n;
        assert_true(seen[i] >= 100 && seen[i] <= 1000);
        grade_free(&g);
    }
    assert_int_equal(seen[0], seen[2]);
    assert_int_not_equal(seen[0], seen[1]);
    lab_free(lab);
}

TEST(todo_fails_as_not_implemented) {
    struct lab *lab = make_workshop(
        TOY_CHECK, "#include \"toy.h\"\nint toy_scan(const int32_t *in, "
                   "int32_t *out, size_t n) { (void)in, (void)out, (void)n; "
                   "return 31; }\n");
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct outcome *o = &g.labs[0].checks[0].outcome;
    assert_int_equal(o->facts[0].row, FACT_NOT_IMPLEMENTED);
    assert_string_equal(o->facts[0].values[0].text, "toy_scan");
    grade_free(&g);
    lab_free(lab);
}

/* What is known of a failure contains the input: alone or among others, a case
 * must see the same. */
TEST(filters_keep_a_cases_input) {
    struct lab *lab = make_workshop(
        TOY_CHECK TOY_CHILD,
        "#include \"toy.h\"\nint toy_scan(const int32_t *in, int32_t *out,"
        "size_t n) { uint32_t s = 0; for (size_t i = 0; i < n; i++) "
        "out[i] = (int32_t)(s += (uint32_t)in[i]); if (n > 500) out[400]++; "
        "return 0; }\n");
    struct grade whole, alone;
    struct judge_options o = standard;
    assert_int_equal(grade_with(&o, lab, &whole), 0);
    o.check = "child";
    o.has_n = true;
    o.n = 1000;
    assert_int_equal(grade_with(&o, lab, &alone), 0);
    assert_int_equal(alone.labs[0].n_checks, 1);
    assert_int_equal(whole.labs[0].checks[1].status, STATUS_FAIL);
    const struct diagnosis *d = whole.labs[0].checks[1].outcome.difference;
    const struct diagnosis *e = alone.labs[0].checks[0].outcome.difference;
    assert_int_equal(d->first, 400);
    assert_memory_equal(&d->window, &e->window, sizeof d->window);
    grade_free(&whole);
    grade_free(&alone);
    lab_free(lab);
}

TEST(broken_file_costs_its_lab) {
    struct lab *lab = make_workshop(TOY_CHECK, "not C\n");
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    assert_int_equal(g.score, 0);
    assert_non_null(strstr(g.labs[0].build_error, "toy.c:1"));
    assert_int_equal(g.labs[0].checks[0].outcome.facts[0].row,
                     FACT_NOT_COMPILED);
    grade_free(&g);
    lab_free(lab);
}

/* Also those of a library that lies in the cache. */
TEST(warnings_are_kept) {
    struct lab *lab = make_workshop(
        TOY_CHECK,
        "#include \"toy.h\"\nint toy_scan(const int32_t *in, int32_t *out,"
        "size_t n) { int idle; (void)in, (void)out, (void)n; return 0; }\n");
    for (int i = 0; i < 2; i++) {
        struct grade g;
        assert_int_equal(grade_with(&standard, lab, &g), 0);
        assert_non_null(g.labs[0].warnings);
        assert_non_null(strstr(g.labs[0].warnings, "idle"));
        assert_null(strstr(g.labs[0].warnings, WORK_FOLDER));
        grade_free(&g);
    }
    lab_free(lab);
    struct grade g;
    lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    assert_null(g.labs[0].warnings);
    grade_free(&g);
    lab_free(lab);
}

/* Nobody waits for the same loop twice; what is right is graded all the same.
 */
TEST(one_late_check_is_enough) {
    struct lab *lab = make_workshop(
        "[check first]\nkind = correct\ntitle = First\npoints = 50\n"
        "function = scan\nsizes = 100\ninputs = random\n"
        "[check second]\nkind = correct\ntitle = Second\npoints = 30\n"
        "function = scan\nsizes = 100\ninputs = random\n"
        "[check small]\nkind = correct\ntitle = Small\npoints = 20\n"
        "function = scan\nsizes = 1\ninputs = random\n",
        "#include \"toy.h\"\nint toy_scan(const int32_t *in, int32_t *out,"
        "size_t n) { for (volatile int k = 0; n > 50; k++) {} "
        "out[0] = in[0]; return 0; }\n");
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct check_result *c = g.labs[0].checks;
    assert_int_equal(c[0].outcome.facts[0].row, FACT_LATE);
    assert_int_equal(c[1].status, STATUS_SKIP);
    assert_int_equal(c[1].outcome.facts[0].row, FACT_LATE_AGAIN);
    assert_int_equal(c[2].status, STATUS_PASS);
    assert_int_equal(g.score, 20);
    grade_free(&g);
    lab_free(lab);
}

#define TOY_BUSY                                                               \
    "#include \"toy.h\"\n#include <time.h>\n"                                  \
    "static void work(clock_t ms) { clock_t end = clock() + ms * "             \
    "(CLOCKS_PER_SEC / 1000); while (clock() < end) {} }\n"                    \
    "int toy_scan(const int32_t *in, int32_t *out, size_t n) {"                \
    " uint32_t sum = 0; "
#define TOY_SUM                                                                \
    " for (size_t i = 0; i < n; i++)"                                          \
    " out[i] = (int32_t)(sum += (uint32_t)in[i]); return 0; }\n"

/* One of two cases waits while the other takes long: that time is not its own.
 */
TEST(long_cases_have_their_time_each) {
    struct lab *lab =
        make_workshop("[check any]\nkind = correct\ntitle = Any\npoints = 10\n"
                      "function = scan\nsizes = 30 31 32 33\ninputs = random\n",
                      TOY_BUSY "work(600);" TOY_SUM);
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    assert_int_equal(g.labs[0].checks[0].status, STATUS_PASS);
    grade_free(&g);
    lab_free(lab);
}

/* The case that waited is ended by the one before it, whose message stands. */
TEST(the_first_case_decides_beside_a_long_one) {
    struct lab *lab =
        make_workshop("[check any]\nkind = correct\ntitle = Any\npoints = 10\n"
                      "function = scan\nsizes = 30 31\ninputs = random\n",
                      TOY_BUSY "if (n == 30) work(600); while (n == 31) {} "
                               "if (n == 30) sum = 1;" TOY_SUM);
    struct grade g;
    assert_int_equal(grade_with(&standard, lab, &g), 0);
    const struct check_result *c = &g.labs[0].checks[0];
    assert_int_equal(c->status, STATUS_FAIL);
    assert_int_equal(c->outcome.kind, OUTCOME_DIFFERENCE);
    assert_int_equal(c->outcome.tried.n, 30);
    grade_free(&g);
    lab_free(lab);
}

TEST(what_the_grades_time_does_not_reach_says_so) {
    struct lab *lab = make_workshop(
        TOY_CHECK TOY_CHILD,
        "#include \"toy.h\"\n#include <unistd.h>\n"
        "int toy_scan(const int32_t *in, int32_t *out, size_t n) {"
        " uint32_t sum = 0; usleep(700000);"
        " for (size_t i = 0; i < n; i++)"
        " out[i] = (int32_t)(sum += (uint32_t)in[i]); return 0; }\n");
    struct judge_options o = standard;
    struct grade g;
    o.time_limit_s = 1;
    assert_int_equal(grade_with(&o, lab, &g), 0);
    const struct check_result *c = &g.labs[0].checks[1];
    assert_int_equal(c->status, STATUS_SKIP);
    assert_int_equal(c->outcome.facts[0].row, FACT_NOT_REACHED);
    assert_int_equal(c->score, 0);
    grade_free(&g);
    lab_free(lab);
}

TEST(set_up_errors_are_told) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    struct grade g;
    char error[JUDGE_ERROR_BYTES];
    struct judge_options o = standard;
    o.submission = WORK_FOLDER "/nowhere";
    assert_int_not_equal(judge_grade(&o, &lab, 1, &g, error), 0);
    assert_non_null(strstr(error, "nowhere"));
    o = standard;
    o.build_folder = WORK_FOLDER "/student";
    assert_int_not_equal(judge_grade(&o, &lab, 1, &g, error), 0);
    assert_non_null(strstr(error, "the runner is missing"));
    const char *const ids[] = {"other"};
    o = standard;
    o.labs = ids;
    o.n_labs = 1;
    assert_int_not_equal(judge_grade(&o, &lab, 1, &g, error), 0);
    lab_free(lab);
}

UNIT_MAIN(NULL, NULL)

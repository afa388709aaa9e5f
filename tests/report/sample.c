/* SPDX-License-Identifier: MIT
 *
 * sample.c: see sample.h. The numbers are those of real runs.
 */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static char *copy(const char *text) {
    return text ? strdup(text) : NULL;
}

/* ---- labs ---- */
static char *hints[] = {(char *)"Do n = 4 by hand.", (char *)"Two buffers."};
#define CHECK(kind_, id_, title_, points_, parent_, ...)                       \
    {                                                                          \
        .id = (char *)(id_), .title = (char *)(title_), .kind = CHECK_##kind_, \
        .points = (points_), .parent = (parent_), .hints = hints,              \
        .n_hints = CHECK_##kind_ == CHECK_CORRECT ? 2 : 0, __VA_ARGS__         \
    }
#define SEE(cause_, read_) .cause = (char *)(cause_), .read = (char *)(read_)

static struct lab_group groups[] = {
    {.name = (char *)"edges", .points = 5, .inputs = -1},
    {.name = (char *)"one block", .points = 15, .inputs = -1},
};
static struct lab_check cpu_checks[] = {
    CHECK(CORRECT, "inclusive", "Inclusive scan", 60, -1, ),
    CHECK(CORRECT, "threads", "Two passes on several threads", 40, 0, ),
    CHECK(FAST, "speed-threads", "Two passes against a serial loop", 0, 1, ),
};
static struct lab_check naive_checks[] = {
    CHECK(CORRECT, "tiny", "A handful of elements", 15, -1, ),
    CHECK(CORRECT, "one-block", "Around warps and blocks", 20, 0,
          SEE("A step must read one buffer and write the other.",
              "README.md#two-buffers")),
    CHECK(CORRECT, "any-size", "Any size", 30, 1, ),
    CHECK(CLEAN, "clean", "No stray, unset or lost memory", 15, 0,
          SEE("Reading before the start or past the end, reading an element "
              "nobody wrote, or scratch that is never freed.",
              "README.md#what-is-graded")),
    CHECK(EFFICIENT, "launches", "One launch per step", 20, 1, ),
};
static struct lab_check efficient_checks[] = {
    CHECK(CORRECT, "powers-of-two", "Powers of two", 50, -1, ),
    CHECK(CORRECT, "any-size", "Any size", 50, 0, ),
};

#define LAB(number_, id_, title_, source_, checks_)                            \
    {                                                                          \
        .folder = (char *)"labs/0" #number_ "-" id_, .id = (char *)id_,        \
        .title = (char *)(title_), .source = (char *)(source_),                \
        .number = (number_), .checks = (checks_),                              \
        .n_checks = sizeof(checks_) / sizeof *(checks_)                        \
    }

static struct lab sample_labs[] = {
    LAB(0, "cpu-scan", "Scan and compaction on the CPU", "cpu_scan.c",
        cpu_checks),
    LAB(1, "naive", "Naive scan (Hillis-Steele)", "naive.cu", naive_checks),
    LAB(2, "work-efficient", "Up-sweep and down-sweep", "work_efficient.cu",
        efficient_checks),
};

static struct lab_function naive_scan = {.id = (char *)"inclusive",
                                         .symbol =
                                             (char *)"naive_inclusive_scan",
                                         .signature = SIGNATURE_scan_cuda,
                                         .oracle = 0};

/* Lab 6's layouts. */
static struct status_word words = {
    .n = 2,
    .fields = {{.name = "flag",
                .bits = 32,
                .from = 32,
                .names = {"NOTHING", "AGGREGATE", "PREFIX"},
                .n_names = 3},
               {.name = "value", .is_signed = true, .bits = 32}}};
static struct lab_function look = {.id = (char *)"i64",
                                   .symbol = (char *)"lookback_scan_i64",
                                   .signature = SIGNATURE_scan_cuda,
                                   .oracle = 0,
                                   .status_word = &words};

/* ---- results ---- */
static void make_results(struct lab_result *result, const struct lab *lab,
                         enum check_status status) {
    *result = (struct lab_result){.lab = lab, .n_checks = lab->n_checks};
    result->checks = calloc(lab->n_checks, sizeof *result->checks);
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct lab_check *check = &lab->checks[i];
        int score = status == STATUS_PASS ? check->points : 0;
        result->checks[i] = (struct check_result){.check = check,
                                                  .status = status,
                                                  .score = score,
                                                  .ran = true,
                                                  .device = WIRE_VGPU,
                                                  .seconds = 0.125};
        result->score += score;
        result->max_score += check->points;
    }
}

static struct outcome *fail(struct lab_result *lab, size_t i) {
    lab->score -= lab->checks[i].score;
    lab->checks[i].score = 0;
    lab->checks[i].status = STATUS_FAIL;
    return &lab->checks[i].outcome;
}

static void skip(struct lab_result *lab, size_t i, struct fact why) {
    outcome_add(fail(lab, i), why);
    lab->checks[i].status = STATUS_SKIP;
    lab->checks[i].ran = false;
}

static struct tried tried(size_t n, const char *schedule) {
    struct tried t = {.function = &naive_scan,
                      .n = n,
                      .seed = 0xfedcba9876543210,
                      .device = WIRE_VGPU};
    strcpy(t.schedule, schedule);
    return t;
}

static void fill_cpu(struct lab_result *lab) {
    static const struct ratio ratio = {.baseline = "serial",
                                       .asked = 0.25,
                                       .low = 1.55,
                                       .median = 1.62,
                                       .high = 1.7,
                                       .turns = 9};
    struct check_result *fast = &lab->checks[2];
    fast->device = WIRE_HOST;
    fast->measured.tried = tried(4194304, "");
    fast->measured.tried.device = WIRE_HOST;
    fast->measured.ratio = malloc(sizeof ratio);
    memcpy(fast->measured.ratio, &ratio, sizeof ratio);
    lab->output = copy("debug: sums[1] = 7\n\033[2Jdebug: done\n");
}

static void fill_bounds(struct check_result *result) {
    static struct lab_bound bound = {.counter = VGPU_COUNT_LAUNCHES};
    char error[FORMULA_ERROR];
    if (!bound.limit) bound.limit = formula_parse("clog2(n) + 1", error);
    struct measured *m = &result->measured;
    m->tried = tried(1000, "in-order");
    m->env.n = 1000;
    m->n_bounds = 1;
    m->bounds = calloc(1, sizeof *m->bounds);
    *m->bounds = (struct bound_count){.bound = &bound,
                                      .count = 10,
                                      .holds = true,
                                      .known = true,
                                      .limit = 11,
                                      .zero = 22,
                                      .earned = 1};
}

static void fill_difference(struct outcome *o) {
    struct diagnosis *d = calloc(1, sizeof *d);
    o->kind = OUTCOME_DIFFERENCE;
    o->tried = tried(257, "reverse");
    o->difference = d;
    *d = (struct diagnosis){.buffer = BUFFER_OUT,
                            .element = ELEMENT_i32,
                            .in_element = ELEMENT_i32,
                            .n_expected = 257,
                            .n_got = 257,
                            .compared = 257,
                            .count = 1,
                            .first = 256,
                            .last = 256,
                            .expected = {-1093244179},
                            .got = {88240512},
                            .shape = FACT(RESTARTS_AT, {V((size_t)256)}),
                            .cause_fits = true};
    d->window = (struct window){.from = 255,
                                .n_in = 2,
                                .n_expected = 2,
                                .n_got = 2,
                                .in = {3, 4},
                                .expected = {-1093244183, -1093244179},
                                .got = {-1093244183, 88240512}};
    d->contents = (struct contents){.kind = CONTENTS_COUNTED,
                                    .n_due = 257,
                                    .n_counted = 1,
                                    .counted = {{.due = true,
                                                 .n_inputs = 256,
                                                 .n_runs = 1,
                                                 .to = {255},
                                                 .last = 255}}};
}

static void fill_finding(struct outcome *o, const char *file,
                         const char *text) {
    o->kind = OUTCOME_FINDING;
    o->tried = tried(33, "in-order");
    o->place = (struct place){.file = copy(file),
                              .line = 31,
                              .kernel = copy(file),
                              .has_thread = true,
                              .thread = {33, 0, 0}};
    o->finding = calloc(1, sizeof *o->finding);
    *o->finding = (struct finding){.kind = VGPU_FINDING_OUT_OF_BOUNDS,
                                   .address = VGPU_ADDRESS_BASE + 132,
                                   .bytes = 4,
                                   .repeats = 2};
    VGPU_SAY(&o->finding->message, IMAGE, .why = text);
}

/* Of one-block's 20 points, 5 are lost. */
static void fill_groups(struct lab_result *lab) {
    struct check_result *r = &lab->checks[1];
    r->groups = calloc(2, sizeof *r->groups);
    r->n_groups = 2;
    r->groups[0] =
        (struct group_result){&groups[0], true, true, 0, tried(257, "reverse")};
    r->groups[1] =
        (struct group_result){.group = &groups[1], .ran = true, .earned = 1};
    r->score = 15;
    lab->score += 15;
}

static void fill_naive(struct lab_result *lab) {
    fill_bounds(&lab->checks[0]);
    fill_difference(fail(lab, 1));
    fill_groups(lab);
    skip(lab, 2, FACT(NEEDS, {V("one-block")}));
    fill_finding(fail(lab, 3), "naive.cu",
                 "read of 4 bytes past the end of d_in (132 bytes): the "
                 "address is 0 bytes behind it");
    struct finding *f = lab->checks[3].outcome.finding;
    f->also = calloc(f->n_also = 1, sizeof *f->also);
    f->also->kind = VGPU_FINDING_LEAK;
    f->also->place = (struct place){.file = copy("naive.cu"), .line = 24};
    VGPU_SAY(&f->also->message, LEAK, .n = 1, .bytes = 132);
    skip(lab, 4, FACT(PROFILE_TOO_OLD, {V("gtx275"), V(13), V(90)}));
}

static void fill_efficient(struct lab_result *lab) {
    lab->state = LAB_NOT_COMPILED;
    lab->build_error =
        copy("work_efficient.cu(41): error: expected a \";\"\n"
             "      temp[ai] += temp[bi]\n"
             "                          ^\n\n"
             "1 error detected in the compilation of \"work_efficient.cu\".\n");
    for (size_t i = 0; i < lab->n_checks; i++) {
        outcome_add(fail(lab, i), FACT(NOT_COMPILED, {V(lab->lab->source)}));
        lab->checks[i].ran = false;
    }
}

static void add_walls(struct standing *stands) {
    for (int i = 0; i < N_WALLS; i++)
        snprintf(stands->by[i], WALL_BY_BYTES, "wall %d", i);
}

static struct grade make(enum check_status status) {
    size_t n = sizeof sample_labs / sizeof *sample_labs;
    struct grade grade = {.seed = 2762149810,
                          .submission = copy("student"),
                          .points = copy("2-0123abcd"),
                          .program = copy("scanlab"),
                          .profile = copy("teach"),
                          .labs = calloc(n, sizeof *grade.labs),
                          .n_labs = n,
                          .seconds = 3.4161};
    for (size_t i = 0; i < n; i++)
        make_results(&grade.labs[i], &sample_labs[i], status);
    add_walls(&grade.walls_of_build);
    add_walls(&grade.walls_of_run);
    return grade;
}

static void add_source(struct grade *grade, const char *name,
                       const char *text) {
    size_t n = grade->n_sources++;
    grade->sources =
        realloc(grade->sources, grade->n_sources * sizeof *grade->sources);
    grade->sources[n] =
        (struct source_text){.name = copy(name), .text = copy(text)};
}

/* Forty lines that say which they are. */
static void add_naive(struct grade *grade) {
    struct text t = {0};
    for (int i = 1; i <= 40; i++) text_add(&t, "d_out[%d] = a < b && c;\n", i);
    add_source(grade, "naive.cu", text_string(&t));
    text_free(&t);
}

static void add_up(struct grade *grade) {
    for (size_t i = 0; i < grade->n_labs; i++) {
        grade->score += grade->labs[i].score;
        grade->max_score += grade->labs[i].max_score;
    }
}

struct grade sample_mixed(void) {
    struct grade grade = make(STATUS_PASS);
    fill_cpu(&grade.labs[0]);
    fill_naive(&grade.labs[1]);
    fill_efficient(&grade.labs[2]);
    add_naive(&grade);
    add_up(&grade);
    return grade;
}

static void fill_deadlock(struct outcome *o, uint64_t word) {
    struct vgpu_message array, where, holds;
    fill_finding(o, "lookback.cu", "");
    VGPU_SAY(&array, ALLOCATION_OF, .file = "lookback.cu", .line = 40);
    VGPU_SAY(&where, BYTE, .byte = 8, .array = &array, .size = 16);
    VGPU_SAY(&holds, HELD_WORD, .word = word);
    VGPU_SAY(&o->finding->message, DEADLOCK_POLL, .where = &where,
             .holds = &holds);
    o->tried.function = &look;
    o->finding->kind = VGPU_FINDING_DEADLOCK;
    o->finding->bytes = 0;
    o->finding->repeats = 0;
    o->finding->word = word;
    o->finding->word_bytes = sizeof word;
}

/* The word itself in place of its value. */
static void fill_word(struct outcome *o, uint64_t expected, uint64_t got) {
    struct diagnosis *d = calloc(1, sizeof *d);
    o->kind = OUTCOME_DIFFERENCE;
    o->tried = tried(5000, "in-order");
    o->tried.function = &look;
    o->difference = d;
    *d = (struct diagnosis){.buffer = BUFFER_OUT,
                            .element = ELEMENT_i64,
                            .in_element = ELEMENT_i64,
                            .n_expected = 5000,
                            .n_got = 5000,
                            .compared = 5000,
                            .count = 904,
                            .first = 4096,
                            .last = 4999};
    memcpy(d->expected, &expected, sizeof expected);
    memcpy(d->got, &got, sizeof got);
}

struct grade sample_words(void) {
    struct grade grade = make(STATUS_PASS);
    struct lab_result *lab = &grade.labs[1];
    const uint64_t prefix = UINT64_C(2) << 32 | 3125;
    fill_deadlock(fail(lab, 0), prefix);
    fill_deadlock(fail(lab, 1), (uint64_t)-5); /* the sign in the flag's bits */
    fill_word(fail(lab, 2), 3125, prefix);
    fill_word(fail(lab, 3), 3126, prefix); /* another value: no word */
    fill_deadlock(fail(lab, 4), 2); /* one half of a word, or a lone flag */
    lab->checks[4].outcome.finding->word_bytes = 4;
    add_up(&grade);
    return grade;
}

struct grade sample_hostile(const char *text) {
    struct grade grade = make(STATUS_PASS);
    struct lab_result *lab = &grade.labs[1];
    struct outcome *o[] = {fail(lab, 0), fail(lab, 1), fail(lab, 2),
                           fail(lab, 4)};
    outcome_add(o[0], FACT(NOT_LOADED, {V(text)}));
    outcome_add(o[1], FACT(LIBRARY_KERNEL, {V(text)}));
    outcome_add(o[2], FACT(CRASHED, {V("scan"), V(text), V(11)}));
    outcome_add(o[2], FACT(LATE_AT, {V(text), V(1)}));
    for (int i = 0; i < 3; i++) o[i]->tried = tried(1, "");
    o[3]->kind = OUTCOME_REFUSED;
    o[3]->refused = UINT64_C(5);
    o[3]->tried = tried(1, "");
    fill_finding(fail(lab, 3), text, text);
    lab->checks[3].outcome.place.line = 1;
    add_source(&grade, text, text);
    lab->output = copy(text);
    grade.labs[2].state = LAB_NOT_COMPILED;
    grade.labs[2].build_error = copy(text);
    free(grade.submission);
    grade.submission = copy(text);
    add_up(&grade);
    return grade;
}

static struct place line_of(const char *file, unsigned line) {
    return (struct place){.file = copy(file), .line = line};
}

/* One allocation that is kept, two that are freed in line 2, one whose lines
 * nobody knows. */
static void fill_lives(struct outcome *o, const char *file) {
    o->lives = calloc(1, sizeof *o->lives);
    o->lives->n = 3;
    o->lives->left_out = 2;
    o->lives->list[0] =
        (struct life){.made = line_of(file, 1), .n = 1, .bytes = 8};
    o->lives->list[1] = (struct life){.made = line_of(file, 1),
                                      .freed = line_of(file, 2),
                                      .is_freed = true,
                                      .n = 2,
                                      .bytes = 16};
    o->lives->list[2] = (struct life){.n = 1, .bytes = 4};
}

static struct vgpu_message *fill_picture(struct lab_result *lab, size_t check,
                                         vgpu_finding_kind kind,
                                         const char *text) {
    struct outcome *o = fail(lab, check);
    fill_finding(o, text, text);
    o->place.line = 2;
    o->finding->kind = kind;
    return &o->finding->message;
}

/* Each kind of finding that has a picture of its own, in a file and with lines
 * that are this text. */
struct grade sample_pictures(const char *text) {
    struct grade grade = make(STATUS_PASS);
    struct lab_result *lab = &grade.labs[1];
    struct vgpu_message *m = fill_picture(lab, 0, VGPU_FINDING_LEAK, text);
    VGPU_SAY(m, LEAK, .n = 2, .bytes = 12);
    fill_lives(&lab->checks[0].outcome, text);
    m = fill_picture(lab, 1, VGPU_FINDING_BARRIER_DIVERGENCE, text);
    VGPU_SAY(m, BARRIER_OF_LANES, .lanes = 0xff, .warp = 1, .arrived = 0xff00,
             .parted = 1);
    m = fill_picture(lab, 2, VGPU_FINDING_INACTIVE_LANE, text);
    VGPU_SAY(m, LANES_MISSING, .form = text, .lanes = UINT32_MAX, .missing = 1);
    m = fill_picture(lab, 3, VGPU_FINDING_BARRIER_DIVERGENCE, text);
    VGPU_SAY(m, TWO_BARRIERS, .line = 1, .thread = 32, .other = 2);
    m = fill_picture(lab, 4, VGPU_FINDING_DEADLOCK, text);
    struct vgpu_message array, where, missing, what;
    VGPU_SAY(&array, ALLOCATION_OF, .file = text, .line = 1);
    VGPU_SAY(&where, BYTE, .byte = 8, .array = &array, .size = 16);
    VGPU_SAY(&what, AT_OPERATION, .form = text);
    const uint32_t block[3] = {0}, thread[3] = {32, 0, 0};
    VGPU_SAY(&missing, WAITER, .block = block, .thread = thread, .more = 31,
             .line = 1, .what = &what, .barrier = VGPU_ABSENT);
    VGPU_SAY(m, DEADLOCK_BARRIER, .barrier = 0, .came = 32, .all = 64,
             .ended = VGPU_ABSENT, .missing = &(struct vgpu_list){&missing, 1});
    m = fill_picture(&grade.labs[2], 0, VGPU_FINDING_GLOBAL_RACE, text);
    struct finding *f = grade.labs[2].checks[0].outcome.finding;
    VGPU_SAY_PLAIN(&what, MEND_ACQUIRE);
    VGPU_SAY(m, RACE, .where = &where, .block = block, .thread = thread,
             .wrote = true, .line = 1, .mend = &what);
    f->has_other = true;
    f->other = line_of(text, 1);
    f->other.has_thread = true;
    add_source(&grade, text, text);
    add_up(&grade);
    return grade;
}

/* Lab 1 has one function written and one not, lab 2 none. */
struct grade sample_todo(void) {
    struct grade grade = make(STATUS_PASS);
    for (size_t i = 1; i < grade.n_labs; i++) {
        struct lab_result *lab = &grade.labs[i];
        outcome_add(fail(lab, i == 1),
                    FACT(NOT_IMPLEMENTED, {V("the_function")}));
        for (size_t k = 1 + (i == 1); k < lab->n_checks; k++) {
            const struct lab_check *parent =
                &lab->lab->checks[lab->checks[k].check->parent];
            if (parent->parent >= 0 || i == 2)
                skip(lab, k, FACT(NEEDS, {V(parent->id)}));
        }
    }
    add_up(&grade);
    return grade;
}

struct grade sample_full(void) {
    struct grade grade = make(STATUS_PASS);
    add_up(&grade);
    return grade;
}

/* SPDX-License-Identifier: MIT
 *
 * sample.c: see sample.h. The words are those of the judge and of the
 * diagnosis, taken from real runs and shortened.
 */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text) {
    return text ? strdup(text) : NULL;
}

/* ---- labs ---- */
static char *hints[] = {(char *)"Do n = 4 by hand.", (char *)"Two buffers."};
#define CHECK(kind_, id_, title_, points_, parent_)                            \
    {                                                                          \
        .id = (char *)(id_), .title = (char *)(title_), .kind = CHECK_##kind_, \
        .points = (points_), .parent = (parent_), .hints = hints,              \
        .n_hints = CHECK_##kind_ == CHECK_CORRECT ? 2 : 0                      \
    }

static struct lab_check cpu_checks[] = {
    CHECK(CORRECT, "inclusive", "Inclusive scan", 60, -1),
    CHECK(CORRECT, "threads", "Two passes on several threads", 40, 0),
    CHECK(FAST, "speed-threads", "Two passes against a serial loop", 0, 1),
};
static struct lab_check naive_checks[] = {
    CHECK(CORRECT, "tiny", "A handful of elements", 15, -1),
    CHECK(CORRECT, "one-block", "Around warps and blocks", 20, 0),
    CHECK(CORRECT, "any-size", "Any size", 30, 1),
    CHECK(CLEAN, "clean", "No stray, unset or lost memory", 15, 0),
    CHECK(EFFICIENT, "launches", "One launch per step", 20, 1),
};
static struct lab_check efficient_checks[] = {
    CHECK(CORRECT, "powers-of-two", "Powers of two", 50, -1),
    CHECK(CORRECT, "any-size", "Any size", 50, 0),
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
                                                  .message = copy(""),
                                                  .seconds = 0.125};
        result->score += score;
        result->max_score += check->points;
    }
}

static void set(char **place, const char *text) {
    free(*place);
    *place = copy(text);
}

static void fail(struct lab_result *lab, size_t i, const char *message) {
    lab->score -= lab->checks[i].score;
    lab->checks[i].score = 0;
    lab->checks[i].status = STATUS_FAIL;
    set(&lab->checks[i].message, message);
}

static void skip(struct lab_result *lab, size_t i, const char *message) {
    fail(lab, i, message);
    lab->checks[i].status = STATUS_SKIP;
}

static void fill_cpu(struct lab_result *lab) {
    struct check_result *fast = &lab->checks[2];
    set(&fast->detail, "1.62 times the speed of a serial loop (bound: 0.25), "
                       "median of 9 pairs, 1.55 to 1.70");
    set(&fast->trust, "timed by the judge's clock");
    set(&lab->output, "debug: sums[1] = 7\n\033[2Jdebug: done\n");
}

static void fill_naive(struct lab_result *lab) {
    struct check_result *block = &lab->checks[1], *clean = &lab->checks[3];
    fail(lab, 1,
         "n = 257, reverse: out[256]: expected -1093244179, got 88240512. The "
         "scan starts again at out[256]: the sum of what stands before is not "
         "added. out[256] misses in[0..255].");
    set(&block->cause, "A step must read one buffer and write the other: in "
                       "place, some threads read what others have already "
                       "changed.");
    set(&block->read, "README.md#two-buffers");
    set(&block->reproduce, "scanlab grade naive --check one-block -n 257 "
                           "--schedule reverse --seed 2762149810");
    skip(lab, 2, "needs one-block");
    fail(lab, 3,
         "n = 33: read of 4 bytes past the end of d_in (132 bytes): the "
         "address is 0 bytes behind it.");
    set(&clean->where, "naive.cu:31 in hillis_steele_step, block (0,0,0), "
                       "thread (33,0,0)");
    set(&clean->cause, "Reading before the start or past the end, reading an "
                       "element nobody wrote, or scratch that is never "
                       "freed.");
    set(&clean->read, "README.md#what-is-graded");
    set(&clean->reproduce, "scanlab grade naive --check clean -n 33 "
                           "--seed 2762149810");
    skip(lab, 4,
         "one-block must pass first: counts of a wrong scan say nothing about "
         "the right one");
    set(&lab->checks[0].detail, "7 cases");
}

static void fill_efficient(struct lab_result *lab) {
    set(&lab->build_error,
        "work_efficient.cu(41): error: expected a \";\"\n"
        "      temp[ai] += temp[bi]\n"
        "                          ^\n\n"
        "1 error detected in the compilation of \"work_efficient.cu\".\n");
    for (size_t i = 0; i < lab->n_checks; i++)
        fail(lab, i, "work_efficient.cu does not compile");
}

static struct grade make(enum check_status status) {
    size_t n = sizeof sample_labs / sizeof *sample_labs;
    struct grade grade = {.seed = 2762149810,
                          .submission = copy("student"),
                          .device = copy("vgpu (teach)"),
                          .labs = calloc(n, sizeof *grade.labs),
                          .n_labs = n,
                          .seconds = 3.4161};
    for (size_t i = 0; i < n; i++)
        make_results(&grade.labs[i], &sample_labs[i], status);
    return grade;
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
    add_up(&grade);
    return grade;
}

struct grade sample_full(void) {
    struct grade grade = make(STATUS_PASS);
    add_up(&grade);
    return grade;
}

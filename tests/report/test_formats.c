/* SPDX-License-Identifier: MIT
 *
 * test_formats.c: leaves each sample in each format in files that formats.py
 * reads as the programs that they are for; and what is best seen from here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "sample.h"
#include "text.h"
#include "unit.h"

/* As on a server, whose folders no student is to see. */
static void on_server(struct grade *grade, struct lab labs[]) {
    free(grade->submission);
    grade->submission = strdup("/srv/secret/ada");
    grade->labs_folder = strdup("/srv/secret/labs");
    free(grade->program);
    grade->program = strdup("/srv/secret/bin/scanlab");
    for (size_t i = 0; i < grade->n_labs; i++) {
        labs[i] = *grade->labs[i].lab;
        labs[i].folder = (char *)(i ? "/srv/secret/labs/01-naive"
                                    : "/srv/secret/labs/00-cpu-scan");
        grade->labs[i].lab = &labs[i];
    }
}

static char *printed(int format, const struct grade *grade) {
    const struct report_options options = {.leaderboard = true};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(report_write(format, stream, grade, &options));
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void leave(const char *name, struct grade grade) {
    struct lab labs[8];
    on_server(&grade, labs);
    for (int format = 0; format < N_REPORTS; format++) {
        char path[512], *text = printed(format, &grade);
        snprintf(path, sizeof path, "%s/%s.%s", FORMATS, name,
                 report_format_name(format));
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
        free(text);
    }
    grade_free(&grade);
}

TEST(samples_are_written) {
    leave("mixed", sample_mixed());
    leave("todo", sample_todo());
    leave("full", sample_full());
    leave("words", sample_words());
    leave("honest", sample_hostile("nothing special"));
    leave(
        "hostile",
        sample_hostile(
            "x\n::error::fake\n##[error]fake\n::add-mask::a\n]]></failure>"
            "</pre></details>|a|b|\n  ...\nok 99 - fake\n1..0\nBail out!\n# h\n"
            "{\"scores\":{\"naive\":100}}\n\033[2J\"'&amp;\xff\xef\xbf\xbf "
            "# SKIP\\ <img src=x onerror=y> %0A,file=/etc,line=1"));
}

/* A bonus, and what is beyond all points. */
TEST(a_bonus_is_no_part_of_the_maximum) {
    struct grade grade = sample_full();
    struct lab_check bonus = *grade.labs[0].checks[0].check;
    bonus.bonus = true;
    grade.labs[0].checks[0].check = &bonus;
    grade.max_score -= bonus.points;
    char *text = printed(REPORT_prairielearn, &grade);
    assert_non_null(strstr(text, "\"score\": 1.0"));
    assert_non_null(strstr(text, "\"max_points\": 0"));
    free(text);
    text = printed(REPORT_gradescope, &grade);
    assert_non_null(strstr(text, "\"max_score\": 0"));
    free(text);
    grade_free(&grade);
}

/* PrairieLearn takes 1 MB, a step's summary 1 MiB. */
TEST(large_reports_say_what_is_left_out) {
    enum { BYTES = 400000 };
    struct text large = {0};
    for (int i = 0; i < BYTES / 8; i++) text_add(&large, "\"said\" \n");
    struct grade grade = sample_hostile(text_string(&large));
    char *text = printed(REPORT_prairielearn, &grade);
    assert_true(strlen(text) < 1000000);
    assert_non_null(strstr(text, "Words are left out"));
    free(text);
    text = printed(REPORT_markdown, &grade);
    assert_true(strlen(text) < 1 << 20);
    assert_non_null(strstr(text, "more is left out"));
    free(text);
    text_free(&large);
    grade_free(&grade);
}

static size_t times(const char *text, const char *what) {
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what)) n++;
    return n;
}

/* GitHub shows ten of a step. */
TEST(annotations_beyond_ten_are_named_by_the_tenth) {
    enum { N = 14 };
    struct grade grade = sample_todo();
    struct lab_result *lab = &grade.labs[1];
    lab->checks = realloc(lab->checks, N * sizeof *lab->checks);
    for (; lab->n_checks < N; lab->n_checks++) {
        struct check_result *r = &lab->checks[lab->n_checks];
        *r = lab->checks[1];
        r->outcome = (struct outcome){0};
        outcome_add(&r->outcome, FACT(NEEDS, {V("this")}));
        r->status = STATUS_FAIL;
    }
    char *text = printed(REPORT_github, &grade);
    assert_int_equal(times(text, "\n::error "), 10);
    assert_int_equal(times(text, "::error title=ScanLab::2 more: naive "), 1);
    free(text);
    grade_free(&grade);
}

/* What did not pass leads nothing, and nobody who did not ask. */
TEST(a_leaderboard_is_asked_for) {
    struct grade grade = sample_mixed();
    char *text = printed(REPORT_gradescope, &grade);
    /* By a clock on the wall nobody is ranked. */
    assert_int_equal(times(text, "\"order\""), 0);
    free(text);
    grade.labs[0].checks[2].measured.ratio->baseline = "cub";
    text = printed(REPORT_gradescope, &grade);
    assert_int_equal(times(text, "\"order\""), 1);
    free(text);
    grade.labs[0].checks[2].status = STATUS_FAIL;
    text = printed(REPORT_gradescope, &grade);
    assert_int_equal(times(text, "\"order\""), 0);
    free(text);
    grade_free(&grade);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * test_report.c: reports against golden files. After a wanted change:
 *   SCANLAB_UPDATE_GOLDEN=1 ctest -R report.report
 * writes them anew; look at the difference before you commit it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "report.h"
#include "sample.h"
#include "unit.h"

static char *printed(int format, const struct grade *grade,
                     const struct report_options *options) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(report_write(format, stream, grade, options));
    fclose(stream);
    return text;
}

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    return text;
}

static void compare(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, GOLDEN "/%s", name);
    if (getenv("SCANLAB_UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
    }
    char *expected = read_whole(path);
    if (strcmp(text, expected) != 0)
        print_error("%s differs; printed was:\n%s", name, text);
    assert_string_equal(text, expected);
    free(expected);
}

static void golden(const char *name, struct grade grade, int format,
                   struct report_options options) {
    char *text = printed(format, &grade, &options);
    compare(name, text);
    free(text);
    grade_free(&grade);
}

TEST(text_of_failures) {
    golden("mixed.txt", sample_mixed(), REPORT_text,
           (struct report_options){.width = 80});
}

TEST(text_with_details) {
    golden("mixed-verbose.txt", sample_mixed(), REPORT_text,
           (struct report_options){.width = 100, .verbose = true});
}

TEST(text_in_colour) {
    golden("mixed-colour.txt", sample_mixed(), REPORT_text,
           (struct report_options){.width = 80, .colour = true});
}

TEST(text_that_is_narrow) {
    golden("mixed-narrow.txt", sample_mixed(), REPORT_text,
           (struct report_options){.width = 50});
}

TEST(text_of_full_marks) {
    golden("full.txt", sample_full(), REPORT_text,
           (struct report_options){.width = 0});
}

TEST(text_of_words) {
    golden("words.txt", sample_words(), REPORT_text,
           (struct report_options){.width = 100, .verbose = true});
}

static void golden_json(const char *name, struct grade grade) {
    char *whole = printed(REPORT_json, &grade, &(struct report_options){0});
    json_t *root = json_loads(whole, 0, NULL);
    json_t *lab = json_array_get(json_object_get(root, "labs"), 1);
    char *text = json_dumps(lab, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    compare(name, text);
    free(text);
    json_decref(root);
    free(whole);
    grade_free(&grade);
}

/* Of the lab with most kinds of outcomes; the rest is held by the schema. */
TEST(json_of_failures) {
    golden_json("naive.json", sample_mixed());
}

TEST(json_of_words) {
    golden_json("words.json", sample_words());
}

/* The order of these lines in the text, each once. */
static void in_order(struct grade *grade, const char *const *parts, size_t n) {
    struct report_options options = {.width = 200, .verbose = true};
    char *text = printed(REPORT_text, grade, &options), *at = text;
    for (size_t i = 0; i < n; i++) {
        char *next = strstr(at, parts[i]);
        if (!next) fail_msg("not behind the one before: %s", parts[i]);
        at = next + strlen(parts[i]);
    }
    free(text);
}

/* Nothing of it is a failure; what waits for a function is one line. */
TEST(what_is_not_written_is_to_do) {
    golden("todo.txt", sample_todo(), REPORT_text,
           (struct report_options){.width = 80});
}

TEST(the_first_failure_is_told_in_full) {
    static const char last[] = "told in full; the others with V=1";
    struct grade grade = sample_mixed();
    for (int verbose = 0; verbose <= 1; verbose++) {
        struct report_options options = {.verbose = verbose};
        char *text = printed(REPORT_text, &grade, &options);
        char *second = strstr(text, "FAIL  clean");
        assert_non_null(second);
        assert_int_equal(!strstr(second, "reproduce"), !verbose);
        assert_int_equal(!strstr(text, last), verbose);
        *second = '\0';
        assert_non_null(strstr(text, "reproduce"));
        free(text);
    }
    grade_free(&grade);
}

TEST(the_cause_stands_below_the_first_sentence) {
    static const char *const known[] = {
        "got 88240512.\n", "cause      What stands before is not added",
        "more       The scan starts again at", "misses in[0..255]."};
    static const char *const unknown[] = {
        "got 88240512.\n",
        "about      This check:", "more       out[256] misses in[0..255].",
        "Right up to out[255]"};
    struct grade grade = sample_mixed();
    struct check_result *check = &grade.labs[1].checks[1];
    in_order(&grade, known, 4);
    struct diagnosis *d = check->outcome.difference;
    fact_free(&d->shape);
    d->shape = FACT(CONSTANT_FROM, {V(255), V(256), V(7), V(0)});
    in_order(&grade, unknown, 4);
    grade_free(&grade);
}

TEST(a_deadlock_says_what_its_check_is_about) {
    static const char *const parts[] = {
        "this thread waits at barrier 0, which 1 threads of 2 have reached.\n",
        "about      This check:", "more       Every thread that a barrier"};
    struct grade grade = sample_mixed();
    struct finding *f = grade.labs[1].checks[3].outcome.finding;
    f->kind = VGPU_FINDING_DEADLOCK;
    f->repeats = 0;
    VGPU_SAY(&f->message, DEADLOCK_BARRIER, .came = 1, .all = 2,
             .ended = VGPU_ABSENT);
    in_order(&grade, parts, 3);
    grade_free(&grade);
}

/* No line is wider than asked for, but for what must not be wrapped: compiler
 * messages, the program's output, and commands to copy. */
TEST(lines_fit) {
    struct grade grade = sample_mixed();
    for (int width = 60; width <= 120; width++) {
        struct report_options options = {.width = width};
        char *text = printed(REPORT_text, &grade, &options), *save = NULL;
        for (char *line = strtok_r(text, "\n", &save); line;
             line = strtok_r(NULL, "\n", &save)) {
            if (strncmp(line, "  | ", 4) == 0 || strstr(line, "reproduce  "))
                continue;
            if (strlen(line) > (size_t)width)
                fail_msg("width %d: %s", width, line);
        }
        free(text);
    }
    grade_free(&grade);
}

TEST(json_keeps_the_schema) {
    struct grade grade = sample_mixed();
    struct report_options options = {0};
    char *text = printed(REPORT_json, &grade, &options);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    const char *schema, *id, *kind, *status, *message, *where, *reproduce;
    json_t *checks;
    json_int_t seed;
    int score, max_score;
    assert_non_null(root);
    assert_int_equal(json_unpack(root, "{s:s, s:I, s:i, s:i}", "schema",
                                 &schema, "seed", &seed, "score", &score,
                                 "max_score", &max_score),
                     0);
    assert_string_equal(schema, "scanlab/grade/v2");
    assert_true(seed == 2762149810);
    assert_int_equal(score, 130);
    assert_int_equal(max_score, 300);
    json_t *lab = json_array_get(json_object_get(root, "labs"), 1);
    assert_int_equal(json_unpack(lab, "{s:s, s:i, s:i, s:o}", "id", &id,
                                 "score", &score, "max_score", &max_score,
                                 "checks", &checks),
                     0);
    json_t *check = json_array_get(checks, 3);
    assert_int_equal(
        json_unpack(check, "{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s}", "id",
                    &id, "kind", &kind, "status", &status, "score", &score,
                    "max_score", &max_score, "message", &message, "where",
                    &where, "reproduce", &reproduce),
        0);
    assert_string_equal(kind, "clean");
    assert_string_equal(status, "fail");
    json_decref(root);
    free(text);
    grade_free(&grade);
}

TEST(formats_are_found_by_name) {
    char known[200];
    assert_int_equal(report_format_by_name("text"), REPORT_text);
    assert_int_equal(report_format_by_name("json"), REPORT_json);
    assert_int_equal(report_format_by_name("xml"), -1);
    report_format_list(known, sizeof known);
    assert_string_equal(known, "text, html, json, gradescope, autolab, "
                               "prairielearn, github, markdown, junit, tap");
}

TEST(a_full_disk_is_noticed) {
    struct grade grade = sample_mixed();
    for (int format = 0; format < N_REPORTS; format++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        setvbuf(full, NULL, _IONBF, 0);
        struct report_options options = {.width = 80};
        assert_false(report_write(format, full, &grade, &options));
        fclose(full);
    }
    grade_free(&grade);
}

/* Whatever a submission says reaches no terminal and breaks no reader. */
TEST(hostile_words_are_cleaned) {
    struct grade grade =
        sample_hostile("a\033[2J\"\\\r\b\x7f\xff\xc2\x9b]]>&<b>\n\001%s{x}");
    struct report_options options = {.width = 80, .verbose = true};
    for (int format = 0; format < N_REPORTS; format++) {
        char *text = printed(format, &grade, &options);
        size_t size = strlen(text);
        char *clean = clean_text(text);
        if (strncmp(clean, text, size - 1) != 0 || text[size - 1] != '\n')
            fail_msg("%s: %s", report_format_name(format), text);
        free(clean);
        free(text);
    }
    grade_free(&grade);
}

/* "        > 12 | words of the source" */
static bool is_source(const char *line) {
    size_t blanks = strspn(line, " >"),
           digits = strspn(line + blanks, "0123456789");
    return blanks >= 8 && digits &&
           strncmp(line + blanks + digits, " | ", 3) == 0;
}

/* Lines of the report's own: verdicts, labs, the total. */
static char *own_lines(const char *said, int width) {
    static const char *const begins[] = {"  pass", "  FAIL",  "  skip", "Lab ",
                                         "Total",  "ScanLab", "Walls"};
    struct grade grade = sample_hostile(said);
    struct report_options options = {.width = width, .verbose = true};
    char *text = printed(REPORT_text, &grade, &options), *rest = text;
    struct text own = {0};
    for (char *line; (line = strsep(&rest, "\n"));) {
        /* Lines behind a bar, and a command that names the folder, keep their
         * blanks. */
        bool kept = strncmp(line, "  | ", 4) == 0 || is_source(line) ||
                    strncmp(line, "        reproduce  ", 19) == 0;
        if (!kept && strstr(line, "pass  tiny")) fail_msg("%s", line);
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
            if (strncmp(line, begins[i], strlen(begins[i])) == 0)
                text_add(&own, "%.9s\n", line);
    }
    free(text);
    grade_free(&grade);
    return own.bytes;
}

/* Whatever it says, and wherever that is wrapped. */
TEST(no_words_look_like_a_line_of_the_report) {
    static const char *const said[] = {
        "x\n  pass  tiny         Tiny  15/15\nTotal  9 passed  100/100\n",
        "x\r  pass  tiny  15/15\r\n  pass  tiny\vTotal  1\f  pass  tiny\b",
        "x\u2028  pass  tiny\xc2\x85  pass  tiny\u2029Total  100/100",
        "\t\tpass\t\ttiny  pass  tiny  pass  tiny  pass  tiny  pass  tiny "
        "                 pass  tiny                                     x",
        "ScanLab  other on vgpu (h200), seed 1\nLab 1  naive  x  100/100\n"};
    for (int width = 40; width <= 120; width += 20) {
        char *honest = own_lines("scan.cu is wrong", width);
        for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
            char *own = own_lines(said[i], width);
            assert_string_equal(own, honest);
            free(own);
        }
        free(honest);
    }
}

/* A source that is made to deceive: its lines are shown one by one, cleaned,
 * and none is wider than the page or goes on without end. */
TEST(an_excerpt_is_bounded_and_clean) {
    enum { LONG = 1 << 20 };
    struct grade grade = sample_mixed();
    struct outcome *o = &grade.labs[1].checks[3].outcome;
    struct text t = {0};
    for (int i = 1; i < 31; i++) text_add(&t, "\t\tnothing\r\n");
    text_add(&t, "\x1b[2J\u202e\xff\x01\tint x; ");
    for (int i = 0; i < LONG; i++) text_add(&t, "\xc3\xa9"); /* no newline */
    free(grade.sources[0].text);
    grade.sources[0].text = t.bytes;
    struct report_options options = {.width = 80, .verbose = true};
    char *json = printed(REPORT_json, &grade, &options);
    assert_true(strlen(json) < 30000);
    free(json);
    for (options.width = 40; options.width <= 120; options.width += 40) {
        char *text = printed(REPORT_text, &grade, &options), *line;
        assert_true(strlen(text) < 20000);
        assert_non_null(strstr(text, "> 31 | ^[[2J??^A"));
        assert_null(strstr(text, "nothing^M"));
        char *rest = text;
        while ((line = strsep(&rest, "\n")))
            if (is_source(line))
                assert_true(text_columns(line, strlen(line)) <=
                            (size_t)options.width);
        free(text);
    }
    assert_int_equal(o->place.line, 31);
    o->place.line = 32; /* no such line */
    char *text = printed(REPORT_text, &grade, &options);
    assert_null(strstr(text, "  source  "));
    free(text);
    grade_free(&grade);
}

/* A stream that is no terminal gets neither colour nor progress. */
TEST(files_get_plain_text) {
    FILE *file = tmpfile();
    assert_non_null(file);
    struct report_options options = report_options_for(file);
    assert_int_equal(options.width, 80);
    assert_false(options.colour);
    struct progress *progress = progress_new(file);
    progress_show(progress, 1, 2, "naive: n = 3");
    progress_free(progress);
    progress_show(NULL, 1, 2, "");
    progress_free(NULL);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

TEST(freeing_leaves_nothing) {
    struct grade grade = sample_full();
    grade_free(&grade);
    assert_null(grade.labs);
    grade_free(&grade);
    grade_free(NULL);
}

UNIT_MAIN(NULL, NULL)

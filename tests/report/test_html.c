/* SPDX-License-Identifier: MIT
 *
 * test_html.c: the HTML report: words stay words, and a page has its size.
 * Pages that it leaves in its folder are for html_page.py, which parses them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "html_escape.h"
#include "html_page.h"
#include "report.h"
#include "sample.h"
#include "unit.h"

static char *page_of(struct grade *grade) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(
        report_write(REPORT_html, stream, grade, &(struct report_options){0}));
    fclose(stream);
    return text;
}

/* The data that stand in a page, to be freed. */
static json_t *data_of(const char *page) {
    static const char begin[] =
        "<script type=\"application/json\" id=\"data\">";
    const char *at = strstr(page, begin);
    assert_non_null(at);
    at += strlen(begin);
    const char *end = strstr(at, "</script>");
    assert_non_null(end);
    json_t *data = json_loadb(at, (size_t)(end - at), 0, NULL);
    assert_non_null(data);
    return data;
}

/* What html_escape writes of at most so many bytes. */
static void same_escaped(const char *words, size_t most, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_true(html_escape(stream, words, most));
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

TEST(words_are_escaped) {
    same_escaped("\"'<&>", 99, "&quot;&#39;&lt;&amp;&gt;");
    same_escaped("&lt;", 99, "&amp;lt;");
    same_escaped("a\u202eb\u200bc\u2028d", 99, "a?b?c?d");
    same_escaped("\x01\x1b[\x7f\xff\xc2\x9b", 99, "^A^[[^???");
}

/* Not within a character or an entity, and it says how much is missing. */
TEST(long_words_are_cut) {
    same_escaped("abc", 3, "abc");
    same_escaped("abcd", 3, "abc \u2026 1 more bytes");
    same_escaped("ab\u00e9d", 3, "ab \u2026 3 more bytes");
    same_escaped("a<b", 3, "a \u2026 2 more bytes");
    same_escaped(NULL, 3, "");
}

static void same_cut(const char *words, size_t most, const char *expected) {
    json_t *value = html_text(words, most);
    assert_string_equal(json_string_value(value), expected);
    if (strcmp(words, expected) == 0)
        assert_true(html_bytes(value) <= most + 2);
    json_decref(value);
}

/* Bytes are those of the page's JSON: 6 for one of < > &, 2 for a quote. */
TEST(long_data_are_cut) {
    same_cut("abc", 3, "abc");
    same_cut("abcd", 3, "abc \u2026 1 more bytes");
    same_cut("a\u00e9", 7, "a\u00e9");
    same_cut("a\u00e9", 6, "a \u2026 2 more bytes");
    same_cut("<", 6, "<");
    same_cut("a<", 6, "a \u2026 1 more bytes");
    same_cut("\"\\\n.", 7, "\"\\\n.");
    same_cut("\"\\", 3, "\" \u2026 1 more bytes");
    same_cut("\U0001f389", 12, "\U0001f389");
    json_t *value = json_pack("[s, {s:s}, i]", "abcd", "k", "efgh", 5);
    html_cut(value, 3);
    char *text = json_dumps(value, JSON_COMPACT);
    assert_string_equal(text, "[\"abc \u2026 1 more bytes\","
                              "{\"k\":\"efg \u2026 1 more bytes\"},5]");
    free(text);
    json_decref(value);
}

/* Neither the element's end nor a comment, and lines that a script may not
 * have in a string. */
TEST(data_are_no_markup) {
    char *page = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&page, &size);
    json_t *value = json_pack("{s:s}", "x", "</script><!--&\u2028\"");
    assert_true(html_write(stream, "trace", "trace", "<t>", "<&\n>", value));
    assert_int_equal(fclose(stream), 0);
    assert_non_null(strstr(page, "id=\"data\">{\"view\":\"trace\",\"words\":{},"
                                 "\"trace\":{\"x\":\"\\u003c/script\\u003e"
                                 "\\u003c!--\\u0026\\u2028\\\"\"}}</script>"));
    assert_non_null(strstr(page, "<title>&lt;t&gt;</title>"));
    assert_non_null(strstr(page, "<pre id=\"text\" tabindex=\"0\">\n"
                                 "&lt;&amp;\n&gt;</pre>"));
    assert_null(strstr(page, "@DATA@"));
    free(page);
}

TEST(a_page_that_there_is_not_is_none) {
    FILE *stream = fopen("/dev/null", "w");
    assert_false(html_write(stream, "nothing", "x", "", "", json_object()));
    fclose(stream);
}

static void leave(const char *name, struct grade grade, uint64_t live) {
    struct report_options options = {.live = live};
    char *page = NULL;
    size_t size;
    FILE *stream = open_memstream(&page, &size);
    assert_true(report_write(REPORT_html, stream, &grade, &options));
    assert_int_equal(fclose(stream), 0);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(page, file);
    assert_int_equal(fclose(file), 0);
    free(page);
    grade_free(&grade);
}

TEST(pages_to_be_parsed) {
    leave("mixed.html", sample_mixed(), 0);
    leave("full.html", sample_full(), 0);
    leave("words.html", sample_words(), 0);
    leave("plain.html", sample_hostile("words\n\nof a program"), 0);
    leave("hostile.html", sample_hostile(HOSTILE), 0);
    leave("pictures-plain.html", sample_pictures("words\nmore\nof it"), 0);
    leave("pictures-hostile.html", sample_pictures(HOSTILE), 0);
    leave("live.html", sample_mixed(), 7);
    leave("waiting.html", (struct grade){0}, 1);
}

/* The check's `view`. */
static json_t *view_of(json_t *data, size_t lab, size_t check) {
    json_t *labs = json_object_get(json_object_get(data, "grade"), "labs");
    json_t *checks = json_object_get(json_array_get(labs, lab), "checks");
    json_t *view = json_object_get(json_array_get(checks, check), "view");
    assert_non_null(view);
    return view;
}

static const char *text_at(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* Where memory was made and freed, and the lines that findings name, with their
 * words. */
TEST(pictures_have_their_lines) {
    struct grade grade = sample_pictures("words\n  more \nof it");
    char *page = page_of(&grade);
    json_t *data = data_of(page);
    const json_t *view = view_of(data, 1, 0);
    const json_t *lives = json_object_get(view, "lives");
    const json_t *rows = json_object_get(lives, "rows"), *row;
    assert_int_equal(json_array_size(rows), 3);
    row = json_array_get(rows, 1);
    assert_string_equal(text_at(json_object_get(row, "made"), "text"), "words");
    assert_string_equal(text_at(json_object_get(row, "freed"), "text"), "more");
    assert_true(json_is_true(json_object_get(row, "is_freed")));
    row = json_array_get(rows, 0);
    assert_true(json_is_null(json_object_get(row, "freed")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "made")));
    const json_t *lines = json_object_get(view_of(data, 1, 1), "lines");
    assert_string_equal(text_at(lines, "1"), "words");
    assert_string_equal(text_at(lines, "2"), "more");
    assert_true(json_is_null(json_object_get(view_of(data, 1, 1), "lives")));
    json_decref(data);
    free(page);
    grade_free(&grade);
}

TEST(what_failed_first_is_known) {
    struct grade grade = sample_mixed();
    char *page = page_of(&grade);
    json_t *data = data_of(page), *shown = json_object_get(data, "grade");
    assert_string_equal(text_at(shown, "schema"), "scanlab/grade/v2");
    assert_string_equal(text_at(json_object_get(shown, "view"), "first"),
                        "naive-one-block");
    assert_string_equal(text_at(view_of(data, 1, 1), "verdict"), "fail");
    assert_string_equal(text_at(view_of(data, 1, 0), "verdict"), "pass");
    json_decref(data);
    free(page);
    grade_free(&grade);
}

/* Of each row of the table around the first wrong element: index, input,
 * expected, got; what is said of a wrong one. */
TEST(what_differs_is_text) {
    struct grade grade = sample_mixed();
    char *page = page_of(&grade);
    json_t *data = data_of(page);
    json_t *difference = json_object_get(view_of(data, 1, 1), "difference");
    json_t *rows = json_object_get(difference, "rows"), *row;
    size_t i, wrong = 0;
    assert_true(json_array_size(rows) > 1);
    json_array_foreach(rows, i, row) {
        bool marked = json_is_string(json_array_get(row, 4));
        const char *got = json_string_value(json_array_get(row, 3));
        const char *due = json_string_value(json_array_get(row, 2));
        assert_int_equal(marked, strcmp(got, due) != 0);
        if (marked && !wrong++) assert_string_equal(got, "88240512");
    }
    assert_true(wrong > 0);
    json_decref(data);
    free(page);
    grade_free(&grade);
}

TEST(lines_stand_around_a_place) {
    enum { HERE = 31 };
    struct grade grade = sample_mixed();
    char *page = page_of(&grade);
    json_t *data = data_of(page);
    json_t *all = json_object_get(view_of(data, 1, 3), "excerpts");
    json_t *excerpt = json_array_get(all, 0);
    json_t *lines = json_object_get(excerpt, "lines");
    json_int_t first = json_integer_value(json_object_get(excerpt, "first"));
    assert_int_equal(json_integer_value(json_object_get(excerpt, "here")),
                     HERE);
    assert_string_equal(
        json_string_value(json_array_get(lines, (size_t)(HERE - first))),
        "d_out[31] = a < b && c;");
    json_decref(data);
    free(page);
    grade_free(&grade);
}

/* The text report stands in the page, as the terminal has it with -v. */
TEST(the_words_stand_in_the_page) {
    struct grade grade = sample_mixed();
    char *page = page_of(&grade), *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_true(report_write(REPORT_text, stream, &grade,
                             &(struct report_options){.verbose = true}));
    fclose(stream);
    const char *begin = strstr(page, "<pre id=\"text\"");
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (!strpbrk(line, "&<>\"'") && !strstr(begin, line))
            fail_msg("not in the page: %s", line);
    free(text);
    free(page);
    grade_free(&grade);
}

static char *quotes(size_t n) {
    char *words = malloc(n + 1);
    assert_non_null(words);
    memset(words, '"', n);
    words[n] = '\0';
    return words;
}

TEST(a_long_line_is_cut) {
    enum { LONG = 1000000 };
    char *words = quotes(LONG);
    struct grade grade = sample_hostile(words);
    char *page = page_of(&grade);
    if (strlen(page) >= HTML_ROOM + HTML_TEXT)
        fail_msg("%zu bytes", strlen(page));
    assert_non_null(strstr(page, "more bytes"));
    free(page);
    grade_free(&grade);
    free(words);
}

/* A whole course, in which whatever can be long is, of characters that take
 * most bytes. */
TEST(a_page_has_a_bound) {
    enum { LABS = 45, LONG = 20000 }; /* 225 checks; the course has 185 */
    char *words = quotes(LONG);
    struct grade grade = sample_hostile(words);
    struct lab_result *labs = calloc(LABS, sizeof *labs), *own;
    for (size_t i = 0; i < LABS; i++) labs[i] = grade.labs[1];
    own = grade.labs;
    size_t n = grade.n_labs;
    grade.labs = labs;
    grade.n_labs = LABS;
    char *page = page_of(&grade);
    size_t size = strlen(page);
    if (size >= HTML_BYTES) fail_msg("%zu bytes", size);
    assert_true(size > HTML_ROOM);
    assert_non_null(strstr(page, "\"left_out\":true"));
    assert_non_null(strstr(page, "more bytes"));
    free(page);
    grade.labs = own;
    grade.n_labs = n;
    grade_free(&grade);
    free(labs);
    free(words);
}

UNIT_MAIN(NULL, NULL)

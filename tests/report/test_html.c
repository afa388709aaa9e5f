/* SPDX-License-Identifier: MIT
 *
 * test_html.c: the HTML report: words stay words, and a page has its size.
 * Pages that it leaves in its folder are for html_page.py, which parses them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "html_parts.h"
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

/* What a writer of markup writes. */
#define WRITTEN(...)                                                           \
    __extension__({                                                            \
        char *text_ = NULL;                                                    \
        size_t size_ = 0;                                                      \
        struct html h = {.stream = open_memstream(&text_, &size_)};            \
        __VA_ARGS__;                                                           \
        assert_int_equal(fclose(h.stream), 0);                                 \
        assert_int_equal(h.bytes, size_);                                      \
        assert_false(h.failed);                                                \
        text_;                                                                 \
    })

static void same(char *written, const char *expected) {
    assert_string_equal(written, expected);
    free(written);
}

TEST(words_are_escaped) {
    same(WRITTEN(html_add(&h, "<b title=\"%s\">%s</b>", "\"'", "<&>")),
         "<b title=\"&quot;&#39;\">&lt;&amp;&gt;</b>");
    same(WRITTEN(html_add(&h, "%s", "&lt;")), "&amp;lt;");
    same(WRITTEN(html_add(&h, "%s", "a\u202eb\u200bc\u2028d")), "a?b?c?d");
    same(WRITTEN(html_add(&h, "%s", "\x01\x1b[\x7f\xff\xc2\x9b")), "^A^[[^???");
}

TEST(numbers_are_printed) {
    same(WRITTEN(html_add(&h, "%d %u %zu %lu %.2f %g 100%%", -3, 4U, (size_t)5,
                          6UL, 0.125, 0.5)),
         "-3 4 5 6 0.12 0.5 100%");
}

/* Not within a character, and it says how much is missing. */
TEST(long_words_are_cut) {
    same(WRITTEN(html_words(&h, "abc", 3)), "abc");
    same(WRITTEN(html_words(&h, "abcd", 3)), "abc \u2026 1 more bytes");
    same(WRITTEN(html_words(&h, "ab\u00e9d", 3)), "ab \u2026 3 more bytes");
    same(WRITTEN(html_words(&h, NULL, 3)), "");
}

TEST(data_are_no_markup) {
    json_t *value = json_pack("{s:s}", "x", "</script><!--&\u2028\"");
    same(WRITTEN(html_data(&h, "a", value)),
         "<script type=\"application/json\" id=\"a\">{\"x\":\"\\u003c/script"
         "\\u003e\\u003c!--\\u0026\\u2028\\\"\"}</script>\n");
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
    leave("live.html", sample_mixed(), 7);
    leave("waiting.html", (struct grade){0}, 1);
}

TEST(what_failed_first_is_open) {
    struct grade grade = sample_mixed();
    char *page = page_of(&grade), *at = page;
    static const char *const parts[] = {
        "id=\"lab-cpu-scan\"><",
        "id=\"cpu-scan-inclusive\"><",
        "id=\"lab-naive\" open><",
        "id=\"naive-tiny\"><",
        "id=\"naive-one-block\" open><",
        "<td>88240512",
        "id=\"naive-clean\"><",
        "<span class=\"line here\" data-line=\"31\">d_out[31] = a &lt; b "
        "&amp;&amp; c;\n",
        "id=\"lab-work-efficient\" open><",
        "does not compile",
        "id=\"work-efficient-any-size\"><"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strncmp(parts[i], "<td>", 4) == 0)
            at = strstr(at, "<mark>88240512");
        else
            at = strstr(at, parts[i]);
        if (!at) fail_msg("not behind the one before: %s", parts[i]);
    }
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
    if (strlen(page) >= HTML_ROOM) fail_msg("%zu bytes", strlen(page));
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
    assert_non_null(strstr(page, "has reached its size"));
    assert_non_null(strstr(page, "more bytes"));
    free(page);
    grade.labs = own;
    grade.n_labs = n;
    grade_free(&grade);
    free(labs);
    free(words);
}

UNIT_MAIN(NULL, NULL)

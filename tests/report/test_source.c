/* SPDX-License-Identifier: MIT
 *
 * test_source.c: the page of a source: what stands beside a line is that
 * line's, words stay words, and the page has its size. Pages that it leaves in
 * its folder are for html_page.py, which parses them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "html_page.h"
#include "source_page.h"
#include "source_view.h"
#include "unit.h"

enum { LINES = 12, HOT = 7, COOL = 9 };

static char *copy(const char *text) {
    char *t = strdup(text);
    assert_non_null(t);
    return t;
}

static struct source_line line_of(const char *file, uint32_t number,
                                  uint64_t path, uint64_t reads) {
    struct source_line l = {.file = file ? copy(file) : NULL, .line = number};
    l.counts[VGPU_COUNT_THREAD_INSTRUCTIONS] = 100 * reads;
    l.counts[VGPU_COUNT_GLOBAL_READ_SECTORS] = reads;
    l.times.path[VGPU_CAUSE_DRAM] = path;
    l.times.warps[VGPU_CAUSE_BARRIER] = path ? 0 : reads;
    return l;
}

/* As source_make makes one: two lines of the file, one of none. */
static struct source_view *view_of(const char *file, const char *words) {
    struct source_view *v = calloc(1, sizeof *v);
    assert_non_null(v);
    v->lines = calloc(3, sizeof *v->lines);
    assert_non_null(v->lines);
    v->lines[v->n++] = line_of(file, HOT, 900, 70);
    v->lines[v->n++] = line_of(NULL, 0, 99, 0);
    v->lines[v->n++] = line_of(file, COOL, 1, 2);
    for (size_t i = 0; i < v->n; i++)
        for (int c = 0; c < VGPU_N_COUNTERS; c++) {
            v->sum[c] += v->lines[i].counts[c];
            if (v->lines[i].counts[c] > v->most[c])
                v->most[c] = v->lines[i].counts[c];
        }
    v->has_times = true;
    v->times.path[VGPU_CAUSE_DRAM] = 1000;
    v->times.warps[VGPU_CAUSE_BARRIER] = 2;
    v->launches = 3;
    v->launch_ps = 1000;
    text_add(&v->lines[0].ptx, "%s\n", words);
    v->lines[0].n_ptx = 1;
    source_note(v, file, HOT, words);
    source_note(v, file, HOT, words); /* is there already */
    source_note(v, file, 5000, words);
    return v;
}

static char *page_of(struct source_view *v, const char *name, char *text,
                     const char *words) {
    const struct source_text texts[] = {
        {.name = (char *)name, .text = text},
        {.name = (char *)"other.cuh", .why = (char *)words}};
    const struct source_page page = {.title = words,
                                     .verdict = words,
                                     .message = words,
                                     .more = words,
                                     .cause = words,
                                     .printed = words,
                                     .clock = words,
                                     .texts = texts,
                                     .n_texts = 2};
    char *written = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&written, &size);
    assert_non_null(stream);
    assert_true(source_page(stream, v, &page));
    fclose(stream);
    source_free(v);
    return written;
}

/* In each line the same words. */
static char *text_of(const char *words, size_t lines) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    for (size_t i = 0; i < lines; i++) {
        for (const char *at = words; *at; at++)
            fputc(*at == '\n' ? ' ' : *at, stream);
        fputc('\n', stream);
    }
    fclose(stream);
    return text;
}

static void leave(const char *name, const char *words) {
    char *text = text_of(words, LINES), *base = copy(words);
    for (char *at = base; *at; at++)
        if (*at == '/') *at = '|'; /* no base name has one */
    char *page = page_of(view_of(base, words), base, text, words);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(page, file);
    assert_int_equal(fclose(file), 0);
    free(page);
    free(text);
    free(base);
}

TEST(pages_to_be_parsed) {
    leave("source-plain.html", "words of a program");
    leave("source-hostile.html", HOSTILE);
}

/* The part of a page from a row's id to its end, freed by the caller. */
static char *row(const char *page, const char *id) {
    const char *at = strstr(page, id);
    if (!at) fail_msg("there is no %s", id);
    return strndup(at, (size_t)(strstr(at, "</tr>") - at));
}

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

TEST(beside_a_line_stands_what_it_cost) {
    char *text = text_of("x = 1;", LINES);
    char *page = page_of(view_of("a.cu", "a word"), "a.cu", text, "said");
    char *hot = row(page, "id=\"f0-7\""), *cool = row(page, "id=\"f0-9\""),
         *none = row(page, "id=\"f0-8\"");
    assert_true(has(hot, "class=\"hot\"") && has(hot, "<code>x = 1;</code>"));
    assert_true(has(hot, "data-name=\"path\">90.0%"));
    assert_true(has(hot, "DRAM latency") && has(hot, "read\">70</td>"));
    assert_true(has(hot, "<p class=\"found\">a word</p>"));
    assert_true(has(hot, "PTX, 1<") && has(hot, "a word</pre>"));
    assert_true(has(cool, "data-name=\"path\">0.1%"));
    assert_false(has(cool, "hot") || has(cool, "found") || has(cool, "PTX"));
    assert_true(has(none, "colspan=\"6\"") && !has(none, "data-name"));
    assert_null(strstr(strstr(page, "id=\"f0-7\"") + 1, "id=\"f0-7\""));
    free(hot);
    free(cool);
    free(none);
    free(page);
    free(text);
}

TEST(the_hottest_come_first) {
    char *text = text_of("x = 1;", LINES);
    char *page = page_of(view_of("a.cu", "a word"), "a.cu", text, "said");
    char *first = strstr(page, "href=\"#f0-7\">a.cu:7"),
         *second = strstr(page, "no line"),
         *third = strstr(page, "href=\"#f0-9\">a.cu:9"),
         *listing = strstr(page, "<h2>a.cu</h2>");
    assert_true(first && second && third && listing);
    assert_true(first < second && second < third && third < listing);
    assert_true(has(page, "a.cu:5000: a word")); /* the file is shorter */
    assert_true(has(page, "It is not shown: said."));
    free(page);
    free(text);
}

/* Whatever the length of lines, and how many there are. */
TEST(a_page_has_a_bound) {
    static const struct {
        size_t length, lines;
    } sizes[] = {{4000000, 1}, {400, 10000}, {0, 4000000}, {3000, 1300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *words = malloc(sizes[i].length + 1);
        assert_non_null(words);
        memset(words, '"', sizes[i].length);
        words[sizes[i].length] = '\0';
        char *text = text_of(words, sizes[i].lines);
        char *page = page_of(view_of("a.cu", words), "a.cu", text, "said");
        if (strlen(page) >= HTML_BYTES)
            fail_msg("%zu: %zu bytes", i, strlen(page));
        assert_true(
            has(page, sizes[i].lines > 1 ? "on are left out" : "more bytes"));
        assert_true(has(page, "</html>"));
        free(page);
        free(text);
        free(words);
    }
}

UNIT_MAIN(NULL, NULL)

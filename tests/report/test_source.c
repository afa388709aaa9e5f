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

/* The data of the page, which is freed. */
static json_t *data_of(char *page) {
    static const char begin[] = "id=\"data\">";
    const char *at = strstr(page, begin);
    assert_non_null(at);
    at += strlen(begin);
    const char *end = strstr(at, "</script>");
    json_t *data = json_loadb(at, (size_t)(end - at), 0, NULL);
    assert_non_null(data);
    free(page);
    return data;
}

static json_t *get(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    if (!value) fail_msg("there is no %s", key);
    return value;
}

/* The value as JSON is this. */
static void same(const json_t *value, const char *expected) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
                                       JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
    assert_string_equal(text, expected);
    free(text);
}

TEST(beside_a_line_stands_what_it_cost) {
    char *text = text_of("x = 1;", LINES);
    json_t *data =
        data_of(page_of(view_of("a.cu", "a word"), "a.cu", text, "said"));
    json_t *page = get(data, "profile");
    json_t *lines = get(json_array_get(get(page, "files"), 0), "lines");
    assert_int_equal(json_array_size(lines), LINES);
    same(get(page, "columns"),
         "[{\"kind\":\"share\",\"name\":\"path\"},"
         "{\"kind\":\"share\",\"name\":\"all warps\"},"
         "{\"kind\":\"words\",\"name\":\"mostly\"},"
         "{\"kind\":\"number\",\"name\":\"thread instr.\"},"
         "{\"kind\":\"number\",\"name\":\"sectors read\"}]");
    same(json_array_get(lines, HOT - 1),
         "{\"cells\":[[\"90.0%\",90.0],null,\"DRAM latency\",\"7000\",\"70\"],"
         "\"found\":[\"a word\"],\"hot\":true,\"ptx\":[1,\"a word\"],"
         "\"words\":\"x = 1;\"}");
    same(json_array_get(lines, COOL - 1),
         "{\"cells\":[[\"0.1%\",0.1],null,\"DRAM latency\",\"200\",\"2\"],"
         "\"found\":[],\"hot\":false,\"ptx\":null,\"words\":\"x = 1;\"}");
    same(json_array_get(lines, HOT), "\"x = 1;\""); /* nothing */
    json_decref(data);
    free(text);
}

TEST(the_hottest_come_first) {
    static const char *const places[] = {"\"a.cu:7\"", "null", "\"a.cu:9\""},
                             *const rows[] = {"\"f0-7\"", "null", "\"f0-9\""};
    char *text = text_of("x = 1;", LINES);
    json_t *data =
        data_of(page_of(view_of("a.cu", "a word"), "a.cu", text, "said"));
    json_t *page = get(data, "profile"), *hot = get(page, "hot");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        same(get(json_array_get(hot, i), "place"), places[i]);
        same(get(json_array_get(hot, i), "to"), rows[i]);
    }
    same(get(page, "elsewhere"),
         "[\"a.cu:5000: a word\"]"); /* the file is shorter */
    same(get(json_array_get(get(page, "files"), 1), "why"), "\"said\"");
    json_decref(data);
    free(text);
}

/* Where no script runs, a line has its share, and findings stand below it. */
TEST(the_words_have_each_line) {
    char *text = text_of("x = 1;", LINES);
    char *page = page_of(view_of("a.cu", "a word"), "a.cu", text, "said");
    assert_non_null(strstr(page, "\n 90.0%     7 | x = 1;\n"
                                 "             ! a word\n"
                                 "           8 | x = 1;\n"));
    free(page);
    free(text);
}

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
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

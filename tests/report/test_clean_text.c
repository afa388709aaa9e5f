/* SPDX-License-Identifier: MIT
 *
 * test_clean_text.c: nothing that a submission prints reaches a terminal as a
 * command, or JSON as broken UTF-8.
 */
#include <stdlib.h>

#include "clean_text.h"
#include "unit.h"

TEST(each_text_becomes_clean) {
    static const struct {
        const char *text, *clean;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"two\nlines\n\n", "two\nlines"},
        {"dos\r\nlines\r", "dos\nlines^M"},
        {"\033[2J\a", "^[[2J^G"},
        {"\177", "^?"},
        {"a\tb\n12345678\tc", "a       b\n12345678        c"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", /* 2, 3, 4 bytes */
         "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc3", "?"},
        {"\xc3(", "?("},
        {"\x80\xff", "??"},
        {"\xc0\xaf", "??"},                            /* overlong */
        {"\xe0\x80\xaf", "???"},                       /* overlong */
        {"\xed\xa0\x80", "???"},                       /* surrogate */
        {"\xf4\x90\x80\x80", "????"},                  /* above U+10FFFF */
        {"naive\u202e\u2066.cu\u2069", "naive??.cu?"}, /* right to left */
        {"a\u2028b\u200bc\ufeff", "a?b?c?"},
        {"\xef\xbf\xbe \xef\xbf\xbf \xef\xbf\xbd", "? ? \ufffd"},
        {"\ufffd\ufffe\uffff\ufdd0\U0001ffff", "\ufffd????"}, /* no XML */
        {"\u05d0\u0627", "\u05d0\u0627"}, /* Hebrew and Arabic letters */
        {"\xc2\x9b"
         "31m",
         "?31m"}, /* C1 control */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *clean = clean_text(rows[i].text);
        assert_string_equal(clean, rows[i].clean);
        free(clean);
    }
    assert_null(clean_text(NULL));
}

TEST(names_have_one_line) {
    char *clean = clean_name("a\nTotal  100/100\r\nb\033");
    assert_string_equal(clean, "a?Total  100/100?b^[");
    free(clean);
}

TEST(parts_of_sentences_are_one_line_and_no_table) {
    struct text t = {0};
    text_add(&t, "it said '");
    clean_add(&t, "no\n  pass  tiny\t\t15/15 \u202ex\r\ny", -1);
    clean_add(&t, NULL, -1);
    clean_add(&t, "' and more", 5);
    assert_string_equal(t.bytes, "it said 'no^J pass tiny 15/15 ?x^Jy' and");
    clean_add(&t, " \xc3\xa4\xe2\x82\xac", 5); /* not within a character */
    assert_string_equal(t.bytes,
                        "it said 'no^J pass tiny 15/15 ?x^Jy' and \xc3\xa4");
    text_free(&t);
}

TEST(each_line_has_its_bar) {
    char *lines = clean_lines("a\n\n  pass  tiny\r\n\033b", "| ");
    assert_string_equal(lines, "| a\n|   pass  tiny\n| ^[b\n");
    free(lines);
    assert_null(clean_lines("", "| "));
    assert_null(clean_lines(NULL, "| "));
}

TEST(columns_are_code_points) {
    assert_int_equal(text_columns("abc", 3), 3);
    assert_int_equal(text_columns("\xc3\xa4"
                                  "b",
                                  3),
                     2);
    assert_int_equal(text_columns("abc", 0), 0);
}

UNIT_MAIN(NULL, NULL)

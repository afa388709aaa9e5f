/* SPDX-License-Identifier: MIT
 *
 * test_source_text.c: sources in other encodings are read where it is certain
 * which one it is, and named where it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "source_text.h"
#include "unit.h"

static char *read_as;
static size_t size;
static const char *odd;

static void reads(const char *bytes, size_t n) {
    free(read_as);
    read_as = malloc(n + 1);
    assert_non_null(read_as);
    memcpy(read_as, bytes, n);
    read_as[n] = '\0';
    size = n;
    assert_true(source_text_read(&read_as, &size, &odd));
    assert_int_equal(read_as[size], 0);
}
#define READS(bytes) reads(bytes, sizeof bytes - 1)

static void gives(const char *text) {
    assert_null(odd);
    assert_int_equal(size, strlen(text));
    assert_string_equal(read_as, text);
}

TEST(utf8_stays_and_loses_its_mark) {
    READS("int a;\n");
    gives("int a;\n");
    READS("\xef\xbb\xbfint a;\n");
    gives("int a;\n");
    READS("\xef\xbb\xbf");
    gives("");
    READS("");
    gives("");
}

TEST(utf16_with_a_mark_is_read) {
    READS("\xff\xfe"
          "a\0\n\0");
    gives("a\n");
    READS("\xfe\xff\0a\0\n");
    gives("a\n");
    READS("\xff\xfe\xe4\0\xac\x20\x3d\xd8\x00\xde");
    gives("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    READS("\xff\xfe");
    gives("");
}

TEST(what_is_no_utf16_is_told) {
    READS("\xff\xfe"
          "a\0\n");
    assert_non_null(odd); /* half a unit */
    READS("\xff\xfe\x3d\xd8"
          "a\0");
    assert_non_null(odd); /* half a pair */
    READS("\xff\xfe\x00\xde");
    assert_non_null(odd); /* the other half */
    READS("\xff\xfe\x3d\xd8");
    assert_non_null(odd); /* the end within a pair */
    READS("\xff\xfe"
          "a\0\0\0");
    assert_non_null(odd); /* a NUL */
    READS("#\0i\0n\0");
    assert_non_null(odd); /* no mark */
    READS("\0#\0i\0n");
    assert_non_null(odd);
}

TEST(lines_may_end_with_a_carriage_return) {
    READS("a\rb\r");
    gives("a\nb\n");
    READS("a\r\nb\r\n");
    gives("a\r\nb\r\n");
    READS("a\rb\n");
    gives("a\rb\n");
    READS("\xff\xfe"
          "a\0\r\0b\0");
    gives("a\nb");
}
UNIT_MAIN(NULL, NULL)

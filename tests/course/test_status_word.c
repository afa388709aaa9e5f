/* SPDX-License-Identifier: MIT
 *
 * test_status_word.c: the fields of words by which blocks talk. What is no
 * layout stands in test_lab.c, with the other mistakes in lab.ini.
 */
#include "status_word.h"
#include "unit.h"

TEST(words_have_fields) {
    static const char text[] = " flag:u32@32=NOTHING,-,PREFIX  value:i32@0 ";
    const uint64_t word = UINT64_C(2) << 32 | (uint32_t)-5;
    struct status_word w;
    char error[STATUS_ERROR];
    assert_true(status_word_parse(text, &w, error));
    assert_int_equal(w.n, 2);
    const struct status_field *flag = &w.fields[0], *value = &w.fields[1];
    assert_string_equal(flag->name, "flag");
    assert_true(status_field_value(flag, word) == 2);
    assert_string_equal(status_field_name(flag, word), "PREFIX");
    assert_string_equal(status_field_name(flag, 7), "NOTHING");
    assert_null(status_field_name(flag, UINT64_C(1) << 32));
    assert_null(status_field_name(flag, UINT64_C(3) << 32));
    assert_true(status_field_value(value, word) == -5);
    assert_null(status_field_name(value, 0));
    assert_true(status_word_holds(&w, word, (uint32_t)-5));
    assert_false(status_word_holds(&w, word, 5));
    assert_false(status_word_holds(&w, 5, 5)); /* NOTHING is no flag */
    assert_false(status_word_holds(&w, UINT64_C(3) << 32 | 5, 5));
    assert_true(status_word_parse("all:i64@0", &w, error));
    assert_true(status_field_value(&w.fields[0], ~UINT64_C(0)) == -1);
    assert_false(status_word_holds(&w, 5, 5)); /* nothing says what it is */
}

UNIT_MAIN(NULL, NULL)

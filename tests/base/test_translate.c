/* SPDX-License-Identifier: MIT
 *
 * test_translate.c: the catalogue of this test has one sentence; every other
 * one stays English.
 */
#include <stdio.h>
#include <string.h>

#include "translate.h"
#include "unit.h"

TEST(english_needs_no_catalogue) {
    struct text why = {0};
    assert_true(translate_has("no/such", "en"));
    assert_true(translate_to("no/such", "en", &why));
    assert_string_equal(_("holds"), "holds");
    text_free(&why);
}

TEST(a_language_that_is_not_there_is_said) {
    struct text why = {0};
    assert_false(translate_has(CATALOGUES, "xx"));
    assert_false(translate_to(CATALOGUES, "xx", &why));
    assert_non_null(strstr(text_string(&why), "no translation 'xx' in "));
    assert_string_equal(_("holds"), "holds");
    text_free(&why);
}

TEST(what_is_not_translated_stays_english) {
    struct text why = {0};
    char line[80];
    assert_true(translate_to(CATALOGUES, "de", &why));
    assert_string_equal(_("holds"), "h\u00e4lt");
    assert_string_equal(_("too high"), "too high");
    assert_string_equal(_(""), "");
    snprintf(line, sizeof line, _("%zu of %s"), (size_t)3, "x");
    assert_string_equal(line, "3 von x");
    text_free(&why);
}

UNIT_MAIN(NULL, NULL)

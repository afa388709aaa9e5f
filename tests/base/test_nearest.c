/* SPDX-License-Identifier: MIT
 *
 * test_nearest.c: what is suggested for a mistyped name, and that nothing is
 * suggested for another word.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "nearest.h"

static const char *const names[] = {"points", "parent",   "sizes",
                                    "inputs", "launches", "ones"};
enum { N = sizeof names / sizeof *names };

static void the_nearest_is_found(void **state) {
    (void)state;
    assert_string_equal(nearest_name("piont", names, N), "points");
    assert_string_equal(nearest_name("pionts", names, N), "points");
    assert_string_equal(nearest_name("size", names, N), "sizes");
    assert_string_equal(nearest_name("lauches", names, N), "launches");
    assert_string_equal(nearest_name("one", names, N), "ones");
}

static void other_words_have_none(void **state) {
    (void)state;
    assert_null(nearest_name("frobnicate", names, N));
    assert_null(nearest_name("", names, N));
    assert_null(nearest_name("x", names, N));
    assert_null(nearest_name("points", names, 0));
    char longer[500];
    memset(longer, 'p', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(nearest_name(longer, names, N));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_found),
        cmocka_unit_test(other_words_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

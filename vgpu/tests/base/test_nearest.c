/* SPDX-License-Identifier: MIT
 *
 * test_nearest.c: what is suggested for a mistyped name, and that nothing is
 * suggested for another word.
 */
#include <string.h>

#include "nearest.h"
#include "unit.h"

static const char *const names[] = {"points", "parent",   "sizes",
                                    "inputs", "launches", "ones"};
enum { N = sizeof names / sizeof *names };

TEST(the_nearest_is_found) {
    assert_string_equal(nearest_name("piont", names, N), "points");
    assert_string_equal(nearest_name("pionts", names, N), "points");
    assert_string_equal(nearest_name("size", names, N), "sizes");
    assert_string_equal(nearest_name("lauches", names, N), "launches");
    assert_string_equal(nearest_name("one", names, N), "ones");
}

TEST(other_words_have_none) {
    assert_null(nearest_name("frobnicate", names, N));
    assert_null(nearest_name("", names, N));
    assert_null(nearest_name("x", names, N));
    assert_null(nearest_name("points", names, 0));
    char longer[500];
    memset(longer, 'p', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(nearest_name(longer, names, N));
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * unit.h: unit tests, on cmocka.
 *
 *   TEST(what_holds) { assert_true(1); }      as many as wanted, then
 *   UNIT_MAIN(NULL, NULL)                     set-up and tear-down of the group
 *
 * The tests of a file run in their order. A file whose tests all want the same
 * set-up defines UNIT_SET_UP and UNIT_TEAR_DOWN in front of the first; the one
 * that differs is a TEST_WITH. What a set-up leaves in *state is `state` in a
 * test.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#ifndef UNIT_SET_UP
#define UNIT_SET_UP NULL
#endif
#ifndef UNIT_TEAR_DOWN
#define UNIT_TEAR_DOWN NULL
#endif

static struct CMUnitTest unit_tests[64]; /* cmocka passes over empty ones */
static int unit_lines[64];               /* where they stand */

/* Constructors may run in any order. */
static inline void unit_add(int line, struct CMUnitTest test) {
    size_t k = sizeof unit_tests / sizeof *unit_tests - 1;
    if (unit_tests[k].name) abort();
    for (; k && (!unit_tests[k - 1].name || unit_lines[k - 1] > line); k--) {
        unit_tests[k] = unit_tests[k - 1];
        unit_lines[k] = unit_lines[k - 1];
    }
    unit_tests[k] = test;
    unit_lines[k] = line;
}

#define TEST_WITH(test, set_up, tear_down)                                     \
    static void test(void **state);                                            \
    __attribute__((constructor)) static void add_##test(void) {                \
        unit_add(__LINE__,                                                     \
                 (struct CMUnitTest){#test, test, set_up, tear_down, NULL});   \
    }                                                                          \
    static void test(__attribute__((unused)) void **state)
#define TEST(test) TEST_WITH(test, UNIT_SET_UP, UNIT_TEAR_DOWN)

#define UNIT_RUN(set_up, tear_down)                                            \
    cmocka_run_group_tests(unit_tests, set_up, tear_down)
#define UNIT_MAIN(set_up, tear_down)                                           \
    int main(void) {                                                           \
        return UNIT_RUN(set_up, tear_down);                                    \
    }

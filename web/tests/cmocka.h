/* SPDX-License-Identifier: MIT
 *
 * cmocka.h: as much of cmocka as the unit tests of the virtual GPU ask for that
 * run in node, where there is no cmocka. A test that fails leaves by longjmp.
 */
#pragma once

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

enum { UNIT_FAILED = 1, UNIT_SKIPPED };
static jmp_buf unit_leave;

static inline void unit_fails(const char *file, int line, const char *what) {
    printf("%s:%d: %s\n", file, line, what);
    longjmp(unit_leave, UNIT_FAILED);
}

#define assert_true(holds)                                                     \
    do {                                                                       \
        if (!(holds)) unit_fails(__FILE__, __LINE__, #holds);                  \
    } while (0)
#define assert_false(x)              assert_true(!(x))
#define assert_null(x)               assert_true(!(x))
#define assert_non_null(x)           assert_true(x)
#define assert_int_equal(a, b)       assert_true((a) == (b))
#define assert_int_not_equal(a, b)   assert_true((a) != (b))
#define assert_ptr_equal(a, b)       assert_true((a) == (b))
#define assert_ptr_not_equal(a, b)   assert_true((a) != (b))
#define assert_string_equal(a, b)    assert_true(!strcmp(a, b))
#define assert_memory_equal(a, b, n) assert_true(!memcmp(a, b, n))
#define print_error                  printf
#define print_message                printf
#define fail_msg(...)                                                          \
    do {                                                                       \
        printf(__VA_ARGS__);                                                   \
        unit_fails(__FILE__, __LINE__, "");                                    \
    } while (0)
#define fail() unit_fails(__FILE__, __LINE__, "fail()")
#define skip() longjmp(unit_leave, UNIT_SKIPPED)

#define cmocka_unit_test(test)                                                 \
    { #test, test, NULL, NULL, NULL }
#define cmocka_run_group_tests(tests, set_up, tear_down)                       \
    unit_run_all(tests, sizeof(tests) / sizeof *(tests), set_up, tear_down)

static inline int unit_run_all(const struct CMUnitTest *tests, size_t n,
                               int (*set_up)(void **),
                               int (*tear_down)(void **)) {
    static const char *const words[] = {"OK", "FAILED", "SKIPPED"};
    static void *state;
    static int failed, passed;
    if (set_up && set_up(&state)) return 1;
    for (size_t k = 0; k < n; k++) {
        const struct CMUnitTest *t = &tests[k];
        if (!t->name) continue;
        if (t->setup_func && t->setup_func(&state)) return 1;
        int left = setjmp(unit_leave);
        if (!left) t->test_func(&state);
        failed += left == UNIT_FAILED;
        passed += !left;
        printf("[%s] %s\n", words[left], t->name);
        if (t->teardown_func) t->teardown_func(&state);
    }
    if (tear_down) tear_down(&state);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}

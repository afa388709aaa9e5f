/* SPDX-License-Identifier: MIT
 *
 * cmocka.h: what these tests need of cmocka, which Debian has for the
 * machine's own processor only (run.sh). The first failure ends the program.
 */
#pragma once

#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **);
    int (*set_up)(void **), (*tear_down)(void **);
    void *state;
};

#define fail_msg(...)                                                          \
    do {                                                                       \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                        \
        fprintf(stderr, __VA_ARGS__);                                          \
        fputc('\n', stderr);                                                   \
        exit(1);                                                               \
    } while (0)
#define print_error(...) fprintf(stderr, __VA_ARGS__)
/* A test that says why it does not run is left. */
static jmp_buf cmocka_left;
#define skip() longjmp(cmocka_left, 1)
#define assert_true(what)                                                      \
    do                                                                         \
        if (!(what)) fail_msg("%s", #what);                                    \
    while (0)
#define assert_false(what)    assert_true(!(what))
#define assert_non_null(what) assert_true((what) != NULL)
#define assert_null(what)     assert_true((what) == NULL)
#define assert_int_equal(a, b)                                                 \
    do {                                                                       \
        long long a_ = (long long)(a), b_ = (long long)(b);                    \
        if (a_ != b_) fail_msg("%lld is not %lld", a_, b_);                    \
    } while (0)
#define assert_in_range(a, from, to)                                           \
    assert_true((unsigned long long)(a) >= (unsigned long long)(from) &&       \
                (unsigned long long)(a) <= (unsigned long long)(to))
#define assert_string_equal(a, b)                                              \
    do                                                                         \
        if (strcmp(a, b)) fail_msg("%s\nis not\n%s", a, b);                    \
    while (0)

static inline int cmocka_run_group_tests(const struct CMUnitTest *t,
                                         int (*set_up)(void **),
                                         int (*tear_down)(void **)) {
    volatile int n = 0;
    void *volatile state = NULL;
    (void)tear_down;
    if (set_up) {
        void *made = NULL;
        if (set_up(&made) != 0) fail_msg("no set-up");
        state = made;
    }
    for (; t[n].name; n++) {
        void *own = state;
        if (!setjmp(cmocka_left)) t[n].test(&own);
        printf("%s\n", t[n].name);
    }
    printf("%d tests passed\n", n);
    return n == 0;
}

/* SPDX-License-Identifier: MIT
 *
 * test_devices_plan.c: which elements a device has, the least time that a scan
 * across devices can take, and the sums that the host compares outputs with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "devices_plan.h"
#include "oracle.h"

static void has_every_element_once(const struct devices_layout *l) {
    unsigned char *seen = calloc(l->n + 1, 1);
    size_t all = 0;
    assert_non_null(seen);
    for (int d = 0; d < l->devices; d++) {
        size_t n = devices_part(l, d), before = 0;
        all += n;
        for (size_t k = 0; k < n; k++) {
            size_t at = devices_index(l, d, k);
            assert_true(at < l->n && !seen[at]);
            assert_true(k == 0 || at > before);
            seen[at] = 1;
            before = at;
        }
    }
    assert_int_equal(all, l->n);
    free(seen);
}

static void every_element_is_on_one_device(void **state) {
    const size_t ns[] = {0, 1, 63, 64, 65, 1000, 4096, 100003};
    const size_t chunks[] = {0, 1, 7, 64, 1024};
    (void)state;
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
            for (int g = 1; g <= DEVICES_MOST; g++)
                has_every_element_once(
                    &(struct devices_layout){g, ns[i], chunks[c]});
}

static void only_the_last_parts_are_shorter(void **state) {
    (void)state;
    for (size_t n = 1; n < 5000; n += 37)
        for (int g = 1; g <= 8; g++) {
            struct devices_layout l = {g, n, 0};
            for (int d = 1; d < g; d++)
                assert_true(devices_part(&l, d) <= devices_part(&l, d - 1));
        }
}

static void chunks_are_counted(void **state) {
    (void)state;
    assert_int_equal(devices_chunks(&(struct devices_layout){2, 1000, 0}), 1);
    assert_int_equal(devices_chunks(&(struct devices_layout){2, 1000, 100}), 5);
    assert_int_equal(devices_chunks(&(struct devices_layout){2, 1001, 100}), 6);
}

static double bound(bool dealt, int devices, double bytes, double copy_us) {
    return devices_bound_us(&devices_h200, dealt, devices, bytes, copy_us);
}

static void long_parts_take_a_copy_and_a_half(void **state) {
    (void)state;
    for (double bytes = 512e6; bytes < 8e9; bytes *= 2) {
        double copy = 2 * bytes / devices_h200.read;
        double is = bound(false, 2, bytes, copy) / copy;
        assert_true(is > 1.45 && is < 1.51);
        assert_true(bound(true, 4, bytes, copy) / copy < 1.01);
    }
}

static void what_is_held_is_read_once(void **state) {
    (void)state;
    double alone = bound(false, 1, 16e6, 12.0), two = bound(false, 2, 16e6, 12);
    assert_true(alone == 12.0 && two > 14.0 && two < 14.5);
    assert_true(bound(false, 2, 16e6, 12) == bound(true, 2, 16e6, 12));
    /* And what is a little longer, not. */
    assert_true(bound(false, 2, 40e6, 20) > bound(true, 2, 40e6, 20) + 2.5);
}

static void the_oracle_is_a_sum(void **state) {
    enum { N = 40 * ORACLE_STEP };
    uint64_t before[N / ORACLE_STEP + 1], sum = 0;
    (void)state;
    for (int type = ORACLE_INT32; type <= ORACLE_FLOAT; type++)
        for (int threads = 1; threads < 60; threads += 19) {
            uint64_t most = oracle_sums(type, N, before, threads);
            sum = 0;
            for (size_t i = 0; i < N; i++) {
                if (i % ORACLE_STEP == 0)
                    assert_true(before[i / ORACLE_STEP] == sum);
                sum += oracle_item(type, i);
            }
            assert_true(before[N / ORACLE_STEP] == sum);
            if (type == ORACLE_FLOAT) assert_true(most < 63 * N);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_on_one_device),
        cmocka_unit_test(only_the_last_parts_are_shorter),
        cmocka_unit_test(chunks_are_counted),
        cmocka_unit_test(long_parts_take_a_copy_and_a_half),
        cmocka_unit_test(what_is_held_is_read_once),
        cmocka_unit_test(the_oracle_is_a_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

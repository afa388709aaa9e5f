/* SPDX-License-Identifier: MIT
 *
 * test_contents.c: what device memory holds before anybody writes to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vgpu.h"

enum { SMALL = 1000, BIG = 5 << 20, EVEN_BIGGER = 70 << 20 };

static vgpu_device *opened(const char *contents, unsigned checks) {
    struct vgpu_options o = {.checks = checks};
    assert_true(vgpu_parse_contents(contents, &o));
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    return d;
}

static uint64_t room(vgpu_device *d, size_t bytes) {
    uint64_t a;
    assert_int_equal(vgpu_malloc(d, bytes, &a), VGPU_OK);
    return a;
}

static uint32_t *contents(vgpu_device *d, uint64_t a, size_t bytes) {
    uint32_t *words = malloc(bytes);
    assert_non_null(words);
    assert_int_equal(vgpu_read(d, words, a, bytes), VGPU_OK);
    return words;
}

static void count_zeros(const char *how, size_t bytes, bool all) {
    vgpu_device *d = opened(how, 0);
    uint32_t *words = contents(d, room(d, bytes), bytes);
    size_t zeros = 0;
    for (size_t k = 0; k < bytes / 4; k++) zeros += !words[k];
    assert_int_equal(zeros, all ? bytes / 4 : 0);
    free(words);
    vgpu_close(d);
}

static void no_word_is_zero_unless_asked(void **state) {
    (void)state;
    static const size_t sizes[] = {4, SMALL, BIG, EVEN_BIGGER};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        count_zeros("left", sizes[k], false);
        count_zeros("random:3", sizes[k], false);
        count_zeros("zeros", sizes[k], true);
    }
}

static bool equal(const char *first, const char *second, size_t bytes) {
    vgpu_device *a = opened(first, 0), *b = opened(second, 0);
    uint32_t *of_a = contents(a, room(a, bytes), bytes);
    uint32_t *of_b = contents(b, room(b, bytes), bytes);
    bool same = !memcmp(of_a, of_b, bytes);
    free(of_a);
    free(of_b);
    vgpu_close(a);
    vgpu_close(b);
    return same;
}

static void the_seed_decides(void **state) {
    (void)state;
    assert_true(equal("left:7", "left:7", SMALL));
    assert_true(equal("left:7", "random:7", BIG));
    assert_false(equal("left:7", "left:8", SMALL));
    assert_false(equal("random:7", "random:8", BIG));
}

/* Frees bytes of value 1, and allocates `bytes` again: how many are 1? */
static size_t come_back(const char *how, size_t freed, size_t bytes) {
    vgpu_device *d = opened(how, 0);
    uint64_t a = room(d, freed);
    assert_int_equal(vgpu_fill(d, a, 1, freed), VGPU_OK);
    assert_int_equal(vgpu_free(d, a), VGPU_OK);
    uint8_t *words = (uint8_t *)contents(d, room(d, bytes), bytes);
    size_t n = 0;
    for (size_t k = 0; k < bytes; k++) n += words[k] == 1;
    free(words);
    vgpu_close(d);
    return n;
}

static void freed_memory_comes_back(void **state) {
    (void)state;
    assert_int_equal(come_back("left", SMALL, SMALL), SMALL);
    assert_int_equal(come_back("left", SMALL, SMALL / 2), SMALL / 2);
    assert_int_equal(come_back("left", BIG, BIG), BIG);
    assert_int_equal(come_back("left", BIG, BIG / 2), BIG / 2);
    assert_true(come_back("left", SMALL, BIG) < BIG);
    assert_true(come_back("random", SMALL, SMALL) < SMALL);
    assert_int_equal(come_back("zeros", SMALL, SMALL), 0);
}

/* Rounds of allocations of all sizes: nothing is lost, nothing given twice. */
static void many_come_and_go(void **state) {
    (void)state;
    vgpu_device *d = opened("left:1", 0);
    uint64_t held[24];
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t k = 0; k < 24; k++) {
            size_t bytes = 1u << (k + round) % 24;
            held[k] = room(d, bytes);
            assert_int_equal(vgpu_fill(d, held[k], (int)k, bytes), VGPU_OK);
        }
        for (uint32_t k = 0; k < 24; k++) {
            uint8_t byte;
            assert_int_equal(vgpu_read(d, &byte, held[k], 1), VGPU_OK);
            assert_int_equal(byte, k);
            assert_int_equal(vgpu_free(d, held[k]), VGPU_OK);
        }
    }
    vgpu_close(d);
}

static void variables_begin_with_zeros(void **state) {
    (void)state;
    static const char text[] = ".version 9.0\n.target sm_75\n"
                               ".address_size 64\n.global .u32 x[64];\n";
    vgpu_device *d = opened("left:1", 0);
    uint64_t a = room(d, 256);
    size_t bytes;
    vgpu_module *m;
    assert_int_equal(vgpu_fill(d, a, 9, 256), VGPU_OK);
    assert_int_equal(vgpu_free(d, a), VGPU_OK);
    assert_int_equal(vgpu_module_load(d, text, sizeof text, &m), VGPU_OK);
    assert_int_equal(vgpu_module_symbol(m, "x", &a, &bytes), VGPU_OK);
    uint32_t *words = contents(d, a, bytes);
    for (size_t k = 0; k < bytes / 4; k++) assert_int_equal(words[k], 0);
    free(words);
    vgpu_close(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_word_is_zero_unless_asked),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(freed_memory_comes_back),
        cmocka_unit_test(many_come_and_go),
        cmocka_unit_test(variables_begin_with_zeros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

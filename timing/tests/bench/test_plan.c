/* SPDX-License-Identifier: MIT
 *
 * test_plan.c: what scanlab bench times, and how it writes it down. argv[1]:
 * the folder of labs; argv[2]: a file that may be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "peers.h"
#include "plan.h"
#include "rows.h"

static const char *labs_folder, *scratch;

static const struct group *find(const struct groups *g, int type, size_t n) {
    for (size_t i = 0; i < g->n; i++)
        if (g->items[i].type == type && g->items[i].n == n) return &g->items[i];
    return NULL;
}

static void full_has_all_sizes_once(void **state) {
    const struct plan_filter filter = {
        .full = true, .operation = -1, .type = -1};
    struct groups g;
    (void)state;
    assert_true(groups_plan(&g, &filter));
    for (int e = 10; e <= 30; e++)
        assert_non_null(find(&g, BENCH_TYPE_int32, (size_t)1 << e));
    assert_non_null(find(&g, BENCH_TYPE_double, 1000000000));
    assert_null(find(&g, BENCH_TYPE_int8, 1000000000));
    assert_non_null(find(&g, BENCH_TYPE_int8, (size_t)1 << 28));
    for (size_t i = 1; i < g.n; i++) {
        assert_true(g.items[i - 1].n * type_bytes(g.items[i - 1].type) >=
                    g.items[i].n * type_bytes(g.items[i].type));
        assert_false(g.items[i - 1].n == g.items[i].n &&
                     g.items[i - 1].type == g.items[i].type);
    }
    int widths[8];
    assert_int_equal(plan_widths(&filter,
                                 find(&g, BENCH_TYPE_int32, (size_t)1 << 28),
                                 widths),
                     8);
    assert_int_equal(
        plan_widths(&filter, find(&g, BENCH_TYPE_int32, 1000), widths), 1);
    groups_free(&g);
}

static void filters_leave_one(void **state) {
    const size_t sizes[] = {4097};
    const struct plan_filter filter = {.operation = BENCH_sort_keys,
                                       .type = BENCH_TYPE_int16,
                                       .sizes = sizes,
                                       .n_sizes = 1};
    struct groups g;
    (void)state;
    assert_true(groups_plan(&g, &filter));
    assert_int_equal(g.n, 1);
    assert_int_equal(g.items[0].type, BENCH_TYPE_int16);
    assert_int_equal(g.items[0].n, 4097);
    groups_free(&g);
}

/* Every CUDA lab that does not say `untimed` has something to time, each of its
 * cells once or, where a first function counts, more often. */
static void every_lab_performs(void **state) {
    struct lab **labs;
    struct lab_error error;
    size_t n;
    (void)state;
    assert_true(labs_read(labs_folder, &labs, &n, &error));
    for (size_t i = 0; i < n; i++) {
        size_t found = 0, untimed = 0;
        for (size_t k = 0; k < labs[i]->n_functions; k++) {
            struct performer p = {0};
            untimed += labs[i]->functions[k].untimed;
            found += performer_of_function(&p, &labs[i]->functions[k]);
        }
        /* Of lab 9 nothing is: its arrays lie on several devices. */
        if (labs[i]->language == LAB_CUDA && found == 0 &&
            untimed < labs[i]->n_functions)
            fail_msg("lab %s has nothing to time", labs[i]->id);
    }
    labs_free(labs, n);
}

static void samples_become_quartiles(void **state) {
    double samples[] = {50, 10, 40, 20, 30};
    struct row row = {0};
    (void)state;
    row_of_samples(&row, samples, 5);
    assert_true(row.median == 30 && row.q1 == 20 && row.q3 == 40);
    assert_true(row.least == 10);
    assert_int_equal(row.repeats, 5);
}

static size_t newer_of(const struct plan_filter *f, bool fetched, size_t *all) {
    const struct unit *units[UNITS_MOST];
    size_t newer = 0;
    *all = peers_units(f, fetched, units);
    for (size_t i = 0; i < *all; i++) newer += units[i]->newer_cub;
    return newer;
}

static void a_newer_cub_is_timed_where_it_was_fetched(void **state) {
    const struct plan_filter doubles = {.operation = BENCH_inclusive_sum,
                                        .type = BENCH_TYPE_double};
    const struct plan_filter sorts = {.operation = BENCH_sort_keys, .type = -1};
    size_t without, with;
    (void)state;
    assert_int_equal(newer_of(NULL, false, &without), 0);
    assert_int_equal(newer_of(NULL, true, &with), 6); /* tuples of two types */
    assert_int_equal(with - without, 6);
    assert_int_equal(newer_of(&doubles, true, &with), 1);
    assert_int_equal(newer_of(&sorts, true, &with), 0);
}

static void only_one_function_is_for_double_too(void **state) {
    struct performer f = {.type = BENCH_TYPE_float, .most_tuple = 8}, d;
    (void)state;
    snprintf(f.turn.symbol, sizeof f.turn.symbol, "sam_scan_i32");
    assert_false(performer_of_double(&d, &f));
    snprintf(f.turn.symbol, sizeof f.turn.symbol, "sam_scan_f32");
    assert_true(performer_of_double(&d, &f));
    assert_int_equal(d.type, BENCH_TYPE_double);
    assert_int_equal(d.most_tuple, 8);
    assert_string_equal(d.turn.symbol, "sam_scan_f64");
}

static void the_file_is_as_described(void **state) {
    struct rows rows;
    struct row row = {
        .who = "cub",
        .cell = {BENCH_inclusive_sum, BENCH_TYPE_int64, 2, 1, 4096},
        .repeats = 7,
        .median = 1234.4,
        .q1 = 1200,
        .q3 = 1300,
        .least = 1100,
        .bytes = 65536,
        .ok = true};
    char text[1024];
    (void)state;
    assert_true(rows_open(&rows, scratch));
    assert_true(rows_head(&rows, "machine", "one"));
    assert_true(rows_names(&rows));
    assert_true(rows_add(&rows, &row));
    row.ok = false;
    assert_true(rows_add(&rows, &row));
    rows_note(&rows, "cub", &row.cell, "too slow\nsecond line");
    row.cell.n = 8192;
    rows_note(&rows, "cub", &row.cell, "too slow");
    assert_int_not_equal(access(scratch, F_OK), 0); /* not before it is whole */
    assert_true(rows_close(&rows));
    rows_free(&rows);
    FILE *file = fopen(scratch, "r");
    assert_non_null(file);
    size_t got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    fclose(file);
    unlink(scratch);
    assert_string_equal(
        text, "# machine: one\n"
              "who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,"
              "min_ns,bytes,ok\n"
              "cub,inclusive_sum,int64,2,1,4096,7,1234,1200,1300,1100,65536,1\n"
              "cub,inclusive_sum,int64,2,1,4096,7,1234,1200,1300,1100,65536,0\n"
              "# note: cub, inclusive_sum int64 order 2 tuple 1: too slow (n = "
              "4096, 8192)\n");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_has_all_sizes_once),
        cmocka_unit_test(filters_leave_one),
        cmocka_unit_test(every_lab_performs),
        cmocka_unit_test(samples_become_quartiles),
        cmocka_unit_test(a_newer_cub_is_timed_where_it_was_fetched),
        cmocka_unit_test(only_one_function_is_for_double_too),
        cmocka_unit_test(the_file_is_as_described)};
    if (argc != 3) return 2;
    labs_folder = argv[1];
    scratch = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}

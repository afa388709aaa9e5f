/* SPDX-License-Identifier: MIT
 *
 * test_worker.c: the measuring process of scanlab bench on the virtual GPU:
 * what it lets pass as right, and what it must not. argv: worker (a program
 * that starts it), library of functions.cu, library of peers_copy.cu, worker on
 * a GPU of little memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "worker.h"

enum { LIMIT_MS = 60000, FUNCTIONS, COPIES };

static const char *paths[4];
static struct worker worker;

static int open_worker(void **state) {
    char why[BENCH_TEXT] = "";
    const char *program = state && *state ? *state : paths[0];
    worker = (struct worker){.program = program, .toolkit = "", .fd = -1};
    bool ok = worker_start(&worker, why) &&
              worker_load(&worker, paths[1], why) == 0 &&
              worker_load(&worker, paths[2], why) == 1;
    if (!ok) fprintf(stderr, "%s\n", why);
    return ok ? 0 : -1;
}

static int close_worker(void **state) {
    (void)state;
    worker_free(&worker);
    return 0;
}

static struct bench_answer take_turn(struct bench_turn turn, int library) {
    struct bench_ask ask = {
        .kind = BENCH_TURN, .library = (uint32_t)library, .turn = turn};
    struct bench_answer answer;
    ask.turn.calls = 2;
    ask.turn.seed = 12345;
    ask.turn.parameters[PARAMETER_order] = turn.cell.order;
    ask.turn.parameters[PARAMETER_tuple] = turn.cell.tuple;
    assert_int_equal(worker_ask(&worker, &ask, &answer, LIMIT_MS),
                     WORKER_ANSWERED);
    return answer;
}

static const struct {
    const char *symbol;
    int operation, type, order, tuple, signature;
    bool right;
} turns[] = {
#define SAM SIGNATURE_sam_i32
    {"sam_RIGHT", BENCH_inclusive_sum, BENCH_TYPE_int32, 1, 1, SAM, true},
    {"sam_RIGHT", BENCH_inclusive_sum, BENCH_TYPE_int32, 8, 1, SAM, true},
    {"sam_RIGHT", BENCH_inclusive_sum, BENCH_TYPE_int32, 2, 3, SAM, true},
    {"sam_ONE_OFF", BENCH_inclusive_sum, BENCH_TYPE_int32, 1, 1, SAM, false},
    {"sam_ONE_OFF", BENCH_inclusive_sum, BENCH_TYPE_int32, 8, 1, SAM, false},
    {"sam_TAIL", BENCH_inclusive_sum, BENCH_TYPE_int32, 1, 2, SAM, false},
    {"sam_NOTHING", BENCH_inclusive_sum, BENCH_TYPE_int32, 1, 1, SAM, false},
    {"wide_RIGHT", BENCH_inclusive_sum, BENCH_TYPE_int64, 3, 2,
     SIGNATURE_sam_i64, true},
    {"wide_ONE_OFF", BENCH_inclusive_sum, BENCH_TYPE_int64, 3, 2,
     SIGNATURE_sam_i64, false},
    {"floats_RIGHT", BENCH_inclusive_sum, BENCH_TYPE_float, 1, 1,
     SIGNATURE_sam_f32, true},
    {"floats_ONE_OFF", BENCH_inclusive_sum, BENCH_TYPE_float, 1, 1,
     SIGNATURE_sam_f32, false},
    {"exclusive_RIGHT", BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_scan_cuda, true},
    {"exclusive_TAIL", BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_scan_cuda, false},
    /* An inclusive scan is no exclusive one. */
    {"sam_RIGHT", BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1, SAM, false},
    {"encode_RIGHT", BENCH_encode, BENCH_TYPE_int32, 4, 3, SAM, true},
    {"encode_ONE_OFF", BENCH_encode, BENCH_TYPE_int32, 4, 3, SAM, false},
    {"select_RIGHT", BENCH_select_half, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_select, true},
    {"select_COUNT", BENCH_select_half, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_select, false},
    {"select_NOT_STABLE", BENCH_select_half, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_select, false},
    {"partition_RIGHT", BENCH_partition_half, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_select, true},
    /* A selection leaves the others out. */
    {"select_RIGHT", BENCH_partition_half, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_select, false},
    {"runs_RIGHT", BENCH_run_length, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_run_length, true},
    {"runs_ONE_OFF", BENCH_run_length, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_run_length, false},
    {"runs_COUNT", BENCH_run_length, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_run_length, false},
    {"by_key_RIGHT", BENCH_reduce_by_key, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_by_key, true},
    {"by_key_ONE_OFF", BENCH_reduce_by_key, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_by_key, false},
    {"sort_RIGHT", BENCH_sort_keys, BENCH_TYPE_int32, 1, 1, SIGNATURE_sort_u32,
     true},
    {"sort_LOST", BENCH_sort_keys, BENCH_TYPE_int32, 1, 1, SIGNATURE_sort_u32,
     false},
    {"pairs_RIGHT", BENCH_sort_pairs, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_sort_pairs_u32, true},
    {"pairs_NOT_STABLE", BENCH_sort_pairs, BENCH_TYPE_int32, 1, 1,
     SIGNATURE_sort_pairs_u32, false}};

static void right_and_wrong_are_told_apart(void **state) {
    static const uint64_t sizes[] = {33, 1025};
    (void)state;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct bench_turn turn = {.cell = {turns[i].operation,
                                               turns[i].type, turns[i].order,
                                               turns[i].tuple, sizes[k]},
                                      .signature = turns[i].signature};
            snprintf(turn.symbol, sizeof turn.symbol, "%s", turns[i].symbol);
            struct bench_answer answer = take_turn(turn, 0);
            bool right = answer.u.turn.wrong == 0;
            if (answer.status == BENCH_OK && right == turns[i].right) continue;
            fail_msg("%s, operation %d, order %d, tuple %d, n = %d: status %u "
                     "(%s), %llu wrong",
                     turns[i].symbol, turns[i].operation, turns[i].order,
                     turns[i].tuple, (int)sizes[k], answer.status, answer.text,
                     (unsigned long long)answer.u.turn.wrong);
        }
}

static void bytes_are_the_fewest(void **state) {
    struct bench_turn turn = {
        .cell = {BENCH_inclusive_sum, BENCH_TYPE_int64, 1, 1, 1000},
        .signature = SIGNATURE_sam_i64,
        .symbol = "wide_RIGHT"};
    (void)state;
    assert_int_equal(take_turn(turn, 0).u.turn.bytes, 16000);
    turn.cell.operation = BENCH_select_half;
    turn.cell.type = BENCH_TYPE_int32;
    turn.signature = SIGNATURE_select;
    strcpy(turn.symbol, "select_RIGHT");
    uint64_t bytes = take_turn(turn, 0).u.turn.bytes;
    assert_true(bytes > 4000 + 4 * 400 && bytes < 4000 + 4 * 600);
}

static void peers_have_a_table(void **state) {
    struct bench_ask ask = {.kind = BENCH_PEERS, .library = 1};
    struct bench_answer answer;
    (void)state;
    assert_int_equal(worker_ask(&worker, &ask, &answer, LIMIT_MS),
                     WORKER_ANSWERED);
    assert_int_equal(answer.value, 2 * BENCH_N_TYPES);
    assert_string_equal(answer.u.peer.who, "memcpy");
    for (int peer = 0; peer < 2 * BENCH_N_TYPES; peer++) {
        struct bench_turn turn = {.cell = {BENCH_copy, peer / 2, 1, 1, 1001},
                                  .signature = -1,
                                  .peer = peer};
        answer = take_turn(turn, 1);
        assert_int_equal(answer.status, BENCH_OK);
        assert_int_equal(answer.u.turn.wrong, 0);
        assert_true(answer.u.turn.ms[0] > 0);
        /* A copy is no scan. */
        turn.cell.operation = BENCH_inclusive_sum;
        assert_true(take_turn(turn, 1).u.turn.wrong > 0);
    }
}

static void what_is_not_there_is_told(void **state) {
    struct bench_turn turn = {
        .cell = {BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1, 10},
        .signature = SIGNATURE_scan_cuda,
        .symbol = "nobody"};
    char why[BENCH_TEXT];
    (void)state;
    assert_int_equal(take_turn(turn, 0).status, BENCH_NO_SYMBOL);
    assert_int_equal(worker_load(&worker, "/nowhere.so", why), -1);
    assert_non_null(strstr(why, "nowhere.so"));
    /* A size of many terabytes does not fit; the next turn does. */
    strcpy(turn.symbol, "exclusive_RIGHT");
    turn.cell.n = (uint64_t)1 << 42;
    assert_int_equal(take_turn(turn, 0).status, BENCH_NO_ROOM);
    turn.cell.n = 100;
    assert_int_equal(take_turn(turn, 0).status, BENCH_OK);
}

/* On a GPU of 896 MiB, where 24 MiB are a large array: they are given back when
 * the turn ends, for other contestants' processes. */
static void large_arrays_are_given_back(void **state) {
    struct bench_turn large = {
        .cell = {BENCH_copy, BENCH_TYPE_int32, 1, 1, 2 << 20},
        .signature = -1,
        .peer = 2 * BENCH_TYPE_int32};
    struct bench_turn small = {
        .cell = {BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1, 100},
        .signature = SIGNATURE_scan_cuda,
        .symbol = "room_left"};
    struct worker other = worker;
    void *little = (void *)paths[3];
    (void)state;
    assert_int_equal(open_worker(&little), 0);
    struct bench_answer before = take_turn(small, 0),
                        copy = take_turn(large, 1), after = take_turn(small, 0);
    close_worker(NULL);
    worker = other;
    assert_int_equal(copy.status, BENCH_OK);
    assert_int_equal(copy.u.turn.wrong, 0);
    assert_int_equal(before.value, after.value);
    assert_int_equal(before.status, BENCH_OK);
    assert_int_equal(after.status, BENCH_OK);
}

static void it_starts_again_with_what_it_had(void **state) {
    struct bench_turn turn = {
        .cell = {BENCH_exclusive_sum, BENCH_TYPE_int32, 1, 1, 10},
        .signature = SIGNATURE_scan_cuda,
        .symbol = "exclusive_RIGHT"};
    char why[BENCH_TEXT];
    (void)state;
    worker_stop(&worker);
    assert_true(worker_again(&worker, why));
    assert_int_equal(take_turn(turn, 0).u.turn.wrong, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_and_wrong_are_told_apart),
        cmocka_unit_test(bytes_are_the_fewest),
        cmocka_unit_test(peers_have_a_table),
        cmocka_unit_test(what_is_not_there_is_told),
        cmocka_unit_test(large_arrays_are_given_back),
        cmocka_unit_test(it_starts_again_with_what_it_had)};
    if (argc != 5) return 2;
    for (int i = 0; i < 4; i++) paths[i] = argv[i + 1];
    return cmocka_run_group_tests(tests, open_worker, close_worker);
}

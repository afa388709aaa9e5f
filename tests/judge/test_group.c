/* SPDX-License-Identifier: MIT
 *
 * test_group.c: a compiler's time is its own: what others take of a processor
 * never ends it, however long that is; who computes or sleeps without end ends.
 */
#include <signal.h>
#include <stdbool.h>

#include "command.h"
#include "crowd.h"
#include "group.h"
#include "time_limit.h"
#include "unit.h"

/* ---- the rule, by a clock of ours ---- */

enum { LIMIT = 1000, HOUR = 3600 * 1000 };

/* It is awake at `awake` of `of` looks, and computes so much at each of these;
 * when it is late, or at most an hour. */
static long long late_at(int awake, int of, double share) {
    struct group_limit limit;
    struct group_state seen = {.processes = 1};
    double computed = 0;
    long long now = 0;
    group_limit_start(&limit, LIMIT, now);
    for (int i = 0; now < HOUR; i++) {
        now += GROUP_LOOK_MS;
        seen.is_awake = i % of < awake;
        if (seen.is_awake) computed += GROUP_LOOK_MS * share;
        seen.computed = (long long)computed;
        if (group_limit_reached(&limit, &seen, now)) break;
    }
    return now;
}

TEST(who_waits_for_a_processor_is_not_late) {
    assert_int_equal(late_at(1, 1, 0.0001), HOUR);
    /* Seen between two stages at each third look. */
    assert_int_equal(late_at(2, 3, 0.0001), HOUR);
}

TEST(who_has_computed_for_the_limit_is_late) {
    assert_in_range(late_at(1, 1, 1), LIMIT, LIMIT + 2 * GROUP_LOOK_MS);
    assert_in_range(late_at(1, 1, 0.1), 10 * LIMIT, 11 * LIMIT);
}

TEST(who_sleeps_for_the_limit_is_late) {
    assert_in_range(late_at(0, 1, 0), LIMIT, LIMIT + GROUP_LOOK_MS);
    assert_in_range(late_at(1, 4, 0.1), LIMIT, 3 * LIMIT);
}

/* A suspended machine, a judge that gets no processor either. */
TEST(time_in_which_nobody_looks_does_not_count) {
    struct group_limit limit;
    const struct group_state asleep = {.processes = 1};
    group_limit_start(&limit, LIMIT, 0);
    assert_false(group_limit_reached(&limit, &asleep, HOUR));
    assert_false(group_limit_reached(&limit, &asleep, 2 * HOUR));
    assert_true(group_limit_reached(&limit, &asleep, 3 * HOUR));
}

TEST(what_ends_between_two_reads_of_a_look_counts_once) {
    struct group_limit limit;
    struct group_state seen = {
        .processes = 2, .computed = 700, .is_awake = true};
    group_limit_start(&limit, LIMIT, 0);
    assert_false(group_limit_reached(&limit, &seen, 700));
    seen.computed = 1400; /* as an ended child's, and as its parent's */
    assert_false(group_limit_reached(&limit, &seen, 900));
    seen.computed = 710;
    assert_false(group_limit_reached(&limit, &seen, 1100));
}

/* ---- processes ---- */

static enum command_stop run(const char *script, unsigned limit_ms,
                             long long *took) {
    const char *const words[] = {"sh", "-c", script, NULL};
    struct command c = {
        .arguments = words, .limit_ms = limit_ms, .output_limit = 100};
    long long start = clock_ms();
    command_run(&c);
    *took = clock_ms() - start;
    text_free(&c.output);
    return c.stopped;
}

/* A stage takes some 10 ms of a processor. */
#define STAGE    "sh -c 'i=0; while [ $i -lt 7000 ]; do i=$((i+1)); done'; "
#define TIMES(n) "k=0; while [ $k -lt " n " ]; do k=$((k+1)); " STAGE "done"

/* 0.2 s of a tenth of a processor; most of the rest its stages stand in a
 * queue, of which nobody knows once they have ended. */
TEST(short_stages_beside_others_are_not_late) {
    enum { OTHERS = 15 };
    long long took;
    struct crowd crowd = crowd_begin(OTHERS);
    enum command_stop stopped = run(TIMES("12"), 800, &took);
    crowd_end(&crowd);
    assert_int_equal(stopped, COMMAND_ENDED);
}

TEST(short_stages_without_end_are_late) {
    long long took;
    assert_int_equal(run("while :; do " STAGE "done", 300, &took),
                     COMMAND_LATE);
}

/* Beside others, too, when they have had their time. */
TEST(a_bomb_beside_others_is_late) {
    enum { OTHERS = 4 };
    long long took;
    struct crowd crowd = crowd_begin(OTHERS);
    enum command_stop stopped = run("while :; do " STAGE "done", 300, &took);
    crowd_end(&crowd);
    assert_int_equal(stopped, COMMAND_LATE);
}

TEST(who_was_stopped_may_go_on) {
    long long took;
    assert_int_equal(
        run("(sleep 1; kill -CONT $$) & kill -STOP $$", 300, &took),
        COMMAND_ENDED);
    assert_true(took >= 1000);
}

TEST(short_sleeps_without_end_are_late) {
    long long took;
    assert_int_equal(run("while :; do sleep 0.3; done", 500, &took),
                     COMMAND_LATE);
}

UNIT_MAIN(NULL, NULL)

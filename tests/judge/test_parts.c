/* SPDX-License-Identifier: MIT
 *
 * test_parts.c: the judge's helpers: commands, buffers, spread of ratios.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "device_buffers.h"
#include "command.h"
#include "speed.h"
#include "time_limit.h"
#include "tree.h"
#include "fast.h"
#include "unit.h"

/* ---- command ---- */

TEST(command_gives_output_and_status) {
    const char *const words[] = {"sh", "-c", "echo out; echo err >&2; exit 3",
                                 NULL};
    struct command c = {
        .arguments = words, .limit_ms = 10000, .output_limit = 100};
    assert_false(command_run(&c));
    assert_int_equal(WEXITSTATUS(c.status), 3);
    assert_string_equal(c.output.bytes, "out\nerr\n");
    text_free(&c.output);
}

TEST(command_and_its_children_end_at_the_limit) {
    const char *const words[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
    struct command c = {
        .arguments = words, .limit_ms = 200, .output_limit = 100};
    long long start = clock_ms();
    assert_false(command_run(&c));
    assert_int_equal(c.stopped, COMMAND_LATE);
    assert_true(clock_ms() - start < 30000);
    text_free(&c.output);
}

TEST(command_output_is_limited) {
    const char *const words[] = {"sh", "-c", "yes | head -c 1000000", NULL};
    struct command c = {
        .arguments = words, .limit_ms = 20000, .output_limit = 1000};
    assert_true(command_run(&c));
    assert_int_equal(c.output.size, 1000);
    text_free(&c.output);
}

TEST(command_that_goes_on_and_on_is_stopped) {
    const char *const words[] = {"sh", "-c", "yes & sleep 60", NULL};
    struct command c = {.arguments = words,
                        .limit_ms = 60000,
                        .output_limit = 1000,
                        .ends_when_full = true};
    assert_false(command_run(&c));
    assert_int_equal(c.stopped, COMMAND_TALK);
    assert_int_equal(c.output.size, 1000);
    text_free(&c.output);
}

TEST(command_ends_with_the_whole) {
    const char *const words[] = {"sleep", "60", NULL};
    struct command c = {.arguments = words,
                        .limit_ms = 60000,
                        .until = clock_ms() + 100,
                        .output_limit = 100};
    assert_false(command_run(&c));
    assert_int_equal(c.stopped, COMMAND_LATE);
}

/* In a folder that it may fill with a little. */
static struct command filling(const char *const *words,
                              const char *const *folders) {
    return (struct command){.arguments = words,
                            .folder = folders[0],
                            .limit_ms = 60000,
                            .output_limit = 100,
                            .folders = folders,
                            .most_files = 200,
                            .most_disk_mib = 4};
}

/* Many files, a large one, deep folders; and a few small ones. */
TEST(command_that_fills_folders_is_stopped) {
    static const struct {
        const char *script;
        enum command_stop stopped;
    } rows[] = {{"for i in $(seq 300); do : >$i; done; sleep 60", COMMAND_DISK},
                {"head -c 5000000 /dev/zero >x; sleep 60", COMMAND_DISK},
                {"i=0; while [ $i -lt 20 ]; do mkdir d; cd d; i=$((i+1)); done;"
                 "sleep 60",
                 COMMAND_DISK},
                {"mkdir -p d/e; for i in 1 2 3; do echo >d/e/$i; done; sleep 1",
                 COMMAND_ENDED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[] = "/tmp/scanlab-command.XXXXXX";
        assert_non_null(mkdtemp(folder));
        const char *const words[] = {"sh", "-c", rows[i].script, NULL};
        const char *const folders[] = {folder, NULL};
        struct command c = filling(words, folders);
        command_run(&c);
        assert_int_equal(c.stopped, rows[i].stopped);
        text_free(&c.output);
        tree_remove(folder);
    }
}

/* What runs beside one that is waited for is stopped in time, not when its turn
 * comes. */
TEST(command_beside_another_is_stopped) {
    char folder[] = "/tmp/scanlab-command.XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *const fills[] = {
        "sh", "-c", "head -c 5000000 /dev/zero >x; sleep 60", NULL};
    const char *const folders[] = {folder, NULL};
    struct command full = filling(fills, folders);
    struct command_run full_run, run;
    assert_int_equal(command_start(&full, &full_run), 0);
    const char *const slow[] = {"sleep", "2", NULL};
    struct command c = {.arguments = slow,
                        .limit_ms = 60000,
                        .output_limit = 100,
                        .beside = &full,
                        .beside_run = &full_run};
    assert_int_equal(command_start(&c, &run), 0);
    command_finish(&c, &run);
    assert_true(command_worked(&c));
    assert_int_equal(full.stopped, COMMAND_DISK);
    command_finish(&full, &full_run);
    assert_int_equal(full.stopped, COMMAND_DISK);
    assert_true(WIFSIGNALED(full.status));
    text_free(&c.output);
    text_free(&full.output);
    tree_remove(folder);
}

TEST(missing_command_is_an_error) {
    const char *const words[] = {"no-such-program-here", NULL};
    struct command c = {.arguments = words, .limit_ms = 1000};
    struct command_run run;
    assert_int_not_equal(command_start(&c, &run), 0);
}

/* ---- arena ---- */

TEST(tight_buffers_end_at_the_wall) {
    struct arena a;
    size_t page = (size_t)getpagesize();
    for (size_t n = 0; n < 3000; n += 333) {
        assert_true(arena_open(&a, n, n, 0, false));
        assert_int_equal(a.in.data + n * 4, a.in.bytes - page);
        assert_int_equal(a.out.data + n * 4, a.out.bytes - page);
        arena_close(&a);
    }
}

TEST(misaligned_buffers_start_after_256) {
    struct arena a;
    assert_true(arena_open(&a, 100, 100, 3, false));
    assert_int_equal(a.in.data % 256, 12);
    assert_int_equal(a.out.data % 256, 12);
    arena_close(&a);
}

TEST(damage_is_seen_on_both_sides) {
    struct arena a;
    int32_t in[10] = {1, 2, 3};
    long long at = 0;
    assert_true(arena_open(&a, 10, 10, 1, false));
    arena_fill(&a, in, 77);
    assert_int_equal(arena_damage(&a, &at), 0);
    assert_int_equal(arena_output(&a)[9], 77);
    memset(a.out.base + a.out.data, 0, 40); /* the elements are free */
    assert_int_equal(arena_damage(&a, &at), 0);
    a.out.base[a.out.data + 40] = 0;
    assert_int_equal(arena_damage(&a, &at), 1);
    assert_int_equal(at, 40);
    a.out.base[a.out.data - 4] = 0;
    assert_int_equal(arena_damage(&a, &at), 2);
    assert_int_equal(at, -4);
    arena_close(&a);
}

TEST(in_place_puts_the_input_into_the_output) {
    struct arena a;
    int32_t in[3] = {5, 6, 7};
    assert_true(arena_open(&a, 3, 3, 0, true));
    arena_fill(&a, in, 77);
    assert_memory_equal(arena_output(&a), in, sizeof in);
    arena_close(&a);
}

/* ---- limits on a slow machine ---- */

TEST(a_slow_machine_has_longer_limits) {
    static const struct {
        long long sample_ns;
        double slowness;
    } rows[] = {
        {0, 1}, /* not known */
        {1, 1},       {1000000, 1},   {1000001, 2},         {2000000, 2},
        {2600000, 4}, {20000000, 32}, {1000000000000LL, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(speed_slowness_of(rows[i].sample_ns) == rows[i].slowness);
}

TEST(this_machine_was_measured) {
    double slowness = speed_slowness();
    assert_true(slowness >= 1 && slowness < 1000);
    assert_int_equal(speed_limit(1000, 2.5), 2500);
    assert_int_equal(speed_limit(1000, 0), 1000); /* not measured */
}

/* 20 times its limit of 1 s has gone by, and it has computed for 0.1 s; 19 s of
 * it stood in the queue, where a group of processes may have little of a
 * processor, or slept between. */
static bool late_after_20_s(long long queued, bool wants) {
    struct time_limit t;
    struct effort none = {0},
                  now = {.computed = 100, .queued = queued, .wants = wants};
    time_limit_start(&t, 1000, none);
    t.start -= 20000;
    t.seen -= 20000;
    return time_limit_reached(&t, now);
}

TEST(who_has_little_of_a_processor_is_not_late) {
    assert_false(late_after_20_s(19000, true));
    assert_false(late_after_20_s(10500, true));
}

TEST(who_sleeps_between_is_late) {
    assert_true(late_after_20_s(0, true));
    assert_true(late_after_20_s(9000, true));
    assert_true(late_after_20_s(0, false));
}

/* ---- device_buffers ---- */

TEST(buffers_are_exact_poisoned_and_protected) {
    struct vgpu_options options = {.checks = VGPU_CHECK_ALL};
    vgpu_device *device = vgpu_open(&options, NULL);
    struct device_buffers c;
    int32_t in[5] = {1, 2, 3, 4, 5}, out[6];
    assert_non_null(device);
    assert_int_equal(
        device_buffers_open(&c, device, SIGNATURE_scan, 5, 1, false, NULL),
        VGPU_OK);
    assert_int_equal(c.parts[0].first[BUFFER_IN] % 256, 4);
    assert_int_equal(
        device_buffers_fill(&c, in, 99, (struct marked_input){.all = true}),
        VGPU_OK);
    assert_int_equal(device_buffers_output(&c, out), VGPU_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(out[i], 99);
    assert_int_not_equal(
        vgpu_read(device, out, c.parts[0].first[BUFFER_OUT], 6 * 4), VGPU_OK);
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_reset_counts(device);
    vgpu_counts(device, counts);
    assert_int_equal(counts[VGPU_COUNT_H2D_BYTES], 0);
    device_buffers_close(&c);
    vgpu_close(device);
}

TEST(two_inputs_and_two_outputs_are_four_buffers) {
    struct vgpu_options options = {.checks = VGPU_CHECK_ALL};
    vgpu_device *device = vgpu_open(&options, NULL);
    struct device_buffers c;
    /* Three keys, a word that belongs to nobody, three values. */
    int32_t in[7] = {1, 2, 3, -1, 4, 5, 6}, out[7] = {0}, back[3];
    assert_non_null(device);
    assert_int_equal(
        device_buffers_open(&c, device, SIGNATURE_by_key, 3, 0, false, NULL),
        VGPU_OK);
    assert_int_equal(
        device_buffers_fill(&c, in, 99, (struct marked_input){.all = true}),
        VGPU_OK);
    assert_int_equal(vgpu_read(device, back, c.parts[0].first[BUFFER_IN2], 12),
                     VGPU_OK);
    assert_memory_equal(back, in + 4, sizeof back);
    assert_int_equal(device_buffers_output(&c, out), VGPU_OK);
    assert_int_equal(out[2], 99);
    assert_int_equal(out[4], 99);
    for (int b = 0; b < N_BUFFERS; b++)
        assert_int_not_equal(vgpu_read(device, in, c.parts[0].first[b], 16),
                             VGPU_OK);
    device_buffers_close(&c);
    vgpu_close(device);
}

TEST(empty_card_has_real_pointers) {
    struct vgpu_options options = {.checks = VGPU_CHECK_ALL};
    vgpu_device *device = vgpu_open(&options, NULL);
    struct device_buffers c;
    int32_t none;
    assert_int_equal(
        device_buffers_open(&c, device, SIGNATURE_scan, 0, 0, false, NULL),
        VGPU_OK);
    assert_int_equal(
        device_buffers_fill(&c, &none, 1, (struct marked_input){.all = true}),
        VGPU_OK);
    assert_true(c.parts[0].first[BUFFER_IN] >= VGPU_ADDRESS_BASE &&
                c.parts[0].first[BUFFER_OUT] >= VGPU_ADDRESS_BASE);
    assert_int_not_equal(
        vgpu_read(device, &none, c.parts[0].first[BUFFER_OUT], 4), VGPU_OK);
    device_buffers_close(&c);
    vgpu_close(device);
}

TEST(parts_lie_on_a_gpu_each) {
    struct vgpu_options options = {.checks = VGPU_CHECK_ALL, .n_gpus = 4};
    vgpu_device *device = vgpu_open(&options, NULL);
    struct device_buffers c;
    struct parameters p;
    int32_t in[6] = {1, 2, 3, 4, 5, 6}, out[6], back[3];
    assert_non_null(device);
    parameters_usual(&p);
    p.value[PARAMETER_devices] = 4;
    p.value[PARAMETER_cut] = 3; /* ones */
    assert_int_equal(
        device_buffers_open(&c, device, SIGNATURE_parts, 6, 0, false, &p),
        VGPU_OK);
    assert_int_equal(c.n_parts, 4);
    assert_int_equal(c.parts[2].n, 1);
    assert_int_equal(c.parts[3].n, 3);
    assert_int_equal(
        device_buffers_fill(&c, in, 99, (struct marked_input){.all = true}),
        VGPU_OK);
    assert_int_equal(
        vgpu_read(device, back, c.parts[3].first[BUFFER_IN], sizeof back),
        VGPU_OK);
    assert_memory_equal(back, in + 3, sizeof back);
    assert_int_equal(device_buffers_output(&c, out), VGPU_OK);
    for (int i = 0; i < 6; i++) assert_int_equal(out[i], 99);
    assert_int_equal(device_buffers_word(&c, 2), c.parts[2].first[BUFFER_OUT]);
    assert_int_equal(device_buffers_word(&c, 5),
                     c.parts[3].first[BUFFER_OUT] + 8);
    assert_int_equal(vgpu_gpu(device), 0);
    device_buffers_close(&c);
    vgpu_close(device);
}

TEST(parts_of_every_cut_are_the_whole) {
    size_t lengths[WIRE_PARTS], unequal = 0;
    for (size_t n = 0; n < 40; n++)
        for (size_t devices = 1; devices <= WIRE_PARTS; devices++)
            for (int cut = 0; cut < 4; cut++) {
                size_t all = 0;
                parts_cut(n, devices, cut, lengths);
                for (size_t i = 0; i < devices; i++) all += lengths[i];
                assert_int_equal(all, n);
                unequal += cut == 1 && lengths[0] != lengths[devices - 1];
            }
    assert_true(unequal > 100);
    parts_cut(100, 4, 2, lengths); /* gaps */
    assert_int_equal(lengths[0], 0);
    assert_int_equal(lengths[1], 50);
    assert_int_equal(lengths[3], 50);
    parts_cut(2, 4, 3, lengths); /* ones */
    assert_int_equal(lengths[1], 1);
    assert_int_equal(lengths[3], 0);
}

/* ---- spread ---- */

TEST(spread_is_median_and_quartiles) {
    double ratios[] = {7, 1, 3, 5, 2, 6, 4};
    struct fast_spread s = fast_spread_of(ratios, 7);
    assert_true(s.low == 2 && s.median == 4 && s.high == 6);
    double one[] = {2.5};
    s = fast_spread_of(one, 1);
    assert_true(s.low == 2.5 && s.median == 2.5 && s.high == 2.5);
}

TEST(points_grow_between_two_ratios) {
    const struct lab_check ramp = {.ratio = 0.5, .full = 1.0},
                           step = {.ratio = 0.5};
    assert_true(fast_earned(&ramp, 0) == 0 && fast_earned(&ramp, 0.5) == 0);
    assert_true(fast_earned(&ramp, 0.75) == 0.5);
    assert_true(fast_earned(&ramp, 1.0) == 1 && fast_earned(&ramp, 7) == 1);
    assert_true(fast_earned(&step, 0.499) == 0);
    assert_true(fast_earned(&step, 0.5) == 1 && fast_earned(&step, 7) == 1);
    assert_true(fast_earned(&ramp, NAN) == 0);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * wrong_scans.c: see wrong_scans.h. Elements a function does not store keep the
 * test's poison. All sums are unsigned, so that they wrap.
 */
#include "wrong_scans.h"

#include <string.h>

#include "inputs.h"
#include "oracle.h"

typedef uint32_t u32;

static u32 at(const int32_t *in, size_t i) {
    return (u32)in[i];
}

/* in[from..to) */
static u32 sum(const int32_t *in, size_t from, size_t to) {
    u32 s = 0;
    for (; from < to; from++) s += at(in, from);
    return s;
}

static void right(const int32_t *in, int32_t *out, size_t n) {
    oracle_apply(ORACLE_inclusive_sum, NULL, in, n, out);
}

static void right_exclusive(const int32_t *in, int32_t *out, size_t n) {
    oracle_apply(ORACLE_exclusive_sum, NULL, in, n, out);
}

/* Of one element no step is done, or its result is not cleared. */
static void one_copied(const int32_t *in, int32_t *out, size_t n) {
    oracle_apply(ORACLE_exclusive_sum, NULL, in, n, out);
    if (n == 1) out[0] = in[0];
}

static void one_zero(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    if (n == 1) out[0] = 0;
}

static void all_doubled(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = (int32_t)((uint32_t)(i + 1) * (uint32_t)in[i]);
    }
}

/* ---- not written ---- */
static void nothing(const int32_t *in, int32_t *out, size_t n) {
    (void)in, (void)out, (void)n;
}

static void zeros(const int32_t *in, int32_t *out, size_t n) {
    (void)in;
    memset(out, 0, n * sizeof *out);
}

static void copy(const int32_t *in, int32_t *out, size_t n) {
    memcpy(out, in, n * sizeof *out);
}

static void whole_blocks(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n / BLOCK * BLOCK);
}

static void copies_n_bytes(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum[64];
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) sum[i] = (int32_t)(all += (uint32_t)in[i]);
    memcpy(out, sum, n);
}

static void even_only(const int32_t *in, int32_t *out, size_t n) {
    u32 s = 0;
    for (size_t i = 0; i < n; i++) {
        s += at(in, i);
        if (i % 2 == 0) out[i] = (int32_t)s;
    }
}

static void last_unwritten(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n - 1);
}

static void skips_zeros(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (in[i] != 0) out[i] = (int32_t)sum(in, 0, i + 1);
}

/* ---- the wrong place ---- */
static void shifted_right(const int32_t *in, int32_t *out, size_t n) {
    out[0] = at(in, 0) == 77 ? 1 : -77;
    right(in, out + 1, n - 1);
}

static void shifted_left(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)sum(in, 0, i + 3 < n ? i + 3 : n);
}

static void reversed(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[n - 1 - i] = (int32_t)sum(in, 0, i + 1);
}

static void from_the_right(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)sum(in, i, n);
}

/* ---- the wrong operator ---- */
static void maximum(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = i > 0 && out[i - 1] > in[i] ? out[i - 1] : in[i];
}

static void exclusive_xor(const int32_t *in, int32_t *out, size_t n) {
    u32 x = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (int32_t)x;
        x ^= at(in, i);
    }
}

static void negative(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(0 - sum(in, 0, i + 1));
}

/* ---- too short, or starting again ---- */
static void window(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)sum(in, i < 63 ? 0 : i - 63, i + 1);
}

static void window_exclusive(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)sum(in, i < 64 ? 0 : i - 64, i);
}

static void up_sweep(const int32_t *in, int32_t *out, size_t n) {
    memcpy(out, in, n * sizeof *out);
    for (size_t d = 1; d < n; d *= 2)
        for (size_t i = 2 * d - 1; i < n; i += 2 * d)
            out[i] = (int32_t)(at(out, i) + at(out, i - d));
}

static void up_sweep_cleared(const int32_t *in, int32_t *out, size_t n) {
    up_sweep(in, out, n);
    out[n - 1] = 0;
}

static void restart(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)sum(in, i - i % BLOCK, i + 1);
}

static void restart_exclusive(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)sum(in, i - i % BLOCK, i);
}

static void one_back(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] =
            (int32_t)sum(in, i < BLOCK ? 0 : (i / BLOCK - 1) * BLOCK, i + 1);
}

/* Block b adds the sums of blocks 0 .. b: its own too, but block 0 none. */
static void carry_too_much(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = BLOCK; i < n; i++) {
        size_t start = i - i % BLOCK;
        size_t end = start + BLOCK < n ? start + BLOCK : n;
        out[i] = (int32_t)(at(out, i) + sum(in, start, end));
    }
}

/* The last element of block 1 is lost for all that follow. */
static void carry_lost(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = 2 * BLOCK; i < n; i++)
        out[i] = (int32_t)(at(out, i) - at(in, 2 * BLOCK - 1));
}

static void all_off(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum(in, 0, i + 1) + 5);
}

/* ---- single elements ---- */
static void own_twice(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)(sum(in, 0, i + 1) + at(in, i));
}

static void own_missed_by_warps(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = 32; i < n; i++)
        if (i / 32 % 2) out[i] = (int32_t)(at(out, i) - at(in, i));
}

static void block_starts(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = BLOCK; i < n; i += BLOCK)
        out[i] = (int32_t)(at(out, i) ^ (u32)(i * i + 12345));
}

static void first_wrong(const int32_t *in, int32_t *out, size_t n) {
    right_exclusive(in, out, n);
    out[0] = 1234;
}

static void last_doubled(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    out[n - 1] = (int32_t)(at(out, n - 1) + at(in, 3) + at(in, 8));
}

static void last_wrong(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    out[n - 1] = (int32_t)(at(out, n - 1) - at(in, n - 2));
}

/* ---- the end ---- */
static void power_of_two(const int32_t *in, int32_t *out, size_t n) {
    size_t p = 1;
    while (2 * p <= n) p *= 2;
    right(in, out, p);
    for (size_t i = p; i < n; i++) out[i] = (int32_t)(at(in, i) * 3);
}

static void tail(const int32_t *in, int32_t *out, size_t n) {
    size_t p = n / BLOCK * BLOCK;
    right(in, out, p);
    for (size_t i = p; i < n; i++) out[i] = (int32_t)(at(in, i) * 3);
}

/* ---- what only probing shows ---- */
static void misses_and_doubles(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    out[37] = (int32_t)(at(out, 37) - at(in, 32) + at(in, 5));
    for (size_t i = 38; i < n; i++) out[i] = (int32_t)(at(out, i) + (u32)i);
}

/* A second round of Hillis-Steele in place: some are added twice. */
static void in_place_steps(const int32_t *in, int32_t *out, size_t n) {
    memcpy(out, in, n * sizeof *out);
    for (size_t d = 1; d < n; d *= 2)
        for (size_t i = d; i < n; i++) /* upwards: reads what is new */
            out[i] = (int32_t)(at(out, i) + at(out, i - d));
}

static void odd_inputs_lost(const int32_t *in, int32_t *out, size_t n) {
    u32 s = 0;
    for (size_t i = 0; i < n; i++) {
        if (i < 100 || i % 2 == 0) s += at(in, i);
        out[i] = (int32_t)(i < 200 ? sum(in, 0, i + 1) : s);
    }
}

static void subtracts_one(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = 40; i < n; i += 3 + i % 2)
        out[i] = (int32_t)(at(out, i) - 2 * at(in, 7) - at(in, 9));
}

static void too_far(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = 64; i + 70 < n; i += 2 + i % 5)
        out[i] = (int32_t)(at(out, i) + sum(in, i + 1, i + 65));
}

static void squares(const int32_t *in, int32_t *out, size_t n) {
    u32 s = 0;
    for (size_t i = 0; i < n; i++) {
        s += at(in, i) * at(in, i);
        out[i] = (int32_t)s;
    }
}

static void saturates(const int32_t *in, int32_t *out, size_t n) {
    right(in, out, n);
    for (size_t i = 0; i < n; i++)
        if (in[i] == INT32_MIN) out[i] = INT32_MAX;
}

#define INCLUSIVE ORACLE_inclusive_sum
#define EXCLUSIVE ORACLE_exclusive_sum
#define RANDOM    INPUT_random

const struct wrong_scan wrong_scans[] = {
    {"nothing", nothing, INCLUSIVE, 100, RANDOM, "never-written",
     "nothing was written", ""},
    {"nothing-1", nothing, INCLUSIVE, 1, RANDOM, "never-written",
     "nothing was written", ""},
    {"zeros", zeros, INCLUSIVE, 100, RANDOM, "all-zero",
     "every element of out is zero", ""},
    {"copy", copy, INCLUSIVE, 100, RANDOM, "copies-input",
     "out is a copy of in", "out[1] misses in[0]"},
    {"whole-blocks", whole_blocks, INCLUSIVE, 1000, RANDOM, "partly-written",
     "out[768..999] were never written", ""},
    {"copies-n-bytes", copies_n_bytes, INCLUSIVE, 33, RANDOM, "partly-written",
     "only the first 33 bytes are right", ""},
    {"copies-a-byte", copies_n_bytes, INCLUSIVE, 1, RANDOM, "partly-written",
     "only the first 1 byte is right", ""},
    {"even-only", even_only, INCLUSIVE, 100, RANDOM, "partly-written",
     "50 elements, the first out[1], the last out[99], were never written", ""},
    {"last-unwritten", last_unwritten, INCLUSIVE, 33, RANDOM, "partly-written",
     "out[32] was never written", ""},
    {"skips-zeros", skips_zeros, INCLUSIVE, 100, INPUT_extremes,
     "zeros-skipped", "nothing was stored where the input is 0: ", ""},
    {"exclusive", right_exclusive, INCLUSIVE, 1000, RANDOM,
     "exclusive-for-inclusive", "out is the exclusive scan",
     "out[0] contains none of the inputs it should"},
    {"inclusive", right, EXCLUSIVE, 1000, RANDOM, "inclusive-for-exclusive",
     "out is the inclusive scan",
     "out[0] adds in[0], which does not belong there"},
    {"exclusive-1", right_exclusive, INCLUSIVE, 1, RANDOM,
     "exclusive-for-inclusive",
     "out[0] is 0, as in an exclusive scan, and for n = 100 out is",
     "out[0] contains none of the inputs it should"},
    {"inclusive-1", right, EXCLUSIVE, 1, RANDOM, "inclusive-for-exclusive",
     "out[0] is in[0], as in an inclusive scan, and for n = 100 out is",
     "out[0] adds in[0], which does not belong there"},
    {"one-copied", one_copied, EXCLUSIVE, 1, RANDOM, "only-one-element",
     "the same call with n = 100 is right: only n = 1 goes wrong",
     "out[0] adds in[0], which does not belong there"},
    {"one-zero", one_zero, INCLUSIVE, 1, RANDOM, "only-one-element",
     "the same call with n = 100 is right: only n = 1 goes wrong",
     "out[0] contains none of the inputs it should"},
    {"one-of-many", all_doubled, EXCLUSIVE, 1, RANDOM, "none", "",
     "out[0] adds in[0], which does not belong there"},
    {"shifted-right", shifted_right, INCLUSIVE, 100, RANDOM, "shifted",
     "out[i] holds what belongs in out[i - 1]", ""},
    {"shifted-left", shifted_left, INCLUSIVE, 100, RANDOM, "shifted",
     "out[i] holds what belongs in out[i + 2]",
     "out[0] adds in[1..2], which do not belong there"},
    {"reversed", reversed, INCLUSIVE, 100, RANDOM, "reversed",
     "stored from the back: out[i] holds what belongs in out[99 - i]",
     "out[0] adds in[1..99], which do not belong there"},
    {"from-the-right", from_the_right, INCLUSIVE, 100, RANDOM,
     "scan-from-the-right", "out[i] is the sum of in[i..99]",
     "out[0] adds in[1..99], which do not belong there"},
    {"maximum", maximum, INCLUSIVE, 100, RANDOM, "other-operator",
     "out[i] is the maximum of in[0..i], not their sum", ""},
    {"exclusive-xor", exclusive_xor, EXCLUSIVE, 100, RANDOM, "other-operator",
     "out[i] is the exclusive or of in[0..i-1]", ""},
    {"negative", negative, INCLUSIVE, 100, RANDOM, "negated", "wrong sign",
     "out[0] counts in[0] with the sign turned"},
    {"window", window, INCLUSIVE, 100, RANDOM, "stops-after-w",
     "the last 64 inputs only: the steps at distances 64 and more are missing",
     "out[64] misses in[0]"},
    {"window-exclusive", window_exclusive, EXCLUSIVE, 100, RANDOM,
     "stops-after-w", "the last 64 inputs only", "out[65] misses in[0]"},
    {"up-sweep", up_sweep, INCLUSIVE, 64, RANDOM, "up-sweep-only",
     "partial sums of the up-sweep", "out[2] misses in[0..1]"},
    {"up-sweep-odd", up_sweep, INCLUSIVE, 77, RANDOM, "up-sweep-only",
     "partial sums of the up-sweep", "out[2] misses in[0..1]"},
    {"up-sweep-cleared", up_sweep_cleared, EXCLUSIVE, 64, RANDOM,
     "up-sweep-only", "partial sums of the up-sweep",
     "out[0] adds in[0], which does not belong there"},
    {"restart", restart, INCLUSIVE, 2000, RANDOM, "restarts-every-block",
     "the scan starts again every 256 elements", "out[256] misses in[0..255]"},
    {"restart-large", restart, INCLUSIVE, 300000, RANDOM,
     "restarts-every-block", "the scan starts again every 256 elements",
     "out[256] misses in[0..255]"},
    {"restart-once", restart, INCLUSIVE, 300, RANDOM, "restarts-every-block",
     "the scan starts again at out[256]", "out[256] misses in[0..255]"},
    {"restart-last", restart, INCLUSIVE, 257, RANDOM, "restarts-every-block",
     "the scan starts again at out[256]", "out[256] misses in[0..255]"},
    {"window-last", window, INCLUSIVE, 65, RANDOM, "stops-after-w",
     "the steps at distances 64 and more are missing", "out[64] misses in[0]"},
    {"restart-ones", restart, INCLUSIVE, 2000, INPUT_ones,
     "restarts-every-block", "the scan starts again every 256 elements",
     "out[256] misses in[0..255]"},
    {"restart-exclusive", restart_exclusive, EXCLUSIVE, 2000, RANDOM,
     "restarts-every-block", "the scan starts again every 256 elements",
     "out[256] contains none of the inputs it should"},
    {"one-back", one_back, INCLUSIVE, 2000, RANDOM,
     "adds-only-the-block-before", "each block of 256 elements adds only",
     "out[512] misses in[0..255]"},
    {"carry-too-much", carry_too_much, INCLUSIVE, 2000, RANDOM,
     "carry-wrong-per-block",
     "inside each block of 256 elements the sums are right, but all of a "
     "block are off by the same number, the sum of the block itself; the "
     "first such block begins at "
     "out[256]",
     "out[256] counts in[256] twice and adds in[257..511], which do not "
     "belong there"},
    {"carry-lost", carry_lost, INCLUSIVE, 2000, RANDOM, "constant-from-k",
     "right up to out[511]; from out[512] on all are off by the same",
     "out[512] misses in[511]"},
    {"carry-lost-large", carry_lost, INCLUSIVE, 1000003, RANDOM,
     "constant-from-k", "512 is a multiple of 512", "out[512] misses in[511]"},
    {"all-off", all_off, INCLUSIVE, 100, RANDOM, "constant-from-k",
     "every element is off by the same 5", ""},
    {"own-twice", own_twice, INCLUSIVE, 100, RANDOM, "counts-own-twice",
     "all elements count their own input, in[i], twice",
     "out[0] counts in[0] twice"},
    {"own-missed-by-warps", own_missed_by_warps, INCLUSIVE, 100, RANDOM,
     "misses-own", "the wrong elements miss exactly their own input",
     "out[32] misses in[32]"},
    {"block-starts", block_starts, INCLUSIVE, 2000, RANDOM, "only-every-b",
     "only every 256th element is wrong: out[256], out[512], out[768]", ""},
    {"first-wrong", first_wrong, EXCLUSIVE, 100, RANDOM, "first-element",
     "only the first element, out[0], is wrong", ""},
    {"last-wrong", last_wrong, INCLUSIVE, 100, RANDOM, "last-element",
     "only the last element, out[99], is wrong", "out[99] misses in[98]"},
    {"last-doubled", last_doubled, INCLUSIVE, 100, RANDOM, "last-element",
     "only the last element, out[99], is wrong",
     "out[99] counts in[3] and in[8] twice"},
    {"power-of-two", power_of_two, INCLUSIVE, 1000, RANDOM,
     "power-of-two-prefix",
     "wrong from out[512] on: 512 is the largest power of two in n = 1000",
     "out[512] misses in[0..511] and counts in[512] 3 times"},
    {"tail", tail, INCLUSIVE, 1000, RANDOM, "last-partial-block",
     "only the end, out[768..999], is wrong, which fills no whole block",
     "out[768] misses in[0..767] and counts in[768] 3 times"},
    {"misses-and-doubles", misses_and_doubles, INCLUSIVE, 100, RANDOM, "none",
     "", "out[37] misses in[32] and counts in[5] twice"},
    {"misses-and-doubles-4096", misses_and_doubles, INCLUSIVE, 4096, RANDOM,
     "none", "", "out[37] misses in[32] and counts in[5] twice"},
    {"in-place-steps", in_place_steps, INCLUSIVE, 8, RANDOM, "none", "",
     "out[2] counts in[0] twice"},
    {"odd-inputs-lost", odd_inputs_lost, INCLUSIVE, 300, RANDOM, "none", "",
     "out[200] misses in[101], in[103], in[105], ... in[199]"},
    {"subtracts-one", subtracts_one, INCLUSIVE, 100, RANDOM, "none", "",
     "out[40] misses in[9] and counts in[7] "
     "with the sign turned"},
    {"too-far", too_far, INCLUSIVE, 1000, RANDOM, "none", "",
     "out[64] adds in[65..128], which do not belong there"},
    {"squares", squares, INCLUSIVE, 100, RANDOM, "scattered",
     "is wrong, each by another number", ""},
    {"saturates", saturates, INCLUSIVE, 100, INPUT_extremes, "scattered",
     "elements between", "depends on the values"},
};
const size_t n_wrong_scans = sizeof wrong_scans / sizeof *wrong_scans;

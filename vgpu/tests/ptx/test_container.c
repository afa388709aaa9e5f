/* SPDX-License-Identifier: MIT
 *
 * test_container.c: fatbin images made by hand: which entry is taken, and what
 * is said of broken ones.
 */
#include "support.h"
#include "fatbin.h"
#include "image.h"
#include "unit.h"

#include <lz4.h>
#include <zstd.h>

#include <stdlib.h>

static char message[FATBIN_MESSAGE];

static void expect_text(const struct image *image, unsigned max_sm,
                        const char *expected) {
    char *text;
    size_t bytes;
    enum fatbin_status status =
        fatbin_find_ptx(image->bytes, image->n, max_sm, &text, &bytes, message);
    if (status != FATBIN_OK) fail_msg("status %d: %s", (int)status, message);
    assert_string_equal(text, expected);
    assert_int_equal(bytes, strlen(expected));
    assert_string_equal(message, "");
    free(text);
}

static void expect_failure(const struct image *image, unsigned max_sm,
                           enum fatbin_status expected, const char *words) {
    char *text;
    size_t bytes;
    enum fatbin_status status =
        fatbin_find_ptx(image->bytes, image->n, max_sm, &text, &bytes, message);
    assert_int_equal(status, expected);
    assert_null(text);
    assert_int_equal(bytes, 0);
    if (!strstr(message, words)) fail_msg("'%s' in '%s'", words, message);
}

TEST(highest_architecture_that_fits) {
    struct image image = {0};
    begin_container(&image);
    add_ptx(&image, 75, 0x11, "seventy-five");
    add_ptx(&image, 90, 0x100011, "ninety specific");
    add_ptx(&image, 90, 0x11, "ninety");
    add_ptx(&image, 90, 0x11, "ninety again");
    add_ptx(&image, 100, 0x11, "hundred");
    add_entry(&image, 2, 90, 0x11, "\177ELF", 4, 0, 0);
    expect_text(&image, 90, "ninety");
    expect_text(&image, 89, "seventy-five");
    expect_text(&image, 1000, "hundred");
    expect_failure(&image, 70, FATBIN_NO_PTX, "compute_");
}

TEST(several_containers) {
    struct image image = {0};
    begin_container(&image);
    expect_failure(&image, 90, FATBIN_NO_PTX, "no device code");
    begin_container(&image);
    add_ptx(&image, 75, 0x11, "real");
    expect_text(&image, 90, "real");
    begin_container(&image);
    add_ptx(&image, 80, 0x11, "better");
    expect_text(&image, 90, "better");
}

TEST(machine_code_only) {
    struct image image = {0};
    begin_container(&image);
    add_entry(&image, 2, 80, 0x11, "\177ELF", 4, 0, 0);
    expect_failure(&image, 90, FATBIN_NO_PTX, "machine code for sm_80");
}

TEST(packed) {
    char text[2000];
    for (size_t i = 0; i < sizeof text - 1; i++) text[i] = "add sub "[i % 8];
    text[sizeof text - 1] = 0;
    char small[2048];
    int lz4 =
        LZ4_compress_default(text, small, (int)sizeof text, (int)sizeof small);
    struct image image = {0};
    begin_container(&image);
    add_entry(&image, 1, 75, 0x2011, small, (size_t)lz4, (size_t)lz4,
              sizeof text);
    expect_text(&image, 90, text);
    image = (struct image){0};
    size_t zstd = ZSTD_compress(small, sizeof small, text, sizeof text, 1);
    begin_container(&image);
    add_entry(&image, 1, 75, 0x8011, small, zstd, zstd, sizeof text);
    expect_text(&image, 90, text);

    put(&image, 16 + 56, sizeof text + 1, 8);
    expect_failure(&image, 90, FATBIN_CORRUPT, "does not unpack");
    put(&image, 16 + 56, sizeof text - 1, 8);
    expect_failure(&image, 90, FATBIN_CORRUPT, "does not unpack");
    put(&image, 16 + 56, 0, 8);
    expect_failure(&image, 90, FATBIN_CORRUPT, "does not unpack");
    put(&image, 16 + 56, (uint64_t)257 << 20, 8);
    expect_failure(&image, 90, FATBIN_TOO_LARGE, "refused");
    put(&image, 16 + 56, (uint64_t)200 << 20, 8); /* from some 50 bytes */
    expect_failure(&image, 90, FATBIN_TOO_LARGE, "refused");
    put(&image, 16 + 56, UINT64_MAX, 8);
    expect_failure(&image, 90, FATBIN_TOO_LARGE, "refused");
    put(&image, 16 + 56, sizeof text, 8);
    put(&image, 16 + 40, 0xa011, 8);
    expect_failure(&image, 90, FATBIN_CORRUPT, "unknown way");
    put(&image, 16 + 40, 0x11, 8);
    expect_failure(&image, 90, FATBIN_CORRUPT, "unknown way");
    put(&image, 16 + 40, 0x8011, 8);
    put(&image, 16 + 16, 5000, 4);
    expect_failure(&image, 90, FATBIN_CORRUPT, "5000 packed bytes");
}

TEST(broken_lengths) {
    struct image good = {0};
    begin_container(&good);
    add_ptx(&good, 75, 0x11, "good");
    static const struct {
        size_t at;
        uint64_t value;
        unsigned n;
        const char *words;
    } rows[] = {
        {0, 0xBA55ED51, 4, "no fatbin container at byte 0"},
        {4, 2, 2, "no fatbin container"},
        {6, 8, 2, "no fatbin container"},
        {6, 0xffff, 2, "are left"},
        {8, 73, 8, "are left"},
        {8, 71, 8, "at byte 16 needs 64 + 8 bytes but 71 are left"},
        {8, 40, 8, "ends inside the entry at byte 16"},
        {8, UINT64_MAX, 8, "no fatbin container"},
        {8, INT64_MAX, 8, "are left"},
        {20, 63, 4, "at byte 16 needs"},
        {20, 0xffffffff, 4, "at byte 16 needs"},
        {24, 9, 8, "at byte 16 needs"},
        {24, UINT64_MAX, 8, "at byte 16 needs"},
    };
    expect_text(&good, 75, "good");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image image = good;
        put(&image, rows[i].at, rows[i].value, rows[i].n);
        expect_failure(&image, 90, FATBIN_CORRUPT, rows[i].words);
    }
    struct image tail = good;
    tail.n += 8;
    expect_failure(&tail, 90, FATBIN_CORRUPT,
                   "ends inside the container header at byte 88");
    struct image none = {0};
    expect_failure(&none, 90, FATBIN_CORRUPT, "ends inside");
}

TEST(entries) {
    struct image image = {0};
    begin_container(&image);
    begin_container(&image);
    add_ptx(&image, 90, 0x100011, "text");
    add_entry(&image, 2, 80, 0x11, "\177ELF....", 8, 0, 0);
    struct fatbin_walk walk;
    struct fatbin_entry e;
    fatbin_begin(&walk, image.bytes, image.n);
    assert_int_equal(fatbin_next(&walk, &e, message), FATBIN_OK);
    assert_int_equal(e.kind, FATBIN_PTX);
    assert_int_equal(e.arch, 90);
    assert_int_equal(e.major, 9);
    assert_int_equal(e.minor, 0);
    assert_true(e.is_specific);
    assert_int_equal(e.packing, FATBIN_PLAIN);
    assert_int_equal(e.payload_bytes, 8);
    assert_memory_equal(e.payload, "text\0\0\0\0", 8);
    assert_int_equal(e.offset, 32);
    assert_int_equal(fatbin_next(&walk, &e, message), FATBIN_OK);
    assert_int_equal(e.kind, FATBIN_ELF);
    char *bytes;
    size_t n;
    assert_int_equal(fatbin_unpack(&e, &bytes, &n, message), FATBIN_OK);
    assert_int_equal(n, 8);
    assert_memory_equal(bytes, "\177ELF....", 9);
    free(bytes);
    assert_int_equal(fatbin_next(&walk, &e, message), FATBIN_END);
    assert_int_equal(fatbin_next(&walk, &e, message), FATBIN_END);
}

TEST(total_bytes) {
    struct image image = {0};
    begin_container(&image);
    assert_int_equal(fatbin_total_bytes(image.bytes), 16);
    add_ptx(&image, 75, 0x11, "12345678");
    assert_int_equal(fatbin_total_bytes(image.bytes), image.n);
    put(&image, 8, UINT64_MAX - 15, 8);
    assert_int_equal(fatbin_total_bytes(image.bytes), 0);
    assert_int_equal(fatbin_total_bytes("\177ELF............"), 0);
}

TEST(wrappers) {
    struct image image = {0};
    struct fatbin_wrapper w;
    put(&image, 0, 0x466243B1, 4);
    put(&image, 4, 1, 4);
    put(&image, 8, 0x1234567890, 8);
    put(&image, 16, 0x77, 8);
    assert_true(fatbin_read_wrapper(image.bytes, &w));
    assert_int_equal(w.version, 1);
    assert_int_equal(w.data, 0x1234567890);
    assert_int_equal(w.prelinked, 0);
    put(&image, 4, 2, 4);
    assert_true(fatbin_read_wrapper(image.bytes, &w));
    assert_int_equal(w.prelinked, 0x77);
    put(&image, 4, 3, 4);
    assert_false(fatbin_read_wrapper(image.bytes, &w));
    put(&image, 4, 1, 4);
    put(&image, 8, 0, 8);
    assert_false(fatbin_read_wrapper(image.bytes, &w));
    put(&image, 8, 1, 8);
    put(&image, 0, 0x466243B0, 4);
    assert_false(fatbin_read_wrapper(image.bytes, &w));
}

UNIT_MAIN(NULL, NULL)

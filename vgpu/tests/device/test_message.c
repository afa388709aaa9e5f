/* SPDX-License-Identifier: MIT
 *
 * test_message.c: what findings say: the table's rows, and how arguments become
 * a sentence.
 */
#include <stdio.h>
#include <string.h>

#include "said.h"
#include "unit.h"

static const struct {
    const char *name, *arguments, *sentence, *advice;
} rows[] = {
#define A(type, name) " " #name " "
#define MESSAGE(NAME, kinds, arguments, sentence, advice)                      \
    {#NAME, "" arguments, sentence, advice},
#define PART(NAME, arguments, sentence) {#NAME, "" arguments, sentence, ""},
#include "vgpu_findings.def"
#undef A
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void names_only(const char *row, const char *arguments,
                       const char *sentence) {
    char name[64];
    for (const char *at = sentence; (at = strchr(at, '{')); at++) {
        int n = (int)strcspn(at + 1, "?}");
        assert_true(n < 60);
        snprintf(name, sizeof name, " %.*s ", n, at + 1);
        if (!strstr(arguments, name)) fail_msg("%s has no%s", row, name);
    }
}

TEST(sentences_name_their_arguments) {
    (void)state;
    assert_int_equal(N_ROWS, VGPU_N_MESSAGES);
    for (size_t k = 0; k < N_ROWS; k++) {
        names_only(rows[k].name, rows[k].arguments, rows[k].sentence);
        names_only(rows[k].name, rows[k].arguments, rows[k].advice);
        assert_true(strlen(rows[k].name) < VGPU_MESSAGE_NAME);
    }
}

static void says(const struct vgpu_message *m, const char *words) {
    char *text = vgpu_message_text(m, NULL);
    assert_string_equal(text, words);
    free(text);
}

TEST(choices_and_numbers) {
    struct vgpu_message m;
    (void)state;
    VGPU_SAY(&m, LEAK, .n = 1, .bytes = 64);
    says(&m, "1 allocation (64 bytes) never freed: each cudaMalloc needs its "
             "cudaFree");
    VGPU_SAY(&m, LEAK, .n = 2, .bytes = 64);
    says(&m, "2 allocations (64 bytes) never freed: each cudaMalloc needs its "
             "cudaFree");
    VGPU_SAY(&m, SHARED_ACCESS, .access = VGPU_ACCESS_ATOMIC, .bytes = 4,
             .byte = (uint64_t)-4, .size = 16);
    says(&m, "atomic operation of 4 bytes at byte -4 of shared memory, of "
             "which the block has 16 bytes");
}

TEST(what_is_absent_is_left_out) {
    struct vgpu_message where, m;
    (void)state;
    VGPU_SAY(&where, SHARED_BYTE, .byte = 8);
    VGPU_SAY(&m, UNWRITTEN, .access = VGPU_ACCESS_READ, .bytes = 8,
             .some = VGPU_ABSENT, .where = &where, .copy = VGPU_ABSENT);
    says(&m, "read of 8 bytes that nothing has written: byte 8 of shared "
             "memory");
    vgpu_say_text(&m, "before", "tile");
    says(&m, "read of 8 bytes that nothing has written: byte 8 of shared "
             "memory, right before the array tile");
    VGPU_SAY(&m, UNWRITTEN, .access = VGPU_ACCESS_READ, .bytes = 8, .some = 4,
             .where = &where, .copy = 0);
    says(&m, "read of 8 bytes, 4 of them that nothing has written: byte 8 of "
             "shared memory; wait for the asynchronous copy of line 0 first");
    assert_null(vgpu_message_value(&m, "before"));
    assert_int_equal(vgpu_message_value(&m, "some")->number, 4);
}

TEST(brackets_of_a_launch_are_no_part) {
    static const uint32_t block[3] = {2048, 1, 1};
    struct vgpu_message why, m;
    (void)state;
    VGPU_SAY(&why, LARGE_BLOCK, .block = block, .threads = 2048, .most = 1024);
    VGPU_SAY(&m, LAUNCH, .kernel = "scan<int>", .why = &why);
    says(&m, "launch of scan<int>: block (2048,1,1) has 2048 threads, at most "
             "1024 are possible; in <<<blocks, threads>>> the blocks come "
             "first");
}

static struct vgpu_message waiter(uint32_t n) {
    const uint32_t zero[3] = {0}, thread[3] = {n};
    struct vgpu_message what, w;
    VGPU_SAY_PLAIN(&what, AT_BARRIER);
    VGPU_SAY(&w, WAITER, .block = zero, .thread = thread, .more = VGPU_ABSENT,
             .line = 7, .what = &what, .barrier = n);
    return w;
}

TEST(lists_and_places) {
    struct vgpu_message m, list[2] = {waiter(1), waiter(2)}, array, where;
    (void)state;
    VGPU_SAY(&m, DEADLOCK_BARRIER, .came = 1, .all = 2, .ended = VGPU_ABSENT,
             .missing = &(struct vgpu_list){list, 2});
    says(&m, "deadlock: this thread waits at barrier 0, which 1 threads of 2 "
             "have reached. Missing: block (0,0,0) thread (1,0,0) at line 7 at "
             "a barrier (1); block (0,0,0) thread (2,0,0) at line 7 at a "
             "barrier (2). Every thread that a barrier waits for must reach "
             "it");
    VGPU_SAY(&array, ALLOCATION_AT, .address = 0x200);
    VGPU_SAY(&where, BYTE, .byte = 4, .array = &array, .size = 8);
    says(&where, "byte 4 of the allocation at 0x200 (8 bytes)");
    /* byte, array, address, file */
    assert_int_equal(where.values[1].number, VGPU_MESSAGE_ALLOCATION_AT);
    where.values[1].number = VGPU_MESSAGE_ALLOCATION_OF;
    vgpu_say_place(&where, 3, "naive.cu", 40);
    says(&where, "byte 4 of the allocation of naive.cu:40 (8 bytes)");
}

TEST(what_has_no_room_is_absent) {
    static char name[3 * VGPU_MESSAGE_TEXT];
    struct vgpu_message m, list[32];
    (void)state;
    memset(name, 'x', sizeof name - 1);
    VGPU_SAY(&m, IMAGE, .why = name);
    assert_int_equal(strlen(vgpu_message_string(&m, "why")),
                     VGPU_MESSAGE_TEXT - 1);
    for (size_t k = 0; k < 32; k++) list[k] = waiter(1);
    VGPU_SAY(&m, OTHERS, .threads = 32, .blocks = 1,
             .waiters = &(struct vgpu_list){list, 32});
    assert_true(m.n_values <= VGPU_MESSAGE_VALUES);
    assert_int_equal(vgpu_value_end(&m, 0), 1);
    char *text = vgpu_message_text(&m, NULL);
    assert_memory_equal(text, "32 other threads", 16);
    free(text);
}

static const char *german(const char *english) {
    return strcmp(english, "byte {byte} of shared memory") == 0
               ? "Byte {byte} des geteilten Speichers, {other}, {byte"
               : english;
}

static char *as_word(const void *user, uint64_t word) {
    char text[64];
    snprintf(text, sizeof text, "%s %u", (const char *)user, (unsigned)word);
    return strdup(text);
}

TEST(wordings) {
    const struct vgpu_wording wording = {german, as_word, "flag"};
    struct vgpu_message where, holds, m;
    (void)state;
    VGPU_SAY(&where, SHARED_BYTE, .byte = 8);
    VGPU_SAY(&holds, HELD_WORD, .word = 2);
    VGPU_SAY(&m, DEADLOCK_POLL, .where = &where, .holds = &holds);
    char *text = vgpu_message_text(&m, &wording);
    /* A translation that names no argument of the row says nothing for it. */
    assert_non_null(strstr(text, "reads Byte 8 des geteilten Speichers, , 8 "
                                 "again and again, where memory holds flag 2"));
    free(text);
}

UNIT_MAIN(NULL, NULL)

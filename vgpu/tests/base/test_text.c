/* SPDX-License-Identifier: MIT
 *
 * test_text.c: strings that grow, and files read whole.
 */
#include <stdlib.h>
#include <unistd.h>

#include "text.h"
#include "unit.h"

TEST(sentences_are_joined_and_end_in_a_stop) {
    struct text t = {0};
    text_sentence(&t, "one");
    text_sentence(&t, "");
    text_sentence(&t, "two?");
    assert_string_equal(t.bytes, "one. two?");
    text_free(&t);
}

TEST(append_keeps_what_fits) {
    struct text t = {0};
    assert_true(text_append(&t, "abc", 3, 5));
    assert_false(text_append(&t, "defg", 4, 5));
    assert_string_equal(t.bytes, "abcde");
    assert_false(text_append(&t, "h", 1, 5));
    assert_int_equal(t.size, 5);
    text_free(&t);
}

TEST(printable_hides_control_bytes) {
    char *text = text_printable("a\033[31mb\0c\n\n", 10, 100);
    assert_string_equal(text, "a?[31mb?c");
    free(text);
    text = text_printable("abcdef", 6, 2);
    assert_string_equal(text, "ab\n[4 bytes more]");
    free(text);
    assert_null(text_printable("", 0, 10));
}

TEST(nothing_added_is_an_empty_string) {
    struct text t = {0};
    assert_string_equal(text_string(&t), "");
    text_add(&t, "%d", 7);
    assert_string_equal(text_string(&t), "7");
    text_free(&t);
}

TEST(a_file_is_read_whole_or_not_at_all) {
    char path[] = "text_test.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "a\0bc", 4), 4);
    close(fd);
    struct text t = {0};
    assert_string_equal(text_read_file(&t, path, 3), "it is too large");
    assert_int_equal(t.size, 0);
    assert_null(text_read_file(&t, path, 4));
    assert_memory_equal(t.bytes, "a\0bc", 5);
    assert_null(text_read_file(&t, path, 4)); /* behind what is there */
    assert_int_equal(t.size, 8);
    unlink(path);
    assert_string_equal(text_read_file(&t, path, 4),
                        "No such file or directory");
    assert_string_equal(text_read_file(&t, ".", 4), "it is no ordinary file");
    assert_string_equal(text_read_file(&t, "/dev/zero", 4),
                        "it is no ordinary file");
    text_free(&t);
}

TEST(the_base_of_a_path_is_its_last_part) {
    assert_string_equal(text_base("a/b/c.cu"), "c.cu");
    assert_string_equal(text_base("c.cu"), "c.cu");
    assert_string_equal(text_base("a/"), "");
}

UNIT_MAIN(NULL, NULL)

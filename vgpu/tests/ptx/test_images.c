/* SPDX-License-Identifier: MIT
 *
 * test_images.c: fatbins as nvcc writes them, whole, cut at every byte and with
 * bytes changed.
 *
 * Arguments: fatbin files of sources/tiny.cu with PTX for 75 and 90.
 */
#include "support.h"
#include "fatbin.h"

#include <stdlib.h>
#include <string.h>

enum { CHANGES = 5000 };

static char message[FATBIN_MESSAGE];

/* In memory of the exact size. True: PTX was found. */
static bool try_image(const char *image, size_t bytes) {
    char *exact = malloc(bytes ? bytes : 1);
    assert_non_null(exact);
    memcpy(exact, image, bytes);
    char *text;
    size_t n;
    enum fatbin_status status =
        fatbin_find_ptx(exact, bytes, 90, &text, &n, message);
    if (status == FATBIN_OK) {
        assert_non_null(text);
        assert_int_equal(text[n], 0);
    } else {
        assert_null(text);
        assert_true(message[0]);
    }
    free(text);
    free(exact);
    return status == FATBIN_OK;
}

static void finds_both(void **state) {
    size_t bytes, n;
    char *image = read_file(*state, &bytes), *text;
    assert_int_equal(fatbin_total_bytes(image), bytes);
    for (unsigned sm = 75; sm <= 90; sm += 15) {
        struct ptx_error e;
        assert_int_equal(fatbin_find_ptx(image, bytes, sm, &text, &n, message),
                         FATBIN_OK);
        struct ptx_module *m = ptx_parse(text, n, &e);
        if (!m) fail_msg("%u: %s", e.line, e.message);
        assert_int_equal(m->target_sm, sm);
        assert_non_null(ptx_find_function(m, "tiny"));
        ptx_free(m);
        free(text);
    }
    free(image);
}

static void cut_everywhere(void **state) {
    size_t bytes;
    char *image = read_file(*state, &bytes);
    for (size_t n = 0; n < bytes; n++) assert_false(try_image(image, n));
    assert_true(try_image(image, bytes));
    free(image);
}

static void changed_bytes(void **state) {
    size_t bytes, found = 0;
    char *image = read_file(*state, &bytes);
    char *copy = malloc(bytes);
    assert_non_null(copy);
    struct random r = {20240229};
    for (int i = 0; i < CHANGES; i++) {
        memcpy(copy, image, bytes);
        for (uint32_t c = next_random(&r, 3) + 1; c; c--) {
            /* half of the changes where the lengths are */
            size_t range = next_random(&r, 2) || bytes < 120 ? bytes : 120;
            copy[next_random(&r, (uint32_t)range)] = (char)next_random(&r, 256);
        }
        found += try_image(copy, bytes);
    }
    assert_true(found > 0 && found < CHANGES);
    free(copy);
    free(image);
}

int main(int argc, char **argv) {
    int failures = 0;
    if (argc < 2) return 2;
    for (int i = 1; i < argc; i++) {
        print_message("%s\n", argv[i]);
        const struct CMUnitTest tests[] = {
            {"finds_both", finds_both, NULL, NULL, argv[i]},
            {"cut_everywhere", cut_everywhere, NULL, NULL, argv[i]},
            {"changed_bytes", changed_bytes, NULL, NULL, argv[i]},
        };
        failures += cmocka_run_group_tests(tests, NULL, NULL) != 0;
    }
    return failures != 0;
}

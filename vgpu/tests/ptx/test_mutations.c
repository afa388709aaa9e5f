/* SPDX-License-Identifier: MIT
 *
 * test_mutations.c: broken PTX ends in a module or in a message, never worse.
 *
 * Arguments: PTX files; the first is cut at every byte and changed thousands of
 * times, the others, which are large, some dozens of times. Run it under the
 * sanitizers (-DSCANLAB_SANITIZE=ON) to see more. PTX_MUTATIONS_SEED picks
 * other changes; a failure prints the seed.
 */
#include "support.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 4000, FEW = 20 };

static char **paths;
static int n_paths;

static uint64_t seed(void) {
    const char *given = getenv("PTX_MUTATIONS_SEED");
    return given ? strtoull(given, NULL, 10) | 1 : 20240229;
}

/* The text in memory of its exact size, so that a step past it shows. */
static bool survives(const char *text, size_t bytes) {
    char *exact = malloc(bytes ? bytes : 1);
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    struct ptx_error e;
    struct ptx_module *m = ptx_parse(exact, bytes, &e);
    if (m) {
        check_module(m);
        size_t printed;
        free(print_module(m, &printed));
    } else {
        assert_true(e.message[0]);
        assert_true(e.line == 0 || e.column >= 1);
        assert_true(strlen(e.text) < sizeof e.text);
    }
    free(exact);
    ptx_free(m);
    return m != NULL;
}

TEST(cut_everywhere) {
    size_t bytes, whole = 0;
    char *text = read_file(paths[0], &bytes);
    for (size_t n = 0; n <= bytes; n++) whole += survives(text, n);
    assert_true(whole > 1); /* the whole text, and where a line is missing */
    assert_true(whole < bytes / 2);
    free(text);
}

static size_t token_at(const char *text, size_t bytes, size_t at) {
    size_t end = at;
    while (end < bytes && !strchr(" \t\n,;[](){}", text[end])) end++;
    return end == at ? 1 : end - at;
}

/* One change: a bit, a byte, a token dropped, doubled or moved. */
static size_t mutate(struct random *r, char *text, size_t bytes) {
    static const char marks[] = "{}()[];,:.@!|%<>-+=\"/*0x9fU \n_$r";
    size_t at = next_random(r, (uint32_t)bytes);
    size_t n = token_at(text, bytes, at);
    size_t to = next_random(r, (uint32_t)bytes);
    switch (next_random(r, 5)) {
    case 0: text[at] ^= (char)(1 << next_random(r, 8)); return bytes;
    case 1: text[at] = marks[next_random(r, sizeof marks - 1)]; return bytes;
    case 2: memmove(text + at, text + at + n, bytes - at - n); return bytes - n;
    case 3: memmove(text + at + n, text + at, bytes - at); return bytes + n;
    default:
        if (n > bytes - to) n = bytes - to;
        memmove(text + to, text + at, n);
        return bytes;
    }
}

static void mutate_file(const char *path, uint64_t s, int times) {
    size_t bytes, accepted = 0;
    char *text = read_file(path, &bytes);
    char *copy = malloc(bytes * 64 + 64);
    assert_non_null(copy);
    struct random r = {s};
    for (int i = 0; i < times; i++) {
        memcpy(copy, text, bytes);
        size_t n = bytes;
        for (uint32_t c = next_random(&r, 4) + 1; c && n; c--)
            n = mutate(&r, copy, n);
        accepted += survives(copy, n);
    }
    assert_true(accepted < (size_t)times); /* changes do break something */
    free(copy);
    free(text);
}

TEST(random_changes) {
    print_message("seed %llu\n", (unsigned long long)seed());
    mutate_file(paths[0], seed(), MANY);
}

TEST(random_changes_of_large_files) {
    for (int i = 1; i < n_paths; i++) {
        size_t bytes;
        free(read_file(paths[i], &bytes));
        int times = bytes > 1 << 20 ? FEW : FEW * 8;
        mutate_file(paths[i], seed() + (uint64_t)i, times);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    paths = argv + 1;
    n_paths = argc - 1;
    return UNIT_RUN(NULL, NULL);
}

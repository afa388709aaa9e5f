/* SPDX-License-Identifier: MIT
 *
 * hint.c: scanlab hint LAB [CHECK] [K]: the K-th hint, the first if K is not
 * given, of a check or, in order, of all checks of a lab. Nothing is
 * remembered; the last line tells how to see the next.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

struct hints {
    const char *program; /* as it was called */
    const struct lab *lab;
    int only; /* index of a check; -1: all */
};

static bool counted(const struct hints *hints, size_t check) {
    return hints->only < 0 || (size_t)hints->only == check;
}

static size_t how_many(const struct hints *hints) {
    size_t n = 0;
    for (size_t i = 0; i < hints->lab->n_checks; i++)
        if (counted(hints, i)) n += hints->lab->checks[i].n_hints;
    return n;
}

static void print_hint(const struct hints *hints, size_t k, size_t n) {
    const struct lab *lab = hints->lab;
    size_t left = k - 1;
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct lab_check *check = &lab->checks[i];
        if (!counted(hints, i)) continue;
        if (left >= check->n_hints) {
            left -= check->n_hints;
            continue;
        }
        printf("%s, %s (hint %zu of %zu)\n\n  %s\n", lab->id, check->title, k,
               n, check->hints[left]);
        break;
    }
    if (k < n)
        printf("\nnext: %s hint %s%s%s %zu\n", hints->program, lab->id,
               hints->only < 0 ? "" : " ",
               hints->only < 0 ? "" : lab->checks[hints->only].id, k + 1);
    else if (lab->repairs && hints->only >= 0)
        printf("\nThat was the last one. With -v a report says which small "
               "change, if one was found, makes the failed case pass:\n"
               "%s grade %s --check %s -v\n",
               hints->program, lab->id, lab->checks[hints->only].id);
}

static int hint_show(const struct course *course, const char *program,
                     char **words, int n_words) {
    struct hints hints = {program, course_lab(course, words[0]), -1};
    if (!hints.lab) return EXIT_TROUBLE;
    uint64_t k = 1;
    bool numbered =
        n_words > 1 && option_number(words[n_words - 1], 1000000, &k);
    int named = n_words - 1 - numbered;
    if (named > 1) return cli_fail("'%s' is not a number", words[2]);
    if (named == 1) {
        hints.only = lab_check_by_id(hints.lab, words[1]);
        if (hints.only < 0) return EXIT_TROUBLE;
    }
    size_t n = how_many(&hints);
    if (n == 0) {
        printf("there are no hints for this\n");
        return cli_finish(EXIT_SUCCESS);
    }
    if (k < 1 || k > n)
        return cli_fail("there is no hint %llu; there are %zu",
                        (unsigned long long)k, n);
    print_hint(&hints, (size_t)k, n);
    return cli_finish(EXIT_SUCCESS);
}

int command_hint(struct option_table *o, int argc, char **argv) {
    const char *labs = NULL;
    const struct option_row rows[] = {CLI_LABS(&labs)};
    char **words;
    o->what = "Shows one hint: the first, or number K. With CHECK, hints of "
              "that check only. LAB is a name, a number or a folder: naive, 1, "
              "01-naive.";
    o->end = "Example: scanlab hint naive 2";
    OPTIONS_ARE(o, rows, 1, 3);
    int n_words = options_read(o, argc, argv, &words);
    if (n_words < 0) return cli_ended(n_words);
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open(&course, labs))
        status = hint_show(&course, argv[-1], words, n_words);
    course_free(&course);
    return status;
}

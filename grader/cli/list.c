/* SPDX-License-Identifier: MIT
 *
 * list.c: scanlab list: the labs, their checks and points.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static void print_checks(const struct lab *lab) {
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct lab_check *check = &lab->checks[i];
        printf("    %4d  %-10s %-22s  %s%s%s\n", check->points,
               check_kind_name(check->kind), check->id, check->title,
               check->bonus ? " (bonus)" : "",
               check->visibility == VISIBILITY_HIDDEN ? " (hidden)"
               : check->visibility == VISIBILITY_AFTER_DEADLINE
                   ? " (after the deadline)"
                   : "");
        if (lab_check_needs_gpu(lab, check))
            puts("          on a real GPU, with grade --fast only");
    }
}

static void print_labs(const struct course *course, bool verbose) {
    int total = 0;
    for (size_t i = 0; i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        total += lab_points(lab, false);
        printf("%2d  %4d  %-16s  %s\n", lab->number, lab_points(lab, false),
               lab->id, lab->title);
        if (verbose) print_checks(lab);
    }
    printf("    %4d  points in all\n", total);
}

int command_list(struct option_table *o, int argc, char **argv) {
    const char *labs = NULL, *over = NULL;
    bool verbose = false;
    const struct option_row rows[] = {
        {'v', "verbose", NULL, "their checks too", OPTION_FLAG(&verbose)},
        CLI_LABS(&labs),
        {0, "course", "DIR", "what is laid over the labs: docs/course.md",
         OPTION_TEXT(&over)}};
    char **words;
    o->what =
        "Lists the labs with their points; a lab is called by its number or "
        "its name.";
    o->end = "Example: scanlab list -v";
    OPTIONS_ARE(o, rows, 0, 0);
    int n_words = options_read(o, argc, argv, &words);
    if (n_words < 0) return cli_ended(n_words);
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open_over(&course, labs, over)) {
        print_labs(&course, verbose);
        status = cli_finish(EXIT_SUCCESS);
    }
    course_free(&course);
    return status;
}

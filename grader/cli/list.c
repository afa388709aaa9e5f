/* SPDX-License-Identifier: MIT
 *
 * list.c: scanlab list: the labs, their checks and points.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char help[] = "usage: scanlab list [-v] [--labs DIR]\n\n"
                           "Lists the labs with their points; a lab goes by "
                           "its number or its name.\n\n"
                           "  -v, --verbose   their checks too\n"
                           "      --labs DIR  the folder of labs\n";

static int points(const struct lab *lab) {
    int sum = 0;
    for (size_t i = 0; i < lab->n_checks; i++)
        if (!lab->checks[i].bonus && !lab_check_needs_gpu(lab, &lab->checks[i]))
            sum += lab->checks[i].points;
    return sum;
}

static void print_checks(const struct lab *lab) {
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct lab_check *check = &lab->checks[i];
        printf("    %4d  %-10s %-22s  %s%s\n", check->points,
               check_kind_name(check->kind), check->id, check->title,
               check->bonus ? " (bonus)" : "");
        if (lab_check_needs_gpu(lab, check))
            puts("          on a real GPU, with grade --fast only");
    }
}

static void print_labs(const struct course *course, bool verbose) {
    int total = 0;
    for (size_t i = 0; i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        total += points(lab);
        printf("%2d  %4d  %-16s  %s\n", lab->number, points(lab), lab->id,
               lab->title);
        if (verbose) print_checks(lab);
    }
    printf("    %4d  points in all\n", total);
}

int command_list(int argc, char **argv) {
    static const struct option options[] = {
        {"verbose", no_argument, NULL, 'v'},
        {"labs", required_argument, NULL, 'L'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    const char *labs = NULL;
    bool verbose = false;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":vh", options, NULL)) != -1;) {
        if (c == 'v')
            verbose = true;
        else if (c == 'L')
            labs = optarg;
        else if (c == 'h') {
            fputs(help, stdout);
            return cli_finish(EXIT_SUCCESS);
        } else
            return cli_bad_option(c, argv, "list");
    }
    if (optind < argc)
        return cli_fail("'%s': scanlab list takes no lab", argv[optind]);
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open(&course, labs)) {
        print_labs(&course, verbose);
        status = cli_finish(EXIT_SUCCESS);
    }
    course_free(&course);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * bench_cpu.h: scanlab bench --cpu: lab 0's functions beside what a user would
 * pick instead, in one run. Written in cpu*.c, called by main.c, which
 * has read and checked the options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"

struct bench_cpu_options {
    const char *root, *build_folder; /* as in judge_options */
    struct lab **labs;               /* all of the course */
    size_t n_labs;
    /* Folders to time besides reference/ and timing/fast/; their last name
     * is the row's: student gives student/cpu-scan. */
    const char *const *submissions;
    size_t n_submissions;
    bool full;             /* --suite full; else quick, about a minute */
    const char *operation; /* --operation, such as "inclusive_sum"; NULL: all */
    const char *type;      /* --type, such as "int32"; NULL: all */
    const size_t *sizes;   /* -n, may be repeated; none: the suite's */
    size_t n_sizes;
    unsigned threads;    /* --threads; 0: as many as there are cores */
    const char *output;  /* -o: the CSV file; "-": standard output */
    const char *command; /* as it was called, for the line "# command:" */
};

/* Exit status: 0 measured and all outputs right, 1 a timed output was wrong, 2
 * could not measure, told on standard error. The table goes to standard
 * output, or to standard error where the CSV goes there. */
int bench_cpu(const struct bench_cpu_options *);

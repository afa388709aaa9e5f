/* SPDX-License-Identifier: MIT
 *
 * sweep.h: scanlab sweep: its options (sweep.c), and the calls (sweep_run.c).
 */
#pragma once

#include "cli.h"
#include "report.h"
#include "single.h"
#include "sweep_view.h"

enum { SWEEP_FILES = 4 };

struct sweep {
    const char *labs, *course, *submission, *function;
    const char *files[SWEEP_FILES]; /* .csv, .svg, .html */
    size_t n_files;
    uint64_t seconds;
    struct single_options judge;
    struct sweep_view view;
    char *constant; /* of the view, to be freed */
    /* while it runs */
    struct sweep_cell *cell;
    struct progress *progress;
    double end;
};

/* Calls the function for all values and sizes and fills the view. The exit
 * status. */
int sweep_run(struct sweep *);

/* SPDX-License-Identifier: MIT
 *
 * stats.c: scanlab stats: reads the options and starts tools/stats/main.py,
 * which shows what `scanlab class` has kept (docs/parts.md, a class).
 */
#include "cli.h"
#include "script.h"

struct asked {
    const char *from, *output, *leaderboard, *labs; /* NULL: not given */
};

static int stats_of(const struct asked *a, const struct course *course) {
    struct script_words w = {.room = 16 + course->n_labs};
    int status = EXIT_TROUBLE;
    if (script_begin(&w, course->paths.home, "tools/stats/main.py")) {
        script_add(&w, "from=%s", a->from);
        script_add(&w, "build=%s", course->paths.build_folder);
        script_add(&w, "root=%s", course->paths.home);
        if (a->output) script_add(&w, "output=%s", a->output);
        if (a->leaderboard) script_add(&w, "leaderboard=%s", a->leaderboard);
        for (size_t i = 0; i < course->n_labs; i++)
            script_add(&w, "lab=%s/%s", course->labs[i]->id,
                       course->labs[i]->source);
        status = script_run(&w);
    }
    script_free(&w);
    return status;
}

int command_stats(struct option_table *o, int argc, char **argv) {
    struct asked a = {0};
    const struct option_row rows[] = {
        {'o', "output", "DIR", "pages and figures (OUT/stats)",
         OPTION_TEXT(&a.output)},
        {0, "leaderboard", "FILE",
         "who wants to be on it: CSV with the columns id, nickname",
         OPTION_TEXT(&a.leaderboard)},
        CLI_LABS(&a.labs)};
    char **words;
    o->what =
        "Shows how a class did that `scanlab class` has graded: lecture.html "
        "for "
        "the class, without names; staff.html, with names and similar pairs. "
        "OUT is the folder of scanlab class, or the ledger in it.";
    o->end =
        "Exit status: 0 all is shown; 1 something is left out, as was said; "
        "2 nothing could be shown.\n\n"
        "Example: scanlab stats submissions.graded";
    o->rows = rows;
    o->n_rows = sizeof rows / sizeof *rows;
    o->least_words = 1;
    o->most_words = 1;
    int n = options_read(o, argc, argv, &words);
    if (n < 0) return cli_ended(n);
    a.from = words[0];
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open(&course, a.labs)) status = stats_of(&a, &course);
    course_free(&course);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * stats.c: scanlab stats: reads the options and starts tools/stats/main.py,
 * which shows what `scanlab class` has kept (docs/parts.md, a class).
 */
#include "cli.h"
#include "script.h"

struct asked {
    const char *from, *output, *leaderboard, *sources,
        *labs; /* NULL: not given */
};

int command_stats(struct option_table *o, int argc, char **argv) {
    struct asked a = {0};
    const struct option_row rows[] = {
        {'o', "output", "DIR", "pages and figures (OUT/stats)",
         OPTION_TEXT(&a.output)},
        {0, "leaderboard", "FILE",
         "who wants to be on it: CSV with the columns id, nickname",
         OPTION_TEXT(&a.leaderboard)},
        {0, "sources", "DIR",
         "copies of what was graded, by codes, for JPlag and MOSS",
         OPTION_TEXT(&a.sources)},
        CLI_LABS(&a.labs)};
    o->what =
        "Shows how a class did that `scanlab class` has graded: lecture.html "
        "for "
        "the class, without names; staff.html, with names and similar pairs. "
        "OUT is the folder of scanlab class, or the ledger in it.";
    o->end =
        "Exit status: 0 all is shown; 1 something is left out, with a message; "
        "2 nothing could be shown.\n\n"
        "Example: scanlab stats submissions.graded";
    OPTIONS_ARE(o, rows, 1, 1);
    return script_of_class(o, argc, argv, "tools/stats/main.py");
}

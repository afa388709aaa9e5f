/* SPDX-License-Identifier: MIT
 *
 * gradebook.c: scanlab gradebook: reads the options and starts
 * tools/gradebook/main.py, which makes final points of what `scanlab class` has
 * kept (docs/parts.md, a class).
 */
#include "cli.h"
#include "script.h"

struct asked {
    const char *from, *output, *policy, *roster, *roster_format, *handed_in,
        *course, *git, *give_back, *column, *points, *export, *answers, *labs;
    /* NULL: not given */
    bool overwrite;
};

static const char *const formats[] = {
    "canvas",       "moodle",      "moodle-participants", "gradescope",
    "github",       "brightspace", "blackboard",          "plain",
    "prairielearn", NULL};
static const char *const exports[] = {"autolab", "brightspace", "gradescope",
                                      "prairielearn", NULL};

int command_gradebook(struct option_table *o, int argc, char **argv) {
    struct asked a = {0};
    const struct option_row rows[] = {
        {'o', "output", "DIR", "gradebook, files to give back (OUT/final)",
         OPTION_ONCE(OPTION_TEXT(&a.output))},
        {'p', "policy", "FILE",
         "lateness, extensions, overrides: policy.ini, or a CSV by student",
         OPTION_ONCE(OPTION_TEXT(&a.policy))},
        {'r', "roster", "FILE", "everyone of the class, as a system exports it",
         OPTION_ONCE(OPTION_TEXT(&a.roster))},
        {0, "roster-format", "SYSTEM",
         "the system that wrote it (known by its header)",
         OPTION_ONCE(OPTION_CHOICE(&a.roster_format, formats))},
        {0, "course", "DIR",
         "deadlines and late rules of its course.ini, where the policy has "
         "none",
         OPTION_ONCE(OPTION_TEXT(&a.course))},
        {0, "handed-in", "TIME",
         "when it was handed in, where nothing else says it",
         OPTION_ONCE(OPTION_TEXT(&a.handed_in))},
        {0, "git", "DIR",
         "when it was handed in, by the last commits of the repositories in "
         "DIR",
         OPTION_ONCE(OPTION_TEXT(&a.git))},
        {'g', "give-back", "FILE", "fill in a copy of this file of a system's",
         OPTION_ONCE(OPTION_TEXT(&a.give_back))},
        {0, "column", "NAME", "which column of it: the assignment",
         OPTION_ONCE(OPTION_TEXT(&a.column))},
        {0, "overwrite", NULL,
         "also grades that somebody has put into that file by hand",
         OPTION_FLAG(&a.overwrite)},
        {0, "points", "LAB", "give back the points of one lab (of all)",
         OPTION_ONCE(OPTION_TEXT(&a.points))},
        {0, "export", "SYSTEM", "make a file that this system takes",
         OPTION_ONCE(OPTION_CHOICE(&a.export, exports))},
        {0, "answers", "FILE",
         "right answers to written questions (reference/answers.md)",
         OPTION_ONCE(OPTION_TEXT(&a.answers))},
        CLI_LABS(&a.labs)};
    o->what =
        "Makes final points of what `scanlab class` has graded, by a policy "
        "and a roster, and the files that learning systems take back. Grades "
        "nothing again. OUT is the folder of scanlab class.";
    o->end =
        "Exit status: 0 everything is decided; 1 something needs a look: a "
        "rule that could not be applied, a doubt about who somebody is, a "
        "submission without points; 2 nothing was written.\n\n"
        "Example: scanlab gradebook submissions.graded -p policy.ini -r "
        "class.csv";
    OPTIONS_ARE(o, rows, 1, 1);
    return script_of_class(o, argc, argv, "tools/gradebook/main.py");
}

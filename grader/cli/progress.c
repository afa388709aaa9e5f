/* SPDX-License-Identifier: MIT
 *
 * progress.c: scanlab progress: how far up the ladder, as the last grade of
 * each lab says. Nothing is graded.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "remember.h"

enum { BAR = 20 };

static void print_lab(const struct lab *lab, const struct remembered *r) {
    int points = lab_points(lab, false), most = points > 0 ? points : 1,
        filled = 0;
    printf("%2d  %-16s", lab->number, lab->id);
    if (!r) {
        printf("%7s/%-4d %*s  not graded yet\n", "-", points, BAR, "");
        return;
    }
    int score = r->score - r->bonus;
    printf("%7d/%-4d ", score, points);
    for (; filled < BAR && score * BAR >= (filled + 1) * most; filled++)
        putchar('#');
    for (; filled < BAR; filled++) putchar('.');
    if (r->bonus) printf("  + %d bonus", r->bonus);
    printf("%s%s%s\n", *r->next ? "  next: " : "", r->next,
           r->is_changed ? *r->next ? ", saved since" : "  saved since" : "");
}

static int print_ladder(const struct course *course, const char *submission) {
    int score = 0, bonus = 0, points = 0;
    for (size_t i = 0; i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        struct remembered r;
        bool known =
            remembered_lab(course->paths.build_folder, submission, lab, &r);
        print_lab(lab, known ? &r : NULL);
        score += known ? r.score - r.bonus : 0;
        bonus += known ? r.bonus : 0;
        points += lab_points(lab, false);
    }
    printf("%-20s%7d/%d", "Total", score, points);
    if (bonus) printf(" + %d bonus", bonus);
    puts("  as last graded");
    return cli_finish(EXIT_FULL);
}

int command_progress(struct option_table *o, int argc, char **argv) {
    const char *submission = NULL, *labs = NULL;
    const struct option_row rows[] = {{'s', "submission", "DIR",
                                       "the folder with the sources (student)",
                                       OPTION_TEXT(&submission)},
                                      CLI_LABS(&labs)};
    char **words;
    o->what = "Shows the points that each lab had when all of it was graded "
              "last, and the check that comes next. Nothing is graded.";
    o->end = "Example: scanlab progress";
    OPTIONS_ARE(o, rows, 0, 0);
    int n_words = options_read(o, argc, argv, &words);
    if (n_words < 0) return cli_ended(n_words);
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open(&course, labs)) {
        char *standard = path_join(course.paths.root, "student");
        if (standard)
            status = print_ladder(&course, submission ? submission : standard);
        free(standard);
    }
    course_free(&course);
    return status;
}

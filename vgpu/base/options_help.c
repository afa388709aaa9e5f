/* SPDX-License-Identifier: MIT
 *
 * options_help.c: --help, made from a program's table: a line of usage, what
 * the program does, the options in two columns, exit status and an example.
 */
#include <string.h>

#include "options.h"

enum { WIDTH = 80, WIDEST = 24 }; /* of the page; of its left column */

/* Words up to the page's edge, the next line indented; "\n" ends a line. */
static void print_wrapped(FILE *out, const char *text, size_t column,
                          size_t indent) {
    while (*text) {
        size_t room = WIDTH - column, n = strcspn(text, "\n");
        if (n > room)
            for (n = room; n && text[n] != ' ';) n--;
        if (n == 0 && *text != '\n') n = strcspn(text, " \n");
        fprintf(out, "%.*s", (int)n, text);
        text += n;
        if (!*text) break;
        text++;
        fputc('\n', out);
        if (*text && *text != '\n') fprintf(out, "%*s", (int)indent, "");
        column = indent;
    }
    fputc('\n', out);
}

/* "-s, --submission DIR" */
static void left_column(char text[128], const struct option_row *row) {
    const char *argument = row->argument ? row->argument : "";
    const char *blank = row->argument && *row->argument != '[' ? " " : "";
    if (row->kind == OPTION_KIND_WORD)
        snprintf(text, 128, "%s", argument);
    else if (!row->name)
        snprintf(text, 128, "-%c%s%s", row->letter, blank, argument);
    else if (row->letter)
        snprintf(text, 128, "-%c, --%s%s%s", row->letter, row->name, blank,
                 argument);
    else
        snprintf(text, 128, "    --%s%s%s", row->name, blank, argument);
}

static void options_help_print_row(FILE *out, const struct option_row *row,
                                   size_t width) {
    char left[128];
    left_column(left, row);
    fprintf(out, "  %-*s", (int)width, left);
    if (strlen(left) > width) fprintf(out, "\n%*s", (int)width + 2, "");
    fputs("  ", out);
    print_wrapped(out, row->help, width + 4, width + 4);
}

static size_t left_width(const struct option_table *o) {
    size_t width = 0;
    for (size_t i = 0; i < o->n_rows; i++) {
        char left[128];
        if (o->rows[i].kind == OPTION_KIND_HEADING) continue;
        left_column(left, &o->rows[i]);
        size_t n = strlen(left);
        if (n > width && n <= WIDEST) width = n;
    }
    return width > 13 ? width : 13; /* "    --version" */
}

void options_help(FILE *out, const struct option_table *o) {
    static const struct option_row help = {.letter = 'h',
                                           .name = "help",
                                           .help = "this text",
                                           .kind = OPTION_KIND_PRINT};
    static const struct option_row version = {
        .name = "version", .help = "the version", .kind = OPTION_KIND_PRINT};
    size_t width = left_width(o);
    options_usage(out, o);
    fputc('\n', out);
    print_wrapped(out, o->what, 0, 0);
    fputc('\n', out);
    for (size_t i = 0; i < o->n_rows; i++)
        if (o->rows[i].kind == OPTION_KIND_HEADING)
            fprintf(out, "%s%s\n\n", i ? "\n" : "", o->rows[i].help);
        else
            options_help_print_row(out, &o->rows[i], width);
    if (o->n_rows) fputc('\n', out);
    options_help_print_row(out, &help, width);
    options_help_print_row(out, &version, width);
    if (!o->end) return;
    fputc('\n', out);
    print_wrapped(out, o->end, 0, 0);
}

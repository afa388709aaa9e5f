/* SPDX-License-Identifier: MIT
 *
 * main.c: finds the command in commands.def and calls it.
 */
#include <signal.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "forkserver.h"

#ifndef SCANLAB_VERSION
#define SCANLAB_VERSION "development"
#endif

static const struct command {
    const char *name;
    int (*run)(struct option_table *, int argc, char **argv);
    const char *arguments, *help;
} commands[] = {
#define X(name, function, arguments, help) {#name, function, arguments, help},
#include "commands.def"
#undef X
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* A grade opens and closes hundreds of devices: their pages are kept for the
 * next instead of being asked for and cleared anew. */
static void keep_pages(void) {
#ifdef __GLIBC__
    enum { LARGE = 32 << 20, KEPT = 256 << 20, AT_ONCE = 16 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_TOP_PAD, AT_ONCE);
#endif
}

static int unknown_command(const struct option_table *o, const char *name) {
    const char *names[N_COMMANDS + 1] = {0};
    struct text near = {0};
    for (size_t i = 0; i < N_COMMANDS; i++) names[i] = commands[i].name;
    option_suggest(&near, name, names);
    options_wrong(o, "unknown command '%s'%s", name, text_string(&near));
    text_free(&near);
    return EXIT_TROUBLE;
}

static int cli_call(const struct command *command, int argc, char **argv) {
    struct option_table o = {.program = "scanlab",
                             .command = command->name,
                             .version = SCANLAB_VERSION,
                             .arguments = command->arguments};
    int status = command->run(&o, argc, argv);
    forkserver_close_all(); /* and waited for, if process 1 does not */
    return status;
}

int main(int argc, char **argv) {
    struct option_row rows[N_COMMANDS];
    char calls[N_COMMANDS][64], **words;
    const struct option_table o = {
        .program = "scanlab",
        .version = SCANLAB_VERSION,
        .arguments = "COMMAND [ARGUMENT...]",
        .what =
            "Grades CUDA C and C scans, on a virtual GPU where there is none.",
        .end = "scanlab COMMAND --help tells more.\n"
               "Exit status: 0 full marks, 1 points are missing, 2 an error "
               "that is none of the submission's.\n\n"
               "Example: scanlab grade naive --submission student",
        .rows = rows,
        .n_rows = N_COMMANDS,
        .most_words = -1,
        .stops_at_word = true};
    for (size_t i = 0; i < N_COMMANDS; i++) {
        snprintf(calls[i], sizeof calls[i], "%s %s", commands[i].name,
                 commands[i].arguments);
        rows[i] = (struct option_row){.argument = calls[i],
                                      .help = commands[i].help,
                                      .kind = OPTION_KIND_WORD};
    }
    keep_pages();
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe is an error instead */
    int n = options_read(&o, argc, argv, &words);
    if (n < 0) return cli_ended(n);
    if (n == 0 || strcmp(words[0], "help") == 0) {
        options_help(n ? stdout : stderr, &o);
        return n ? cli_finish(EXIT_SUCCESS) : EXIT_TROUBLE;
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, words[0]) == 0)
            return cli_call(&commands[i], n, words);
    return unknown_command(&o, words[0]);
}

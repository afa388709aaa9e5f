/* SPDX-License-Identifier: MIT
 *
 * main.c: finds the command in commands.def and calls it; and the few words
 * that all commands share.
 */
#include <errno.h>
#include <getopt.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "nearest.h"
#include "signature.h"
#include "forkserver.h"

#ifndef SCANLAB_VERSION
#define SCANLAB_VERSION "development"
#endif

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *help;
} commands[] = {
#define X(name, function, arguments, help) {#name, function, arguments, help},
#include "commands.def"
#undef X
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

int cli_fail(const char *format, ...) {
    va_list arguments;
    fputs("scanlab: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_TROUBLE;
}

int cli_finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    return cli_fail("cannot write to standard output: %s", strerror(errno));
}

int cli_bad_option(int option, char **argv, const char *command) {
    const char *given = argv[optind - 1];
    const char *what = option == ':' ? "needs an argument" : "is no option";
    if (optopt && strncmp(given, "--", 2) != 0)
        cli_fail("-%c %s of 'scanlab %s'", optopt, what, command);
    else
        cli_fail("%s %s of 'scanlab %s'", given, what, command);
    fprintf(stderr, "see: scanlab %s --help\n", command);
    return EXIT_TROUBLE;
}

bool cli_number(const char *text, unsigned long long most,
                unsigned long long *number) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return *end == '\0' && errno == 0 && *number <= most;
}

int cli_parameter(const char *text, struct parameters *parameters) {
    const char *names[N_PARAMETERS], *value = strchr(text, '=');
    char name[32];
    int least, most;
    size_t length = value ? (size_t)(value - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    int p = parameter_by_name(name);
    for (int i = 0; i < N_PARAMETERS; i++)
        names[i] = parameter_name((enum parameter)i);
    if (p < 0 || !value) {
        const char *near = nearest_name(name, names, N_PARAMETERS);
        cli_fail("--set: '%s' is not NAME=VALUE of a parameter%s%s%s", text,
                 near ? " (did you mean '" : "", near ? near : "",
                 near ? "'?)" : "");
        return -1;
    }
    if (parameter_parse((enum parameter)p, value + 1, &parameters->value[p]))
        return p;
    parameter_range((enum parameter)p, &least, &most);
    cli_fail("--set: '%s' is no value of %s (%d to %d, or a name)", value + 1,
             name, least, most);
    return -1;
}

static void print_help(FILE *stream) {
    fputs(
        "usage: scanlab COMMAND [ARGUMENT...]\n\n"
        "Grades CUDA C and C scans, on a virtual GPU where there is none.\n\n",
        stream);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        char call[64];
        snprintf(call, sizeof call, "%s %s", commands[i].name,
                 commands[i].arguments);
        fprintf(stream, "  %-22s  %s\n", call, commands[i].help);
    }
    fputs("\n  --help, --version\n\n"
          "scanlab COMMAND --help tells more.\n"
          "Exit status: 0 full marks, 1 points are missing, 2 an error that "
          "is none of\nthe submission's.\n",
          stream);
}

static int unknown_command(const char *name) {
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) names[i] = commands[i].name;
    const char *near = nearest_name(name, names, N_COMMANDS);
    if (near)
        return cli_fail("unknown command '%s' (did you mean '%s'?)", name,
                        near);
    cli_fail("unknown command '%s'", name);
    print_help(stderr);
    return EXIT_TROUBLE;
}

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

int main(int argc, char **argv) {
    keep_pages();
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe is an error instead */
    if (argc < 2) {
        print_help(stderr);
        return EXIT_TROUBLE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return cli_finish(EXIT_SUCCESS);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("scanlab " SCANLAB_VERSION);
        return cli_finish(EXIT_SUCCESS);
    }
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, argv[1]) != 0) continue;
        int status = commands[i].run(argc - 1, argv + 1);
        forkserver_close_all(); /* awaited, whoever is process 1 */
        return status;
    }
    return unknown_command(argv[1]);
}

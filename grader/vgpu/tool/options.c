/* SPDX-License-Identifier: MIT
 *
 * options.c: the command line of `vgpu`. Options stand before the program;
 * everything after it is the program's. One table makes the parser and --help.
 */
#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#ifndef VGPU_VERSION
#define VGPU_VERSION "0.1.0"
#endif

enum {
    N_CHECKS = 5,
    DEFAULT_CHECKS =
        VGPU_CHECK_MEMCHECK | VGPU_CHECK_INITCHECK | VGPU_CHECK_SYNCCHECK
};

enum option_id {
    MEMCHECK = 256, /* above any character */
    INITCHECK,
    RACECHECK,
    SYNCCHECK,
    LEAKCHECK,
    CHECK,
    PROFILE,
    KERNEL,
    TOP,
    SCHEDULE,
    MEMORY_MODEL,
    DEVICE,
    BUDGET,
    FORMAT,
    OUTPUT = 'o',
    LIST_DEVICES = FORMAT + 1,
    HELP,
    VERSION
};

static const struct row {
    const char *name;
    int has_argument;
    enum option_id value;
    const char *argument, *help;
} rows[] = {
    {"memcheck", no_argument, MEMCHECK, "",
     "out of bounds, misaligned, freed (on)"},
    {"initcheck", no_argument, INITCHECK, "",
     "reads of memory nothing wrote (on)"},
    {"synccheck", no_argument, SYNCCHECK, "",
     "barriers and warp operations (on)"},
    {"racecheck", no_argument, RACECHECK, "",
     "races in shared and global memory"},
    {"leakcheck", no_argument, LEAKCHECK, "", "device memory never freed"},
    {"check", required_argument, CHECK, " LIST",
     "these instead: all, none, or names with commas"},
    {"profile", no_argument, PROFILE, "",
     "counters per source line, and the source with them"},
    {"kernel", required_argument, KERNEL, " NAME",
     "profile of this kernel only"},
    {"top", required_argument, TOP, " N",
     "so many lines in the profile's table (10)"},
    {"schedule", required_argument, SCHEDULE, " S",
     "in-order, reverse or random:SEED"},
    {"memory-model", required_argument, MEMORY_MODEL, " M", "sc or weak:SEED"},
    {"device", required_argument, DEVICE, " NAME",
     "device profile (see --list-devices)"},
    {"budget", required_argument, BUDGET, " N",
     "most warp instructions in one launch"},
    {"format", required_argument, FORMAT, " F", "report as text or json"},
    {"output", required_argument, OUTPUT, " FILE",
     "report there, not to stderr; also -o"},
    {"list-devices", no_argument, LIST_DEVICES, "", "the device profiles"},
    {"help", no_argument, HELP, "", "this text"},
    {"version", no_argument, VERSION, "", "the version"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void print_help(void) {
    puts("usage: vgpu [options] PROGRAM [arguments]\n\n"
         "Runs a CUDA program, built with `nvcc -cudart shared`, on a virtual "
         "GPU that checks\nand counts what its kernels do.\n");
    for (int i = 0; i < N_ROWS; i++) {
        char left[32];
        snprintf(left, sizeof left, "--%s%s", rows[i].name, rows[i].argument);
        printf("  %-18s %s\n", left, rows[i].help);
    }
    puts("\nexit code: the program's own; 86 when there are findings; 2 when "
         "it could not be run;\n128 + N when signal N ended it. "
         "Manual: docs/vgpu.md");
}

static void print_devices(void) {
    const struct vgpu_profile *profiles;
    size_t n = vgpu_profiles(&profiles);
    for (size_t i = 0; i < n; i++)
        printf("%-8s compute %d.%d, %3d SMs, %5d MiB, %d banks  %s\n",
               profiles[i].name, profiles[i].capability / 10,
               profiles[i].capability % 10, profiles[i].sms,
               profiles[i].memory_mib, profiles[i].banks, profiles[i].text);
}

static bool parse_checks(const char *text, unsigned *checks) {
    unsigned result = 0;
    char *list = strdup(text), *rest = list, *word;
    bool is_good = list != NULL;
    while (is_good && (word = strsep(&rest, ",")) != NULL) {
        unsigned bit = vgpu_check_by_name(word);
        if (strcmp(word, "all") == 0)
            bit = VGPU_CHECK_ALL;
        else if (bit == 0 && strcmp(word, "none") != 0)
            is_good = false;
        result |= bit;
    }
    free(list);
    if (is_good) *checks = result;
    return is_good;
}

static bool is_profile(const char *name) {
    const struct vgpu_profile *profiles;
    size_t n = vgpu_profiles(&profiles);
    for (size_t i = 0; i < n; i++)
        if (strcmp(profiles[i].name, name) == 0) return true;
    return false;
}

static bool parse_number(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || value == 0)
        return false;
    *number = value;
    return true;
}

/* What an option with a value means; false: the value is none it takes. */
static bool set_value(struct tool_options *o, enum option_id option,
                      const char *value) {
    switch (option) {
    case CHECK: return parse_checks(value, &o->device.checks);
    case SCHEDULE:
        o->schedule = value;
        return vgpu_parse_schedule(value, &o->device);
    case MEMORY_MODEL:
        o->memory_model = value;
        return vgpu_parse_memory_model(value, &o->device);
    case KERNEL:
        o->kernel = value;
        o->wants_profile = true;
        return *value != 0;
    case TOP: {
        uint64_t top;
        if (!parse_number(value, &top)) return false;
        o->top = (size_t)top;
        o->wants_profile = true;
        return true;
    }
    case DEVICE: o->device.profile = value; return is_profile(value);
    case BUDGET: return parse_number(value, &o->device.instruction_budget);
    case FORMAT:
        o->wants_json = strcmp(value, "json") == 0;
        return o->wants_json || strcmp(value, "text") == 0;
    case OUTPUT: o->output = value; return *value != 0;
    default: return false;
    }
}

static tool_next set_flag(struct tool_options *o, enum option_id option) {
    static const unsigned bits[N_CHECKS] = {
        VGPU_CHECK_MEMCHECK, VGPU_CHECK_INITCHECK, VGPU_CHECK_RACECHECK,
        VGPU_CHECK_SYNCCHECK, VGPU_CHECK_LEAKCHECK};
    if (option >= MEMCHECK && option <= LEAKCHECK)
        o->device.checks |= bits[option - MEMCHECK];
    else if (option == PROFILE)
        o->wants_profile = true;
    else if (option == LIST_DEVICES)
        print_devices();
    else if (option == HELP)
        print_help();
    else if (option == VERSION)
        puts("vgpu " VGPU_VERSION);
    return option >= LIST_DEVICES ? TOOL_DONE : TOOL_GO;
}

static const struct row *find_row(int value) {
    for (int i = 0; i < N_ROWS; i++)
        if ((int)rows[i].value == value) return &rows[i];
    return NULL;
}

tool_next tool_parse(int argc, char **argv, struct tool_options *o) {
    struct option options[N_ROWS + 1] = {0};
    int value;
    *o = (struct tool_options){.device.checks = DEFAULT_CHECKS,
                               .schedule = "in-order",
                               .memory_model = "sc"};
    for (int i = 0; i < N_ROWS; i++)
        options[i] = (struct option){rows[i].name, rows[i].has_argument, NULL,
                                     (int)rows[i].value};
    /* "+": stop at the program, its options are its own. */
    while ((value = getopt_long(argc, argv, "+o:h", options, NULL)) != -1) {
        const struct row *row = find_row(value == 'h' ? HELP : value);
        if (!row) { /* getopt has said what */
            fputs("Try 'vgpu --help'.\n", stderr);
            return TOOL_USAGE;
        }
        if (row->has_argument == no_argument) {
            if (set_flag(o, row->value) == TOOL_DONE) return TOOL_DONE;
        } else if (!set_value(o, row->value, optarg)) {
            tool_say("--%s does not take '%s': %s", row->name, optarg,
                     row->help);
            return TOOL_USAGE;
        }
    }
    o->program = argv + optind;
    if (optind < argc) return TOOL_GO;
    tool_say("which program? Try 'vgpu --help'.");
    return TOOL_USAGE;
}

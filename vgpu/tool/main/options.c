/* SPDX-License-Identifier: MIT
 *
 * options.c: the command line of `vgpu`. Options stand before the program;
 * everything after it is the program's.
 */
#include "tool.h"

#include "options.h"
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_CHECKS =
        VGPU_CHECK_MEMCHECK | VGPU_CHECK_INITCHECK | VGPU_CHECK_SYNCCHECK,
    MOST_PROFILES = 64
};

static void print_devices(void) {
    const struct vgpu_profile *profiles;
    size_t n = vgpu_profiles(&profiles);
    for (size_t i = 0; i < n; i++)
        printf("%-8s compute %2d.%d, %3d SMs, %6d MiB, %d banks  %s\n",
               profiles[i].name, profiles[i].capability / 10,
               profiles[i].capability % 10, profiles[i].sms,
               profiles[i].memory_mib, profiles[i].banks, profiles[i].text);
}

static void print_clocks(void) {
    for (size_t n = 0; vgpu_clock_name(n); n++)
        printf("%-8s %s\n", vgpu_clock_name(n), vgpu_clock_text(n));
}

static bool set_clock(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    o->wants_clock = true;
    o->device.clock = value;
    if (!value || vgpu_is_clock(value)) return true;
    text_add(why, "'%s' is no profile of the clock (see --list-clocks)", value);
    return false;
}

/* h200x4 and teach-x2 are several of one kind. */
static const char *clock_of(const char *device) {
    if (vgpu_is_clock(device)) return device;
    for (size_t n = 0; vgpu_clock_name(n); n++) {
        const char *name = vgpu_clock_name(n);
        const char *rest = device + strlen(name);
        if (!strncmp(device, name, strlen(name)) &&
            *(rest += *rest == '-') == 'x')
            return name;
    }
    return "teach";
}

/* A clock without a name is the device's; a device without one is the clock's,
 * if there is such a device. */
static void match_clock(struct tool_options *o) {
    if (!o->wants_clock) return;
    const char *device = o->device.profile ? o->device.profile : "teach";
    if (!o->device.clock) o->device.clock = clock_of(device);
    if (!o->device.profile)
        o->device.profile = vgpu_clock_device(o->device.clock);
}

static bool set_checks(void *to, const char *value, struct text *why) {
    unsigned result = 0;
    char *list = strdup(value), *rest = list, *word;
    while (list && !why->size && (word = strsep(&rest, ",")) != NULL) {
        unsigned bit = vgpu_check_by_name(word);
        if (strcmp(word, "all") == 0)
            bit = VGPU_CHECK_ALL_OF_PROGRAM;
        else if (bit == 0 && strcmp(word, "none") != 0)
            text_add(why, "'%s' is neither a check, nor all or none", word);
        result |= bit;
    }
    free(list);
    if (!why->size) *(unsigned *)to = result;
    return list && !why->size;
}

static bool set_schedule(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    o->schedule = value;
    if (vgpu_parse_schedule(value, &o->device)) return true;
    text_add(why, "'%s' is none of in-order, reverse, random:SEED", value);
    return false;
}

static bool set_memory_model(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    o->memory_model = value;
    if (vgpu_parse_memory_model(value, &o->device)) return true;
    text_add(why, "'%s' is none of sc, weak:SEED", value);
    return false;
}

static bool set_async(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    if (vgpu_parse_async(value, &o->device)) return true;
    text_add(why, "'%s' is none of in-order, late, random:SEED", value);
    return false;
}

static bool set_contents(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    if (vgpu_parse_contents(value, &o->device)) return true;
    text_add(why, "'%s' is none of left:SEED, random:SEED, zeros", value);
    return false;
}

static void print_trace(void *user, const char *text, size_t bytes) {
    struct tool_options *o = user;
    o->n_traced++;
    fwrite(text, 1, bytes, stderr);
}

static bool set_trace(void *to, const char *value, struct text *why) {
    struct tool_options *o = to;
    char wrong[VGPU_TEXT];
    o->device.trace.line = print_trace;
    o->device.trace.user = o;
    if (!value) return true;
    free(o->trace_words);
    o->trace_words = strdup(value);
    if (o->trace_words &&
        vgpu_parse_trace(o->trace_words, &o->device.trace, wrong))
        return true;
    text_add(why, "%s", o->trace_words ? wrong : "out of memory");
    return false;
}

static bool set_dump(struct tool_options *o, const char *kernel, bool parsed) {
    o->wants_dump = true;
    o->dump = (struct vgpu_dump){.kernel = kernel, .parsed = parsed};
    return true;
}

static bool set_dump_ptx(void *to, const char *value, struct text *why) {
    (void)why;
    return set_dump(to, value, false);
}

static bool set_dump_parsed(void *to, const char *value, struct text *why) {
    (void)why;
    return set_dump(to, value, true);
}

static void list_profiles(const char *names[MOST_PROFILES + 1]) {
    const struct vgpu_profile *all;
    size_t n = vgpu_profiles(&all);
    for (size_t i = 0; i < n && i < MOST_PROFILES; i++) names[i] = all[i].name;
}

#define CHECK(name, bit, text)                                                 \
    { 0, name, NULL, text, OPTION_BITS(&o->device.checks, VGPU_CHECK_##bit) }

/* Rows of the table below. */
#define CHECK_OPTIONS                                                          \
    CHECK("memcheck", MEMCHECK, "out of bounds, misaligned, freed (on)"),      \
        CHECK("initcheck", INITCHECK, "reads of memory nothing wrote (on)"),   \
        CHECK("synccheck", SYNCCHECK, "barriers and warp operations (on)"),    \
        CHECK("racecheck", RACECHECK, "races in shared and global memory"),    \
        CHECK("leakcheck", LEAKCHECK, "device memory never freed"),            \
        CHECK("ordercheck", ORDERCHECK,                                        \
              "order between host code, streams and copies")
#define INSTEAD_OF_RUNNING                                                     \
    OPTION_HEADING("Instead of running the program:"),                         \
        {0, "dump-ptx", "[=KERNEL]",                                           \
         "print the PTX in it, as nvcc wrote it; PROGRAM may also be a "       \
         "library, an object file, a fatbin or PTX",                           \
         OPTION_CALL(set_dump_ptx, o)},                                        \
        {0, "dump-parsed", "[=KERNEL]",                                        \
         "the same as the virtual GPU understood it",                          \
         OPTION_CALL(set_dump_parsed, o)},                                     \
        {0, "list-devices", NULL, "the device profiles",                       \
         OPTION_PRINT(print_devices)},                                         \
    {                                                                          \
        0, "list-clocks", NULL, "the profiles of the clock",                   \
            OPTION_PRINT(print_clocks)                                         \
    }

#define CLOCK_OPTIONS                                                          \
    {0, "clock", "[=PROFILE]",                                                 \
     "model time on this profile (see --list-clocks); the device's own when "  \
     "there is one",                                                           \
     OPTION_CALL(set_clock, o)},                                               \
    {                                                                          \
        0, "timeline", "FILE",                                                 \
            "with --clock: blocks, warps and messages as trace events, for "   \
            "Perfetto",                                                        \
            OPTION_TEXT(&o->timeline)                                          \
    }

static int options_read_options(struct tool_options *o, struct option_table *of,
                                int argc, char **argv) {
    static const char *const formats[] = {"text", "json", NULL};
    const char *profiles[MOST_PROFILES + 1] = {0}, *format = formats[0];
    list_profiles(profiles);
    const struct option_row rows[] = {
        CHECK_OPTIONS,
        {0, "check", "LIST", "these instead: all, none, or names with commas",
         OPTION_CALL(set_checks, &o->device.checks)},
        {0, "profile", NULL,
         "counters per source line, and the source with them; with --clock "
         "where model time went",
         OPTION_FLAG(&o->wants_profile)},
        {0, "kernel", "NAME", "profile of this kernel only",
         OPTION_TEXT(&o->kernel)},
        {0, "top", "N", "so many lines in the profile's table (10)",
         OPTION_NUMBER(&o->top, 1, SIZE_MAX)},
        {0, "trace", "[=SELECTION]",
         "print instructions as they run, with registers; SELECTION: words "
         "with commas, of kernel=NAME launch=N block=N warp=N lanes=A-B "
         "file=NAME lines=A-B limit=N (1000)",
         OPTION_CALL(set_trace, o)},
        {0, "schedule", "S", "in-order, reverse or random:SEED",
         OPTION_CALL(set_schedule, o)},
        {0, "memory-model", "M", "sc or weak:SEED",
         OPTION_CALL(set_memory_model, o)},
        {0, "async", "A",
         "when streams do their work: in-order (at once), late or random:SEED",
         OPTION_CALL(set_async, o)},
        {0, "memory-contents", "C",
         "what new device memory holds: left:SEED (what was freed, else random "
         "words), random:SEED or zeros",
         OPTION_CALL(set_contents, o)},
        {0, "device", "NAME", "device profile (see --list-devices)",
         OPTION_CHOICE(&o->device.profile, profiles)},
        {0, "gpus", "N",
         "so many GPUs of this kind, with links between them (the profile's "
         "number)",
         OPTION_NUMBER(&o->n_gpus, 1, VGPU_MOST_GPUS)},
        CLOCK_OPTIONS,
        {0, "budget", "N", "most warp instructions in one launch",
         OPTION_NUMBER(&o->device.instruction_budget, 1, UINT64_MAX)},
        {0, "race-memory", "MIB", "memory that racecheck looks at, at most",
         OPTION_NUMBER(&o->device.race_memory_mib, 1, 1 << 20)},
        {0, "format", "F", "report as text or json",
         OPTION_CHOICE(&format, formats)},
        {'o', "output", "FILE", "report there, not to stderr",
         OPTION_TEXT(&o->output)},
        INSTEAD_OF_RUNNING};
    of->rows = rows;
    of->n_rows = sizeof rows / sizeof *rows;
    int n_words = options_read(of, argc, argv, &o->program);
    o->wants_json = format == formats[1];
    o->wants_profile |= o->kernel || o->top;
    o->device.n_gpus = (unsigned)o->n_gpus;
    match_clock(o);
    o->device.timeline = o->wants_clock && o->timeline;
    o->device.why = o->wants_clock && (o->wants_profile || o->timeline);
    return n_words;
}

tool_next tool_parse(int argc, char **argv, struct tool_options *o) {
    struct option_table of = {
        .program = "vgpu",
        .version = VGPU_VERSION,
        .arguments = "PROGRAM [ARGUMENT...]",
        .what = "Runs a CUDA program, built with `nvcc -cudart shared`, on a "
                "virtual GPU that checks and counts what its kernels do.",
        .end = "Exit status: the program's own; 86 when there are findings or "
               "a check is incomplete; 2 "
               "when it could not be run; 128 + N when signal N ended it. "
               "Manual: vgpu/docs/vgpu.md\n\n"
               "Example: vgpu --racecheck --profile ./program 1000",
        .least_words = 1,
        .most_words = -1,
        .stops_at_word = true};
    *o = (struct tool_options){.device.checks = DEFAULT_CHECKS,
                               .schedule = "in-order",
                               .memory_model = "sc"};
    int n_words = options_read_options(o, &of, argc, argv);
    return n_words >= 0              ? TOOL_GO
           : n_words == OPTIONS_DONE ? TOOL_DONE
                                     : TOOL_USAGE;
}

/* SPDX-License-Identifier: MIT
 *
 * single.c: scanlab run and scanlab profile: one call of a lab's function on
 * the virtual GPU; whether it was right, and what it counted, in total or per
 * source line. Nothing of it is graded.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <lines.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "compile.h"
#include "single.h"
#include "cli.h"

enum { USUAL_N = 65536, MOST_THREADS = 64, MOST_TOP = 1000 };
enum { GO_ON = -1 };

#define COMMON_HELP                                                            \
    "  -n N                  elements (65536)\n"                               \
    "      --function ID     the function to call (the lab's first)\n"         \
    "  -s, --submission DIR  the folder with the sources (student)\n"          \
    "      --set NAME=VALUE  a parameter of the function, such as order=3\n"   \
    "      --arch A          PTX for compute capability 75, 80 or 90 (75)\n"   \
    "      --schedule S      order of blocks: in-order, reverse, "             \
    "random:SEED\n"                                                            \
    "      --seed N          of the input (a fresh one, shown)\n"              \
    "      --labs DIR        the folder of labs\n"
#define END_HELP                                                               \
    "\nExit status: 0 the output is right, 1 it is not, 2 an error that is "   \
    "none of\nthe submission's.\n"

static const char run_help[] =
    "usage: scanlab run LAB [OPTION...]\n\n"
    "Calls a function of a lab once and says whether its output is right and\n"
    "what the call cost. LAB is a name, a number or a folder: naive, 1,\n"
    "01-naive.\n\n" COMMON_HELP "      --threads N       for functions that "
    "take a number of threads (2)\n"
    "      --format F        text, or csv: a line of names, a line of "
    "values\n" END_HELP;

static const char profile_help[] =
    "usage: scanlab profile LAB [OPTION...]\n\n"
    "Calls a function of a lab once and prints what each kernel and each line\n"
    "of the source cost: the hottest lines, then the source with its counts.\n"
    "LAB is a name, a number or a folder: naive, 1, 01-naive.\n\n" COMMON_HELP
    "      --kernel NAME     this kernel only\n"
    "      --top N           so many lines in the table (10)\n" END_HELP;

struct single {
    const char *command;
    bool is_profile, as_csv;
    const char *function, *submission, *labs; /* as given, or NULL */
    bool seeded;
    struct single_options judge;
    struct lines_options lines;
    /* what inspect kept */
    uint64_t counts[VGPU_N_COUNTERS];
    const char *device;
    char *profile;
    size_t profile_bytes;
};

/* ---- options ---- */

static bool set_number(const char *option, const char *text,
                       unsigned long long least, unsigned long long most,
                       unsigned long long *number) {
    if (cli_number(text, most, number) && *number >= least) return true;
    cli_fail("%s: '%s' is not a number from %llu to %llu", option, text, least,
             most);
    return false;
}

static bool set_schedule(struct single *s, const char *text) {
    struct vgpu_options options = {0};
    s->judge.schedule = text;
    if (vgpu_parse_schedule(text, &options)) return true;
    cli_fail("--schedule: '%s' is none of in-order, reverse, random:SEED",
             text);
    return false;
}

static bool set_format(struct single *s, const char *text) {
    s->as_csv = strcmp(text, "csv") == 0;
    if (s->as_csv || strcmp(text, "text") == 0) return true;
    cli_fail("--format: '%s' is none of text, csv", text);
    return false;
}

static bool set_value(struct single *s, int c, const char *text) {
    unsigned long long number;
    switch (c) {
    case 's': s->submission = text; return true;
    case 'L': s->labs = text; return true;
    case 'F': s->function = text; return true;
    case 'K': s->lines.kernel = text; return true;
    case 'O': return set_schedule(s, text);
    case 'n':
        if (!set_number("-n", text, 0, LAB_MAX_SIZE, &number)) return false;
        s->judge.n = (size_t)number;
        return true;
    case 'S':
        if (!set_number("--seed", text, 0, INT64_MAX, &number)) return false;
        s->judge.seed = number;
        return s->seeded = true;
    case 'T':
        if (!set_number("--threads", text, 1, MOST_THREADS, &number))
            return false;
        s->judge.parameters.value[PARAMETER_threads] = (int)number;
        return true;
    case 'C': return set_format(s, text);
    case 'A':
        if (compile_arch_by_name(text, &s->judge.arch)) return true;
        cli_fail("--arch: '%s' is none of " COMPILE_ARCHES, text);
        return false;
    case 'P': return cli_parameter(text, &s->judge.parameters) >= 0;
    default: /* 't' */
        if (!set_number("--top", text, 1, MOST_TOP, &number)) return false;
        s->lines.top = (size_t)number;
        return true;
    }
}

static int read_options(struct single *s, int argc, char **argv) {
    /* The last entries are of one of the two only. */
    static const struct option run_options[] = {
        {"function", required_argument, NULL, 'F'},
        {"submission", required_argument, NULL, 's'},
        {"schedule", required_argument, NULL, 'O'},
        {"arch", required_argument, NULL, 'A'},
        {"seed", required_argument, NULL, 'S'},
        {"labs", required_argument, NULL, 'L'},
        {"set", required_argument, NULL, 'P'},
        {"help", no_argument, NULL, 'h'},
        {"threads", required_argument, NULL, 'T'},
        {"format", required_argument, NULL, 'C'},
        {0}};
    static const struct option profile_options[] = {
        {"function", required_argument, NULL, 'F'},
        {"submission", required_argument, NULL, 's'},
        {"schedule", required_argument, NULL, 'O'},
        {"arch", required_argument, NULL, 'A'},
        {"seed", required_argument, NULL, 'S'},
        {"labs", required_argument, NULL, 'L'},
        {"set", required_argument, NULL, 'P'},
        {"help", no_argument, NULL, 'h'},
        {"kernel", required_argument, NULL, 'K'},
        {"top", required_argument, NULL, 't'},
        {0}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":n:s:h",
                            s->is_profile ? profile_options : run_options,
                            NULL)) != -1) {
        if (c == 'h') {
            fputs(s->is_profile ? profile_help : run_help, stdout);
            return cli_finish(EXIT_SUCCESS);
        }
        if (c == '?' || c == ':') return cli_bad_option(c, argv, s->command);
        if (!set_value(s, c, optarg)) return EXIT_TROUBLE;
    }
    if (argc - optind == 1) return GO_ON;
    fputs(s->is_profile ? profile_help : run_help, stderr);
    return EXIT_TROUBLE;
}

static bool choose_function(struct single *s) {
    const struct lab *lab = s->judge.lab;
    for (size_t i = 0; s->function && i < lab->n_functions; i++)
        if (strcmp(lab->functions[i].id, s->function) == 0) {
            s->judge.function = (int)i;
            return true;
        }
    if (!s->function && lab->n_functions) return true;
    cli_fail("lab %s has no function '%s'", lab->id,
             s->function ? s->function : "");
    fprintf(stderr, "known:");
    for (size_t i = 0; i < lab->n_functions; i++)
        fprintf(stderr, " %s", lab->functions[i].id);
    fputc('\n', stderr);
    return false;
}

static bool fresh_seed(struct single *s) {
    uint32_t seed;
    if (s->seeded) return true;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        cli_fail("cannot get a random seed: %s", strerror(errno));
        return false;
    }
    s->judge.seed = seed;
    return true;
}

/* ---- the call ---- */

static void inspect(void *user, vgpu_device *device,
                    const uint64_t counts[VGPU_N_COUNTERS]) {
    struct single *s = user;
    memcpy(s->counts, counts, sizeof s->counts);
    s->device = vgpu_device_profile(device)->name;
    if (!s->is_profile) return;
    FILE *memory = open_memstream(&s->profile, &s->profile_bytes);
    if (!memory) return;
    lines_print(memory, device, &s->lines);
    fclose(memory);
}

/* The meaning of a counter, in as many lines as it takes beside the numbers. */
static void print_meaning(const char *text) {
    enum { INDENT = 51, ROOM = LINES_WIDTH - INDENT };
    while (strlen(text) > ROOM) {
        int cut = ROOM;
        while (cut > 0 && text[cut] != ' ') cut--;
        if (cut == 0) break;
        printf("%.*s\n%*s", cut, text, INDENT, "");
        text += cut + 1;
    }
    puts(text);
}

static void print_counts(const struct single *s) {
    printf("\n  %-23s%13s%12s  %s\n", "counter", "count",
           s->judge.n ? "per element" : "", "what it counts");
    for (int c = 0; c < VGPU_N_COUNTERS; c++) {
        if (!s->counts[c]) continue;
        printf("  %-23s%13" PRIu64, vgpu_counter_name((vgpu_counter)c),
               s->counts[c]);
        if (s->judge.n)
            printf("%12.3f  ", (double)s->counts[c] / (double)s->judge.n);
        else
            printf("%14s", "");
        print_meaning(vgpu_counter_text((vgpu_counter)c));
    }
}

static const char *verdict(const struct case_result *r) {
    return r->verdict == CASE_PASS   ? "right"
           : r->verdict == CASE_TODO ? "not implemented yet"
                                     : "wrong";
}

/* For scripts: every counter, also those that are 0. */
static void print_csv(const struct single *s, const struct case_result *r) {
    printf("lab,function,n,device,schedule,seed,result");
    for (int c = 0; c < VGPU_N_COUNTERS; c++)
        printf(",%s", vgpu_counter_name((vgpu_counter)c));
    printf("\n%s,%s,%zu,%s,%s,%" PRIu64 ",%s", s->judge.lab->id,
           s->judge.lab->functions[s->judge.function].id, s->judge.n,
           s->device ? s->device : "none",
           s->judge.schedule ? s->judge.schedule : "in-order", s->judge.seed,
           verdict(r));
    for (int c = 0; c < VGPU_N_COUNTERS; c++) printf(",%" PRIu64, s->counts[c]);
    putchar('\n');
}

static void print_result(const struct single *s, const struct case_result *r) {
    const struct lab_function *f = &s->judge.lab->functions[s->judge.function];
    bool on_gpu = s->judge.lab->language == LAB_CUDA;
    printf("%s, n = %zu%s%s, seed %" PRIu64 ": %s\n", f->symbol, s->judge.n,
           on_gpu ? ", " : "",
           !on_gpu             ? ""
           : s->judge.schedule ? s->judge.schedule
                               : "in-order",
           s->judge.seed, verdict(r));
    if (r->verdict == CASE_FAIL && r->message) printf("  %s\n", r->message);
    if (r->where) printf("  at %s\n", r->where);
    if (r->cause) printf("  %s\n", r->cause);
    if (r->output) printf("\nit printed:\n%s\n", r->output);
    if (r->verdict == CASE_TODO || !on_gpu) return;
    if (s->profile && s->profile_bytes)
        printf("\n%s", s->profile);
    else if (s->counts[VGPU_COUNT_LAUNCHES])
        print_counts(s);
    else
        printf("\n  nothing was launched\n");
}

static int call(struct single *s) {
    struct case_result result;
    char error[JUDGE_ERROR_BYTES] = "";
    s->judge.inspect = inspect;
    s->judge.user = s;
    s->lines.folder = s->judge.submission;
    s->lines.colour = lines_colour(stdout);
    if (!judge_single(&s->judge, &result, error)) return cli_fail("%s", error);
    if (s->as_csv)
        print_csv(s, &result);
    else
        print_result(s, &result);
    int status = result.verdict == CASE_PASS ? EXIT_FULL : EXIT_MISSING;
    case_result_free(&result);
    free(s->profile);
    return cli_finish(status);
}

static bool is_there(const struct single *s) {
    char *path = path_join(s->judge.submission, s->judge.lab->source);
    bool there = path && access(path, F_OK) == 0;
    free(path);
    if (access(s->judge.submission, F_OK) != 0)
        cli_fail("cannot open the submission's folder %s: %s",
                 s->judge.submission, strerror(errno));
    else if (!there)
        cli_fail("there is no %s in %s", s->judge.lab->source,
                 s->judge.submission);
    return there;
}

static int single(struct single *s, const struct course *course,
                  const char *name) {
    char *standard = path_join(course->paths.root, "student");
    int status = EXIT_TROUBLE;
    s->judge.lab = course_lab(course, name);
    s->judge.root = course->paths.root;
    s->judge.build_folder = course->paths.build_folder;
    s->judge.submission = s->submission ? s->submission : standard;
    if (!standard)
        cli_fail("out of memory");
    else if (s->judge.lab && s->is_profile && s->judge.lab->language == LAB_C)
        cli_fail("%s runs on the host, where nothing is counted; see: scanlab "
                 "run %s",
                 s->judge.lab->id, s->judge.lab->id);
    else if (s->judge.lab && choose_function(s) && is_there(s) && fresh_seed(s))
        status = call(s);
    free(standard);
    return status;
}

static int command(int argc, char **argv, const char *name, bool is_profile) {
    struct single s = {
        .command = name, .is_profile = is_profile, .judge = {.n = USUAL_N}};
    parameters_usual(&s.judge.parameters);
    int status = read_options(&s, argc, argv);
    if (status != GO_ON) return status;
    struct course course;
    status = EXIT_TROUBLE;
    if (course_open(&course, s.labs))
        status = single(&s, &course, argv[optind]);
    course_free(&course);
    return status;
}

int command_run_lab(int argc, char **argv) {
    return command(argc, argv, "run", false);
}

int command_profile(int argc, char **argv) {
    return command(argc, argv, "profile", true);
}

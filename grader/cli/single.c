/* SPDX-License-Identifier: MIT
 *
 * single.c: scanlab run and scanlab profile: one call of a lab's function on
 * the virtual GPU; whether it was right, and what it counted, in total or per
 * source line. Nothing of it is graded.
 */
#include <errno.h>
#include <inttypes.h>
#include <lines.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean_text.h"
#include "cli.h"
#include "compile_settings.h"
#include "counts_table.h"
#include "profile_json.h"
#include "profile_page.h"
#include "single.h"
#include "words.h"

enum { USUAL_N = 65536, MOST_THREADS = 64, MOST_TOP = 1000 };

struct single {
    bool is_profile;
    const char *function, *submission, *labs; /* as given, or NULL */
    const char *format;                       /* "text" or "csv" */
    const char *timeline;                     /* file; NULL: none */
    const char *page;                         /* file; NULL: none */
    bool failed;                              /* to write it */
    bool seeded;
    struct single_options judge;
    struct lines_options lines;
    struct vgpu_trace_options trace;
    char *trace_words; /* kernel and file of its selection point there */
    /* what inspect kept */
    uint64_t counts[VGPU_N_COUNTERS];
    const char *device; /* NULL: the call has not returned */
    char *profile;
    size_t profile_bytes;
    struct json_t *json;
    struct source_view *view; /* of the page */
};

/* ---- options ---- */

static bool set_threads(void *to, const char *value, struct text *why) {
    struct parameters *parameters = to;
    uint64_t threads;
    if (!option_number(value, MOST_THREADS, &threads) || threads == 0) {
        text_add(why, "'%s' is not a number from 1 to %d", value, MOST_THREADS);
        return false;
    }
    parameters->value[PARAMETER_threads] = (int)threads;
    return true;
}

/* What the judge tries afterwards, to see what is wrong, is left out. */
static void print_trace(void *user, const char *text, size_t bytes) {
    const struct single *s = user;
    if (!s->device) fwrite(text, 1, bytes, stderr);
}

static bool set_trace(void *to, const char *value, struct text *why) {
    struct single *s = to;
    char wrong[VGPU_TEXT];
    s->trace.line = print_trace;
    s->trace.user = s;
    s->judge.trace = &s->trace;
    if (!value) return true;
    free(s->trace_words);
    s->trace_words = strdup(value);
    if (s->trace_words && vgpu_parse_trace(s->trace_words, &s->trace, wrong))
        return true;
    text_add(why, "%s", s->trace_words ? wrong : "out of memory");
    return false;
}

static int single_read_options(struct single *s, struct option_table *o,
                               int argc, char **argv, char ***words) {
    static const char *const formats[] = {"text", "csv", NULL};
    static const char *const profiles[] = {"text", "json", NULL};
    struct single_options *judge = &s->judge;
    struct cli_parameters parameters = {&judge->parameters, NULL};
    /* The first two are of `run` only, the last four of `profile`. */
    const struct option_row rows[] = {
        {0, "threads", "N", "for functions that take a number of threads (2)",
         OPTION_CALL(set_threads, &judge->parameters)},
        {0, "format", "F", "text, or csv: a line of names, a line of values",
         OPTION_CHOICE(&s->format, formats)},
        {'n', NULL, "N", "elements (65536, or the most of the checks)",
         OPTION_NUMBER(&judge->n, 0, LAB_MAX_SIZE)},
        {0, "function", "ID", "the function to call (the lab's first)",
         OPTION_TEXT(&s->function)},
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&s->submission)},
        {0, "set", "NAME=VALUE", "a parameter of the function, such as order=3",
         OPTION_CALL(cli_set_parameter, &parameters)},
        {0, "arch", "A", "PTX for compute capability " COMPILE_ARCHES " (75)",
         OPTION_CALL(cli_set_arch, &judge->arch)},
        {0, "schedule", "S", "order of blocks: in-order, reverse, random:SEED",
         OPTION_CALL(cli_set_schedule, &judge->schedule)},
        {0, "check", "LIST",
         "all, or some of memcheck, initcheck, racecheck, synccheck, leakcheck "
         "(memcheck,synccheck)",
         OPTION_CALL(cli_set_checks, &judge->checks)},
        {0, "memory-model", "M", "sc or weak:SEED (sc)",
         OPTION_CALL(cli_set_memory_model, &judge->memory_model)},
        {0, "profile", "NAME",
         "the sizes of this GPU (the clock's, or those of the function's "
         "first check): vgpu --list-devices",
         OPTION_CALL(cli_set_profile, &judge->profile)},
        {0, "clock", "[=PROFILE]",
         "model time on this profile (teach): vgpu/docs/clock.md",
         OPTION_CALL(cli_set_clock, &judge->clock)},
        {0, "timeline", "FILE",
         "with --clock: blocks, warps, messages as trace events (Perfetto)",
         OPTION_TEXT(&s->timeline)},
        {0, "trace", "[=SELECTION]",
         "print instructions as they run, with registers: all, or of "
         "kernel=NAME,block=N,warp=N,lines=A-B (docs/debugging.md)",
         OPTION_CALL(set_trace, s)},
        CLI_SEED(&judge->seed, &s->seeded, "of the input (a fresh one, shown)"),
        CLI_LABS(&s->labs),
        {0, "kernel", "NAME", "this kernel only",
         OPTION_TEXT(&s->lines.kernel)},
        {0, "top", "N", "so many lines in the table (10)",
         OPTION_NUMBER(&s->lines.top, 1, MOST_TOP)},
        {0, "format", "F",
         "text, or json: all counts and, with --clock, all times",
         OPTION_CHOICE(&s->format, profiles)},
        {'o', NULL, "FILE.html", "a page of the source with what a line costs",
         OPTION_TEXT(&s->page)}};
    o->rows = s->is_profile ? rows + 2 : rows;
    o->n_rows = sizeof rows / sizeof *rows - (s->is_profile ? 2 : 4);
    o->least_words = o->most_words = 1;
    return options_read(o, argc, argv, words);
}

/* A page has model time, where nothing that was asked for speaks against it; on
 * the device that the function's first check has. */
static void choose_clock(struct single *s) {
    const struct lab *lab = s->judge.lab;
    if (!s->page || s->judge.clock || s->judge.schedule ||
        s->judge.memory_model)
        return;
    s->judge.clock = "teach";
    for (size_t i = 0; i < lab->n_checks && !s->judge.profile; i++)
        if (lab->checks[i].function == s->judge.function &&
            lab->checks[i].kind == CHECK_CORRECT) {
            s->judge.profile = lab->checks[i].profile;
            return;
        }
}

static bool choose_function(struct single *s) {
    s->judge.function = lab_function_by_id(s->judge.lab, s->function);
    if (s->judge.function < 0) return false;
    if (s->judge.n == SIZE_MAX)
        s->judge.n =
            lab_function_size(s->judge.lab, s->judge.function, USUAL_N);
    choose_clock(s);
    return true;
}

/* ---- the call ---- */

static void write_timeline(struct single *s, const struct vgpu_timeline *t) {
    struct output output;
    bool open = t && output_open(&output, s->timeline);
    bool good = open && timeline_print(output.stream, t, s->judge.clock);
    if (!t) {
        cli_fail("--timeline: this clock counts steps, not time");
    } else if (open && !good) {
        cli_fail("cannot write the timeline to %s: %s", s->timeline,
                 strerror(errno));
        output_abandon(&output);
    }
    s->failed = !good || !output_close(&output);
    if (!s->failed && timeline_left_out(t))
        fprintf(stderr,
                "scanlab: the timeline is cut: %" PRIu64
                " of what happened are left out of %s\n",
                timeline_left_out(t), s->timeline);
}

static bool is_json(const struct single *s) {
    return strcmp(s->format, "json") == 0;
}

static void inspect(void *user, vgpu_device *device,
                    const uint64_t counts[VGPU_N_COUNTERS]) {
    struct single *s = user;
    memcpy(s->counts, counts, sizeof s->counts);
    s->device = vgpu_device_profile(device)->name;
    if (s->timeline) write_timeline(s, vgpu_timeline(device));
    if (!s->is_profile) return;
    if (s->page) {
        source_free(s->view);
        s->view = source_make(device, s->lines.kernel,
                              VGPU_COUNT_THREAD_INSTRUCTIONS, 0);
        if (s->view)
            s->view->timeline = timeline_view_make(vgpu_timeline(device));
    } else if (is_json(s)) {
        s->json = profile_json(device, s->counts, s->lines.kernel,
                               s->judge.why ? s->judge.clock : NULL);
    }
    if (s->page || is_json(s)) return;
    FILE *memory = open_memstream(&s->profile, &s->profile_bytes);
    if (!memory) return;
    lines_print(memory, device, &s->lines);
    fclose(memory);
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

/* What went wrong; it may hold words of the submission. */
static void print_line(const char *before, const struct text *words) {
    char *clean = clean_text(words->bytes);
    if (clean) printf("%s%s\n", before, clean);
    free(clean);
}

/* Whole lines of it. */
static void print_lines(const char *text) {
    char *lines = clean_lines(text, "  | ");
    if (lines) fputs(lines, stdout);
    free(lines);
}

static void print_outcome(const struct case_result *r) {
    struct text message = {0}, place = {0}, cause = {0};
    words_outcome(&message, &r->outcome, &r->measured);
    words_place(&place, &r->outcome.place);
    words_usual_cause(&cause, &r->outcome);
    print_line("  ", &message);
    print_line("  at ", &place);
    print_line("  ", &cause);
    text_free(&message);
    text_free(&place);
    text_free(&cause);
}

static void print_result(const struct single *s, const struct case_result *r,
                         const struct unbuilt *unbuilt) {
    const struct lab_function *f = &s->judge.lab->functions[s->judge.function];
    bool on_gpu = s->judge.lab->language == LAB_CUDA;
    const char *order = s->judge.schedule ? s->judge.schedule : "in-order";
    printf("%s, n = %zu%s%s, seed %" PRIu64 ": %s\n", f->symbol, s->judge.n,
           on_gpu ? ", " : "", on_gpu ? order : "", s->judge.seed, verdict(r));
    if (unbuilt->why)
        printf("  %s%s:\n", s->judge.lab->source,
               lab_state_words(unbuilt->state));
    print_lines(unbuilt->why);
    if (r->verdict == CASE_FAIL) print_outcome(r);
    if (r->output) puts("\nit printed:");
    print_lines(r->output);
    if (r->verdict == CASE_TODO || !on_gpu) return;
    if (s->profile && s->profile_bytes)
        printf("\n%s", s->profile);
    else if (s->counts[VGPU_COUNT_LAUNCHES])
        counts_print(s->counts, s->judge.n, s->judge.clock);
    else
        printf("\n  nothing was launched\n");
}

static int single_call(struct single *s) {
    struct case_result result;
    char error[JUDGE_ERROR_BYTES] = "";
    struct unbuilt unbuilt;
    s->judge.timeline = s->timeline || (s->page && s->judge.clock);
    s->judge.why = s->judge.clock && (s->is_profile || s->timeline);
    s->judge.inspect = inspect;
    s->judge.user = s;
    s->lines.folder = s->judge.submission;
    s->lines.colour = lines_colour(stdout);
    if (!judge_single(&s->judge, &result, &unbuilt, error))
        return cli_fail("%s", error);
    if (strcmp(s->format, "csv") == 0)
        print_csv(s, &result);
    else if (s->view && result.verdict != CASE_TODO)
        s->failed |= !profile_page_write(s->page, s->view, &s->judge, &result);
    else if (is_json(s))
        s->failed |= !profile_json_print(s->json, &s->judge, verdict(&result));
    else
        print_result(s, &result, &unbuilt);
    if (s->page && !s->view && result.verdict == CASE_PASS) {
        cli_fail("there is no page: no kernel ran");
        s->failed = true;
    }
    int status = result.verdict == CASE_PASS ? EXIT_FULL : EXIT_MISSING;
    if (s->failed) status = EXIT_TROUBLE;
    case_result_free(&result);
    free(s->profile);
    profile_json_free(s->json);
    source_free(s->view);
    free(unbuilt.why);
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
    else if (s->judge.lab && (s->judge.checks || s->judge.memory_model) &&
             s->judge.lab->language == LAB_C)
        cli_fail("%s runs on the host: --check and --memory-model are of the "
                 "virtual GPU",
                 s->judge.lab->id);
    else if (s->judge.lab && (s->judge.trace || s->timeline) &&
             s->judge.lab->language == LAB_C)
        cli_fail("%s runs on the host: only what runs on the virtual GPU has a "
                 "%s",
                 s->judge.lab->id, s->timeline ? "timeline" : "trace");
    else if (s->judge.lab && s->timeline && !s->judge.clock)
        cli_fail("--timeline: there is no --clock");
    else if (s->page && (is_json(s) || !text_ends_in(s->page, ".html")))
        cli_fail("-o writes a page: FILE.html, without --format json");
    else if (s->judge.lab && choose_function(s) && is_there(s) &&
             cli_seed(s->seeded, &s->judge.seed))
        status = single_call(s);
    free(standard);
    return status;
}

static int command(struct option_table *o, int argc, char **argv,
                   bool is_profile) {
    struct single s = {
        .is_profile = is_profile, .format = "text", .judge = {.n = SIZE_MAX}};
    char **words;
    parameters_usual(&s.judge.parameters);
    int n_words = single_read_options(&s, o, argc, argv, &words);
    struct course course = {0};
    int status = n_words < 0 ? cli_ended(n_words) : EXIT_TROUBLE;
    if (n_words >= 0) ending_watch();
    if (n_words >= 0 && course_open(&course, s.labs))
        status = single(&s, &course, words[0]);
    course_free(&course);
    free(s.trace_words);
    return status;
}

#define END                                                                    \
    "Exit status: 0 the output is right, 1 it is not, 2 an error that is "     \
    "none of the submission's.\n\nExample: scanlab "

int command_run_lab(struct option_table *o, int argc, char **argv) {
    o->what = "Calls a function of a lab once and says whether its output is "
              "right and what the call cost. LAB is a name, a number or a "
              "folder: naive, 1, 01-naive.";
    o->end = END "run naive -n 1000";
    return command(o, argc, argv, false);
}

int command_profile(struct option_table *o, int argc, char **argv) {
    o->what = "Calls a function of a lab once and prints what each kernel and "
              "each line of the source cost: the hottest lines, then the "
              "source with its counts. LAB is a name, a number or a folder: "
              "naive, 1, 01-naive.";
    o->end = END "profile naive --top 5";
    return command(o, argc, argv, true);
}

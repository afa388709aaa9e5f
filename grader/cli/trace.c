/* SPDX-License-Identifier: MIT
 *
 * trace.c: scanlab trace: one call of a lab's function on few elements, and the
 * arrays after each of its steps. Nothing of it is graded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "steps_formats.h"
#include "clean_text.h"
#include "cli.h"
#include "over.h"
#include "report.h"
#include "single.h"
#include "step_view.h"
#include "steps.h"
#include "translate.h"
#include "words.h"

enum { USUAL_N = 8, MOST_TRIED = STEPS_COUNTED };

struct trace {
    const char *function, *check, *submission, *labs, *course,
        *file; /* or NULL */
    bool banks, sized, given[N_PARAMETERS];
    struct single_options judge;
    struct steps_view *view; /* of the call; NULL: it has not returned */
};

static int trace_read_options(struct trace *t, struct option_table *o, int argc,
                              char **argv, char ***words) {
    struct single_options *judge = &t->judge;
    struct cli_parameters parameters = {&judge->parameters, t->given};
    const struct option_row rows[] = {
        {'n', NULL, "N",
         "elements (8; where that is right, the checks' smallest that is not)",
         OPTION_NUMBER_GIVEN(&judge->n, 0, LAB_MAX_SIZE, &t->sized)},
        {0, "check", "ID", "call it as this check does",
         OPTION_TEXT(&t->check)},
        {0, "function", "ID", "the function to call (the lab's first)",
         OPTION_TEXT(&t->function)},
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&t->submission)},
        {'o', NULL, "FILE",
         "write it there: .html, .svg, .json, else text (docs/seeing.md)",
         OPTION_TEXT(&t->file)},
        {0, "banks", NULL, "the banks of shared memory, access by access",
         OPTION_FLAG(&t->banks)},
        {0, "set", "NAME=VALUE", "a parameter of the function, such as order=3",
         OPTION_CALL(cli_set_parameter, &parameters)},
        {0, "schedule", "S", "order of blocks: in-order, reverse, random:SEED",
         OPTION_CALL(cli_set_schedule, &judge->schedule)},
        {0, "profile", "NAME", "the sizes of this GPU: vgpu --list-devices",
         OPTION_CALL(cli_set_profile, &judge->profile)},
        {0, "course", "DIR",
         "what an instructor lays over the labs: docs/course.md",
         OPTION_TEXT(&t->course)},
        CLI_LABS(&t->labs)};
    OPTIONS_ARE(o, rows, 1, 1);
    return options_read(o, argc, argv, words);
}

/* ---- the call ---- */

static void trace_look(void *user, vgpu_device *device,
                       const struct case_seen *seen) {
    struct trace *t = user;
    steps_free_view(t->view);
    t->view = step_view_of(device, t->judge.lab, &t->judge.parameters, seen);
}

static void print_head(FILE *to, const struct trace *t,
                       const struct case_result *r) {
    const struct lab_function *f = &t->judge.lab->functions[t->judge.function];
    struct text message = {0}, place = {0};
    fprintf(to, "%s, n = %zu: %s\n", f->symbol, t->judge.n,
            r->verdict == CASE_PASS && !t->sized
                ? _("right, as other sizes up to 1024")
            : r->verdict == CASE_PASS ? _("right")
            : r->verdict == CASE_TODO ? _("not implemented yet")
                                      : _("wrong"));
    if (r->verdict == CASE_FAIL) {
        words_outcome(&message, &r->outcome, &r->measured);
        words_place(&place, &r->outcome.place);
        char *words = clean_text(text_string(&message));
        char *where = clean_text(text_string(&place));
        if (words) fprintf(to, "  %s\n", words);
        if (where && *where) fprintf(to, _("  at %s\n"), where);
        free(words);
        free(where);
    }
    char *printed = r->output ? clean_lines(r->output, "  | ") : NULL;
    if (printed) fprintf(to, _("it printed:\n%s"), printed);
    free(printed);
    fputc('\n', to);
    text_free(&message);
    text_free(&place);
}

static bool write_view(FILE *to, const struct trace *t,
                       const struct case_result *r) {
    const struct steps_view *v = t->view;
    const struct report_options options = report_options_for(to);
    if (t->file && text_ends_in(t->file, ".json")) return steps_json(to, v);
    if (t->file && text_ends_in(t->file, ".html"))
        return t->banks ? banks_html(to, v) : steps_html(to, v);
    if (t->file && text_ends_in(t->file, ".svg"))
        return t->banks ? banks_svg(to, v) : steps_svg(to, v);
    print_head(to, t, r);
    return t->banks ? banks_text(to, v, &options) : steps_text(to, v, &options);
}

static int print(const struct trace *t, const struct case_result *r) {
    struct output output;
    int status = r->verdict == CASE_PASS ? EXIT_FULL : EXIT_MISSING;
    if (!t->view || r->verdict == CASE_TODO) {
        print_head(stdout, t, r);
        return cli_finish(r->verdict == CASE_TODO ? status : EXIT_MISSING);
    }
    if (!output_open(&output, t->file)) return EXIT_TROUBLE;
    errno = 0;
    if (!write_view(output.stream, t, r)) {
        bool has_enough = !t->file && errno == EPIPE; /* such as head */
        output_abandon(&output);
        if (has_enough) return status;
        return cli_fail("the trace was not written: out of memory or disk");
    }
    return output_close(&output) ? cli_finish(status) : EXIT_TROUBLE;
}

static int trace_show(const struct trace *t, const struct case_result *result,
                      const struct unbuilt *unbuilt) {
    if (!unbuilt->why) return print(t, result);
    char *lines = clean_lines(unbuilt->why, "  | ");
    printf("%s%s:\n%s", t->judge.lab->source, lab_state_words(unbuilt->state),
           lines ? lines : "");
    free(lines);
    return cli_finish(EXIT_MISSING);
}

/* The next size that some check of the function has, or the check asked for;
 * 0: none. */
static size_t next_size(const struct trace *t, size_t after) {
    size_t next = 0;
    for (size_t c = 0; c < t->judge.lab->n_checks; c++) {
        const struct lab_check *check = &t->judge.lab->checks[c];
        if (check->function != t->judge.function ||
            check->kind != CHECK_CORRECT || check->refused ||
            (t->judge.check && t->judge.check != check))
            continue;
        for (size_t s = 0; s < check->n_sizes; s++)
            if (check->sizes[s] > after && check->sizes[s] <= MOST_TRIED &&
                (!next || check->sizes[s] < next))
                next = check->sizes[s];
    }
    return next;
}

/* One call; where no size was asked for and this one is right, the smallest
 * that is not. */
static int trace_call(struct trace *t) {
    struct case_result result;
    char error[JUDGE_ERROR_BYTES] = "";
    struct unbuilt unbuilt;
    const size_t first = t->judge.n;
    bool again = !t->sized;
    t->judge.look = trace_look;
    t->judge.user = t;
    for (;;) {
        if (!judge_single(&t->judge, &result, &unbuilt, error))
            return cli_fail("%s", error);
        if (unbuilt.why || result.verdict != CASE_PASS || !again) break;
        t->judge.n = next_size(t, t->judge.n == first ? 1 : t->judge.n);
        if (t->judge.n == first) t->judge.n = next_size(t, first);
        again = t->judge.n != 0;
        if (!again) t->judge.n = first;
        case_result_free(&result);
    }
    int status = trace_show(t, &result, &unbuilt);
    case_result_free(&result);
    free(unbuilt.why);
    return status;
}

/* ---- what to call ---- */

static bool choose_function(struct trace *t) {
    t->judge.function = lab_function_by_id(t->judge.lab, t->function);
    return t->judge.function >= 0;
}

/* Function, parameters and device of a check; a size that one can read. */
static bool choose_check(struct trace *t) {
    int k = t->check ? lab_check_by_id(t->judge.lab, t->check) : 0;
    if (!t->check || k < 0) return k >= 0;
    const struct lab_check *check = &t->judge.lab->checks[k];
    t->judge.function = check->function;
    t->judge.check = check;
    for (int p = 0; p < N_PARAMETERS; p++)
        if (check->parameters[p].n && !t->given[p])
            t->judge.parameters.value[p] = check->parameters[p].values[0];
    size_t n = 0;
    for (size_t s = 0; s < check->n_sizes; s++)
        if (check->sizes[s] >= 2 && (!n || check->sizes[s] < n))
            n = check->sizes[s];
    if (!t->sized && n > USUAL_N) t->judge.n = n;
    return true;
}

static int trace(struct trace *t, struct course *course, const char *lab) {
    char *standard = path_join(course->paths.root, "student");
    int status = EXIT_TROUBLE;
    t->judge.lab = course_lab(course, lab);
    t->judge.root = course->paths.root;
    t->judge.build_folder = course->paths.build_folder;
    t->judge.submission = t->submission ? t->submission : standard;
    if (!standard)
        cli_fail("out of memory");
    else if (t->judge.lab && t->judge.lab->language == LAB_C)
        cli_fail("%s runs on the host: only what runs on the virtual GPU has "
                 "steps",
                 t->judge.lab->id);
    else if (t->judge.lab && choose_function(t) && choose_check(t))
        status = trace_call(t);
    free(standard);
    return status;
}

int command_trace(struct option_table *o, int argc, char **argv) {
    struct trace t = {.judge = {.n = USUAL_N}};
    char **words;
    o->what = "Calls a function of a lab once on few small numbers and shows "
              "the arrays after every launch, barrier and message: who wrote "
              "each cell, from which cells, which are wrong, and which step is "
              "the first wrong one.";
    o->end = "Exit status: 0 the output is right, 1 it is not, 2 an error that "
             "is none of the submission's.\n\nExample: scanlab trace naive -n "
             "8 -o steps.html";
    parameters_usual(&t.judge.parameters);
    int n_words = trace_read_options(&t, o, argc, argv, &words);
    struct course course = {0};
    int status = n_words < 0 ? cli_ended(n_words) : EXIT_TROUBLE;
    if (n_words >= 0) ending_watch();
    if (n_words >= 0 && course_open_over(&course, t.labs, t.course)) {
        over_speak(&course);
        status = trace(&t, &course, words[0]);
    }
    course_free(&course);
    steps_free_view(t.view);
    return status;
}

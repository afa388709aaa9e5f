/* SPDX-License-Identifier: MIT
 *
 * sweep.c: scanlab sweep: model time of a function of a lab over n, for each
 * value of a constant of the submission, such as the threads of a block.
 */
#include "sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile_settings.h"
#include "over.h"

enum { USUAL_SECONDS = 120, MOST_SECONDS = 86400 };

/* ---- ranges ---- */

/* "256" or "2^8"; at most `most`. */
static bool sweep_read_one(const char *words, size_t length, uint64_t most,
                           uint64_t *n) {
    char digits[24];
    uint64_t power;
    if (length == 0 || length >= sizeof digits) return false;
    memcpy(digits, words, length);
    digits[length] = '\0';
    if (strncmp(digits, "2^", 2) != 0) return option_number(digits, most, n);
    if (!option_number(digits + 2, 62, &power)) return false;
    *n = (uint64_t)1 << power;
    return *n <= most;
}

static bool add_number(uint64_t *list, size_t room, size_t *n, uint64_t one) {
    for (size_t k = 0; k < *n; k++)
        if (list[k] == one) return true;
    if (*n == room) return false;
    list[(*n)++] = one;
    return true;
}

/* Where two dots stand; NULL: nowhere. */
static const char *dots_in(const char *words, size_t length) {
    for (size_t k = 0; k + 1 < length; k++)
        if (words[k] == '.' && words[k + 1] == '.') return words + k;
    return NULL;
}

/* "32..1024" doubles; "32,96,256" lists; both may be mixed. */
static bool sweep_read_range(const char *words, uint64_t most, uint64_t *list,
                             size_t room, size_t *n, struct text *why) {
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, ",");
        const char *dots = dots_in(at, length);
        uint64_t low, high;
        bool good =
            dots
                ? sweep_read_one(at, (size_t)(dots - at), most, &low) &&
                      sweep_read_one(dots + 2, (size_t)(at + length - dots - 2),
                                     most, &high)
                : sweep_read_one(at, length, most, &low);
        if (!dots) high = low;
        if (!good || low == 0 || low > high) {
            text_add(why,
                     "'%.*s' is none of 256, 2^8 and 32..1024, with numbers "
                     "from 1 to %llu",
                     (int)length, at, (unsigned long long)most);
            return false;
        }
        for (; low <= high; low *= 2)
            if (!add_number(list, room, n, low)) {
                text_add(why, "more than %zu of them", room);
                return false;
            }
        at += length;
        at += *at == ',';
    }
    if (*n == 0) text_add(why, "there is no number");
    return *n > 0;
}

static int sweep_by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool set_sizes(void *to, const char *value, struct text *why) {
    struct sweep *s = to;
    uint64_t list[SWEEP_SIZES];
    size_t n = 0;
    if (!sweep_read_range(value, LAB_MAX_SIZE, list, SWEEP_SIZES, &n, why))
        return false;
    qsort(list, n, sizeof *list, sweep_by_size);
    for (size_t k = 0; k < n; k++) s->view.sizes[k] = (size_t)list[k];
    s->view.n_sizes = n;
    return true;
}

static bool is_constant_name(const char *words, size_t length) {
    if (length == 0 || isdigit((unsigned char)*words)) return false;
    for (size_t k = 0; k < length; k++)
        if (!isalnum((unsigned char)words[k]) && words[k] != '_') return false;
    return true;
}

static bool set_define(void *to, const char *value, struct text *why) {
    struct sweep *s = to;
    size_t length = strcspn(value, "="), n = 0;
    uint64_t list[SWEEP_VALUES];
    if (!value[length] || !is_constant_name(value, length)) {
        text_add(why, "'%s' is no NAME=VALUES, such as BLOCK_THREADS=32..1024",
                 value);
        return false;
    }
    if (!sweep_read_range(value + length + 1, UINT32_MAX, list, SWEEP_VALUES,
                          &n, why))
        return false;
    free(s->constant);
    s->constant = text_format("%.*s", (int)length, value);
    s->view.constant = s->constant;
    for (size_t k = 0; k < n; k++)
        snprintf(s->view.values[k], SWEEP_WORDS, "%llu",
                 (unsigned long long)list[k]);
    s->view.n_values = n;
    if (!s->constant) text_add(why, "out of memory");
    return s->constant != NULL;
}

/* ---- options ---- */

static bool sweep_set_clock(void *to, const char *value, struct text *why) {
    const char **clock = to;
    if (!cli_set_clock(clock, value ? value : "h200", why)) return false;
    if (vgpu_clock_device(*clock)) return true;
    text_add(why,
             "'%s' counts steps, which are no time: scanlab run --clock=%s",
             *clock, *clock);
    return false;
}

static bool add_output(void *to, const char *value, struct text *why) {
    struct sweep *s = to;
    bool known = text_ends_in(value, ".csv") || text_ends_in(value, ".svg") ||
                 text_ends_in(value, ".html");
    if (!known)
        text_add(why, "'%s' ends in none of .csv, .svg, .html", value);
    else if (s->n_files == SWEEP_FILES)
        text_add(why, "more than %d files", SWEEP_FILES);
    else
        s->files[s->n_files++] = value;
    return why->size == 0;
}

static int sweep_read_options(struct sweep *s, struct option_table *o, int argc,
                              char **argv, char ***words) {
    struct cli_parameters parameters = {&s->judge.parameters, NULL};
    const struct option_row rows[] = {
        {0, "define", "NAME=VALUES",
         "this constant of the submission has these values, one after another: "
         "32..1024 (doubled), 64,96,128",
         OPTION_CALL(set_define, s)},
        {'n', NULL, "SIZES",
         "elements: 2^8..2^20 (doubled), 1000,5000 (2^8..2^18)",
         OPTION_CALL(set_sizes, s)},
        {0, "function", "ID", "the function to call (the lab's first)",
         OPTION_TEXT(&s->function)},
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&s->submission)},
        {0, "set", "NAME=VALUE", "a parameter of the function, such as order=3",
         OPTION_CALL(cli_set_parameter, &parameters)},
        {0, "clock", "[=PROFILE]",
         "model time on this profile (h200): vgpu/docs/clock.md",
         OPTION_CALL(sweep_set_clock, &s->judge.clock)},
        {0, "profile", "NAME", "the sizes of this GPU (the clock's)",
         OPTION_CALL(cli_set_profile, &s->judge.profile)},
        {0, "arch", "A", "PTX for compute capability " COMPILE_ARCHES " (75)",
         OPTION_CALL(cli_set_arch, &s->judge.arch)},
        {0, "seconds", "S", "begin nothing that would end later (120)",
         OPTION_NUMBER(&s->seconds, 1, MOST_SECONDS)},
        {'o', "output", "FILE",
         "write it there, too: .csv, .svg or .html; may be repeated",
         OPTION_CALL(add_output, s)},
        {0, "course", "DIR",
         "what an instructor lays over the labs: docs/course.md",
         OPTION_TEXT(&s->course)},
        CLI_LABS(&s->labs)};
    OPTIONS_ARE(o, rows, 1, 1);
    return options_read(o, argc, argv, words);
}

/* ---- all ---- */

static bool sweep_write_file(const struct sweep_view *v, const char *path) {
    struct output output;
    if (!output_open(&output, path)) return false;
    bool good = text_ends_in(path, ".csv")   ? sweep_csv(output.stream, v)
                : text_ends_in(path, ".svg") ? sweep_svg(output.stream, v)
                                             : sweep_html(output.stream, v);
    if (good) return output_close(&output);
    output_abandon(&output);
    cli_fail("%s was not written: out of memory or disk", path);
    return false;
}

static void choose_usual(struct sweep *s) {
    struct sweep_view *v = &s->view;
    if (!s->judge.clock) s->judge.clock = "h200";
    for (int log = 8; v->n_sizes == 0 && log <= 18; log++)
        v->sizes[log - 8] = (size_t)1 << log;
    if (v->n_sizes == 0) v->n_sizes = 18 - 8 + 1;
    if (v->n_values == 0) v->n_values = 1;
    v->clock = s->judge.clock;
    v->device =
        s->judge.profile ? s->judge.profile : vgpu_clock_device(s->judge.clock);
    v->submission = text_base(s->judge.submission);
    v->seed = s->judge.seed = 1; /* the same times every day */
}

static int sweep_lab(struct sweep *s, const struct course *course,
                     const char *name) {
    s->judge.lab = course_lab(course, name);
    if (!s->judge.lab) return EXIT_TROUBLE;
    if (s->judge.lab->language != LAB_CUDA)
        return cli_fail("lab %s runs on the host, which has no clock",
                        s->judge.lab->id);
    s->judge.function = lab_function_by_id(s->judge.lab, s->function);
    if (s->judge.function < 0) return EXIT_TROUBLE;
    s->judge.root = course->paths.root;
    s->judge.build_folder = course->paths.build_folder;
    s->judge.alone = true;
    s->view.function = s->judge.lab->functions[s->judge.function].symbol;
    choose_usual(s);
    int status = sweep_run(s);
    if (status == EXIT_TROUBLE) return status;
    if (!sweep_text(stdout, &s->view)) status = EXIT_TROUBLE;
    for (size_t k = 0; k < s->n_files; k++)
        if (!sweep_write_file(&s->view, s->files[k])) status = EXIT_TROUBLE;
    return cli_finish(status);
}

int command_sweep(struct option_table *o, int argc, char **argv) {
    struct sweep *s = calloc(1, sizeof *s);
    struct course course = {0};
    char **words, *standard = NULL;
    if (!s) return cli_fail("out of memory");
    s->seconds = USUAL_SECONDS;
    parameters_usual(&s->judge.parameters);
    o->what = "Model time of a function of a lab over n, for each value of a "
              "constant of its source, such as the threads of a block; and how "
              "many blocks a multiprocessor holds, and what limits that. LAB "
              "is a name, a number or a folder: naive, 1, 01-naive.";
    o->end = "Exit status: 0 all that ran was right, 1 something was not, 2 an "
             "error that is none of the submission's.\n\n"
             "Example: scanlab sweep naive --define BLOCK_THREADS=32..1024";
    int n_words = sweep_read_options(s, o, argc, argv, &words);
    int status = n_words < 0 ? cli_ended(n_words) : EXIT_TROUBLE;
    if (n_words >= 0) ending_watch();
    if (n_words >= 0 && course_open_over(&course, s->labs, s->course)) {
        over_speak(&course);
        standard = path_join(course.paths.root, "student");
        s->judge.submission = s->submission ? s->submission : standard;
        status = s->judge.submission ? sweep_lab(s, &course, words[0])
                                     : cli_fail("out of memory");
    }
    course_free(&course);
    free(standard);
    free(s->constant);
    for (size_t k = 0; k < SWEEP_VALUES; k++) free(s->view.notes[k]);
    free(s);
    return status;
}

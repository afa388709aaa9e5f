/* SPDX-License-Identifier: MIT
 *
 * bench.c: scanlab bench: scanlab-bench, which times on a real machine (room
 * timing/bench), or with --clock the same functions in model time on the
 * virtual GPU, which needs no GPU and not timing/: it is here so that a copy
 * handed out without that folder has a student's curves, too.
 *
 * Rows are those of scanlab-bench (timing/bench), with one more column that
 * says they are model time. A contestant is a function with an order and a
 * tuple size.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "compile_settings.h"
#include "timed.h"

enum { USUAL_S = 120, MOST_S = 86400 };

/* ---- options ---- */

static const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
    NULL};
static const char *const types[] = {
#define X(name, type, bytes) #name,
#include "bench_types.def"
#undef X
    NULL};

static bool add_size(void *to, const char *value, struct text *why) {
    struct bench *b = to;
    uint64_t n;
    if (!option_number(value, LAB_MAX_SIZE, &n) || n == 0)
        text_add(why, "'%s' is not a number from 1 to %d", value, LAB_MAX_SIZE);
    else if (b->n_sizes == MOST_SIZES)
        text_add(why, "more than %d sizes", MOST_SIZES);
    else
        b->sizes[b->n_sizes++] = n;
    return why->size == 0;
}

/* Steps are not time: profiles that count them are for `scanlab run`. */
static bool set_clock(void *to, const char *value, struct text *why) {
    const char **clock = to;
    if (!value) value = "h200";
    if (!cli_set_clock(clock, value, why)) return false;
    if (vgpu_clock_device(*clock)) return true;
    text_add(why,
             "'%s' counts steps, which are no time: scanlab run --clock=%s",
             *clock, *clock);
    return false;
}

static int bench_read_options(struct bench *b, struct option_table *o, int argc,
                              char **argv, char ***words) {
    const struct option_row rows[] = {
        {0, "clock", "[=PROFILE]",
         "model time on this profile, not this machine's (h200): "
         "vgpu/docs/clock.md",
         OPTION_CALL(set_clock, &b->judge.clock)},
        {0, "profile", "NAME", "the sizes of this GPU (the clock's)",
         OPTION_CALL(cli_set_profile, &b->judge.profile)},
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&b->submission)},
        {0, "arch", "A", "PTX for compute capability " COMPILE_ARCHES " (75)",
         OPTION_CALL(cli_set_arch, &b->judge.arch)},
        {0, "operation", "NAME", "this operation only, such as inclusive_sum",
         OPTION_CHOICE(&b->operation, operations)},
        {0, "type", "NAME", "this type only, such as int32",
         OPTION_CHOICE(&b->type, types)},
        {'n', NULL, "N",
         "this many elements; may be repeated (every other power of two from "
         "2^10 to 2^20)",
         OPTION_CALL(add_size, b)},
        {0, "wide", NULL, "orders and tuples of 2 to 8, too",
         OPTION_FLAG(&b->wide)},
        {0, "seconds", "S", "begin nothing that would end later (120)",
         OPTION_NUMBER(&b->seconds, 1, MOST_S)},
        {'o', "output", "FILE", "the CSV goes there (standard output)",
         OPTION_TEXT(&b->output)},
        CLI_LABS(&b->labs)};
    OPTIONS_ARE(o, rows, 0, -1);
    return options_read(o, argc, argv, words);
}

static int by_size(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void choose_sizes(struct bench *b) {
    for (int k = 10; b->n_sizes == 0 && k <= 20; k += 2)
        b->sizes[(k - 10) / 2] = (size_t)1 << k;
    if (b->n_sizes == 0) b->n_sizes = 6;
    qsort(b->sizes, b->n_sizes, sizeof *b->sizes, by_size);
}

/* ---- contestants ---- */

static bool wanted(const struct bench *b, int operation, int type) {
    return (!b->operation ||
            strcmp(b->operation, operation_name(operation)) == 0) &&
           (!b->type || strcmp(b->type, type_name(type)) == 0);
}

static bool bench_add(struct bench *b, struct contestant one) {
    struct contestant *more =
        realloc(b->items, (b->n_items + 1) * sizeof *more);
    if (!more) return false;
    b->items = more;
    b->items[b->n_items++] = one;
    return true;
}

/* Of functions of one lab for the same operation and type the first counts, as
 * for scanlab-bench. */
static bool is_second(const struct bench *b, const struct contestant *c) {
    for (size_t i = 0; i < b->n_items; i++)
        if (b->items[i].lab == c->lab && b->items[i].type == c->type &&
            b->items[i].operation == c->operation)
            return true;
    return false;
}

static bool add_function(struct bench *b, const struct lab *lab, int f) {
    struct contestant c = {.lab = lab, .function = f, .order = 1, .tuple = 1};
    const struct lab_function *function = &lab->functions[f];
    int signature = function->signature;
    if (!function_is_timed(function, &c.operation, &c.type) ||
        !wanted(b, c.operation, c.type) || is_second(b, &c))
        return true;
    bool ok = bench_add(b, c);
    for (int w = 2; b->wide && w <= 8; w++) {
        struct contestant order = c, tuple = c;
        order.order = tuple.tuple = w;
        if (signature_takes(signature, PARAMETER_order))
            ok = ok && bench_add(b, order);
        if (signature_takes(signature, PARAMETER_tuple))
            ok = ok && bench_add(b, tuple);
    }
    return ok;
}

static bool add_lab(struct bench *b, const struct lab *lab) {
    char *path = path_join(b->judge.submission, lab->source);
    bool there = path && access(path, R_OK) == 0, ok = path != NULL;
    free(path);
    if (!there || lab->language != LAB_CUDA) return ok;
    for (size_t f = 0; ok && f < lab->n_functions; f++)
        ok = add_function(b, lab, (int)f);
    return ok;
}

/* Those of the labs that are named, or of all. */
static int gather(struct bench *b, const struct course *course, char **names,
                  size_t n_names) {
    bool ok = true;
    for (size_t i = 0; ok && i < n_names; i++) {
        const struct lab *lab = course_lab(course, names[i]);
        if (!lab) return EXIT_TROUBLE;
        if (lab->language != LAB_CUDA)
            return cli_fail("lab %s runs on the host, which has no clock",
                            lab->id);
        ok = add_lab(b, lab);
    }
    for (size_t i = 0; n_names == 0 && ok && i < course->n_labs; i++)
        ok = add_lab(b, course->labs[i]);
    if (!ok) return cli_fail("out of memory");
    if (b->n_items) return EXIT_FULL;
    return cli_fail("there is nothing to time in %s: no source of a lab that "
                    "has such a function",
                    b->judge.submission);
}

/* The folder's last name, without what would break a line of CSV. */
static void name_folder(struct bench *b) {
    const char *path = b->judge.submission;
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    snprintf(b->folder, sizeof b->folder, "%.*s", (int)(end - begin),
             path + begin);
    for (char *at = b->folder; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "0123456789._-",
                    *at))
            *at = '_';
}

static int measure(struct bench *b, const struct course *course, char **names,
                   size_t n_names) {
    int status = gather(b, course, names, n_names);
    if (status != EXIT_FULL) return status;
    name_folder(b);
    choose_sizes(b);
    b->judge.root = course->paths.root;
    b->judge.build_folder = course->paths.build_folder;
    b->judge.alone = true;
    b->judge.seed = 1; /* the same times every day */
    return bench_run(b);
}

static int model_bench(struct option_table *o, int argc, char **argv) {
    struct bench b = {.seconds = USUAL_S};
    struct course course = {0};
    char **words, *standard = NULL;
    o->what =
        "Model time over n of a submission's functions, of the labs named (of "
        "all, if none is), on the virtual GPU. Each call's output is checked. "
        "Rows are those of `scanlab bench` without --clock, which times on a "
        "GPU; the column `time` tells them apart.";
    o->end = "Exit status: 0 all outputs right, 1 one was wrong or there is "
             "none, 2 an error that is none of the submission's.\n\n"
             "Example: scanlab bench --clock lookback --type int32";
    int n_words = bench_read_options(&b, o, argc, argv, &words);
    int status = n_words < 0 ? cli_ended(n_words) : EXIT_TROUBLE;
    if (n_words >= 0) ending_watch();
    if (n_words >= 0 && course_open(&course, b.labs)) {
        standard = path_join(course.paths.root, "student");
        b.judge.submission = b.submission ? b.submission : standard;
        status = !b.judge.submission
                     ? cli_fail("out of memory")
                     : measure(&b, &course, words, (size_t)n_words);
    }
    course_free(&course);
    free(standard);
    free(b.items);
    return status;
}

int command_bench(struct option_table *o, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--clock", strlen("--clock")) == 0)
            return model_bench(o, argc, argv);
    return command_beside(o, argc, argv);
}

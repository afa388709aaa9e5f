/* SPDX-License-Identifier: MIT
 *
 * lab_read.c: lab.ini as a whole: sections, their order, what belongs together.
 * The values of keys are lab_keys.c's, the folder of labs is labs_read.c's.
 */
#include "lab.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_keys.h"
#include "points.h"
#include "oracle.h"
#include "overlay.h"
#include "text.h"

enum { MAX_CHECKS = 256, MAX_FUNCTIONS = 64 };

static const char *const kind_names[N_CHECK_KINDS] = {
#define X(NAME, name, text) [CHECK_##NAME] = #name,
#include "check_kinds.def"
#undef X
};

const char *check_kind_name(enum check_kind kind) {
    return kind_names[kind];
}

/* ---- freeing ---- */
static void free_strings(char **strings, size_t n) {
    for (size_t i = 0; i < n; i++) free(strings[i]);
    free(strings);
}

static void free_check(struct lab_check *check) {
    for (size_t i = 0; i < check->n_bounds; i++) {
        free(check->bounds[i].text);
        formula_free(check->bounds[i].limit);
        formula_free(check->bounds[i].zero);
    }
    free(check->bounds);
    free(check->id);
    free(check->title);
    free(check->sizes);
    free(check->written);
    for (size_t i = 0; i < check->n_groups; i++) free(check->groups[i].name);
    free(check->groups);
    for (int p = 0; p < N_PARAMETERS; p++) free(check->parameters[p].values);
    free(check->profile);
    free(check->clock.name);
    free(check->clock.device);
    free_strings(check->schedules, check->n_schedules);
    free(check->ratio_baseline);
    free(check->cause);
    free(check->read);
    free_strings(check->hints, check->n_hints);
}

void lab_free(struct lab *lab) {
    if (!lab) return;
    for (size_t i = 0; i < lab->n_functions; i++) {
        free(lab->functions[i].id);
        free(lab->functions[i].symbol);
        rule_free(lab->functions[i].rule);
        free(lab->functions[i].status_word);
    }
    for (size_t i = 0; i < lab->n_checks; i++) free_check(&lab->checks[i]);
    free(lab->functions);
    free(lab->checks);
    free(lab->folder);
    free(lab->overlay);
    free(lab->id);
    free(lab->title);
    free(lab->source);
    free(lab->header);
    free(lab->deadlock);
    free(lab->unwritten);
    free(lab->serial);
    free(lab->parts);
    free_strings(lab->requires, lab->n_requires);
    free(lab);
}

/* ---- sections ---- */
static bool read_lab_section(struct lab_reader *r,
                             const struct ini_section *ini) {
    if (r->lab->id)
        return lab_fail(r, ini->line,
                        "a second [lab]; there is one lab to a "
                        "file");
    return lab_set_keys(r, SECTION_lab, r->lab, ini);
}

/* Has the oracle the formulas that it wants, and no other? */
static bool rule_fits(struct lab_reader *r, const struct lab_function *f,
                      const struct ini_section *ini) {
    static const struct rule none;
    const struct rule *rule = f->rule ? f->rule : &none;
    const bool wanted = oracle_wants_rule(f->oracle);
    const struct {
        const char *key;
        const struct formula *formula;
        bool wanted;
        const char *why;
    } rows[] = {
        {"rule", rule->out, wanted, "the oracle rule"},
        {"rule2", rule->out2,
         wanted && oracle_element(f->oracle, BUFFER_OUT2) != ELEMENT_none,
         "the oracle rule, where the signature has a second output"},
        {"keep", rule->keep,
         wanted && oracle_shape(f->oracle) == OUTPUT_COMPACT,
         "the oracle rule, where the signature has n_out"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].formula != NULL) != rows[i].wanted)
            return lab_fail(
                r, lab_key_line(ini, rows[i].formula ? rows[i].key : "oracle"),
                "'%s' goes with %s, and only with that", rows[i].key,
                rows[i].why);
    char error[FORMULA_ERROR];
    return !wanted || oracle_element(f->oracle, BUFFER_IN) != ELEMENT_f32 ||
           formula_rule_of_floats(rule->out, error) ||
           lab_fail(r, lab_key_line(ini, "rule"), "rule: %s", error);
}

static bool read_function(struct lab_reader *r, const struct ini_section *ini) {
    struct lab *lab = r->lab;
    for (size_t i = 0; i < lab->n_functions; i++)
        if (strcmp(lab->functions[i].id, ini->name) == 0)
            return lab_fail(r, ini->line, "a second function '%s'", ini->name);
    if (lab->n_functions == MAX_FUNCTIONS)
        return lab_fail(r, ini->line, "more than %d functions", MAX_FUNCTIONS);
    struct lab_function *grown = realloc(
        lab->functions, (lab->n_functions + 1) * sizeof *lab->functions);
    if (!grown) return lab_fail(r, 0, "out of memory");
    lab->functions = grown;
    struct lab_function *function = &grown[lab->n_functions++];
    *function = (struct lab_function){.id = strdup(ini->name)};
    if (!function->id) return lab_fail(r, 0, "out of memory");
    if (!lab_set_keys(r, SECTION_lab_function, function, ini)) return false;
    if (function->oracle == ORACLE_rule &&
        oracle_of_rule(function->signature) >= 0)
        function->oracle = oracle_of_rule(function->signature);
    if (!oracle_fits(function->oracle, function->signature))
        return lab_fail(r, lab_key_line(ini, "oracle"),
                        "oracle '%s' does not fit signature '%s'",
                        oracle_name(function->oracle),
                        signature_name(function->signature));
    return rule_fits(r, function, ini);
}

/* A check of calls that fail must not be the only one that sees answers. */
static bool errors_fit(struct lab_reader *r, const struct lab_check *check,
                       const struct ini_section *ini) {
    const struct lab_check *parent =
        check->parent < 0 ? NULL : &r->lab->checks[check->parent];
    if (!check->errors || (parent && !parent->errors && !parent->refused &&
                           parent->function == check->function))
        return true;
    return lab_fail(r, lab_key_line(ini, "errors"),
                    "errors: this looks at calls that fail; set 'parent' to a "
                    "check of function '%s' that compares answers (without "
                    "errors, refused)",
                    r->lab->functions[check->function].id);
}

/* Keys that mean something to one kind of check only. */
static bool check_keys_of_kind(struct lab_reader *r, enum check_kind kind,
                               const struct ini_section *ini) {
    static const struct {
        const char *key;
        enum check_kind kind;
        bool cuda;
        bool must;
    } own[] = {{"bound", CHECK_EFFICIENT, true, true},
               {"checks", CHECK_CLEAN, false, true},
               {"ratio", CHECK_FAST, false, true},
               {"full", CHECK_FAST, false, false},
               {"errors", CHECK_CORRECT, false, false}};
    bool bounded = kind == CHECK_CORRECT && lab_key_line(ini, "clock") > 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        int line = lab_key_line(ini, own[i].key);
        if (kind == own[i].kind && line == 0 && own[i].must)
            return lab_fail(r, ini->line, "a check of kind %s needs '%s'",
                            kind_names[kind], own[i].key);
        if (kind != own[i].kind && line > 0 &&
            !(bounded && strcmp(own[i].key, "bound") == 0))
            return lab_fail(r, line, "'%s' is for checks of kind %s, not %s",
                            own[i].key, kind_names[own[i].kind],
                            kind_names[kind]);
        if (line > 0 && own[i].cuda && r->lab->language != LAB_CUDA)
            return lab_fail(r, line,
                            "'%s' needs the virtual GPU, and %s is not CUDA",
                            own[i].key, r->lab->source);
    }
    return true;
}

bool lab_check_needs_gpu(const struct lab *lab, const struct lab_check *check) {
    return check->kind == CHECK_FAST && lab->language == LAB_CUDA;
}

int lab_points(const struct lab *lab, bool timed) {
    int points = 0;
    for (size_t i = 0; i < lab->n_checks; i++)
        if (!lab->checks[i].bonus &&
            (timed || !lab_check_needs_gpu(lab, &lab->checks[i])))
            points += lab->checks[i].points;
    return points;
}

const char *lab_cub_function(int oracle) {
    static const struct {
        int oracle;
        const char *symbol;
    } rows[] = {
#define X(name, symbol, operation) {ORACLE_##name, #symbol},
#include "cub_functions.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].oracle == oracle) return rows[i].symbol;
    return NULL;
}

/* Timed checks, and sizes that only they may have. */
static bool timing_fits(struct lab_reader *r, const struct lab_check *check,
                        const struct lab_function *function,
                        const struct ini_section *ini) {
    bool gpu = lab_check_needs_gpu(r->lab, check);
    for (size_t i = 0; i < check->n_sizes; i++)
        if (!gpu && lab_size_most(&check->written[i]) > LAB_MAX_SIZE)
            return lab_fail(r, lab_key_line(ini, "sizes"),
                            "sizes: %zu is more than %d, the most but for "
                            "timed checks on a GPU",
                            lab_size_most(&check->written[i]), LAB_MAX_SIZE);
    if (check->kind != CHECK_FAST) return true;
    int line = lab_key_line(ini, "ratio");
    if (!gpu && strcmp(check->ratio_baseline, "cub") == 0)
        return lab_fail(r, line, "ratio: cub is for CUDA labs");
    if (gpu && strcmp(check->ratio_baseline, "serial") == 0)
        return lab_fail(r, line, "ratio: serial is for C labs");
    if (gpu && !lab_cub_function(function->oracle))
        return lab_fail(r, line,
                        "ratio: for oracle '%s' there is no function of CUB to "
                        "compare with (cub_functions.def)",
                        oracle_name(function->oracle));
    if (check->full > 0 && check->full <= check->ratio)
        return lab_fail(r, lab_key_line(ini, "full"),
                        "full: %g is not more than the ratio %g", check->full,
                        check->ratio);
    return true;
}

/* Every parameter the function takes is given, and no other. */
static bool parameters_fit(struct lab_reader *r, const struct lab_check *check,
                           const struct lab_function *function,
                           const struct ini_section *ini) {
    for (enum parameter p = 0; p < N_PARAMETERS; p++) {
        const char *name = parameter_name(p);
        const struct int_list *list = &check->parameters[p];
        bool takes = signature_takes(function->signature, p);
        int line = lab_key_line(ini, name);
        if (line > 0 && !takes)
            return lab_fail(r, line, "%s: signature '%s' takes none", name,
                            signature_name(function->signature));
        if (line == 0 && takes)
            return lab_fail(r, ini->line,
                            "check '%s' needs '%s': it is a parameter of %s",
                            check->id, name, function->symbol);
        for (size_t i = 0; i < list->n; i++)
            if (!check->refused && !parameter_is_allowed(p, list->values[i]))
                return lab_fail(
                    r, line,
                    "%s: '%d' is no value of it, but for checks with "
                    "refused = yes",
                    name, list->values[i]);
    }
    return true;
}

/* Counts are exact and the same in every run; under a random order of warps
 * some depend on the order. */
static bool device_keys_fit(struct lab_reader *r, const struct lab_check *check,
                            const struct ini_section *ini) {
    static const char *const keys[] = {"schedules", "profile", "memory_model",
                                       "clock"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int line = lab_key_line(ini, keys[i]);
        if (line > 0 && r->lab->language != LAB_CUDA)
            return lab_fail(r, line, "'%s' is for CUDA labs", keys[i]);
    }
    bool counts = check->n_bounds && check->kind != CHECK_CORRECT;
    for (size_t i = 0; i < check->n_schedules && counts; i++)
        if (strncmp(check->schedules[i], "random", 6) == 0)
            return lab_fail(r, lab_key_line(ini, "schedules"),
                            "a check with bounds cannot have the schedule "
                            "'%s': counts may depend on the order of warps",
                            check->schedules[i]);
    if (counts && check->memory_model == LAB_MEMORY_WEAK)
        return lab_fail(r, lab_key_line(ini, "memory_model"),
                        "a check with bounds takes the memory model sc");
    return true;
}

static bool finish_check(struct lab_reader *r, struct lab_check *check,
                         const struct ini_section *ini) {
    const struct lab *lab = r->lab;
    if (check->function < 0 && lab->n_functions != 1)
        return lab_fail(r, ini->line,
                        "check '%s' needs 'function': the lab has %zu",
                        check->id, lab->n_functions);
    if (check->function < 0) check->function = 0;
    const struct lab_function *function = &lab->functions[check->function];
    return lab_sizes_fit(r, check, ini) &&
           parameters_fit(r, check, function, ini) &&
           device_keys_fit(r, check, ini) && lab_clock_fits(r, check, ini) &&
           check_keys_of_kind(r, check->kind, ini) &&
           errors_fit(r, check, ini) && timing_fits(r, check, function, ini);
}

static bool read_check(struct lab_reader *r, const struct ini_section *ini) {
    struct lab *lab = r->lab;
    for (size_t i = 0; i < lab->n_checks; i++)
        if (strcmp(lab->checks[i].id, ini->name) == 0)
            return lab_fail(r, ini->line,
                            "a second check '%s' (the first is in line %d)",
                            ini->name, lab_own_line(r, lab->checks[i].line));
    if (lab->n_checks == MAX_CHECKS)
        return lab_fail(r, ini->line, "more than %d checks", MAX_CHECKS);
    struct lab_check *grown =
        realloc(lab->checks, (lab->n_checks + 1) * sizeof *lab->checks);
    if (!grown) return lab_fail(r, 0, "out of memory");
    lab->checks = grown;
    struct lab_check *check = &grown[lab->n_checks++];
    *check = (struct lab_check){.id = strdup(ini->name),
                                .parent = -1,
                                .function = -1,
                                .repeat = 1,
                                .visibility = VISIBILITY_UNSAID,
                                .line = ini->line};
    if (!check->id) return lab_fail(r, 0, "out of memory");
    return lab_set_keys(r, SECTION_lab_check, check, ini) &&
           finish_check(r, check, ini);
}

static bool good_section_name(struct lab_reader *r,
                              const struct ini_section *ini, bool named) {
    size_t length = strspn(ini->name, "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    if (named ? length == 0 || ini->name[length] : *ini->name != '\0')
        return lab_fail(r, ini->line,
                        named ? "write [%s id], id of letters, digits, - and "
                                "_"
                              : "write [%s], without a name",
                        ini->type);
    if (strcmp(ini->type, "lab") != 0 && !r->lab->id)
        return lab_fail(r, ini->line, "[lab] must come first");
    return true;
}

static bool read_section(struct lab_reader *r, const struct ini_section *ini) {
    static const struct {
        const char *type;
        bool named;
        bool (*read)(struct lab_reader *, const struct ini_section *);
    } types[] = {{"lab", false, read_lab_section},
                 {"function", true, read_function},
                 {"check", true, read_check}};
    static const char *const names[] = {"lab", "function", "check"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, ini->type) == 0)
            return good_section_name(r, ini, types[i].named) &&
                   types[i].read(r, ini);
    return lab_fail_unknown(r, ini->line, "section", ini->type, names,
                            sizeof names / sizeof *names);
}

/* ---- one lab ---- */
/* The number before the first '-' of the folder's own name; -1: none. */
static int folder_number(const char *folder) {
    const char *slash = strrchr(folder, '/');
    const char *name = slash ? slash + 1 : folder;
    char *end;
    if (!isdigit((unsigned char)*name)) return -1;
    long number = strtol(name, &end, 10);
    return *end == '-' && number <= 9999 ? (int)number : -1;
}

/* What the course has for this lab. Its lines are counted on from the file's.
 */
static bool lay_over(struct lab_reader *r, struct ini_file *file,
                     const char *course) {
    struct lab *lab = r->lab;
    struct ini_file over;
    const struct ini_section *twice;
    lab->overlay = text_format("%s/%s/lab.ini", course, text_base(lab->folder));
    lab->overlay_from = file->n_lines;
    if (!lab->overlay) return lab_fail(r, 0, "out of memory");
    if (access(lab->overlay, F_OK) != 0 && errno == ENOENT) {
        free(lab->overlay);
        lab->overlay = NULL;
        return true;
    }
    if (!ini_file_read(lab->overlay, &over, r->error->message)) return false;
    bool good = overlay_lay(file, &over, &twice);
    if (!good && twice)
        lab_fail(r, twice->line, "a second section [%s%s%s]", twice->type,
                 *twice->name ? " " : "", twice->name);
    else if (!good)
        lab_fail(r, 0, "out of memory");
    ini_file_free(&over);
    return good;
}

static bool read_file(struct lab_reader *r, const char *course) {
    struct lab *lab = r->lab;
    lab->number = folder_number(lab->folder);
    if (lab->number < 0)
        return lab_fail(r, 0,
                        "a lab's folder is named by number and name, as "
                        "in 01-naive");
    struct ini_file file;
    if (!ini_file_read(r->path, &file, r->error->message)) return false;
    bool good = !course || lay_over(r, &file, course);
    lab->digest = points_digest(&file);
    for (size_t i = 0; good && i < file.n_sections; i++)
        good = read_section(r, &file.sections[i]);
    if (good && !lab->id) good = lab_fail(r, 0, "there is no [lab] section");
    if (good && lab->n_checks == 0)
        good = lab_fail(r, 0, "there is no [check ...] section");
    ini_file_free(&file);
    return good;
}

static void strip_slashes(char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') path[--length] = '\0';
}

struct lab *lab_read(const char *folder, struct lab_error *error) {
    return lab_read_over(folder, NULL, error);
}

struct lab *lab_read_over(const char *folder, const char *course,
                          struct lab_error *error) {
    error->message[0] = '\0';
    struct lab *lab = calloc(1, sizeof *lab);
    if (lab) lab->folder = strdup(folder);
    char *path = malloc(strlen(folder) + sizeof "/lab.ini");
    if (!lab || !lab->folder || !path) {
        snprintf(error->message, sizeof error->message, "out of memory");
        free(path);
        lab_free(lab);
        return NULL;
    }
    strip_slashes(lab->folder);
    sprintf(path, "%s/lab.ini", lab->folder);
    lab->repairs = true;
    lab->time_limit_ms = 10000;
    lab->memory_limit_mib = 512;
    lab->h2d_limit_bytes = lab->d2h_limit_bytes = 4096;
    struct lab_reader reader = {
        .lab = lab, .path = path, .error = error, .course = course};
    if (!read_file(&reader, course)) {
        lab_free(lab);
        lab = NULL;
    }
    free(path);
    return lab;
}

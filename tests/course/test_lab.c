/* SPDX-License-Identifier: MIT
 *
 * test_lab.c: what lab.ini says is read as meant, and every mistake gives one
 * message with file and line. Labs are written to a temporary folder; the ones
 * of the course itself are read as well.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vgpu.h>

#include "inputs.h"
#include "lab.h"
#include "oracle.h"
#define UNIT_SET_UP    set_up
#define UNIT_TEAR_DOWN tear_down
#include "unit.h"

struct world {
    char folder[64]; /* of labs */
};

static void make_path(const struct world *w, const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", w->folder, name);
}

static void write_file(const struct world *w, const char *name,
                       const char *text) {
    char path[128];
    make_path(w, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    if (!w) return -1;
    snprintf(w->folder, sizeof w->folder, "scanlab-test-XXXXXX");
    if (!mkdtemp(w->folder)) return -1;
    char path[128];
    make_path(w, "07-tiny", path);
    if (mkdir(path, 0777) != 0) return -1;
    write_file(w, "07-tiny/tiny.h", "");
    write_file(w, "07-tiny/README.md", "# A lab\n\n## There\n");
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    int status = system(command);
    free(w);
    return status;
}

#define LAB                                                                    \
    "[lab]\n"                                                                  \
    "id = tiny\n"                                                              \
    "title = A tiny lab\n"                                                     \
    "source = tiny.cu\n"                                                       \
    "header = tiny.h\n" /* line 5 */
#define FUNCTION                                                               \
    "[function f]\n"                                                           \
    "symbol = tiny_scan\n"                                                     \
    "signature = scan\n"                                                       \
    "oracle = inclusive_sum\n" /* line 9 */
#define FAST "[check a]\nkind = fast\ntitle = A\npoints = 1\nsizes = 1\n"
#define CHECK                                                                  \
    "[check small]\n"                                                          \
    "kind = correct\n"                                                         \
    "title = Small\n"                                                          \
    "points = 20\n"                                                            \
    "sizes = 0 1 2\n" /* line 14 */

static const char everything[] =
    "; a comment\n" LAB "time_limit_ms = 500\n"
    "memory_limit_mib = 64\n"
    "h2d_limit_bytes = 1\nd2h_limit_bytes = 2\n"
    "requires = a b\n" FUNCTION CHECK "[check all]\n"
    "kind = efficient   ; with a comment\n"
    "title = All\n"
    "points = 0\n"
    "parent = small\n"
    "function = f\n"
    "sizes = 1\n"
    "  2\n"
    "  67108864\n"
    "inputs = sparse\n"
    "in_place = yes\n"
    "misalign = 3\n"
    "repeat = 4\n"
    "schedules = in-order reverse\n"
    "profile = gtx275\n"
    "memory_model = sc\n"
    "same = yes\n"
    "bonus = yes\n"
    "clock = teach h200\n"
    "bound = launches <= clog2(n)\n"
    "  data_ops <= n*clog2(n) ; another comment\n"
    "cause = One\n"
    "  two.\n"
    "read = README.md#there\n"
    "hint = First\n"
    "  goes on.\n"
    "hint = Second.\n";

static void the_lab_is_as_written(const struct lab *lab, const char *path) {
    assert_string_equal(lab->id, "tiny");
    assert_string_equal(lab->folder, path);
    assert_int_equal(lab->number, 7);
    assert_int_equal(lab->language, LAB_CUDA);
    assert_int_equal(lab->time_limit_ms, 500);
    assert_int_equal(lab->memory_limit_mib, 64);
    assert_int_equal(lab->h2d_limit_bytes, 1);
    assert_int_equal(lab->d2h_limit_bytes, 2);
    assert_int_equal(lab->n_requires, 2);
    assert_string_equal(lab->requires[1], "b");
    assert_int_equal(lab->n_functions, 1);
    assert_string_equal(lab->functions[0].symbol, "tiny_scan");
    assert_int_equal(lab->functions[0].signature, SIGNATURE_scan);
    assert_int_equal(lab->functions[0].oracle, ORACLE_inclusive_sum);
    assert_int_equal(lab->n_checks, 2);
}

static void its_checks_are_as_written(const struct lab *lab) {
    const struct lab_check *small = &lab->checks[0], *all = &lab->checks[1];
    assert_int_equal(small->points, 20);
    assert_int_equal(small->parent, -1);
    assert_int_equal(small->function, 0);
    assert_int_equal(small->repeat, 1);
    assert_int_equal(small->inputs, INPUT_random);
    assert_int_equal(small->n_sizes, 3);
    assert_int_equal(small->sizes[2], 2);
    assert_int_equal(small->n_schedules, 0);
    assert_int_equal(all->kind, CHECK_EFFICIENT);
    assert_int_equal(all->parent, 0);
    assert_int_equal(all->n_sizes, 3);
    assert_int_equal(all->sizes[2], 1 << 26);
    assert_int_equal(all->inputs, INPUT_sparse);
    assert_true(all->in_place);
    assert_int_equal(all->misalign, 3);
    assert_int_equal(all->repeat, 4);
    assert_int_equal(all->n_schedules, 2);
    assert_string_equal(all->schedules[1], "reverse");
    assert_string_equal(all->profile, "gtx275");
    assert_string_equal(all->clock.name, "teach");
    assert_string_equal(all->clock.device, "h200");
    assert_null(small->clock.name);
    assert_int_equal(all->memory_model, LAB_MEMORY_SC);
    assert_true(all->same && all->bonus);
    assert_false(small->same || small->bonus);
    assert_null(small->profile);
    assert_int_equal(all->n_bounds, 2);
    assert_int_equal(all->bounds[1].counter, VGPU_COUNT_DATA_OPS);
    assert_int_equal(all->bounds[1].compare, FORMULA_LE);
    assert_string_equal(all->bounds[1].text, "data_ops <= n*clog2(n)");
    assert_string_equal(all->cause, "One two.");
    assert_string_equal(all->read, "README.md#there");
    assert_int_equal(all->n_hints, 2);
    assert_string_equal(all->hints[0], "First goes on.");
    assert_string_equal(all->hints[1], "Second.");
}

TEST(everything_is_read) {
    write_file(*state, "07-tiny/lab.ini", everything);
    const struct world *w = *state;
    char path[128];
    make_path(w, "07-tiny", path);
    struct lab_error error;
    struct lab *lab = lab_read(path, &error);
    if (!lab) {
        fail_msg("%s", error.message);
        return;
    }
    the_lab_is_as_written(lab, path);
    its_checks_are_as_written(lab);
    lab_free(lab);
}

/* ---- groups and drawn sizes ---- */

static struct lab *read_sizes(const struct world *w, const char *sizes) {
    char path[128], text[1000];
    struct lab_error error;
    snprintf(text, sizeof text,
             "%s%s[check a]\nkind = correct\ntitle = A\npoints = 10\n%s", LAB,
             FUNCTION, sizes);
    write_file(w, "07-tiny/lab.ini", text);
    make_path(w, "07-tiny", path);
    struct lab *lab = lab_read(path, &error);
    if (!lab) fail_msg("%s", error.message);
    return lab;
}

TEST(sizes_stand_in_groups) {
    struct lab *lab = read_sizes(*state, "large = 2^26\nsizes = edges 3: 0 1\n"
                                         "  many blocks 7 of ones: 5 6\n  7\n");
    const struct lab_check *c = &lab->checks[0];
    assert_int_equal(c->n_groups, 2);
    assert_string_equal(c->groups[0].name, "edges");
    assert_int_equal(c->groups[0].points, 3);
    assert_int_equal(c->groups[0].inputs, -1);
    assert_string_equal(c->groups[1].name, "many blocks");
    assert_int_equal(c->groups[1].points, 7);
    assert_int_equal(c->groups[1].inputs, INPUT_ones);
    assert_int_equal(c->n_sizes, 6);
    for (size_t i = 0; i < c->n_sizes; i++) {
        bool edge = c->sizes[i] < 2, large = c->sizes[i] == 1 << 26;
        assert_int_equal(c->written[i].group, edge ? 0 : 1);
        assert_int_equal(c->written[i].large, large);
    }
    char *words = lab_check_sizes(c);
    assert_string_equal(words, "0, 1, 5, 6, 7");
    free(words);
    lab_free(lab);
}

TEST(a_drawn_size_is_of_its_class_under_every_seed) {
    struct lab *lab = read_sizes(
        *state, "sizes = 100..4096 2..64*256+1 2^10..20-1 3..3*7 1..1\n");
    const struct lab_check *c = &lab->checks[0];
    size_t low = 0, others = 0, before = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        lab_draw(lab, seed);
        const size_t *n = c->sizes;
        assert_true(n[0] >= 100 && n[0] <= 4096);
        assert_true(n[1] % 256 == 1 && n[1] > 512 && n[1] <= 64 * 256 + 1);
        assert_true(n[2] >= 1023 && n[2] < 1 << 20 && !(n[2] & (n[2] + 1)));
        assert_int_equal(n[3], 21);
        assert_int_equal(n[4], 1);
        low += n[0] < 640; /* half of the logarithms */
        others += n[0] != before;
        before = n[0];
    }
    assert_true(low > 400 && low < 600);
    assert_true(others > 950);
    lab_draw(lab, 7);
    size_t first = c->sizes[0];
    lab_draw(lab, 8);
    lab_draw(lab, 7);
    assert_int_equal(c->sizes[0], first);
    char *words = lab_check_sizes(c);
    assert_string_equal(words, "100 to 4096, 513 to 16385 (256 k+1), "
                               "1023 to 1048575 (2^k-1), 21, 1");
    free(words);
    lab_free(lab);
}

TEST(a_bound_may_have_a_zero_mark) {
    struct lab *lab = read_sizes(
        *state, "sizes = 1\n[check b]\nkind = efficient\ntitle = B\n"
                "points = 1\nsizes = 1\nbound = launches <= n zero 3*n\n"
                "  data_ops <= n\n");
    const struct lab_check *c = &lab->checks[1];
    assert_string_equal(c->bounds[0].text, "launches <= n");
    assert_string_equal(formula_text(c->bounds[0].limit), "n");
    assert_string_equal(formula_text(c->bounds[0].zero), "3*n");
    assert_null(c->bounds[1].zero);
    lab_free(lab);
}

static const struct {
    const char *ini, *message; /* behind the folder's name */
} mistakes[] = {
#include "lab_mistakes.def"
};

TEST(each_mistake_has_its_message) {
    const struct world *w = *state;
    char path[128];
    make_path(w, "07-tiny", path);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct lab_error error;
        write_file(w, "07-tiny/lab.ini", mistakes[i].ini);
        struct lab *lab = lab_read(path, &error);
        if (lab) fail_msg("accepted:\n%s", mistakes[i].ini);
        size_t skip = strlen(path) + 1;
        assert_memory_equal(error.message, path, strlen(path));
        if (strncmp(error.message + skip, mistakes[i].message,
                    strlen(mistakes[i].message)) != 0)
            fail_msg("row %zu:\n%s\nsays: %s", i, mistakes[i].ini,
                     error.message + skip);
    }
}

TEST(long_lines_are_refused) {
    const struct world *w = *state;
    char path[128], text[1000] = LAB "title = ";
    memset(text + strlen(text), 'x', 500);
    write_file(w, "07-tiny/lab.ini", text);
    make_path(w, "07-tiny", path);
    struct lab_error error;
    assert_null(lab_read(path, &error));
    assert_non_null(strstr(error.message, "lab.ini:6: the line is longer"));
}

/* A place in the handout that `read` names, as GitHub calls headings. */
TEST(places_are_headings_of_the_handout) {
    const struct world *w = *state;
    static const char page[] =
        "# The [steps](x.md)\n## Two words, `code` \u2014 and so_on\n"
        "## \u00dcber uns\n```\n# not this\n```\n<a id=\"own\"></a>\n## Again\n"
        "## Again\n##\n#none\n";
    static const struct {
        const char *anchor;
        bool there;
    } rows[] = {{"the-steps", true},     {"two-words-code--and-so_on", true},
                {"\u00fcber-uns", true}, {"not-this", false},
                {"own", true},           {"again", true},
                {"again-1", true},       {"again-2", false},
                {"none", false},         {"", false}};
    char path[128], text[600], expected[200];
    make_path(w, "07-tiny", path);
    write_file(w, "07-tiny/README.md", page);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lab_error error;
        snprintf(text, sizeof text, LAB FUNCTION CHECK "read = README.md#%s\n",
                 rows[i].anchor);
        write_file(w, "07-tiny/lab.ini", text);
        struct lab *lab = lab_read(path, &error);
        if ((lab != NULL) != rows[i].there)
            fail_msg("#%s: %s", rows[i].anchor, lab ? "taken" : error.message);
        snprintf(expected, sizeof expected,
                 "lab.ini:15: read: %s/README.md has no heading '#%s'", path,
                 rows[i].anchor);
        if (!lab) assert_non_null(strstr(error.message, expected));
        lab_free(lab);
    }
}

TEST(a_rule_takes_the_place_of_an_oracle) {
    const struct world *w = *state;
    const int32_t in[8] = {3, 4, 1, -5, INT32_MAX, 8, 2, 1};
    /* 4 starts a segment, and so does 8. */
    const int32_t due[8] = {3, 4, 5, 0, INT32_MAX, 8, 10, 11};
    int32_t out[8];
    char path[128];
    struct lab_error error;
    make_path(w, "07-tiny", path);
    write_file(w, "07-tiny/lab.ini",
               LAB "[function f]\nsymbol = f\nsignature = scan\noracle = rule\n"
                   "rule = in +\n  if(in % 4, before, 0)\n" CHECK);
    struct lab *lab = lab_read(path, &error);
    if (!lab) fail_msg("%s", error.message);
    const struct lab_function *f = &lab->functions[0];
    assert_int_equal(oracle_apply_rule(f->oracle, f->rule, NULL, in, 8, out),
                     8);
    assert_memory_equal(out, due, sizeof due);
    lab_free(lab);
}

/* The function of a lab with these lines; the caller frees the lab. */
static const struct lab_function *function_of(const struct world *w,
                                              const char *lines,
                                              const char *of_check,
                                              struct lab **lab) {
    char path[128], text[2048];
    struct lab_error error;
    make_path(w, "07-tiny", path);
    snprintf(text, sizeof text, "%s[function f]\nsymbol = f\n%s%s%s", LAB,
             lines, CHECK, of_check);
    write_file(w, "07-tiny/lab.ini", text);
    *lab = lab_read(path, &error);
    if (!*lab) fail_msg("%s", error.message);
    return (*lab)->functions;
}

TEST(rules_keep_elements_and_have_two_outputs) {
    const int32_t in[8] = {3, 3, 5, 5, 5, -1, 3, 3};
    const int32_t values[4] = {3, 5, -1, 3}, lengths[4] = {2, 3, 1, 2};
    int32_t out[16] = {0};
    struct lab *lab;
    const struct lab_function *f = function_of(
        *state,
        "signature = run_length\noracle = rule\nrule = in\n"
        "rule2 = if(i, if(equal(in, in_before), before2, 0), 0) + "
        "1\nkeep = if(equal(i, n - 1), 1, 1 - equal(in, in_next))\n",
        "", &lab);
    assert_int_equal(oracle_apply_rule(f->oracle, f->rule, NULL, in, 8, out),
                     4);
    assert_memory_equal(out, values, sizeof values);
    assert_memory_equal(out + 8, lengths, sizeof lengths);
    lab_free(lab);
}

TEST(rules_have_64_bits_and_no_sign) {
    const int64_t in[3] = {INT32_MAX, INT32_MAX, -5};
    const int64_t due[3] = {INT32_MAX, 2LL * INT32_MAX, 2LL * INT32_MAX - 5};
    int64_t out[3];
    struct lab *lab;
    const struct lab_function *f =
        function_of(*state,
                    "signature = scan_op_i64\noracle = rule\n"
                    "rule = before + in\n",
                    "op = sum\n", &lab);
    oracle_apply_rule(f->oracle, f->rule, NULL, (const int32_t *)in, 3,
                      (int32_t *)out);
    assert_memory_equal(out, due, sizeof due);
    lab_free(lab);
    const uint32_t large[2] = {7, UINT32_MAX};
    const uint32_t most[2] = {7, UINT32_MAX};
    uint32_t got[2];
    f = function_of(*state,
                    "signature = sort_u32\noracle = rule\n"
                    "rule = max(in, before)\n",
                    "", &lab);
    oracle_apply_rule(f->oracle, f->rule, NULL, (const int32_t *)large, 2,
                      (int32_t *)got);
    assert_memory_equal(got, most, sizeof most);
    lab_free(lab);
}

/* Rounding may differ by a part of what was added up, not of what is left. */
TEST(rules_of_floats_know_what_rounding_moves) {
    const float in[3] = {1e6F, -1e6F, 0.25F};
    float out[3];
    struct lab *lab;
    const struct lab_function *f = function_of(
        *state, "signature = sam_f32\noracle = rule\nrule = in + before\n",
        "tuple = 1\n", &lab);
    const int32_t *words = (const int32_t *)in;
    oracle_apply_rule(f->oracle, f->rule, NULL, words, 3, (int32_t *)out);
    assert_true(out[2] == 0.25F);
    const struct {
        float last;
        bool agrees;
    } rows[] = {{0.25F, true}, {0.5F, true}, {-7, true}, {9, false}};
    struct parameters usual;
    parameters_usual(&usual);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float got[3] = {1e6F, 0, rows[i].last};
        assert_int_equal(oracle_agrees(f->oracle, f->rule, &usual, words, 3,
                                       (int32_t *)out, 3, (int32_t *)got, 3),
                         rows[i].agrees);
    }
    lab_free(lab);
}

TEST(rules_that_do_not_fit_are_named) {
    const struct world *w = *state;
    static const struct {
        const char *lines, *error;
    } rows[] = {
        {"signature = scan\noracle = rule\n", "'rule' goes with the oracle"},
        {"signature = scan\noracle = rule\nrule = in\nkeep = in\n",
         "'keep' goes with the oracle rule, where the signature has n_out"},
        {"signature = compact\noracle = rule\nrule = in\n", "'keep' goes with"},
        {"signature = scan\noracle = rule\nrule = in\nrule2 = in\n",
         "'rule2' goes with the oracle rule, where the signature has a second"},
        {"signature = scan\noracle = inclusive_sum\nrule = in\n",
         "'rule' goes with the oracle rule, and only with that"},
        {"signature = parts\noracle = rule\nrule = in + befor\n",
         "unknown variable 'befor'"},
        {"signature = sam_f32\noracle = rule\nrule = in % 2\n",
         "rule: % is not for floats"},
        {"signature = sam_f32\noracle = rule\n"
         "rule = if(less(in + before, 0), 0, in)\n",
         "of floats, less would hang on how `before` was rounded"},
        {"signature = sam_f32\noracle = rule\nrule = if(before, 0, in)\n",
         "of floats, if would hang on how `before` was rounded"}};
    char path[128], text[2048];
    struct lab_error error;
    make_path(w, "07-tiny", path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s[function f]\nsymbol = f\n%s%s", LAB,
                 rows[i].lines, CHECK);
        write_file(w, "07-tiny/lab.ini", text);
        assert_null(lab_read(path, &error));
        if (!strstr(error.message, rows[i].error))
            fail_msg("%s: %s", rows[i].lines, error.message);
    }
}

TEST(a_byte_order_mark_is_no_part_of_the_text) {
    const struct world *w = *state;
    char path[128];
    struct lab_error error;
    make_path(w, "07-tiny", path);
    write_file(w, "07-tiny/lab.ini", "\xef\xbb\xbf" LAB FUNCTION CHECK);
    struct lab *lab = lab_read(path, &error);
    if (!lab) fail_msg("%s", error.message);
    lab_free(lab);
}

/* Whatever the bytes: an error or a lab, never a crash. */
TEST(rubbish_is_survived) {
    const struct world *w = *state;
    static const char valid[] = LAB FUNCTION CHECK
        "hint = h\n  on\n[check b]\nkind = efficient\ntitle = B\npoints = 1\n"
        "sizes = 3\nparent = small\nbound = launches <= (n)\n";
    char path[128], text[sizeof valid];
    make_path(w, "07-tiny", path);
    for (uint64_t i = 0; i < 400; i++) {
        memcpy(text, valid, sizeof valid);
        for (uint64_t k = 0; k <= i % 3; k++) {
            uint64_t r = inputs_mix(i, k);
            text[r % (sizeof valid - 1)] = (char)(r >> 32);
        }
        write_file(w, "07-tiny/lab.ini", text);
        struct lab_error error;
        struct lab *lab = lab_read(path, &error);
        assert_true(lab || strlen(error.message) > 0);
        lab_free(lab);
    }
}

TEST(labs_are_sorted_and_distinct) {
    const struct world *w = *state;
    char path[128];
    struct lab **labs;
    size_t n;
    struct lab_error error;
    write_file(w, "07-tiny/lab.ini", LAB FUNCTION CHECK);
    make_path(w, "10-other", path);
    assert_int_equal(mkdir(path, 0777), 0);
    make_path(w, "common", path); /* no lab: no number */
    assert_int_equal(mkdir(path, 0777), 0);
    assert_true(labs_read(w->folder, &labs, &n, &error));
    assert_int_equal(n, 1); /* without a lab.ini it is not a lab yet */
    labs_free(labs, n);
    write_file(w, "10-other/tiny.h", "");
    write_file(w, "10-other/lab.ini", LAB FUNCTION CHECK);
    assert_false(labs_read(w->folder, &labs, &n, &error));
    assert_non_null(strstr(error.message, "id 'tiny' is already that of"));
    static const char other[] = "[lab]\nid = other\ntitle = O\n"
                                "source = o.c\nheader = tiny.h\n";
    char text[1000];
    snprintf(text, sizeof text, "%srequires = tiny nope\n" FUNCTION CHECK,
             other);
    write_file(w, "10-other/lab.ini", text);
    assert_true(labs_read(w->folder, &labs, &n, &error)); /* it may be absent */
    assert_non_null(labs_find(labs, n, labs[1]->requires[0]));
    assert_null(labs_find(labs, n, labs[1]->requires[1]));
    labs_free(labs, n);
    snprintf(text, sizeof text, "%s" FUNCTION CHECK, other);
    write_file(w, "10-other/lab.ini", text);
    assert_true(labs_read(w->folder, &labs, &n, &error));
    assert_int_equal(n, 2);
    assert_int_equal(labs[0]->number, 7);
    assert_int_equal(labs[1]->number, 10);
    assert_int_equal(labs[1]->language, LAB_C);
    labs_free(labs, n);
}

TEST(a_file_that_nothing_reads_is_refused) {
    const struct world *w = *state;
    struct lab **labs;
    size_t n;
    struct lab_error error;
    write_file(w, "07-tiny/Lab.ini", LAB FUNCTION CHECK);
    assert_false(labs_read(w->folder, &labs, &n, &error));
    assert_non_null(strstr(
        error.message, "07-tiny: nothing reads 'Lab.ini' here: this folder has "
                       "lab.ini; rename the file, or move it elsewhere"));
}

TEST_WITH(missing_folders_are_named, NULL, NULL) {
    struct lab **labs;
    size_t n;
    struct lab_error error;
    assert_false(labs_read("no/such/folder", &labs, &n, &error));
    assert_string_equal(error.message,
                        "no/such/folder: cannot read the folder of labs: No "
                        "such file or directory");
    assert_null(lab_read("no/such/01-folder", &error));
    assert_string_equal(error.message, "no/such/01-folder/lab.ini: cannot "
                                       "open: No such file or directory");
    assert_null(lab_read("labs/x", &error));
    assert_non_null(strstr(error.message, "as in 01-naive"));
}

TEST_WITH(the_labs_of_the_course_are_right, NULL, NULL) {
    struct lab **labs;
    size_t n;
    struct lab_error error;
    if (!labs_read(LABS, &labs, &n, &error)) fail_msg("%s", error.message);
    assert_true(n >= 9);
    for (size_t i = 0; i < n; i++) {
        int points = 0;
        for (size_t k = 0; k < labs[i]->n_checks; k++)
            if (!labs[i]->checks[k].bonus) points += labs[i]->checks[k].points;
        assert_int_equal(points, 100);
        for (size_t k = 0; k < labs[i]->n_requires; k++)
            assert_non_null(labs_find(labs, n, labs[i]->requires[k]));
    }
    labs_free(labs, n);
}

UNIT_MAIN(NULL, NULL)

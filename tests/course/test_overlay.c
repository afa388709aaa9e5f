/* SPDX-License-Identifier: MIT
 *
 * test_overlay.c: a course laid over a lab reads as the lab would if each key
 * stood in its own file; every mistake has one message with file and line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules.h"
#include "text.h"
#define UNIT_SET_UP    set_up
#define UNIT_TEAR_DOWN tear_down
#include "unit.h"

static char world[64]; /* labs/07-tiny, over/07-tiny */

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", world, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", world, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static int set_up(void **state) {
    (void)state;
    snprintf(world, sizeof world, "scanlab-test-XXXXXX");
    if (!mkdtemp(world)) return -1;
    make_folder("labs");
    make_folder("labs/07-tiny");
    make_folder("over");
    make_folder("over/07-tiny");
    write_file("labs/07-tiny/tiny.h", "");
    write_file("labs/07-tiny/other.h", "");
    write_file("labs/07-tiny"
               "/README.md",
               "# X\n");
    return 0;
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", world);
    return system(command);
}

/* ---- a lab in words ---- */

static void say(struct text *t, const char *name, const char *value) {
    text_add(t, "%s=%s\n", name, value ? value : "-");
}

static void say_check(struct text *t, const struct lab_check *c) {
    text_add(t, "[%s] %d points %d parent %d function %d inputs %d\n", c->id,
             (int)c->kind, c->points, c->parent, c->function, c->inputs);
    text_add(t, "%d%d%d%d%d%d misalign %zu repeat %zu checks %u model %d\n",
             c->in_place, c->late, c->refused, c->errors, c->same, c->bonus,
             c->misalign, c->repeat, c->vgpu_checks, c->memory_model);
    for (size_t i = 0; i < c->n_sizes; i++)
        text_add(t, " %zu%s", c->sizes[i], c->written[i].large ? "!" : "");
    for (size_t i = 0; i < c->n_groups; i++)
        text_add(t, " %s %d %d", c->groups[i].name ? c->groups[i].name : "-",
                 c->groups[i].points, c->groups[i].inputs);
    for (int p = 0; p < N_PARAMETERS; p++)
        for (size_t i = 0; i < c->parameters[p].n; i++)
            text_add(t, " p%d %d", p, c->parameters[p].values[i]);
    for (size_t i = 0; i < c->n_schedules; i++)
        say(t, "schedule", c->schedules[i]);
    for (size_t i = 0; i < c->n_bounds; i++) say(t, "bound", c->bounds[i].text);
    for (size_t i = 0; i < c->n_hints; i++) say(t, "hint", c->hints[i]);
    say(t, "title", c->title);
    say(t, "profile", c->profile);
    say(t, "clock", c->clock.name);
    say(t, "ratio", c->ratio_baseline);
    text_add(t, "%g %g %u\n", c->ratio, c->full, c->time_limit_ms);
    say(t, "cause", c->cause);
    say(t, "read", c->read);
}

static char *said(const struct lab *lab) {
    struct text t = {0};
    say(&t, "id", lab->id);
    say(&t, "title", lab->title);
    say(&t, "source", lab->source);
    say(&t, "header", lab->header);
    say(&t, "deadlock", lab->deadlock);
    say(&t, "unwritten", lab->unwritten);
    say(&t, "serial", lab->serial);
    say(&t, "repairs", lab->repairs ? "yes" : "no");
    text_add(&t, "%u %u %llu %llu\n", lab->time_limit_ms, lab->memory_limit_mib,
             (unsigned long long)lab->h2d_limit_bytes,
             (unsigned long long)lab->d2h_limit_bytes);
    for (size_t i = 0; i < lab->n_parts; i++)
        text_add(&t, "%s %zu\n", lab->parts[i].name, lab->parts[i].size);
    for (size_t i = 0; i < lab->n_requires; i++)
        say(&t, "requires", lab->requires[i]);
    for (size_t i = 0; i < lab->n_functions; i++) {
        const struct lab_function *f = &lab->functions[i];
        text_add(&t, "%s %s %d %d %d %d %d %d\n", f->id, f->symbol,
                 f->signature, f->oracle, f->way, f->untimed, f->only_listed,
                 f->status_word != NULL);
    }
    for (size_t i = 0; i < lab->n_checks; i++) say_check(&t, &lab->checks[i]);
    return t.bytes;
}

/* ---- reading ---- */

static const char *error_text;

/* Labs and rules; NULL: error_text says why. */
static struct lab *read_over(void) {
    static struct lab_error error;
    char labs_folder[128], over[128];
    struct lab **labs = NULL, *lab = NULL;
    size_t n = 0;
    snprintf(labs_folder, sizeof labs_folder, "%s/labs", world);
    snprintf(over, sizeof over, "%s/over", world);
    error_text = error.message;
    if (!labs_read_over(labs_folder, over, &labs, &n, &error)) return NULL;
    struct course_rules *rules = rules_read(over, &error);
    if (rules && rules_fit(rules, labs, &n, &error)) {
        assert_int_equal(n, 1);
        lab = labs[0];
        free(labs);
    } else {
        labs_free(labs, n);
    }
    rules_free(rules);
    return lab;
}

#define LAB                                                                    \
    "[lab]\nid = tiny\ntitle = Tiny\nsource = tiny.cu\nheader = tiny.h\n"      \
    "[function f]\nsymbol = tiny_scan\nsignature = scan\n"                     \
    "oracle = inclusive_sum\n"                                                 \
    "[function g]\nsymbol = tiny_other\nsignature = scan\n"                    \
    "oracle = inclusive_sum\n"
#define CHECKS                                                                 \
    "[check a]\nkind = correct\ntitle = A\npoints = 20\nsizes = 0 1 2\n"       \
    "function = f\n"                                                           \
    "hint = One.\nhint = Two.\n"                                               \
    "[check b]\nkind = efficient\ntitle = B\npoints = 80\nsizes = 9\n"         \
    "bound = launches <= 7\nparent = a\nfunction = f\n" /* line 29 */          \
    "[check c]\nkind = correct\ntitle = C\npoints = 0\nsizes = 4\n"            \
    "parent = a\nfunction = f\n"

/* The lab in words with this over it. */
static char *with(const char *own, const char *over) {
    write_file("labs/07-tiny/lab.ini", own);
    write_file("over/07-tiny/lab.ini", over);
    struct lab *lab = read_over();
    if (!lab) fail_msg("%s", error_text);
    char *text = said(lab);
    lab_free(lab);
    return text;
}

/* The lab's own file with the section's key replaced by this line. */
static char *edited(const char *section, const char *line) {
    size_t key = strcspn(line, " =");
    struct text t = {0};
    char *own = strdup(LAB CHECKS), *rest = own;
    bool inside = false;
    for (char *at; (at = strsep(&rest, "\n")) && (*at || rest);) {
        if (*at == '[') inside = strcmp(at, section) == 0;
        if (!inside || strncmp(at, line, key) != 0 || at[key] != ' ')
            text_add(&t, "%s\n", at);
        if (*at == '[' && inside) text_add(&t, "%s\n", line);
    }
    free(own);
    return t.bytes;
}

static const struct {
    const char *section, *line;
} keys[] = {
    {"[lab]", "id = other"},
    {"[lab]", "title = Other"},
    {"[lab]", "source = other.cu"},
    {"[lab]", "header = other.h"},
    {"[lab]", "time_limit_ms = 7"},
    {"[lab]", "memory_limit_mib = 77"},
    {"[lab]", "h2d_limit_bytes = 7"},
    {"[lab]", "d2h_limit_bytes = 8"},
    {"[lab]", "parts = warp 32"},
    {"[lab]", "deadlock = Wait for none."},
    {"[lab]", "unwritten = Write it."},
    {"[lab]", "serial = Use all."},
    {"[lab]", "repairs = no"},
    {"[lab]", "requires = tiny"},
    {"[function f]", "symbol = other"},
    {"[function f]", "signature = scan_cuda"},
    {"[function f]", "oracle = exclusive_sum"},
    {"[function f]", "way = steps"},
    {"[function f]", "untimed = yes"},
    {"[function f]", "only_listed = yes"},
    {"[function f]", "status_word = flag:u32@32=A,B value:i32@0"},
    {"[check a]", "kind = fast\nratio = copy >= 0.5"},
    {"[check a]", "title = Other"},
    {"[check a]", "points = 1000"},
    {"[check a]", "function = g"},
    {"[check a]", "sizes = 5\n  6 7"},
    {"[check a]", "sizes = edges 3: 0 1\n  many 17 of ones: 100..4096*3+1"},
    {"[check a]", "large = 2^26"},
    {"[check a]", "inputs = ones"},
    {"[check a]", "in_place = yes"},
    {"[check a]", "refused = yes"},
    {"[check c]", "errors = yes"},
    {"[check a]", "misalign = 3"},
    {"[check a]", "clock = teach\nbound = launches <= 9"},
    {"[check a]", "repeat = 3"},
    {"[check a]", "profile = gtx275"},
    {"[check b]", "clock = teach"},
    {"[check a]", "memory_model = weak"},
    {"[check a]", "same = yes"},
    {"[check b]", "bonus = yes"},
    {"[check a]", "kind = clean\nchecks = memcheck"},
    {"[check a]", "schedules = reverse"},
    {"[check b]", "bound = launches == 1\n  barriers <= n"},
    {"[check a]", "cause = Something."},
    {"[check a]", "read = README.md#x"},
    {"[check a]", "hint = Three."}};

TEST(each_key_replaces_that_of_the_lab) {
    char *plain = with(LAB CHECKS, "[check a]\npoints = 20\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char over[200];
        snprintf(over, sizeof over, "%s\n%s\n", keys[i].section, keys[i].line);
        char *as_one = edited(keys[i].section, keys[i].line);
        char *laid = with(LAB CHECKS, over);
        char *expected = with(as_one, "[check a]\ntitle = A\n");
        if (strstr(keys[i].line, "title") && strstr(over, "[check a]")) {
            free(expected);
            expected = with(as_one, "[check b]\ntitle = B\n");
        }
        if (strcmp(laid, expected) != 0)
            fail_msg("%s is\n%s, not\n%s", over, laid, expected);
        bool says_same = strcmp(laid, plain) == 0;
        if (says_same) fail_msg("%s changes nothing", over);
        free(as_one);
        free(laid);
        free(expected);
    }
    free(plain);
}

/* Keys that this test passes over: of C labs, or of another test. */
TEST(every_key_is_in_the_list) {
    static const char *const known[] = {"late",   "ratio",      "full",
                                        "parent", "visibility", "rule",
                                        "rule2",  "keep"};
    static const char *const all[] = {
#define X(object, name, set, member, least, most, flags) #name,
#include "lab_keys.def"
#undef X
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool listed = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *at = strstr(keys[i].line, all[k]);
            listed |= at && at[strlen(all[k])] == ' ';
        }
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            listed |= strcmp(known[i], all[k]) == 0;
        if (!listed) fail_msg("no test lays '%s' over", all[k]);
    }
}

TEST(a_check_may_be_added) {
    write_file("labs/07-tiny/lab.ini", LAB CHECKS);
    write_file("over/07-tiny/lab.ini",
               "[check more]\nkind = correct\ntitle = More\npoints = 5\n"
               "sizes = 77\nfunction = f\nparent = a\nvisibility = hidden\n"
               "[check a]\nvisibility = visible\n");
    write_file("over/course.ini", "[course]\nvisibility = visible\n");
    struct lab *lab = read_over();
    if (!lab) fail_msg("%s", error_text);
    assert_int_equal(lab->n_checks, 4);
    assert_string_equal(lab->checks[3].id, "more");
    assert_int_equal(lab->checks[3].visibility, VISIBILITY_HIDDEN);
    assert_int_equal(lab->checks[3].parent, 0);
    assert_int_equal(lab->checks[0].visibility, VISIBILITY_VISIBLE);
    lab_free(lab);
}

TEST(what_is_not_said_is_as_the_lab_or_the_course_says) {
    static const struct {
        const char *course;
        int a, b;
    } cases[] = {
        {"[course]\nseed = 1\n", VISIBILITY_VISIBLE, VISIBILITY_HIDDEN},
        {"[course]\nvisibility = hidden\n", VISIBILITY_HIDDEN,
         VISIBILITY_HIDDEN},
        {"[course]\nvisibility = hidden\n[lab tiny]\n"
         "visibility = visible\n",
         VISIBILITY_VISIBLE, VISIBILITY_HIDDEN},
        {"[lab tiny]\nvisibility = after-deadline\n"
         "due = 2026-11-30T23:59Z\n",
         VISIBILITY_AFTER_DEADLINE, VISIBILITY_HIDDEN}};
    write_file("labs/07-tiny/lab.ini", LAB CHECKS);
    write_file("over/07-tiny/lab.ini", "[check b]\nvisibility = hidden\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("over/course.ini", cases[i].course);
        struct lab *lab = read_over();
        if (!lab) fail_msg("%s", error_text);
        assert_int_equal(lab->checks[0].visibility, cases[i].a);
        assert_int_equal(lab->checks[1].visibility, cases[i].b);
        lab_free(lab);
    }
}

/* ---- mistakes ---- */

#define OVER "over/07-tiny/lab.ini"
static const struct {
    const char *file, *text, *message;
} mistakes[] = {
    {OVER, "[check a]\npiont = 3\n",
     OVER ":2: unknown key 'piont' (did you mean 'points'?)"},
    {OVER, "\n[check a]\npoints = many\n",
     OVER ":3: points: 'many' is not a whole number"},
    {OVER, "[check a]\npoints = 1\npoints = 2\n",
     OVER ":3: points is already set in line 2"},
    {OVER, "[check a]\npoints = 1\n[check a]\ntitle = B\n",
     OVER ":3: a second section [check a]"},
    {OVER, "[check d]\npoints = 3\n", OVER ":1: [check d] has no 'kind'"},
    {OVER, "[check a]\nbound = launches == 1\n",
     OVER ":2: 'bound' is for checks of kind efficient, not correct"},
    {OVER, "[check a]\nkind = efficient\n",
     "labs/07-tiny/lab.ini:14: a check of kind efficient needs 'bound'"},
    {OVER, "[check b]\nbound = launches <=\n", OVER ":2: "},
    {OVER, "[check b]\nbound = launches <= 1\n  lunches <= 2\n", OVER ":3: "},
    {OVER, "[check b]\nparent = c\n", OVER ":2: unknown parent 'c'"},
    {OVER, "[chekc a]\npoints = 1\n", OVER ":1: unknown section 'chekc'"},
    {OVER, "points = 1\n", OVER ":1: 'points' stands before"},
    {OVER, "[check a]\nvisibility = secret\n",
     OVER ":2: unknown visibility 'secret'; known: visible, after-deadline, "
          "hidden"},
    {OVER, "[check a]\nvisibility = after-deadline\n",
     "labs/07-tiny/lab.ini:14: check 'a' is for after the deadline, and "},
    {OVER, "[check a]\nvisibility = hidden\n",
     "labs/07-tiny/lab.ini:22: check 'b' would tell students of its parent "
     "'a'"},
    {OVER, "[function f]\noracle = nothing\n", OVER ":2: unknown oracle"},
    {"labs/07-tiny/lab.ini", LAB CHECKS "visibility = hidden\n",
     "labs/07-tiny/lab.ini:37: visibility: students have this file"},
    {"over/course.ini", "[course]\nsede = 1\n",
     "over/course.ini:2: unknown key 'sede' (did you mean 'seed'?)"},
    {"over/course.ini", "[course]\nseed = -1\n",
     "over/course.ini:2: seed: '-1' is not a whole number"},
    {"over/course.ini", "[course]\nseeds = student\n",
     "over/course.ini:2: seeds: those of students are made of a 'seed'"},
    {"over/course.ini", "[course]\nseed = 1\nseeds = all\n",
     "over/course.ini:3: unknown seeds 'all'; known: class, student"},
    {"over/course.ini", "[course]\nvisibility = no\n",
     "over/course.ini:2: unknown visibility 'no'"},
    {"over/course.ini", "[course]\nleaderboard = maybe\n",
     "over/course.ini:2: leaderboard: 'maybe' is neither yes nor no"},
    {"over/course.ini", "[course]\nlanguage = d/e\n",
     "over/course.ini:2: language: 'd/e' is not a name"},
    {"over/course.ini", "[course x]\nseed = 1\n",
     "over/course.ini:1: write [course], without a name"},
    {"over/course.ini", "[course]\nseed = 1\n[course]\nseed = 1\n",
     "over/course.ini:3: a second [course]"},
    {"over/course.ini", "[lab]\ndue = 2026-11-30T23:59Z\n",
     "over/course.ini:1: write [lab id]"},
    {"over/course.ini", "[lab tinny]\ndue = 2026-11-30T23:59Z\n",
     "over/course.ini:1: unknown lab 'tinny' (did you mean 'tiny'?)"},
    {"over/course.ini",
     "[lab tiny]\ndue = 2026-11-30T23:59Z\n[lab tiny]\n"
     "visibility = visible\n",
     "over/course.ini:3: a second [lab tiny]"},
    {"over/course.ini", "[lab tiny]\ndue = tomorrow\n",
     "over/course.ini:2: due: 'tomorrow' is not a time such as 2026-"},
    {"over/course.ini", "[lab tiny]\nvisibility = after-deadline\n",
     "labs/07-tiny/lab.ini:14: check 'a' is for after the deadline, and "},
    {"over/course.ini", "[late]\ngrace = 15m\n",
     "over/course.ini:1: [late] has no 'percent'"},
    {"over/course.ini", "[late]\npercent = 101\n",
     "over/course.ini:2: percent: '101' is not a whole number from 1 to 100"},
    {"over/course.ini", "[late]\npercent = 10\nmost = 5\n",
     "over/course.ini:3: most: 5 is less than the first 10 percent"},
    {"over/course.ini", "[late]\npercent = 10\neach = 24\n",
     "over/course.ini:3: each: '24' is not a time such as 15m, 24h, 7d"},
    {"over/course.ini", "[late]\npercent = 10\ngrace = -1h\n",
     "over/course.ini:3: grace: '-1h' is not a time"},
    {"over/course.ini", "[late]\npercent = 10\nuntil = 1h\ngrace = 2h\n",
     "over/course.ini:3: until: that is over before 'grace' is"},
    {"over/course.ini", "[deadline]\nx = 1\n",
     "over/course.ini:1: unknown section 'deadline'; known: course, late, lab"},
    {"over/course.ini", "[lab tiny]\noffered = no\n",
     "over/course.ini: offered: no lab is left"},
    {"over/course.ini", "[lab tiny]\noffered = never\n",
     "over/course.ini:2: offered: 'never' is neither yes nor no"},
    {OVER, "[check a]\nread = README.md#y\n", "over/07-tiny/lab.ini:2: read: "},
};

TEST(every_mistake_is_named_with_file_and_line) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char expected[600];
        write_file("labs/07-tiny/lab.ini", LAB CHECKS);
        write_file(OVER, "[check a]\npoints = 20\n");
        write_file("over/course.ini", "[course]\nseed = 1\n");
        write_file(mistakes[i].file, mistakes[i].text);
        snprintf(expected, sizeof expected, "%s/%s", world,
                 mistakes[i].message);
        struct lab *lab = read_over();
        if (lab) fail_msg("%s is taken", mistakes[i].text);
        if (strncmp(error_text, expected, strlen(expected)) != 0)
            fail_msg("%s\nsays %s\nnot %s", mistakes[i].text, error_text,
                     expected);
    }
}

TEST(files_that_nothing_reads_are_named) {
    static const struct {
        const char *file, *message;
    } rows[] = {
        {"over/Course.ini",
         "over: nothing reads 'Course.ini' here: this folder has course.ini, "
         "policy.ini and a folder"},
        {"over/lab.ini", "over: nothing reads 'lab.ini' here"},
        {"over/07-tiny/Lab.ini", "over/07-tiny: nothing reads 'Lab.ini'"},
        {"over/07-tiny/tiny.h", "over/07-tiny: nothing reads 'tiny.h'"},
        {"over/notes.md", NULL},
        {"over/policy.ini", NULL},
        {"over/.gitignore", NULL},
        {"over/07-tiny/README.md", NULL},
        {"over/07-tiny/lab.ini~", NULL},
        {"over/07-tiny/steps.svg", NULL}};
    write_file("labs/07-tiny/lab.ini", LAB CHECKS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[128], expected[400];
        write_file(rows[i].file, "");
        struct lab *lab = read_over();
        snprintf(expected, sizeof expected, "%s/%s", world,
                 rows[i].message ? rows[i].message : "");
        if ((lab == NULL) != (rows[i].message != NULL) ||
            (!lab && !strstr(error_text, expected)))
            fail_msg("%s: %s", rows[i].file, lab ? "is taken" : error_text);
        lab_free(lab);
        snprintf(path, sizeof path, "%s/%s", world, rows[i].file);
        assert_int_equal(unlink(path), 0);
    }
}

/* A handout of the course takes the place of the lab's. */
TEST(places_are_those_of_the_handout_that_students_get) {
    write_file("labs/07-tiny/lab.ini", LAB CHECKS "read = README.md#x\n");
    write_file(OVER, "[check a]\npoints = 3\n");
    struct lab *lab = read_over();
    if (!lab) fail_msg("%s", error_text);
    lab_free(lab);
    write_file("over/07-tiny/README.md", "# Y\n");
    assert_null(read_over());
    assert_non_null(
        strstr(error_text, "over/07-tiny/README.md has no heading"));
}

TEST(a_lab_that_is_not_offered_is_left_out) {
    struct lab_error error;
    struct lab **labs;
    size_t n;
    char folder[128], over[128];
    make_folder("labs/08-other");
    write_file("labs/08-other/tiny.h", "");
    write_file("labs/07-tiny/lab.ini", LAB CHECKS);
    write_file("labs/08-other/lab.ini",
               "[lab]\nid = other\ntitle = O\nsource = o.cu\n"
               "header = tiny.h\n[function f]\nsymbol = o\nsignature = scan\n"
               "oracle = inclusive_sum\n[check a]\nkind = correct\ntitle = A\n"
               "points = 1\nsizes = 1\n");
    write_file("over/course.ini",
               "[lab tiny]\noffered = no\n[lab other]\noffered = yes\n");
    snprintf(folder, sizeof folder, "%s/labs", world);
    snprintf(over, sizeof over, "%s/over", world);
    assert_true(labs_read_over(folder, over, &labs, &n, &error));
    struct course_rules *rules = rules_read(over, &error);
    assert_non_null(rules);
    assert_true(rules_fit(rules, labs, &n, &error));
    assert_int_equal(n, 1);
    assert_string_equal(labs[0]->id, "other");
    labs_free(labs, n);
    rules_free(rules);
}

TEST(folders_that_are_no_labs_are_named) {
    write_file("labs/07-tiny/lab.ini", LAB CHECKS);
    make_folder("over/07-tinny");
    write_file("over/07-tinny/lab.ini", "[check a]\npoints = 1\n");
    assert_null(read_over());
    assert_non_null(
        strstr(error_text, "unknown lab '07-tinny' (did you mean '07-tiny'?)"));
    struct lab_error error;
    struct lab **labs;
    size_t n;
    char folder[128];
    snprintf(folder, sizeof folder, "%s/labs", world);
    assert_false(labs_read_over(folder, "no/such", &labs, &n, &error));
    assert_string_equal(error.message, "no/such: cannot read the folder of the "
                                       "course: No such file or directory");
}

/* ---- time ---- */

TEST_WITH(times_are_read_with_their_zone, NULL, NULL) {
    static const char *const bad[] = {"",
                                      "2026-11-30",
                                      "2026-11-30T23:59",
                                      "2026-11-30 23:59Z",
                                      "2026-02-30T00:00Z",
                                      "2026-13-01T00:00Z",
                                      "2026-11-30T24:01Z",
                                      "2026-11-30T23:59+1:00",
                                      "2026-11-30T23:59+01:00x",
                                      "2026-11-30T23:59+15:00",
                                      "2026-11-30T23:59+01:60",
                                      "2026-1-30T023:59Z",
                                      "2026-11-30T23:59:60Z",
                                      "2026-11-30T23:59:5Z",
                                      "2026-11-30T23:59:",
                                      "2026-11-30T23:59:-1Z",
                                      "2026-11-30T23:59z"};
    int64_t utc, at;
    assert_true(rules_time("2026-11-30T22:59Z", &utc));
    assert_int_equal(utc, 1796079540);
    assert_true(rules_time("2026-11-30T23:59:07+01:00", &at));
    assert_int_equal(at, utc + 7);
    assert_true(rules_time("2026-11-30T23:59+01:00", &at));
    assert_int_equal(at, utc);
    assert_true(rules_time("2026-11-30T19:29-03:30", &at));
    assert_int_equal(at, utc);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (rules_time(bad[i], &at)) fail_msg("%s is taken", bad[i]);
}

TEST_WITH(what_is_late_loses_so_much, NULL, NULL) {
    enum { HOUR = 3600, DAY = 24 * HOUR };
    static struct lab_rules own = {
        .id = (char *)"tiny", .due_s = 1000000, .offered = true, .line = 1};
    struct course_rules rules = {.late = {.grace_s = 900,
                                          .each_s = DAY,
                                          .until_s = 7 * DAY,
                                          .percent = 10,
                                          .most = 45},
                                 .labs = &own,
                                 .n_labs = 1};
    const struct lab tiny = {.id = (char *)"tiny"}, no = {.id = (char *)"no"};
    static const struct {
        int64_t after;
        unsigned lost;
    } cases[] = {{-5, 0},       {0, 0},
                 {900, 0},      {901, 10},
                 {DAY, 10},     {DAY + 1, 20},
                 {4 * DAY, 40}, {4 * DAY + 1, 45},
                 {7 * DAY, 45}, {7 * DAY + 1, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t late_s, when = own.due_s + cases[i].after;
        assert_int_equal(rules_lost(&rules, &tiny, when, &late_s),
                         cases[i].lost);
        assert_int_equal(late_s, cases[i].lost ? cases[i].after : 0);
        assert_int_equal(rules_lost(&rules, &no, when, &late_s), 0);
    }
    int64_t late_s;
    rules.late = (struct late_rules){0};
    assert_int_equal(rules_lost(&rules, &tiny, own.due_s + 60, &late_s), 0);
    assert_int_equal(late_s, 60);
}

TEST_WITH(a_check_shows_when_nobody_can_hand_in_any_more, NULL, NULL) {
    static struct lab_rules own = {
        .id = (char *)"tiny", .due_s = 1000000, .offered = true, .line = 1};
    struct course_rules rules = {
        .late = {.grace_s = 900, .until_s = 5000}, .labs = &own, .n_labs = 1};
    const struct lab tiny = {.id = (char *)"tiny"};
    struct lab_check check = {.visibility = VISIBILITY_AFTER_DEADLINE};
    assert_int_equal(rules_shown(&rules, &tiny, &check, 1005000),
                     VISIBILITY_AFTER_DEADLINE);
    assert_int_equal(rules_shown(&rules, &tiny, &check, 1005001),
                     VISIBILITY_VISIBLE);
    rules.late.until_s = 0;
    assert_int_equal(rules_shown(&rules, &tiny, &check, 1000900),
                     VISIBILITY_AFTER_DEADLINE);
    assert_int_equal(rules_shown(&rules, &tiny, &check, 1000901),
                     VISIBILITY_VISIBLE);
    check.visibility = VISIBILITY_HIDDEN;
    assert_int_equal(rules_shown(&rules, &tiny, &check, 9000000),
                     VISIBILITY_HIDDEN);
}

UNIT_MAIN(NULL, NULL)

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

static const struct {
    const char *ini, *message; /* behind the folder's name */
} mistakes[] = {
    {"", "lab.ini: there is no [lab] section"},
    {LAB FUNCTION, "lab.ini: there is no [check ...] section"},
    {"id = x\n", "lab.ini:1: 'id' stands before the first [section]"},
    {FUNCTION, "lab.ini:1: [lab] must come first"},
    {LAB LAB, "lab.ini:6: a second [lab]"},
    {"[lab]\n[function f]\n", "lab.ini:1: the section is empty"},
    {LAB "[check x]\n", "lab.ini:6: the section is empty"},
    {LAB "rubbish\n", "lab.ini:6: neither '[section]' nor 'key = value'"},
    {LAB "[check\n", "lab.ini:6: neither '[section]' nor 'key = value'"},
    {LAB "titel = x\n",
     "lab.ini:6: unknown key 'titel' (did you mean 'title'?)"},
    {LAB "zzz = x\n", "lab.ini:6: unknown key 'zzz'; known: id, title,"},
    {LAB "title = x\n", "lab.ini:6: title is already set in line 3"},
    {LAB "[chekc x]\nkind = fast\n",
     "lab.ini:6: unknown section 'chekc' (did you mean 'check'?)"},
    {LAB "[check]\nkind = fast\n", "lab.ini:6: write [check id]"},
    {LAB "[check a b]\nkind = fast\n", "lab.ini:6: write [check id]"},
    {"[lab x]\nid = x\n", "lab.ini:1: write [lab], without a name"},
    {"[lab]\nid = a/b\n", "lab.ini:2: id: 'a/b' is not a name"},
    {"[lab]\nid =\n", "lab.ini:2: id: '' is not a name"},
    {"[lab]\ntitle =\n", "lab.ini:2: title is empty"},
    {"[lab]\nid = x\n", "lab.ini:1: [lab] has no 'title'"},
    {"[lab]\nsource = ../x.cu\n", "lab.ini:2: source: '../x.cu' is not a "
                                  "file name ending in .c or .cu"},
    {"[lab]\nsource = x.py\n", "lab.ini:2: source: 'x.py' is not"},
    {"[lab]\nheader = none.h\n", "lab.ini:2: header: cannot read "},
    {LAB "time_limit_ms = -5\n",
     "lab.ini:6: time_limit_ms: '-5' is not a whole number from 1 to"},
    {LAB "time_limit_ms = 1e3\n", "lab.ini:6: time_limit_ms: '1e3' is"},
    {LAB "time_limit_ms = 99999999999999999999\n", "lab.ini:6: time_limi"},
    {LAB FUNCTION FUNCTION, "lab.ini:10: a second function 'f'"},
    {LAB "[function f]\nsymbol = 1x\n",
     "lab.ini:7: symbol: '1x' is not a name in C"},
    {LAB "[function f]\nsignature = scn\n",
     "lab.ini:7: unknown signature 'scn' (did you mean 'scan'?)"},
    {LAB "[function f]\noracle = inclusive_scan\n",
     "lab.ini:7: unknown oracle 'inclusive_scan' (did you mean "
     "'inclusive_sum'?)"},
    {LAB "[function f]\nsymbol = x\nsignature = compact\n"
         "oracle = inclusive_sum\n",
     "lab.ini:9: oracle 'inclusive_sum' does not fit signature 'compact'"},
    {LAB FUNCTION "status_word =\n", "lab.ini:10: status_word: '' is not a "},
    {LAB FUNCTION "status_word = flag\n",
     "lab.ini:10: status_word: 'flag' is not a field, as in flag:u32@32="},
    {LAB FUNCTION "status_word = flag:f32@0\n",
     "lab.ini:10: status_word: 'flag:f32@0' is not a field"},
    {LAB FUNCTION "status_word = flag:u32@32=\n",
     "lab.ini:10: status_word: 'flag:u32@32=' is not a field"},
    {LAB FUNCTION "status_word = flag:u32@32=A,,B\n",
     "lab.ini:10: status_word: 'flag:u32@32=A,,B' is not a field"},
    {LAB FUNCTION "status_word = v:u32@0 flag:u32@33\n",
     "lab.ini:10: status_word: field 'flag' does not lie in 64 bits"},
    {LAB FUNCTION "status_word = v:u0@0\n",
     "lab.ini:10: status_word: field 'v' does not lie in 64 bits"},
    {LAB FUNCTION "status_word = v:u99999999999999999999@0\n",
     "lab.ini:10: status_word: field 'v' does not lie in 64 bits"},
    {LAB FUNCTION "status_word = v:u33@0 flag:u32@32\n",
     "lab.ini:10: status_word: field 'flag' lies over another field"},
    {LAB FUNCTION "status_word = v:u8@0 v:u8@8\n",
     "lab.ini:10: status_word: field 'v' is there twice"},
    {LAB FUNCTION "status_word = v:i8@0=A,B\n",
     "lab.ini:10: status_word: field 'v' is signed and has names"},
    {LAB FUNCTION "status_word = v:u1@0=A,B,C\n",
     "lab.ini:10: status_word: field 'v' has more names than values"},
    {LAB FUNCTION "status_word = a:u1@0 b:u1@1 c:u1@2 d:u1@3 e:u1@4\n",
     "lab.ini:10: status_word: more than 4 fields"},
    {LAB FUNCTION CHECK CHECK,
     "lab.ini:15: a second check 'small' (the first is in line 10)"},
    {LAB FUNCTION CHECK "piont = 3\n",
     "lab.ini:15: unknown key 'piont' (did you mean 'points'?)"},
    {LAB FUNCTION "[check a]\npoints = -1\n",
     "lab.ini:11: points: '-1' is not a whole number from 0 to 10000"},
    {LAB FUNCTION "[check a]\nkind = corect\n",
     "lab.ini:11: unknown kind 'corect' (did you mean 'correct'?)"},
    {LAB FUNCTION "[check a]\nsizes = 1 1073741825\n",
     "lab.ini:11: sizes: '1073741825' is not a whole number from 0 to "
     "1073741824"},
    {LAB FUNCTION "[check a]\nsizes = 1,2\n", "lab.ini:11: sizes: '1,2'"},
    {LAB FUNCTION "[check a]\nsizes =\n", "lab.ini:11: sizes: 0 given"},
    {LAB FUNCTION CHECK "parent = small\n",
     "lab.ini:15: check 'small' is its own parent"},
    {LAB FUNCTION CHECK "parent = smal\n", "lab.ini:15: unknown parent 'smal'"},
    {LAB FUNCTION "[check a]\nparent = b\n[check b]\nkind = fast\n",
     "lab.ini:11: unknown parent 'b'; known: none"},
    {LAB FUNCTION CHECK "function = g\n",
     "lab.ini:15: unknown function 'g'; known: f"},
    {LAB CHECK, "lab.ini:6: check 'small' needs 'function': the lab has "
                "0"},
    {LAB FUNCTION CHECK "inputs = rnadom\n",
     "lab.ini:15: unknown inputs 'rnadom' (did you mean 'random'?)"},
    {LAB FUNCTION CHECK "in_place = maybe\n",
     "lab.ini:15: in_place: 'maybe' is neither yes nor no"},
    {LAB FUNCTION CHECK "misalign = 64\n", "lab.ini:15: misalign: '64'"},
    {LAB FUNCTION CHECK "repeat = 0\n", "lab.ini:15: repeat: '0'"},
    {LAB FUNCTION CHECK "threads = 2\n",
     "lab.ini:15: threads: signature 'scan' takes none"},
    {LAB "[function f]\nsymbol = x\nsignature = scan_threads\n"
         "oracle = inclusive_sum\n" CHECK,
     "lab.ini:10: check 'small' needs 'threads'"},
    {LAB "[function f]\nsymbol = x\nsignature = sam_i32\n"
         "oracle = inclusive_sum\n" CHECK "tuple = 1 2\norder = 9\n",
     "lab.ini:16: order: '9' is no value of it (a name, or a whole number "
     "from 1 to 8)"},
    {LAB "[function f]\nsymbol = x\nsignature = sam_i64\n"
         "oracle = inclusive_sum\n" CHECK,
     "lab.ini:9: oracle 'inclusive_sum' does not fit signature 'sam_i64'"},
    {LAB FUNCTION
     "[check small]\nkind = efficient\ntitle = S\npoints = 1\nsizes = 1\n"
     "bound = launches <= 1\nschedules = in-order random:7\n",
     "lab.ini:16: a check with bounds cannot have the schedule 'random:7'"},
    {LAB FUNCTION
     "[check small]\nkind = efficient\ntitle = S\npoints = 1\nsizes = 1\n"
     "bound = launches <= 1\nmemory_model = weak\n",
     "lab.ini:16: a check with bounds takes the memory model sc"},
    {LAB FUNCTION CHECK "profile = gtx257\n",
     "lab.ini:15: unknown profile 'gtx257' (did you mean 'gtx275'?)"},
    {LAB FUNCTION CHECK "memory_model = week\n",
     "lab.ini:15: unknown memory_model 'week' (did you mean 'weak'?)"},
    {LAB FUNCTION CHECK "schedules = in-order inorder\n",
     "lab.ini:15: unknown schedule 'inorder' (did you mean 'in-order'?)"},
    {LAB FUNCTION CHECK "ratio = serial >= 1\n",
     "lab.ini:15: 'ratio' is for checks of kind fast, not correct"},
    {LAB FUNCTION CHECK "bound = launches <= 1\n",
     "lab.ini:15: 'bound' is for checks of kind efficient"},
    {LAB FUNCTION CHECK "checks = memchek\n",
     "lab.ini:15: unknown checks 'memchek' (did you mean 'memcheck'?)"},
    {LAB FUNCTION CHECK "bound = lauches <= 1\n",
     "lab.ini:15: unknown counter 'lauches' (did you mean 'launches'?)"},
    {LAB FUNCTION CHECK "bound = launches <= 1\n  blocks <= (n\n",
     "lab.ini:16: bound: ')' expected (column 3 of '(n')"},
    {LAB FUNCTION CHECK "bound = launches\n",
     "lab.ini:15: bound: 'launches' is not 'name <= expression'"},
    {LAB FUNCTION CHECK "ratio = seriel >= 1\n",
     "lab.ini:15: unknown baseline 'seriel' (did you mean 'serial'?)"},
    {LAB FUNCTION CHECK "ratio = serial <= 1\n",
     "lab.ini:15: ratio: 'serial <= 1' is not 'baseline >= number'"},
    {LAB FUNCTION CHECK "ratio = serial >= x\n",
     "lab.ini:15: ratio: ' x' is not a number"},
    {LAB FUNCTION "[check a]\nkind = fast\ntitle = A\npoints = 1\n"
                  "sizes = 1\n",
     "lab.ini:10: a check of kind fast needs 'ratio'"},
    {LAB FUNCTION FAST "ratio = serial >= 1\n",
     "lab.ini:15: ratio: serial is for C labs"},
    {LAB FUNCTION FAST "ratio = cub >= 0.5\nfull = 0.5\n",
     "lab.ini:16: full: 0.5 is not more than the ratio 0.5"},
    {LAB FUNCTION FAST "ratio = cub >= 0.5\nfull = much\n",
     "lab.ini:16: full: 'much' is not a number above 0"},
    {LAB FUNCTION CHECK "full = 2\n",
     "lab.ini:15: 'full' is for checks of kind fast, not correct"},
    {LAB "[function f]\nsymbol = f\nsignature = scan_cuda\n"
         "oracle = tile_of_4096\n" FAST "ratio = copy >= 0.5\n",
     "lab.ini:15: ratio: for oracle 'tile_of_4096' there is no function of "
     "CUB"},
    {"[lab]\nid = tiny\ntitle = T\nsource = tiny.c\n"
     "header = tiny.h\n" FUNCTION FAST "ratio = cub >= 1\n",
     "lab.ini:15: ratio: cub is for CUDA labs"},
    {LAB FUNCTION "[check a]\nkind = correct\ntitle = A\npoints = 1\n"
                  "sizes = 100000000\n",
     "lab.ini:14: sizes: 100000000 is more than 67108864, the most but for "
     "timed checks on a GPU"},
    {LAB FUNCTION "[check a]\nkind = fast\n  title = A\n",
     "lab.ini:12: this indented line continues 'kind'"},
    {"[lab]\nid = tiny\ntitle = T\nsource = tiny.c\n"
     "header = tiny.h\n" FUNCTION CHECK "schedules = reverse\n",
     "lab.ini:15: 'schedules' is for CUDA labs"},
    {"[lab]\nid = tiny\ntitle = T\nsource = tiny.c\n"
     "header = tiny.h\n" FUNCTION "[check a]\nkind = clean\n"
     "title = A\npoints = 1\nsizes = 1\nchecks = memcheck\n",
     "lab.ini:15: 'checks' needs the virtual GPU, and tiny.c is not CUDA"},
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
    assert_false(labs_read(w->folder, &labs, &n, &error));
    assert_non_null(strstr(error.message, "there is no lab 'nope'"));
    snprintf(text, sizeof text, "%s" FUNCTION CHECK, other);
    write_file(w, "10-other/lab.ini", text);
    assert_true(labs_read(w->folder, &labs, &n, &error));
    assert_int_equal(n, 2);
    assert_int_equal(labs[0]->number, 7);
    assert_int_equal(labs[1]->number, 10);
    assert_int_equal(labs[1]->language, LAB_C);
    labs_free(labs, n);
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
    }
    labs_free(labs, n);
}

UNIT_MAIN(NULL, NULL)

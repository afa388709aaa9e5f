/* SPDX-License-Identifier: MIT
 *
 * test_related.c: which lines of a source decide about another one, which ones
 * were given, and what a hostile one makes of that.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outcome.h"
#include "related.h"
#include "related_threads.h"
#include "stub_lines.h"
#include "text.h"
#include "unit.h"

static const char naive[] = "enum { THREADS = 256 };\n"                  /* 1 */
                            "__global__ void step(int *src, int *dst,\n" /* 2 */
                            "                     int n, int offset) {\n"
                            "    int i = blockIdx.x * blockDim.x\n" /* 4 */
                            "            + threadIdx.x;\n"
                            "    if (i >= n) return;\n" /* 6 */
                            "    int left; // i = 3;\n"
                            "    if (i >= offset)\n" /* 8 */
                            "        left = src[i - offset];\n"
                            "    else\n" /* 10 */
                            "        left = 0;\n"
                            "    dst[i] = add(src[i], left);\n" /* 12 */
                            "}\n"
                            "int scan(int *in, int *out, int n) {\n" /* 14 */
                            "    cudaError_t status = cudaMalloc(&in, n);\n"
                            "    for (int d = 1; d < n; d *= 2) {\n" /* 16 */
                            "        step<<<n / THREADS, THREADS>>>(in, out,\n"
                            "                                       n, d);\n"
                            "        status = cudaGetLastError();\n" /* 19 */
                            "    }\n"
                            "    return status;\n" /* 21 */
                            "}\n";

static size_t lines_of(const char *text, unsigned line,
                       struct related to[RELATED_MOST]) {
    struct related_file f;
    assert_true(related_open(text, &f));
    size_t n = related_lines(&f, line, to);
    related_close(&f);
    return n;
}

static bool has(const struct related *list, size_t n, enum related_kind kind,
                unsigned line) {
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && list[i].line == line) return true;
    return false;
}

TEST(the_condition_and_those_that_set_its_variables_decide) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(naive, 9, to);
    assert_true(has(to, n, RELATED_CONDITION, 8));
    assert_true(has(to, n, RELATED_VALUE, 4));
    assert_true(has(to, n, RELATED_CALL, 17));
    assert_int_equal(to[0].line, 8);
}

TEST(a_statement_of_several_lines_is_one) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(naive, 18, to);
    assert_true(has(to, n, RELATED_CONDITION, 16));
    assert_true(has(to, n, RELATED_CONSTANT, 1));
    assert_false(has(to, n, RELATED_VALUE, 19)); /* a status decides nothing */
}

TEST(comments_and_branches_are_read_as_such) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(naive, 12, to);
    assert_true(has(to, n, RELATED_VALUE, 11));
    assert_false(has(to, n, RELATED_VALUE, 7)); /* of i, in a comment */
}

static const char calls[] = "void fill(int *to, int n) { to[0] = n; }\n" /* 1 */
                            "int use(int *to, int n) {\n"
                            "    int most = n;\n" /* 3 */
                            "    if (n > 8) most = 8;\n"
                            "    if (n < 0) return 0;\n" /* 5 */
                            "    fill(to, n);\n"
                            "    return to[most];\n" /* 7 */
                            "}\n";

TEST(what_a_call_is_given_it_may_set) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(calls, 7, to);
    assert_true(has(to, n, RELATED_VALUE, 6));
}

TEST(what_may_not_have_run_hides_nothing_before_it) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(calls, 7, to);
    assert_true(has(to, n, RELATED_VALUE, 4));
    assert_true(has(to, n, RELATED_VALUE, 3));
}

TEST(a_condition_under_which_the_function_ends_decides) {
    struct related to[RELATED_MOST];
    size_t n = lines_of(calls, 7, to);
    assert_true(has(to, n, RELATED_CONDITION, 5));
}

TEST(what_a_function_does_is_found_through_those_it_names) {
    struct related to[RELATED_MOST];
    struct related_file f;
    const struct related_names none = {NULL, 0};
    assert_true(related_open(naive, &f));
    size_t n = related_deeds(&f, "scan", none, RELATED_STORES, to);
    assert_true(has(to, n, RELATED_VALUE, 12));
    n = related_deeds(&f, "scan", none, RELATED_LAUNCHES, to);
    assert_int_equal(n, 1);
    assert_int_equal(to[0].line, 17);
    n = related_deeds(&f, "scan", none, RELATED_ALLOCATES, to);
    assert_int_equal(n, 1);
    assert_int_equal(to[0].line, 15);
    const char *const names[] = {"step"};
    const struct related_names trusted = {names, 1};
    n = related_deeds(&f, "scan", trusted, RELATED_STORES, to);
    assert_int_equal(n, 0);
    related_close(&f);
}

TEST(a_condition_that_nothing_met_is_found) {
    uint8_t marks[24] = {0};
    struct related to[RELATED_MOST];
    struct related_file f;
    assert_true(related_open(naive, &f));
    marks[4] = marks[8] = marks[11] = RAN_COULD | RAN_DID;
    marks[6] = marks[12] = RAN_COULD | RAN_DID;
    marks[9] = RAN_COULD;
    assert_int_equal(related_never(&f, marks, 24, to), 0); /* else ran */
    marks[11] = RAN_COULD;
    assert_int_equal(related_never(&f, marks, 24, to), 1);
    assert_int_equal(to[0].line, 8);
    related_close(&f);
}

static const char members[] = "struct Down : Base {\n"
                              "    void operator()(int &l, int &r) const {\n"
                              "        l = r;\n" /* 3 */
                              "        r = l + r;\n"
                              "    }\n" /* 5 */
                              "};\n"
                              "int sum(int a) { return a; }\n" /* 7 */
                              "int sum(long a) { return a + 1; }\n"
                              "template <class F>\n" /* 9 */
                              "void level(int *a, F f) { f(a[0], a[1]); }\n"
                              "void scan(int *a) {\n" /* 11 */
                              "    level(a, Down());\n"
                              "    a[2] = sum(a[1]);\n" /* 13 */
                              "    each(a, [=](int &x) {\n"
                              "        if (x)\n" /* 15 */
                              "            x = 1;\n"
                              "    }, sum(3L));\n" /* 17 */
                              "}\n";

static bool is_reached(const struct related_file *f, const int32_t *heads,
                       size_t n, unsigned line) {
    int32_t k = c_statement_at(&f->tokens, &f->statements, line);
    int32_t head = k < 0 ? -1 : c_function_of(&f->statements, k);
    for (size_t i = 0; i < n; i++)
        if (heads[i] == head) return true;
    return false;
}

TEST(an_operator_is_reached_by_its_class_and_all_overloads_by_their_name) {
    struct related_file f;
    int32_t heads[8];
    assert_true(related_open(members, &f));
    size_t n = related_reached(&f, "scan", heads, 8);
    assert_true(is_reached(&f, heads, n, 3));
    assert_true(is_reached(&f, heads, n, 7));
    assert_true(is_reached(&f, heads, n, 8));
    related_close(&f);
}

TEST(the_body_of_a_lambda_has_statements_of_its_own) {
    struct related_file f;
    struct related to[RELATED_MOST];
    assert_true(related_open(members, &f));
    size_t n = related_lines(&f, 16, to);
    assert_true(has(to, n, RELATED_CONDITION, 15));
    int32_t body = c_statement_at(&f.tokens, &f.statements, 16);
    assert_int_equal(f.tokens.list[f.statements.list[body].first].line, 16);
    int32_t rest = c_statement_at(&f.tokens, &f.statements, 17);
    assert_int_equal(f.tokens.list[f.statements.list[rest].first].line, 17);
    related_close(&f);
}

TEST(any_text_is_read_to_its_end) {
    static const char *const texts[] = {
        "",
        "{",
        "}",
        "}}}}{{{{",
        "if",
        "if (",
        "void f() { if (a) else else else",
        "void f() { do do do do",
        "void f() { for (;;",
        "#define X \\\n\\\n",
        "/*",
        "\"\\",
        "void f() { case 1: default:",
        "struct a { struct b { int f() { return 1; }",
        "f(){x[",
        "namespace {",
        "int a[] = {",
        "void f() { g([=](int",
        "void f() { g([=] { if (a",
        "void f() { [",
        "operator()(int a) { b; }",
        "} } operator()(int a) { b; }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct related to[RELATED_MOST];
        for (unsigned line = 0; line < 4; line++) lines_of(texts[i], line, to);
    }
}

/* As deep as a file may be made, and as wide. */
TEST(depth_and_width_have_a_bound) {
    enum { SIZE = 1 << 20 };
    static const char *const parts[] = {
        "{",       "if(a)", "f(){", "a=a+",  "do ",   "(",
        "a(){b;}", "a;",    "([=]", "[&](a", "[](){", "operator()(){b;}"};
    char *text = malloc(SIZE + 16);
    struct related to[RELATED_MOST];
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        size_t part = strlen(parts[p]), n = 0;
        memcpy(text, "void f(){", 10);
        for (n = 9; n + part < SIZE; n += part)
            memcpy(text + n, parts[p], part);
        text[n] = '\0';
        lines_of(text, 1, to);
    }
    free(text);
}

/* One function that names all the others, of which there are many. */
TEST(many_functions_are_looked_through_in_time) {
    struct text text = {0};
    struct related to[RELATED_MOST];
    struct related_file f;
    uint8_t marks[16] = {0};
    const struct related_names none = {NULL, 0};
    for (int i = 0; i < 15000; i++) text_add(&text, "f%d(){a[i]=b;}", i);
    text_add(&text, "void last() {\n");
    for (int i = 0; i < 15000; i++) text_add(&text, "f%d()+", i);
    text_add(&text, "0;\n");
    for (int i = 0; i < 10000; i++) text_add(&text, "if (x) y=z;");
    text_add(&text, "}\n");
    assert_true(related_open(text.bytes, &f));
    related_lines(&f, 2, to);
    related_deeds(&f, "last", none, RELATED_STORES, to);
    related_never(&f, marks, 16, to);
    related_close(&f);
    text_free(&text);
}

/* ---- lines that were given ---- */

static char *folder_with(const char *given) {
    char *folder = strdup("/tmp/stub_lines_XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *path = text_format("%s/given.txt", folder);
    FILE *file = fopen(path, "w");
    fputs(given, file);
    fclose(file);
    free(path);
    return folder;
}

static void remove_folder(char *folder) {
    char *path = text_format("%s/given.txt", folder);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
}

TEST(given_lines_are_those_of_the_stub) {
    static const char text[] = "#include \"a.h\"\n"
                               "int  f(int a) { /* what f is for */\n"
                               "    return a; // mine\n"
                               "}\n"
                               "int g(void) {\n"
                               "    return f(1);\n"
                               "}\n"
                               "return;\n"
                               "#include \"a.h\"\n";
    char *folder = folder_with("#include \"a.h\"\nint f(int a) {\n"
                               "int g(void) {\n"
                               "return;\n");
    struct stub_lines s;
    assert_true(stub_lines_find(folder, text, &s));
    static const bool given[] = {false, true,  true,  false, false,
                                 true,  false, false, true,  true};
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(stub_lines_has(&s, i), given[i]);
    assert_false(stub_lines_has(&s, 1000));
    stub_lines_free(&s);
    remove_folder(folder);
}

/* A longer line is the stub's wherever it stands, and each time. */
TEST(a_line_of_the_stub_is_given_where_it_stands_again) {
    char *folder = folder_with("int first = 1;\nint second = 2;\nint n;\n");
    struct stub_lines s;
    assert_true(stub_lines_find(folder,
                                "int second = 2;\nint first = 1;\n"
                                "int first = 1;\nint n;\nint n;\n",
                                &s));
    for (unsigned i = 1; i < 5; i++) assert_true(stub_lines_has(&s, i));
    assert_false(stub_lines_has(&s, 5));
    stub_lines_free(&s);
    remove_folder(folder);
}

TEST(without_a_list_nothing_was_given) {
    struct stub_lines s;
    assert_true(stub_lines_find("/nowhere", "int a;\n", &s));
    assert_false(stub_lines_has(&s, 1));
    stub_lines_free(&s);
}

UNIT_MAIN(NULL, NULL)

TEST(what_parts_the_threads_of_a_block_is_found) {
    static const char text[] = "__global__ void k(int *a, int n) {\n"
                               "    unsigned t = threadIdx.x, mine = 2 * t;\n"
                               "    for (int d = 1; d < n; d *= 2) {\n" /* 3 */
                               "        a[t] += d;\n"
                               "        if (n > 32) a[0] = 1;\n" /* 5 */
                               "        while (mine < n) {\n"
                               "            a[mine] = 0;\n" /* 7 */
                               "            mine += blockDim.x;\n"
                               "        }\n"
                               "    }\n" /* 10 */
                               "}\n";
    assert_int_equal(related_parts_threads(text, 4), 0);
    assert_int_equal(related_parts_threads(text, 5), 0);
    assert_int_equal(related_parts_threads(text, 7), 6);
    assert_int_equal(related_parts_threads("", 1), 0);
}

TEST(a_template_whose_parameters_have_defaults_is_a_function) {
    static const char text[] =
        "template <typename T, bool UP = false, int N = (1 << 2)>\n"
        "static int scan(T *out, int n) {\n" /* 2 */
        "    if (n) out[0] = 0;\n"
        "}\n"
        "static int table = f(1);\n"; /* 5 */
    struct related_file f;
    assert_true(related_open(text, &f));
    assert_int_equal(f.n_functions, 1);
    assert_int_equal(f.statements.list[f.statements.n - 1].kind, C_OUTSIDE);
    related_close(&f);
}

/* ---- launches ---- */

static const char handed[] =
    "static void launch(void (*kernel)(int), int n) {\n"
    "    for (int k = 0; k < n; k++)\n" /* 2 */
    "        kernel<<<n, 32>>>(k);\n"
    "}\n" /* 4 */
    "__global__ void one(int k) {\n"
    "    if (k) return;\n" /* 6 */
    "}\n"
    "__global__ void other(int k) {}\n" /* 8 */
    "void f(int n) { launch(one, n); }\n"
    "void g(int n) {\n" /* 10 */
    "    other<<<1, 32>>>(n);\n"
    "}\n";

TEST(a_kernel_that_is_handed_on_is_launched_where_a_parameter_is) {
    struct related_file f;
    struct related to[RELATED_MOST];
    unsigned lines[2];
    assert_true(related_open(handed, &f));
    size_t n = related_launches(&f, "one(int)", true, to);
    assert_true(has(to, n, RELATED_DOES, 3));
    assert_true(has(to, n, RELATED_CONDITION, 2));
    assert_true(has(to, n, RELATED_CALL, 9));
    assert_false(has(to, n, RELATED_DOES, 11));
    n = related_launches(&f, "other(int)", true, to);
    assert_int_equal(n, 1);
    assert_true(has(to, n, RELATED_DOES, 11));
    assert_int_equal(related_first_ifs(&f, "one(int)", 2, lines), 1);
    assert_int_equal(lines[0], 6);
    assert_int_equal(related_first_ifs(&f, "other(int)", 2, lines), 0);
    related_close(&f);
}

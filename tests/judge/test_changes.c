/* SPDX-License-Identifier: MIT
 *
 * test_changes.c: which small changes of a source are tried, in which order,
 * and that the text that has them all is the old one where none is chosen. The
 * C text is compiled, and each change is chosen in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "text.h"
#include "unit.h"

static const char kernel[] =
    "__global__ void step(const int *in, int *out, int n, int d) {\n" /* 1 */
    "    __shared__ int tile[32];\n"
    "    int i = blockIdx.x * 32 + threadIdx.x;\n" /* 3 */
    "    if (i < n && i >= d) {\n"
    "        out[i] = in[i - d];\n" /* 5 */
    "    }\n"
    "    board<int> b = {i, n};\n" /* 7 */
    "    static_cast<long>(i);\n"
    "    x = (unsigned)i >> 2;\n" /* 9 */
    "}\n"
    "void other(int *a, int n) {\n" /* 11 */
    "    a[0] = 1;\n"
    "    step<<<n / 32, 32>>>(a, a, n, 1);\n" /* 13 */
    "}\n";

static struct changes changes_of(const char *text, unsigned line,
                                 const char *entry) {
    bool given[64] = {false};
    const struct stub_lines stub = {given, 63};
    const struct changes_ask ask = {.text = text,
                                    .stub = &stub,
                                    .lines = &line,
                                    .n_lines = 1,
                                    .entry = entry};
    struct changes c;
    given[12] = true;
    assert_true(changes_make(&ask, &c));
    return c;
}

/* Its number; 0: there is no such change. */
static size_t number_of(const struct changes *c, unsigned line, const char *was,
                        const char *now) {
    for (size_t i = 0; i < c->n; i++)
        if (c->list[i].line == line && strcmp(c->list[i].was, was) == 0 &&
            strcmp(c->list[i].now, now) == 0)
            return i + 1;
    return 0;
}

TEST(each_kind_is_found) {
    struct changes c = changes_of(kernel, 4, "other");
    assert_true(number_of(&c, 4, "<", "<="));
    assert_true(number_of(&c, 4, ">=", ">"));
    assert_true(number_of(&c, 4, "i < n && i >= d", "i >= d"));
    assert_true(number_of(&c, 4, "i < n && i >= d", "i < n"));
    assert_true(number_of(&c, 5, "in", "out")); /* a const one is only read */
    assert_int_equal(number_of(&c, 5, "out", "in"), 0);
    assert_true(number_of(&c, 5, "=", "+="));
    assert_true(number_of(&c, 5, "- d", ""));
    assert_true(number_of(&c, 5, "out[i] = in[i - d]", ""));
    assert_true(number_of(&c, 3, "blockIdx.x", "threadIdx.x"));
    assert_true(number_of(&c, 13, "n / 32", "n / 32 + 1"));
    assert_true(number_of(&c, 13, "n / 32, 32", "32, n / 32"));
    changes_free(&c);
}

TEST(types_sizes_and_given_lines_are_left) {
    struct changes c = changes_of(kernel, 4, "other");
    for (size_t i = 0; i < c.n; i++) {
        assert_true(c.list[i].line != 2);  /* an array's size */
        assert_true(c.list[i].line != 12); /* given */
        assert_true(strcmp(c.list[i].was, "<") != 0 || c.list[i].line == 4);
        assert_true(strcmp(c.list[i].was, ">") != 0);
        /* a declaration is not left out: what uses it would not compile */
        assert_true(c.list[i].line != 7 || c.list[i].kind != CHANGE_WITHOUT);
    }
    changes_free(&c);
}

TEST(the_suspicious_line_comes_first) {
    struct changes c = changes_of(kernel, 13, "other");
    assert_int_equal(c.list[0].line, 13);
    changes_free(&c);
    c = changes_of(kernel, 4, "other");
    assert_int_equal(c.list[0].line, 4);
    assert_string_equal(c.list[0].was, "<");
    changes_free(&c);
}

TEST(what_is_not_called_comes_last) {
    struct changes c = changes_of(kernel, 13, "step");
    assert_true(c.list[0].line < 11);
    changes_free(&c);
}

TEST(what_may_not_compile_is_left_after_failures) {
    bool given[2] = {false};
    const struct stub_lines stub = {given, 1};
    struct changes_ask ask = {
        .text = kernel, .stub = &stub, .failures = CHANGES_CAREFUL};
    struct changes c;
    assert_true(changes_make(&ask, &c));
    for (size_t i = 0; i < c.n; i++)
        assert_true(c.list[i].kind != CHANGE_NAME &&
                    c.list[i].kind != CHANGE_TERM);
    changes_free(&c);
    assert_false(changes_make(
        &(struct changes_ask){.text = "int x;\n", .stub = &stub}, &c));
    changes_free(&c);
}

/* ---- compiled ---- */

static const char sums[] = "#include <stdio.h>\n"
                           "int main(void) {\n" /* 2 */
                           "    int a[4] = {1, 2, 3, 4}, all = 0, i;\n"
                           "    for (i = 0; i < 3; i++) {\n" /* 4 */
                           "        all += a[i];\n"
                           "    }\n"
                           "    if (i > 2 && all > 0) all = all * 2;\n" /* 7 */
                           "    printf(\"%d\", all);\n"
                           "    return 0;\n"
                           "}\n";

static void write_to(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* What the program prints with the change. */
static int printed(const char *text, size_t number) {
    char folder[] = "/tmp/changes.XXXXXX", said[32] = "";
    assert_non_null(mkdtemp(folder));
    char *source = text_format("%s/a.c", folder);
    char *header = text_format("%s/" CHANGES_HEADER, folder);
    write_to(source, text);
    struct text chosen = {0};
    const char *at = strstr(changes_header, "0, 0};");
    assert_non_null(at);
    text_add(&chosen, "%.*s%zu%s", (int)(at - changes_header), changes_header,
             number, at + 1);
    write_to(header, chosen.bytes);
    char *command = text_format("cd %s && cc -w -o a a.c && ./a && rm -r %s",
                                folder, folder);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    assert_non_null(fgets(said, sizeof said, out));
    assert_int_equal(pclose(out), 0);
    free(source);
    free(header);
    free(command);
    text_free(&chosen);
    return atoi(said);
}

TEST(one_text_has_all_changes) {
    struct changes c = changes_of(sums, 4, "main");
    assert_int_equal(printed(c.text, 0), 12);
    assert_int_equal(printed(c.text, number_of(&c, 4, "<", "<=")), 20);
    assert_int_equal(printed(c.text, number_of(&c, 4, "3", "4")), 20);
    assert_int_equal(printed(c.text, number_of(&c, 5, "+=", "=")), 6);
    assert_int_equal(printed(c.text, number_of(&c, 7, "2", "3")), 6);
    assert_int_equal(printed(c.text, number_of(&c, 7, "all = all * 2", "")), 6);
    assert_int_equal(printed(c.text, number_of(&c, 7, "=", "+=")), 18);
    changes_free(&c);
}

UNIT_MAIN(NULL, NULL)

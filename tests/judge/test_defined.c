/* SPDX-License-Identifier: MIT
 *
 * test_defined.c: a constant gets another value in each form in which sources
 * define one, and in nothing that only looks like it.
 */
#include <stdlib.h>
#include <string.h>

#include "defined.h"
#include "unit.h"

static void becomes(const char *source, const char *expected) {
    struct text t = {0};
    if (expected) {
        if (!defined_text(source, "B", "64", &t))
            fail_msg("none found in: %s", source);
        assert_string_equal(text_string(&t), expected);
    } else if (defined_text(source, "B", "64", &t)) {
        fail_msg("taken for a constant: %s", source);
    }
    text_free(&t);
}

TEST(enums) {
    becomes("enum { B = 256 };", "enum { B = 64 };");
    becomes("enum { A = 1, B = 8 * (A + f(1, 2)), C = B };",
            "enum { A = 1, B = 64, C = B };");
    becomes("enum sizes : int { A, B = 256 };",
            "enum sizes : int { A, B = 64 };");
}

TEST(constants) {
    becomes("static const int B = 256;", "static const int B = 64;");
    becomes("constexpr unsigned A = 2, B = 256, C = 3;",
            "constexpr unsigned A = 2, B = 64, C = 3;");
    becomes("int f(void) {\n    const int B = 4;\n    return B;\n}",
            "int f(void) {\n    const int B = 64;\n    return B;\n}");
}

TEST(macros) {
    becomes("#define B 256\n", "#define B 64\n");
    becomes("#ifndef B\n#  define B (2 * 128) // threads\n#endif\n",
            "#ifndef B\n#  define B 64 // threads\n#endif\n");
    becomes("#define B 256\r\n", "#define B 64\r\n");
}

TEST(every_definition_and_nothing_else) {
    becomes("#ifdef SMALL\nenum { B = 32 };\n#else\nenum { B = 256 };\n#endif\n"
            "int x = B; /* enum { B = 1 } */",
            "#ifdef SMALL\nenum { B = 64 };\n#else\nenum { B = 64 };\n#endif\n"
            "int x = B; /* enum { B = 1 } */");
}

TEST(what_is_no_constant) {
    becomes("int B = 256;", NULL);
    becomes("void f(int B) { B = 256; }", NULL);
    becomes("enum { AB = 256 };", NULL);
    becomes("#define B(x) (x)\n", NULL);
    becomes("#define B\n", NULL);
    becomes("#define BLOCK 2\n", NULL);
    becomes("// enum { B = 256 };", NULL);
    becomes("const char *s = \"enum { B = 256 };\";", NULL);
    becomes("if (B == 3) x = (const int)4;", NULL);
    becomes("enum { B = 2", NULL); /* it never ends */
}

static void copies(const char *name, const char *value, const char *expected) {
    struct temporary copy;
    char *why;
    bool good = defined_copy(&copy, WORK_FOLDER "/from", WORK_FOLDER, name,
                             value, &why);
    if (!expected) {
        assert_false(good);
        assert_non_null(strstr(why, "no file of the submission"));
        free(why);
        return;
    }
    if (!good) fail_msg("%s", why ? why : "out of memory");
    struct text path = {0}, text = {0};
    text_add(&path, "%s/a.cu", copy.path);
    assert_null(text_read_file(&text, text_string(&path), 1000));
    assert_string_equal(text_string(&text), expected);
    text_free(&path);
    text_free(&text);
    temporary_remove(&copy);
}

TEST(a_copy_has_the_value_and_the_submission_keeps_its_own) {
    assert_int_equal(system("mkdir -p " WORK_FOLDER "/from && printf 'enum { B "
                            "= 1 };' >" WORK_FOLDER "/from/a.cu"),
                     0);
    copies("B", "96", "enum { B = 96 };");
    copies("B", "1024", "enum { B = 1024 };");
    copies("C", "96", NULL);
    assert_int_equal(system("grep -q 'B = 1 ' " WORK_FOLDER "/from/a.cu"), 0);
}

UNIT_MAIN(NULL, NULL)

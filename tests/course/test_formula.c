/* SPDX-License-Identifier: MIT
 *
 * test_formula.c: values, errors and texts of formulas.
 */
#include <stdint.h>
#include <string.h>

#include "formula.h"
#include "unit.h"

TEST(values_are_exact) {
    static const struct {
        const char *text;
        int64_t n, value;
    } rows[] = {
        {"1", 0, 1},
        {"  n ", 7, 7},
        {"2+3*4", 0, 14},
        {"(2+3)*4", 0, 20},
        {"10-3-2", 0, 5},
        {"100/10/5", 0, 2},
        {"-n", 5, -5},
        {"--n", 5, 5},
        {"2*-3", 0, -6},
        {"7/2", 0, 3},
        {"-7/2", 0, -4},
        {"7%4", 0, 3},
        {"-7%4", 0, 1},
        {"clog2(n)", 0, 0},
        {"clog2(n)", 1, 0},
        {"clog2(n)", 2, 1},
        {"clog2(n)", 3, 2},
        {"clog2(n)", 1024, 10},
        {"clog2(n)", 1025, 11},
        {"log2(n)", 0, 0},
        {"log2(n)", 1, 0},
        {"log2(n)", 1023, 9},
        {"log2(n)", 1024, 10},
        {"pow2ceil(n)", 0, 0},
        {"pow2ceil(n)", 1, 1},
        {"pow2ceil(n)", 5, 8},
        {"pow2ceil(n)", 8, 8},
        {"ceildiv(n, 256)", 0, 0},
        {"ceildiv(n, 256)", 256, 1},
        {"ceildiv(n, 256)", 257, 2},
        {"ceildiv(-n, 2)", 3, -1},
        {"min(n, 3) + max(n, 3)", 9, 12},
        {"n*clog2(n) - n + 1", 1048576, 19922945},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775807 - 1", 0, INT64_MIN},
        /* 128 bits inside: the product needs 126. */
        {"9223372036854775807 * 9223372036854775807 / 9223372036854775807", 0,
         INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[FORMULA_ERROR] = "";
        struct formula *formula = formula_parse(rows[i].text, error);
        if (!formula) fail_msg("%s: %s", rows[i].text, error);
        struct formula_env env = {.n = rows[i].n};
        int64_t value = 0;
        assert_true(formula_eval(formula, &env, &value, error));
        if (value != rows[i].value)
            fail_msg("%s at n = %lld is %lld, not %lld", rows[i].text,
                     (long long)rows[i].n, (long long)value,
                     (long long)rows[i].value);
        formula_free(formula);
    }
}

/* A rule has always a result, whatever overflows. */
TEST(rules_are_computed) {
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"in + before", 12},
        {"before + in_before", 105},
        {"if(in2 % 4, before, 0) + in", 2},
        {"if(i, max(before, in), in)", 10},
        {"less(in, before) + equal(in, 2)*10", 11},
        {"bit_xor(in, before) + bit_and(6, in) + bit_or(8, in)", 8 + 2 + 10},
        {"9223372036854775807 + in", INT64_MIN + 1},
        {"9223372036854775807 * 9223372036854775807 * n", 1000},
        {"-(-9223372036854775807 - 1)", INT64_MIN},
        {"(-9223372036854775807 - 1) / 1", INT64_MIN},
    };
    const struct formula_env env = {
        .n = 1000, .i = 3, .in = 2, .in2 = 8, .before = 10, .in_before = 95};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[FORMULA_ERROR] = "";
        struct formula *formula = formula_parse_rule(rows[i].text, error);
        if (!formula) fail_msg("%s: %s", rows[i].text, error);
        int64_t value = formula_eval_rule(formula, &env);
        if (value != rows[i].value)
            fail_msg("%s is %lld, not %lld", rows[i].text, (long long)value,
                     (long long)rows[i].value);
        formula_free(formula);
    }
}

TEST(mistakes_are_named) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "a number, a name or '(' expected (column 1"},
        {"1 +", "expected (column 4"},
        {"1 2", "'2' not expected here (column 3"},
        {"(1", "')' expected"},
        {"1)", "')' not expected here"},
        {"m", "unknown variable 'm'"},
        {"nn", "unknown variable 'nn'"},
        {"clog3(n)", "unknown function 'clog3'"},
        {"clog2(n", "')' expected after 1 argument of clog2"},
        {"clog2", "unknown variable 'clog2'"},
        {"min(1)", "min takes 2 arguments"},
        {"min(1,2,3)", "')' expected after 2 arguments of min"},
        {"99999999999999999999", "the number is too large"},
        {"1 <= 2", "'<' not expected here"},
        {"2**3", "a number, a name or '(' expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[FORMULA_ERROR] = "";
        assert_null(formula_parse(rows[i].text, error));
        if (!strstr(error, rows[i].error))
            fail_msg("'%s' says: %s", rows[i].text, error);
    }
}

TEST(depth_and_length_have_limits) {
    char error[FORMULA_ERROR];
    static char text[200001];
    static const char *const fillings[] = {"(", "-", "-(", "min(", "1+"};
    for (size_t f = 0; f < sizeof fillings / sizeof *fillings; f++) {
        size_t length = strlen(fillings[f]);
        for (size_t i = 0; i + length < sizeof text; i += length)
            memcpy(text + i, fillings[f], length);
        assert_null(formula_parse(text, error));
        assert_true(strstr(error, "too deeply") || strstr(error, "too long"));
    }
}

TEST(results_that_do_not_exist_are_errors) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"1 / n", "/ divides by zero"},
        {"1 % n", "% divides by zero"},
        {"ceildiv(1, n)", "ceildiv divides by zero"},
        {"9223372036854775807 + 1", "more than 64 bits"},
        {"9223372036854775807*9223372036854775807*4", "* overflows"},
        {"clog2(-1)", "clog2 overflows, or its argument is negative"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[FORMULA_ERROR] = "";
        struct formula_env env = {.n = 0};
        int64_t value = 42;
        struct formula *formula = formula_parse(rows[i].text, error);
        assert_non_null(formula);
        assert_false(formula_eval(formula, &env, &value, error));
        assert_int_equal(value, 42);
        if (!strstr(error, rows[i].error))
            fail_msg("'%s' says: %s", rows[i].text, error);
        formula_free(formula);
    }
}

TEST(bounds_are_split) {
    char name[16], error[FORMULA_ERROR];
    const char *rest;
    enum formula_compare compare;
    assert_true(formula_split(" launches <= clog2(n)", name, sizeof name,
                              &compare, &rest, error));
    assert_string_equal(name, "launches");
    assert_int_equal(compare, FORMULA_LE);
    assert_string_equal(rest, " clog2(n)");
    assert_true(
        formula_split("a==1", name, sizeof name, &compare, &rest, error));
    assert_int_equal(compare, FORMULA_EQ);
    assert_true(
        formula_split("a < 1", name, sizeof name, &compare, &rest, error));
    assert_int_equal(compare, FORMULA_LT);
    assert_string_equal(rest, " 1");
    static const char *const wrong[] = {"",
                                        "a",
                                        "a = 1",
                                        "<= 1",
                                        "a b<=1",
                                        "a ! 1",
                                        "a_name_that_is_too_long <= 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(
            formula_split(wrong[i], name, sizeof name, &compare, &rest, error));
}

TEST(comparisons_hold) {
    assert_true(formula_holds(FORMULA_LE, 3, 3));
    assert_false(formula_holds(FORMULA_LE, 4, 3));
    assert_true(formula_holds(FORMULA_GE, 3, 3));
    assert_false(formula_holds(FORMULA_GT, 3, 3));
    assert_false(formula_holds(FORMULA_LT, 3, 3));
    assert_true(formula_holds(FORMULA_EQ, 3, 3));
    /* No sign is lost on the way. */
    assert_false(formula_holds(FORMULA_LE, 0, -1));
    assert_true(formula_holds(FORMULA_GE, UINT64_MAX, INT64_MAX));
}

TEST(formulas_are_described) {
    static const struct {
        const char *text, *described;
    } rows[] = {
        {" clog2(n) ", "clog2(n) = 20 at n = 1048576"},
        {"20", "20"},
        {"4*5", "4*5 = 20"},
        {"1/(n-n)", "1/(n-n) = (/ divides by zero) at n = 1048576"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[FORMULA_TEXT], error[FORMULA_ERROR];
        struct formula_env env = {.n = 1048576};
        struct formula *formula = formula_parse(rows[i].text, error);
        assert_non_null(formula);
        formula_describe(formula, &env, text);
        assert_string_equal(text, rows[i].described);
        formula_free(formula);
    }
}

UNIT_MAIN(NULL, NULL)

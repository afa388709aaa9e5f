/* SPDX-License-Identifier: MIT
 *
 * test_errors.c: what is wrong, where, and the line it stands in.
 */
#include "support.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *text; /* after HEADER, so that it begins on line 4 */
    uint32_t line, column;
    const char *message;
} rows[] = {
    {".func f () {\n\tadd.s32 %r1, 1, 2;\n}", 5, 10,
     "undefined register '%r1'"},
    {".func f () { .reg .b32 %r<9>;\nmov.b32 %r9, 1; }", 5, 9,
     "undefined register '%r9'"},
    {".func f () { .reg .b32 %r<9>;\nmov.b32 %r01, 1; }", 5, 9,
     "undefined register '%r01'"},
    {".func f () {\n{ .reg .pred p; }\n@p ret; }", 6, 2,
     "undefined register 'p'"},
    {".func f () {\n  bra  Nowhere;\n}", 5, 8, "undefined label 'Nowhere'"},
    {".func f () {\n{ L: }\nbra L; }", 6, 5, "undefined label 'L'"},
    {".func f () { .reg .b32 a;\nld.b32 a, [ghost+4]; }", 5, 12,
     "undefined symbol 'ghost'"},
    {".func f () {\ncall ghost, (); }", 5, 6, "undefined symbol 'ghost'"},
    {".func f () {\nts: .branchtargets A; }", 5, 20, "undefined label 'A'"},
    {".global .u64 x = \nghost;", 5, 1, "undefined symbol 'ghost'"},
    {".func f () { .reg .b32 r;\nvadd.s32.s32.s32 r, r.b43210, r; }", 5, 22,
     "'.b43210' is not a part of a register"},
    {".alias a,\n b;", 4, 8, "undefined function 'a'"},
    {".func f () {\nfrobnicate.u32 1; }", 5, 1,
     "unknown instruction 'frobnicate.u32'"},
    {".func f () {\nret }", 5, 5, "expected a constant before '}'"},
    {".func f () {\nret\n", 6, 1,
     "expected a constant before the end of the text"},
    {".func f () {\nret;\n", 4, 12, "this function body does not end"},
    {"/* never\n\n", 4, 1, "this comment does not end"},
    {".file 1 \"abc\n", 4, 9, "this string does not end"},
    {".global .u32 x; .global .u32 x;", 4, 30, "'x' is declared twice"},
    {".func f () { .reg .b32 a;\n.reg .b64 a; }", 5, 11,
     "'a' is declared twice"},
    {".func f () { L: ret;\nL: ret; }", 5, 1, "'L' is declared twice"},
    {".func f () { ret; }\n.func f () { ret; }", 5, 7, "'f' is defined twice"},
    {".global .u32 x[2] = {1, 2, 3};", 4, 28,
     "more initial values than 'x' has elements"},
    {".global .u32 x[2] = {{1}};", 4, 22,
     "more braces than 'x' has dimensions"},
    {".global .u32 x[2][2] = {1, 2, 3, {4, 5}};", 4, 34,
     "these braces do not begin at a row of 'x'"},
    {".global .u32 x[2][2] = {{1}, {2}, {3}};", 4, 35,
     "these braces do not begin at a row of 'x'"},
    {".global .u32 x[0] = {1};", 4, 22,
     "more initial values than 'x' has elements"},
    {".global .u32 x[][0] = {};", 4, 23, "an array of empty rows"},
    {".shared .u32 x = 1;", 4, 18,
     "only .global and .const variables have initial values"},
    {".global .u32 x = 1/0;", 4, 19, "division by zero"},
    {".global .u32 x = 0f12;", 4, 18, "0f must have 8 hexadecimal digits"},
    {".global .u32 x = 0x;", 4, 18, "a number without digits"},
    {".global .u32 x = 089;", 4, 18, "malformed number"},
    {".global .u32 x = 12ab;", 4, 18, "malformed number"},
    {".global .u32 x = 18446744073709551616;", 4, 18, "number exceeds 64 bits"},
    {".global .u32 x[4294967296][4294967296];", 4, 14,
     "this variable exceeds 2^40 bytes"},
    {".global .align 3 .u32 x;", 4, 16, "an alignment must be a power of two"},
    {".global x;", 4, 9, "expected a type before 'x'"},
    {".frobnicate 1;", 4, 1, "expected a directive before '.frobnicate'"},
    {".func f () { .reg .v4 .f32\na; }", 4, 14,
     "vector registers (.v4) are not supported: declare their elements"},
    {".func f () { .reg .b32 a; add.s32 a, a, a, a, a, a, a; }", 4, 53,
     "more than 6 operands"},
    {".func f () { #", 4, 14, "unexpected character 0x23"},
    {".version 9.6", 4, 10,
     "PTX 9.6 is newer than the virtual GPU knows (9.5, of nvcc 13.5): compile "
     "with an nvcc up to 13.5"},
    {".address_size 32", 4, 15, "only 64-bit addresses are supported"},
};

TEST(messages) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        struct ptx_error e = {0};
        int n = snprintf(text, sizeof text, HEADER "%s", rows[i].text);
        struct ptx_module *m = ptx_parse(text, (size_t)n, &e);
        if (m) fail_msg("accepted: %s", rows[i].text);
        if (e.line != rows[i].line || e.column != rows[i].column ||
            strcmp(e.message, rows[i].message) != 0)
            fail_msg("%s\nis %u:%u: %s\nnot %u:%u: %s", rows[i].text, e.line,
                     e.column, e.message, rows[i].line, rows[i].column,
                     rows[i].message);
    }
}

TEST(text_of_the_line) {
    static const char text[] =
        HEADER ".func f () {\r\n\tmov.b32 %r1, 1; // why\r\n}\r\n";
    struct ptx_error e;
    assert_null(ptx_parse(text, sizeof text - 1, &e));
    assert_string_equal(e.text, " mov.b32 %r1, 1; // why");
    assert_int_equal(e.line, 5);
    assert_int_equal(e.column, 10);
}

TEST(long_lines_are_cut) {
    char text[2000];
    memset(text, 'x', sizeof text);
    struct ptx_error e;
    assert_null(ptx_parse(text, sizeof text, &e));
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_int_equal(e.line, 1);
}

TEST(not_ptx) {
    struct ptx_error e;
    assert_null(ptx_parse("", 0, &e));
    assert_string_equal(
        e.message,
        "expected '.version' (is this PTX?) before the end of the text");
    assert_null(ptx_parse("\177ELF", 4, &e));
    assert_string_equal(e.message, "unexpected character 0x7f");
}

/* Nesting is bounded, whatever the text asks for. */
static void check_nesting(const char *before, char open, const char *message) {
    size_t n = 100000, start = strlen(before);
    char *text = malloc(start + n);
    memcpy(text, before, start);
    memset(text + start, open, n);
    struct ptx_error e;
    assert_null(ptx_parse(text, start + n, &e));
    assert_string_equal(e.message, message);
    free(text);
}

TEST(nesting) {
    check_nesting(HEADER ".func f () {", '{',
                  "scopes nested more than 64 deep");
    check_nesting(HEADER ".global .u32 x = ", '(',
                  "expression nested more than 64 deep");
    check_nesting(HEADER ".global .u32 x = ", '-',
                  "expression nested more than 64 deep");
    check_nesting(HEADER ".global .u32 x[1][1] = ", '{',
                  "more braces than 'x' has dimensions");
    check_nesting(HEADER ".func f () { .reg .b32 a; mov.b32 ", '{',
                  "expected a register or constant before '{'");
}

/* Few bytes cannot ask for much memory. */
TEST(memory) {
    static const char text[] = HEADER ".global .b8 x[1099511627776] = {1};";
    struct ptx_error e;
    assert_null(ptx_parse(text, sizeof text - 1, &e));
    assert_int_equal(e.line, 0);
    assert_string_equal(e.message,
                        "no memory for the PTX module (limit 1024 MiB)");
}

UNIT_MAIN(NULL, NULL)

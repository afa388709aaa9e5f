/* SPDX-License-Identifier: MIT
 *
 * test_values.c: numbers, constant expressions and initial values.
 */
#include "support.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static struct ptx_operand constant(const char *text) {
    char body[300];
    snprintf(body, sizeof body, ".reg .b64 a; mov.b64 a, %s;", text);
    struct ptx_module *m = parse_body(body);
    struct ptx_operand o = m->functions[0].insns[0].operands[1];
    ptx_free(m);
    return o;
}

TEST(integers) {
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"0", 0},
        {"-1", UINT64_MAX},
        {"0xfF", 255},
        {"0XffU", 255},
        {"017", 15},
        {"0b101", 5},
        {"0b101U", 5},
        {"12U", 12},
        {"18446744073709551615", UINT64_MAX},
        {"-9223372036854775808", (uint64_t)1 << 63},
        {"4*2+1", 9},
        {"1+4*2", 9},
        {"(1+4)*2", 10},
        {"-7/2", (uint64_t)-3},
        {"-7 % 4", (uint64_t)-3},
        {"1 << 4 | 0x0f & ~1", 30},
        {"-1 >> 63", UINT64_MAX},
        {"0xffffffffffffffffU >> 63", 1},
        {"1 << 64", 0},
        {"-1 < 0", 1},
        {"-1 < 0U", 0},
        {"3 == 3 && 2 != 2 || 5 >= 5", 1},
        {"1 ? 2 : 3", 2},
        {"!5", 0},
        {"!0", 1},
        {"(.u64)-1 > 0", 1},
        {"2 ^ 3", 1},
        {"-9223372036854775807-1", (uint64_t)1 << 63},
        {"(-9223372036854775807-1)/-1", (uint64_t)1 << 63},
        {"(-9223372036854775807-1) % -1", 0},
        {"WARP_SZ*2", 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_operand o = constant(rows[i].text);
        if (o.kind != PTX_INTEGER || (uint64_t)o.integer != rows[i].value)
            fail_msg("%s: got kind %d value %lld", rows[i].text, (int)o.kind,
                     (long long)o.integer);
    }
}

TEST(floats) {
    static const struct {
        const char *text;
        enum ptx_operand_kind kind;
        uint64_t bits;
    } rows[] = {
        {"0f3F800000", PTX_FLOAT32, 0x3f800000},
        {"0Fff800000", PTX_FLOAT32, 0xff800000},
        {"-0f3F800000", PTX_FLOAT32, 0xbf800000},
        {"0d3FF0000000000000", PTX_FLOAT64, 0x3ff0000000000000},
        {"1.5", PTX_FLOAT64, 0x3ff8000000000000},
        {"-0.0", PTX_FLOAT64, 0x8000000000000000},
        {"1e3", PTX_FLOAT64, 0x408f400000000000},
        {"2.5e-1", PTX_FLOAT64, 0x3fd0000000000000},
        {".5", PTX_FLOAT64, 0x3fe0000000000000},
        {"3.", PTX_FLOAT64, 0x4008000000000000},
        {"0.5", PTX_FLOAT64, 0x3fe0000000000000},
        {"1.0/4", PTX_FLOAT64, 0x3fd0000000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_operand o = constant(rows[i].text);
        if (o.kind != rows[i].kind || (uint64_t)o.integer != rows[i].bits)
            fail_msg("%s: got kind %d bits %llx", rows[i].text, (int)o.kind,
                     (unsigned long long)o.integer);
    }
}

static struct ptx_module *variable(const char *text) {
    char source[400];
    snprintf(source, sizeof source, "%s\n.func f () { ret; }", text);
    return parse(source);
}

static void check_words(const char *text, const uint32_t *words, size_t n) {
    struct ptx_module *m = variable(text);
    const struct ptx_variable *v = &m->variables[0];
    assert_int_equal(v->bytes, n * 4);
    assert_non_null(v->data);
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, v->data + 4 * i, 4);
        if (word != words[i])
            fail_msg("%s: word %zu is %x, not %x", text, i, word, words[i]);
    }
    ptx_free(m);
}
#define CHECK_WORDS(text, ...)                                                 \
    check_words(text, (const uint32_t[]){__VA_ARGS__},                         \
                sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

TEST(initial_values) {
    CHECK_WORDS(".global .u32 x = 7;", 7);
    CHECK_WORDS(".global .u32 x = -1;", 0xffffffff);
    CHECK_WORDS(".global .u32 x[4] = {1, 2};", 1, 2, 0, 0);
    CHECK_WORDS(".global .u32 x[] = {1, 2, 3};", 1, 2, 3);
    CHECK_WORDS(".global .u32 x[2][3] = {{1, 2, 3}, {4}};", 1, 2, 3, 4, 0, 0);
    CHECK_WORDS(".global .u32 x[2][3] = {{1}, {4, 5}};", 1, 0, 0, 4, 5, 0);
    CHECK_WORDS(".global .u32 x[2][3] = {1, 2, 3, 4};", 1, 2, 3, 4, 0, 0);
    CHECK_WORDS(".global .u32 x[][2] = {{1}, {2, 3}};", 1, 0, 2, 3);
    CHECK_WORDS(".global .v2 .u32 x = {1, 2};", 1, 2);
    CHECK_WORDS(".global .v2 .u32 x[2] = {{1}, {3, 4}};", 1, 0, 3, 4);
    CHECK_WORDS(".const .f32 x[3] = {1.5, 0f40000000, 3};", 0x3fc00000,
                0x40000000, 0x40400000);
    CHECK_WORDS(".const .f64 x = 0.5;", 0, 0x3fe00000);
    CHECK_WORDS(".const .f64 x = 1;", 0, 0x3ff00000);
    CHECK_WORDS(".global .b8 x[8] = {1, 2, 255, -1, 0x10};", 0xffff0201, 0x10);
    CHECK_WORDS(".global .u64 x = 0x1122334455667788;", 0x55667788, 0x11223344);
    CHECK_WORDS(".global .u32 x[3] = {1, 2, };", 1, 2, 0);
}

static void check_relocation(const struct ptx_variable *v, size_t i,
                             struct ptx_relocation expected) {
    assert_true(i < v->n_relocations);
    const struct ptx_relocation *r = &v->relocations[i];
    assert_int_equal(r->offset, expected.offset);
    assert_string_equal(r->symbol, expected.symbol);
    assert_int_equal(r->addend, expected.addend);
    assert_int_equal(r->generic, expected.generic);
    assert_int_equal(r->bytes, expected.bytes);
    assert_int_equal(r->masked, expected.masked);
    assert_int_equal(r->shift, expected.shift);
}

TEST(relocations) {
    struct ptx_module *m = variable(
        ".global .u64 x[5] = {f, generic(later)+8, 9, generic(later-4)+-8,"
        "later+4*2};\n"
        ".global .b8 y[3] = {0xff(later), 0xff00(generic(later)+4),"
        "mask(0xff0000)(f)};\n"
        ".global .u32 later[4];");
    const struct ptx_variable *x = ptx_find_variable(m, "x");
    assert_int_equal(x->n_relocations, 4);
    check_relocation(x, 0, (struct ptx_relocation){.symbol = "f", .bytes = 8});
    check_relocation(x, 1,
                     (struct ptx_relocation){.offset = 8,
                                             .symbol = "later",
                                             .addend = 8,
                                             .generic = true,
                                             .bytes = 8});
    check_relocation(x, 2,
                     (struct ptx_relocation){.offset = 24,
                                             .symbol = "later",
                                             .addend = -12,
                                             .generic = true,
                                             .bytes = 8});
    check_relocation(
        x, 3,
        (struct ptx_relocation){
            .offset = 32, .symbol = "later", .addend = 8, .bytes = 8});
    assert_int_equal(x->data[16], 9);
    const struct ptx_variable *y = ptx_find_variable(m, "y");
    assert_int_equal(y->n_relocations, 3);
    check_relocation(
        y, 0,
        (struct ptx_relocation){.symbol = "later", .bytes = 1, .masked = true});
    check_relocation(y, 1,
                     (struct ptx_relocation){.offset = 1,
                                             .symbol = "later",
                                             .addend = 4,
                                             .generic = true,
                                             .bytes = 1,
                                             .masked = true,
                                             .shift = 8});
    check_relocation(y, 2,
                     (struct ptx_relocation){.offset = 2,
                                             .symbol = "f",
                                             .bytes = 1,
                                             .masked = true,
                                             .shift = 16});
    ptx_free(m);
}

TEST(attributes) {
    struct ptx_module *m =
        variable(".visible .global .attribute(.managed) .align 16 .u32 a;\n"
                 ".weak .const .u8 b;\n.common .global .v4 .f32 c[2];\n"
                 ".global .attribute(.unified(1, 2)) .u16 d, e[3];");
    const struct ptx_variable *v = ptx_find_variable(m, "a");
    assert_true(v->is_visible && v->is_managed && !v->is_weak);
    assert_int_equal(v->align, 16);
    assert_null(v->data);
    v = ptx_find_variable(m, "b");
    assert_true(v->is_weak);
    assert_int_equal(v->space, PTX_CONST);
    v = ptx_find_variable(m, "c");
    assert_true(v->is_common);
    assert_int_equal(v->bytes, 32);
    assert_int_equal(v->align, 16);
    assert_int_equal(ptx_find_variable(m, "d")->align, 2);
    assert_int_equal(ptx_find_variable(m, "e")->bytes, 6);
    assert_null(ptx_find_variable(m, "f"));
    ptx_free(m);
}

UNIT_MAIN(NULL, NULL)

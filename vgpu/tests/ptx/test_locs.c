/* SPDX-License-Identifier: MIT
 *
 * test_locs.c: from instructions to source lines, through inlined calls.
 */
#include "support.h"
#include "unit.h"

static const char text[] =
    ".entry k () {\n.reg .b32 a;\n"
    "mov.b32 a, 0;\n"
    ".loc 1 5 3\nmov.b32 a, 1;\n"
    ".loc 2 10 1, function_name $outer, inlined_at 1 5 3\nmov.b32 a, 2;\n"
    ".loc 2 20 2, function_name $inner+4, inlined_at 2 10 1\nmov.b32 a, 3;\n"
    ".loc 1 6 1\nmov.b32 a, 4;\n"
    ".loc 2 20 2, function_name $outer, inlined_at 1 6 1\nmov.b32 a, 5;\n"
    ".loc 3 1 1, function_name $missing, inlined_at 1 99 9\nmov.b32 a, 6;\n"
    "}\n.entry j () {\n.reg .b32 a;\n mov.b32 a, 7;\n"
    ".loc 1 30 1, function_name $outer, inlined_at 2 10 1\nmov.b32 a, 8;\n}\n"
    ".file 2 \"lib.h\", 12, 34\n.file 1 \"student.cu\"\n"
    ".section .debug_abbrev\n{\n.b8 1\n.b32 .debug_str\n}\n"
    ".section .debug_str\n{\n$outer:\n.b8 111,117\n.b8 116,0\n"
    "$inner:\n.b8 120,120,120,120,105,110,0\n}\n";

static const struct ptx_loc *loc(const struct ptx_module *m, uint32_t f,
                                 uint32_t i) {
    int32_t index = m->functions[f].insns[i].loc;
    return index < 0 ? NULL : &m->locs[index];
}

static void check(const struct ptx_loc *l, const char *file, uint32_t line,
                  uint32_t column, const char *function) {
    assert_non_null(l);
    assert_string_equal(l->file ? l->file : "-", file);
    assert_int_equal(l->line, line);
    assert_int_equal(l->column, column);
    assert_string_equal(l->function ? l->function : "-", function);
}

TEST(chains) {
    struct ptx_module *m = parse(text);
    assert_null(loc(m, 0, 0));
    check(loc(m, 0, 1), "student.cu", 5, 3, "-");
    assert_int_equal(loc(m, 0, 1)->inlined_at, -1);

    const struct ptx_loc *l = loc(m, 0, 3);
    check(l, "lib.h", 20, 2, "in");
    l = &m->locs[l->inlined_at];
    check(l, "lib.h", 10, 1, "out");
    assert_ptr_equal(l, loc(m, 0, 2));
    l = &m->locs[l->inlined_at];
    check(l, "student.cu", 5, 3, "-");
    assert_int_equal(l->inlined_at, -1);

    l = loc(m, 0, 5); /* the same line at another call */
    check(l, "lib.h", 20, 2, "out");
    check(&m->locs[l->inlined_at], "student.cu", 6, 1, "-");
    ptx_free(m);
}

TEST(what_is_not_known) {
    struct ptx_module *m = parse(text);
    const struct ptx_loc *l = loc(m, 0, 6); /* no such file, no such name */
    check(l, "-", 1, 1, "-");
    check(&m->locs[l->inlined_at], "student.cu", 99, 9, "-");
    ptx_free(m);
}

/* A body knows nothing of the call sites of the one before. */
TEST(bodies_are_apart) {
    struct ptx_module *m = parse(text);
    assert_null(loc(m, 1, 0));
    const struct ptx_loc *site = &m->locs[loc(m, 1, 1)->inlined_at];
    check(site, "lib.h", 10, 1, "-");
    assert_int_equal(site->inlined_at, -1);
    ptx_free(m);
}

UNIT_MAIN(NULL, NULL)

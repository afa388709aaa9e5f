/* SPDX-License-Identifier: MIT
 *
 * test_link.c: several sources into one module: names that meet, names that
 * stay apart, what cannot be.
 */
#include "support.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Both linked into the first; the test owns it. */
static struct ptx_module *link_two(const char *one, const char *two) {
    struct ptx_error e;
    struct ptx_module *a = parse(one), *b = parse(two);
    if (!ptx_link(a, b, 1, &e)) fail_msg("%s: %s", e.message, e.text);
    check_module(a);
    return a;
}

static void refused(const char *one, const char *two, const char *message,
                    const char *name) {
    struct ptx_error e;
    struct ptx_module *a = parse(one), *b = parse(two);
    assert_false(ptx_link(a, b, 1, &e));
    assert_non_null(strstr(e.message, message));
    assert_string_equal(e.text, name);
    ptx_free(a);
    ptx_free(b);
}

TEST(declarations_meet_definitions) {
    static const char uses[] =
        ".extern .global .align 4 .b8 x[4]; .extern .func f ();"
        ".visible .entry k () { .reg .b64 a; mov.u64 a, x; call.uni f, (); "
        "ret; }";
    static const char has[] = ".visible .global .align 4 .u32 x = 7;"
                              ".visible .func f () { ret; }";
    for (int swap = 0; swap < 2; swap++) {
        struct ptx_module *m = link_two(swap ? has : uses, swap ? uses : has);
        assert_int_equal(m->n_variables, 1);
        assert_int_equal(m->n_functions, 2);
        const struct ptx_variable *x = ptx_find_variable(m, "x");
        assert_false(x->is_extern);
        assert_int_equal(x->data[0], 7);
        assert_true(ptx_find_function(m, "f")->has_body);
        assert_true(ptx_find_function(m, "k")->is_entry);
        ptx_free(m);
    }
}

TEST(private_names_stay_apart) {
    static const char one[] = ".global .u32 own = 1; .func help () { ret; }";
    static const char two[] =
        ".global .u32 own = 2; .global .u64 at = generic(own);"
        ".func help () { exit; }"
        ".visible .entry k () { .reg .b32 r; .local .u32 own2; ld.global.u32 "
        "r, "
        "[own]; call.uni help, (); ret; }";
    struct ptx_module *m = link_two(one, two);
    const struct ptx_function *k = ptx_find_function(m, "k");
    const char *name = k->insns[0].operands[1].symbol;
    assert_string_equal(name, "own@1");
    assert_int_equal(ptx_find_variable(m, "own")->data[0], 1);
    assert_int_equal(ptx_find_variable(m, name)->data[0], 2);
    assert_ptr_equal(ptx_find_variable(m, name)->name, name);
    assert_ptr_equal(ptx_find_name(m, "help@1"),
                     k->insns[1].operands[0].symbol);
    assert_string_equal(ptx_find_variable(m, "at")->relocations[0].symbol,
                        name);
    assert_string_equal(k->insns[1].operands[0].symbol, "help@1");
    assert_int_equal(ptx_find_function(m, "help@1")->insns[0].op, PTX_OP_exit);
    assert_int_equal(ptx_find_function(m, "help")->insns[0].op, PTX_OP_ret);
    ptx_free(m);
}

/* A local variable hides the module's of the same name. */
TEST(locals_are_left_alone) {
    struct ptx_module *m =
        link_two(".global .u32 x = 1;",
                 ".global .u32 x = 2;"
                 ".visible .entry k () { .reg .b32 r; .local .u32 x;"
                 "ld.local.u32 r, [x]; ret; }");
    const struct ptx_function *k = ptx_find_function(m, "k");
    assert_string_equal(k->insns[0].operands[1].symbol, k->variables[0].name);
    ptx_free(m);
}

TEST(weak_ones) {
    struct ptx_module *m =
        link_two(".weak .func f () { ret; } .weak .global .u32 x = 1;"
                 ".weak .global .u32 y = 1;",
                 ".weak .func f () { exit; } .weak .global .u32 x = 2;"
                 ".visible .global .u32 y = 2;");
    assert_int_equal(ptx_find_function(m, "f")->insns[0].op, PTX_OP_ret);
    assert_int_equal(ptx_find_variable(m, "x")->data[0], 1);
    assert_int_equal(ptx_find_variable(m, "y")->data[0], 2);
    ptx_free(m);
}

TEST(what_cannot_be) {
    refused(".visible .func f () { ret; }", ".visible .func f () { ret; }",
            "defined in two sources", "f");
    refused(".visible .global .u32 x;", ".visible .global .u32 x;",
            "defined in two sources", "x");
    refused(".visible .global .u32 x;", ".extern .const .u32 x;",
            "two state spaces", "x");
}

/* Branch tables have names, and the third module meets the first two. */
TEST(tables_and_three) {
    static const char body[] =
        "{ .reg .b32 r; mov.u32 r, 0; L: .branchtargets A, B;"
        " brx.idx r, L; A: ret; B: exit; }";
    char text[3][300];
    struct ptx_error e;
    struct ptx_module *m[3];
    for (int k = 0; k < 3; k++) {
        snprintf(text[k], sizeof text[k],
                 ".global .u32 own = %d;"
                 ".visible .func f%d () %s",
                 k, k, body);
        m[k] = parse(text[k]);
    }
    assert_true(ptx_link(m[0], m[1], 1, &e));
    assert_true(ptx_link(m[0], m[2], 2, &e));
    check_module(m[0]);
    assert_int_equal(m[0]->n_target_lists, 3);
    for (int k = 0; k < 3; k++) {
        const struct ptx_function *f = &m[0]->functions[k];
        assert_string_equal(f->insns[1].operands[1].symbol,
                            m[0]->target_lists[k].name);
        assert_int_equal(
            m[0]->variables[k].data ? m[0]->variables[k].data[0] : 0, k);
    }
    ptx_free(m[0]);
}

TEST(an_alias_is_done_once) {
    struct ptx_module *m =
        link_two(".visible .func h () { .loc 1 1 1 ret; }"
                 ".file 1 \"a.cu\"",
                 ".file 1 \"b.cu\" .visible .func f () { .loc 1 5 1 ret; }"
                 ".visible .func g (); .alias g, f;");
    const struct ptx_function *f = ptx_find_function(m, "f");
    const struct ptx_function *g = ptx_find_function(m, "g");
    assert_ptr_equal(f->insns, g->insns);
    assert_string_equal(m->locs[g->insns[0].loc].file, "b.cu");
    assert_true(g->insns[0].ptx_line < 100);
    ptx_free(m);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * test_module.c: what stands around the bodies of functions: heads, parameters,
 * declarations, aliases, variables, the end of the text.
 */
#include "support.h"
#include "unit.h"

#include <string.h>

TEST(function_heads) {
    struct ptx_module *m = parse(
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n"
        ";\n.visible .entry k (.param .u64 .ptr .global .align 4 k_param_0,\n"
        ".param .align 8 .b8 k_param_1[12])\n"
        ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 40\n{ ret; }\n"
        ".weak .func stop () .noreturn { trap; }\n"
        ".entry reqs .reqntid 7, 8, 9 .explicitcluster\n"
        ".reqnctapercluster 2, 1, 1 { ret; }");
    assert_int_equal(m->n_functions, 4);
    const struct ptx_function *f = &m->functions[0];
    assert_true(f->is_extern && !f->is_entry && !f->has_body);
    assert_int_equal(f->n_params, 2);
    assert_int_equal(f->n_returns, 1);
    f = ptx_find_function(m, "k");
    assert_non_null(f);
    assert_true(f->is_entry && f->is_visible && !f->is_extern);
    assert_int_equal(f->params[0].bytes, 8);
    assert_int_equal(f->params[0].align, 8);
    assert_int_equal(f->params[1].bytes, 12);
    assert_int_equal(f->params[1].align, 8);
    assert_int_equal(f->max_threads[0], 128);
    assert_int_equal(f->max_threads[1], 2);
    assert_int_equal(f->max_threads[2], 1);
    assert_int_equal(f->min_blocks, 3);
    assert_int_equal(f->max_registers, 40);
    assert_int_equal(f->required_threads[0], 0);
    assert_int_equal(f->ptx_line, 6);
    assert_true(m->functions[2].is_noreturn && m->functions[2].is_weak);
    assert_int_equal(m->functions[3].required_threads[2], 9);
    assert_null(ptx_find_function(m, "nobody"));
    ptx_free(m);
}

TEST(register_parameters) {
    struct ptx_module *m = parse(".func (.reg .u32 out) f (.reg .u32 in)\n"
                                 "{ add.u32 out, in, 1; ret; }");
    assert_int_equal(m->functions[0].params[0].space, PTX_REG);
    const struct ptx_operand *o = insn(m, 0)->operands;
    assert_string_equal(register_name(m, o[0].reg), "out");
    assert_string_equal(register_name(m, o[1].reg), "in");
    ptx_free(m);
}

TEST(definition_replaces_declaration) {
    struct ptx_module *m =
        parse(".extern .func f (.param .b32 a);\n.extern .global .u32 g;\n"
              ".func f (.param .b32 a) { ret; }\n.global .u32 g = 3;\n"
              ".func f (.param .b32 a);");
    assert_int_equal(m->n_functions, 1);
    assert_true(m->functions[0].has_body);
    assert_false(m->functions[0].is_extern);
    assert_int_equal(m->n_variables, 1);
    assert_false(m->variables[0].is_extern);
    assert_non_null(m->variables[0].data);
    ptx_free(m);
}

TEST(aliases) {
    struct ptx_module *m = parse(".func a ();\n.func b () { ret; }\n"
                                 ".alias a, b;");
    const struct ptx_function *a = ptx_find_function(m, "a");
    assert_non_null(a);
    assert_string_equal(a->name, "a");
    assert_int_equal(a->n_insns, 1);
    ptx_free(m);
}

TEST(variables_of_a_body) {
    struct ptx_module *m = parse(".extern .shared .align 16 .b8 x[];\n"
                                 ".func f () { .shared .align 8 .b8 tile[64];\n"
                                 ".local .b64 l; .reg .b32 a;\n"
                                 "{ .shared .b32 x; ld.shared.b32 a, [x]; }\n"
                                 "ld.shared.b32 a, [x]; }");
    const struct ptx_function *f = &m->functions[0];
    assert_int_equal(f->n_variables, 3);
    assert_int_equal(f->variables[0].bytes, 64);
    assert_int_equal(f->variables[0].align, 8);
    assert_int_equal(f->variables[0].space, PTX_SHARED);
    assert_int_equal(f->variables[1].space, PTX_LOCAL);
    assert_string_equal(insn(m, 0)->operands[1].symbol, f->variables[2].name);
    assert_string_equal(insn(m, 1)->operands[1].symbol, "x");
    assert_string_not_equal(f->variables[2].name, "x");
    assert_true(m->variables[0].is_extern);
    assert_int_equal(m->variables[0].bytes, 0);
    assert_int_equal(m->variables[0].align, 16);
    ptx_free(m);
}

TEST(text_may_end_anywhere) {
    static const char text[] = HEADER ".func f () { ret; } garbage";
    struct ptx_error error;
    struct ptx_module *m =
        ptx_parse(text, sizeof text - 1 - strlen(" garbage"), &error);
    assert_non_null(m);
    assert_int_equal(m->version_major, 9);
    assert_int_equal(m->version_minor, 0);
    assert_int_equal(m->target_sm, 75);
    assert_int_equal(m->address_size, 64);
    ptx_free(m);
    ptx_free(NULL);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * test_parse.c: the constructs of a function body, one at a time.
 */
#include "support.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static void check_address(const char *text, int64_t offset) {
    char body[200];
    snprintf(body, sizeof body, ".reg .b64 %%r27; ld.b64 %%r27, %s;", text);
    struct ptx_module *m = parse_body(body);
    const struct ptx_operand *o = &insn(m, 0)->operands[1];
    assert_int_equal(o->kind, PTX_ADDRESS);
    assert_int_equal(o->integer, offset);
    assert_int_equal(o->reg, strchr(text, '%') ? 0 : -1);
    ptx_free(m);
}

TEST(addresses) {
    check_address("[%r27+-4]", -4);
    check_address("[%r27-4]", -4);
    check_address("[ %r27 + 4*2 ]", 8);
    check_address("[%r27]", 0);
    check_address("[64]", 64);
}

TEST(symbol_addresses) {
    struct ptx_module *m = parse(".global .b32 g[9];\n.func f () {"
                                 ".reg .b32 a; .reg .b64 b;"
                                 "ld.global.b32 a, [g+4*2];"
                                 "mov.b64 b, g+4; mov.b64 b, f;}");
    const struct ptx_operand *o = &insn(m, 0)->operands[1];
    assert_int_equal(o->kind, PTX_ADDRESS);
    assert_string_equal(o->symbol, "g");
    assert_int_equal(o->integer, 8);
    assert_int_equal(o->reg, -1);
    o = &insn(m, 1)->operands[1];
    assert_int_equal(o->kind, PTX_SYMBOL);
    assert_string_equal(o->symbol, "g");
    assert_int_equal(o->integer, 4);
    assert_string_equal(insn(m, 2)->operands[1].symbol, "f");
    ptx_free(m);
}

TEST(forms_and_modifiers) {
    struct ptx_module *m = parse_body(".reg .b32 %r<5>; .reg .b64 %rd1;\n"
                                      "ld.shared::cta.v2.u32 {%r1,%r2}, "
                                      "[%rd1];\nret;");
    const struct ptx_insn *ld = insn(m, 0);
    assert_int_equal(ld->op, PTX_OP_ld);
    assert_string_equal(ld->form, "ld.shared::cta.v2.u32");
    assert_int_equal(ld->typed->n_words, 3);
    assert_int_equal(ld->typed->space, PTX_SHARED);
    assert_true(ptx_has(ld->typed, PTX_MOD_SHARED_CTA));
    assert_int_equal(ld->typed->vector, 2);
    assert_int_equal(ptx_type_at(ld->typed, 0), PTX_U32);
    assert_int_equal(ptx_type_at(ld->typed, 1), PTX_NONE);
    assert_int_equal(ld->ptx_line, 6);
    assert_int_equal(ld->guard, -1);
    assert_int_equal(ld->loc, -1);
    const struct ptx_insn *ret = insn(m, 1);
    assert_string_equal(ret->form, "ret");
    assert_int_equal(ret->typed->n_words, 0);
    assert_int_equal(ret->n_operands, 0);
    ptx_free(m);
}

TEST(guards) {
    struct ptx_module *m = parse_body(".reg .pred %p<3>; @%p1 ret; @!%p2 exit;"
                                      "exit;");
    assert_string_equal(register_name(m, insn(m, 0)->guard), "%p1");
    assert_false(insn(m, 0)->guard_negated);
    assert_string_equal(register_name(m, insn(m, 1)->guard), "%p2");
    assert_true(insn(m, 1)->guard_negated);
    assert_int_equal(insn(m, 2)->guard, -1);
    ptx_free(m);
}

TEST(two_destinations) {
    struct ptx_module *m =
        parse_body(".reg .pred %p<4>; .reg .b32 %r<4>;"
                   "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;"
                   "shfl.sync.up.b32 %r3|%p1, %r1, 1, 0x0, 0xffffffffU;"
                   "setp.eq.s32 _|%p2, %r1, 0; setp.eq.s32 %p1|_, %r1, 0;");
    const struct ptx_operand *o = insn(m, 0)->operands;
    assert_string_equal(register_name(m, o[0].reg), "%p1");
    assert_string_equal(register_name(m, o[0].second), "%p2");
    assert_int_equal(o[1].second, -1);
    assert_true(o[3].negated);
    assert_string_equal(register_name(m, o[3].reg), "%p3");
    o = insn(m, 1)->operands;
    assert_string_equal(register_name(m, o[0].second), "%p1");
    assert_int_equal(o[4].integer, 0xffffffff);
    assert_int_equal(insn(m, 1)->n_operands, 5);
    assert_int_equal(insn(m, 2)->operands[0].kind, PTX_SINK);
    assert_string_equal(register_name(m, insn(m, 2)->operands[0].second),
                        "%p2");
    assert_int_equal(insn(m, 3)->operands[0].second, -1);
    ptx_free(m);
}

TEST(vectors) {
    struct ptx_module *m =
        parse_body(".reg .b32 %r<4>; .reg .b64 %rd1;"
                   "ld.global.v4.u32 {%r1, _, %r3, 7}, [%rd1];"
                   "mov.b64 {%r1,%r2}, %rd1;");
    const struct ptx_operand *v = &insn(m, 0)->operands[0];
    assert_int_equal(v->kind, PTX_VECTOR);
    assert_int_equal(v->n_items, 4);
    assert_string_equal(register_name(m, v->items[0].reg), "%r1");
    assert_int_equal(v->items[1].kind, PTX_SINK);
    assert_int_equal(v->items[3].kind, PTX_INTEGER);
    assert_int_equal(insn(m, 1)->operands[0].n_items, 2);
    assert_int_equal(insn(m, 1)->operands[1].kind, PTX_REGISTER);
    ptx_free(m);
}

/* Each kind of word lands in its field, whatever the order. */
TEST(forms_are_typed) {
    struct ptx_form f, g;
    assert_true(ptx_read_form("atom.acq_rel.gpu.global.add.f32", &f));
    assert_int_equal(f.op, PTX_OP_atom);
    assert_int_equal(f.order, ORDER_ACQ_REL);
    assert_int_equal(f.space, PTX_GLOBAL);
    assert_int_equal(f.operation, ATOMIC_ADD);
    assert_true(ptx_given(&f, PTX_CLASS_OPERATION));
    assert_false(ptx_given(&f, PTX_CLASS_VECTOR));
    assert_true(ptx_read_form("atom.add.global.gpu.f32.acq_rel", &g));
    assert_memory_equal(f.has, g.has, sizeof f.has);
    assert_memory_equal(f.values, g.values, sizeof f.values);
    assert_true(ptx_read_form("cvt.rn.f16.s32", &f));
    assert_int_equal(ptx_type_at(&f, 0), PTX_S32);
    assert_int_equal(ptx_type_at(&f, 1), PTX_F16);
    assert_true(ptx_read_form("cp.async.bulk.global.shared::cta", &f));
    assert_int_equal(f.n_spaces, 2);
    assert_int_equal(f.spaces[0], PTX_GLOBAL);
    assert_int_equal(f.spaces[1], PTX_SHARED);
    assert_false(ptx_read_form("addition.f32", &f));
    assert_false(ptx_read_form("", &f));
}

/* The word that is too much is named. */
TEST(modifiers_are_refused_by_name) {
    static const char *const forms[][2] = {
        {"ld.global.v4.u32", NULL},
        {"ld.relaxed.sys.global.nc.L1::no_allocate.L2::128B.v2.f32", NULL},
        {"call.uni", NULL},
        {"brx.idx.uni", NULL},
        {"prefetch.what.is.this", NULL},
        {"mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64", NULL},
        {"ld.global.sync.u32", "sync"},
        {"ld.relaxed.gpu.acquire.u32", "acquire"},
        {"ld.global.shared.u32", "shared"},
        {"ld.nc.global.nc.u32", "nc"},
        {"st.async.shared::cluster.u32", "async"},
        {"atom.add.or.b32", "or"},
        {"shfl.sync.up.b32.nonsense", "nonsense"},
        {"bar.sync.u32.u32.u32.u32.u32", "u32"}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        struct ptx_form f;
        size_t length = 0;
        assert_true(ptx_read_form(forms[k][0], &f));
        const char *word = ptx_refused(&f, &length);
        if (!forms[k][1]) {
            assert_null(word);
            continue;
        }
        assert_non_null(word);
        assert_int_equal(length, strlen(forms[k][1]));
        assert_memory_equal(word, forms[k][1], length);
    }
}

TEST(special_registers) {
    struct ptx_module *m =
        parse_body(".reg .b32 %r<4>; mov.u32 %r1, %tid.x; mov.u32 %r1, %laneid;"
                   "mov.u32 %r1, %envreg2; mov.u32 %r1, %lanemask_lt;"
                   "mov.u32 %r1, %envreg31; mov.u32 %r1, %tid.w;"
                   "mov.u32 %r1, %tid; mov.u32 %r1, %pm7_64;");
    static const struct {
        const char *name;
        enum ptx_sreg special;
    } list[] = {
        {"%tid.x", PTX_SREG_TID_X},      {"%laneid", PTX_SREG_LANEID},
        {"%envreg2", PTX_SREG_ENVREG2},  {"%lanemask_lt", PTX_SREG_LANEMASK_LT},
        {"%envreg31", PTX_SREG_ENVREG0}, {"%tid.w", PTX_SREG_NONE},
        {"%tid", PTX_SREG_NONE},         {"%pm7_64", PTX_SREG_NONE}};
    for (uint32_t i = 0; i < sizeof list / sizeof *list; i++) {
        const struct ptx_operand *o = &insn(m, i)->operands[1];
        assert_int_equal(o->kind, PTX_SPECIAL);
        assert_string_equal(o->symbol, list[i].name);
        assert_int_equal(o->special, list[i].special);
    }
    ptx_free(m);
}

/* Inline assembly opens scopes whose registers hide those outside. */
TEST(scopes_hide_registers) {
    struct ptx_module *m =
        parse_body(".reg .pred p; .reg .b32 %r<9>;\n"
                   "setp.eq.u32 p, %r1, 0;\n"
                   "{ .reg .pred p; .reg .b32 %r<2>; setp.eq.u32 p, %r1, 1;\n"
                   "  { .reg .pred p; setp.eq.u32 p, %r1, 2; }\n"
                   "  setp.eq.u32 p, %r5, 3; }\n"
                   "setp.eq.u32 p, %r1, 4;");
    int32_t p[5], r[5];
    for (uint32_t i = 0; i < 5; i++) {
        p[i] = insn(m, i)->operands[0].reg;
        r[i] = insn(m, i)->operands[1].reg;
    }
    assert_int_equal(p[0], p[4]);
    assert_int_equal(p[1], p[3]);
    assert_int_not_equal(p[0], p[1]);
    assert_int_not_equal(p[1], p[2]);
    assert_int_not_equal(p[0], p[2]);
    assert_int_equal(r[0], r[4]);
    assert_int_equal(r[1], r[2]);
    assert_int_not_equal(r[0], r[1]);
    assert_string_equal(register_name(m, r[3]), "%r5"); /* the outer range */
    assert_string_not_equal(register_name(m, p[0]), register_name(m, p[1]));
    assert_int_equal(m->functions[0].registers[p[2]].type, PTX_PRED);
    ptx_free(m);
}

/* A declared range costs nothing until its registers are used. */
TEST(register_ranges) {
    struct ptx_module *m = parse_body(".reg .b32 %r<2000000000>, other;\n"
                                      "mov.b32 %r1999999999, other;");
    assert_int_equal(m->functions[0].n_registers, 2);
    assert_int_equal(m->functions[0].registers[0].type, PTX_B32);
    ptx_free(m);
}

TEST(labels) {
    struct ptx_module *m =
        parse_body(".reg .pred %p<2>;\n"
                   "Again: @%p1 bra.uni Done;\n"
                   "{ @%p1 bra Out; bra Again; Out: }\n"
                   "{ bra Out; Out: exit; }\n"
                   "{ { bra Out; } Out: }\n"
                   "exit : bra exit; bra ret; ret: bra Done;\n"
                   "Done:");
    assert_int_equal(insn(m, 0)->operands[0].kind, PTX_LABEL);
    assert_int_equal(m->functions[0].n_insns, 9);
    assert_int_equal(insn(m, 0)->operands[0].target, 9); /* past the end */
    assert_int_equal(insn(m, 1)->operands[0].target, 3);
    assert_int_equal(insn(m, 2)->operands[0].target, 0);
    assert_int_equal(insn(m, 3)->operands[0].target, 4);
    assert_int_equal(insn(m, 4)->op, PTX_OP_exit);
    assert_int_equal(insn(m, 5)->operands[0].target, 6);
    assert_int_equal(insn(m, 6)->operands[0].target, 6);
    assert_int_equal(insn(m, 7)->operands[0].target, 8);
    assert_int_equal(insn(m, 8)->operands[0].target, 9);
    ptx_free(m);
}

/* A label of an inner scope hides one outside, even before it stands. */
TEST(inner_label_wins) {
    struct ptx_module *m = parse_body("L: exit; { bra L; L: } bra L;");
    assert_int_equal(insn(m, 1)->operands[0].target, 2);
    assert_int_equal(insn(m, 2)->operands[0].target, 0);
    ptx_free(m);
}

TEST(calls) {
    struct ptx_module *m =
        parse(".func f () { .reg .b64 %rd1;\n"
              "{ .param .b32 p; .param .b32 r; call.uni (r), g, (p); }\n"
              "{ .param .b32 p; .param .b32 r;\n"
              "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
              "call (r), %rd1, (p), proto; }\n"
              "{ proto: .callprototype _ (); call %rd1, proto; }\n"
              "call h; }\n"
              ".func (.param .b32 r) g (.param .b32 p) { ret; }\n"
              ".func h { ret; }");
    const struct ptx_insn *call = insn(m, 0);
    assert_int_equal(call->n_operands, 3);
    assert_int_equal(call->operands[0].kind, PTX_VECTOR);
    assert_string_equal(call->operands[0].items[0].symbol, "r");
    assert_string_equal(call->operands[1].symbol, "g");
    assert_string_equal(call->operands[2].items[0].symbol, "p");
    const struct ptx_insn *second = insn(m, 1);
    assert_int_equal(second->n_operands, 4);
    assert_int_equal(second->operands[1].kind, PTX_REGISTER);
    const char *renamed = second->operands[2].items[0].symbol;
    assert_string_not_equal(renamed, "p"); /* the first call has that one */
    bool found = false;
    for (uint32_t i = 0; i < m->functions[0].n_variables; i++)
        found |= !strcmp(m->functions[0].variables[i].name, renamed);
    assert_true(found);
    assert_int_equal(m->n_prototypes, 2);
    assert_string_equal(second->operands[3].symbol, m->prototypes[0].name);
    assert_string_equal(insn(m, 2)->operands[1].symbol, m->prototypes[1].name);
    assert_string_not_equal(m->prototypes[0].name, m->prototypes[1].name);
    assert_int_equal(m->prototypes[0].n_params, 1);
    assert_int_equal(m->prototypes[1].n_params, 0);
    assert_int_equal(insn(m, 3)->n_operands, 1);
    ptx_free(m);
}

TEST(branch_targets) {
    struct ptx_module *m = parse_body(
        ".reg .b32 %r1;\nts: .branchtargets B, A, B;\nbrx.idx %r1, ts;\n"
        "A: exit;\nB: exit;\nct: .calltargets f;\n");
    assert_int_equal(m->n_target_lists, 2);
    const struct ptx_target_list *list = &m->target_lists[0];
    assert_string_equal(insn(m, 0)->operands[1].symbol, list->name);
    assert_int_equal(list->n, 3);
    assert_int_equal(list->targets[0], 2);
    assert_int_equal(list->targets[1], 1);
    assert_int_equal(list->targets[2], 2);
    assert_null(m->target_lists[1].targets);
    assert_string_equal(m->target_lists[1].symbols[0], "f");
    ptx_free(m);
}

TEST(carriage_returns_and_comments) {
    struct ptx_module *m =
        parse_body("/* a\r\n b */ .reg .b32 a; // c\r\nmov.b32 a,\r\n1 ;"
                   "ret /* ; */ ;\r\n// last");
    assert_int_equal(m->functions[0].n_insns, 2);
    assert_int_equal(insn(m, 1)->ptx_line, 8);
    ptx_free(m);
}

TEST(unsupported_opcodes_parse) {
    struct ptx_module *m = parse(
        ".global .texref t;\n.func f () { .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
        "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2}];\n"
        "vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;\n"
        "wgmma.mma_async.sync {%f1}, %r1, %r2, 1, 1, 1, 0, 1; }");
    assert_int_equal(insn(m, 0)->operands[1].n_items, 1);
    assert_int_equal(insn(m, 0)->operands[1].items[0].kind, PTX_VECTOR);
    assert_int_equal(insn(m, 1)->operands[1].parts.size, 'b');
    assert_int_equal(insn(m, 1)->operands[2].parts.at[0], 1);
    assert_int_equal(insn(m, 2)->n_operands, PTX_MAX_OPERANDS);
    assert_int_equal(ptx_op_family(insn(m, 2)->op), PTX_FAMILY_NONE);
    ptx_free(m);
}

TEST(vmad_negates_registers) {
    struct ptx_module *m = parse(".func f () { .reg .b32 %r<9>;\n"
                                 "vmad.s32.s32.s32 %r1, -%r2.h0, %r3, %r4;\n"
                                 "vmad.s32.s32.s32 %r1, %r2, -3, -%r4; }");
    assert_true(insn(m, 0)->operands[1].negated);
    assert_int_equal(insn(m, 0)->operands[1].parts.size, 'h');
    assert_false(insn(m, 0)->operands[3].negated);
    assert_int_equal(insn(m, 1)->operands[2].integer, -3);
    assert_true(insn(m, 1)->operands[3].negated);
    ptx_free(m);
}

UNIT_MAIN(NULL, NULL)

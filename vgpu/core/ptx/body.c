/* SPDX-License-Identifier: MIT
 *
 * body.c: the statements of a function (PTX ISA 4.3, 9.1).
 *
 * How to read this: one loop, no recursion; "{" and "}" open and close scopes
 * until the function's own closes. A statement is a directive, a label, or an
 * instruction with an optional guard. Instructions are collected in a list that
 * serves all bodies in turn and copied to the arena when the body ends.
 */
#include "parser.h"

#include <string.h>

/* Reads "ld.global.v4.u32" once per module. */
static struct ptx_form *parse_form(struct ptx_parser *p,
                                   const struct ptx_token *token) {
    const struct ptx_name *name = token->name;
    struct ptx_form form;
    if (!ptx_read_form(name->text, &form) ||
        ptx_op_family(form.op) == PTX_FAMILY_MADE)
        ptx_fail(p, token->start, "unknown instruction '%.*s'",
                 (int)(name->length < 100 ? name->length : 100), name->text);
    if (form.n_words > PTX_MAX_MODIFIERS)
        ptx_fail(p, token->start, "more than %d modifiers", PTX_MAX_MODIFIERS);
    struct ptx_form *kept = ptx_take(p, sizeof *kept);
    *kept = form;
    return kept;
}

static void parse_guard(struct ptx_parser *p, struct ptx_insn *insn) {
    insn->guard = -1;
    if (!ptx_accept(p, '@')) return;
    insn->guard_negated = ptx_accept(p, '!');
    insn->guard = ptx_expect_register(p, "a predicate after '@'");
}

/* The token is the instruction's word, already with its modifiers. */
static void parse_instruction(struct ptx_parser *p, struct ptx_insn *insn) {
    struct ptx_token token = p->token;
    struct ptx_name *name = token.name;
    if (!name->form) name->form = parse_form(p, &token);
    insn->op = name->form->op;
    insn->form = name->text;
    insn->typed = name->form;
    insn->loc = p->body.loc;
    insn->ptx_line = token.line;
    ptx_next(p);
    ptx_parse_operands(p, insn);
    ptx_expect(p, ';', "';'");
    struct ptx_insn *added = ptx_list_add(p, &p->body.insns, sizeof *added);
    *added = *insn;
}

static void parse_label(struct ptx_parser *p, const struct ptx_token *token) {
    ptx_next(p); /* the colon */
    if (ptx_is_keyword(p, PTX_KEY_CALLPROTOTYPE)) {
        ptx_parse_prototype(p, token->name);
        return;
    }
    if (ptx_is_keyword(p, PTX_KEY_BRANCHTARGETS) ||
        ptx_is_keyword(p, PTX_KEY_CALLTARGETS)) {
        ptx_parse_target_list(p, token->name);
        return;
    }
    struct ptx_binding *label =
        ptx_bind(p, token->name, PTX_BIND_LABEL, token->start);
    label->index = (uint32_t)p->body.insns.n;
}

/* A colon after the word, "::" excepted: even "exit:" is a label then. */
static bool is_label(const struct ptx_parser *p) {
    const char *c = p->at + strspn(p->at, " \t");
    return *c == ':' && c[1] != ':';
}

static void parse_word(struct ptx_parser *p) {
    ptx_extend_form(p);
    if (is_label(p)) {
        struct ptx_token label = p->token;
        ptx_next(p);
        parse_label(p, &label);
        return;
    }
    struct ptx_insn insn = {.guard = -1};
    parse_instruction(p, &insn);
}

static void parse_guarded(struct ptx_parser *p) {
    struct ptx_insn insn = {0};
    parse_guard(p, &insn);
    if (p->token.kind != PTX_TOKEN_WORD) ptx_fail_expected(p, "an instruction");
    ptx_extend_form(p);
    parse_instruction(p, &insn);
}

static void parse_directive(struct ptx_parser *p) {
    switch (p->token.name->keyword) {
    case PTX_KEY_REG: ptx_parse_registers(p); break;
    case PTX_KEY_SPACE: ptx_parse_body_variables(p); break;
    case PTX_KEY_LOC: ptx_parse_loc(p); break;
    case PTX_KEY_FILE: ptx_parse_file(p); break;
    case PTX_KEY_PRAGMA: ptx_skip_to_semicolon(p); break;
    default: ptx_fail_expected(p, "a statement");
    }
}

static void parse_statement(struct ptx_parser *p) {
    switch (p->token.kind) {
    case '{':
        ptx_scope_open(p);
        ptx_next(p);
        break;
    case '}':
        ptx_scope_close(p);
        ptx_next(p);
        break;
    case '@': parse_guarded(p); break;
    case ';': ptx_next(p); break;
    case PTX_TOKEN_WORD: parse_word(p); break;
    case PTX_TOKEN_DOT_WORD: parse_directive(p); break;
    default: ptx_fail_expected(p, "a statement or '}'");
    }
}

static void body_begin(struct ptx_parser *p, const struct ptx_function *f) {
    struct ptx_body *body = &p->body;
    body->serial++;
    body->n_renamed = 0;
    body->n_inner_ranges = 0;
    body->loc = -1;
    ptx_scope_open(p);
    const struct ptx_variable *lists[] = {f->returns, f->params};
    const uint32_t counts[] = {f->n_returns, f->n_params};
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < counts[l]; i++) {
            const struct ptx_variable *v = &lists[l][i];
            struct ptx_name *name = ptx_intern(p, v->name, strlen(v->name));
            if (v->space == PTX_REG)
                ptx_bind_register(p, name, v->type, p->token.start);
            else
                ptx_bind(p, name, PTX_BIND_VARIABLE, p->token.start)->symbol =
                    ptx_unique(p, name);
        }
}

void ptx_parse_body(struct ptx_parser *p, uint32_t function) {
    const char *at = p->token.start;
    struct ptx_body *body = &p->body;
    struct ptx_function *functions = p->functions.items;
    body_begin(p, &functions[function]);
    ptx_expect(p, '{', "'{'");
    while (body->n_scopes) {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail(p, at, "this function body does not end");
        parse_statement(p);
    }
    struct ptx_function *f = &functions[function];
    f->insns =
        ptx_list_take(p, &body->insns, sizeof(struct ptx_insn), &f->n_insns);
    f->registers = ptx_list_take(p, &body->registers,
                                 sizeof(struct ptx_register), &f->n_registers);
    f->variables = ptx_list_take(p, &body->variables,
                                 sizeof(struct ptx_variable), &f->n_variables);
}

/* SPDX-License-Identifier: MIT
 *
 * operand.c: the operands of an instruction (PTX ISA 6).
 *
 * How to read this: an operand is decided by its first token: "[" an address,
 * "{" (and "(" in a call) a list, "!" a negated predicate, "-" one of vmad's, a
 * word a register, special register or symbol, anything else a constant
 * expression. A word that nobody knows yet may be a label; it waits (see
 * scope.c).
 */
#include "parser.h"

#include <string.h>

static const struct ptx_operand nothing = {.reg = -1, .second = -1};

static struct ptx_operand parse_operand(struct ptx_parser *, bool is_call,
                                        struct ptx_pending *);

static bool is_register_like(const struct ptx_name *name) {
    return name->text[0] == '%';
}

static _Noreturn void fail_undefined(struct ptx_parser *p,
                                     const struct ptx_token *token) {
    const char *what = is_register_like(token->name) ? "register" : "symbol";
    ptx_fail(p, token->start, "undefined %s '%s'", what, token->name->text);
}

int32_t ptx_expect_register(struct ptx_parser *p, const char *what) {
    struct ptx_token token = p->token;
    struct ptx_name *name = ptx_expect_word(p, what);
    struct ptx_binding *binding = ptx_resolve(p, name);
    if (!binding)
        ptx_fail(p, token.start, "undefined register '%s'", name->text);
    if (binding->kind != PTX_BIND_REGISTER)
        ptx_fail(p, token.start, "'%s' is not a register", name->text);
    return (int32_t)binding->index;
}

/* "%tid.x": the whole text as a name; the word is the current token. */
static struct ptx_operand parse_special(struct ptx_parser *p) {
    struct ptx_operand operand = nothing;
    struct ptx_name *name = p->token.name;
    if (*p->at == '.') {
        ptx_extend_form(p);
        name = p->token.name;
    }
    operand.kind = PTX_SPECIAL;
    operand.symbol = name->text;
    operand.special = (enum ptx_sreg)name->special;
    ptx_next(p);
    return operand;
}

/* Marks a module symbol as used, so that no later local takes its name. */
static void use_symbol(struct ptx_parser *p, struct ptx_name *name) {
    name->owner = p->body.serial;
}

/* "%r2.b0", "%r2.h1": a part of a register, video instructions only. */
static void parse_selector(struct ptx_parser *p, struct ptx_operand *operand) {
    if (operand->kind != PTX_REGISTER || p->token.kind != PTX_TOKEN_DOT_WORD)
        return;
    const char *text = p->token.name->text + 1;
    struct ptx_parts parts = {.size = *text};
    while (*++text >= '0' && *text <= '9' && parts.n < PTX_MAX_PARTS)
        parts.at[parts.n++] = (uint8_t)(*text - '0');
    if ((parts.size != 'b' && parts.size != 'h') || !parts.n || *text)
        ptx_fail(p, p->token.start, "'%s' is not a part of a register",
                 p->token.name->text);
    operand->parts = parts;
    ptx_next(p);
}

static struct ptx_operand parse_word(struct ptx_parser *p,
                                     struct ptx_pending *pending) {
    struct ptx_token token = p->token;
    struct ptx_operand operand = nothing;
    struct ptx_binding *binding = ptx_resolve(p, token.name);
    if (!binding && token.name->is_special) return parse_special(p);
    if (!binding && is_register_like(token.name)) fail_undefined(p, &token);
    if (!binding && strcmp(token.name->text, "_") == 0) {
        ptx_next(p);
        operand.kind = PTX_SINK;
        return operand;
    }
    ptx_next(p);
    operand.kind = PTX_SYMBOL;
    operand.symbol = token.name->text;
    if (binding && binding->kind == PTX_BIND_REGISTER) {
        operand.kind = PTX_REGISTER;
        operand.reg = (int32_t)binding->index;
        operand.symbol = NULL;
        parse_selector(p, &operand);
        return operand;
    }
    if (binding && binding->kind != PTX_BIND_LABEL) {
        operand.symbol = binding->symbol;
    } else if (!binding && (token.name->variable || token.name->function)) {
        use_symbol(p, token.name);
    } else {
        pending->name = token.name;
        pending->at = token.start;
    }
    if (p->token.kind == '+' || p->token.kind == '-')
        operand.integer = ptx_parse_integer_expression(p);
    return operand;
}

static struct ptx_operand parse_constant(struct ptx_parser *p) {
    struct ptx_value value = ptx_parse_expression(p);
    struct ptx_operand operand = nothing;
    operand.kind = value.kind == PTX_TOKEN_INTEGER   ? PTX_INTEGER
                   : value.kind == PTX_TOKEN_FLOAT32 ? PTX_FLOAT32
                                                     : PTX_FLOAT64;
    operand.integer = (int64_t)value.bits;
    return operand;
}

/* Items up to the closing bracket, into the arena. Items nest once: a list in a
 * list (no instruction has one) is refused. */
static struct ptx_operand parse_list(struct ptx_parser *p, int close,
                                     const char *what) {
    struct ptx_operand list = nothing;
    list.kind = PTX_VECTOR;
    p->operands.n = 0;
    ptx_next(p);
    while (p->token.kind != close) {
        struct ptx_pending pending = {0};
        if (p->token.kind == '{' || p->token.kind == '[')
            ptx_fail_expected(p, "a register or constant");
        struct ptx_operand item = parse_operand(p, false, &pending);
        if (pending.name)
            ptx_fail(p, pending.at, "undefined symbol '%s'",
                     pending.name->text);
        struct ptx_operand *added =
            ptx_list_add(p, &p->operands, sizeof *added);
        *added = item;
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, close, what);
    list.items = ptx_list_take(p, &p->operands, sizeof(struct ptx_operand),
                               &list.n_items);
    return list;
}

/* Base of an address: register, symbol or nothing. */
static void parse_base(struct ptx_parser *p, struct ptx_operand *address,
                       struct ptx_pending *pending) {
    struct ptx_token token = p->token;
    if (token.kind != PTX_TOKEN_WORD) return;
    struct ptx_operand base = parse_word(p, pending);
    if (base.kind != PTX_REGISTER && base.kind != PTX_SYMBOL)
        ptx_fail(p, token.start, "'%s' cannot be an address", token.name->text);
    address->reg = base.reg;
    address->symbol = base.symbol;
    address->integer = base.integer;
}

/* Textures and tensors have more between the brackets: "[t, {x, y}]". */
static void parse_coordinates(struct ptx_parser *p,
                              struct ptx_operand *address) {
    struct ptx_operand items[4];
    uint32_t n = 0;
    while (ptx_accept(p, ',')) {
        struct ptx_pending pending = {0};
        if (n == 4) ptx_fail_expected(p, "']'");
        items[n++] = parse_operand(p, false, &pending);
        if (pending.name)
            ptx_fail(p, pending.at, "undefined symbol '%s'",
                     pending.name->text);
    }
    if (!n) return;
    address->items = ptx_take_array(p, n, sizeof *items);
    address->n_items = n;
    memcpy(address->items, items, n * sizeof *items);
}

static struct ptx_operand parse_address(struct ptx_parser *p,
                                        struct ptx_pending *pending) {
    struct ptx_operand address = nothing;
    address.kind = PTX_ADDRESS;
    ptx_next(p);
    bool has_base = p->token.kind == PTX_TOKEN_WORD;
    parse_base(p, &address, pending);
    bool has_offset = p->token.kind == '+' || p->token.kind == '-';
    if (!has_base || has_offset)
        address.integer = (int64_t)((uint64_t)address.integer +
                                    (uint64_t)ptx_parse_integer_expression(p));
    parse_coordinates(p, &address);
    ptx_expect(p, ']', "']'");
    return address;
}

static struct ptx_operand parse_negated(struct ptx_parser *p) {
    const char *at = p->token.start;
    ptx_next(p);
    struct ptx_operand operand = nothing;
    if (p->token.kind == PTX_TOKEN_WORD) {
        operand.kind = PTX_REGISTER;
        operand.negated = true;
        operand.reg = ptx_expect_register(p, "a predicate");
        return operand;
    }
    struct ptx_value value = ptx_parse_expression(p);
    if (value.kind != PTX_TOKEN_INTEGER)
        ptx_fail(p, at, "'!' before a real number");
    operand.kind = PTX_INTEGER;
    operand.integer = !value.bits;
    return operand;
}

/* "d|p": the second destination. */
static void parse_second(struct ptx_parser *p, struct ptx_operand *operand) {
    if (!ptx_accept(p, '|')) return;
    if (p->token.kind == PTX_TOKEN_WORD &&
        strcmp(p->token.name->text, "_") == 0)
        ptx_next(p);
    else
        operand->second = ptx_expect_register(p, "a register after '|'");
}

static struct ptx_operand parse_operand(struct ptx_parser *p, bool is_call,
                                        struct ptx_pending *pending) {
    struct ptx_operand operand;
    switch (p->token.kind) {
    case '[': return parse_address(p, pending);
    case '!': return parse_negated(p);
    case '{': operand = parse_list(p, '}', "'}'"); break;
    case '(':
        if (is_call) return parse_list(p, ')', "')'");
        return parse_constant(p);
    case PTX_TOKEN_WORD:
        if (strcmp(p->token.name->text, "WARP_SZ") == 0)
            return parse_constant(p);
        operand = parse_word(p, pending);
        break;
    default: return parse_constant(p);
    }
    parse_second(p, &operand);
    return operand;
}

/* "-%r2.h0" of vmad, the one instruction that negates what is no predicate. */
static struct ptx_operand parse_minus(struct ptx_parser *p) {
    struct ptx_pending none = {0};
    ptx_next(p);
    if (p->token.kind != PTX_TOKEN_WORD) {
        struct ptx_operand literal = parse_constant(p);
        literal.integer = (int64_t)(0 - (uint64_t)literal.integer);
        return literal;
    }
    struct ptx_operand operand = parse_word(p, &none);
    if (operand.kind != PTX_REGISTER)
        ptx_fail_expected(p, "a register after '-'");
    operand.negated = true;
    return operand;
}

/* The target of a branch is a label whatever else has its name. */
static struct ptx_operand parse_target(struct ptx_parser *p,
                                       struct ptx_pending *pending) {
    struct ptx_operand operand = nothing;
    struct ptx_token token = p->token;
    operand.kind = PTX_LABEL;
    pending->name = ptx_expect_word(p, "a label");
    pending->at = token.start;
    pending->must_be_label = true;
    return operand;
}

static void keep_pending(struct ptx_parser *p, struct ptx_pending pending,
                         uint32_t operand) {
    pending.major = (uint32_t)p->body.insns.n; /* the one being parsed */
    pending.minor = operand;
    ptx_add_pending(p, pending);
}

void ptx_parse_operands(struct ptx_parser *p, struct ptx_insn *insn) {
    bool is_call = insn->op == PTX_OP_call;
    if (p->token.kind == ';') return;
    do {
        const char *at = p->token.start;
        struct ptx_pending pending = {0};
        struct ptx_operand operand =
            insn->op == PTX_OP_bra ? parse_target(p, &pending)
            : insn->op == PTX_OP_vmad && p->token.kind == '-'
                ? parse_minus(p)
                : parse_operand(p, is_call, &pending);
        if (insn->n_operands < PTX_MAX_OPERANDS) {
            if (pending.name) keep_pending(p, pending, insn->n_operands);
            insn->operands[insn->n_operands++] = operand;
        } else if (ptx_op_family(insn->op) != PTX_FAMILY_NONE) {
            ptx_fail(p, at, "more than %d operands", PTX_MAX_OPERANDS);
        }
    } while (ptx_accept(p, ','));
}

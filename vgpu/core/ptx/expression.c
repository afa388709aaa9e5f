/* SPDX-License-Identifier: MIT
 *
 * expression.c: constant expressions (PTX ISA 4.5.3 to 4.5.6).
 *
 * How to read this: precedence climbing over one table of binary operators.
 * Integers are 64 bits, unsigned as soon as one side is; floating literals
 * stand alone, may be negated, and in arithmetic become doubles.
 */
#include "parser.h"

#include <string.h>

enum operator{
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    BIT_AND,
    BIT_XOR,
    BIT_OR,
    AND,
    OR
};

static const struct {
    int token;
    int binds; /* higher: tighter */
} operators[] = {
    [MULTIPLY] = {'*', 10},
    [DIVIDE] = {'/', 10},
    [REMAINDER] = {'%', 10},
    [ADD] = {'+', 9},
    [SUBTRACT] = {'-', 9},
    [SHIFT_LEFT] = {PTX_TOKEN_SHIFT_LEFT, 8},
    [SHIFT_RIGHT] = {PTX_TOKEN_SHIFT_RIGHT, 8},
    [LESS] = {'<', 7},
    [LESS_EQUAL] = {PTX_TOKEN_LESS_EQUAL, 7},
    [GREATER] = {'>', 7},
    [GREATER_EQUAL] = {PTX_TOKEN_GREATER_EQUAL, 7},
    [EQUAL] = {PTX_TOKEN_EQUAL, 6},
    [NOT_EQUAL] = {PTX_TOKEN_NOT_EQUAL, 6},
    [BIT_AND] = {'&', 5},
    [BIT_XOR] = {'^', 4},
    [BIT_OR] = {'|', 3},
    [AND] = {PTX_TOKEN_AND, 2},
    [OR] = {PTX_TOKEN_OR, 1},
};
enum { N_OPERATORS = sizeof operators / sizeof *operators };

static struct ptx_value parse_level(struct ptx_parser *, int binds);

static struct ptx_value integer(uint64_t bits, bool is_unsigned) {
    return (struct ptx_value){PTX_TOKEN_INTEGER, bits, is_unsigned};
}

static struct ptx_value real(double value) {
    struct ptx_value v = {.kind = PTX_TOKEN_FLOAT64};
    memcpy(&v.bits, &value, sizeof value);
    return v;
}

double ptx_value_double(struct ptx_value v) {
    if (v.kind == PTX_TOKEN_FLOAT64) {
        double value;
        memcpy(&value, &v.bits, sizeof value);
        return value;
    }
    if (v.kind == PTX_TOKEN_FLOAT32) {
        uint32_t bits = (uint32_t)v.bits;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
}

static uint64_t shift(enum operator op, uint64_t a, uint64_t by, bool is_u) {
    if (op == SHIFT_LEFT) return by < 64 ? a << by : 0;
    if (is_u || !(a >> 63)) return by < 64 ? a >> by : 0;
    return by < 64 ? ~(~a >> by) : UINT64_MAX;
}

/* Division as the hardware's wraps: the smallest over -1 is itself. */
static uint64_t divide(enum operator op, uint64_t a, uint64_t b, bool is_u) {
    if (is_u) return op == DIVIDE ? a / b : a % b;
    if (b == UINT64_MAX) return op == DIVIDE ? 0 - a : 0;
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)(op == DIVIDE ? x / y : x % y);
}

static bool compare(enum operator op, uint64_t a, uint64_t b, bool is_u) {
    if (!is_u) { /* order of signed numbers as unsigned ones */
        a ^= (uint64_t)1 << 63;
        b ^= (uint64_t)1 << 63;
    }
    switch (op) {
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case EQUAL: return a == b;
    default: return a != b;
    }
}

static struct ptx_value apply(enum operator op, struct ptx_value left,
                              struct ptx_value right) {
    uint64_t a = left.bits, b = right.bits;
    bool is_u = left.is_unsigned || right.is_unsigned;
    switch (op) {
    case MULTIPLY: return integer(a * b, is_u);
    case DIVIDE:
    case REMAINDER: return integer(divide(op, a, b, is_u), is_u);
    case ADD: return integer(a + b, is_u);
    case SUBTRACT: return integer(a - b, is_u);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return integer(shift(op, a, b, left.is_unsigned), left.is_unsigned);
    case BIT_AND: return integer(a & b, is_u);
    case BIT_XOR: return integer(a ^ b, is_u);
    case BIT_OR: return integer(a | b, is_u);
    case AND: return integer(a && b, false);
    case OR: return integer(a || b, false);
    default: return integer(compare(op, a, b, is_u), false);
    }
}

static struct ptx_value apply_real(struct ptx_parser *p, const char *at,
                                   enum operator op, double a, double b) {
    switch (op) {
    case MULTIPLY: return real(a * b);
    case DIVIDE: return real(a / b);
    case ADD: return real(a + b);
    case SUBTRACT: return real(a - b);
    default: ptx_fail(p, at, "this operator does not take real numbers");
    }
}

static struct ptx_value negate(struct ptx_value v) {
    if (v.kind == PTX_TOKEN_INTEGER) return integer(0 - v.bits, v.is_unsigned);
    v.bits ^= (uint64_t)1 << (v.kind == PTX_TOKEN_FLOAT32 ? 31 : 63);
    return v;
}

static struct ptx_value parse_cast(struct ptx_parser *p) {
    struct ptx_token type = p->token;
    ptx_next(p);
    ptx_expect(p, ')', "')'");
    struct ptx_value v = parse_level(p, 11);
    if (type.name->keyword != PTX_KEY_TYPE ||
        (type.name->value != PTX_S64 && type.name->value != PTX_U64) ||
        v.kind != PTX_TOKEN_INTEGER)
        ptx_fail(p, type.start, "a cast must be (.s64) or (.u64)");
    v.is_unsigned = type.name->value == PTX_U64;
    return v;
}

static struct ptx_value parse_primary(struct ptx_parser *p) {
    struct ptx_token t = p->token;
    switch (t.kind) {
    case PTX_TOKEN_INTEGER:
    case PTX_TOKEN_FLOAT32:
    case PTX_TOKEN_FLOAT64:
        ptx_next(p);
        return (struct ptx_value){t.kind, t.bits, t.is_unsigned};
    case PTX_TOKEN_WORD:
        if (strcmp(t.name->text, "WARP_SZ") != 0) break;
        ptx_next(p);
        return integer(32, false);
    case '(':
        ptx_next(p);
        if (p->token.kind == PTX_TOKEN_DOT_WORD) return parse_cast(p);
        struct ptx_value v = parse_level(p, 0);
        ptx_expect(p, ')', "')'");
        return v;
    default: break;
    }
    ptx_fail_expected(p, "a constant");
}

static struct ptx_value parse_unary(struct ptx_parser *p) {
    struct ptx_token t = p->token;
    if (t.kind != '-' && t.kind != '+' && t.kind != '~' && t.kind != '!')
        return parse_primary(p);
    ptx_next(p);
    struct ptx_value v = parse_level(p, 11);
    if (t.kind == '-') return negate(v);
    if (t.kind == '+') return v;
    if (v.kind != PTX_TOKEN_INTEGER)
        ptx_fail(p, t.start, "this operator does not take real numbers");
    return t.kind == '~' ? integer(~v.bits, v.is_unsigned)
                         : integer(!v.bits, false);
}

static int find_operator(int token) {
    for (int i = 0; i < N_OPERATORS; i++)
        if (operators[i].token == token) return i;
    return -1;
}

static struct ptx_value expression_choose(struct ptx_parser *p,
                                          struct ptx_value which) {
    ptx_next(p);
    struct ptx_value yes = parse_level(p, 0);
    ptx_expect(p, ':', "':'");
    struct ptx_value no = parse_level(p, 0);
    return which.bits ? yes : no;
}

static struct ptx_value parse_level(struct ptx_parser *p, int binds) {
    if (++p->expression_depth > PTX_MAX_EXPRESSION_DEPTH)
        ptx_fail(p, p->token.start, "expression nested more than %d deep",
                 PTX_MAX_EXPRESSION_DEPTH);
    struct ptx_value left = parse_unary(p);
    for (;;) {
        int i = find_operator(p->token.kind);
        if (i < 0 || operators[i].binds <= binds) break;
        const char *at = p->token.start;
        enum operator op =(enum operator) i;
        ptx_next(p);
        struct ptx_value right = parse_level(p, operators[i].binds);
        if (left.kind != PTX_TOKEN_INTEGER || right.kind != PTX_TOKEN_INTEGER) {
            left = apply_real(p, at, op, ptx_value_double(left),
                              ptx_value_double(right));
            continue;
        }
        if ((op == DIVIDE || op == REMAINDER) && !right.bits)
            ptx_fail(p, at, "division by zero");
        left = apply(op, left, right);
    }
    if (binds == 0 && p->token.kind == '?') left = expression_choose(p, left);
    p->expression_depth--;
    return left;
}

struct ptx_value ptx_parse_expression(struct ptx_parser *p) {
    return parse_level(p, 0);
}

int64_t ptx_parse_integer_expression(struct ptx_parser *p) {
    const char *at = p->token.start;
    struct ptx_value v = parse_level(p, 0);
    if (v.kind != PTX_TOKEN_INTEGER)
        ptx_fail(p, at, "expected an integer, not a real number");
    return (int64_t)v.bits;
}

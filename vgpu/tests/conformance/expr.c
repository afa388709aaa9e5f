/* SPDX-License-Identifier: MIT
 *
 * expr.c: see expr.h. Precedence climbing over one table of operators.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"

struct parser {
    const char *at;
    expr_lookup *lookup;
    void *user;
    const char *error;
};

enum op {
    MUL,
    DIV,
    MOD,
    ADD,
    SUB,
    SHL,
    SHR,
    LE,
    GE,
    LT,
    GT,
    EQ,
    NE,
    AND,
    XOR,
    OR,
    LAND,
    LOR
};
/* Longer spellings first where one begins another. */
static const struct {
    const char *text;
    enum op op;
    int level;
} operators[] = {{"<<", SHL, 8},  {">>", SHR, 8}, {"<=", LE, 7},
                 {">=", GE, 7},   {"==", EQ, 6},  {"!=", NE, 6},
                 {"&&", LAND, 2}, {"||", LOR, 1}, {"*", MUL, 10},
                 {"/", DIV, 10},  {"%", MOD, 10}, {"+", ADD, 9},
                 {"-", SUB, 9},   {"<", LT, 7},   {">", GT, 7},
                 {"&", AND, 5},   {"^", XOR, 4},  {"|", OR, 3}};

static struct value conditional(struct parser *);

static struct value integer(int64_t i) {
    return (struct value){.i = i, .f = (double)i};
}

static struct value real(double f) {
    return (struct value){.is_float = true, .i = 0, .f = f};
}

static struct value fail(struct parser *p, const char *why) {
    if (!p->error) p->error = why;
    return integer(0);
}

static void skip_space(struct parser *p) {
    while (*p->at == ' ' || *p->at == '\t') p->at++;
}

static bool take(struct parser *p, char c) {
    skip_space(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static struct value number(struct parser *p) {
    char *a, *b;
    uint64_t i = strtoull(p->at, &a, 0);
    double f = strtod(p->at, &b);
    bool is_float = b > a;
    p->at = is_float ? b : a;
    return is_float ? real(f) : integer((int64_t)i);
}

static struct value call(struct parser *p, const char *name, size_t n) {
    struct value a = conditional(p), b = integer(0);
    if (take(p, ',')) b = conditional(p);
    if (!take(p, ')')) return fail(p, "expected )");
#define IS(s) (n == strlen(s) && !memcmp(name, s, n))
    bool f = a.is_float || b.is_float;
    if (IS("min")) return f ? real(fmin(a.f, b.f)) : a.i < b.i ? a : b;
    if (IS("max")) return f ? real(fmax(a.f, b.f)) : a.i > b.i ? a : b;
    if (IS("abs")) return f ? real(fabs(a.f)) : integer(a.i < 0 ? -a.i : a.i);
    if (IS("sqrt")) return real(sqrt(a.f));
    if (IS("popc"))
        return integer(__builtin_popcountll((unsigned long long)a.i));
    if (IS("clz"))
        return integer((uint32_t)a.i ? __builtin_clz((uint32_t)a.i) : 32);
#undef IS
    return fail(p, "no such function");
}

static struct value name(struct parser *p) {
    const char *from = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
    size_t n = (size_t)(p->at - from);
    if (take(p, '(')) return call(p, from, n);
    bool indexed = take(p, '[');
    struct value index = indexed ? conditional(p) : integer(0), r;
    if (indexed && !take(p, ']')) return fail(p, "expected ]");
    if (!p->lookup(p->user, from, n, indexed, index.i, &r))
        return fail(p, "no such name, or index out of range");
    return r;
}

static struct value unary(struct parser *p) {
    skip_space(p);
    struct value a;
    if (take(p, '-')) {
        a = unary(p);
        return a.is_float ? real(-a.f) : integer((int64_t)(0 - (uint64_t)a.i));
    }
    if (take(p, '~')) return integer(~unary(p).i);
    if (*p->at == '!' && p->at[1] != '=') {
        p->at++;
        a = unary(p);
        return integer(a.is_float ? a.f == 0 : a.i == 0);
    }
    if (take(p, '(')) {
        a = conditional(p);
        return take(p, ')') ? a : fail(p, "expected )");
    }
    if (isdigit((unsigned char)*p->at)) return number(p);
    if (isalpha((unsigned char)*p->at) || *p->at == '_') return name(p);
    return fail(p, "expected a value");
}

static struct value compute_real(struct parser *p, enum op op, double a,
                                 double b) {
    switch (op) {
    case MUL: return real(a * b);
    case DIV: return real(a / b);
    case ADD: return real(a + b);
    case SUB: return real(a - b);
    case LT: return integer(a < b);
    case GT: return integer(a > b);
    case LE: return integer(a <= b);
    case GE: return integer(a >= b);
    case EQ: return integer(a == b);
    case NE: return integer(a != b);
    default: return fail(p, "operator is for integers");
    }
}

static struct value compute(struct parser *p, enum op op, struct value x,
                            struct value y) {
    if (x.is_float || y.is_float) return compute_real(p, op, x.f, y.f);
    int64_t a = x.i, b = y.i;
    uint64_t u = (uint64_t)a, v = (uint64_t)b;
    switch (op) {
    case MUL: return integer((int64_t)(u * v));
    case ADD: return integer((int64_t)(u + v));
    case SUB: return integer((int64_t)(u - v));
    case DIV: return b ? integer(a / b) : fail(p, "division by zero");
    case MOD: return b ? integer(a % b) : fail(p, "division by zero");
    case SHL: return integer(v > 63 ? 0 : (int64_t)(u << v));
    case SHR: return integer(a >> (v > 63 ? 63 : v));
    case LT: return integer(a < b);
    case GT: return integer(a > b);
    case LE: return integer(a <= b);
    case GE: return integer(a >= b);
    case EQ: return integer(a == b);
    case NE: return integer(a != b);
    case AND: return integer(a & b);
    case XOR: return integer(a ^ b);
    case OR: return integer(a | b);
    case LAND: return integer(a && b);
    case LOR: return integer(a || b);
    }
    return fail(p, "no such operator");
}

static struct value binary(struct parser *p, int lowest) {
    struct value a = unary(p);
    for (;;) {
        skip_space(p);
        size_t k = 0, n = sizeof operators / sizeof *operators;
        while (k < n &&
               strncmp(p->at, operators[k].text, strlen(operators[k].text)))
            k++;
        if (k == n || operators[k].level < lowest || p->error) return a;
        p->at += strlen(operators[k].text);
        struct value b = binary(p, operators[k].level + 1);
        a = compute(p, operators[k].op, a, b);
    }
}

/* Both sides are computed: a side that cannot be (in[i-1] at i = 0) may fail
 * only when it is the one chosen. */
static struct value conditional(struct parser *p) {
    struct value c = binary(p, 1);
    if (!take(p, '?')) return c;
    const char *before = p->error;
    bool yes = c.is_float ? c.f != 0 : c.i != 0;
    struct value a = conditional(p);
    if (!yes) p->error = before;
    if (!take(p, ':')) return fail(p, "expected :");
    before = p->error;
    struct value b = conditional(p);
    if (yes) p->error = before;
    return yes ? a : b;
}

const char *expr_evaluate(const char *text, expr_lookup *lookup, void *user,
                          struct value *out, const char **end) {
    struct parser p = {text, lookup, user, NULL};
    *out = end ? unary(&p) : conditional(&p);
    skip_space(&p);
    if (end)
        *end = p.at;
    else if (!p.error && *p.at)
        fail(&p, "what follows is no part of a formula");
    return p.error;
}

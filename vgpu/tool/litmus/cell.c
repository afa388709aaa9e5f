/* SPDX-License-Identifier: MIT
 *
 * cell.c: one cell of a litmus test's table: labels, and an instruction.
 *
 * How to read this: an instruction is a word with dots, then operands with
 * commas. Some of the words between the dots say order and scope; types and
 * the state space say nothing here, because every location is a word of 32 bits
 * in global memory.
 */
#include <ctype.h>
#include <string.h>

#include "litmus.h"

enum { MAX_PARTS = 8 };

struct parts { /* of "atom.relaxed.gpu.add" */
    uint32_t n;
    char part[MAX_PARTS][16];
};

static bool is_one_of(const char *word, const char *list) {
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' ')) return true;
    return false;
}

/* Removes a part that is in the list. NULL: there is none. */
static const char *take_part(struct parts *p, const char *list) {
    for (uint32_t k = 1; k < p->n; k++) {
        if (!is_one_of(p->part[k], list)) continue;
        char taken[16];
        memcpy(taken, p->part[k], sizeof taken);
        memmove(p->part[k], p->part[k + 1],
                (MAX_PARTS - k - 1) * sizeof *p->part);
        memcpy(p->part[--p->n], taken, sizeof taken);
        return p->part[p->n];
    }
    return NULL;
}

static bool read_parts(struct litmus_cursor *c, struct parts *p) {
    p->n = 0;
    do {
        size_t n = 0;
        while (c->at + n < c->end &&
               (isalnum((unsigned char)c->at[n]) || c->at[n] == '_'))
            n++;
        if (!n || n >= sizeof *p->part || p->n == MAX_PARTS)
            return litmus_fail(c, "this is no instruction");
        memcpy(p->part[p->n], c->at, n);
        p->part[p->n++][n] = 0;
        c->at += n;
    } while (c->at < c->end && *c->at == '.' && c->at++);
    while (take_part(p, "u32 s32 b32 global")) continue;
    return true;
}

/* ---- operands ---- */

static bool comma(struct litmus_cursor *c) {
    return litmus_take(c, ",") || litmus_fail(c, "a comma is expected");
}

static bool read_register(struct litmus_cursor *c, struct litmus_thread *of,
                          uint32_t *reg) {
    char name[LITMUS_NAME];
    litmus_take(c, "%");
    return litmus_word(c, name) && litmus_register(c, of, name, reg);
}

static bool read_value(struct litmus_cursor *c, struct litmus_thread *of,
                       struct litmus_insn *i) {
    struct litmus_value *v = &i->values[i->n_values++];
    litmus_skip(c);
    v->is_register = c->at < c->end && (isalpha((unsigned char)*c->at) ||
                                        *c->at == '%' || *c->at == '_');
    return v->is_register ? read_register(c, of, &v->reg)
                          : litmus_number(c, &v->number);
}

static bool read_location(struct litmus_cursor *c, struct litmus *t,
                          struct litmus_insn *i) {
    char name[LITMUS_NAME];
    bool brackets = litmus_take(c, "[");
    if (!litmus_word(c, name) || !litmus_location(c, t, name, &i->word))
        return false;
    return !brackets || litmus_take(c, "]") ||
           litmus_fail(c, "a ] is expected");
}

/* ---- instructions ---- */

static bool left_over(struct litmus_cursor *c, const struct parts *p) {
    return p->n == 1 || litmus_fail(c, "'.%s' is not supported with %s",
                                    p->part[1], p->part[0]);
}

/* Order and scope, of which `orders` may be given. */
static bool read_order(struct litmus_cursor *c, struct parts *p,
                       const char *orders, const char *usual,
                       struct litmus_insn *i) {
    const char *given = take_part(p, orders);
    char order[16];
    snprintf(order, sizeof order, "%s", given ? given : usual);
    const char *scope = take_part(p, "cta cluster gpu sys");
    if (!left_over(c, p)) return false;
    bool none = !strcmp(order, "weak") || !strcmp(order, "volatile");
    if (none && scope) return litmus_fail(c, "%s takes no scope", order);
    if (!none && !scope) return litmus_fail(c, "%s needs a scope", order);
    snprintf(i->order, sizeof i->order, "%s%s%s", order, none ? "" : ".",
             none ? "" : scope);
    return true;
}

static bool read_load(struct litmus_cursor *c, struct litmus *t,
                      struct litmus_thread *of, struct parts *p,
                      struct litmus_insn *i) {
    bool orders = p->n > 1;
    i->kind = LITMUS_LOAD;
    if (!read_order(c, p, "weak relaxed acquire volatile", "weak", i) ||
        !read_register(c, of, &i->to) || !comma(c))
        return false;
    litmus_skip(c);
    bool number =
        c->at < c->end && (isdigit((unsigned char)*c->at) || *c->at == '-');
    if (orders || !number) return read_location(c, t, i);
    i->kind = LITMUS_COMPUTE; /* "ld r0, 1" moves */
    strcpy(i->op, "mov");
    return read_value(c, of, i);
}

static bool read_store(struct litmus_cursor *c, struct litmus *t,
                       struct litmus_thread *of, struct parts *p,
                       struct litmus_insn *i) {
    i->kind = LITMUS_STORE;
    return read_order(c, p, "weak relaxed release volatile", "weak", i) &&
           read_location(c, t, i) && comma(c) && read_value(c, of, i);
}

static bool read_atomic(struct litmus_cursor *c, struct litmus *t,
                        struct litmus_thread *of, struct parts *p,
                        struct litmus_insn *i) {
    bool returns = !strcmp(p->part[0], "atom");
    i->kind = LITMUS_ATOMIC;
    i->to = LITMUS_REGISTERS; /* none */
    const char *op = take_part(p, "add sub and or xor min max exch cas");
    if (!op) return litmus_fail(c, "this operation is not supported");
    memcpy(i->op, op, strlen(op) + 1);
    if (!read_order(c, p, "relaxed acquire release acq_rel", "relaxed", i))
        return false;
    if (returns && (!read_register(c, of, &i->to) || !comma(c))) return false;
    if (!read_location(c, t, i) || !comma(c) || !read_value(c, of, i))
        return false;
    return strcmp(i->op, "cas") || (comma(c) && read_value(c, of, i));
}

static bool read_fence(struct litmus_cursor *c, struct parts *p,
                       struct litmus_insn *i) {
    i->kind = LITMUS_FENCE;
    if (take_part(p, "proxy"))
        return litmus_fail(c, "proxies are not supported");
    if (!strcmp(p->part[0], "membar")) {
        const char *level = take_part(p, "cta gl sys");
        if (!level) return litmus_fail(c, "membar needs .cta, .gl or .sys");
        snprintf(i->order, sizeof i->order, "membar.%s", level);
        return left_over(c, p);
    }
    struct litmus_insn o;
    if (!read_order(c, p, "sc acq_rel", "acq_rel", &o)) return false;
    snprintf(i->order, sizeof i->order, "fence.%.15s", o.order);
    return true;
}

/* bar.cta.sync NUMBER: those threads of the cta meet that have the number. */
static bool read_barrier(struct litmus_cursor *c, struct litmus_thread *of,
                         struct parts *p, struct litmus_insn *i) {
    i->kind = LITMUS_BARRIER;
    take_part(p, "cta");
    if (!take_part(p, "sync"))
        return litmus_fail(c, "only bar.sync is supported");
    if (!left_over(c, p) || !read_value(c, of, i)) return false;
    if (i->values[0].is_register || (uint32_t)i->values[0].number > 15)
        return litmus_fail(c, "a barrier has a number from 0 to 15");
    litmus_skip(c);
    return c->at == c->end ||
           litmus_fail(c, "barriers with a second number, or for a number of "
                          "threads, are not supported");
}

static bool read_branch(struct litmus_cursor *c, struct litmus_thread *of,
                        const char *op, struct litmus_insn *i) {
    char name[LITMUS_NAME];
    i->kind = LITMUS_BRANCH;
    strcpy(i->op, op);
    if (*op && (!read_value(c, of, i) || !comma(c) || !read_value(c, of, i) ||
                !comma(c)))
        return false;
    if (!litmus_word(c, name)) return false;
    for (i->label = 0; i->label < of->n_labels; i->label++)
        if (!strcmp(of->labels[i->label], name)) return true;
    if (of->n_labels == LITMUS_LABELS)
        return litmus_fail(c, "more than %d labels", LITMUS_LABELS);
    strcpy(of->labels[of->n_labels++], name);
    return true;
}

static bool read_compute(struct litmus_cursor *c, struct litmus_thread *of,
                         struct parts *p, struct litmus_insn *i) {
    bool moves = !strcmp(p->part[0], "mov");
    i->kind = LITMUS_COMPUTE;
    memcpy(i->op, p->part[0], sizeof i->op - 1);
    return left_over(c, p) && read_register(c, of, &i->to) && comma(c) &&
           read_value(c, of, i) &&
           (moves || (comma(c) && read_value(c, of, i)));
}

static bool read_insn(struct litmus_cursor *c, struct litmus *t,
                      struct litmus_thread *of, struct litmus_insn *i) {
    struct parts p;
    if (!read_parts(c, &p)) return false;
    const char *name = p.part[0];
    if (!strcmp(name, "ld")) return read_load(c, t, of, &p, i);
    if (!strcmp(name, "st")) return read_store(c, t, of, &p, i);
    if (is_one_of(name, "atom red")) return read_atomic(c, t, of, &p, i);
    if (is_one_of(name, "fence membar")) return read_fence(c, &p, i);
    if (is_one_of(name, "bar barrier")) return read_barrier(c, of, &p, i);
    if (is_one_of(name, "mov add sub mul and or xor"))
        return read_compute(c, of, &p, i);
    if (is_one_of(name, "beq bne blt ble bgt bge"))
        return read_branch(c, of, name + 1, i);
    if (is_one_of(name, "goto bra")) return read_branch(c, of, "", i);
    if (is_one_of(name, "tld suld cold sust suatom sured"))
        return litmus_fail(c, "proxies are not supported");
    return litmus_fail(c, "instruction '%s' is not supported", name);
}

/* Takes "LC00:", if that is what comes. */
static bool take_label(struct litmus_cursor *c, struct litmus_thread *of,
                       struct litmus_insn *i) {
    const char *p = c->at;
    while (p < c->end && (isalnum((unsigned char)*p) || *p == '_')) p++;
    if (p == c->at || p == c->end || *p != ':') return false;
    if (!read_branch(c, of, "", i)) return false;
    i->kind = LITMUS_LABEL;
    return litmus_take(c, ":");
}

bool litmus_cell(struct litmus_cursor *c, struct litmus *t,
                 struct litmus_thread *of) {
    for (litmus_skip(c); c->at < c->end; litmus_skip(c)) {
        if (of->n_insns == LITMUS_ROWS)
            return litmus_fail(c, "more than %d instructions", LITMUS_ROWS);
        struct litmus_insn *i = &of->insns[of->n_insns++];
        if (take_label(c, of, i)) continue;
        if (c->why->size || !read_insn(c, t, of, i)) return false;
        litmus_skip(c);
        return c->at == c->end ||
               litmus_fail(c, "something follows the instruction");
    }
    return true;
}

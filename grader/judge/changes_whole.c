/* SPDX-License-Identifier: MIT
 *
 * changes_whole.c: a statement less, two in the other order, = for +=; and the
 * header that stands above a changed text.
 */
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"

const unsigned char changes_mark[CHANGES_MARK_BYTES] = {0x9c, 0x53, 0x4c, 0xe1,
                                                        0x43, 0x48, 0xd5, 0x37};

/* On the device the number is an integer of its own, of which the virtual GPU
 * makes 0 or 1 (vgpu_edits.def, CHOICE). Host code that launches kernels asks
 * at most 4 million times: a change that makes a loop endless is over after 10
 * ms, on any machine after the same number of turns. Code of lab 0 is bounded
 * by time alone, for its threads would all count. */
const char changes_header[] =
    "#pragma once\n"
    "__attribute__((used)) static const volatile int scanlab_choice[4] =\n"
    "    {(int)0xe14c539cu, 0x37d54843, 0, 0};\n"
    "#ifdef __CUDACC__\n"
    "static unsigned scanlab_left = 4000000;\n"
    "template <int K>\n"
    "__host__ __device__ __forceinline__ int scanlab_m() {\n"
    "#ifdef __CUDA_ARCH__\n"
    "    int r;\n"
    "    asm(\"mov.u32 %0, %1;\" : \"=r\"(r) : \"n\"(0x5ca00000 + K));\n"
    "    return r;\n"
    "#else\n"
    "    if (!scanlab_left--) __builtin_trap();\n"
    "    return scanlab_choice[2] == K;\n"
    "#endif\n"
    "}\n"
    "#define SLM(k) scanlab_m<k>()\n"
    "#else\n"
    "#define SLM(k) (scanlab_choice[2] == (k))\n"
    "#endif\n";

static const char *behind_semicolon(const struct changing *c, size_t end) {
    return change_is(c, end, ";") ? change_end(c, end + 1) : NULL;
}

/* May it be left out, or stand elsewhere? */
static bool is_movable(const struct changing *c, const struct c_statement *s) {
    static const char *const words[] = {"return", "break", "continue", "else",
                                        "goto",   "do",    "while"};
    if (s->kind != C_PLAIN || change_declares(c, s->first, s->end) ||
        !behind_semicolon(c, s->end))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (change_is(c, s->first, words[i])) return false;
    return true;
}

static void leave_statement_out(const struct change_at *at) {
    const struct changing *c = at->c;
    struct candidate_change *new = change_new(at, at->first, CHANGE_WITHOUT);
    change_say(at, new, at->first, at->end, NULL);
    change_wrap(at, new, change_begin(c, at->first),
                behind_semicolon(c, at->end), text_format("{if(!SLM(@)) "),
                text_format("}"));
}

/* The statement that comes behind this one and all that stands in it; -1: none
 * does that may be moved. */
static int32_t next_of(const struct change_at *at) {
    const struct c_statements *all = &at->c->statements;
    int32_t parent = all->list[at->statement].parent;
    size_t next = (size_t)at->statement + 1;
    int32_t up = -1;
    for (; next < all->n; next++) {
        up = all->list[next].parent;
        while (up >= 0 && up != at->statement) up = all->list[up].parent;
        if (up < 0) break;
    }
    const struct c_statement *s = next < all->n ? &all->list[next] : NULL;
    if (!s || s->parent != parent || !is_movable(at->c, s) ||
        !(change_is(at->c, s->first - 1, ";") ||
          change_is(at->c, s->first - 1, "}")))
        return -1;
    return at->c->depth[s->first] == at->c->depth[at->first] ? (int32_t)next
                                                             : -1;
}

/* The next statement first. */
static void turn_order(const struct change_at *at) {
    const struct changing *c = at->c;
    int32_t next = next_of(at);
    if (next < 0 || change_is(c, at->first, "while") ||
        (at->first && change_is(c, at->first - 1, "else")))
        return;
    const struct c_statement *s = &c->statements.list[next];
    struct candidate_change *new = change_new(at, at->first, CHANGE_ORDER);
    char *text = change_text(c, s->first, s->end);
    if (new) {
        new->is.line = c->tokens.list[s->first].line;
        new->is.other = c->tokens.list[at->first].line;
    }
    change_wrap(at, new, change_begin(c, at->first), NULL,
                text_format("if(SLM(@)){%s;} ", text ? text : ""), NULL);
    change_wrap(at, new, change_begin(c, s->first), behind_semicolon(c, s->end),
                text_format("{if(!SLM(@)) "), text_format("}"));
    free(text);
}

/* x = e: x + e; x += e: e. */
static void add_up(const struct change_at *at) {
    const struct changing *c = at->c;
    size_t k = at->first;
    while (k < at->end && !change_is(c, k, "=") && !change_is(c, k, "+=")) k++;
    if (k == at->first || k + 1 >= at->end) return;
    bool adds = change_is(c, k, "+=");
    const struct change_name *name = change_name_at(at, at->first);
    bool is_whole = k == at->first + 1; /* no x[i], no x.member */
    bool points = name && (name->is_array || strchr(name->type, '*'));
    for (size_t i = at->first; i < k; i++)
        if (change_is(c, i, ".") || change_is(c, i, "->")) return;
    if (!name || !name->of_integers || is_whole == points) return;
    for (size_t i = k + 1; i < at->end; i++)
        if (change_is(c, i, "=") || change_is(c, i, "{")) return;
    struct candidate_change *new = change_new(at, at->first, CHANGE_ADDED_UP);
    char *left = change_text(c, at->first, k);
    change_say(at, new, k, k + 1, text_format(adds ? "=" : "+="));
    change_wrap(
        at, new, change_begin(c, k + 1), change_end(c, at->end),
        text_format("("),
        text_format(")%s(SLM(@)?(%s):0)", adds ? "-" : "+", left ? left : ""));
    free(left);
}

void changes_of_whole(const struct change_at *at) {
    const struct changing *c = at->c;
    bool moves = is_movable(c, &c->statements.list[at->statement]);
    if (moves) leave_statement_out(at);
    if (moves || at->kind == C_LOOP || at->kind == C_IF) turn_order(at);
    if (moves) add_up(at);
}

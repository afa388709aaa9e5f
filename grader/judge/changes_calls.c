/* SPDX-License-Identifier: MIT
 *
 * changes_calls.c: changes at an index, an argument, a launch, and at words
 * that stand for one another.
 */
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"

enum { ARGUMENTS = 8 };

static bool calls_word(const struct changing *c, size_t k) {
    return k < c->tokens.n && c->tokens.list[k].kind == C_NAME;
}

static void put_instead(const struct change_at *at, enum change_kind kind,
                        size_t first, size_t end, char *now) {
    const struct changing *c = at->c;
    struct candidate_change *new = change_new(at, first, kind);
    change_wrap(at, new, change_begin(c, first), change_end(c, end),
                text_format("(SLM(@)?(%s):(", now ? now : ""),
                text_format("%s", "))"));
    change_say(at, new, first, end, now);
}

/* ---- indices ---- */

/* Are the expression's variables known where the token stands? */
static bool is_known_there(const struct change_at *at, size_t first, size_t end,
                           size_t token) {
    const struct changing *c = at->c;
    for (size_t k = first; k < end; k++) {
        bool known = false, is_variable = false;
        if (change_is(c, k, "++") || change_is(c, k, "--") ||
            change_is(c, k, "="))
            return false;
        if (!calls_word(c, k) || change_is(c, k - 1, ".") ||
            change_is(c, k - 1, "->"))
            continue;
        for (size_t i = 0; i < c->n_names; i++) {
            const struct change_name *name = &c->names[i];
            if (!c_token_same(&c->tokens.list[name->at], &c->tokens.list[k]) ||
                name->function != c_function_of(&c->statements, at->statement))
                continue;
            is_variable = true;
            known |= change_is_visible(at, name, token);
        }
        if (is_variable && !known) return false;
    }
    return true;
}

static bool same_words(const struct changing *c, size_t a, size_t a_end,
                       size_t b, size_t b_end) {
    if (a_end - a != b_end - b) return false;
    for (size_t i = 0; i < a_end - a; i++)
        if (!c_token_same(&c->tokens.list[a + i], &c->tokens.list[b + i]))
            return false;
    return true;
}

static void put_index(const struct change_at *at, size_t first, size_t end,
                      char *now) {
    const struct changing *c = at->c;
    const char *place = change_begin(c, first);
    for (size_t i = c->n; now && i-- > 0;)
        if (c->list[i].is.kind == CHANGE_INDEX && c->list[i].n_wraps &&
            c->list[i].wraps[0].from == place &&
            strncmp(c->list[i].is.now, now, CHANGE_TEXT - 4) == 0) {
            free(now); /* it is tried already */
            return;
        }
    struct candidate_change *new = change_new(at, first, CHANGE_INDEX);
    change_wrap(
        at, new, change_begin(c, first), change_end(c, end),
        text_format("(SLM(@)?(long long)(%s):(long long)(", now ? now : ""),
        text_format("%s", "))"));
    change_say(at, new, first, end, now);
}

/* f(x) where the array's other index is f(y), and x where it is x. */
static void try_wrapped(const struct change_at *at, size_t first, size_t end,
                        size_t other, size_t other_end) {
    const struct changing *c = at->c;
    bool calls = calls_word(c, other) && change_is(c, other + 1, "(") &&
                 other_end > other + 3 && /* with an argument */
                 change_behind(c, other + 1) == other_end;
    if (!calls ||
        (c_token_same(&c->tokens.list[other], &c->tokens.list[first]) &&
         change_is(c, first + 1, "(")))
        return;
    char *own = change_text(c, first, end);
    put_index(at, first, end,
              text_format("%.*s(%s)", (int)c->tokens.list[other].size,
                          c->tokens.list[other].at, own ? own : ""));
    free(own);
}

/* The other indices of the same array, in the function. */
static void look_at_index(const struct change_at *at, size_t open) {
    enum { MOST = 4 };
    const struct changing *c = at->c;
    size_t first = open + 1, end = change_behind(c, open) - 1;
    int32_t function = c_function_of(&c->statements, at->statement);
    unsigned n = 0;
    for (size_t i = 0; i < c->statements.n && n < MOST; i++) {
        const struct c_statement *s = &c->statements.list[i];
        if (s->kind == C_FUNCTION ||
            c_function_of(&c->statements, (int32_t)i) != function ||
            (s->kind == C_PLAIN && change_declares(c, s->first, s->end) &&
             change_is(c, s->first, "__shared__")))
            continue;
        for (size_t k = s->first; k + 1 < s->end && n < MOST; k++) {
            if (!calls_word(c, k) || !change_is(c, k + 1, "[") ||
                c->is_type[k + 1] || /* an array's size */
                !c_token_same(&c->tokens.list[k], &c->tokens.list[open - 1]))
                continue;
            size_t other = k + 2, other_end = change_behind(c, k + 1) - 1;
            if (other >= other_end ||
                same_words(c, first, end, other, other_end))
                continue;
            n++;
            if (is_known_there(at, other, other_end, open))
                put_index(at, first, end, change_text(c, other, other_end));
            try_wrapped(at, first, end, other, other_end);
        }
    }
}

/* One of the integers in scope more or less. */
static void put_terms(const struct change_at *at, size_t first, size_t end,
                      const char *wide) {
    enum { MOST = 8 };
    struct changing *c = at->c;
    unsigned n = 0;
    for (size_t i = c->n_names; i-- > 0 && n < MOST;) {
        const struct change_name *name = &c->names[i];
        if (!name->is_integer || name->is_array ||
            !change_is_visible(at, name, first))
            continue;
        n++;
        for (int minus = 0; minus < 2; minus++) {
            const char *sign = minus ? "-" : "+";
            struct candidate_change *new = change_new(at, first, CHANGE_TERM);
            char *own = change_text(c, first, end);
            char *word = change_text(c, name->at, name->at + 1);
            change_wrap(at, new, change_begin(c, first), change_end(c, end),
                        text_format("%s", "(("),
                        text_format(")%s(SLM(@)?%s(%s):0))", sign, wide,
                                    word ? word : "0"));
            change_say(at, new, first, end,
                       text_format("%s %s %s", own ? own : "", sign,
                                   word ? word : ""));
            free(own);
            free(word);
        }
    }
}

/* int x = ..., x = ...: of an integer. */
static void look_at_value(const struct change_at *at) {
    const struct changing *c = at->c;
    size_t k = at->first;
    while (k < at->end && !change_is(c, k, "=")) k++;
    if (at->kind != C_PLAIN || k + 1 >= at->end || change_is(c, k + 1, "{"))
        return;
    for (size_t i = k + 1; i < at->end; i++)
        if (change_is(c, i, "=") || change_is(c, i, "{")) return;
    bool is_integer = false;
    for (size_t i = 0; i < c->n_names; i++)
        if (c->names[i].at == k - 1) is_integer = c->names[i].is_integer;
    const struct change_name *known = change_name_at(at, k - 1);
    if (known && k == at->first + 1) is_integer = known->is_integer;
    size_t end = k + 1;
    while (end < at->end && !change_is(c, end, ","))
        end = change_is(c, end, "(") || change_is(c, end, "[")
                  ? change_behind(c, end)
                  : end + 1;
    if (is_integer && end <= at->end) put_terms(at, k + 1, end, "");
}

void changes_of_indices(const struct change_at *at) {
    const struct changing *c = at->c;
    size_t declared = 0;
    if (at->declares)
        for (size_t k = at->first; k + 1 < at->end && !declared; k++)
            if (calls_word(c, k) && change_is(c, k + 1, "[")) declared = k;
    for (size_t k = at->first + 1; k < at->end; k++) {
        if (!change_is(c, k, "[") || !calls_word(c, k - 1)) continue;
        if (declared && k - 1 == declared && !change_is(c, k - 2, "=")) {
            bool before_value = true; /* int a[N]: no index */
            for (size_t i = at->first; i < k; i++)
                before_value &= !change_is(c, i, "=");
            if (before_value) continue;
        }
        size_t end = change_behind(c, k) - 1;
        if (end <= k + 1 || end > at->end) continue;
        look_at_index(at, k);
        put_terms(at, k + 1, end, "(long long)");
    }
    look_at_value(at);
}

/* ---- arguments ---- */

/* Where the arguments between brackets begin, and behind each where it ends. */
static size_t arguments_of(const struct changing *c, size_t open, size_t end,
                           size_t first[ARGUMENTS], size_t behind[ARGUMENTS]) {
    size_t n = 0, k = open + 1;
    if (k >= end) return 0;
    first[0] = k;
    for (; k < end && n < ARGUMENTS; k++) {
        if (change_is(c, k, "(") || change_is(c, k, "[") ||
            change_is(c, k, "{")) {
            k = change_behind(c, k) - 1;
            continue;
        }
        if (!change_is(c, k, ",")) continue;
        behind[n++] = k;
        if (n < ARGUMENTS) first[n] = k + 1;
    }
    if (n < ARGUMENTS) behind[n++] = end;
    return n;
}

static void put_swapped(const struct change_at *at, enum change_kind kind,
                        const size_t a[2], const size_t b[2]) {
    const struct changing *c = at->c;
    struct candidate_change *new = change_new(at, a[0], kind);
    char *x = change_text(c, a[0], a[1]), *y = change_text(c, b[0], b[1]);
    change_wrap(at, new, change_begin(c, a[0]), change_end(c, a[1]),
                text_format("(SLM(@)?(%s):(", y ? y : ""),
                text_format("%s", "))"));
    change_wrap(at, new, change_begin(c, b[0]), change_end(c, b[1]),
                text_format("(SLM(@)?(%s):(", x ? x : ""),
                text_format("%s", "))"));
    change_say(at, new, a[0], b[1],
               text_format("%s, %s", y ? y : "", x ? x : ""));
    free(x);
    free(y);
}

static bool is_plain_integer(const struct change_at *at, size_t first,
                             size_t end) {
    const struct changing *c = at->c;
    for (size_t k = first; k < end; k++) {
        const struct change_name *name = change_name_at(at, k);
        bool known = name && name->is_integer && !name->is_array;
        if (calls_word(c, k) && !known && c->tokens.list[k].at[0] >= 'a')
            return false;
    }
    return first < end;
}

static void look_at_launch(const struct change_at *at, size_t open) {
    const struct changing *c = at->c;
    size_t first[ARGUMENTS], behind[ARGUMENTS], end = open + 1;
    while (end < at->end && !change_is(c, end, ">>>")) end++;
    size_t n = arguments_of(c, open, end, first, behind);
    if (n < 2) return;
    const size_t a[2] = {first[0], behind[0]}, b[2] = {first[1], behind[1]};
    if (is_plain_integer(at, a[0], a[1]) && is_plain_integer(at, b[0], b[1]))
        put_swapped(at, CHANGE_LAUNCH, a, b);
    for (size_t i = 0; i < n && i < 3; i++) {
        static const char *const after[] = {"+SLM(@))", "-SLM(@))",
                                            "*(1+SLM(@)))"};
        static const char *const words[] = {" + 1", " - 1", " * 2"};
        for (size_t k = 0; k < 3 && is_plain_integer(at, first[i], behind[i]);
             k++) {
            struct candidate_change *new =
                change_new(at, first[i], CHANGE_LAUNCH);
            char *own = change_text(c, first[i], behind[i]);
            change_wrap(at, new, change_begin(c, first[i]),
                        change_end(c, behind[i]),
                        text_format("%s", k == 2 ? "((" : "(("),
                        text_format(")%s", after[k]));
            change_say(at, new, first[i], behind[i],
                       text_format("(%s)%s", own ? own : "", words[k]));
            free(own);
        }
    }
}

/* Has a function of the file, called here, parameters of these two names in
 * these two places? Then they stand as they should. */
static bool is_named_so(const struct changing *c, size_t open, size_t argument,
                        size_t x, size_t y) {
    size_t first[ARGUMENTS], behind[ARGUMENTS];
    const struct c_token *t = c->tokens.list;
    for (size_t k = 0; k + 1 < c->tokens.n; k++) {
        if (!c_token_same(&t[k], &t[open - 1]) || !change_is(c, k + 1, "("))
            continue;
        size_t end = change_behind(c, k + 1);
        if (!change_is(c, end, "{")) continue;
        size_t n = arguments_of(c, k + 1, end - 1, first, behind);
        if (argument + 1 < n && c_token_same(&t[behind[argument] - 1], &t[x]) &&
            c_token_same(&t[behind[argument + 1] - 1], &t[y]))
            return true;
    }
    return false;
}

/* Of two names of one type that are handed on side by side. */
static void look_at_pairs(const struct change_at *at, size_t open) {
    const struct changing *c = at->c;
    size_t first[ARGUMENTS], behind[ARGUMENTS];
    size_t end = change_behind(c, open) - 1;
    size_t n = arguments_of(c, open, end, first, behind);
    for (size_t i = 0; i + 1 < n; i++) {
        const struct change_name *x = change_name_at(at, first[i]);
        const struct change_name *y = change_name_at(at, first[i + 1]);
        const size_t a[2] = {first[i], behind[i]};
        const size_t b[2] = {first[i + 1], behind[i + 1]};
        if (behind[i] == first[i] + 1 && behind[i + 1] == first[i + 1] + 1 &&
            x && y && x != y && x->is_array == y->is_array &&
            strcmp(x->type, y->type) == 0 &&
            !is_named_so(c, open, i, first[i], first[i + 1]))
            put_swapped(at, CHANGE_ARGUMENTS, a, b);
    }
}

/* Bytes where elements are meant, and the other way round. */
static void look_at_bytes(const struct change_at *at, size_t k) {
    static const struct {
        const char *name;
        size_t argument;
    } calls[] = {{"cudaMalloc", 1},     {"cudaMallocAsync", 1},
                 {"cudaMemset", 2},     {"cudaMemsetAsync", 2},
                 {"cudaMemcpy", 2},     {"cudaMemcpyAsync", 2},
                 {"cudaMemcpyPeer", 4}, {"cudaMemcpyPeerAsync", 4},
                 {"malloc", 0},         {"memcpy", 2},
                 {"memset", 2},         {"cudaMallocHost", 1}};
    static const char *const after[] = {")*(SLM(@)?4:1))", ")/(SLM(@)?4:1))",
                                        ")*(SLM(@)?8:1))", ")*(SLM(@)?2:1))"};
    static const char *const words[] = {" * 4", " / 4", " * 8", " * 2"};
    const struct changing *c = at->c;
    size_t first[ARGUMENTS], behind[ARGUMENTS], i = 0;
    while (i < sizeof calls / sizeof *calls && !change_is(c, k, calls[i].name))
        i++;
    if (i == sizeof calls / sizeof *calls) return;
    size_t n =
        arguments_of(c, k + 1, change_behind(c, k + 1) - 1, first, behind);
    size_t own = calls[i].argument;
    if (own >= n) return;
    char *text = change_text(c, first[own], behind[own]);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct candidate_change *new = change_new(at, first[own], CHANGE_BYTES);
        change_wrap(at, new, change_begin(c, first[own]),
                    change_end(c, behind[own]), text_format("%s", "(("),
                    text_format("%s", after[w]));
        change_say(at, new, first[own], behind[own],
                   text_format("(%s)%s", text ? text : "", words[w]));
    }
    free(text);
}

/* ---- words that stand for one another ---- */

static void look_at_function(const struct change_at *at, size_t k) {
    static const char *const pairs[][2] = {
        {"min", "max"},
        {"max", "min"},
        {"__shfl_up_sync", "__shfl_down_sync"},
        {"__shfl_down_sync", "__shfl_up_sync"},
        {"atomicMin", "atomicMax"},
        {"atomicMax", "atomicMin"}};
    const struct changing *c = at->c;
    size_t end = change_behind(c, k + 1), first = k;
    if (change_is(c, k - 1, ".") || change_is(c, k - 1, "->")) return;
    if (k > 2 && change_is(c, k - 1, "::")) first = k - 2;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!change_is(c, k, pairs[i][0])) continue;
        struct candidate_change *new = change_new(at, k, CHANGE_LESS_OR_MORE);
        char *rest = change_text(c, k + 1, end);
        change_wrap(at, new, change_begin(c, first), change_end(c, end),
                    text_format("(SLM(@)?%s%s%s:", first < k ? "std::" : "",
                                pairs[i][1], rest ? rest : ""),
                    text_format("%s", ")"));
        free(rest);
        change_say(at, new, k, k + 1, text_format("%s", pairs[i][1]));
    }
}

static void look_at_thread(const struct change_at *at, size_t k) {
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim",
                                        "gridDim"};
    const struct changing *c = at->c;
    bool is_one = false;
    for (size_t i = 0; i < 4; i++) is_one |= change_is(c, k, words[i]);
    if (!is_one || !change_is(c, k + 1, ".")) return;
    char *member = change_text(c, k + 2, k + 3);
    for (size_t i = 0; member && i < 4; i++)
        if (!change_is(c, k, words[i]))
            put_instead(at, CHANGE_THREAD, k, k + 3,
                        text_format("%s.%s", words[i], member));
    free(member);
}

void changes_of_calls(const struct change_at *at) {
    const struct changing *c = at->c;
    for (size_t k = at->first; k + 1 < at->end; k++) {
        if (change_is(c, k, "<<<")) look_at_launch(at, k);
        if (!calls_word(c, k)) continue;
        look_at_thread(at, k);
        bool calls = change_is(c, k + 1, "(") && !change_is(c, k, "if") &&
                     !change_is(c, k, "for") && !change_is(c, k, "while") &&
                     change_behind(c, k + 1) <= at->end;
        bool launches = change_is(c, k + 1, "<<<");
        size_t open = k + 1;
        if (launches) {
            while (open < at->end && !change_is(c, open, ">>>")) open++;
            calls = ++open < at->end && change_is(c, open, "(");
        }
        if (!calls) continue;
        look_at_pairs(at, open);
        if (launches) continue;
        look_at_bytes(at, k);
        look_at_function(at, k);
    }
}

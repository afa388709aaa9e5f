/* SPDX-License-Identifier: MIT
 *
 * c_statements.c: see c_statements.h. A reader for each kind of statement,
 * which returns the token behind it.
 */
#include "c_statements.h"

#include <stdlib.h>

enum { DEEPEST = 200 };

struct reading {
    const struct c_token *t;
    size_t n, room;
    struct c_statements *to;
    int depth;
    bool failed;
};

static bool is(const struct reading *r, size_t k, const char *text) {
    return k < r->n && c_token_is(&r->t[k], text);
}

static int32_t c_statements_add(struct reading *r, enum c_statement_kind kind,
                                size_t first, size_t end, int32_t parent) {
    struct c_statements *to = r->to;
    if (to->n == r->room) {
        size_t more = r->room ? 2 * r->room : 256;
        void *list = realloc(to->list, more * sizeof *to->list);
        r->failed |= !list;
        if (!list) return -1;
        to->list = list;
        r->room = more;
    }
    to->list[to->n] = (struct c_statement){kind, first, end, parent};
    return (int32_t)to->n++;
}

static int nests(const struct reading *r, size_t k) {
    if (is(r, k, "(") || is(r, k, "{") || is(r, k, "[")) return 1;
    if (is(r, k, ")") || is(r, k, "}") || is(r, k, "]")) return -1;
    return 0;
}

/* Behind the bracket that closes the one at k. */
static size_t behind_pair(const struct reading *r, size_t k) {
    for (int open = 0; k < r->n; k++) {
        open += nests(r, k);
        if (open <= 0) return k + 1;
    }
    return k;
}

static size_t statement(struct reading *, size_t k, int32_t parent);

/* Between braces. */
static size_t block(struct reading *r, size_t k, int32_t parent) {
    for (k++; k < r->n && !is(r, k, "}") && !r->failed;)
        k = statement(r, k, parent);
    return k + 1;
}

static bool c_statements_is_name(const struct reading *r, size_t k) {
    return k < r->n && r->t[k].kind == C_NAME;
}

/* Where the body of a lambda begins whose brackets open at k; 0: none does.
 * What stands between is short: whoever writes a file decides how often it is
 * asked for. */
static size_t body_of_lambda(const struct reading *r, size_t k) {
    enum { BETWEEN = 64 };
    size_t end = k + BETWEEN;
    bool index =
        k && ((c_statements_is_name(r, k - 1) && !is(r, k - 1, "return")) ||
              is(r, k - 1, ")") || is(r, k - 1, "]"));
    if (!is(r, k, "[") || is(r, k + 1, "[") || index) return 0;
    int open = 1; /* captures, parameters */
    for (k++; k < end && k < r->n && (open || !is(r, k, "{")); k++) {
        if (is(r, k, ";") || is(r, k, "}") || (!open && is(r, k, ",")))
            return 0;
        open += nests(r, k);
        if (open < 0) return 0;
    }
    return k < end && is(r, k, "{") ? k : 0;
}

/* Up to the semicolon, or a label's colon. The body of a lambda stands in what
 * leads to it, as one of a loop does. */
static size_t plain(struct reading *r, size_t k, int32_t parent) {
    size_t first = k, body;
    bool label = is(r, k, "case") || is(r, k, "default");
    for (int open = 0; k < r->n; k++) {
        if (!open && (is(r, k, ";") || (label && is(r, k, ":")))) break;
        if ((body = body_of_lambda(r, k)) != 0) {
            int32_t head = c_statements_add(r, C_PLAIN, first, body, parent);
            first = block(r, body, head);
            k = first - 1;
            continue;
        }
        if (!open && is(r, k, "}")) {
            if (k > first) c_statements_add(r, C_PLAIN, first, k, parent);
            return k > first ? k : k + 1;
        }
        if (k == first && is(r, k, ")")) first++; /* behind a lambda */
        open += nests(r, k);
    }
    if (k > first) c_statements_add(r, C_PLAIN, first, k, parent);
    return k + 1;
}

static size_t conditional(struct reading *r, size_t k, int32_t parent) {
    size_t open = k + 1;
    while (is(r, open, "constexpr")) open++;
    size_t end = is(r, open, "(") ? behind_pair(r, open) : open;
    int32_t head = c_statements_add(r, C_IF, k, end, parent);
    k = statement(r, end, head);
    if (is(r, k, "else")) k = statement(r, k + 1, head);
    return k;
}

static size_t loop(struct reading *r, size_t k, int32_t parent) {
    size_t end = is(r, k + 1, "(") ? behind_pair(r, k + 1) : k + 1;
    return statement(r, end, c_statements_add(r, C_LOOP, k, end, parent));
}

/* Its head is the condition behind it. */
static size_t do_loop(struct reading *r, size_t k, int32_t parent) {
    int32_t head = c_statements_add(r, C_LOOP, k, k + 1, parent);
    k = statement(r, k + 1, head);
    if (!is(r, k, "while")) return k;
    size_t end = is(r, k + 1, "(") ? behind_pair(r, k + 1) : k + 1;
    if (head >= 0) {
        r->to->list[head].first = k;
        r->to->list[head].end = end;
    }
    return is(r, end, ";") ? end + 1 : end;
}

static size_t statement(struct reading *r, size_t k, int32_t parent) {
    size_t end;
    if (k >= r->n) return k + 1;
    if (r->depth == DEEPEST || r->failed) return behind_pair(r, k);
    r->depth++;
    if (is(r, k, "{"))
        end = block(r, k, parent);
    else if (is(r, k, "if") || is(r, k, "switch"))
        end = conditional(r, k, parent);
    else if (is(r, k, "for") || is(r, k, "while"))
        end = loop(r, k, parent);
    else if (is(r, k, "do"))
        end = do_loop(r, k, parent);
    else
        end = plain(r, k, parent);
    r->depth--;
    return end;
}

/* ---- outside of functions ---- */

static bool begins_group(const struct reading *r, size_t k) {
    return is(r, k, "namespace") || is(r, k, "extern") || is(r, k, "struct") ||
           is(r, k, "class") || is(r, k, "union") || is(r, k, "template") ||
           is(r, k, "typedef");
}

/* Behind the parameters of a template that begins here, which may have
 * defaults; else k. */
static size_t behind_template(const struct reading *r, size_t k) {
    int open = 0;
    if (!is(r, k, "template") || !is(r, k + 1, "<")) return k;
    for (size_t i = k + 1; i < r->n && !is(r, i, ";") && !is(r, i, "{"); i++) {
        open += is(r, i, "<") - is(r, i, ">") - 2 * is(r, i, ">>");
        if (open <= 0) return i + 1;
    }
    return k;
}

/* A definition of something; k: where it begins. */
static size_t outside(struct reading *r, size_t k) {
    size_t first = k, brace;
    bool calls = false, assigns = false;
    k = behind_template(r, k);
    for (; k < r->n && !is(r, k, ";") && !is(r, k, "{") && !is(r, k, "}");) {
        assigns |= is(r, k, "=");
        calls |= is(r, k, "(");
        k = is(r, k, "(") || is(r, k, "[") ? behind_pair(r, k) : k + 1;
    }
    brace = k;
    if (!is(r, k, "{")) {
        if (k > first) c_statements_add(r, C_OUTSIDE, first, k, -1);
        return k + 1;
    }
    if (calls && !assigns)
        return block(r, k, c_statements_add(r, C_FUNCTION, first, brace, -1));
    if (!assigns && begins_group(r, first)) return k + 1; /* look inside */
    k = behind_pair(r, k);
    while (k < r->n && !is(r, k, ";") && !is(r, k, "}")) k++;
    c_statements_add(r, C_OUTSIDE, first, k, -1);
    return k + 1;
}

bool c_statements_read(const struct c_tokens *tokens, struct c_statements *to) {
    struct reading r = {.t = tokens->list, .n = tokens->n, .to = to};
    *to = (struct c_statements){0};
    for (size_t k = 0; k < r.n && !r.failed;) k = outside(&r, k);
    if (r.failed) c_statements_free(to);
    return !r.failed;
}

void c_statements_free(struct c_statements *s) {
    free(s->list);
    *s = (struct c_statements){0};
}

int32_t c_statement_at(const struct c_tokens *t, const struct c_statements *s,
                       unsigned line) {
    int32_t found = -1;
    size_t size = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const struct c_statement *c = &s->list[i];
        if (c->first >= c->end || t->list[c->first].line > line ||
            t->list[c->end - 1].line < line || c->end - c->first > size)
            continue;
        found = (int32_t)i;
        size = c->end - c->first;
    }
    return found;
}

int32_t c_function_of(const struct c_statements *s, int32_t k) {
    while (k >= 0 && s->list[k].kind != C_FUNCTION) k = s->list[k].parent;
    return k;
}

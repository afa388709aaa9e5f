/* SPDX-License-Identifier: MIT
 *
 * changes.c: see changes.h. Looks at each statement, keeps the likeliest
 * changes, and writes the text that has them all.
 */
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"

enum {
    MOST_RISK = 2,
    NOTICED = 6000,  /* changes, of which CHANGES_MOST are kept */
    NEAR = 3,        /* lines */
    LATE_NEAR = 8,   /* for a line near a suspicious one; those themselves
                        have 0, 1, ... */
    LATE_OTHER = 12, /* for another line */
    LATE_FAR = 3,    /* what is tried later is not tried at other lines */
    LATE_UNREACHED = 100,
    LATE_KIND = 4 /* for each degree of changes.def */
};

static const unsigned how_late[N_CHANGES] = {
#define X(NAME, form, late, risk, fact) [CHANGE_##NAME] = late,
#include "changes.def"
#undef X
};
/* That it does not compile: 2 where types are guessed. */
static const unsigned risks[N_CHANGES] = {
#define X(NAME, form, late, risk, fact) [CHANGE_##NAME] = risk,
#include "changes.def"
#undef X
};

bool change_is(const struct changing *c, size_t k, const char *text) {
    return k < c->tokens.n && c_token_is(&c->tokens.list[k], text);
}

const char *change_begin(const struct changing *c, size_t k) {
    return c->tokens.list[k].at;
}

const char *change_end(const struct changing *c, size_t behind) {
    const struct c_token *t = &c->tokens.list[behind - 1];
    return t->at + t->size;
}

static int change_nests(const struct changing *c, size_t k) {
    if (change_is(c, k, "(") || change_is(c, k, "[") || change_is(c, k, "{"))
        return 1;
    if (change_is(c, k, ")") || change_is(c, k, "]") || change_is(c, k, "}"))
        return -1;
    return 0;
}

size_t change_behind(const struct changing *c, size_t k) {
    for (int open = 0; k < c->tokens.n; k++) {
        open += change_nests(c, k);
        if (open <= 0) return k + 1;
    }
    return k;
}

size_t change_before(const struct changing *c, size_t k) {
    for (int open = 0; k > 0; k--) {
        open += change_nests(c, k);
        if (open >= 0) return k;
    }
    return k;
}

/* Without comments, in one line: it is put into another one. */
char *change_text(const struct changing *c, size_t first, size_t end) {
    struct text t = {0};
    const char *to = first < end ? change_end(c, end) : NULL;
    for (const char *at = to ? change_begin(c, first) : NULL; at < to;) {
        const char *behind = c_behind_words(at);
        if (behind == at)
            text_add(&t, "%c", *at++ == '\n' ? ' ' : at[-1]);
        else if (*at == '/')
            at = behind;
        else
            for (; at < behind; at++) text_add(&t, "%c", *at);
    }
    if (!t.size) text_add(&t, "%s", "");
    return t.bytes ? t.bytes : text_format("%s", "");
}

/* ---- what a change is ---- */

static unsigned line_late(const struct changes_ask *ask, unsigned line) {
    unsigned near = LATE_OTHER;
    for (size_t i = 0; i < ask->n_lines; i++) {
        unsigned at = ask->lines[i];
        if (at == line) return (unsigned)i;
        if (at < line + NEAR && line < at + NEAR) near = LATE_NEAR;
    }
    return near;
}

unsigned changes_late(const struct changes_ask *ask,
                      const struct source_change *c) {
    return line_late(ask, c->line) + LATE_KIND * how_late[c->kind];
}

static bool may_change(const struct changes_ask *ask, unsigned line) {
    return !stub_lines_has(ask->stub, line) &&
           !(line < ask->n_barred && ask->barred[line]);
}

struct candidate_change *change_new(const struct change_at *at, size_t token,
                                    enum change_kind kind) {
    struct changing *c = at->c;
    unsigned line = c->tokens.list[token].line;
    if (c->is_type[token] || !may_change(c->ask, line) || c->n == NOTICED ||
        risks[kind] + c->ask->failures > MOST_RISK)
        return NULL;
    if (c->n == c->room) {
        size_t more = c->room ? 2 * c->room : 256;
        void *list = realloc(c->list, more * sizeof *c->list);
        c->failed |= !list;
        if (!list) return NULL;
        c->list = list;
        c->room = more;
    }
    unsigned far = line_late(c->ask, line);
    if (far == LATE_OTHER && how_late[kind] > LATE_FAR) return NULL;
    struct candidate_change *new = &c->list[c->n];
    *new = (struct candidate_change){
        .is = {.kind = kind, .line = line},
        .late = far + LATE_KIND * how_late[kind] +
                (c->reached && line < c->n_reached && !c->reached[line]
                     ? LATE_UNREACHED
                     : 0),
        .number = c->n};
    c->n++;
    return new;
}

/* In one line, with one blank where there are more. */
static void say_short(char to[CHANGE_TEXT], const char *text, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size && n + 4 < CHANGE_TEXT; i++) {
        bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t';
        if (blank && n && to[n - 1] == ' ') continue;
        to[n++] = text[i];
        if (blank) to[n - 1] = ' ';
        if (n + 4 == CHANGE_TEXT) {
            memcpy(to + n, "...", 3);
            n += 3;
        }
    }
    to[n] = 0;
}

void change_say(const struct change_at *at, struct candidate_change *new,
                size_t first, size_t end, char *now) {
    if (new &&end > first) {
        const char *from = change_begin(at->c, first);
        say_short(new->is.was, from, (size_t)(change_end(at->c, end) - from));
    }
    if (new &&now) say_short(new->is.now, now, strlen(now));
    free(now);
}

void change_wrap(const struct change_at *at, struct candidate_change *new,
                 const char *from, const char *to, char *before, char *after) {
    if (!new || new->n_wraps == CHANGE_WRAPS || !before || (to && !after)) {
        at->c->failed |= !before || (to && !after);
        free(before);
        free(after);
        return;
    }
    new->wraps[new->n_wraps++] = (struct change_wrap){from, to, before, after};
}

/* ---- the text ---- */

/* An insertion into the text. */
struct piece {
    const char *at;
    bool opens;
    const char *other; /* the end that belongs to it; NULL: none */
    size_t order;      /* number of the wrap */
    const char *text;
    size_t number;
};

/* What ends here comes before what begins; of two that begin, the longer one;
 * of two that end, the shorter one. */
static int by_offset(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->opens != y->opens) return x->opens ? 1 : -1;
    if (x->other != y->other) {
        if (!x->other || !y->other) return x->other ? 1 : -1;
        return x->other > y->other ? -1 : 1;
    }
    int turn = x->opens ? 1 : -1;
    return x->order < y->order ? -turn : turn;
}

static size_t pieces_of(const struct changing *c, size_t n,
                        struct piece *pieces) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < c->list[i].n_wraps; w++) {
            const struct change_wrap *r = &c->list[i].wraps[w];
            size_t order = i * CHANGE_WRAPS + w;
            pieces[k++] =
                (struct piece){r->from, true, r->to, order, r->before, i + 1};
            if (r->to)
                pieces[k++] = (struct piece){r->to, false,    r->from,
                                             order, r->after, i + 1};
        }
    return k;
}

static void add_piece(struct text *to, const struct piece *p) {
    for (const char *at = p->text; *at; at++)
        if (*at == '@')
            text_add(to, "%zu", p->number);
        else
            text_add(to, "%c", *at);
}

static char *write_all(const struct changing *c, size_t n) {
    struct text to = {0};
    const char *from = c->ask->text;
    struct piece *pieces = calloc(2 * CHANGE_WRAPS * n + 1, sizeof *pieces);
    if (!pieces) return NULL;
    size_t k = pieces_of(c, n, pieces);
    qsort(pieces, k, sizeof *pieces, by_offset);
    text_add(&to, "#include \"" CHANGES_HEADER "\"\n#line 1\n");
    for (size_t i = 0; i < k; i++) {
        text_add(&to, "%.*s", (int)(pieces[i].at - from), from);
        add_piece(&to, &pieces[i]);
        from = pieces[i].at;
    }
    text_add(&to, "%s", from);
    free(pieces);
    return to.bytes;
}

/* ---- all of them ---- */

/* Names, numbers and commas behind a sign that stands right behind a name, up
 * to a closing one: x<T, 4>. */
static size_t behind_types(const struct changing *c, size_t k) {
    enum { MOST = 16 };
    size_t end = k + 1;
    if (c->tokens.list[k - 1].kind != C_NAME ||
        c->tokens.list[k - 1].at + c->tokens.list[k - 1].size !=
            c->tokens.list[k].at)
        return k;
    while (end < c->tokens.n && end < k + MOST &&
           (c->tokens.list[end].kind != C_SIGN || change_is(c, end, ",") ||
            change_is(c, end, "::") || change_is(c, end, "*")))
        end++;
    return change_is(c, end, ">") ? end + 1 : k;
}

/* In <...> of a template. */
static void mark_types(struct changing *c) {
    static const char *const behind[] = {"(", "::", "{", "<<<", "*",
                                         "&", ",",  ")", ">",   ";"};
    for (size_t k = 1; k + 1 < c->tokens.n; k++) {
        size_t end = change_is(c, k, "<") ? behind_types(c, k) : k;
        if (end == k || end >= c->tokens.n) continue;
        bool is_type = c->tokens.list[end].kind == C_NAME;
        for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
            is_type |= change_is(c, end, behind[i]);
        for (size_t i = k; is_type && i < end; i++) c->is_type[i] = true;
    }
}

/* int a[2]: the size, which must be a constant. */
static void mark_sizes(struct changing *c) {
    for (size_t i = 0; i < c->n_names; i++) {
        size_t k = c->names[i].at + 1;
        while (change_is(c, k, "[")) {
            size_t end = change_behind(c, k);
            for (; k < end; k++) c->is_type[k] = true;
        }
    }
}

static void mark_depth(struct changing *c) {
    int depth = 0;
    for (size_t k = 0; k < c->tokens.n; k++) {
        depth += change_is(c, k, "{") - change_is(c, k, "}");
        c->depth[k] = depth;
    }
}

/* Words of a statement in which nothing can be put behind a number. */
static bool is_left_out(const struct changing *c, const struct c_statement *s) {
    static const char *const words[] = {
        "asm",     "constexpr", "static_assert", "__shared__",     "extern",
        "case",    "static",    "default",       "using",          "typedef",
        "enum",    "struct",    "goto",          "template",       "sizeof",
        "__asm__", "operator",  "switch",        "_Static_assert", "lambda"};
    for (size_t k = s->first; k < s->end; k++) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(words[i], "sizeof") != 0 && change_is(c, k, words[i]))
                return true;
        if (change_is(c, k, "[") && k + 1 < s->end &&
            (change_is(c, k + 1, "&") || change_is(c, k + 1, "=") ||
             change_is(c, k + 1, "]")))
            return true; /* a lambda, or an array's type */
    }
    return false;
}

/* const int x = 32 / 4: may be an array's size. */
static bool is_constant(const struct changing *c, const struct c_statement *s) {
    if (!change_is(c, s->first, "const")) return false;
    for (size_t k = s->first; k < s->end; k++)
        if (change_is(c, k, "(") || change_is(c, k, "[") ||
            change_is(c, k, "."))
            return false;
    return true;
}

static void look_at_statement(struct changing *c, int32_t i) {
    const struct c_statement *s = &c->statements.list[i];
    if (s->kind == C_FUNCTION || s->kind == C_OUTSIDE || s->first >= s->end ||
        c_function_of(&c->statements, i) < 0 || is_left_out(c, s) ||
        is_constant(c, s))
        return;
    const struct change_at at = {
        .c = c,
        .statement = i,
        .first = s->first,
        .end = s->end,
        .kind = s->kind,
        .declares = s->kind == C_PLAIN && change_declares(c, s->first, s->end)};
    changes_of_signs(&at);
    changes_of_conditions(&at);
    changes_of_names(&at);
    changes_of_indices(&at);
    changes_of_calls(&at);
    changes_of_whole(&at);
}

static void free_wraps(struct candidate_change *c) {
    for (size_t w = 0; w < c->n_wraps; w++) {
        free(c->wraps[w].before);
        free(c->wraps[w].after);
    }
}

static int by_late(const void *a, const void *b) {
    const struct candidate_change *x = a, *y = b;
    if (x->late != y->late) return x->late < y->late ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool changes_keep(struct changing *c, struct changes *to) {
    size_t n = c->n < CHANGES_MOST ? c->n : CHANGES_MOST;
    if (!n || c->failed) return false;
    qsort(c->list, c->n, sizeof *c->list, by_late);
    to->list = calloc(n, sizeof *to->list);
    to->text = to->list ? write_all(c, n) : NULL;
    if (!to->text) return false;
    for (size_t i = 0; i < n; i++) to->list[i] = c->list[i].is;
    to->n = n;
    return true;
}

bool changes_make(const struct changes_ask *ask, struct changes *to) {
    struct changing *c = calloc(1, sizeof *c);
    bool ok = c && c_tokens_read(ask->text, &c->tokens) &&
              c_statements_read(&c->tokens, &c->statements);
    *to = (struct changes){0};
    if (ok) {
        c->ask = ask;
        c->depth = calloc(c->tokens.n + 1, sizeof *c->depth);
        c->is_type = calloc(c->tokens.n + 1, sizeof *c->is_type);
        ok = c->depth && c->is_type;
    }
    if (ok) {
        mark_depth(c);
        mark_types(c);
        change_find_names(c);
        mark_sizes(c);
        if (ask->entry)
            c->reached = changes_reached(ask->text, ask->entry, &c->n_reached);
        for (size_t i = 0; i < c->statements.n; i++)
            look_at_statement(c, (int32_t)i);
        ok = changes_keep(c, to);
    }
    if (!c) return false;
    for (size_t i = 0; i < c->n; i++) free_wraps(&c->list[i]);
    free(c->list);
    free(c->depth);
    free(c->reached);
    free(c->is_type);
    c_statements_free(&c->statements);
    c_tokens_free(&c->tokens);
    free(c);
    return ok;
}

void changes_free(struct changes *c) {
    free(c->list);
    free(c->text);
    *c = (struct changes){0};
}

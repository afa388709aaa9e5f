/* SPDX-License-Identifier: MIT
 *
 * read.c: the parts of a litmus file: header, first values, the table of
 * threads, the tree of scopes, and what is asked.
 *
 * How to read this: first values name registers of threads, and stand before
 * the table that has the threads. So the parts are found first, and the table
 * is read before them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

enum { MAX_TREE = 16 /* depth */ };

/* ---- header ---- */

static bool read_name(struct litmus_cursor *c, struct litmus *t) {
    litmus_take(c, "LITMUS");
    if (!litmus_take(c, "PTX") && !litmus_take(c, "ptx"))
        return litmus_fail(c, "the file does not begin with PTX");
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) c->at++;
    size_t n = 0;
    while (c->at + n < c->end && !isspace((unsigned char)c->at[n])) n++;
    if (!n || n >= LITMUS_NAME)
        return litmus_fail(c, "a name of less than %d bytes is expected",
                           LITMUS_NAME);
    for (size_t k = 0; k < n; k++)
        if (!isgraph((unsigned char)c->at[k]))
            return litmus_fail(c, "the name has strange characters");
    memcpy(t->name, c->at, n);
    c->at += n;
    return true;
}

/* Lines between the name and the first values: "Allowed=", "Unseen=". */
static bool read_lists(struct litmus_cursor *c, struct litmus *t) {
    while (c->at < c->end) {
        const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
        struct litmus_cursor line = *c;
        line.end = end ? end : c->end;
        bool good = true;
        litmus_skip(&line);
        if (litmus_take(&line, "Allowed") && litmus_take(&line, "=")) {
            t->lists_allowed = true;
            good = litmus_read_outcomes(&line, t, t->allowed, &t->n_allowed);
        } else if (litmus_take(&line, "Unseen") && litmus_take(&line, "=")) {
            good = litmus_read_outcomes(&line, t, t->unseen, &t->n_unseen);
        }
        if (!good) return false;
        c->at = end ? end + 1 : c->end;
    }
    return true;
}

/* ---- first values ---- */

static bool read_first(struct litmus_cursor *c, struct litmus *t) {
    char name[LITMUS_NAME];
    uint32_t thread = 0, at = 0;
    while (litmus_take(c, "int") || litmus_take(c, ".u32")) continue;
    bool brackets = litmus_take(c, "[");
    bool is_register = !brackets && litmus_thread_colon(c, t, &thread);
    if (is_register) litmus_take(c, "%");
    if (c->why->size || !litmus_word(c, name)) return false;
    if (brackets) litmus_take(c, "]");
    struct litmus_thread *of = &t->threads[thread];
    if (is_register ? !litmus_register(c, of, name, &at)
                    : !litmus_location(c, t, name, &at))
        return false;
    if (litmus_take(c, "@")) return litmus_fail(c, "proxies are not supported");
    if (!litmus_take(c, "=")) return true;
    litmus_skip(c);
    if (c->at < c->end && *c->at != '-' && !isdigit((unsigned char)*c->at))
        return litmus_fail(c, "values that are addresses are not supported");
    return litmus_number(c, is_register ? &of->first[at] : &t->first[at]);
}

static bool read_firsts(struct litmus_cursor *c, struct litmus *t) {
    for (litmus_skip(c); c->at < c->end; litmus_skip(c))
        if (!litmus_take(c, ";") && !read_first(c, t)) return false;
    return true;
}

/* ---- threads ---- */

/* "P0@cta 0,gpu 0" or "P0". */
static bool read_thread(struct litmus_cursor *c, struct litmus *t) {
    char name[LITMUS_NAME], *end;
    int32_t cta = (int32_t)t->n_threads, gpu = 0;
    if (!litmus_word(c, name)) return false;
    unsigned long number = strtoul(name + 1, &end, 10);
    if (!strchr("PT", *name) || !name[1] || *end || number >= 1 << 20)
        return litmus_fail(c, "a thread is called P and a number");
    if (t->n_threads == LITMUS_THREADS)
        return litmus_fail(c, "more than %d threads", LITMUS_THREADS);
    if (litmus_take(c, "@") &&
        (!(litmus_take(c, "cta") || litmus_fail(c, "cta is expected")) ||
         !litmus_number(c, &cta) ||
         (litmus_take(c, ",") &&
          (!(litmus_take(c, "gpu") || litmus_fail(c, "gpu is expected")) ||
           !litmus_number(c, &gpu)))))
        return false;
    struct litmus_thread *of = &t->threads[t->n_threads++];
    of->number = (uint32_t)number;
    of->cta = (uint32_t)cta;
    of->gpu = (uint32_t)gpu;
    return true;
}

static bool read_threads(struct litmus_cursor *c, struct litmus *t) {
    do {
        if (!read_thread(c, t)) return false;
    } while (litmus_take(c, "|"));
    return litmus_take(c, ";") || litmus_fail(c, "a ; is expected");
}

static bool read_rows(struct litmus_cursor *c, struct litmus *t) {
    uint32_t thread = 0;
    for (litmus_skip(c); c->at < c->end; litmus_skip(c)) {
        struct litmus_cursor cell = *c;
        while (cell.end > cell.at && c->at < c->end && *c->at != '|' &&
               *c->at != ';')
            c->at++;
        cell.end = c->at;
        if (c->at == c->end) return litmus_fail(c, "a ; is expected");
        if (thread == t->n_threads)
            return litmus_fail(&cell, "more cells than threads");
        if (!litmus_cell(&cell, t, &t->threads[thread])) return false;
        thread = *c->at == ';' ? 0 : thread + 1;
        c->at++;
    }
    return true;
}

/* Every label that a branch names stands somewhere, once. */
static bool check_labels(struct litmus_cursor *c, const struct litmus *t) {
    for (uint32_t k = 0; k < t->n_threads; k++) {
        const struct litmus_thread *of = &t->threads[k];
        uint32_t n[LITMUS_LABELS] = {0};
        for (uint32_t i = 0; i < of->n_insns; i++)
            if (of->insns[i].kind == LITMUS_LABEL) n[of->insns[i].label]++;
        for (uint32_t l = 0; l < of->n_labels; l++)
            if (n[l] != 1)
                return litmus_fail(c, "label %s stands %u times in P%u",
                                   of->labels[l], n[l], of->number);
    }
    return true;
}

/* ---- the tree of scopes ---- */

struct tree {
    uint32_t gpu, cta; /* the latest */
    int depth;
};

static bool read_tree(struct litmus_cursor *c, struct litmus *t,
                      struct tree *in);

static bool read_branch(struct litmus_cursor *c, struct litmus *t,
                        struct tree *in) {
    if (litmus_take(c, "gpu") || litmus_take(c, "device")) {
        in->gpu++;
        in->cta++;
    } else if (litmus_take(c, "cta") || litmus_take(c, "block") ||
               litmus_take(c, "work_group")) {
        in->cta++;
    } else {
        char name[LITMUS_NAME];
        if (!litmus_word(c, name)) return false;
        for (uint32_t k = 0; k < t->n_threads; k++) {
            char own[LITMUS_NAME];
            snprintf(own, sizeof own, "%u", t->threads[k].number);
            if (!strchr("PT", *name) || strcmp(name + 1, own)) continue;
            t->threads[k].gpu = in->gpu;
            t->threads[k].cta = in->cta;
        }
    }
    return true;
}

static bool read_tree(struct litmus_cursor *c, struct litmus *t,
                      struct tree *in) {
    if (++in->depth > MAX_TREE)
        return litmus_fail(c, "the tree of scopes nests too deep");
    while (!litmus_take(c, ")")) {
        litmus_skip(c);
        if (c->at == c->end) return litmus_fail(c, "a ) is expected");
        if (litmus_take(c, "(") ? !read_tree(c, t, in) : !read_branch(c, t, in))
            return false;
    }
    in->depth--;
    return true;
}

/* ---- what is asked ---- */

static bool read_locations(struct litmus_cursor *c, struct litmus *t) {
    uint32_t observed;
    if (!litmus_take(c, "[")) return litmus_fail(c, "a [ is expected");
    while (!litmus_take(c, "]"))
        if (!litmus_take(c, ";") && !litmus_read_place(c, t, &observed))
            return false;
    return true;
}

static bool read_question(struct litmus_cursor *c, struct litmus *t) {
    bool asked = false;
    for (litmus_skip(c); c->at < c->end; litmus_skip(c)) {
        struct tree tree = {0};
        if (litmus_take(c, "scopeTree") || litmus_take(c, "ScopeTree") ||
            litmus_take(c, "scopes:")) {
            if (!litmus_take(c, "(")) return litmus_fail(c, "a ( is expected");
            if (!read_tree(c, t, &tree)) return false;
        } else if (litmus_take(c, "filter")) {
            if (!litmus_read_condition(c, t, &t->filter)) return false;
        } else if (litmus_take(c, "locations")) {
            if (!read_locations(c, t)) return false;
        } else {
            bool none = litmus_take(c, "~") || litmus_take(c, "not");
            bool all = !none && litmus_take(c, "forall");
            if (asked || (!all && !litmus_take(c, "exists")))
                return litmus_fail(c, "exists, ~exists or forall is expected");
            t->quantifier = all    ? LITMUS_FORALL
                            : none ? LITMUS_NOT_EXISTS
                                   : LITMUS_EXISTS;
            asked = true;
            if (!litmus_read_condition(c, t, &t->condition)) return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

/* GPUs are numbered as they come; more than there are share the last one. */
static uint32_t gpu_of(struct litmus *t, uint32_t k) {
    uint32_t seen[LITMUS_THREADS], n = 0;
    for (uint32_t j = 0; j <= k; j++) {
        uint32_t at = 0;
        while (at < n && seen[at] != t->threads[j].gpu) at++;
        if (at == n) seen[n++] = t->threads[j].gpu;
        if (j < k) continue;
        uint32_t gpu = at < LITMUS_GPUS ? at : LITMUS_GPUS - 1;
        if (gpu >= t->n_gpus) t->n_gpus = gpu + 1;
        return gpu;
    }
    return 0;
}

/* Threads of one cta of one gpu are warps of one block. */
static void place_threads(struct litmus *t) {
    for (uint32_t k = 0; k < t->n_threads; k++) {
        struct litmus_thread *of = &t->threads[k];
        of->block = t->n_blocks;
        for (uint32_t j = 0; j < k; j++) {
            const struct litmus_thread *other = &t->threads[j];
            if (other->cta != of->cta || other->gpu != of->gpu) continue;
            of->block = other->block;
            of->warp = other->warp + 1;
        }
        if (of->block == t->n_blocks) t->n_blocks++;
        t->blocks_of[gpu_of(t, k)] |= 1ull << of->block;
        if (of->warp >= t->n_warps) t->n_warps = of->warp + 1;
    }
}

/* Where the question begins: behind the table. */
static const char *end_of_rows(const struct litmus_cursor *c) {
    static const char *const words[] = {"exists",    "forall",    "filter",
                                        "locations", "scopeTree", "ScopeTree",
                                        "scopes:",   "~",         "not"};
    struct litmus_cursor p = *c;
    while (p.at < p.end) {
        litmus_skip(&p);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            struct litmus_cursor q = p;
            if (litmus_take(&q, words[k])) return p.at;
        }
        /* An instruction may have any word, but not behind ; */
        while (p.at < p.end && *p.at != ';') p.at++;
        if (p.at < p.end) p.at++;
    }
    return p.end;
}

static bool read_read_all(struct litmus_cursor *c, struct litmus *t) {
    const char *open = memchr(c->at, '{', (size_t)(c->end - c->at));
    const char *close =
        open ? memchr(open, '}', (size_t)(c->end - open)) : NULL;
    if (!close) return litmus_fail(c, "first values in braces are expected");
    struct litmus_cursor header = *c, firsts = *c, rows = *c, question = *c;
    header.end = open;
    firsts.at = open + 1;
    firsts.end = close;
    rows.at = close + 1;
    if (!read_name(&header, t) || !read_threads(&rows, t)) return false;
    question.at = rows.end = end_of_rows(&rows);
    if (!read_firsts(&firsts, t) || !read_rows(&rows, t) ||
        !check_labels(&rows, t) || !read_question(&question, t) ||
        !read_lists(&header, t))
        return false;
    place_threads(t);
    return true;
}

struct litmus *litmus_read(const char *text, size_t bytes, struct text *why) {
    struct litmus_cursor c = {
        .begin = text, .at = text, .end = text + bytes, .why = why};
    struct litmus *t = calloc(1, sizeof *t);
    if (t && read_read_all(&c, t)) return t;
    if (!why->size) text_add(why, "out of memory");
    free(t);
    return NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * case.c: see case.h.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "begin.h"
#include "case.h"
#include "element.h"
#include "header.h"

struct reader {
    struct conformance_case *c;
    const char *path;
    unsigned line;
    char *rest; /* of the line, after its key */
    FILE *ptx;  /* becomes the case's */
    char target[16], version[8];
    bool is_headed;                           /* has them, in ptx */
    enum { NO_KERNEL, OPENED, CLOSED } begun; /* the kernel of begin */
};

static bool wrong(const struct reader *r, const char *format, ...) {
    va_list a;
    va_start(a, format);
    fprintf(stderr, "%s:%u: ", r->path, r->line);
    vfprintf(stderr, format, a);
    fprintf(stderr, "\n");
    va_end(a);
    return false;
}

/* ---- formulas over a case ---- */
struct scope {
    const struct conformance_case *c;
    int64_t i;
};

static bool look_up(void *user, const char *name, size_t bytes, bool indexed,
                    int64_t index, struct value *out) {
    const struct scope *s = user;
    if (bytes == 1 && *name == 'i' && !indexed) {
        *out = (struct value){.i = s->i, .f = (double)s->i};
        return true;
    }
    for (unsigned k = 0; k < s->c->n_params; k++) {
        const struct case_param *p = &s->c->params[k];
        if (strlen(p->name) != bytes || memcmp(p->name, name, bytes)) continue;
        if (index < 0 || (size_t)index >= p->count) return false;
        if (indexed != (p->is_buffer || p->count > 1)) return false;
        *out = element_load(p->type, p->bytes + (size_t)index * p->type->bytes);
        return true;
    }
    return false;
}

static const char *evaluate(const struct conformance_case *c, const char *text,
                            size_t i, struct value *v, const char **end) {
    struct scope s = {c, (int64_t)i};
    return expr_evaluate(text, look_up, &s, v, end);
}

/* ---- header lines ---- */
static bool read_triple(const char *text, uint32_t out[3]) {
    out[0] = out[1] = out[2] = 1;
    return sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &out[0], &out[1],
                  &out[2]) >= 1;
}

static bool read_run(struct reader *r) {
    struct conformance_case *c = r->c;
    for (char *w = strtok(r->rest, " "); w; w = strtok(NULL, " ")) {
        char *value = strchr(w, '=');
        if (!value) return wrong(r, "expected name=value, not %s", w);
        *value++ = 0;
        bool ok = true;
        if (!strcmp(w, "kernel"))
            ok = snprintf(c->kernel, sizeof c->kernel, "%s", value) <
                 (int)sizeof c->kernel;
        else if (!strcmp(w, "grid"))
            ok = read_triple(value, c->grid);
        else if (!strcmp(w, "block"))
            ok = read_triple(value, c->block);
        else if (!strcmp(w, "smem"))
            c->smem_bytes = strtoul(value, NULL, 0);
        else
            ok = false;
        if (!ok) return wrong(r, "run: does not understand %s", w);
    }
    return true;
}

static bool fill_param(struct reader *r, struct case_param *p,
                       const char *text) {
    p->bytes = calloc(p->count ? p->count : 1, p->type->bytes);
    if (!p->bytes) return wrong(r, "out of memory");
    for (size_t i = 0; text && i < p->count; i++) {
        struct value v;
        const char *why = evaluate(r->c, text, i, &v, NULL);
        if (why) return wrong(r, "%s: %s", text, why);
        element_store(p->type, p->bytes + i * p->type->bytes, v);
    }
    return true;
}

/* "{1, 2, 3}" */
static bool fill_list(struct reader *r, struct case_param *p, const char *at) {
    p->bytes = calloc(64, p->type->bytes);
    if (!p->bytes) return wrong(r, "out of memory");
    for (at++; *at && *at != '}'; at += *at == ',') {
        struct value v;
        const char *why = evaluate(r->c, at, 0, &v, &at);
        if (why || p->count == 64) return wrong(r, "bad list");
        element_store(p->type, p->bytes + p->count++ * p->type->bytes, v);
    }
    return *at == '}' || wrong(r, "expected }");
}

static bool read_param(struct reader *r) {
    struct conformance_case *c = r->c;
    if (c->n_params == CASE_PARAMS) return wrong(r, "too many parameters");
    struct case_param *p = &c->params[c->n_params];
    char *at = r->rest;
    p->type = element_type(at);
    if (!p->type) return wrong(r, "param: no such type: %s", at);
    at += strlen(p->type->name);
    at += strspn(at, " ");
    c->n_params++; /* from here on case_free sees it */
    char *equals = strchr(at, '=');
    if (isalpha((unsigned char)*at)) {
        size_t n = strcspn(at, " [=");
        if (n >= sizeof p->name) return wrong(r, "name too long");
        memcpy(p->name, at, n);
        at += n;
        at += strspn(at, " ");
        if (*at == '[') {
            p->is_buffer = true;
            p->count = strtoul(at + 1, NULL, 0);
        } else if (!equals) {
            return wrong(r, "param: expected [ or =");
        }
        at = equals ? equals + 1 : NULL;
    }
    if (at) at += strspn(at, " ");
    if (at && *at == '{') return fill_list(r, p, at);
    if (!p->is_buffer) p->count = 1;
    return fill_param(r, p, at);
}

static bool read_contents(struct reader *r) {
    struct conformance_case *c = r->c;
    if (c->n_expects == CASE_EXPECTS) return wrong(r, "too many expectations");
    struct case_expect *e = &c->expects[c->n_expects++];
    char *at = r->rest;
    size_t n = strcspn(at, " [=:");
    for (e->param = 0; e->param < c->n_params; e->param++) {
        const struct case_param *p = &c->params[e->param];
        if (p->is_buffer && strlen(p->name) == n && !memcmp(p->name, at, n))
            break;
    }
    if (e->param == c->n_params) return wrong(r, "expect: no such buffer");
    size_t count = c->params[e->param].count;
    e->line = r->line;
    e->to = count - 1;
    at += n;
    if (*at == '[') {
        e->from = e->to = strtoul(at + 1, &at, 0);
        if (!strncmp(at, "..", 2)) e->to = strtoul(at + 2, &at, 0);
        if (*at++ != ']') return wrong(r, "expect: expected ]");
    }
    at += strspn(at, " ");
    if (*at != '=' && *at != ':') return wrong(r, "expect: expected = or :");
    e->is_list = *at == ':';
    e->text = at + 1;
    return e->to < count || wrong(r, "expect: out of range");
}

static bool read_word(struct reader *r, struct case_words *words) {
    if (words->n == CASE_WORDS) return wrong(r, "too many of these");
    struct case_word *w = &words->list[words->n++];
    w->line = r->line;
    snprintf(w->text, sizeof w->text, "%s", r->rest);
    return true;
}

static bool read_count(struct reader *r) {
    char *space = strchr(r->rest, ' ');
    if (!space) return wrong(r, "expect: count: expected a name and a number");
    *space = 0;
    struct case_words *w = &r->c->counts;
    if (!read_word(r, w)) return false;
    w->list[w->n - 1].number = strtoull(space + 1, NULL, 0);
    return true;
}

/* Takes a word and blanks off the rest, unless what follows says that it is a
 * buffer's name. */
static bool takes(struct reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->rest, word, n) || r->rest[n] != ' ') return false;
    char *next = r->rest + n + strspn(r->rest + n, " ");
    if (*next == '=' || *next == ':') return false;
    r->rest = next;
    return true;
}

static bool read_expect(struct reader *r) {
    struct conformance_case *c = r->c;
    if (takes(r, "finding")) return read_word(r, &c->findings);
    if (takes(r, "prints")) return read_word(r, &c->prints);
    if (takes(r, "count")) return read_count(r);
    if (!takes(r, "error")) return read_contents(r);
    snprintf(c->error, sizeof c->error, "%s", r->rest);
    return true;
}

/* In front of the first text. */
static bool write_head(struct reader *r) {
    if (!r->is_headed) begin_file(r->ptx, r->version, r->target);
    r->is_headed = true;
    return true;
}

static bool read_begin(struct reader *r) {
    r->begun = OPENED;
    return write_head(r) && begin_kernel(r->ptx, r->c, r->rest);
}

static bool read_for(struct reader *r) {
    return sscanf(r->rest, "%15s %7s", r->target, r->version) == 2 ||
           wrong(r, "for: expected a target and a version");
}

static bool read_part(struct reader *);

static bool read_header(struct reader *r, const char *key) {
    struct conformance_case *c = r->c;
    if (!strcmp(key, "run")) return read_run(r);
    if (!strcmp(key, "param")) return read_param(r);
    if (!strcmp(key, "expect")) return read_expect(r);
    if (!strcmp(key, "begin")) return read_begin(r);
    if (!strcmp(key, "for")) return read_for(r);
    if (!strcmp(key, "use")) return read_part(r);
    if (!strcmp(key, "checks"))
        snprintf(c->checks, sizeof c->checks, "%s", r->rest);
    else if (!strcmp(key, "gpu"))
        snprintf(c->not_on_gpu, sizeof c->not_on_gpu, "%s", r->rest);
    else if (strcmp(key, "what") && strcmp(key, "says"))
        return wrong(r, "no header line of this kind: %s", key);
    return true;
}

/* A header line, or text that is copied. */
static bool read_line(struct reader *r, char *line) {
    char *key;
    if (r->begun == OPENED && *line == '}') r->begun = CLOSED;
    if (strncmp(line, "//", 2)) write_head(r);
    switch (header_read(line, &key, &r->rest)) {
    case HEADER_NONE: return fprintf(r->ptx, "%s\n", line) >= 0;
    case HEADER_LINE: return read_header(r, key);
    default: return wrong(r, "no header line: %s", line);
    }
}

static bool read_lines(struct reader *r, char *at) {
    bool ok = true;
    while (ok && *at) {
        char *line = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = 0;
        r->line++;
        ok = read_line(r, line);
    }
    return ok;
}

/* Lines that several cases share: a file beside this one. */
static bool read_part(struct reader *r) {
    struct conformance_case *c = r->c;
    struct reader outer = *r;
    struct text *part = &c->parts[c->n_parts];
    const char *name = strrchr(r->path, '/');
    char path[4096];
    if (c->n_parts == CASE_PARTS) return wrong(r, "too many parts");
    snprintf(path, sizeof path, "%.*s%s", name ? (int)(name + 1 - r->path) : 0,
             r->path, r->rest);
    if (text_read_file(part, path, SIZE_MAX))
        return wrong(r, "%s cannot be read", path);
    c->n_parts++;
    r->path = path;
    r->line = 0;
    bool ok = read_lines(r, part->bytes);
    r->path = outer.path;
    r->line = outer.line;
    return ok;
}

bool case_read(struct conformance_case *c, const char *path) {
    *c = (struct conformance_case){
        .kernel = "main", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct reader r = {
        .c = c, .path = path, .target = "sm_75", .version = "8.0"};
    if (text_read_file(&c->text, path, SIZE_MAX))
        return wrong(&r, "cannot be read");
    r.ptx = open_memstream(&c->ptx, &c->bytes);
    if (!r.ptx) return wrong(&r, "out of memory");
    r.is_headed = strstr(c->text.bytes, "\n.version") != NULL;
    bool ok = read_lines(&r, c->text.bytes);
    if (r.begun == OPENED) fputs("    ret;\n}\n", r.ptx);
    if (fclose(r.ptx)) return wrong(&r, "out of memory");
    c->bytes++; /* the zero at its end */
    if (!ok) return false;
    if (!c->n_expects && !*c->error && !c->prints.n && !c->findings.n)
        return wrong(&r, "expects nothing");
    return true;
}

void case_free(struct conformance_case *c) {
    for (unsigned k = 0; k < c->n_params; k++) free(c->params[k].bytes);
    for (unsigned k = 0; k < c->n_parts; k++) text_free(&c->parts[k]);
    free(c->ptx);
    text_free(&c->text);
}

size_t case_param_bytes(const struct case_param *p) {
    return p->is_buffer ? 8 : p->count * p->type->bytes;
}

/* ---- judging ---- */
static bool meets(const struct conformance_case *c, const struct case_expect *e,
                  const char *path, const uint8_t *result) {
    const struct case_param *p = &c->params[e->param];
    const char *at = e->text;
    for (size_t i = e->from; i <= e->to; i++) {
        if (e->is_list) at += strspn(at, " ");
        if (e->is_list && !*at) break;
        struct value v;
        const char *why = evaluate(c, at, i, &v, e->is_list ? &at : NULL);
        if (why) {
            fprintf(stderr, "%s:%u: %s at i = %zu\n", path, e->line, why, i);
            return false;
        }
        uint8_t want[8];
        element_store(p->type, want, v);
        const uint8_t *got = result + i * p->type->bytes;
        if (element_same(p->type, want, got)) continue;
        fprintf(stderr, "%s:%u: %s[%zu]: expected ", path, e->line, p->name, i);
        element_print(p->type, want);
        fprintf(stderr, ", got ");
        element_print(p->type, got);
        fprintf(stderr, "\n");
        return false;
    }
    return true;
}

unsigned case_judge(const struct conformance_case *c, const char *path,
                    uint8_t *const results[CASE_PARAMS]) {
    unsigned n = 0;
    for (unsigned k = 0; k < c->n_expects; k++)
        n += !meets(c, &c->expects[k], path, results[c->expects[k].param]);
    return n;
}

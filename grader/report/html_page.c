/* SPDX-License-Identifier: MIT
 *
 * html_page.c: see html_page.h.
 */
#include "html_page.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "html_escape.h"
#include "json_parts.h"
#include "report.h"
#include "translate.h"

/* ---- data ---- */

/* In JSON these stand in strings only; a parser of markup takes none of it for
 * the end of the script element, or for a comment. */
static const char *script_safe(char c) {
    return c == '<'   ? "\\u003c"
           : c == '>' ? "\\u003e"
           : c == '&' ? "\\u0026"
                      : NULL;
}

static int put_data(const char *bytes, size_t size, void *to) {
    for (size_t i = 0; i < size; i++) {
        const char *safe = script_safe(bytes[i]);
        if ((safe ? fputs(safe, to) : fputc(bytes[i], to)) == EOF) return -1;
    }
    return 0;
}

enum { DUMP = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY };

/* The sentences of the page's script in the page's language. */
static json_t *words(void) {
    static const char *const english[] = {
#define X(said) N_(said),
#include "page_words.def"
#undef X
    };
    json_t *all = json_object();
    for (size_t i = 0; i < sizeof english / sizeof *english; i++)
        if (strcmp(_(english[i]), english[i]) != 0)
            json_object_set_new(all, english[i], json_string(_(english[i])));
    return all;
}

/* ---- bounds ---- */

static int count_data(const char *bytes, size_t size, void *user) {
    size_t *n = user;
    for (size_t i = 0; i < size; i++)
        *n += script_safe(bytes[i]) ? strlen(script_safe(bytes[i])) : 1;
    return 0;
}

size_t html_bytes(const json_t *value) {
    size_t n = 0;
    json_dump_callback(value, count_data, &n, DUMP);
    return n;
}

/* Bytes that a character of clean text takes in the page's JSON. */
static size_t cost(const char *at) {
    unsigned char c = (unsigned char)*at;
    if (c >= 0x80) return c >= 0xf0 ? 12 : 6;
    return script_safe(*at) || (c < ' ' && c != '\n') ? 6
           : c == '"' || c == '\\' || c == '\n'       ? 2
                                                      : 1;
}

static size_t length_of(const char *at) {
    size_t n = 1;
    while (((unsigned char)at[n] & 0xc0) == 0x80) n++;
    return n;
}

/* What stands in `most` bytes of a page, not cut within a character. */
static size_t kept_of(const char *text, size_t most) {
    size_t kept = 0, bytes = 0;
    while (text[kept]) {
        bytes += cost(text + kept);
        if (bytes > most) break;
        kept += length_of(text + kept);
    }
    return kept;
}

/* NULL: it need not be cut. */
static json_t *shorter(const char *text, size_t most) {
    size_t kept = kept_of(text, most), size = strlen(text);
    if (kept == size) return NULL;
    char *more = text_format(_("%zu more bytes"), size - kept);
    char *cut =
        text_format("%.*s \xe2\x80\xa6 %s", (int)kept, text, more ? more : "");
    free(more);
    json_t *value = cut ? json_string(cut) : NULL;
    free(cut);
    return value;
}

json_t *html_text(const char *text, size_t most) {
    if (!text) return json_null();
    char *clean = clean_text(text);
    if (!clean) return NULL;
    json_t *cut = shorter(clean, most);
    if (!cut) cut = json_string(clean);
    free(clean);
    return cut;
}

json_t *html_own(char *text, size_t most) {
    json_t *value = html_text(text, most);
    free(text);
    return value;
}

json_t *html_cut(json_t *value, size_t most) {
    const char *key;
    json_t *part;
    void *next;
    size_t i;
    if (json_is_string(value)) {
        json_t *cut = shorter(json_string_value(value), most);
        if (cut) json_string_set(value, json_string_value(cut));
        json_decref(cut);
    }
    json_object_foreach_safe(value, next, key, part) html_cut(part, most);
    json_array_foreach(value, i, part) html_cut(part, most);
    return value;
}

/* ---- the template ---- */

struct filling {
    const char *title, *text, *engine;
    json_t *data;
};

static bool put_language(FILE *to, const struct filling *f) {
    (void)f;
    return fputs(_("en"), to) != EOF;
}

static bool put_title(FILE *to, const struct filling *f) {
    return html_escape(to, f->title, HTML_NAME);
}

static bool put_text(FILE *to, const struct filling *f) {
    return html_escape(to, f->text, HTML_TEXT);
}

static bool put_json(FILE *to, const struct filling *f) {
    return json_dump_callback(f->data, put_data, to, DUMP) == 0;
}

/* ---- the engine: its lines, from 0 on ---- */

static const char *engine_line(const char *engine, int line) {
    while (engine && line--) {
        engine = strchr(engine, '\n');
        if (engine) engine++;
    }
    return engine;
}

bool report_engine_fits(const char *engine, const char *version) {
    size_t size = strlen(version);
    return engine && strncmp(engine, version, size) == 0 &&
           engine[size] == '\n' && engine_line(engine, 2);
}

static bool put_policy(FILE *to, const struct filling *f) {
    const char *line = engine_line(f->engine, 1);
    size_t size = line ? strcspn(line, "\n") : 0;
    return !size || fwrite(line, size, 1, to) == 1;
}

static bool put_engine(FILE *to, const struct filling *f) {
    const char *rest = engine_line(f->engine, 2);
    return !rest || fputs(rest, to) != EOF;
}

static const struct mark {
    const char *name;
    bool (*put)(FILE *, const struct filling *);
} marks[] = {{"@LANGUAGE@", put_language},
             {"@TITLE@", put_title},
             {"@TEXT@", put_text},
             {"@DATA@", put_json},
             {"@ENGINE_POLICY@", put_policy},
             {"@ENGINE@", put_engine}};
enum { N_MARKS = sizeof marks / sizeof *marks };

static const struct mark *mark_at(const char *at, const char *end) {
    for (size_t i = 0; i < N_MARKS; i++) {
        size_t size = strlen(marks[i].name);
        if ((size_t)(end - at) >= size && !memcmp(at, marks[i].name, size))
            return &marks[i];
    }
    return NULL;
}

static bool fill(FILE *to, const struct html_template *t,
                 const struct filling *f) {
    const char *at = (const char *)t->bytes, *end = at + t->size;
    while (at < end) {
        const struct mark *mark = *at == '@' ? mark_at(at, end) : NULL;
        if (mark && !mark->put(to, f)) return false;
        if (!mark && fputc(*at, to) == EOF) return false;
        at += mark ? strlen(mark->name) : 1;
    }
    return true;
}

bool html_write_with(FILE *to, const char *engine, const char *name,
                     const char *view, const char *title, const char *text,
                     json_t *value) {
    const struct html_template *t = html_templates;
    while (t->name && strcmp(t->name, name) != 0) t++;
    struct filling f = {title, text, engine,
                        json_pack("{s:s, s:o, s:o}", "view", view, "words",
                                  words(), view, value)};
    bool good = t->name && f.data && fill(to, t, &f) && !ferror(to);
    json_decref(f.data);
    return good;
}

bool html_write(FILE *to, const char *name, const char *view, const char *title,
                const char *text, json_t *value) {
    return html_write_with(to, NULL, name, view, title, text, value);
}

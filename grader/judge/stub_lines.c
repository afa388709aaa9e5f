/* SPDX-License-Identifier: MIT
 *
 * stub_lines.c: see stub_lines.h. The longest common subsequence of both files'
 * lines of code.
 */
#include "stub_lines.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "c_tokens.h"
#include "text.h"

enum {
    GIVEN_BYTES = 1 << 20,
    CELLS_MOST = 1 << 24,
    LINES_MOST = 60000,
    COPY_BYTES = 12 /* shorter lines are many people's */
};

struct code_line {
    char *text; /* blanks made one, none around; no comment */
    unsigned number;
};
struct code {
    struct code_line *lines;
    size_t n, room;
    unsigned last; /* line of the text */
};

static void code_free(struct code *c) {
    for (size_t i = 0; i < c->n; i++) free(c->lines[i].text);
    free(c->lines);
    *c = (struct code){0};
}

static bool has_word(const struct text *t) {
    for (size_t i = 0; i < t->size; i++)
        if (isalnum((unsigned char)t->bytes[i]) || t->bytes[i] == '_')
            return true;
    return false;
}

static bool end_line(struct code *c, struct text *line) {
    bool keeps = has_word(line) && c->n < LINES_MOST;
    while (line->size && line->bytes[line->size - 1] == ' ')
        text_cut(line, line->size - 1);
    if (keeps && c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        void *more = realloc(c->lines, room * sizeof *c->lines);
        if (!more) return false;
        c->lines = more;
        c->room = room;
    }
    if (keeps) {
        char *copy = strdup(text_string(line));
        if (!copy) return false;
        c->lines[c->n++] = (struct code_line){copy, c->last};
    }
    text_cut(line, 0);
    return true;
}

static void stub_lines_put(struct text *line, char byte) {
    char one[2] = {isspace((unsigned char)byte) ? ' ' : byte, 0};
    bool blank = one[0] == ' ';
    if (blank && (!line->size || line->bytes[line->size - 1] == ' ')) return;
    text_append(line, one, 1, SIZE_MAX);
}

static bool code_read(const char *text, struct code *c) {
    struct text line = {0};
    bool ok = true;
    *c = (struct code){.last = 1};
    while (ok && *text) {
        const char *behind = c_behind_words(text);
        bool comment = behind != text && *text == '/';
        if (behind == text) behind++;
        for (; ok && text < behind; text++) {
            if (*text == '\n') {
                ok = end_line(c, &line);
                c->last++;
            } else if (!comment) {
                stub_lines_put(&line, *text);
            }
        }
        if (comment) stub_lines_put(&line, ' ');
    }
    ok = ok && end_line(c, &line);
    text_free(&line);
    if (!ok) code_free(c);
    return ok;
}

/* A barrier and nothing else: what matters is where it stands. */
static bool is_barrier(const struct code_line *l) {
    return strcmp(l->text, "__syncthreads();") == 0 ||
           strcmp(l->text, "__syncwarp();") == 0;
}

/* A line of the stub that stands elsewhere, or once more, is given, too. */
static void mark_copies(const struct code *stub, const struct code *own,
                        bool *given) {
    for (size_t i = 0; i < stub->n; i++)
        for (size_t k = 0; k < own->n; k++)
            if (strlen(own->lines[k].text) >= COPY_BYTES &&
                !is_barrier(&own->lines[k]) &&
                strcmp(own->lines[k].text, stub->lines[i].text) == 0)
                given[own->lines[k].number] = true;
}

/* A barrier is given where the line before it, or behind it, is the stub's,
 * too.
 */
static bool is_in_place(const struct code *stub, size_t i,
                        const struct code *own, size_t k) {
    bool before =
        i && k && strcmp(stub->lines[i - 1].text, own->lines[k - 1].text) == 0;
    bool behind = i + 1 < stub->n && k + 1 < own->n &&
                  strcmp(stub->lines[i + 1].text, own->lines[k + 1].text) == 0;
    return before || behind || !is_barrier(&own->lines[k]);
}

/* longest[i][k]: of what is left behind the i-th and the k-th line. */
static bool mark_common(const struct code *stub, const struct code *own,
                        bool *given) {
    size_t row = own->n + 1;
    if (stub->n * own->n > CELLS_MOST || own->n == LINES_MOST) return true;
    uint16_t *longest = calloc((stub->n + 1) * row, sizeof *longest);
    if (!longest) return false;
    for (size_t i = stub->n; i-- > 0;)
        for (size_t k = own->n; k-- > 0;) {
            uint16_t *at = &longest[i * row + k];
            bool same = strcmp(stub->lines[i].text, own->lines[k].text) == 0;
            uint16_t down = at[row], right = at[1];
            *at = same           ? (uint16_t)(at[row + 1] + 1)
                  : down > right ? down
                                 : right;
        }
    for (size_t i = 0, k = 0; i < stub->n && k < own->n;) {
        const uint16_t *at = &longest[i * row + k];
        if (strcmp(stub->lines[i].text, own->lines[k].text) == 0) {
            given[own->lines[k].number] |= is_in_place(stub, i, own, k);
            i++, k++;
        } else if (at[row] >= at[1]) {
            i++;
        } else {
            k++;
        }
    }
    free(longest);
    mark_copies(stub, own, given);
    return true;
}

bool stub_lines_find(const char *folder, const char *text,
                     struct stub_lines *s) {
    char *path = text_format("%s/given.txt", folder);
    struct text stub_text = {0};
    struct code stub = {0}, own = {0};
    bool there = path && !text_read_file(&stub_text, path, GIVEN_BYTES);
    *s = (struct stub_lines){0};
    bool ok = path && code_read(text, &own) &&
              code_read(text_string(&stub_text), &stub);
    if (ok) s->given = calloc(own.last + 1u, sizeof *s->given);
    ok = ok && s->given;
    if (ok) {
        s->n = own.last;
        ok = !there || mark_common(&stub, &own, s->given);
    }
    free(path);
    text_free(&stub_text);
    code_free(&stub);
    code_free(&own);
    if (!ok) stub_lines_free(s);
    return ok;
}

bool stub_lines_has(const struct stub_lines *s, unsigned line) {
    return line <= s->n && s->given && s->given[line];
}

void stub_lines_free(struct stub_lines *s) {
    free(s->given);
    *s = (struct stub_lines){0};
}

/* SPDX-License-Identifier: MIT
 *
 * words_finding.c: what the virtual GPU has said of a finding, in the language
 * of the course. It comes as an English sentence with its values in place, and
 * stays one in JSON; the rows of finding_texts.def say how to part it again.
 */
#include <string.h>

#include "translate.h"
#include "words.h"

enum { MOST_PARTS = 8, DEEPEST = 6 };

struct part {
    const char *name, *text; /* within the row, within what was said */
    size_t name_size, size;
};

static const char *const rows[] = {
#define X(sentence) sentence,
#include "finding_texts.def"
#undef X
};

/* The text up to the next mark of a row. */
static size_t plain(const char *row) {
    return strcspn(row, "{");
}

/* Where the plain text stands that ends a part; NULL: nowhere. */
static const char *find_end(const char *at, const char *end, const char *row) {
    size_t size = plain(row);
    if (!*row) return end;
    if (!row[size]) /* the end of both */
        return (size_t)(end - at) >= size && !memcmp(end - size, row, size)
                   ? end - size
                   : NULL;
    for (; size && end - at >= (ptrdiff_t)size; at++)
        if (memcmp(at, row, size) == 0) return at;
    return NULL;
}

/* How many parts a sentence has by this row; negative: it is another's. */
static int match(const char *row, const char *at, size_t size,
                 struct part parts[MOST_PARTS]) {
    const char *end = at + size;
    int n = 0;
    for (;;) {
        size_t same = plain(row);
        if ((size_t)(end - at) < same || memcmp(at, row, same) != 0) return -1;
        at += same;
        row += same;
        if (!*row) return at == end ? n : -1;
        if (n == MOST_PARTS) return -1;
        struct part *p = &parts[n++];
        *p = (struct part){row + 1, at, strcspn(row + 1, "}"), 0};
        row += p->name_size + 2;
        const char *stop = find_end(at, end, row);
        if (!stop || stop == at) return -1;
        p->size = (size_t)(stop - at);
        at = stop;
    }
}

static void say(struct text *t, const char *said, size_t size, int depth);

static void fill(struct text *t, const char *row, const struct part *parts,
                 int n, int depth) {
    for (;;) {
        size_t same = plain(row);
        text_add(t, "%.*s", (int)same, row);
        row += same;
        if (!*row) return;
        size_t size = strcspn(row + 1, "}");
        for (int i = 0; i < n; i++)
            if (parts[i].name_size == size &&
                memcmp(parts[i].name, row + 1, size) == 0)
                say(t, parts[i].text, parts[i].size, depth + 1);
        row += size + 2;
    }
}

static void say(struct text *t, const char *said, size_t size, int depth) {
    struct part parts[MOST_PARTS];
    for (size_t i = 0; depth < DEEPEST && i < sizeof rows / sizeof *rows; i++) {
        int n = match(rows[i], said, size, parts);
        const char *row = n < 0 ? rows[i] : _(rows[i]);
        if (row == rows[i]) continue; /* another's, or not translated */
        fill(t, row, parts, n, depth);
        return;
    }
    text_add(t, "%.*s", (int)size, said);
}

void words_finding(struct text *t, const char *said) {
    say(t, said, strlen(said), 0);
}

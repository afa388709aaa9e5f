/* SPDX-License-Identifier: MIT
 *
 * words_status.c: words by which blocks talk, with their fields where the lab
 * declares them (course/status_word.h). A student may pack them in another way:
 * what is shown is said to be the stub's.
 */
#include <inttypes.h>
#include <string.h>

#include "translate.h"

#include "words.h"

const struct status_word *words_polled_layout(const struct outcome *o) {
    const struct finding *f = o->finding;
    if (!f || f->word_bytes != sizeof(uint64_t) || !o->tried.function)
        return NULL;
    return o->tried.function->status_word;
}

uint64_t words_got(const struct diagnosis *d) {
    uint64_t got;
    memcpy(&got, d->got, sizeof got);
    return got;
}

const struct status_word *words_got_layout(const struct outcome *o) {
    const struct diagnosis *d = o->difference;
    uint64_t expected;
    if (!d || !d->count || d->element != ELEMENT_i64 ||
        d->state != FIRST_WRITTEN || !o->tried.function)
        return NULL;
    const struct status_word *w = o->tried.function->status_word;
    memcpy(&expected, d->expected, sizeof expected);
    return w && status_word_holds(w, words_got(d), expected) ? w : NULL;
}

static void add_names(struct text *t, const struct status_field *f) {
    const char *between = _(" (none of ");
    for (size_t i = 0; i < f->n_names; i++) {
        if (strcmp(f->names[i], "-") == 0) continue;
        text_add(t, "%s%s", between, f->names[i]);
        between = ", ";
    }
    text_add(t, ")");
}

/* "0x0000000200000c35 (as the stub packs it: flag 2 = PREFIX, value 3125)" */
static void add_fields(struct text *t, const struct status_word *w,
                       uint64_t word) {
    const char *between = _("as the stub packs it: ");
    if (word)
        text_add(t, "0x%016" PRIx64 " (", word);
    else
        text_add(t, "0 (");
    for (size_t i = 0; i < w->n; i++) {
        const struct status_field *f = &w->fields[i];
        const char *name = status_field_name(f, word);
        int64_t value = status_field_value(f, word);
        if (f->is_signed)
            text_add(t, "%s%s %" PRId64, between, f->name, value);
        else
            text_add(t, "%s%s %" PRIu64, between, f->name, (uint64_t)value);
        if (name) text_add(t, " = %s", name);
        if (!name && f->n_names) add_names(t, f);
        between = ", ";
    }
    text_add(t, ")");
}

char *words_polled(const void *outcome, uint64_t word) {
    const struct outcome *o = outcome;
    const struct status_word *w = words_polled_layout(o);
    struct text t = {0};
    if (w && word == o->finding->word) add_fields(&t, w, word);
    return t.bytes;
}

void words_status_got(struct text *t, const struct outcome *o) {
    const struct status_word *w = words_got_layout(o);
    struct text one = {0};
    if (!w) return;
    text_add(&one, _("%s[%zu] is a word with its flag, "),
             words_buffer(o->difference), o->difference->first);
    add_fields(&one, w, words_got(o->difference));
    text_sentence(t, one.bytes);
    text_free(&one);
}

const struct status_word *words_read_layout(const struct outcome *o) {
    return o->writer.word_bytes == sizeof(uint64_t) && o->tried.function
               ? o->tried.function->status_word
               : NULL;
}

void words_status_read(struct text *t, const struct outcome *o) {
    const struct status_word *w = words_read_layout(o);
    char plain[VGPU_WORD_TEXT];
    vgpu_word_text(o->writer.word, plain);
    if (w)
        add_fields(t, w, o->writer.word);
    else
        text_add(t, "%s", plain);
}

/* SPDX-License-Identifier: MIT
 *
 * profile_page.c: see profile_page.h. The files are read from the submission's
 * folder by the last part of their name, as for the listing in text.
 */
#include "source_page.h"
#include "profile_page.h"

#include <inttypes.h>
#include <lines.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "words.h"

struct files {
    struct source_text texts[SOURCE_FILES];
    size_t n;
    bool more;
};

static void add_file(struct files *f, const char *name, const char *folder) {
    struct text text = {0};
    if (!name) return;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->texts[i].name, name) == 0) return;
    f->more = f->n == SOURCE_FILES;
    if (f->more) return;
    const char *why = lines_source(name, folder, &text);
    struct source_text one = {.name = text_format("%s", name)};
    if (why)
        one.why = text_format("%s", why);
    else
        one.text = text_format("%s", text_string(&text));
    text_free(&text);
    if (one.name && (one.text || one.why)) f->texts[f->n++] = one;
}

static void read_files(struct files *f, const struct source_view *v,
                       const char *folder) {
    for (size_t i = 0; i < v->n; i++) add_file(f, v->lines[i].file, folder);
    for (size_t i = 0; i < v->n_notes; i++)
        add_file(f, v->notes[i].file, folder);
}

static void free_files(struct files *f) {
    for (size_t i = 0; i < f->n; i++) {
        free(f->texts[i].name);
        free(f->texts[i].text);
        free(f->texts[i].why);
    }
}

/* What fails the call may have been seen in another run of it. */
static void add_finding(struct source_view *v, const struct outcome *o) {
    const struct finding *f = o->finding;
    if (!f) return;
    char *said = vgpu_message_text(&f->message, NULL);
    if (said) source_note(v, o->place.file, o->place.line, said);
    free(said);
    if (f->has_other && f->other.line != o->place.line)
        source_note(v, f->other.file, f->other.line,
                    "the earlier access of the race");
}

static char *title_of(const struct single_options *o) {
    return text_format("%s, n = %zu, %s, seed %" PRIu64,
                       o->lab->functions[o->function].symbol, o->n,
                       o->schedule ? o->schedule : "in-order", o->seed);
}

static const char *profile_page_verdict(const struct case_result *r) {
    return r->verdict == CASE_PASS ? "The answer of this call is right."
           : r->verdict == CASE_TODO
               ? "The function that was called is not implemented yet."
           : r->outcome.difference ? "The answer of this call is wrong."
                                   : "This call failed.";
}

static bool write_page(FILE *to, const struct source_view *v,
                       const struct files *f, const struct single_options *o,
                       const struct case_result *r) {
    struct text message = {0}, cause = {0};
    char *title = title_of(o), *more = NULL;
    if (r->verdict == CASE_FAIL) {
        words_outcome(&message, &r->outcome, &r->measured);
        words_usual_cause(&cause, &r->outcome);
        if (message.bytes) more = words_cut(message.bytes);
    }
    const struct source_page page = {.title = title,
                                     .verdict = profile_page_verdict(r),
                                     .message = message.bytes,
                                     .more = more,
                                     .cause = cause.bytes,
                                     .printed = r->output,
                                     .clock = o->clock,
                                     .texts = f->texts,
                                     .n_texts = f->n,
                                     .more_files = f->more};
    bool written = title && source_page(to, v, &page);
    text_free(&message);
    text_free(&cause);
    free(title);
    return written;
}

bool profile_page_write(const char *path, struct source_view *view,
                        const struct single_options *o,
                        const struct case_result *r) {
    struct output output;
    struct files files = {.n = 0};
    add_finding(view, &r->outcome);
    read_files(&files, view, o->submission);
    bool written = output_open(&output, path);
    if (written && !write_page(output.stream, view, &files, o, r)) {
        output_abandon(&output);
        cli_fail("the page was not written: out of memory or disk");
        written = false;
    } else if (written) {
        written = output_close(&output);
    }
    free_files(&files);
    return written;
}

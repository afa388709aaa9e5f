/* SPDX-License-Identifier: MIT
 *
 * mark.c: a failed check as one line for editors (.vscode/tasks.json), where
 * the environment has SCANLAB_MARKS: file, line, the name of what was found,
 * and the sentence. Each failure has one, except those that only repeat
 * another one (text.c); where no line is known, it is at line 1 of the source.
 */
#include <stdlib.h>
#include <string.h>

#include "json_parts.h"
#include "page.h"
#include "spots.h"

static const char *name_of(const struct outcome *o) {
    if (o->finding) return vgpu_finding_name(o->finding->kind);
    return o->kind == OUTCOME_NONE ? "failed" : json_kind_of(o);
}

/* Where it was noticed; else the first line that the report shows. */
static const char *mark_place(const struct grade *grade,
                              const struct outcome *o, unsigned *line) {
    struct spot spots[MOST_SPOTS];
    *line = o->place.line;
    if (o->place.file && o->place.line) return o->place.file;
    if (spots_shown(grade, o, spots) == 0) return NULL;
    *line = spots[0].line;
    return spots[0].file;
}

void page_mark(struct page *page, const struct grade *grade,
               const struct lab_result *lab, const struct check_result *result,
               const char *message) {
    unsigned line = 0;
    if (!getenv("SCANLAB_MARKS")) return;
    const char *file = mark_place(grade, &result->outcome, &line);
    const char *said = message ? message : result->check->title;
    char *text =
        text_format("%s:%u: %s: %s: %.*s", file ? file : lab->lab->source,
                    file ? line : 1U, name_of(&result->outcome),
                    result->check->id, (int)strcspn(said, "\n"), said);
    page_label_line(page, "mark", text, false);
    page->failed |= !text;
    free(text);
}

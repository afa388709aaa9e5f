/* SPDX-License-Identifier: MIT
 *
 * ran.c: see ran.h.
 */
#include "ran.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

struct taking {
    struct ran_lines *to;
    const char *file;
    uint8_t mark;
};

static void mark(const struct taking *t, uint32_t line) {
    if (line && line < RAN_LINES) t->to->marks[line] |= t->mark;
}

/* The line, and those that called the functions around it. */
static void mark_all(const struct taking *t, const struct vgpu_source *s) {
    if (!s->file || strcmp(text_base(s->file), t->file) != 0) return;
    mark(t, s->line);
    mark(t, s->called);
    for (size_t i = 0; i < VGPU_OUTER; i++) mark(t, s->outer[i]);
}

static bool tell(void *user, const char *function,
                 const struct vgpu_source *where, const char *ptx) {
    (void)function, (void)ptx;
    mark_all(user, where);
    return true;
}

static bool begin(const struct harness *h, struct ran_lines *to,
                  struct taking *t) {
    *t = (struct taking){.to = to, .file = text_base(h->settings.lab->source)};
    if (h->vgpu && !to->marks) to->marks = calloc(RAN_LINES, 1);
    return h->vgpu && to->marks;
}

void ran_note(const struct harness *h, struct ran_lines *to) {
    const struct vgpu_line_record *list;
    const struct vgpu_line *called;
    struct taking t;
    if (!begin(h, to, &t)) return;
    t.mark = RAN_DID;
    size_t n = vgpu_line_records(h->vgpu, &list);
    for (size_t i = 0; i < n; i++)
        if (list[i].counts[VGPU_COUNT_THREAD_INSTRUCTIONS])
            mark_all(&t, &list[i].where);
    n = vgpu_called_lines(h->vgpu, &called);
    for (size_t i = 0; i < n; i++)
        if (strcmp(text_base(called[i].file), t.file) == 0)
            mark(&t, called[i].line);
}

void ran_add(const struct ran_lines *from, struct ran_lines *to) {
    if (from->marks && !to->marks) to->marks = calloc(RAN_LINES, 1);
    for (size_t i = 0; from->marks && to->marks && i < RAN_LINES; i++)
        to->marks[i] |= from->marks[i];
}

void ran_count(const struct ran_lines *from, struct ran_lines *to) {
    if (from->marks && !to->marks) to->marks = calloc(RAN_LINES, 1);
    for (size_t i = 0; from->marks && to->marks && i < RAN_LINES; i++)
        if ((from->marks[i] & RAN_DID) && to->marks[i] < UINT8_MAX)
            to->marks[i]++;
}

void ran_take(const struct harness *h, struct outcome *o) {
    struct taking t;
    if (o->ran.marks || !begin(h, &o->ran, &t)) return;
    t.mark = RAN_COULD;
    vgpu_tell_ptx(h->vgpu, tell, &t);
    ran_note(h, &o->ran);
}

/* SPDX-License-Identifier: MIT
 *
 * tell.c: the PTX of what a device ran, by the lines that count it.
 */
#include <stdlib.h>

#include "device.h"

struct telling {
    bool (*tell)(void *, const char *, const struct vgpu_source *,
                 const char *);
    void *user;
    FILE *stream; /* one instruction's text, over that of the one before */
    char *text;
    size_t bytes;
};

static bool tell_insn(struct telling *t, const struct function *f,
                      const char *name, const struct ptx_insn *p) {
    struct vgpu_source where = program_source(f->program->ptx, p->loc);
    rewind(t->stream);
    ptx_print_insn(f->ptx, p, t->stream);
    fputc('\0', t->stream);
    if (fflush(t->stream) != 0) return false;
    return t->tell(t->user, name, &where, t->text);
}

static bool tell_function(struct telling *t, const struct function *f) {
    char name[256];
    demangle(f->ptx->name, name, sizeof name);
    for (uint32_t k = 0; f->decoded && k < f->n_code; k++)
        if (f->code[k].source && !tell_insn(t, f, name, f->code[k].source))
            return false;
    return true;
}

void vgpu_tell_ptx(vgpu_device *d,
                   bool (*tell)(void *user, const char *function,
                                const struct vgpu_source *, const char *ptx),
                   void *user) {
    struct telling t = {.tell = tell, .user = user};
    bool go_on = (t.stream = open_memstream(&t.text, &t.bytes)) != NULL;
    for (struct vgpu_module *m = d->modules; m && go_on; m = m->next)
        for (uint32_t f = 0; f < m->program.n_functions && go_on; f++)
            go_on = tell_function(&t, &m->program.functions[f]);
    if (t.stream) fclose(t.stream);
    free(t.text);
}

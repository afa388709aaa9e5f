/* SPDX-License-Identifier: MIT
 *
 * build_place.c: see build_place.h.
 */
#include "build_place.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "text.h"
#include "tree.h"

static bool build_place_fill(const struct build_place *p,
                             const struct build_files *f) {
    char *lab = text_format("%s/labs/%s", p->folder.path, f->lab_name);
    char *common = text_format("%s/labs/common", p->folder.path);
    bool ok = lab && common && p->own && p->out && p->temporary &&
              tree_make(p->own) && tree_make(p->out) &&
              tree_make(p->temporary) && tree_make(lab) && tree_make(common) &&
              sources_write(f->own, p->own, f->unit, f->all_units) &&
              sources_write(f->lab, lab, "", false) &&
              sources_write(f->common, common, "", false);
    free(common);
    free(lab);
    return ok;
}

bool build_place_make(struct build_place *p, const char *in,
                      const struct build_files *f) {
    const char *folder;
    *p = (struct build_place){0};
    if (!temporary_make(&p->folder, in, "fresh")) return false;
    folder = p->folder.path;
    p->own = text_format("%s/own", folder);
    p->out = text_format("%s/out", folder);
    p->temporary = text_format("%s/tmp", folder);
    if (build_place_fill(p, f)) return true;
    int error = errno;
    build_place_remove(p);
    errno = error;
    return false;
}

bool build_place_stands(const struct build_place *p, const char *unit) {
    char *source = text_format("%s/%s", p->own, unit);
    bool stands = source && access(source, R_OK) == 0 &&
                  access(p->out, W_OK | X_OK) == 0 &&
                  access(p->temporary, W_OK | X_OK) == 0;
    int error = errno;
    free(source);
    errno = error;
    return stands;
}

void build_place_remove(struct build_place *p) {
    temporary_remove(&p->folder);
    free(p->own);
    free(p->out);
    free(p->temporary);
    *p = (struct build_place){0};
}

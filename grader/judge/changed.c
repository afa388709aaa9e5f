/* SPDX-License-Identifier: MIT
 *
 * changed.c: see changed.h.
 */
#include "changed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "text.h"

enum { BUILDS = 3, LIBRARY_BYTES = 64 << 20 };

/* ---- building ---- */

static bool write_text(const char *folder, const char *name, const char *text) {
    char *path = text_format("%s/%s", folder, name);
    FILE *file = path ? fopen(path, "we") : NULL;
    bool ok = file && fputs(text, file) >= 0;
    if (file) ok = fclose(file) == 0 && ok;
    free(path);
    return ok;
}

static bool write_source(struct changed *c, const struct changed_ask *a) {
    bool others = c->is_written || sources_write(a->sources, c->folder.path,
                                                 a->lab->source, true);
    c->is_written = others;
    return others &&
           write_text(c->folder.path, a->lab->source, c->changes.text) &&
           write_text(c->folder.path, CHANGES_HEADER, changes_header);
}

/* "naive.cu(12): error", "cpu_scan.c:12:5: error": the lines. */
static bool bar_lines(const char *message, const char *source, bool *barred,
                      size_t n) {
    bool some = false;
    size_t size = strlen(source);
    for (const char *at = message; (at = strstr(at, source)); at += size) {
        char *end;
        if (at[size] != '(' && at[size] != ':') continue;
        unsigned long line = strtoul(at + size + 1, &end, 10);
        if (end == at + size + 1 || line >= n || barred[line]) continue;
        barred[line] = some = true;
    }
    return some;
}

static bool build_once(struct changed *c, const struct changed_ask *a,
                       struct compiled *out) {
    char error[COMPILE_ERROR_BYTES];
    struct compile_settings settings = *a->settings;
    settings.submission = c->folder.path;
    settings.read = NULL;
    settings.progress = NULL;
    settings.wants_watched = settings.is_reference = false;
    settings.capability = 0;
    return write_source(c, a) &&
           compile_labs(&settings, &a->lab, 1, out, error);
}

static bool build_changes(struct changed *c, const struct changed_ask *a,
                          bool *barred, size_t n, struct compiled *out) {
    struct changes_ask ask = a->changes;
    ask.barred = barred;
    ask.n_barred = n;
    for (int i = 0; i < BUILDS; i++) {
        changes_free(&c->changes);
        if (!changes_make(&ask, &c->changes) || !build_once(c, a, out))
            return false;
        c->n_builds++;
        if (out->library) return true;
        bool more =
            out->error && bar_lines(out->error, a->lab->source, barred, n);
        compile_free(out, 1);
        ask.failures = more && !i ? 1 : CHANGES_CAREFUL;
    }
    return false;
}

/* ---- the library ---- */

static bool find_places(struct changed *c, const char *bytes, size_t size) {
    const char *at = bytes, *end = bytes + size;
    while ((at = memmem(at, (size_t)(end - at), changes_mark,
                        sizeof changes_mark))) {
        at += sizeof changes_mark;
        if (end - at < 4 || c->n_places == CHANGED_PLACES) return false;
        c->at[c->n_places++] = (long)(at - bytes);
    }
    return c->n_places > 0;
}

static bool copy_library(struct changed *c, const char *from) {
    struct text bytes = {0};
    bool ok = !text_read_file(&bytes, from, LIBRARY_BYTES) &&
              find_places(c, bytes.bytes, bytes.size);
    c->library = text_format("%s/library.so", c->folder.path);
    FILE *file = ok && c->library ? fopen(c->library, "we") : NULL;
    ok = file && fwrite(bytes.bytes, 1, bytes.size, file) == bytes.size;
    c->library_bytes = bytes.size;
    if (file) ok = fclose(file) == 0 && ok;
    text_free(&bytes);
    return ok;
}

/* ".../cache/KEY/library.so": where the cache is. */
static char *cache_of(const char *library) {
    char *folder = text_format("%s", library);
    for (int i = 0; folder && i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash) *slash = 0;
    }
    return folder;
}

bool changed_open(struct changed *c, const struct changed_ask *a) {
    struct compiled out = {0};
    size_t n = a->changes.stub->n + 2;
    bool *barred = calloc(n, sizeof *barred);
    char *cache = cache_of(a->built);
    *c = (struct changed){0};
    bool ok = barred && cache && temporary_make(&c->folder, cache, "fresh") &&
              build_changes(c, a, barred, n, &out) &&
              copy_library(c, out.library);
    compile_free(&out, 1);
    free(cache);
    free(barred);
    return ok;
}

bool changed_choose(const struct changed *c, unsigned number) {
    FILE *file = fopen(c->library, "r+e");
    bool ok = file != NULL;
    for (size_t i = 0; ok && i < c->n_places; i++)
        ok = fseek(file, c->at[i], SEEK_SET) == 0 &&
             fwrite(&number, sizeof number, 1, file) == 1;
    if (file) ok = fclose(file) == 0 && ok;
    return ok;
}

void changed_close(struct changed *c) {
    changes_free(&c->changes);
    temporary_remove(&c->folder);
    free(c->library);
    *c = (struct changed){0};
}

/* SPDX-License-Identifier: MIT */
#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options ---- */

static int format_named(const char *name, struct text *why) {
    char known[256];
    int format = report_format_by_name(name);
    if (format >= 0) return format;
    report_format_list(known, sizeof known);
    text_add(why, "'%s' is not available; there are: %s", name, known);
    return format;
}

bool reports_set_format(void *to, const char *value, struct text *why) {
    int *format = to;
    *format = format_named(value, why);
    return *format >= 0;
}

bool reports_add(void *to, const char *value, struct text *why) {
    struct reports *r = to;
    const char *file = strchr(value, '=');
    char format[32];
    if (!file || !file[1]) {
        text_add(why, "'%s' is not FORMAT=FILE", value);
        return false;
    }
    if (r->n == REPORTS_MOST) {
        text_add(why, "more than %d reports", REPORTS_MOST);
        return false;
    }
    snprintf(format, sizeof format, "%.*s", (int)(file - value), value);
    struct report_file *next = &r->files[r->n++];
    next->format = format_named(format, why);
    next->path = strcmp(file + 1, "-") == 0 ? NULL : file + 1;
    return next->format >= 0;
}

bool reports_add_staff(void *to, const char *value, struct text *why) {
    struct reports *r = to;
    if (!reports_add(to, value, why)) return false;
    r->files[r->n - 1].staff = true;
    return true;
}

/* ---- which file is meant ---- */

/* The path without links and dots, of a file that need not be there. */
static char *whole_path(const char *path) {
    char *whole = realpath(path, NULL);
    if (whole) return whole;
    const char *base = text_base(path);
    char *folder = base == path ? text_format(".")
                                : text_format("%.*s", (int)(base - path), path);
    char *known = folder ? realpath(folder, NULL) : NULL;
    whole = text_format("%s/%s", known ? known : "", base);
    free(folder);
    free(known);
    return whole;
}

static bool is_same(const char *a, const char *b) {
    struct stat status;
    if (!a || !b) return !a && !b;
    /* A device can take any number of reports. */
    if (stat(a, &status) == 0 && !S_ISREG(status.st_mode)) return false;
    char *x = whole_path(a), *y = whole_path(b);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

bool reports_complete(struct reports *r, const struct option_table *o) {
    bool to_stdout = false;
    for (size_t i = 0; i < r->n; i++) to_stdout |= !r->files[i].path;
    if (r->format >= 0 || r->output || !to_stdout)
        r->files[r->n++] = (struct report_file){
            .format = r->format >= 0 ? r->format : REPORT_text,
            .path = r->output};
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same(r->files[i].path, r->files[k].path)) {
                options_wrong(o, "two reports for %s",
                              r->files[i].path ? r->files[i].path
                                               : "standard output");
                return false;
            }
    return true;
}

/* ---- writing ---- */

enum { MOST_ENGINE = 1 << 22 };

bool reports_open(struct reports *r) {
    for (size_t i = 0; i < r->n; i++) {
        if (output_open(&r->files[i].output, r->files[i].path)) continue;
        r->n = i;
        reports_abandon(r);
        return false;
    }
    return true;
}

void reports_abandon(struct reports *r) {
    for (size_t i = 0; i < r->n; i++) output_abandon(&r->files[i].output);
}

static bool write_one(struct reports *r, struct report_file *f,
                      const struct grade *grade,
                      const struct report_options *asked) {
    struct output *output = &f->output;
    struct report_options options = report_options_for(output->stream);
    options.verbose = asked->verbose;
    options.leaderboard = r->leaderboard;
    options.students = asked->students && !f->staff;
    options.program = asked->program;
    options.labs = asked->labs;
    options.engine = r->engine;
    if (!report_write(f->format, output->stream, grade, &options) &&
        !ferror(output->stream)) {
        cli_fail("cannot write the report: %s", strerror(errno));
        output_abandon(output);
        return false;
    }
    return output_close(output);
}

bool reports_have_page(const struct reports *r) {
    bool has_page = false;
    for (size_t i = 0; i < r->n; i++)
        has_page |= r->files[i].format == REPORT_html;
    return has_page;
}

void reports_find_engine(struct reports *r, const char *build_folder) {
    char *path = reports_have_page(r)
                     ? path_join(build_folder, "web/report.part")
                     : NULL;
    struct text text = {0};
    if (path && !text_read_file(&text, path, MOST_ENGINE) &&
        report_engine_fits(text_string(&text), SCANLAB_VERSION))
        r->engine = text.bytes;
    else
        text_free(&text);
    free(path);
}

bool reports_write(struct reports *r, const struct grade *grade,
                   const struct report_options *options) {
    bool good = true;
    for (size_t i = 0; i < r->n; i++)
        good &= write_one(r, &r->files[i], grade, options);
    return good;
}

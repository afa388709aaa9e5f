/* SPDX-License-Identifier: MIT
 *
 * report.c: the table of formats, and what fits a stream.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "formats.h"
#include "seen.h"

static const struct {
    const char *name;
    bool (*write)(FILE *, const struct grade *, const struct report_options *);
} formats[N_REPORTS] = {
#define X(name, write, text) [REPORT_##name] = {#name, write},
#include "formats.def"
#undef X
};

int report_format_by_name(const char *name) {
    for (int i = 0; i < N_REPORTS; i++)
        if (strcmp(formats[i].name, name) == 0) return i;
    return -1;
}

const char *report_format_name(int format) {
    return formats[format].name;
}

void report_format_list(char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < N_REPORTS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i ? ", " : "", formats[i].name);
}

bool report_write(int format, FILE *stream, const struct grade *grade,
                  const struct report_options *options) {
    /* Gradescope itself hides what it is told to hide. */
    if (!options->students || format == REPORT_gradescope)
        return formats[format].write(stream, grade, options) && !ferror(stream);
    struct seen seen;
    struct report_options theirs = *options;
    theirs.program = NULL;
    theirs.labs = NULL;
    if (!seen_make(grade, &seen)) {
        errno = ENOMEM;
        return false;
    }
    theirs.program = seen.grade.program;
    bool good = formats[format].write(stream, &seen.grade, &theirs);
    seen_free(&seen);
    return good && !ferror(stream);
}

struct report_options report_options_for(FILE *stream) {
    enum { NARROWEST = 40, WIDEST = 120 };
    struct report_options options = {.width = 80};
    if (!isatty(fileno(stream))) return options;
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        options.width = size.ws_col < NARROWEST ? NARROWEST
                        : size.ws_col > WIDEST  ? WIDEST
                                                : size.ws_col;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    options.colour =
        !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    return options;
}

/* SPDX-License-Identifier: MIT
 *
 * progress.c: one line on a terminal, rewritten in place. Quiet work stays
 * quiet: nothing is shown in the first second, and nothing at all when the
 * stream is no terminal.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "clean_text.h"
#include "report.h"

struct progress {
    FILE *stream; /* NULL: not a terminal */
    double started, shown;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct progress *progress_new(FILE *stream) {
    struct progress *progress = calloc(1, sizeof *progress);
    if (!progress) return NULL;
    if (isatty(fileno(stream))) progress->stream = stream;
    progress->started = now();
    return progress;
}

static int width(const struct progress *p) {
    struct winsize size;
    if (ioctl(fileno(p->stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}

void progress_show(struct progress *p, size_t done, size_t total,
                   const char *text) {
    const double quiet = 1.0, between = 0.1;
    if (!p || !p->stream) return;
    double time = now();
    if (time - p->started < quiet || time - p->shown < between) return;
    char *clean = clean_name(text);
    /* Return to column 0, erase to the end of the line, stay on one line. */
    if (clean)
        fprintf(p->stream, "\r\033[K[%2zu/%zu] %.*s", done, total,
                width(p) - 12, clean);
    fflush(p->stream);
    free(clean);
    p->shown = time;
}

void progress_free(struct progress *p) {
    if (!p) return;
    if (p->stream && p->shown > 0) {
        fputs("\r\033[K", p->stream);
        fflush(p->stream);
    }
    free(p);
}

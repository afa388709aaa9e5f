/* SPDX-License-Identifier: MIT
 *
 * output.c: a report into a file that is whole or not there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static bool fail(struct output *output, const char *what) {
    cli_fail("cannot %s %s: %s", what,
             output->path ? output->path : "standard output", strerror(errno));
    output_abandon(output);
    return false;
}

static void output_put_away(void *name) {
    unlink(name);
}

static void forget(struct output *output) {
    ending_lock();
    ending_forget(&output->ending);
    ending_unlock();
    free(output->temporary);
    free(output->path);
    *output = (struct output){0};
}

/* A temporary file beside path, with the rights a new file would get. */
static bool open_temporary(struct output *output) {
    size_t size = strlen(output->path) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (!name) return fail(output, "write");
    snprintf(name, size, "%s.XXXXXX", output->path);
    ending_lock();
    int fd = mkstemp(name);
    if (fd >= 0) ending_note(&output->ending, output_put_away, name);
    ending_unlock();
    if (fd < 0) {
        free(name);
        return fail(output, "write");
    }
    output->temporary = name;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    output->stream = fdopen(fd, "w");
    if (output->stream) return true;
    close(fd);
    return fail(output, "write");
}

bool output_open(struct output *output, const char *path) {
    *output = (struct output){0};
    if (!path) {
        output->stream = stdout;
        return true;
    }
    output->path = strdup(path);
    if (!output->path) return fail(output, "write");
    struct stat status;
    /* A device or a pipe is written directly: it must not be replaced. */
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return open_temporary(output);
    output->stream = fopen(path, "w");
    return output->stream || fail(output, "write");
}

bool output_close(struct output *output) {
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (!good) return fail(output, "write");
    if (output->stream != stdout) {
        FILE *stream = output->stream;
        output->stream = NULL;
        if (fclose(stream) != 0) return fail(output, "write");
    }
    if (output->temporary && rename(output->temporary, output->path) != 0)
        return fail(output, "write");
    forget(output);
    return true;
}

void output_abandon(struct output *output) {
    if (output->stream && output->stream != stdout) fclose(output->stream);
    if (output->temporary) unlink(output->temporary);
    forget(output);
}

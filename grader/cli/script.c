/* SPDX-License-Identifier: MIT
 *
 * script.c: see script.h.
 */
#include "script.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void script_add(struct script_words *w, const char *format, ...) {
    struct text text = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&text, format, list);
    va_end(list);
    if (w->n + 1 < w->room) w->at[w->n++] = text.bytes; /* ends in NULL */
}

bool script_begin(struct script_words *w, const char *root, const char *path) {
    char *script = path_join(root, path);
    w->at = calloc(w->room, sizeof *w->at);
    if (!w->at || !script) {
        cli_fail("out of memory");
        free(script);
        return false;
    }
    /* Nothing of the environment's Python, no file beside the sources. */
    script_add(w, "python3");
    script_add(w, "-I");
    script_add(w, "-B");
    script_add(w, "%s", script);
    free(script);
    return true;
}

int script_become(struct script_words *w) {
    for (size_t i = 0; i < w->n; i++)
        if (!w->at[i]) return cli_fail("out of memory");
    if (access(w->at[3], F_OK) != 0)
        return cli_fail("there is no %s: this copy of ScanLab is one for "
                        "students",
                        w->at[3]);
    execvp(w->at[0], w->at);
    return errno == ENOENT
               ? cli_fail("there is no python3; on Debian and Ubuntu: "
                          "apt-get install python3")
               : cli_fail("cannot start python3: %s", strerror(errno));
}

void script_free(struct script_words *w) {
    for (size_t i = 0; i < w->n; i++) free(w->at[i]);
    free(w->at);
}

/* SPDX-License-Identifier: MIT
 *
 * beside.c: commands that are programs of their own: scanlab NAME becomes the
 * program scanlab-NAME in this program's folder, when it is there. So the rest
 * does not depend on what it is built from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int command_beside(struct option_table *o, int argc, char **argv) {
    char *self = realpath("/proc/self/exe", NULL);
    struct text program = {0};
    (void)argc;
    text_add(&program, "%s-%s", self ? self : "scanlab", o->command);
    free(self);
    execv(text_string(&program), argv - 1);
    int status =
        errno == ENOENT
            ? cli_fail("there is no %s: this copy of ScanLab was built without "
                       "the folder that has it (docs/architecture.md, rooms); "
                       "`scanlab bench --clock` needs neither it nor a GPU",
                       text_string(&program))
            : cli_fail("cannot start %s: %s", text_string(&program),
                       strerror(errno));
    text_free(&program);
    return status;
}

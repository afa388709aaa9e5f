/* SPDX-License-Identifier: MIT
 *
 * stub_lines.h: which lines of a submission's file were in the stub already. A
 * lab's given.txt has the stub's code (tools/given.py). A line of the
 * submission was given if given.txt has it, too, and both files have all such
 * lines in the same order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct stub_lines {
    bool *given; /* of line 1 at [1] */
    size_t n;    /* the last line's number */
};

/* folder: the lab's. Without a given.txt, or where the file is far too long, no
 * line was given. false: no memory. */
bool stub_lines_find(const char *folder, const char *text, struct stub_lines *);
bool stub_lines_has(const struct stub_lines *, unsigned line);
void stub_lines_free(struct stub_lines *);

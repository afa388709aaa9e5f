/* SPDX-License-Identifier: MIT
 *
 * header.h: reads a header line of a test case in C, as
 * vgpu/tests/tools/case.py does in Python (vgpu/tests/README.md, Headers):
 * "//:" or "#:", a blank, a key, a colon, a value.
 */
#pragma once

#include <string.h>

enum header { HEADER_NONE, HEADER_LINE, HEADER_WRONG };

/* HEADER_LINE: *key and *value are parts of the line, which is changed; blanks
 * around the value are cut off. HEADER_WRONG: it begins as a header line does,
 * and is none; it is as it was. */
static inline enum header header_read(char *line, char **key, char **value) {
    size_t mark = !strncmp(line, "//:", 3)  ? 3
                  : !strncmp(line, "#:", 2) ? 2
                                            : 0;
    if (!mark) return HEADER_NONE;
    if (line[mark] != ' ') return HEADER_WRONG;
    char *name = line + mark + 1;
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    char *rest = name + letters + 1;
    if (!letters || rest[-1] != ':') return HEADER_WRONG;
    if (*rest && !strchr(" \n", *rest)) return HEADER_WRONG;
    rest[-1] = 0;
    rest += strspn(rest, " ");
    for (size_t k = strlen(rest); k && strchr(" \n", rest[k - 1]);)
        rest[--k] = 0;
    *key = name;
    *value = rest;
    return HEADER_LINE;
}

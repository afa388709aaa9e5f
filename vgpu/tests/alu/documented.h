/* SPDX-License-Identifier: MIT
 *
 * documented.h: lines of tables that vgpu/docs/semantics.md must have
 * (ALU_DOCS).
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "unit.h"

static inline void assert_documented(const char *line) {
    static char text[1 << 18];
    if (!*text) {
        FILE *f = fopen(ALU_DOCS, "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
    }
    if (!strstr(text, line)) print_error("not in the table: %s\n", line);
    assert_non_null(strstr(text, line));
}

/* SPDX-License-Identifier: MIT
 *
 * forms.h: the patterns of forms.def, expanded.
 */
#pragma once

struct form {
    char text[48];
    const char *operands;
};

/* All forms, those of a pattern in a row. */
const struct form *forms_all(unsigned *n);
/* First form of pattern g, and the one behind its last. */
unsigned forms_patterns(void);
void forms_of_pattern(unsigned g, unsigned *from, unsigned *to);

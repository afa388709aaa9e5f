/* SPDX-License-Identifier: MIT
 *
 * defined.h: a copy of a submission in which a constant has another value, for
 * `scanlab sweep`. A constant is `enum { NAME = 1 }`, `const int NAME = 1` (or
 * constexpr) or a line `#define NAME 1`. Nothing of it decides a grade.
 */
#pragma once

#include "temporary.h"
#include "text.h"

/* Adds the text with the value in place of the constant's. false: it defines
 * none of this name; nothing was added. */
bool defined_text(const char *source, const char *name, const char *value,
                  struct text *out);

/* The submission's sources, in a folder of their own, with the value wherever a
 * file defines the constant; temporary_remove ends it. false: why, to be freed;
 * NULL: out of memory. */
bool defined_copy(struct temporary *, const char *submission, const char *in,
                  const char *name, const char *value, char **why);

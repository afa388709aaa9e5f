/* SPDX-License-Identifier: MIT
 *
 * translate.h: sentences in the language of a course. The English sentence in
 * the source is the name of its translation; one that has none stays English.
 * Catalogues are gettext's, made from grader/po/LANGUAGE.po; which one is used
 * is chosen once, by the course and not by the environment or what locales
 * there are, so that a grade reads the same wherever it is made.
 *
 * Ids, options, paths and keys of JSON are not translated.
 */
#pragma once

#include <stdbool.h>

#include "text.h"

__attribute__((format_arg(1))) const char *translated(const char *english);
#define _(english)  translated(english)
#define N_(english) english /* in a table: translated where it is used */

/* Is there a translation in this folder of catalogues? English needs none. */
bool translate_has(const char *folder, const char *language);
/* From now on, in this process. false: with a reason; everything stays as it
 * is. Before any other thread is started. */
bool translate_to(const char *folder, const char *language, struct text *why);

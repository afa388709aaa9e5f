/* SPDX-License-Identifier: MIT
 *
 * translate.h: sentences in another language. The English sentence in
 * the source is the name of its translation; one that has none stays English.
 * Catalogues are gettext's: FOLDER/LANGUAGE/LC_MESSAGES/DOMAIN.mo. The program
 * chooses one once, and neither the environment nor the locales of the machine
 * have a say, so that a report reads the same wherever it is made.
 *
 * Ids, options, paths and keys of JSON are not translated.
 */
#pragma once

#include <stdbool.h>

#include "text.h"

__attribute__((format_arg(1))) const char *translated(const char *english);
#define _(english)  translated(english)
#define N_(english) english /* in a table: translated where it is used */

/* A folder of catalogues, and the program's domain, as gettext calls it: the
 * name of its catalogues. */
struct catalogues {
    const char *folder, *domain;
};
/* Is there a translation into this language? English needs none. */
bool translate_has(const struct catalogues *, const char *language);
/* From now on, in this process. false: with a reason; everything stays as it
 * is. Before any other thread is started. */
bool translate_to(const struct catalogues *, const char *language,
                  struct text *why);

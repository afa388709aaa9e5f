/* SPDX-License-Identifier: MIT
 *
 * translate.c: see translate.h. gettext asks LANGUAGE for the language, and
 * looks at it only where the locale is not "C".
 */
#include "translate.h"

#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char domain[] = "scanlab";

const char *translated(const char *english) {
    /* The empty sentence names the catalogue's head. */
    return *english ? dgettext(domain, english) : english;
}

bool translate_has(const char *folder, const char *language) {
    char *path =
        text_format("%s/%s/LC_MESSAGES/%s.mo", folder, language, domain);
    bool has = strcmp(language, "en") == 0 || (path && access(path, R_OK) == 0);
    free(path);
    return has;
}

bool translate_to(const char *folder, const char *language, struct text *why) {
    static const char *const locales[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    bool found = false;
    if (strcmp(language, "en") == 0) return true;
    for (size_t i = 0; !found && i < sizeof locales / sizeof *locales; i++)
        found = setlocale(LC_MESSAGES, locales[i]) != NULL;
    if (!found || !translate_has(folder, language)) {
        text_add(why,
                 found ? "there is no translation '%s' in %s"
                       : "'%s' needs the locale C.UTF-8 (%s)",
                 language, folder);
        return false;
    }
    return setenv("LANGUAGE", language, 1) == 0 &&
           bindtextdomain(domain, folder) &&
           bind_textdomain_codeset(domain, "UTF-8");
}

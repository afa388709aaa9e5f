/* SPDX-License-Identifier: MIT
 *
 * own_folder.c: see own_folder.h.
 */
#include "own_folder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "text.h"

/* The labs lie beside bin/ in an installed ScanLab (cmake/Install.cmake), and
 * never in a build folder. */
static bool is_installed(const char *build_folder) {
    char *labs = text_format("%s/labs", build_folder);
    bool is = labs && access(labs, F_OK) == 0;
    free(labs);
    return is;
}

char *own_folder_of_user(const char *name) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        return text_format("%s/scanlab/%s", cache, name);
    return home && *home == '/'
               ? text_format("%s/.cache/scanlab/%s", home, name)
               : NULL;
}

const char *own_home(const char *root, const char *build_folder) {
    return is_installed(build_folder) ? build_folder : root;
}

char *own_folder(const char *build_folder, const char *name) {
    if (is_installed(build_folder) || access(build_folder, W_OK | X_OK) != 0)
        return own_folder_of_user(name);
    return text_format("%s/%s", build_folder, name);
}

/* SPDX-License-Identifier: MIT
 *
 * paths.c: finds ScanLab's folder: $SCANLAB_ROOT, else from the program's own
 * place upwards (build/bin/scanlab lies in it), else from here upwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "from_here.h"
#include "own_folder.h"

char *path_join(const char *folder, const char *name) {
    if (strcmp(folder, ".") == 0) return strdup(name);
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool holds_labs(const char *folder) {
    char *labs = path_join(folder, "labs");
    bool holds = labs && is_folder(labs);
    free(labs);
    return holds;
}

/* Cuts the last name off; false at the top. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || path[1] == '\0') return false;
    if (slash == path) slash++;
    *slash = '\0';
    return true;
}

/* The nearest folder at or above `from` that holds labs/. Takes `from`. */
static char *search_upwards(char *from) {
    if (!from) return NULL;
    do {
        if (holds_labs(from)) return from;
    } while (go_up(from));
    free(from);
    return NULL;
}

static char *own_path(void) {
    return realpath("/proc/self/exe", NULL);
}

/* As seen from here, so that messages show short paths. Takes `root`. */
static char *shortened(char *root) {
    char *whole = root ? realpath(root, NULL) : NULL;
    char *shorter = whole ? path_from_here(whole, whole) : NULL;
    free(whole);
    if (!shorter) return root;
    free(root);
    return shorter;
}

static char *find_root(void) {
    const char *given = getenv("SCANLAB_ROOT");
    if (given && *given) {
        if (holds_labs(given)) return shortened(strdup(given));
        cli_fail("SCANLAB_ROOT is %s, but there is no folder labs in it",
                 given);
        return NULL;
    }
    char *root = search_upwards(own_path());
    if (!root) root = search_upwards(realpath(".", NULL));
    if (!root)
        cli_fail("cannot find ScanLab's folder (the one that holds labs/), "
                 "neither above this\nprogram nor above the current folder; "
                 "set SCANLAB_ROOT");
    return shortened(root);
}

bool paths_find(struct paths *paths, const char *labs) {
    *paths = (struct paths){0};
    paths->root = find_root();
    if (!paths->root) return false;
    paths->labs = labs ? strdup(labs) : path_join(paths->root, "labs");
    paths->build_folder = own_path();
    bool good = paths->labs && paths->build_folder;
    /* The program is build/bin/scanlab. */
    good = good && go_up(paths->build_folder) && go_up(paths->build_folder);
    if (good) paths->home = own_home(paths->root, paths->build_folder);
    if (!good) cli_fail("cannot tell where this program lies");
    return good;
}

void paths_free(struct paths *paths) {
    free(paths->root);
    free(paths->labs);
    free(paths->build_folder);
    *paths = (struct paths){0};
}

/* SPDX-License-Identifier: MIT
 *
 * from_here.c: see from_here.h.
 */
#include "from_here.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* What follows root in path, without slashes before it; NULL: not below it. */
static const char *below(const char *path, const char *root) {
    size_t length = strlen(root);
    if (!path || strncmp(path, root, length) != 0) return NULL;
    if (path[length] != '/' && path[length] != '\0') return NULL;
    return path + length + strspn(path + length, "/");
}

/* Ends of both, past the folders that they have in common. */
static void part(const char **here, const char **there) {
    for (;;) {
        size_t name = strcspn(*here, "/");
        if (name == 0 || strncmp(*here, *there, name) != 0 ||
            ((*there)[name] != '/' && (*there)[name] != '\0'))
            return;
        *here += name + strspn(*here + name, "/");
        *there += name + strspn(*there + name, "/");
    }
}

char *path_from_here(const char *path, const char *root) {
    char *current = realpath(".", NULL);
    const char *here = below(current, root), *there = below(path, root);
    struct text t = {0};
    if (here && there) {
        part(&here, &there);
        for (; *here; here += strspn(here, "/")) {
            text_add(&t, t.size ? "/.." : "..");
            here += strcspn(here, "/");
        }
        if (*there || !t.size)
            text_add(&t, "%s%s", t.size ? "/" : "", *there ? there : ".");
    } else {
        text_add(&t, "%s", path);
    }
    free(current);
    return t.bytes;
}

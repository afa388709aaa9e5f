/* SPDX-License-Identifier: MIT
 *
 * real_gpu.c: see real_gpu.h.
 */
#include "real_gpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders within are not looked into: no source of a lab lies in one. */
static bool is_roots(const struct judge_options *o, char why[REAL_GPU_BYTES]) {
    DIR *folder = opendir(o->submission);
    struct stat file;
    bool is = folder && fstat(dirfd(folder), &file) == 0 && file.st_uid == 0;
    const char *name = "";
    for (struct dirent *e; is && (e = readdir(folder));)
        if (strcmp(e->d_name, "..") != 0) {
            name = e->d_name;
            is =
                fstatat(dirfd(folder), name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
                file.st_uid == 0;
        }
    if (!is)
        snprintf(
            why, REAL_GPU_BYTES,
            "as root the real GPU is for root's own work, and %.100s%s%.60s "
            "is not root's: code on it runs as the user who grades. Grade "
            "as another user, or with --device vgpu",
            o->submission, *name ? "/" : "", name);
    if (folder) closedir(folder);
    return is;
}

bool real_gpu_may(const struct judge_options *o, const struct walled *w,
                  char why[REAL_GPU_BYTES]) {
    bool wall = strncmp(w->stands.by[WALL_files], "Landlock", 8) == 0 ||
                *w->stands.by[WALL_unseen];
    if (!wall && !o->weaker_walls)
        snprintf(
            why, REAL_GPU_BYTES,
            "this machine has neither Landlock nor mount namespaces to keep "
            "the process that uses a real GPU from files; add "
            "--weaker-walls where only your own work is graded");
    return (wall || o->weaker_walls) && (geteuid() != 0 || is_roots(o, why));
}

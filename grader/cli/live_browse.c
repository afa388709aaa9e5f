/* SPDX-License-Identifier: MIT
 *
 * live_browse.c: opens the live page in the browser of who sits here. The
 * address has a secret, which others on the machine could read on a command
 * line: so the browser is given a file that only its owner can read, and that
 * leads there.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "live.h"

extern char **environ;

static bool has_screen(void) {
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

static bool live_leads_there(const char *path, const char *address) {
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = dprintf(fd,
                        "<!DOCTYPE html><title>ScanLab</title>"
                        "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
                        address) > 0;
    return close(fd) == 0 && good;
}

/* xdg-open ends as soon as it has asked a browser to open the page. */
static bool live_start_browser(char *path) {
    char name[] = "xdg-open", *arguments[] = {name, path, NULL};
    posix_spawn_file_actions_t files;
    pid_t pid = 0;
    int status = 0;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    bool good = true;
    for (int fd = 0; fd < 3; fd++)
        good &= posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
                                                 O_RDWR, 0) == 0;
    good =
        good && posix_spawnp(&pid, name, &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    while (good && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void live_browse(const char *build_folder, const char *address) {
    char *path = text_format("%s/live-page.html", build_folder);
    bool opened = path && has_screen() && live_leads_there(path, address) &&
                  live_start_browser(path);
    if (!opened) puts("no browser was opened: open that address in one");
    fflush(stdout);
    free(path);
}

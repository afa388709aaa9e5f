/* SPDX-License-Identifier: MIT
 *
 * pids.c: see pids.h. A group is a folder below the one that we are in, of
 * cgroup v2 where that has the controller `pids` and was handed to this user
 * (systemd: Delegate=yes), or else of v1. Those of judges that were killed are
 * empty, and removed by the next.
 */
#include "pids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define PREFIX "scanlab."

/* ---- where we are ---- */

/* Is `word` one of the words of a list with commas between them? */
static bool has_word(const char *list, const char *word) {
    size_t size = strlen(word);
    for (; list; list = strchr(list, ','), list += list != NULL)
        if (strncmp(list, word, size) == 0 &&
            (!list[size] || list[size] == ','))
            return true;
    return false;
}

/* "8:pids:/a" of v1, "0::/a" of v2. To be freed. */
static char *own_group(bool v2) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (file && !found && getline(&line, &room, file) > 0) {
        char *list = strchr(line, ':'), *path = NULL;
        if (list) path = strchr(++list, ':');
        if (!path) continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (v2 ? !*list : has_word(list, "pids")) found = strdup(path);
    }
    if (file) fclose(file);
    free(line);
    return found;
}

/* A line of /proc/self/mountinfo: fields 4 and 5 are the group that the mount's
 * root is, and the mount's folder; behind a field "-": type, source, options.
 */
static void read_mount(char *line, const char *fields[4]) {
    enum { ROOT = 3, FOLDER = 4 };
    int number = 0, dash = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *field; (field = strsep(&line, " ")); number++) {
        if (!dash && field[0] == '-' && !field[1]) dash = number;
        if (number == ROOT) fields[0] = field;
        if (number == FOLDER) fields[1] = field;
        if (dash && number == dash + 1) fields[2] = field;
        if (dash && number == dash + 3) fields[3] = field;
    }
}

static char *folder_of(const char *group, bool v2) {
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (file && !found && getline(&line, &room, file) > 0) {
        const char *fields[4] = {"", "", "", ""};
        read_mount(line, fields);
        const char *root = fields[0];
        if (strcmp(fields[2], v2 ? "cgroup2" : "cgroup") != 0 ||
            (!v2 && !has_word(fields[3], "pids")))
            continue;
        size_t size = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(group, root, size) == 0)
            found = text_format("%s%s", fields[1], group + size);
    }
    if (file) fclose(file);
    free(line);
    return found;
}

/* ---- one group ---- */

static bool write_in(const char *folder, const char *name, const char *text) {
    char *path = text_format("%s/%s", folder, name);
    int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    ssize_t size = (ssize_t)strlen(text);
    bool ok = fd >= 0 && write(fd, text, (size_t)size) == size;
    int error = errno;
    if (fd >= 0) close(fd);
    free(path);
    errno = error;
    return ok;
}

static void remove_left(const char *around) {
    DIR *open = opendir(around);
    for (struct dirent *e; open && (e = readdir(open));) {
        long pid = strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0
                       ? strtol(e->d_name + strlen(PREFIX), NULL, 10)
                       : 0;
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(open), e->d_name, AT_REMOVEDIR);
    }
    if (open) closedir(open);
}

static bool make_in(struct pids *p, const char *around, pid_t first,
                    unsigned most) {
    char number[24], limit[24];
    remove_left(around);
    p->folder =
        text_format("%s/" PREFIX "%d.%d", around, (int)getpid(), (int)first);
    if (!p->folder || mkdir(p->folder, 0755) != 0) {
        free(p->folder);
        p->folder = NULL;
        return false;
    }
    snprintf(limit, sizeof limit, "%u", most);
    snprintf(number, sizeof number, "%d", (int)first);
    /* In v2 the group around hands the controller on, if it may. It has us in
     * it, and so has no groups below but such as are part of it: "threaded"
     * (cgroup-v2(7), no internal processes). v1 has no such file. */
    if ((write_in(p->folder, "pids.max", limit) ||
         (write_in(around, "cgroup.subtree_control", "+pids") &&
          write_in(p->folder, "pids.max", limit))) &&
        (write_in(p->folder, "cgroup.type", "threaded") || errno == ENOENT) &&
        write_in(p->folder, "cgroup.procs", number))
        return true;
    pids_remove(p);
    return false;
}

bool pids_make(struct pids *p, pid_t first, unsigned most) {
    bool made = false;
    *p = (struct pids){0};
    for (int v2 = 1; v2 >= 0 && !made; v2--) {
        char *group = own_group(v2);
        char *around = group ? folder_of(group, v2) : NULL;
        made = around && make_in(p, around, first, most);
        free(around);
        free(group);
    }
    return made;
}

/* What was killed may take the kernel a moment to be gone. */
void pids_remove(struct pids *p) {
    enum { TRIES = 40, PAUSE_MS = 5 };
    for (int i = 0; p->folder && rmdir(p->folder) != 0 && errno == EBUSY; i++) {
        if (i == TRIES) break; /* the next judge does it */
        poll(NULL, 0, PAUSE_MS);
    }
    free(p->folder);
    *p = (struct pids){0};
}

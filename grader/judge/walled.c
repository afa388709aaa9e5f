/* SPDX-License-Identifier: MIT
 *
 * walled.c: see walled.h.
 */
#include "walled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

enum {
    PROBE_MS = 10000,
    PROBES = 2,
    /* Addresses of one process, memory of all of them. Thrust and CUB together
     * take 0.7 GiB. */
    MOST_MIB = 2048,
    MOST_FILE_MIB = 256,
    MOST_PROCESSES = 64,
    MOST_FILES = 4096, /* that it writes, and their size */
    MOST_DISK_MIB = 1024
};

/* What every tool reads: programs, headers and libraries of the system, not
 * what else lies in /usr. */
static const char *const system_paths[] = {"/usr/bin",
                                           "/usr/lib",
                                           "/usr/lib32",
                                           "/usr/lib64",
                                           "/usr/libx32",
                                           "/usr/libexec",
                                           "/usr/include",
                                           "/bin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/libx32",
                                           "/usr/x86_64-linux-gnu",
                                           "/usr/aarch64-linux-gnu",
                                           "/etc/ld.so.cache",
                                           "/etc/alternatives"};
enum { N_SYSTEM = sizeof system_paths / sizeof *system_paths };

/* ---- which walls stand ---- */

static void note_wall(struct standing *stands, const char *line) {
    static const char *const names[] = {
#define X(name, asked, meaning) #name,
#include "walls.def"
#undef X
    };
    size_t size = strcspn(line, " ");
    for (int i = 0; i < N_WALLS; i++)
        if (strlen(names[i]) == size && strncmp(line, names[i], size) == 0 &&
            line[size])
            snprintf(stands->by[i], WALL_BY_BYTES, "%s", line + size + 1);
}

static bool probe(struct walled *w) {
    const char *words[2 * N_SYSTEM + 8] = {w->helper, "-n", w->place, "-p",
                                           "1"};
    size_t n = 5;
    for (size_t i = 0; i < N_SYSTEM; i++) {
        words[n++] = "-r";
        words[n++] = system_paths[i];
    }
    struct command c = {
        .arguments = words, .limit_ms = PROBE_MS, .output_limit = 4096};
    bool ok = command_run(&c) && c.output.bytes;
    char *rest = c.output.bytes;
    for (char *line; ok && (line = strsep(&rest, "\n"));)
        note_wall(&w->stands, line);
    text_free(&c.output);
    return ok;
}

bool walled_open(struct walled *w, const char *build_folder,
                 char error[WALLED_ERROR_BYTES]) {
    *w = (struct walled){
        .helper = text_format("%s/libexec/scanlab-walls", build_folder),
        .place = text_format("%s/libexec", build_folder)};
    bool works = false, all = false;
    /* A wall that stood once is asked for: what was refused for a moment, such
     * as memory, leaves none out. */
    for (int i = 0; i < PROBES && !all && w->helper && w->place; i++) {
        works = probe(w) || works;
        all = works && *w->stands.by[WALL_calls] && *w->stands.by[WALL_files];
    }
    if (works && *w->stands.by[WALL_calls]) return true;
    int lacks = works ? 0 : machine_refuses(1, 0);
    if (lacks)
        snprintf(error, WALLED_ERROR_BYTES, "cannot start %s: %s",
                 w->helper ? w->helper : "a program", strerror(lacks));
    else if (works) /* the runner would fail each check in the student's name */
        snprintf(error, WALLED_ERROR_BYTES,
                 "this kernel cannot filter system calls, without which "
                 "nothing is graded (it needs CONFIG_SECCOMP_FILTER)");
    else
        snprintf(error, WALLED_ERROR_BYTES,
                 "%s is missing or does not work; build ScanLab again (make)",
                 w->helper ? w->helper : "memory");
    walled_free(w);
    return false;
}

void walled_free(struct walled *w) {
    free(w->helper);
    free(w->place);
    w->helper = w->place = NULL;
}

/* What the runner does not get it refuses to run without, but for Landlock:
 * lockdown.c. A real GPU's driver is asked by requests that no filter can look
 * into. */
void walled_of_run(const struct walled *w, bool gpu, struct standing *run) {
    const char *files = w->stands.by[WALL_files];
    if (strncmp(files, "Landlock", 8) != 0)
        files = gpu ? w->stands.by[WALL_unseen] : "";
    *run = w->stands;
    snprintf(run->by[WALL_files], WALL_BY_BYTES, "%.20s%sseccomp", files,
             *files ? ", " : "");
    snprintf(run->by[WALL_unseen], WALL_BY_BYTES, "seccomp");
    if (gpu)
        snprintf(run->by[WALL_calls], WALL_BY_BYTES,
                 "seccomp; open: the GPU driver's ioctls");
}

/* ---- the words of a command ---- */

static void walled_add(struct walled_words *w, size_t *n, const char *option,
                       const char *value) {
    if (!value || *n + 2 >= sizeof w->at / sizeof *w->at) return;
    w->at[(*n)++] = option;
    w->at[(*n)++] = value;
}

static void add_limits(struct walled_words *w, size_t *n, unsigned limit_ms) {
    /* Of one process; the judge looks at all of them, and says why. */
    w->owned[0] = text_format("%u", limit_ms / 500 + 1);
    w->owned[1] = text_format("%d", MOST_MIB);
    w->owned[2] = text_format("%d", MOST_FILE_MIB);
    walled_add(w, n, "-t", w->owned[0]);
    walled_add(w, n, "-m", w->owned[1]);
    walled_add(w, n, "-f", w->owned[2]);
}

/* Nothing of ours: no CPATH, LD_PRELOAD, NVCC_APPEND_FLAGS. The folders of the
 * programs that the tool starts come first. */
static void clean_environment(struct walled_words *w,
                              const struct walled_tool *t) {
    int folder = (int)(text_base(t->arguments[0]) - t->arguments[0]);
    const char *temporary = t->temporary ? t->temporary : "/";
    size_t n = 0;
    w->owned[3] =
        text_format("PATH=%.*s:/usr/bin:/bin", folder > 1 ? folder - 1 : folder,
                    t->arguments[0]);
    w->owned[4] = text_format("TMPDIR=%s", temporary);
    w->owned[5] = text_format("HOME=%s", temporary);
    for (int i = 3; i < 6; i++)
        if (w->owned[i]) w->environment[n++] = w->owned[i];
    w->environment[n++] = "LC_ALL=C"; /* plain quotes, for every reader */
    w->environment[n] = NULL;
}

static bool make_words(const struct walled *walled, const struct walled_tool *t,
                       struct walled_words *w) {
    size_t n = 0, most = sizeof w->at / sizeof *w->at;
    *w = (struct walled_words){0};
    w->at[n++] = walled->helper;
    for (size_t i = 0; i < N_SYSTEM; i++)
        walled_add(w, &n, "-r", system_paths[i]);
    for (size_t i = 0; i < WALLED_PATHS; i++)
        walled_add(w, &n, "-r", t->reads[i]);
    for (size_t i = 0; i < WALLED_PATHS; i++)
        walled_add(w, &n, "-w", t->writes[i]);
    memcpy(w->writes, t->writes, sizeof t->writes);
    walled_add(w, &n, "-o", "/dev/null");
    if (*walled->stands.by[WALL_unseen]) walled_add(w, &n, "-n", walled->place);
    if (strncmp(walled->stands.by[WALL_files], "Landlock", 8) == 0)
        walled_add(w, &n, "-l", "1");
    if (strncmp(walled->stands.by[WALL_files], "seccomp", 7) == 0)
        walled_add(w, &n, "-s", "1");
    walled_add(w, &n, "-C", t->folder);
    add_limits(w, &n, t->limit_ms);
    w->owned[6] = text_format("%d", (int)getpid());
    walled_add(w, &n, "-P", w->owned[6]);
    w->at[n++] = "--";
    for (size_t i = 0; n < most && t->arguments[i]; i++)
        w->at[n++] = t->arguments[i];
    clean_environment(w, t);
    return n < most;
}

int walled_start(const struct walled *walled, const struct walled_tool *t,
                 struct walled_words *w, struct command *c,
                 struct command_run *run) {
    if (!make_words(walled, t, w)) return E2BIG;
    *c = (struct command){.arguments = w->at,
                          .environment = w->environment,
                          .limit_ms = t->limit_ms,
                          .until = t->until,
                          .output_limit = t->output_limit,
                          .ends_when_full = true,
                          .most_processes = MOST_PROCESSES,
                          .most_mib = MOST_MIB,
                          .folders = w->writes,
                          .most_files = MOST_FILES,
                          .most_disk_mib = MOST_DISK_MIB,
                          .most_file_mib = MOST_FILE_MIB};
    return command_start(c, run);
}

void walled_words_free(struct walled_words *w) {
    for (size_t i = 0; i < sizeof w->owned / sizeof *w->owned; i++)
        free(w->owned[i]);
    *w = (struct walled_words){0};
}

/* ---- toolkits ---- */

static bool cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return false;
    *slash = '\0';
    return true;
}

/* Only what is a toolkit: a folder bin/ may be that of somebody's home. */
static bool is_toolkit(const char *folder) {
    static const char *const marks[] = {"nvvm", "bin/nvcc.profile", "lib/gcc",
                                        "lib64/gcc", "libexec/gcc"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof marks / sizeof *marks; i++) {
        char *mark = text_format("%s/%s", folder, marks[i]);
        found = mark && access(mark, F_OK) == 0;
        free(mark);
    }
    return found;
}

static bool is_system(const char *folder) {
    for (size_t i = 0; i < N_SYSTEM; i++) {
        size_t size = strlen(system_paths[i]);
        if (strncmp(folder, system_paths[i], size) == 0 &&
            (folder[size] == '/' || !folder[size]))
            return true;
    }
    return false;
}

char *walled_toolkit(const char *program) {
    char *folder = realpath(program, NULL);
    if (!folder || !cut_name(folder) || is_system(folder)) {
        free(folder);
        return NULL;
    }
    char *above = strdup(folder);
    if (above && cut_name(above) && strcmp(above, "/usr") != 0 &&
        is_toolkit(above)) {
        free(folder);
        return above;
    }
    free(above);
    return folder;
}

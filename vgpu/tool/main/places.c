/* SPDX-License-Identifier: MIT
 *
 * places.c: the lines of the host's calls. The virtual GPU knows places in the
 * program's file; addr2line, which comes with the compiler that nvcc needs,
 * knows their lines. Where there is none, or the program was built without -g,
 * findings have no line.
 */
#define _GNU_SOURCE /* pipe2 */
#include "tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TEXT_MAX = TOOL_TEXT, WORDS = 6 };

/* addr2line's answers about one call's places; NULL: it cannot be had. */
static FILE *places_ask(const char *path, const uint64_t *at, int most,
                        pid_t *child) {
    char places[VGPU_LAUNCHERS][20];
    const char *words[WORDS + VGPU_LAUNCHERS + 1] = {"addr2line", "-i", "-f",
                                                     "-C",        "-e", path};
    for (int k = 0; k < most && at[k]; k++) {
        snprintf(places[k], sizeof places[k], "0x%llx",
                 (unsigned long long)at[k]);
        words[WORDS + k] = places[k];
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    int error = posix_spawnp(child, words[0], &actions, NULL,
                             (char **)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *file = error ? NULL : fdopen(ends[0], "r");
    if (!file) close(ends[0]);
    return file;
}

/* What does not fit is left out: names of templates may be longer. */
static bool read_line(FILE *file, char *to) {
    if (!fgets(to, TEXT_MAX, file)) return false;
    size_t n = strcspn(to, "\n");
    for (int c = to[n]; c != '\n' && c != EOF;) c = fgetc(file);
    to[n] = 0;
    return true;
}

/* "FILE:LINE" or "FILE:LINE (discriminator 2)"; cuts it. 0: no line. */
static uint32_t cut_line(char *place) {
    char *colon = strrchr(place, ':');
    if (!colon || place[0] == '?') return 0;
    *colon = 0;
    return (uint32_t)strtoul(colon + 1, NULL, 10);
}

/* Of a program without lines: of CUB or Thrust, or made of theirs. */
static bool is_of_library(const char *function) {
    return strstr(function, "cub::") || strstr(function, "thrust::") ||
           strstr(function, "cudaLaunchKernel");
}

/* The innermost place in a file that the program's author can edit. A launch
 * comes through two functions of nvcc's, of which the second has the kernel's
 * name and line. */
static bool places_choose(FILE *answers, char *file, char *function,
                          struct vgpu_source *where) {
    int skip = 0;
    while (read_line(answers, function) && read_line(answers, file)) {
        if (strstr(function, "__device_stub__")) skip = 2;
        if (skip && skip--) continue;
        uint32_t line = cut_line(file);
        if (function[0] == '?' || (line && vgpu_is_toolkit_file(file)) ||
            (!line && is_of_library(function)))
            continue;
        *where = (struct vgpu_source){
            .file = line ? file : NULL, .line = line, .function = function};
        return true;
    }
    return false;
}

static bool places_find(const char *path, const uint64_t *at, int most,
                        char *file, char *function, struct vgpu_source *where) {
    pid_t child = 0;
    FILE *answers = at[0] ? places_ask(path, at, most, &child) : NULL;
    if (!answers) return false;
    bool is_found = places_choose(answers, file, function, where);
    fclose(answers);
    waitpid(child, NULL, 0);
    return is_found;
}

void tool_find_places(vgpu_device *device, const char *path,
                      struct tool_report *report) {
    char file[TEXT_MAX], function[TEXT_MAX];
    const struct vgpu_finding *findings;
    struct vgpu_source where;
    size_t n = vgpu_findings(device, &findings);
    for (size_t k = 0; k < n; k++) {
        if (places_find(path, findings[k].callers, VGPU_CALLERS, file, function,
                        &where))
            vgpu_place_finding(device, k, &where);
        if (places_find(path, findings[k].launchers, VGPU_LAUNCHERS, file,
                        function, &where))
            vgpu_place_launch(device, k, &where);
        if (findings[k].has_before &&
            places_find(path, findings[k].other_callers, VGPU_CALLERS, file,
                        function, &where))
            vgpu_place_before(device, k, &where);
    }
    const uint64_t *at[] = {vgpu_no_room(device)->callers,
                            vgpu_part_written(device)->callers};
    char *to[] = {report->refused, report->part_written};
    for (int k = 0; k < 2; k++) {
        to[k][0] = 0;
        if (places_find(path, at[k], VGPU_CALLERS, file, function, &where) &&
            where.line)
            snprintf(to[k], TOOL_TEXT, " (%.1000s:%u)", where.file, where.line);
    }
    const struct vgpu_call_error *errors;
    size_t n_errors = vgpu_call_errors(device, &errors);
    for (size_t k = 0; k < n_errors; k++) {
        report->call_errors[k][0] = 0;
        if (places_find(path, errors[k].callers, VGPU_CALLERS, file, function,
                        &where) &&
            where.line)
            snprintf(report->call_errors[k], TOOL_TEXT, "%.1000s:%u",
                     where.file, where.line);
    }
}

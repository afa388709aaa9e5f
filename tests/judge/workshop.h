/* SPDX-License-Identifier: MIT
 *
 * workshop.h: a lab, a submission folder and a build folder made on the spot,
 * for tests of the judge that need neither labs/ nor nvcc.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab.h"

static inline void make_folder(const char *path) {
    char command[1200];
    snprintf(command, sizeof command, "mkdir -p '%s'", path);
    if (system(command) != 0) abort();
}

static inline void write_file(const char *folder, const char *name,
                              const char *text) {
    char path[1200];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static inline void remove_folder(const char *path) {
    char command[1200];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    if (system(command) != 0) abort();
}

/* WORK_FOLDER as root: labs/00-toy with one function `scan`, student/ with
 * toy.c, build/ with the real runner. */
static inline struct lab *make_workshop(const char *ini_checks,
                                        const char *source) {
    static const char head[] = "[lab]\nid = toy\ntitle = Toy\nsource = toy.c\n"
                               "header = toy.h\ntime_limit_ms = 1000\n"
                               "memory_limit_mib = 128\n"
                               "[function scan]\nsymbol = toy_scan\n"
                               "signature = scan\noracle = inclusive_sum\n";
    char ini[4096];
    struct lab_error error;
    remove_folder(WORK_FOLDER);
    snprintf(ini, sizeof ini, "%s%s", head, ini_checks);
    write_file(WORK_FOLDER "/labs/common", "none.h", "");
    write_file(WORK_FOLDER "/labs/00-toy", "lab.ini", ini);
    write_file(WORK_FOLDER "/labs/00-toy", "README.md", "# Toy\n\n## Idea\n");
    write_file(WORK_FOLDER "/labs/00-toy", "toy.h",
               "#include <stddef.h>\n#include <stdint.h>\n"
               "int toy_scan(const int32_t *in, int32_t *out, size_t n);\n");
    write_file(WORK_FOLDER "/student", "toy.c", source);
    make_folder(WORK_FOLDER "/build/libexec");
    make_folder(WORK_FOLDER "/build/lib/vgpu");
    if (system("ln -s '" RUNNER "' '" BUILD_FOLDER
               "/libexec/scanlab-walls' '" WORK_FOLDER "/build/libexec'") != 0)
        abort();
    struct lab *lab = lab_read(WORK_FOLDER "/labs/00-toy", &error);
    if (!lab) fprintf(stderr, "%s\n", error.message);
    return lab;
}

#define TOY_CHECK                                                              \
    "[check any]\nkind = correct\ntitle = Any\npoints = 10\n"                  \
    "function = scan\nsizes = 0 1 33\ninputs = random\n"                       \
    "cause = Something.\nread = README.md#idea\nhint = Think.\n"

#define TOY_RIGHT                                                              \
    "#include \"toy.h\"\n"                                                     \
    "int toy_scan(const int32_t *in, int32_t *out, size_t n) {\n"              \
    "    uint32_t sum = 0;\n"                                                  \
    "    for (size_t i = 0; i < n; i++)\n"                                     \
    "        out[i] = (int32_t)(sum += (uint32_t)in[i]);\n"                    \
    "    return 0;\n"                                                          \
    "}\n"

/* SPDX-License-Identifier: MIT
 *
 * host.c: see host.h. The GPU is asked about through nvidia-smi, so that
 * no driver is loaded into the judge.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "from_here.h"
#include "speed.h"
#include "surplus.h"
#include "toolchain.h"

enum { SMI_LIMIT_MS = 20000 };

/* "9.0, NVIDIA H200" in the first line. */
static void find_gpu(struct host *m) {
    static const char *const words[] = {"nvidia-smi",
                                        "--query-gpu=compute_cap,name",
                                        "--format=csv,noheader", NULL};
    struct command c = {
        .arguments = words, .limit_ms = SMI_LIMIT_MS, .output_limit = 4096};
    int major, minor, name = 0;
    if (command_run(&c) && c.output.bytes &&
        sscanf(c.output.bytes, "%d.%d, %n", &major, &minor, &name) == 2 &&
        name) {
        c.output.bytes[name + (int)strcspn(c.output.bytes + name, "\r\n")] =
            '\0';
        m->gpu = text_format("%s", c.output.bytes + name);
        m->capability = 10 * major + minor;
    }
    text_free(&c.output);
}

static bool has_runtime(const char *folder) {
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        char *file = text_format("%s/%s", folder, names[i]);
        found = file && access(file, R_OK) == 0;
        free(file);
    }
    return found;
}

/* The real runtime lies beside nvcc: ../lib64 of an installed toolkit, ../lib
 * of the wheels, ../lib/x86_64-linux-gnu of Debian's packages. */
static char *find_toolkit(const char *build_folder) {
    static const char *const folders[] = {"lib64",
                                          "lib",
                                          "targets/x86_64-linux/lib",
                                          "targets/sbsa-linux/lib",
                                          "lib/x86_64-linux-gnu",
                                          "lib/aarch64-linux-gnu"};
    char *nvcc = toolchain_nvcc(build_folder);
    char *whole = nvcc ? realpath(nvcc, NULL) : NULL, *found = NULL;
    for (int up = 0; whole && up < 2; up++) {
        char *slash = strrchr(whole, '/');
        if (slash) *slash = '\0';
    }
    for (size_t i = 0; whole && !found && i < sizeof folders / sizeof(char *);
         i++) {
        char *folder = text_format("%s/%s", whole, folders[i]);
        if (folder && has_runtime(folder))
            found = folder;
        else
            free(folder);
    }
    free(nvcc);
    free(whole);
    return found;
}

static bool need(const char *path, int how, const char *what, char error[]) {
    if (path && access(path, how) == 0) return true;
    snprintf(error, HOST_ERROR_BYTES,
             "%s is missing (%s): %s; build ScanLab again (make)", what,
             path ? path : "?", strerror(path ? errno : ENOMEM));
    return false;
}

bool host_open(struct host *m, const char *root, const char *build_folder,
               bool look_for_gpu, char error[HOST_ERROR_BYTES]) {
    *m = (struct host){.root = realpath(root, NULL),
                       .build_folder = realpath(build_folder, NULL)};
    if (!need(m->root ? m->root : root, R_OK, "ScanLab's folder", error) ||
        !need(m->build_folder ? m->build_folder : build_folder, R_OK,
              "the build folder", error))
        return false;
    if (!m->root || !m->build_folder) return need(NULL, R_OK, "memory", error);
    m->runner = text_format("%s/libexec/scanlab-runner", m->build_folder);
    m->client = text_format("%s/lib/vgpu", m->build_folder);
    if (!need(m->runner, X_OK, "the runner", error)) return false;
    if (!walled_open(&m->walled, m->build_folder, error)) return false;
    if (look_for_gpu) find_gpu(m);
    if (m->gpu) m->toolkit = find_toolkit(m->build_folder);
    m->environment = (struct case_environment){.walled = &m->walled,
                                               .runner = m->runner,
                                               .client = m->client,
                                               .toolkit = m->toolkit,
                                               .root = m->root,
                                               .build_folder = m->build_folder,
                                               .capability = m->capability,
                                               .cache = vgpu_cache_new(),
                                               .surplus = surplus_new(),
                                               .slowness = speed_slowness()};
    return true;
}

char *host_program(const struct host *m) {
    const char *called = getenv("SCANLAB_PROGRAM");
    if (called && *called) return text_format("%s", called);
    char *whole = text_format("%s/bin/scanlab", m->build_folder);
    char *name = whole ? path_from_here(whole, m->root) : NULL;
    free(whole);
    return name;
}

void host_free(struct host *m) {
    vgpu_cache_free(m->environment.cache);
    surplus_free(m->environment.surplus);
    walled_free(&m->walled);
    free(m->root);
    free(m->build_folder);
    free(m->runner);
    free(m->client);
    free(m->toolkit);
    free(m->gpu);
    *m = (struct host){0};
}

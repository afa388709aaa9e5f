/* SPDX-License-Identifier: MIT
 *
 * lockdown.c: what the student's code may do, decided before it is loaded.
 *
 * Walls, in the order they are built: death with the judge, resource limits, no
 * new privileges, no capabilities (so that root in a container is nobody), no
 * files beyond a short list (Landlock, or a root folder of its own), no system
 * calls beyond a list (seccomp, filters.c). One row of `profiles` per device
 * says how far each goes. A real GPU's driver wants devices and threads; it is
 * trusted as the kernel is, so it begins between the walls around files and
 * those around calls, and then no call that names a file is left, as on the
 * virtual GPU. The judge keeps its secrets in its own memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runner.h"
#include "walls.h"

static const struct profile {
    bool limit_address_space;
    bool gpu; /* its driver is there, with its devices and ioctls */
} profiles[] = {
    [WIRE_HOST] = {true, false},
    [WIRE_VGPU] = {true, false},
    [WIRE_GPU] = {false, true},
};

/* ---- resource limits ---- */

enum { STACK_BYTES = 8 << 20, MOST_FILES = 64, MOST_FILES_GPU = 1024 };

static bool limits(const struct profile *p, const struct wire_configure *c) {
    return walls_limit(RLIMIT_CORE, 0) &&
           walls_limit(RLIMIT_CPU, c->cpu_seconds) &&
           walls_limit(RLIMIT_STACK, STACK_BYTES) &&
           walls_limit(RLIMIT_NOFILE, p->gpu ? MOST_FILES_GPU : MOST_FILES) &&
           walls_limit(RLIMIT_FSIZE, 0) &&
           (!p->limit_address_space || c->address_space == 0 ||
            walls_limit(RLIMIT_AS, c->address_space));
}

/* ---- files ---- */

static const struct walls_path paths[] = {
    {"/usr", WALLS_READ},
    {"/lib", WALLS_READ},
    {"/lib64", WALLS_READ},
    {"/proc/self", WALLS_READ},
    {"/sys/devices/system/cpu", WALLS_READ},
    {"/etc/ld.so.cache", WALLS_READ}};

/* What the driver opens when a context is made (docs/robustness.md); its
 * libraries are loaded by then. It opens its devices as one opens a file to be
 * overwritten, and one for each GPU. */
static const struct walls_path gpu_paths[] = {
    {"/dev/nvidiactl", WALLS_OVERWRITE},
    {"/dev/nvidia-uvm", WALLS_OVERWRITE},
    {"/dev/nvidia-caps", WALLS_READ},
    {"/proc/driver/nvidia", WALLS_READ},
    {"/proc/self", WALLS_OVERWRITE}, /* a thread's name; else no context */
    {"/proc/cpuinfo", WALLS_READ},
    {"/proc/devices", WALLS_READ},
    {"/proc/sys/vm/mmap_min_addr", WALLS_READ},
    {"/sys", WALLS_READ}};

enum {
    N_PATHS = sizeof paths / sizeof *paths,
    N_GPU_PATHS = sizeof gpu_paths / sizeof *gpu_paths,
    MOST_GPUS = 32
};

/* true also where the kernel has no Landlock: no call names a file. */
static bool landlock(const struct wire_configure *c, const char *library) {
    struct walls_path all[N_PATHS + 2];
    size_t n = N_PATHS;
    if (!walls_landlock_version()) return true;
    memcpy(all, paths, sizeof paths);
    if (*library) all[n++] = (struct walls_path){library, WALLS_READ};
    if (*c->client) all[n++] = (struct walls_path){c->client, WALLS_READ};
    return walls_landlock(all, n, false);
}

/* Any folder that is there will do: the runner's own. */
static bool own_root(const struct walls_path *all, size_t n) {
    char place[WIRE_TEXT_BYTES];
    ssize_t size = readlink("/proc/self/exe", place, sizeof place - 1);
    if (size <= 0) return false;
    place[size] = '\0';
    char *slash = strrchr(place, '/');
    if (slash) *slash = '\0';
    return walls_root(all, n, place);
}

/* Before the driver begins, one of these walls has to stand. */
static bool gpu_files(const struct wire_configure *c) {
    struct walls_path all[N_GPU_PATHS + MOST_GPUS];
    char names[MOST_GPUS][24];
    size_t n = N_GPU_PATHS;
    memcpy(all, gpu_paths, sizeof gpu_paths);
    for (unsigned i = 0; i < MOST_GPUS; i++) {
        snprintf(names[i], sizeof names[i], "/dev/nvidia%u", i);
        all[n++] = (struct walls_path){names[i], WALLS_OVERWRITE};
    }
    if (walls_landlock_version()) return walls_landlock(all, n, true);
    return own_root(all, n) || c->weaker_walls;
}

static bool files(const struct wire_configure *c, const char *library) {
    return profiles[c->device].gpu ? gpu_files(c) : landlock(c, library);
}

/* ---- all of them ---- */

static bool stands(const char *missing, char text[WIRE_TEXT_BYTES]) {
    if (missing)
        snprintf(text, WIRE_TEXT_BYTES, "cannot set %s: %s", missing,
                 strerror(errno));
    return !missing;
}

/* A root folder of one's own takes the capabilities that go after it. */
bool lockdown_rights(const struct wire_configure *c, const char *library,
                     char text[WIRE_TEXT_BYTES]) {
    const struct profile *p = &profiles[c->device];
    bool root_first = p->gpu && !walls_landlock_version();
    return stands(!limits(p, c)                       ? "resource limits"
                  : root_first && !files(c, library)  ? "a wall around files"
                  : !walls_no_new_rights()            ? "no_new_privs"
                  : !walls_drop_capabilities()        ? "capabilities"
                  : !root_first && !files(c, library) ? "Landlock"
                                                      : NULL,
                  text);
}

bool lockdown_calls(struct lockdown_filter *filter,
                    char text[WIRE_TEXT_BYTES]) {
    return stands(filters_load(filter) ? NULL : "seccomp", text);
}

/* SPDX-License-Identifier: MIT
 *
 * machine.c: see machine.h.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "text.h"

enum {
    MIB = 1 << 20,
    /* What nvcc writes for one lab, and what gcc allocates, several times. */
    ROOM_MIB = 32,
    MEMORY_MIB = 256,
    MOST_THREADS = 256,
    THREAD_STACK = 64 << 10
};

unsigned long long machine_kills(void) {
    char name[64];
    unsigned long long value, kills = 0;
    FILE *file = fopen("/proc/vmstat", "r");
    while (file && fscanf(file, "%63s %llu", name, &value) == 2)
        if (strcmp(name, "oom_kill") == 0) kills = value;
    if (file) fclose(file);
    return kills;
}

/* A file that has its room on the disk, gone at once. 0, or errno. */
static int try_file(const char *folder, unsigned mib) {
    char *path = text_format("%s/room.XXXXXX", folder);
    int fd = path ? mkostemp(path, O_CLOEXEC) : -1;
    int error = fd >= 0 ? 0 : errno;
    if (!error && mib) error = posix_fallocate(fd, 0, (off_t)mib * MIB);
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    free(path);
    return error;
}

static int try_memory(void) {
    size_t bytes = (size_t)MEMORY_MIB * MIB;
    void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) return ENOMEM;
    munmap(got, bytes);
    return 0;
}

/* Each stays until the last is there. */
static void *wait_for_lock(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static int try_threads(unsigned n) {
    pthread_t made[MOST_THREADS];
    pthread_attr_t how;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    unsigned i = 0;
    int error = pthread_attr_init(&how);
    if (error) return error;
    pthread_attr_setstacksize(&how, THREAD_STACK);
    pthread_mutex_lock(&lock);
    for (; i < n && i < MOST_THREADS && !error; i += !error)
        error = pthread_create(&made[i], &how, wait_for_lock, &lock);
    pthread_mutex_unlock(&lock);
    while (i > 0) pthread_join(made[--i], NULL);
    pthread_attr_destroy(&how);
    return error;
}

static int try_descriptors(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static int try_address_space(unsigned mib) {
    struct rlimit limit;
    bool ok = getrlimit(RLIMIT_AS, &limit) == 0 &&
              limit.rlim_max >= (rlim_t)mib * MIB;
    return ok ? 0 : ENOMEM;
}

int machine_refuses(unsigned threads, unsigned address_mib) {
    int error = try_threads(threads);
    if (!error) error = try_descriptors();
    if (!error) error = try_address_space(address_mib);
    return error ? error : try_memory();
}

int machine_lacks(const char *folder) {
    int error = try_file(folder, ROOM_MIB);
    return error ? error : try_memory();
}

/* SPDX-License-Identifier: MIT
 *
 * allocate.c: a library to be loaded before all others (LD_PRELOAD). It lets
 * the allocation of number $ALLOCATE_FAILS fail that the program itself makes,
 * or a library for it, and removes itself from the environment, so that what
 * the program starts is left alone. At the end $ALLOCATE_TOLD gets "scanlab
 * allocation NUMBER", of all that were made, and "injected" if one failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static struct {
    atomic_ulong made;
    unsigned long fails;
    char told[1024];
    int failed;
} state;

static int is_the_one(void) {
    unsigned long number = atomic_fetch_add(&state.made, 1) + 1;
    if (!state.fails || number != state.fails) return 0;
    state.failed = 1;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) {
    return is_the_one() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
    return is_the_one() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *block, size_t bytes) {
    return is_the_one() ? NULL : __libc_realloc(block, bytes);
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("ALLOCATE_FAILS"),
               *told = getenv("ALLOCATE_TOLD");
    state.fails = number ? strtoul(number, NULL, 10) : 0;
    snprintf(state.told, sizeof state.told, "%s", told ? told : "");
    unsetenv("LD_PRELOAD");
    unsetenv("ALLOCATE_FAILS");
    unsetenv("ALLOCATE_TOLD");
    state.made = 0;
}

__attribute__((destructor)) static void end(void) {
    char line[80];
    int fd = open(state.told, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int size = snprintf(line, sizeof line, "scanlab allocation %lu\n%s",
                        state.made, state.failed ? "injected\n" : "");
    if (fd < 0) return;
    if (write(fd, line, (size_t)size) != size) _exit(125);
    close(fd);
}

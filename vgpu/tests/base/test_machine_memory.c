/* SPDX-License-Identifier: MIT
 *
 * test_machine_memory.c: how much memory control groups allow, of made-up ones.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine_memory.h"
#include "unit.h"

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int drop(const char *path, const struct stat *s, int kind,
                struct FTW *where) {
    (void)s, (void)kind, (void)where;
    return remove(path);
}

static uint64_t allowed(const char *self) {
    put("self", self);
    return machine_memory_of_groups("self", "groups");
}

TEST(the_least_of_the_groups_counts) {
    char folder[] = "/tmp/scanlab-groups-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("groups", 0700), 0);
    assert_int_equal(mkdir("groups/a", 0700), 0);
    assert_int_equal(mkdir("groups/a/b", 0700), 0);
    assert_int_equal(mkdir("groups/memory", 0700), 0);
    assert_int_equal(mkdir("groups/memory/c", 0700), 0);
    assert_true(allowed("0::/a/b\n") == UINT64_MAX);
    put("groups/a/b/memory.max", "max\n");
    assert_true(allowed("0::/a/b\n") == UINT64_MAX);
    put("groups/a/memory.max", "3000\n");
    assert_int_equal(allowed("0::/a/b\n"), 3000);
    put("groups/a/b/memory.max", "2000\n");
    assert_int_equal(allowed("0::/a/b\n"), 2000);
    assert_int_equal(allowed("0::/a\n"), 3000);
    assert_true(allowed("0::/\n") == UINT64_MAX);
    put("groups/memory/c/memory.limit_in_bytes", "1000\n");
    assert_int_equal(allowed("4:memory:/c\n0::/a/b\n"), 1000);
    assert_int_equal(allowed("5:pids:/c\n0::/a\n"), 3000);
    put("groups/memory.max", "500\n"); /* a container sees its own there */
    assert_int_equal(allowed("0::/elsewhere/deep\n"), 500);
    assert_true(allowed("nonsense\n") == UINT64_MAX);
    assert_true(machine_memory() > 1 << 20);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
}
UNIT_MAIN(NULL, NULL)

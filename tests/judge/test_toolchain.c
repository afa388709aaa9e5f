/* SPDX-License-Identifier: MIT
 *
 * test_toolchain.c: how the runtime is linked by which nvcc, and which command
 * gets a compiler on which Linux.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "distribution.h"
#include "text.h"
#include "toolchain.h"
#include "unit.h"

static char top[] = "/tmp/toolchain.XXXXXX";

static void touch(const char *name) {
    char *path = text_format("%s/%s", top, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    free(path);
}

static void make(const char *name) {
    char *path = text_format("%s/%s", top, name);
    assert_int_equal(mkdir(path, 0755), 0);
    free(path);
}

static void expect(const char *wanted) {
    char *nvcc = text_format("%s/bin/nvcc", top);
    char *words[TOOLCHAIN_RUNTIME];
    struct text said = {0};
    toolchain_runtime(nvcc, words);
    for (size_t i = 0; i < TOOLCHAIN_RUNTIME; i++) {
        if (words[i]) text_add(&said, "%s%s", i ? " " : "", words[i]);
        free(words[i]);
    }
    assert_string_equal(text_string(&said), wanted);
    text_free(&said);
    free(nvcc);
}

TEST(the_wheels_runtime_is_linked_by_its_name) {
    assert_non_null(mkdtemp(top));
    char *by_name =
        text_format("-cudart none -L%s/lib -l:libcudart.so.13", top);
    make("bin");
    touch("bin/nvcc");
    expect("-cudart shared"); /* none here: nvcc is to say so */
    make("lib");
    touch("lib/libcudart.so.13");
    expect(by_name);
    make("lib64"); /* as set-up completes what it fetched, by links */
    expect("-cudart shared");
    free(by_name);
    char *remove = text_format("rm -r %s", top);
    assert_int_equal(system(remove), 0);
    free(remove);
}

TEST(each_distribution_has_its_command) {
    static const struct {
        const char *os_release, *has;
    } rows[] = {
        {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
         "apt-get install g++"},
        {"NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
         "apt-get install g++"},
        {"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
         "dnf install gcc-c++"},
        {"ID=fedora\n", "dnf install gcc-c++"},
        {"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"",
         "zypper install gcc-c++"},
        {"ID=arch", "pacman -S gcc"},
        {"VARIANT_ID=debian\nID=own\n", NULL},
        {"ID=\n", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *said = distribution_install(rows[i].os_release);
        if (!rows[i].has)
            assert_null(said);
        else
            assert_non_null(said && strstr(said, rows[i].has) ? said : NULL);
    }
}

UNIT_MAIN(NULL, NULL)

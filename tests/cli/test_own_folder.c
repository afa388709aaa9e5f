/* SPDX-License-Identifier: MIT
 *
 * test_own_folder.c: where ScanLab keeps what it makes for itself.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_folder.h"
#include "text.h"
#include "unit.h"

static char built[] = "/tmp/own_folder.XXXXXX";

static void expect(const char *name, const char *where) {
    char *found = own_folder(built, name);
    if (where)
        assert_string_equal(found, where);
    else
        assert_null(found);
    free(found);
}

TEST(a_build_folder_keeps_it_an_installed_one_never_does) {
    assert_non_null(mkdtemp(built));
    char *beside = text_format("%s/submissions", built);
    char *labs = text_format("%s/labs", built);
    assert_string_equal(own_home("course", built), "course");
    setenv("HOME", "/home/ann", 1);
    unsetenv("XDG_CACHE_HOME");
    expect("submissions", beside);
    assert_int_equal(mkdir(labs, 0755),
                     0); /* as if installed; it can be written */
    expect("submissions", "/home/ann/.cache/scanlab/submissions");
    assert_string_equal(own_home("course", built), built);
    setenv("XDG_CACHE_HOME", "/var/ann", 1);
    expect("progress", "/var/ann/scanlab/progress");
    setenv("XDG_CACHE_HOME", "not/whole", 1);
    expect("progress", "/home/ann/.cache/scanlab/progress");
    unsetenv("HOME");
    expect("progress", NULL);
    rmdir(labs);
    expect("submissions", beside);
    rmdir(built);
    setenv("XDG_CACHE_HOME", "/var/ann", 1);
    expect("submissions", "/var/ann/scanlab/submissions"); /* none is there */
    free(labs);
    free(beside);
}

UNIT_MAIN(NULL, NULL)

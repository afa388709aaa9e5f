/* SPDX-License-Identifier: MIT
 *
 * test_compile.c: sources become libraries, once; what cannot be built is
 * reported as the student's mistake or as the environment's.
 */
#include <unistd.h>

#include "compile.h"
#include "toolchain.h"
#include "workshop.h"
#include "unit.h"

struct outcome {
    bool ok;
    int compiled; /* sources that went to the compiler */
    struct compiled result;
    char error[COMPILE_ERROR_BYTES];
};

static void count(void *user, const struct lab *lab, const char *text) {
    (void)lab, (void)text;
    ++*(int *)user;
}

static struct outcome compile(struct lab *lab, const char *build) {
    struct outcome o = {0};
    struct compile_settings s = {.root = WORK_FOLDER,
                                 .submission = WORK_FOLDER "/student",
                                 .build_folder = build,
                                 .progress = count,
                                 .user = &o.compiled};
    o.ok = compile_labs(&s, &lab, 1, &o.result, o.error);
    return o;
}

static void done(struct outcome *o, struct lab *lab) {
    compile_free(&o->result, 1);
    lab_free(lab);
}

TEST(second_time_nothing_is_compiled) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    struct outcome a = compile(lab, WORK_FOLDER "/build");
    assert_true(a.ok && a.result.library && !a.result.error);
    assert_int_equal(a.compiled, 1);
    struct outcome b = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(b.compiled, 0);
    assert_string_equal(a.result.library, b.result.library);
    compile_free(&b.result, 1);
    /* Another source, another header: compiled again. */
    write_file(WORK_FOLDER "/student", "toy.c", TOY_RIGHT "/* */\n");
    b = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(b.compiled, 1);
    assert_string_not_equal(a.result.library, b.result.library);
    compile_free(&b.result, 1);
    write_file(WORK_FOLDER "/labs/common", "none.h", "/* changed */\n");
    b = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(b.compiled, 1);
    compile_free(&b.result, 1);
    done(&a, lab);
}

/* A submission may have headers of its own, and editing one counts. */
TEST(header_beside_the_source_is_found) {
    struct lab *lab =
        make_workshop(TOY_CHECK, "#include \"own.cuh\"\n" TOY_RIGHT);
    write_file(WORK_FOLDER "/student", "own.cuh", "/* first */\n");
    struct outcome a = compile(lab, WORK_FOLDER "/build");
    assert_true(a.ok && a.result.library);
    write_file(WORK_FOLDER "/student", "own.cuh", "/* second */\n");
    struct outcome b = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(b.compiled, 1);
    assert_string_not_equal(a.result.library, b.result.library);
    compile_free(&b.result, 1);
    done(&a, lab);
}

/* A header that the key knows nothing of. */
TEST(header_elsewhere_is_watched) {
    struct lab *lab =
        make_workshop(TOY_CHECK, "#include \"../more/more.h\"\n" TOY_RIGHT);
    write_file(WORK_FOLDER "/more", "more.h", "/* 1 */\n");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok && o.result.library);
    compile_free(&o.result, 1);
    o = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(o.compiled, 0);
    compile_free(&o.result, 1);
    usleep(20000);
    write_file(WORK_FOLDER "/more", "more.h", "/* 2 */\n");
    for (int times = 1; times >= 0; times--) {
        o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok && o.result.library);
        assert_int_equal(o.compiled, times);
        compile_free(&o.result, 1);
    }
    unlink(WORK_FOLDER "/more/more.h");
    o = compile(lab, WORK_FOLDER "/build");
    assert_non_null(o.result.error);
    done(&o, lab);
}

TEST(compiler_message_names_the_file_only) {
    struct lab *lab =
        make_workshop(TOY_CHECK, "#include \"toy.h\"\n#error not yet\n");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_null(o.result.library);
    assert_non_null(strstr(o.result.error, "toy.c:2"));
    assert_non_null(strstr(o.result.error, "not yet"));
    assert_null(strstr(o.result.error, WORK_FOLDER));
    done(&o, lab);
}

TEST(missing_source_is_the_labs_error) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    unlink(WORK_FOLDER "/student/toy.c");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_non_null(strstr(o.result.error, "toy.c"));
    assert_non_null(strstr(o.result.error, "No such file"));
    compile_free(&o.result, 1);
    make_folder(WORK_FOLDER "/student/toy.c");
    o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_non_null(strstr(o.result.error, "not a file"));
    done(&o, lab);
}

TEST(missing_compiler_is_a_set_up_error) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", WORK_FOLDER, 1);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    setenv("PATH", path, 1);
    free(path);
    assert_false(o.ok);
    assert_non_null(strstr(o.error, "no C compiler"));
    done(&o, lab);
}

TEST(unusable_build_folder_is_a_set_up_error) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    write_file(WORK_FOLDER "/build", "submissions", "a file in the way");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_false(o.ok);
    assert_non_null(strstr(o.error, "cannot make"));
    done(&o, lab);
}

TEST(full_disk_is_a_set_up_error) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    /* A compiler that finds the disk full. */
    write_file(
        WORK_FOLDER "/bin", "cc",
        "#!/bin/sh\necho 'cc: error: No space left on device'\nexit 1\n");
    chmod(WORK_FOLDER "/bin/cc", 0755);
    char *path = strdup(getenv("PATH")), longer[4096];
    snprintf(longer, sizeof longer, WORK_FOLDER "/bin:%s", path);
    setenv("PATH", longer, 1);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    setenv("PATH", path, 1);
    free(path);
    assert_false(o.ok);
    assert_non_null(strstr(o.error, "No space left on device"));
    done(&o, lab);
}

TEST(nvcc_is_found_where_the_note_says) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    unsetenv("SCANLAB_NVCC");
    write_file(WORK_FOLDER "/cuda", "nvcc", "#!/bin/sh\n");
    chmod(WORK_FOLDER "/cuda/nvcc", 0755);
    write_file(WORK_FOLDER "/build", "nvcc-path", WORK_FOLDER "/cuda/nvcc\n");
    char *found = toolchain_nvcc(WORK_FOLDER "/build");
    assert_string_equal(found, WORK_FOLDER "/cuda/nvcc");
    free(found);
    lab_free(lab);
}

/* A compiler of which a source needs all headers. */
TEST(what_was_left_out_is_put_back) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    lab->language = LAB_CUDA;
    write_file(WORK_FOLDER "/cuda", "nvcc",
               "#!/bin/sh\n"
               "case $* in *SPECFUN*) echo short; exit 1; esac\n"
               "grep -q scan toy.c || { echo whole; exit 1; }\n"
               "touch library.so\n");
    chmod(WORK_FOLDER "/cuda/nvcc", 0755);
    setenv("SCANLAB_NVCC", WORK_FOLDER "/cuda/nvcc", 1);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok && o.result.library);
    compile_free(&o.result, 1);
    write_file(WORK_FOLDER "/student", "toy.c", "using namespace std;\n");
    o = compile(lab, WORK_FOLDER "/build");
    assert_string_equal(o.result.error, "whole");
    unsetenv("SCANLAB_NVCC");
    done(&o, lab);
}

UNIT_MAIN(NULL, NULL)

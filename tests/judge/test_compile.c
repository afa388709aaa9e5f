/* SPDX-License-Identifier: MIT
 *
 * test_compile.c: sources become libraries, once; what cannot be built is
 * reported as the student's mistake or as the environment's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "compile.h"
#include "machine.h"
#include "toolchain.h"
#include "tree.h"
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
    char cache[1024];
    snprintf(cache, sizeof cache, "%s/submissions", build);
    struct compile_settings s = {.root = WORK_FOLDER,
                                 .submission = WORK_FOLDER "/student",
                                 .build_folder = build,
                                 .cache = cache,
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

/* In folders of its own, too; an old time of change hides nothing. */
TEST(header_in_a_folder_below_counts) {
    struct lab *lab =
        make_workshop(TOY_CHECK, "#include \"more/more.h\"\n" TOY_RIGHT);
    const struct timespec old[2] = {{1, 0}, {1, 0}};
    write_file(WORK_FOLDER "/student/more", "more.h", "/* 1 */\n");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok && o.result.library);
    compile_free(&o.result, 1);
    write_file(WORK_FOLDER "/student/more", "more.h", "/* 2 */\n");
    utimensat(AT_FDCWD, WORK_FOLDER "/student/more/more.h", old, 0);
    for (int times = 1; times >= 0; times--) {
        o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok && o.result.library);
        assert_int_equal(o.compiled, times);
        compile_free(&o.result, 1);
    }
    unlink(WORK_FOLDER "/student/more/more.h");
    o = compile(lab, WORK_FOLDER "/build");
    assert_non_null(o.result.error);
    done(&o, lab);
}

/* Other labs' sources are seen by who includes them, and by nobody else. */
TEST(other_sources_count_where_they_are_included) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    for (int i = 0; i < 4; i++) {
        write_file(WORK_FOLDER "/student", "toy.c",
                   i < 2 ? TOY_RIGHT : "#include \"other.c\"\n");
        write_file(WORK_FOLDER "/student", "other.c",
                   i % 2 ? TOY_RIGHT "/* */\n" : TOY_RIGHT);
        struct outcome o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok && o.result.library);
        assert_int_equal(o.compiled, i != 1);
        compile_free(&o.result, 1);
    }
    lab_free(lab);
}

/* What is not the submission's is not there. */
TEST(files_outside_are_not_read) {
    static const char *const names[] = {"../alice/toy.c",
                                        WORK_FOLDER "/alice/toy.c", "alice.h",
                                        "fifo.h", "/etc/passwd"};
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    write_file(WORK_FOLDER "/alice", "toy.c", TOY_RIGHT);
    assert_int_equal(symlink("../alice/toy.c", WORK_FOLDER "/student/alice.h"),
                     0);
    assert_int_equal(mkfifo(WORK_FOLDER "/student/fifo.h", 0600), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char source[2048];
        snprintf(source, sizeof source, "#include \"%s\"\n", names[i]);
        write_file(WORK_FOLDER "/student", "toy.c", source);
        struct outcome o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok);
        assert_non_null(o.result.error);
        assert_null(strstr(o.result.error, "root:"));
        if (i == 2)
            assert_non_null(strstr(o.result.error, "alice.h: is a link"));
        compile_free(&o.result, 1);
    }
    lab_free(lab);
}

TEST(source_that_is_a_link_is_refused) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    write_file(WORK_FOLDER "/alice", "toy.c", TOY_RIGHT);
    unlink(WORK_FOLDER "/student/toy.c");
    assert_int_equal(symlink("../alice/toy.c", WORK_FOLDER "/student/toy.c"),
                     0);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_non_null(strstr(o.result.error, "a link"));
    done(&o, lab);
}

/* Least recently used first; what is held stays. */
TEST(cache_is_bounded) {
    enum { N = 12 };
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    struct outcome held = {0};
    for (int i = 0; i < N; i++) {
        char source[1024];
        snprintf(source, sizeof source,
                 TOY_RIGHT "char large_%d[200000] = {1};\n", i);
        write_file(WORK_FOLDER "/student", "toy.c", source);
        struct outcome o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok && o.result.library);
        if (i == 0)
            held = o;
        else
            compile_free(&o.result, 1);
    }
    struct cache small = {WORK_FOLDER "/build/submissions", 1};
    cache_trim(&small);
    assert_true(tree_bytes(WORK_FOLDER "/build/submissions") < 1 << 20);
    assert_int_equal(access(held.result.library, R_OK), 0);
    /* The last one is still there. */
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_int_equal(o.compiled, 0);
    compile_free(&o.result, 1);
    done(&held, lab);
}

TEST(nothing_is_left_of_a_build) {
    struct lab *lab = make_workshop(TOY_CHECK, "#error no\n");
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_non_null(o.result.error);
    assert_int_equal(rmdir(WORK_FOLDER "/build/submissions"), 0);
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
    assert_int_equal(o.result.state, LAB_NOT_HANDED_IN);
    compile_free(&o.result, 1);
    make_folder(WORK_FOLDER "/student/toy.c");
    o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_non_null(strstr(o.result.error, "not a file"));
    assert_int_equal(o.result.state, LAB_NEEDS_LOOK);
    done(&o, lab);
}

TEST(a_source_under_another_name_needs_a_look) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    assert_int_equal(
        rename(WORK_FOLDER "/student/toy.c", WORK_FOLDER "/student/mine.c"), 0);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_null(o.result.library);
    assert_int_equal(o.result.state, LAB_NEEDS_LOOK);
    assert_non_null(strstr(o.result.error, "mine.c may be it"));
    done(&o, lab);
}

static void write_utf16(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("\xff\xfe", file);
    for (; *text; text++) fputc(*text, file), fputc(0, file);
    assert_int_equal(fclose(file), 0);
}

TEST(utf16_is_compiled) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    write_utf16(WORK_FOLDER "/student/toy.c", TOY_RIGHT);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    assert_true(o.ok);
    assert_non_null(o.result.library);
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

/* A compiler of ours in the place of cc: a shell script. */
static struct outcome compile_with(struct lab *lab, const char *script) {
    char *path = strdup(getenv("PATH")), longer[4096];
    write_file(WORK_FOLDER "/bin", "cc", script);
    chmod(WORK_FOLDER "/bin/cc", 0755);
    snprintf(longer, sizeof longer, WORK_FOLDER "/bin:%s", path);
    setenv("PATH", longer, 1);
    struct outcome o = compile(lab, WORK_FOLDER "/build");
    setenv("PATH", path, 1);
    free(path);
    return o;
}

TEST(compiler_that_never_works_is_a_set_up_error) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    struct outcome o =
        compile_with(lab, "#!/bin/sh\necho 'cc: broken'\nexit 1\n");
    assert_false(o.ok);
    assert_non_null(strstr(o.error, "an empty file does not compile"));
    assert_non_null(strstr(o.error, "cc: broken"));
    done(&o, lab);
}

/* What a compiler says decides nothing: it works, but not for this source. */
TEST(words_of_a_machine_are_the_labs_error) {
    static const char *const sentences[] = {"No space left on device",
                                            "Disk quota exceeded",
                                            "File too large",
                                            "out of memory",
                                            "Cannot allocate memory",
                                            "virtual memory exhausted",
                                            "Killed",
                                            "died due to signal 9",
                                            "internal compiler error",
                                            "No such file or directory",
                                            "Permission denied",
                                            "Resource temporarily unavailable",
                                            "scanlab-walls: cannot follow",
                                            "cub/cub.cuh: No such file"};
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        char source[512];
        snprintf(source, sizeof source, "#error %s\n", sentences[i]);
        struct lab *lab = make_workshop(TOY_CHECK, source);
        struct outcome o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok);
        assert_null(o.result.library);
        assert_non_null(strstr(o.result.error, sentences[i]));
        done(&o, lab);
    }
}

/* They add a line about --arch to what is shown, and no other name does. */
TEST(an_unknown_intrinsic_is_told_of_newer_gpus) {
    static const char *const names[] = {"__reduce_add_sync", "reduce_add"};
    for (size_t i = 0; i < 2; i++) {
        char source[512];
        snprintf(source, sizeof source,
                 "#error identifier \"%s\" is undefined\n", names[i]);
        struct lab *lab = make_workshop(TOY_CHECK, source);
        struct outcome o = compile(lab, WORK_FOLDER "/build");
        assert_true(o.ok);
        assert_non_null(strstr(o.result.error, names[i]));
        assert_int_equal(strstr(o.result.error, "--arch") != NULL, i == 0);
        done(&o, lab);
    }
}

/* Nor do its words where there is no room: the disk does. */
TEST(machine_is_asked_for_room) {
    struct lab *lab = make_workshop(TOY_CHECK, TOY_RIGHT);
    assert_int_equal(machine_lacks(WORK_FOLDER "/student"), 0);
    assert_int_equal(machine_lacks(WORK_FOLDER "/nowhere"), ENOENT);
    lab_free(lab);
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
    write_file(WORK_FOLDER "/build", "nvcc-path", "../cuda/nvcc\n");
    found = toolchain_nvcc(WORK_FOLDER "/build");
    assert_string_equal(found, WORK_FOLDER "/build/../cuda/nvcc");
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
               "grep -q using toy.c && { echo whole; exit 1; }\n"
               ": >../out/library.so\n");
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

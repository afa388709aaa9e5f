/* SPDX-License-Identifier: MIT
 *
 * test_harness.c: the real runner: baselines, a killed process, floods of
 * output, a message that nobody asked for, walls that hold when Landlock would
 * not.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "compile.h"
#include "crowd.h"
#include "forkserver.h"
#include "harness.h"
#include "workshop.h"
#include "unit.h"

static struct lab_function function = {.id = "scan", .symbol = "toy_scan"};
static struct lab lab = {.id = "toy",
                         .source = "toy.c",
                         .time_limit_ms = 1000,
                         .memory_limit_mib = 128};
static struct compiled built;

static enum harness_result open_with(struct harness *h, const char *symbol,
                                     const char *library) {
    function.symbol = (char *)symbol;
    struct harness_settings s = {.lab = &lab,
                                 .limit_ms = lab.time_limit_ms,
                                 .function = &function,
                                 .runner = RUNNER,
                                 .library = library,
                                 .device = WIRE_HOST};
    return harness_open(h, &s);
}

/* Builds body as toy_scan's, with `before` in front of it. */
static const char *build(const char *before, const char *body) {
    char source[4096];
    char error[COMPILE_ERROR_BYTES];
    snprintf(source, sizeof source,
             "#include \"toy.h\"\n#include <unistd.h>\n%s\n"
             "int toy_scan(const int32_t *in, int32_t *out, size_t n) {\n"
             "(void)in, (void)out, (void)n;\n%s\n}\n",
             before, body);
    struct lab *toy = make_workshop(TOY_CHECK, source);
    struct compile_settings s = {.root = WORK_FOLDER,
                                 .submission = WORK_FOLDER "/student",
                                 .build_folder = WORK_FOLDER "/build"};
    compile_free(&built, 1);
    assert_true(compile_labs(&s, &toy, 1, &built, error));
    if (built.error) print_error("%s\n", built.error);
    assert_non_null(built.library);
    lab_free(toy);
    return built.library;
}

TEST(baselines_scan_and_copy) {
    int32_t in[4] = {1, 2, 3, INT32_MAX}, got[4];
    const int32_t sums[4] = {1, 3, 6, INT32_MIN + 5};
    struct harness h;
    struct harness_call call;
    assert_int_equal(open_with(&h, WIRE_BASELINE_SERIAL, NULL), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 4, 9, got, &call), HARNESS_OK);
    assert_int_equal(call.status, 0);
    assert_memory_equal(got, sums, sizeof sums);
    harness_close(&h);
    assert_int_equal(open_with(&h, WIRE_BASELINE_COPY, NULL), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 4, 9, got, &call), HARNESS_OK);
    assert_memory_equal(got, in, sizeof in);
    harness_close(&h);
}

TEST(missing_symbol_is_told) {
    struct harness h;
    assert_int_equal(open_with(&h, "@none", NULL), HARNESS_NO_SYMBOL);
    harness_close(&h);
    assert_int_equal(open_with(&h, "no_such", build("", "return 0;")),
                     HARNESS_NO_SYMBOL);
    harness_close(&h);
}

TEST(killed_runner_is_an_end_not_a_hang) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    assert_int_equal(open_with(&h, WIRE_BASELINE_SERIAL, NULL), HARNESS_OK);
    kill(h.process.pid, SIGKILL);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_STOPPED);
    assert_int_equal(h.event, PROCESS_ENDED);
    harness_close(&h);
}

static pid_t parent_of(pid_t pid) {
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*d (%*[^)]) %*c %d", &parent), 1);
    fclose(f);
    return parent;
}

TEST(dead_fork_server_is_replaced) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    assert_int_equal(open_with(&h, WIRE_BASELINE_SERIAL, NULL), HARNESS_OK);
    pid_t server = parent_of(h.process.pid);
    assert_int_not_equal(server, getpid());
    kill(server, SIGKILL);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_STOPPED);
    assert_int_equal(h.event, PROCESS_ENDED);
    harness_close(&h);
    assert_int_equal(open_with(&h, WIRE_BASELINE_SERIAL, NULL), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
    assert_int_not_equal(parent_of(h.process.pid), server);
    harness_close(&h);
}

TEST(endless_loop_ends_at_the_limit) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    const char *library = build("", "for (volatile int i = 0;; i++) {}");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    long long start = clock_ms();
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_STOPPED);
    assert_int_equal(h.event, PROCESS_LATE);
    assert_true(h.process.has_at && h.process.at.n_places > 0);
    assert_true(clock_ms() - start >= 1000);
    harness_close(&h);
}

/* A call of 0.8 s beside others that never rest; how long it took: of three
 * some 3.2 s, and the end for all is ten times the limit, 10 s. */
static long long crowded_call(const char *library, int others) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    forkserver_close_all(); /* the next is on that processor, too */
    struct crowd crowd = crowd_begin(others);
    enum harness_result opened = open_with(&h, "toy_scan", library), called;
    long long start = clock_ms();
    called = harness_call(&h, in, 1, 9, got, &call);
    long long took = clock_ms() - start;
    harness_close(&h);
    crowd_end(&crowd);
    forkserver_close_all();
    assert_int_equal(opened, HARNESS_OK);
    assert_int_equal(called, HARNESS_OK);
    return took;
}

TEST(others_use_up_no_time) {
    struct harness h;
    const char *library =
        build("#include <time.h>",
              "clock_t start = clock();\n"
              "while (clock() - start < CLOCKS_PER_SEC * 4 / 5) {}\n"
              "return 0;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    harness_close(&h);
    assert_true(crowded_call(library, 3) > lab.time_limit_ms);
}

/* The one that computes has a tenth of the processor; the other, of which alone
 * is known how long it stands in the queue, sleeps. */
TEST(others_use_up_no_time_of_threads) {
    struct harness h;
    const char *library =
        build("#include <pthread.h>\n#include <time.h>\n"
              "static void *compute(void *unused) {\n"
              "clock_t start = clock();\n"
              "while (clock() - start < CLOCKS_PER_SEC / 4) {}\n"
              "return unused; }",
              "pthread_t thread;\n"
              "int error = pthread_create(&thread, 0, compute, 0);\n"
              "return error ? error : pthread_join(thread, 0);");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    harness_close(&h);
    assert_true(crowded_call(library, 9) > lab.time_limit_ms);
}

TEST(who_sleeps_ends_at_the_limit) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    assert_int_equal(
        open_with(&h, "toy_scan", build("", "for (;;) usleep(1000);")),
        HARNESS_OK);
    long long start = clock_ms();
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_STOPPED);
    assert_int_equal(h.event, PROCESS_LATE);
    assert_true(clock_ms() - start < 5000);
    harness_close(&h);
}

TEST(output_is_kept_up_to_a_limit_and_drained) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    const char *library =
        build("#include <stdio.h>",
              "for (int i = 0; i < 50000; i++) puts(\"0123456789\");\n"
              "return 0;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
    assert_int_equal(h.process.output.size, PROCESS_OUTPUT_BYTES);
    harness_close(&h);
}

TEST(environment_and_descriptors_are_clean) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    setenv("SCANLAB_SECRET", "1", 1);
    const char *library = build("#include <fcntl.h>\n#include <stdlib.h>",
                                "int open_fds = 0;\n"
                                "for (int fd = 0; fd < 64; fd++)\n"
                                "    open_fds += fcntl(fd, F_GETFD) >= 0;\n"
                                "if (getenv(\"SCANLAB_SECRET\")) return 100;\n"
                                "return open_fds;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
    /* stdin, stdout, stderr, control; the two buffers of a call are open
     * while it runs */
    assert_in_range(call.status, 4, 6);
    harness_close(&h);
}

TEST(files_cannot_be_read) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    const char *library =
        build("#include <fcntl.h>\n#include <errno.h>",
              "return open(\"/etc/passwd\", O_RDONLY) >= 0 ? -1 : errno;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
    assert_int_equal(call.status, ENOENT); /* as if it were not there */
    harness_close(&h);
}

TEST(refused_calls_are_noted) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    const char *library =
        build("#include <sys/socket.h>\n#include <errno.h>",
              "return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
    assert_int_equal(call.status, 1); /* EPERM */
    assert_true(h.process.refused >> WIRE_REFUSED_socket & 1);
    harness_close(&h);
}

TEST(threads_may_be_started_and_joined) {
    int32_t in[1] = {1}, got[1];
    struct harness h;
    struct harness_call call;
    const char *library =
        build("#include <pthread.h>\n"
              "static void *work(void *a) { return a; }",
              "pthread_t t[8];\n"
              "for (int i = 0; i < 8; i++)\n"
              "    if (pthread_create(&t[i], NULL, work, out)) return 1;\n"
              "for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);\n"
              "out[0] = in[0];\nreturn 0;");
    assert_int_equal(open_with(&h, "toy_scan", library), HARNESS_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(harness_call(&h, in, 1, 9, got, &call), HARNESS_OK);
        assert_int_equal(call.status, 0);
        assert_int_equal(call.threads_left, 0);
        assert_int_equal(got[0], 1);
    }
    assert_int_equal(h.process.refused, 0);
    harness_close(&h);
}

static int forget(void **state) {
    (void)state;
    compile_free(&built, 1);
    return 0;
}

UNIT_MAIN(NULL, forget)

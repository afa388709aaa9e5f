/* SPDX-License-Identifier: MIT
 *
 * process_test.c: programs as separate processes, as the judge and the tool run
 * them: a child calls the client library, or misbehaves; the test serves the
 * device and looks at the findings and at how the child ended. The parent
 * itself never calls the runtime.
 */
#include "device_hooks.h"
#include "fake_device.h"
#include "protocol.h"
#define UNIT_SET_UP    set_up
#define UNIT_TEAR_DOWN tear_down
#include "unit.h"
#include "said.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaDeviceSynchronize(void);

static vgpu_device *device;

/* Runs body in a child with a channel, serves it to its end; the wait status.
 * What the child says on stderr is not the test's business. */
static int run(void (*body)(int fd)) {
    int ends[2], status, went = 1;
    char number[16];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        for (int fd = 0; fd <= 2; fd++) dup2(null, fd);
        for (int fd = 3; fd < 1024; fd++) /* those of the test's own parents */
            if (fd != ends[0]) close(fd);
        snprintf(number, sizeof number, "%d", ends[0]);
        setenv(VGPU_CHANNEL_VARIABLE, number, 1);
        signal(SIGSEGV, SIG_DFL); /* cmocka has taken them */
        signal(SIGBUS, SIG_DFL);
        body(ends[0]);
        _exit(0);
    }
    close(ends[0]);
    vgpu_session *session = vgpu_session_new(device, ends[1]);
    struct pollfd wait = {.fd = ends[1], .events = POLLIN};
    while (went > 0 && poll(&wait, 1, 20000) > 0)
        went = vgpu_session_step(session);
    vgpu_session_free(session);
    close(ends[1]);
    waitpid(child, &status, 0);
    return status;
}

static int set_up(void **state) {
    (void)state;
    device = vgpu_open(NULL, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    assert_int_equal(fake_record(device).n_allocations, 0);
    vgpu_close(device);
    return 0;
}

static const struct vgpu_finding *only_finding(void) {
    const struct vgpu_finding *findings;
    assert_int_equal(vgpu_findings(device, &findings), 1);
    return findings;
}

static void expect(vgpu_finding_kind kind, const char *words) {
    assert_int_equal(only_finding()->kind, kind);
    if (!strstr(said_by(only_finding()), words))
        fail_msg("%s", said_by(only_finding()));
}

static void expect_signal(int status, int number) {
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

static void write_device(int fd) {
    volatile int *d = NULL;
    (void)fd;
    cudaMalloc((void **)(uintptr_t)&d, 64);
    d[3] = 1;
}

TEST(host_write_is_explained) {
    expect_signal(run(write_device), SIGSEGV);
    expect(VGPU_FINDING_HOST_ACCESS, "12 bytes into");
    assert_non_null(strstr(said_by(only_finding()), "wrote"));
}

static void read_device(int fd) {
    char host[64];
    void *d = NULL;
    (void)fd;
    cudaMalloc(&d, 64);
    memcpy(host, d, 64);
    _exit(host[0]);
}

TEST(plain_memcpy_is_explained) {
    expect_signal(run(read_device), SIGSEGV);
    expect(VGPU_FINDING_HOST_ACCESS, "read");
}

static void use_null(int fd) {
    /* Near null, not null: the sanitizers let that through to the kernel. */
    static int *volatile null = (int *)64;
    (void)fd;
    cudaDeviceSynchronize();
    *null = 1;
}

TEST(other_faults_are_the_programs_own) {
    const struct vgpu_finding *findings;
    expect_signal(run(use_null), SIGSEGV);
    assert_int_equal(vgpu_findings(device, &findings), 0);
}

static void own_handler(int number) {
    (void)number;
    _exit(42);
}

static void use_with_own_handler(int fd) {
    signal(SIGSEGV, own_handler);
    write_device(fd);
}

TEST(a_programs_own_handler_stays) {
    int status = run(use_with_own_handler);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void copy_from_bad_host_pointer(int fd) {
    void *d = NULL;
    (void)fd;
    cudaMalloc(&d, 64);
    cudaMemcpy(d, (void *)8, 64, 1);
}

TEST(a_bad_host_pointer_is_a_fault) {
    expect_signal(run(copy_from_bad_host_pointer), SIGSEGV);
}

static void write_every_fd(int fd) {
    static const char text[] = "score: 100 of 100\n";
    (void)fd;
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++) (void)!write(i, text, sizeof text - 1);
    cudaDeviceSynchronize();
}

TEST(writing_to_every_fd_is_seen) {
    run(write_every_fd);
    expect(VGPU_FINDING_PROTOCOL, "score: 100 of");
    assert_non_null(strstr(said_by(only_finding()), "file descriptor"));
}

static void die_in_mid_message(int fd) {
    struct vgpu_header header = {VGPU_MAGIC, VGPU_PROTOCOL_VERSION,
                                 VGPU_REQUEST_MALLOC, 0,
                                 sizeof(struct vgpu_request_MALLOC)};
    void *d = NULL;
    cudaMalloc(&d, 64);
    (void)!write(fd, &header, sizeof header);
    raise(SIGKILL);
}

TEST(death_frees_everything) {
    const struct vgpu_finding *findings;
    expect_signal(run(die_in_mid_message), SIGKILL);
    assert_int_equal(vgpu_findings(device, &findings), 0);
}

static void flood(int fd) {
    static char rubbish[1 << 16];
    for (int i = 0; i < 1000; i++)
        if (send(fd, rubbish, sizeof rubbish, MSG_NOSIGNAL) < 0) break;
}

TEST(a_flood_of_rubbish_ends_at_once) {
    run(flood);
    expect(VGPU_FINDING_PROTOCOL, "no request begins like this");
}

static void many_calls(int fd) {
    void *d = NULL;
    (void)fd;
    for (int i = 0; i < 100000; i++)
        if (cudaMalloc(&d, 4) != 0 || (i % 10 && cudaFree(d) != 0)) _exit(1);
}

TEST(a_hundred_thousand_allocations) {
    assert_int_equal(run(many_calls), 0);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * fuzz_judge.c: what the judge asks of a runner whose every answer is the
 * submission's. A process in the runner's place reads the real judge's requests
 * and says, prints, writes and hands over what the input lists; a whole case is
 * judged by it. Whatever it does: the case passes only if each call's output
 * was right, the buffers keep their size, no descriptor and no process is left,
 * and the report reads as JSON.
 *
 * Input: HEAD bytes that choose the case, then what the process does; `act`
 * says what each byte is. With HONEST, requests before the first call are
 * answered as a runner does. Left out: processes that say nothing and stay (the
 * judge waits for as long as the case may take), and the virtual GPU's channel
 * (fuzz_server.c).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forkserver.h"
#include "fuzz.h"
#include "oracle.h"
#include "report.h"

/* For one run of a case: case_run_once makes another where the machine may be
 * to blame, and takes its time. */
#include "run_case.c"

enum { HEAD = 4, MOST_INPUT = 1024, MOST_N = 40, PAGE = 4096 };
enum { HONEST = 1, IN_PLACE = 2, COMPACT = 4, TWICE = 16, LATE = 32 };

static struct played {
    unsigned right, wrong; /* calls that were answered, by their output */
    bool resized;
} * played; /* shared with who plays */

static const uint8_t *script;
static size_t script_left;
static int oracle, signature;

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "FAILED: %s (%s)\n", what, strerror(errno));
    abort();
}

/* ---- who plays the runner ---- */

struct map {
    int fd;
    unsigned char *base;
    size_t bytes;
};
struct actor {
    int control, print[2];
    struct map in, out;
    struct wire_message ask;
    int32_t before[MOST_N]; /* the call's input: in place it is gone soon */
};

/* The rest of the input, a byte at a time; its end is the actor's. */
static unsigned next(void) {
    if (script_left == 0) _exit(0);
    script_left--;
    return *script++;
}

static void say(struct actor *a, struct wire_message *m, size_t bytes) {
    m->magic = WIRE_MAGIC;
    send(a->control, m, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void take_map(struct map *m, int fd, uint64_t bytes, int how) {
    m->fd = fd;
    m->bytes = bytes;
    m->base = mmap(NULL, bytes, how, MAP_SHARED, fd, 0);
    if (m->base == MAP_FAILED) _exit(1);
}

static const int32_t *input_of(const struct actor *a) {
    const struct wire_call *c = &a->ask.u.call;
    return c->in_place ? (const int32_t *)(a->out.base + c->out)
                       : (const int32_t *)(a->in.base + c->in);
}

static bool has_call(const struct actor *a) {
    return a->ask.kind == WIRE_CALL && a->out.base && a->in.base;
}

static void hear(struct actor *a) {
    struct iovec part = {&a->ask, sizeof a->ask};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    if (recvmsg(a->control, &header, 0) != sizeof a->ask) _exit(0);
    if (has_call(a))
        memcpy(a->before, input_of(a), a->ask.u.call.n * sizeof *a->before);
    struct cmsghdr *c = CMSG_FIRSTHDR(&header);
    if (!c || c->cmsg_len != CMSG_LEN(2 * sizeof(int))) return;
    int fds[2];
    memcpy(fds, CMSG_DATA(c), sizeof fds);
    take_map(&a->in, fds[0], a->ask.value, PROT_READ);
    take_map(&a->out, fds[1], a->ask.value2, PROT_READ | PROT_WRITE);
}

/* The right output of the call, and how many elements it has. */
static size_t answer_of(const struct actor *a, int32_t *expected) {
    struct parameters p;
    parameters_usual(&p);
    return oracle_apply(oracle, &p, a->before, a->ask.u.call.n, expected);
}

static void note_call(const struct actor *a, const struct wire_message *m) {
    int32_t expected[MOST_N + 1];
    if (!has_call(a)) return;
    size_t kept = answer_of(a, expected);
    bool right = memcmp(a->out.base + a->ask.u.call.out, expected,
                        kept * sizeof *expected) == 0 &&
                 (oracle_shape(oracle) == OUTPUT_SCAN || m->value == kept);
    if (right)
        played->right++;
    else
        played->wrong++;
}

/* What the runner would say. */
static struct wire_message honest(const struct actor *a) {
    struct wire_message m = {.kind = WIRE_ANSWER, .sequence = a->ask.sequence};
    int32_t expected[MOST_N + 1];
    if (has_call(a)) {
        size_t kept = answer_of(a, expected);
        memcpy(a->out.base + a->ask.u.call.out, expected,
               kept * sizeof *expected);
        m.value = kept;
        m.value2 = 1000;
    } else if (a->ask.kind == WIRE_MAP) {
        m.value = (uintptr_t)a->in.base;
        m.value2 = (uintptr_t)a->out.base;
    }
    return m;
}

/* Every field that the judge may look at. */
static struct wire_message any(const struct actor *a, unsigned kind) {
    struct wire_message m = {.kind = kind, .sequence = a->ask.sequence};
    unsigned fill = next();
    memset(&m.u, (int)fill, sizeof m.u);
    m.status = (int8_t)next();
    m.value = next();
    m.value2 = (uint64_t)next() << (fill % 57);
    m.failed = next() & 1;
    if (fill & 1) m.value = UINT64_MAX - m.value;
    if (fill & 2) m.u.report.n_places = next();
    if (fill & 4 && a->out.base)
        m.u.report.address = (uintptr_t)a->out.base + 16u * next();
    return m;
}

static void hand_over(const struct actor *a) {
    struct wire_message m = {.magic = WIRE_MAGIC, .kind = WIRE_AT};
    struct iovec part = {&m, sizeof m};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &a->control, sizeof(int));
    sendmsg(a->control, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void print(const struct actor *a, unsigned where, size_t bytes) {
    char text[256];
    for (size_t i = 0; i < bytes; i++) text[i] = (char)next();
    (void)!write(a->print[where], text, bytes);
}

/* Elements, canaries, never the walls. */
static void scribble(const struct actor *a) {
    unsigned at = next() | next() << 8, with = next();
    if (a->out.base && at < a->out.bytes) a->out.base[at] = (unsigned char)with;
}

static void resize(const struct actor *a) {
    if (a->out.base && (ftruncate(a->out.fd, PAGE) == 0 ||
                        ftruncate(a->in.fd, (off_t)(a->in.bytes * 2)) == 0))
        played->resized = true;
}

/* true: what the judge asked is answered. */
static bool act(struct actor *a) {
    static const unsigned unasked[] = {WIRE_NOTE, WIRE_SHORT, WIRE_AT,
                                       WIRE_CRASH, WIRE_FOUND};
    static const int signals[] = {SIGKILL, SIGSEGV, SIGTERM, SIGXCPU};
    unsigned what = next();
    struct wire_message m;
    switch (what % 12) {
    case 0:
        m = honest(a);
        note_call(a, &m);
        say(a, &m, sizeof m);
        return true;
    case 1:
        m = any(a, WIRE_ANSWER);
        note_call(a, &m);
        say(a, &m, sizeof m);
        return true;
    case 2:
        m = any(a, WIRE_FAILED);
        say(a, &m, sizeof m);
        return true;
    case 3:
    case 4:
        m = any(a, unasked[next() % 5]);
        say(a, &m, sizeof m);
        return false;
    case 5:
        m = any(a, next());
        m.sequence += next() - 1u;
        if (m.kind == WIRE_ANSWER) note_call(a, &m);
        say(a, &m, next() & 1 ? sizeof m : next());
        return m.kind == WIRE_ANSWER;
    case 6: hand_over(a); return false;
    case 7: print(a, what / 12 % 2, next()); return false;
    case 8: resize(a); return false;
    case 9:
        if (what > 200) raise(signals[next() % 4]);
        return false;
    case 10: close(a->print[what / 12 % 2]); return false;
    default: scribble(a); return false;
    }
}

static void play(struct actor *a, bool is_honest) {
    static const int usual[] = {SIGSEGV, SIGUSR1, SIGXCPU, SIGTERM};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL); /* a sanitizer's are not ours */
    for (;;) {
        hear(a);
        is_honest &= a->ask.kind != WIRE_CALL;
        if (is_honest) {
            struct wire_message m = honest(a);
            say(a, &m, sizeof m);
        } else {
            while (!act(a)) continue;
        }
    }
}

/* ---- in the fork server's place ---- */

static bool is_honest;

int forkserver_start(const struct runner_start *start,
                     struct forkserver **server, pid_t *pid) {
    *server = NULL;
    played->right = played->wrong = 0;
    *pid = fork();
    if (*pid == 0) {
        struct actor a = {.control = start->fds[2],
                          .print = {start->fds[0], start->fds[1]}};
        play(&a, is_honest);
    }
    return *pid < 0 ? errno : 0;
}

pid_t forkserver_wait(struct forkserver *server, pid_t pid, int *status,
                      int options) {
    pid_t got;
    (void)server;
    do got = waitpid(pid, status, options);
    while (got < 0 && errno == EINTR);
    return got;
}

void forkserver_close_all(void) {}

/* ---- the case ---- */

static void report(const struct lab *lab, struct case_result *result) {
    struct check_result one = {.check = lab->checks,
                               .status = STATUS_FAIL,
                               .ran = true,
                               .outcome = result->outcome};
    struct lab_result of = {.lab = lab,
                            .max_score = 1,
                            .output = result->output,
                            .checks = &one,
                            .n_checks = 1};
    struct grade grade = {
        .submission = "s", .program = "p", .labs = &of, .n_labs = 1};
    for (int format = 0; format < N_REPORTS; format++) {
        struct report_options options = {.width = 60, .verbose = true};
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);
        must(out && report_write(format, out, &grade, &options), "a report");
        fclose(out);
        json_t *read =
            format == REPORT_json ? json_loadb(written, size, 0, NULL) : NULL;
        must(format != REPORT_json || read, "a report that reads");
        json_decref(read);
        free(written);
    }
}

static void judge(const uint8_t *head) {
    struct lab_function function = {
        .id = "f", .symbol = "f", .oracle = oracle, .signature = signature};
    struct lab_size size = {0};
    size_t n = head[1] % MOST_N;
    struct lab_check check = {.id = "c",
                              .title = "C",
                              .kind = CHECK_CORRECT,
                              .points = 1,
                              .parent = -1,
                              .written = &size,
                              .sizes = &n,
                              .n_sizes = 1,
                              .inputs = head[2] % N_INPUTS,
                              .in_place = head[0] & IN_PLACE,
                              .late = head[0] & LATE,
                              .repeat = 1 + !!(head[0] & TWICE),
                              .cause = "",
                              .read = ""};
    struct lab lab = {.folder = "l",
                      .id = "l",
                      .title = "L",
                      .source = "l.c",
                      .time_limit_ms = 200,
                      .memory_limit_mib = 64,
                      .functions = &function,
                      .n_functions = 1,
                      .checks = &check,
                      .n_checks = 1};
    struct case_environment environment = {.runner = "runner"};
    struct case_spec spec = {.environment = &environment,
                             .lab = &lab,
                             .check = &check,
                             .n = n,
                             .inputs = check.inputs,
                             .seed = head[3],
                             .device = WIRE_HOST,
                             .is_rerun = true};
    struct case_result result = {0};
    parameters_usual(&spec.parameters);
    run(&spec, &result);
    must(result.verdict != CASE_PASS ||
             (played->wrong == 0 && played->right == check.repeat),
         "what passes is right");
    must(!played->resized, "buffers of a fixed size");
    if (result.verdict == CASE_FAIL) report(&lab, &result);
    case_result_free(&result);
}

static int descriptors(void) {
    int n = 0;
    DIR *open = opendir("/proc/self/fd");
    must(open != NULL, "/proc");
    while (readdir(open)) n++;
    closedir(open);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    if (bytes < HEAD || bytes > MOST_INPUT) return 0;
    if (!played) {
        played = mmap(NULL, sizeof *played, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        must(played != MAP_FAILED, "memory");
    }
    *played = (struct played){0};
    is_honest = data[0] & HONEST;
    oracle = data[0] & COMPACT ? ORACLE_compact_nonzero : ORACLE_inclusive_sum;
    signature = data[0] & COMPACT ? SIGNATURE_compact : SIGNATURE_scan;
    script = data + HEAD;
    script_left = bytes - HEAD;
    int before = descriptors();
    judge(data);
    must(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process left");
    must(descriptors() == before, "no descriptor left");
    return 0;
}

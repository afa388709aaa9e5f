/* SPDX-License-Identifier: MIT
 *
 * process.c: see process.h. How to read this: process_ask is a poll loop over
 * `channels`, one row per descriptor with the function that reads it. A reader
 * returns GO_ON or the event that ends the request.
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forkserver.h"

enum {
    GO_ON = -1,
    WATCH_MS = 20,  /* how often time and threads are looked at */
    LONG_SHARE = 5, /* a case is long from this part of its limit on */
    GRACE_MS = 300  /* to tell where it is, to be reaped */
};

/* ---- start ---- */

struct ends {
    int ours, theirs;
};

static bool socket_ends(struct ends *e, int type) {
    int fds[2];
    *e = (struct ends){-1, -1};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) != 0) return false;
    *e = (struct ends){fds[0], fds[1]};
    return true;
}

static bool pipe_ends(struct ends *e) {
    int fds[2];
    *e = (struct ends){-1, -1};
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    *e = (struct ends){fds[0], fds[1]};
    return fcntl(e->ours, F_SETFL, O_NONBLOCK) == 0;
}

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static int configure(struct process *p, const struct process_settings *s) {
    struct wire_message ask = {.kind = WIRE_CONFIGURE}, reply;
    struct wire_configure *c = &ask.u.configure;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    c->device = s->device;
    c->weaker_walls = s->weaker_walls;
    c->cpu_seconds =
        (uint32_t)(s->time_limit_ms / 1000 + 2) * (uint32_t)(cores + 1);
    c->address_space = (uint64_t)s->memory_limit_mib << 20;
    snprintf(c->client, sizeof c->client, "%s", s->client ? s->client : "");
    switch (process_ask(p, &ask, NULL, 0, s->time_limit_ms, &reply)) {
    case PROCESS_ANSWERED: return 0;
    default: return ECHILD;
    }
}

int process_start(struct process *p, const struct process_settings *s) {
    struct ends ends[4] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    size_t n = s->device == WIRE_VGPU ? 4 : 3;
    *p = (struct process){.control = -1,
                          .device_fd = -1,
                          .out = -1,
                          .err = -1,
                          .own_limit = s->own_limit_ms,
                          .turns = s->turns};
    int error = 0;
    if (!pipe_ends(&ends[0]) || !pipe_ends(&ends[1]) ||
        !socket_ends(&ends[2], SOCK_SEQPACKET) ||
        (n > 3 && !socket_ends(&ends[3], SOCK_STREAM)))
        error = errno;
    int theirs[4];
    for (size_t i = 0; i < n; i++) theirs[i] = ends[i].theirs;
    struct runner_start start = {s->runner, s->client, theirs, n};
    if (!error) error = forkserver_start(&start, &p->server, &p->pid);
    for (size_t i = 0; i < 4; i++) close_fd(&ends[i].theirs);
    p->out = ends[0].ours;
    p->err = ends[1].ours;
    p->control = ends[2].ours;
    p->device_fd = ends[3].ours;
    if (!error && n > 3) {
        p->session = vgpu_session_new(s->vgpu, p->device_fd);
        if (!p->session) error = ENOMEM;
    }
    if (!error) error = configure(p, s);
    if (error) {
        process_stop(p);
        process_free(p);
    }
    return error;
}

/* ---- end ---- */

static void reap(struct process *p, bool wait) {
    if (p->pid == 0) return;
    pid_t got;
    do got = forkserver_wait(p->server, p->pid, &p->status, wait ? 0 : WNOHANG);
    while (got > 0 && wait && WIFSTOPPED(p->status));
    if (got == p->pid || got < 0) {
        p->status_known = got == p->pid;
        p->pid = 0;
    }
}

static void kill_and_reap(struct process *p) {
    if (p->pid == 0) return; /* 0 would be our own process group */
    kill(p->pid, SIGKILL);
    reap(p, true);
}

/* Output is kept up to the limit and drained beyond it. true: end of file. */
static bool drain(struct process *p, int fd) {
    char part[4096];
    for (int i = 0; i < 64; i++) {
        ssize_t got = read(fd, part, sizeof part);
        if (got > 0)
            text_append(&p->output, part, (size_t)got, PROCESS_OUTPUT_BYTES);
        else
            return got == 0;
    }
    return false;
}

void process_stop(struct process *p) {
    kill_and_reap(p);
    if (p->out >= 0) drain(p, p->out);
    if (p->err >= 0) drain(p, p->err);
    vgpu_session_free(p->session);
    p->session = NULL;
    close_fd(&p->out);
    close_fd(&p->err);
    close_fd(&p->control);
    close_fd(&p->device_fd);
}

void process_free(struct process *p) {
    text_free(&p->output);
}

/* ---- reading what comes ---- */

static void clean_report(struct wire_report *to,
                         const struct wire_report *from) {
    *to = *from;
    if (to->n_places > WIRE_PLACES) to->n_places = WIRE_PLACES;
}

static void keep_found(struct watch_finding *f, const struct wire_message *m) {
    if (f->is) return;
    *f = (struct watch_finding){
        .is = true, .value = m->value, .value2 = m->value2};
    clean_report(&f->place, &m->u.report);
}

/* The runner has gone, or only its socket has. */
static int gone(struct process *p) {
    long long until = clock_ms() + GRACE_MS;
    do {
        reap(p, false);
        if (p->pid == 0) return PROCESS_ENDED;
        poll(NULL, 0, 1);
    } while (clock_ms() < until);
    return PROCESS_GARBAGE;
}

static int read_control(struct process *p, struct wire_message *reply) {
    struct wire_message m;
    ssize_t got = recv(p->control, &m, sizeof m, MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return GO_ON;
    if (got <= 0) return gone(p);
    if (got != sizeof m || m.magic != WIRE_MAGIC) return PROCESS_GARBAGE;
    m.u.text[WIRE_TEXT_BYTES - 1] = '\0';
    switch (m.kind) {
    case WIRE_ANSWER:
    case WIRE_FAILED:
        if (m.sequence != p->sequence) return PROCESS_GARBAGE;
        *reply = m;
        return m.kind == WIRE_ANSWER ? PROCESS_ANSWERED : PROCESS_FAILED;
    case WIRE_NOTE:
        if (m.status < 0 || m.status >= WIRE_N_REFUSALS) return PROCESS_GARBAGE;
        p->refused |= 1ull << m.status;
        return GO_ON;
    case WIRE_SHORT: p->is_short = true; return GO_ON;
    case WIRE_AT:
        clean_report(&p->at, &m.u.report);
        p->has_at = true;
        return GO_ON;
    case WIRE_FOUND:
        if (m.status < 0 || m.status >= WIRE_N_WATCHES) return PROCESS_GARBAGE;
        keep_found(&p->found[m.status], &m);
        return GO_ON;
    case WIRE_CRASH:
        clean_report(&p->crash, &m.u.report);
        p->crash_signal = (int)m.status;
        return GO_ON;
    default: return PROCESS_GARBAGE;
    }
}

static int late(struct process *p);

static int crowded(struct process *p) {
    kill_and_reap(p);
    return PROCESS_THREADS;
}

static int read_device(struct process *p, struct wire_message *reply) {
    (void)reply;
    int state = vgpu_session_step(p->session);
    if (state > 0) return GO_ON;
    close_fd(&p->device_fd);
    if (state < 0) return PROCESS_DEVICE;
    /* The device itself ends the conversation when it is told to stop. */
    if (p->is_crowded) return crowded(p);
    return process_should_stop(p) ? late(p) : GO_ON;
}

static int read_out(struct process *p, struct wire_message *reply) {
    (void)reply;
    if (drain(p, p->out)) close_fd(&p->out);
    return GO_ON;
}

static int read_err(struct process *p, struct wire_message *reply) {
    (void)reply;
    if (drain(p, p->err)) close_fd(&p->err);
    return GO_ON;
}

/* In this order: what was printed before an answer belongs to it, and a device
 * request must be served before an answer is believed to be the end. */
static const struct {
    size_t fd;
    int (*read)(struct process *, struct wire_message *);
} channels[] = {{offsetof(struct process, out), read_out},
                {offsetof(struct process, err), read_err},
                {offsetof(struct process, device_fd), read_device},
                {offsetof(struct process, control), read_control}};
enum { N_CHANNELS = sizeof channels / sizeof *channels };

static int channel_fd(const struct process *p, int i) {
    int fd;
    memcpy(&fd, (const char *)p + channels[i].fd, sizeof fd);
    return fd;
}

static int read_ready(struct process *p, int wait_ms,
                      struct wire_message *reply) {
    struct pollfd ready[N_CHANNELS];
    for (int i = 0; i < N_CHANNELS; i++)
        ready[i] = (struct pollfd){.fd = channel_fd(p, i), .events = POLLIN};
    if (poll(ready, N_CHANNELS, wait_ms) < 0) return GO_ON;
    for (int i = 0; i < N_CHANNELS; i++) {
        if (!ready[i].revents) continue;
        int event = channels[i].read(p, reply);
        if (event != GO_ON) return event;
    }
    return GO_ON;
}

/* ---- asking ---- */

static bool send_request(struct process *p, struct wire_message *m,
                         const int *fds, size_t n_fds) {
    struct iovec part = {m, sizeof *m};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (n_fds == 2) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
    }
    m->magic = WIRE_MAGIC;
    m->sequence = ++p->sequence;
    return sendmsg(p->control, &header, MSG_NOSIGNAL) == sizeof *m;
}

/* Time is up: where was it? Then it is killed. */
static int late(struct process *p) {
    long long until = clock_ms() + GRACE_MS;
    struct wire_message ignored;
    if (p->pid) kill(p->pid, SIGUSR1);
    while (!p->has_at && clock_ms() < until)
        if (read_ready(p, WATCH_MS, &ignored) != GO_ON) break;
    kill_and_reap(p);
    return PROCESS_LATE;
}

/* Of the runner and of the device, which runs in the thread that asks. */
static struct effort effort(const struct process *p) {
    return effort_of_both(effort_of_thread(), effort_of_process(p->pid));
}

long long process_computed(const struct process *p) {
    return effort(p).computed - p->limit.at_start.computed;
}

static int watch(struct process *p) {
    if (!process_should_stop(p)) return GO_ON;
    return p->is_crowded ? crowded(p) : late(p);
}

enum process_event process_ask(struct process *p, struct wire_message *request,
                               const int *fds, size_t n_fds, unsigned limit_ms,
                               struct wire_message *reply) {
    time_limit_start(&p->limit, limit_ms, effort(p));
    if (p->own_limit) p->own_at_start = effort_of_process(p->pid).computed;
    if (!send_request(p, request, fds, n_fds))
        return (enum process_event)gone(p);
    long long next_watch = clock_ms() + WATCH_MS;
    for (;;) {
        int event = read_ready(p, WATCH_MS, reply);
        if (event == GO_ON && clock_ms() >= next_watch) {
            event = watch(p);
            next_watch = clock_ms() + WATCH_MS;
        }
        if (event == GO_ON) continue;
        /* Requests sent just before the answer, which poll may have missed. */
        if (event == PROCESS_ANSWERED && p->device_fd >= 0 &&
            read_device(p, reply) != GO_ON)
            event = PROCESS_DEVICE;
        return (enum process_event)event;
    }
}

/* ---- watching ---- */

bool process_freeze(struct process *p) {
    int status = 0;
    if (p->pid == 0 || kill(p->pid, SIGSTOP) != 0) return false;
    pid_t got = forkserver_wait(p->server, p->pid, &status, WUNTRACED);
    if (got == p->pid && WIFSTOPPED(status)) return true;
    p->status = status;
    p->status_known = got == p->pid;
    p->pid = 0;
    return false;
}

void process_thaw(struct process *p) {
    if (p->pid) kill(p->pid, SIGCONT);
}

bool process_device_failed(const struct process *p) {
    return p->session &&
           ((p->pid && p->device_fd < 0) || vgpu_session_was_short(p->session));
}

/* A folder has two links and one more per folder in it. */
unsigned process_threads(const struct process *p) {
    char path[64];
    struct stat tasks;
    if (p->pid == 0) return 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
    if (stat(path, &tasks) != 0 || tasks.st_nlink < 2) return 0;
    return (unsigned)tasks.st_nlink - 2;
}

static enum turn turn(const struct process *p) {
    return p->turns.ask ? p->turns.ask(p->turns.user) : TURN_GO_ON;
}

/* What is short does not wait. While it waits, its time stands still. */
static bool is_over(struct process *p) {
    long long start = clock_ms();
    enum turn now = turn(p);
    if (now != TURN_WAIT ||
        start - p->limit.start < p->limit.limit / LONG_SHARE)
        return now == TURN_OVER;
    if (p->pid) kill(p->pid, SIGSTOP);
    while ((now = turn(p)) == TURN_WAIT) poll(NULL, 0, WATCH_MS);
    if (p->pid) kill(p->pid, SIGCONT);
    time_limit_forgive(&p->limit, clock_ms() - start);
    return now == TURN_OVER;
}

/* Its own threads alone: the user may have others, of other programs. One
 * calls; and the kernel counts a thread that was joined for a moment longer. */
enum { CALLER = 1, STILL_COUNTED = 30 };

static bool is_crowded(struct process *p) {
    long long now = clock_ms();
    if (p->is_crowded || now < p->next_count) return p->is_crowded;
    p->next_count = now + WATCH_MS;
    p->is_crowded =
        process_threads(p) > PROCESS_MOST_THREADS + CALLER + STILL_COUNTED;
    return p->is_crowded;
}

/* Without the device, whose speed hangs on the machine. */
static bool computed_too_long(struct process *p) {
    long long now = clock_ms();
    if (!p->own_limit || now < p->next_own) return false;
    p->next_own = now + WATCH_MS;
    p->own_is_over |=
        effort_of_process(p->pid).computed - p->own_at_start >= p->own_limit;
    return p->own_is_over;
}

/* Asked while it is waited for, and by the device while a kernel runs. */
bool process_should_stop(void *user) {
    struct process *p = user;
    if (is_over(p) || is_crowded(p) || computed_too_long(p)) return true;
    return time_limit_due(&p->limit) &&
           time_limit_reached(&p->limit, effort(p));
}

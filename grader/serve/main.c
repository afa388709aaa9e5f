/* SPDX-License-Identifier: MIT
 *
 * scanlab-serve [PORT]: shows a page to browsers of this machine, at an address
 * with a secret in it, for as long as its standard input is open, from which
 * the page comes (live_wire.h). `scanlab watch --serve` starts it. A program of
 * its own, so that what talks to the network has no files, no rights and
 * nothing of a submission but that page, and nobody else needs its library.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live_wire.h"
#include "serve.h"
#include "walls.h"

enum { MOST_FILES = MOST_CONNECTIONS + 16 };

/* ---- set-up ---- */

static int fail(const char *what, int port) {
    if (errno == EADDRINUSE)
        fprintf(stderr,
                "scanlab: port %d is taken; another one, or --serve without a "
                "number, which takes any that is free\n",
                port);
    else
        fprintf(stderr, "scanlab: --serve: %s: %s\n", what, strerror(errno));
    return 2;
}

/* Only this machine reaches it. -1: errno says why not. */
static int listen_at(int *port) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int yes = 1; /* also just after another one ended, not beside it */
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, size) != 0 ||
        listen(fd, MOST_CONNECTIONS) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) != 0)
        return -1;
    *port = ntohs(at.sin_port);
    return fd;
}

static bool make_path(char path[SECRET_DIGITS + 3]) {
    unsigned char bytes[SECRET_DIGITS / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    *path++ = '/';
    for (size_t i = 0; i < sizeof bytes; i++)
        path += sprintf(path, "%02x", bytes[i]);
    strcpy(path, "/");
    return true;
}

/* What it gives up before anybody can connect; docs/robustness.md. */
static bool build_walls(void) {
    return walls_limit(RLIMIT_CORE, 0) && walls_limit(RLIMIT_FSIZE, 0) &&
           walls_limit(RLIMIT_NOFILE, MOST_FILES) && walls_no_new_rights() &&
           walls_drop_capabilities() &&
           (!walls_landlock_version() || walls_landlock(NULL, 0, false));
}

/* ---- standard input ---- */

static bool read_all(void *to, size_t size) {
    for (char *at = to; size > 0;) {
        ssize_t n = read(STDIN_FILENO, at, size);
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n < 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* false: the input has ended. */
static bool serve_take(struct serve *s) {
    struct live_head head;
    if (!read_all(&head, sizeof head)) return false;
    if (head.kind == LIVE_GRADING) {
        s->grading = head.bytes < sizeof s->state;
        if (!s->grading || !read_all(s->state, head.bytes)) return false;
        s->state[head.bytes] = '\0';
        return true;
    }
    if (head.bytes > LIVE_MOST_BYTES) return false;
    char *bytes = malloc(head.bytes + 1);
    if (!bytes || !read_all(bytes, head.bytes)) {
        free(bytes);
        return false;
    }
    return serve_page(s, bytes, head.bytes, head.version);
}

/* ---- the loop ---- */

static int sooner(int a, int b) {
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

static void serve(struct serve *s, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd at[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = info->epoll_fd, .events = POLLIN}};
    for (;;) {
        MHD_UNSIGNED_LONG_LONG ms;
        int wait = MHD_get_timeout(daemon, &ms) == MHD_YES
                       ? (int)(ms < ANSWER_MS ? ms : ANSWER_MS)
                       : -1;
        wait = s->left ? 0 : sooner(wait, serve_deadlines(s));
        s->left = false;
        if (poll(at, 2, wait) < 0 && errno != EINTR) return;
        if (at[0].revents && !serve_take(s)) return;
        MHD_run(daemon);
    }
}

int main(int argc, char **argv) {
    struct serve s = {0};
    int port = argc > 1 ? atoi(argv[1]) : 0;
    signal(SIGPIPE, SIG_IGN);
    int listening = listen_at(&port);
    if (listening < 0) return fail("cannot listen", port);
    if (!make_path(s.path)) return fail("no random bits", port);
    struct MHD_Daemon *daemon = serve_start(&s, listening);
    if (!daemon) return fail("libmicrohttpd does not start", port);
    if (!build_walls()) return fail("a wall cannot be built", port);
    printf("http://127.0.0.1:%d%s\n", port, s.path);
    if (fclose(stdout) != 0) return fail("the address", port);
    serve(&s, daemon);
    MHD_stop_daemon(daemon);
    if (s.page) MHD_destroy_response(s.page);
    return 0;
}

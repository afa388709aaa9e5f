/* SPDX-License-Identifier: MIT
 *
 * fuzz_serve.c: what comes to the live report's port. Two connections send the
 * input in pieces; the page goes only to who says its secret and a name of this
 * machine, and nobody stays connected. Input: mode, bytes of a piece, then what
 * is sent; CUT ends the first one's request and begins the second's.
 */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz.h"
#include "serve.h"

enum { GRADING = 1, NO_PAGE = 2, SHUT = 4, NEW_PAGE = 8, LATE = 16 };
enum { CUT = 0x01, TURNS = 6, ANSWER = 1 << 16, MARKS = 40000 };

static const char secret[] = "/0123456789abcdef0123456789abcdef/",
                  mark[] = "only for the owner";
static struct serve server;
static struct MHD_Daemon *daemon_of_all;
static struct sockaddr_un place = {.sun_family = AF_UNIX};
static socklen_t place_size;

static void show_page(uint64_t version) {
    char *page = malloc(MARKS);
    if (!page) abort();
    for (size_t i = 0; i < MARKS; i++) page[i] = mark[i % (sizeof mark - 1)];
    if (!serve_page(&server, page, MARKS, version)) abort();
}

/* A name that is no file's and is free: the kernel picks it. */
static void begin(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    place_size = sizeof place;
    if (fd < 0 ||
        bind(fd, (struct sockaddr *)&place, sizeof place.sun_family) != 0 ||
        listen(fd, MOST_CONNECTIONS) != 0 ||
        getsockname(fd, (struct sockaddr *)&place, &place_size) != 0)
        abort();
    strcpy(server.path, secret);
    daemon_of_all = serve_start(&server, fd);
    if (!daemon_of_all) abort();
}

static void turn(void) {
    for (int i = 0; i < TURNS; i++) {
        MHD_run(daemon_of_all);
        if (serve_deadlines(&server) > ANSWER_MS) abort();
    }
}

/* ---- a connection ---- */

struct guest_of_ours {
    int fd;
    const uint8_t *says;
    size_t left;
    char *answer;
    size_t n;
};

static void visit(struct guest_of_ours *g, const uint8_t *says, size_t bytes) {
    g->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    g->answer = malloc(ANSWER + 1);
    g->says = says;
    g->left = bytes;
    g->n = 0;
    if (g->fd < 0 || !g->answer ||
        connect(g->fd, (struct sockaddr *)&place, place_size) != 0)
        abort();
}

static void hear(struct guest_of_ours *g) {
    ssize_t n;
    while (g->n < ANSWER &&
           (n = recv(g->fd, g->answer + g->n, ANSWER - g->n, 0)) > 0)
        g->n += (size_t)n;
}

static void speak(struct guest_of_ours *g, size_t piece) {
    if (piece > g->left) piece = g->left;
    if (piece) send(g->fd, g->says, piece, MSG_NOSIGNAL);
    g->says += piece;
    g->left -= piece;
}

/* As a server may read a path: %2f is a slash. */
static size_t decode(const uint8_t *from, size_t bytes, char *to) {
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        char digits[3] = {0};
        if (from[i] == '%' && i + 2 < bytes && isxdigit(from[i + 1]) &&
            isxdigit(from[i + 2])) {
            memcpy(digits, from + i + 1, 2);
            to[n++] = (char)strtol(digits, NULL, 16);
            i += 2;
        } else {
            to[n++] = (char)from[i];
        }
    }
    to[n] = '\0';
    return n;
}

static void must_be_entitled(const struct guest_of_ours *g, const uint8_t *said,
                             size_t bytes) {
    if (!memmem(g->answer, g->n, mark, sizeof mark - 1)) return;
    char *words = malloc(bytes + 1);
    if (!words) abort();
    size_t n = decode(said, bytes, words);
    for (size_t i = 0; i < n; i++)
        if (!words[i]) words[i] = ' ';
    if (!strstr(words, secret) || !strstr(words, "GET") ||
        !strcasestr(words, "host"))
        abort();
    if (!strstr(words, "127.0.0.1") && !strstr(words, "localhost")) abort();
    free(words);
}

static void leave(struct guest_of_ours *g) {
    close(g->fd);
    free(g->answer);
}

static void talk(const uint8_t *said, size_t bytes, unsigned mode,
                 size_t piece) {
    struct guest_of_ours one, two;
    const uint8_t *cut = memchr(said, CUT, bytes);
    size_t first = cut ? (size_t)(cut - said) : bytes;
    visit(&one, said, first);
    visit(&two, said + first + !!cut, bytes - first - !!cut);
    while (one.left || two.left) {
        speak(&one, piece);
        speak(&two, piece);
        turn();
        hear(&two);
        if (!(mode & LATE)) hear(&one);
    }
    if (mode & NEW_PAGE) show_page(2);
    if (mode & SHUT) shutdown(one.fd, SHUT_WR);
    for (int i = 0; i < 4; i++) {
        turn();
        hear(&one);
        hear(&two);
    }
    must_be_entitled(&one, said, first);
    must_be_entitled(&two, said + first, bytes - first);
    leave(&one);
    leave(&two);
    for (int i = 0; i < 4; i++) turn();
    for (size_t i = 0; i < MOST_CONNECTIONS; i++)
        if (server.guests[i].fd >= 0) abort(); /* it has stayed */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    if (bytes < 2) return 0;
    if (!daemon_of_all) begin();
    if (data[0] & NO_PAGE) {
        if (server.page) MHD_destroy_response(server.page);
        server.page = NULL;
    } else {
        show_page(1);
    }
    server.grading = data[0] & GRADING;
    talk(data + 2, bytes - 2, data[0], 1 + data[1] * 8u);
    return 0;
}

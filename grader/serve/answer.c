/* SPDX-License-Identifier: MIT
 *
 * answer.c: see serve.h. Anybody on this machine can connect, and so can any
 * page in a browser here. The page is sent only to a request with the secret,
 * and only under this machine's own Host: another name was made to point here
 * (DNS rebinding). Any other request gets a status code without a text.
 * Parsing, sizes and slow senders are libmicrohttpd's, whose 400 and 414 have a
 * sentence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "serve.h"

long long serve_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- who is connected, and until when ---- */

static void shut_out(struct guest *guest) {
    shutdown(guest->fd, SHUT_RDWR); /* MHD closes it then */
    guest->until = serve_now() + REQUEST_MS;
}

/* A program on this machine may hold all connections, again and again. So one
 * is always kept free: the oldest that still waits for its request is closed. A
 * client that sends its request at once is answered before it is the oldest. */
static void keep_one_free(struct serve *s) {
    struct guest *oldest = NULL;
    for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
        struct guest *guest = &s->guests[i];
        if (guest->fd < 0) return;
        if (!oldest || guest->until < oldest->until) oldest = guest;
    }
    shut_out(oldest);
}

/* MHD keeps `slot` with the connection. */
static void notify(void *user, struct MHD_Connection *connection, void **slot,
                   enum MHD_ConnectionNotificationCode code) {
    struct serve *s = user;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*slot) ((struct guest *)*slot)->fd = -1;
        s->left = true;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    for (size_t i = 0; info && i < MOST_CONNECTIONS; i++) {
        struct guest *guest = &s->guests[i];
        if (guest->fd >= 0) continue;
        *guest = (struct guest){info->connect_fd, serve_now() + REQUEST_MS};
        *slot = guest;
        break;
    }
    keep_one_free(s);
}

int serve_deadlines(struct serve *s) {
    long long now = serve_now(), next = -1;
    for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
        struct guest *guest = &s->guests[i];
        if (guest->fd < 0) continue;
        long long left = guest->until - now;
        if (left <= 0) {
            shut_out(guest);
        } else if (next < 0 || left < next) {
            next = left;
        }
    }
    return (int)next;
}

static void give_time(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct guest *guest = info ? info->socket_context : NULL;
    if (guest) guest->until = serve_now() + ANSWER_MS;
}

/* ---- answers ---- */

/* Takes as long wherever the first difference is. */
static bool is_secret(const char *path, const char *secret) {
    size_t size = strlen(secret);
    unsigned char differs = 0;
    if (strlen(path) != size) return false;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned char)(path[i] ^ secret[i]);
    return !differs;
}

/* Any port: a tunnel's other end has another. */
static bool is_here(const char *host) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; host && i < 2; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(host, names[i], n) != 0) continue;
        if (host[n] == '\0') return true;
        if (host[n] == ':' && host[n + 1] &&
            strspn(host + n + 1, "0123456789") == strlen(host + n + 1))
            return true;
    }
    return false;
}

static bool add_headers(struct MHD_Response *r) {
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"Connection", "close"}, /* so that each has its own deadline, also
                                    where an answer comes at a later call */
        {"Content-Security-Policy", "frame-ancestors 'none'"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"}, /* the secret is in the address */
        {"X-Content-Type-Options", "nosniff"}};
    bool good = r != NULL;
    for (size_t i = 0; good && i < sizeof headers / sizeof *headers; i++)
        good = MHD_add_response_header(r, headers[i][0], headers[i][1]);
    return good;
}

static enum MHD_Result empty(const struct serve *s,
                             struct MHD_Connection *connection, unsigned code) {
    struct MHD_Response *r =
        MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    bool good = add_headers(r);
    if (good && code == MHD_HTTP_METHOD_NOT_ALLOWED)
        good = MHD_add_response_header(r, "Allow", "GET");
    if (good && code == MHD_HTTP_NOT_MODIFIED)
        good = MHD_add_response_header(r, "ScanLab-State",
                                       s->grading ? "grading" : "idle");
    if (good && code == MHD_HTTP_NOT_MODIFIED && s->grading && *s->state)
        good = MHD_add_response_header(r, "ScanLab-Checks", s->state);
    enum MHD_Result result =
        good ? MHD_queue_response(connection, code, r) : MHD_NO;
    if (r) MHD_destroy_response(r);
    return result;
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *data,
                              size_t *size, void **state) {
    const struct serve *s = user;
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *has = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                                  "If-None-Match");
    char tag[32];
    /* Answered at the first call, before what a request carries is read. */
    (void)version, (void)data, (void)size, (void)state;
    if (!is_here(host)) return empty(s, connection, MHD_HTTP_FORBIDDEN);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return empty(s, connection, MHD_HTTP_METHOD_NOT_ALLOWED);
    if (!s->page || !is_secret(path, s->path))
        return empty(s, connection, MHD_HTTP_NOT_FOUND);
    snprintf(tag, sizeof tag, "\"%llu\"", (unsigned long long)s->version);
    if (has && strcmp(has, tag) == 0)
        return empty(s, connection, MHD_HTTP_NOT_MODIFIED);
    give_time(connection);
    return MHD_queue_response(connection, MHD_HTTP_OK, s->page);
}

bool serve_page(struct serve *s, char *bytes, uint32_t size, uint64_t version) {
    struct MHD_Response *r =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!r) free(bytes);
    if (!add_headers(r) || !MHD_add_response_header(
                               r, "Content-Type", "text/html; charset=utf-8")) {
        if (r) MHD_destroy_response(r);
        return false;
    }
    /* A client that is receiving the old page gets the rest of it. */
    if (s->page) MHD_destroy_response(s->page);
    s->page = r;
    s->version = version;
    s->grading = false;
    return true;
}

struct MHD_Daemon *serve_start(struct serve *s, int listening) {
    for (size_t i = 0; i < MOST_CONNECTIONS; i++) s->guests[i].fd = -1;
    return MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, s, MHD_OPTION_LISTEN_SOCKET,
        listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, REQUEST_MS / 1000u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, notify,
        s, MHD_OPTION_END);
}

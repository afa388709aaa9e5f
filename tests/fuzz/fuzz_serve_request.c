/* SPDX-License-Identifier: MIT
 *
 * fuzz_serve_request.c: what scanlab-serve itself reads: of a request that
 * libmicrohttpd has parsed its path, method, Host and If-None-Match; and the
 * heads and pages on its standard input. Beside it stands who may have what,
 * said apart from answer.c: the page goes to a GET of the secret from a name of
 * this machine, and nobody else hears more than a number; every answer has all
 * headers and is given back. fuzz_serve.c has the same through the library and
 * a socket, where an input takes a hundred times as long.
 *
 * Input: mode, then what the mode reads: a request of four lines that end in a
 * newline, each NONE (no such header), SECRET (the right one) or any bytes; or
 * what comes on standard input.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.c"
#define main serve_main
#include "main.c"
#undef main

#include "fuzz.h"

enum { INPUT = 1, NO_PAGE = 2, GRADING = 4, MOST_INPUT = 1 << 15 };

static const char secret[] = "/0123456789abcdef0123456789abcdef/";

/* ---- in the library's place ---- */

struct MHD_Response {
    size_t bytes, headers;
    bool allows, told, frees;
    void *page;
};
struct MHD_Connection {
    const char *host, *tag;
    unsigned code;
    size_t sent, answers;
    bool complete, allows, told;
};
static size_t responses; /* that nobody has given back */

const union MHD_ConnectionInfo *
MHD_get_connection_info(struct MHD_Connection *connection,
                        enum MHD_ConnectionInfoType type, ...) {
    (void)connection, (void)type;
    return NULL;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *connection,
                                        enum MHD_ValueKind kind,
                                        const char *key) {
    if (kind != MHD_HEADER_KIND) abort();
    return strcmp(key, "Host") == 0 ? connection->host : connection->tag;
}

struct MHD_Response *
MHD_create_response_from_buffer(size_t size, void *buffer,
                                enum MHD_ResponseMemoryMode mode) {
    struct MHD_Response *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->bytes = size;
    r->frees = mode == MHD_RESPMEM_MUST_FREE;
    r->page = buffer;
    responses++;
    return r;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *r,
                                        const char *header,
                                        const char *content) {
    if (!*content || strpbrk(header, "\r\n") || strpbrk(content, "\r\n"))
        abort();
    r->headers++;
    r->allows |= strcmp(header, "Allow") == 0;
    r->told |= strcmp(header, "ScanLab-State") == 0;
    return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *r) {
    if (r->frees) free(r->page);
    free(r);
    responses--;
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection,
                                   unsigned code, struct MHD_Response *r) {
    connection->answers++;
    connection->code = code;
    connection->sent = r->bytes;
    connection->complete = r->headers >= 7;
    connection->allows = r->allows;
    connection->told = r->told;
    return MHD_YES;
}

/* Of main.c's loop, which does not run here. */
struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port,
                                    MHD_AcceptPolicyCallback policy, void *user,
                                    MHD_AccessHandlerCallback own, void *its,
                                    ...) {
    (void)flags, (void)port, (void)policy, (void)user, (void)own, (void)its;
    return NULL;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon) {
    (void)daemon;
}

enum MHD_Result MHD_run(struct MHD_Daemon *daemon) {
    (void)daemon;
    return MHD_NO;
}

enum MHD_Result MHD_get_timeout(struct MHD_Daemon *daemon,
                                MHD_UNSIGNED_LONG_LONG *ms) {
    (void)daemon, (void)ms;
    return MHD_NO;
}

const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon,
                                                enum MHD_DaemonInfoType type,
                                                ...) {
    (void)daemon, (void)type;
    return NULL;
}

/* ---- a request ---- */

/* NAME or NAME:PORT, as a person would say it. */
static bool names_this_machine(const char *host) {
    char name[16] = "";
    size_t size = host ? strcspn(host, ":") : 0;
    if (!host || size != 9) return false; /* both have nine letters */
    memcpy(name, host, size);
    if (strcmp(name, "localhost") != 0 && strcmp(name, "127.0.0.1") != 0)
        return false;
    const char *at = host + size;
    if (*at == '\0') return true;
    for (at++; *at >= '0' && *at <= '9'; at++)
        if (at[1] == '\0') return true;
    return false;
}

static unsigned expected(const struct serve *s, const char *method,
                         const char *path, const struct MHD_Connection *c) {
    if (!names_this_machine(c->host)) return 403;
    if (strcmp(method, "GET") != 0) return 405;
    if (!s->page || strcmp(path, secret) != 0) return 404;
    return c->tag && strcmp(c->tag, "\"7\"") == 0 ? 304 : 200;
}

static char *line_of(const uint8_t **data, size_t *bytes, const char *right) {
    const uint8_t *end = memchr(*data, '\n', *bytes);
    size_t size = end ? (size_t)(end - *data) : *bytes;
    char *line = NULL;
    if (size == 6 && memcmp(*data, "SECRET", 6) == 0)
        line = strdup(right);
    else if (size != 4 || memcmp(*data, "NONE", 4) != 0)
        line = strndup((const char *)*data, size);
    *data += size + !!end;
    *bytes -= size + !!end;
    return line;
}

static void ask(struct serve *s, const uint8_t *data, size_t bytes) {
    size_t kept = responses, size = 0;
    void *state = NULL;
    char *method = line_of(&data, &bytes, "GET");
    char *path = line_of(&data, &bytes, secret);
    char *host = line_of(&data, &bytes, "localhost");
    char *tag = line_of(&data, &bytes, "\"7\"");
    struct MHD_Connection c = {.host = host, .tag = tag};
    if (method && path) { /* the library has them always */
        unsigned code = expected(s, method, path, &c);
        if (answer(s, &c, path, method, "HTTP/1.1", NULL, &size, &state) !=
            MHD_YES)
            abort();
        if (c.code != code || c.answers != 1 || !c.complete) abort();
        if (code == 200 ? c.sent != 5 : c.sent != 0) abort();
        if (c.allows != (code == 405) || c.told != (code == 304)) abort();
        if (responses != kept) abort();
    }
    free(method);
    free(path);
    free(host);
    free(tag);
}

/* ---- standard input ---- */

static void feed(struct serve *s, const uint8_t *data, size_t bytes) {
    int ends[2], turns = 0;
    if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0) abort();
    if (ends[0] != STDIN_FILENO) close(ends[0]);
    if (write(ends[1], data, bytes) != (ssize_t)bytes) abort();
    close(ends[1]);
    while (serve_take(s)) /* each has at least a head */
        if (++turns > (int)(bytes / sizeof(struct live_head))) abort();
    close(STDIN_FILENO);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct serve s = {0};
    if (bytes < 1 || bytes > MOST_INPUT) return 0;
    strcpy(s.path, secret);
    if (!(data[0] & NO_PAGE) &&
        !serve_page(&s, strdup("page!"), sizeof "page!" - 1, 7))
        abort();
    s.grading = data[0] & GRADING;
    if (data[0] & INPUT)
        feed(&s, data + 1, bytes - 1);
    else
        ask(&s, data + 1, bytes - 1);
    if (s.page) MHD_destroy_response(s.page);
    if (responses != 0) abort(); /* a page that nobody has given back */
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * live.c: see live.h.
 */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "live_wire.h"
#include "report.h"

enum { LIVE_ADDRESS = 128 };

/* ---- the process ---- */

static void live_put_away(void *what) {
    struct live *live = what;
    kill(live->pid, SIGTERM);
    while (waitpid(live->pid, NULL, 0) < 0 && errno == EINTR) continue;
}

/* Ctrl-C ends it, too: our own mask is not for it. */
static int live_spawn(struct live *live, const char *program, unsigned port,
                      const int in[2], const int out[2]) {
    char number[16], name[] = "scanlab-serve";
    char *arguments[] = {name, number, NULL}, *nothing[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    snprintf(number, sizeof number, "%u", port);
    sigemptyset(&none);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&how);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&files, in[0], 0);
        if (!error) error = posix_spawn_file_actions_adddup2(&files, out[1], 1);
        if (!error) error = posix_spawnattr_setsigmask(&how, &none);
        if (!error)
            error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
        if (!error)
            error = posix_spawn(&live->pid, program, &files, &how, arguments,
                                nothing);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static bool live_start(struct live *live, const char *program, unsigned port,
                       int *from) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, error = 0;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) error = errno;
    ending_lock();
    if (!error) error = live_spawn(live, program, port, in, out);
    if (!error) ending_note(&live->ending, live_put_away, live);
    ending_unlock();
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    live->to = in[1];
    *from = out[0];
    if (!error) return true;
    if (error == ENOENT)
        cli_fail("--serve needs the library libmicrohttpd, which was not there "
                 "when this program was built; where `make watch SERVE=1` does "
                 "not install it: sudo apt-get install libmicrohttpd-dev");
    else
        cli_fail("cannot start %s: %s", program, strerror(error));
    live->pid = 0;
    return false;
}

/* What it prints when browsers can connect. */
static bool tell_address(int from, char line[LIVE_ADDRESS]) {
    FILE *stream = fdopen(from, "r");
    if (!stream) {
        close(from);
        return false;
    }
    bool good = fgets(line, LIVE_ADDRESS, stream) != NULL;
    if (good) printf("live report: %s", line);
    fflush(stdout);
    fclose(stream);
    return good;
}

bool live_open(struct live *live, const char *build_folder, unsigned port,
               bool browse) {
    char address[LIVE_ADDRESS] = "";
    char *program = text_format("%s/libexec/scanlab-serve", build_folder);
    int from = -1;
    *live = (struct live){.to = -1};
    bool good = program && live_start(live, program, port, &from);
    free(program);
    if (good && !tell_address(from, address)) return false;
    if (good && browse) {
        address[strcspn(address, "\n")] = '\0';
        live_browse(build_folder, address);
    }
    if (good) return true;
    if (from >= 0) close(from);
    return false;
}

void live_close(struct live *live) {
    if (live->to >= 0) close(live->to); /* its end of input */
    live->to = -1;
    if (!live->pid) return;
    ending_lock();
    ending_forget(&live->ending);
    ending_unlock();
    live_put_away(live);
    live->pid = 0;
}

/* ---- what it is told ---- */

static bool tell(int to, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t n = write(to, at, size);
        if (n < 0 && errno != EINTR) return false;
        if (n < 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static void send(struct live *live, enum live_kind kind, const char *bytes,
                 size_t size) {
    struct live_head head = {(uint32_t)kind, (uint32_t)size, live->version};
    if (tell(live->to, &head, sizeof head) && tell(live->to, bytes, size))
        return;
    cli_fail("the live report is no longer shown: %s", strerror(errno));
    live_close(live);
}

void live_grading(struct live *live, const char *state) {
    size_t size = strlen(state);
    if (size >= LIVE_STATE_BYTES) size = 0; /* the page's bar stays empty */
    if (live->to >= 0) send(live, LIVE_GRADING, state, size);
}

/* ---- the page ---- */

/* Borrows all that the grades own, but for the two lists. */
static bool join(struct grade *all, const struct grade *const *grades,
                 size_t n) {
    size_t n_labs = 0, n_sources = 0;
    *all = n ? *grades[0] : (struct grade){0};
    for (size_t i = 0; i < n; i++) {
        n_labs += grades[i]->n_labs;
        n_sources += grades[i]->n_sources;
    }
    all->labs = calloc(n_labs + 1, sizeof *all->labs);
    all->sources = calloc(n_sources + 1, sizeof *all->sources);
    if (!all->labs || !all->sources) return false;
    all->n_labs = all->n_sources = 0;
    all->score = all->max_score = 0;
    all->seconds = 0;
    for (size_t i = 0; i < n; i++) {
        const struct grade *one = grades[i];
        for (size_t k = 0; k < one->n_labs; k++)
            all->labs[all->n_labs++] = one->labs[k];
        for (size_t k = 0; k < one->n_sources; k++)
            all->sources[all->n_sources++] = one->sources[k];
        all->score += one->score;
        all->max_score += one->max_score;
        all->seconds += one->seconds;
    }
    return true;
}

void live_show(struct live *live, const struct grade *const *grades, size_t n,
               const struct since *const *since, size_t n_since) {
    struct grade all = {0};
    struct report_options options = {
        .live = ++live->version, .since = since, .n_since = n_since};
    char *page = NULL;
    size_t size = 0;
    if (live->to < 0) return;
    FILE *stream = open_memstream(&page, &size);
    bool good = stream && join(&all, grades, n) &&
                report_write(REPORT_html, stream, &all, &options);
    if (stream) good &= fclose(stream) == 0;
    if (good)
        send(live, LIVE_PAGE, page, size);
    else
        cli_fail("out of memory: the live report is as it was");
    free(page);
    free(all.labs);
    free(all.sources);
}

/* SPDX-License-Identifier: MIT
 *
 * saved.c: see saved.h. Editors write a file in place, or write another and
 * rename it: a file is saved when it is closed after writing, and when it gets
 * its name.
 */
#include "saved.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cli.h"

enum {
    QUIET_MS = 30,
    MOST_WAITS = 100, /* for quiet: where something is saved without end */
    EVENTS_BYTES = 16 << 10
};

bool saved_open(struct saved *s, const char *folder) {
    const uint32_t what = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF |
                          IN_MOVE_SELF | IN_ONLYDIR;
    s->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (s->fd >= 0 && inotify_add_watch(s->fd, folder, what) >= 0) return true;
    cli_fail("cannot watch %s: %s", folder, strerror(errno));
    saved_close(s);
    return false;
}

void saved_close(struct saved *s) {
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

enum { SAVED_FILE = 1, SAVED_BESIDE = 2 };

/* Which of the two there is to read. */
static int comes(const struct saved *s, int beside, int ms) {
    struct pollfd p[] = {{.fd = s->fd, .events = POLLIN},
                         {.fd = beside, .events = POLLIN}};
    int n;
    do n = poll(p, 2, ms);
    while (n < 0 && errno == EINTR);
    return n <= 0 ? 0
                  : (p[0].revents ? SAVED_FILE : 0) |
                        (p[1].revents ? SAVED_BESIDE : 0);
}

/* What is there to be read; false: the folder is gone. */
static bool saved_take(struct saved *s, void (*tell)(void *, const char *),
                       void *user) {
    alignas(struct inotify_event) char events[EVENTS_BYTES];
    ssize_t size = read(s->fd, events, sizeof events);
    bool there = true;
    for (ssize_t at = 0; at < size;) {
        struct inotify_event e;
        memcpy(&e, events + at, sizeof e);
        if (e.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
            there = false;
        else if (e.mask & IN_Q_OVERFLOW)
            tell(user, NULL);
        else if (e.len)
            tell(user, events + at + sizeof e);
        at += (ssize_t)(sizeof e + e.len);
    }
    return there;
}

bool saved_wait(struct saved *s, int beside,
                void (*tell)(void *user, const char *name), void *user) {
    int what = comes(s, beside, -1);
    bool there = what != 0;
    for (int k = 0; there && what & SAVED_FILE && k < MOST_WAITS; k++) {
        there = saved_take(s, tell, user);
        what = comes(s, -1, QUIET_MS);
    }
    if (!there) cli_fail("the folder that is watched is gone");
    return there;
}

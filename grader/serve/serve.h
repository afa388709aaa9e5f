/* SPDX-License-Identifier: MIT
 *
 * serve.h: the two halves of scanlab-serve: answer.c decides which connections
 * stay, for how long, and what is answered; main.c takes the page from scanlab
 * watch, and has the loop that waits for pages and connections.
 */
#pragma once

#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "live_wire.h"

enum {
    MOST_CONNECTIONS = 32,
    REQUEST_MS = 5000,         /* to send a request */
    ANSWER_MS = 60000,         /* and to take the page, through a slow tunnel */
    REQUEST_BYTES = 16 * 1024, /* other local servers' cookies come as well */
    SECRET_DIGITS = 32         /* 128 bits */
};

/* Ends after `until`, however busy it is. */
struct guest {
    int fd; /* -1: free */
    long long until;
};

struct serve {
    char path[SECRET_DIGITS + 3]; /* "/SECRET/" */
    struct MHD_Response *page;    /* NULL: none yet */
    uint64_t version;             /* the page's */
    bool grading;                 /* another will come soon */
    char state[LIVE_STATE_BYTES]; /* how far that is (live_wire.h) */
    struct guest guests[MOST_CONNECTIONS];
    bool left; /* somebody: MHD listens again when it is called once more */
};

/* Of the clock that only runs forwards. */
long long serve_now(void);

/* Listens on this socket, which is then its own. NULL: errno says why. */
struct MHD_Daemon *serve_start(struct serve *, int listening);
/* The page that is answered from now on; takes the bytes, which come from
 * malloc. */
bool serve_page(struct serve *, char *bytes, uint32_t size, uint64_t version);
/* Closes connections whose time is over. Returns the milliseconds until the
 * next one's is over, or -1. */
int serve_deadlines(struct serve *);

/* SPDX-License-Identifier: MIT
 *
 * keys.c: see keys.h.
 */
#include "keys.h"

#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

static void keys_put_away(void *what) {
    struct keys *keys = what;
    tcsetattr(keys->fd, TCSANOW, &keys->before);
}

/* A program in the background would be stopped. */
static bool keys_are_ours(int fd) {
    return isatty(fd) && tcgetpgrp(fd) == getpgrp();
}

void keys_open(struct keys *keys) {
    struct termios now;
    *keys = (struct keys){.fd = -1};
    if (!keys_are_ours(STDIN_FILENO) ||
        tcgetattr(STDIN_FILENO, &keys->before) != 0)
        return;
    now = keys->before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    ending_lock();
    if (tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0) {
        keys->fd = STDIN_FILENO;
        ending_note(&keys->ending, keys_put_away, keys);
    }
    ending_unlock();
}

void keys_close(struct keys *keys) {
    if (keys->fd < 0) return;
    ending_lock();
    ending_forget(&keys->ending);
    ending_unlock();
    keys_put_away(keys);
    keys->fd = -1;
}

char keys_take(struct keys *keys) {
    struct pollfd p = {.fd = keys->fd, .events = POLLIN};
    char key = 0;
    if (keys->fd < 0 || !keys_are_ours(keys->fd) || poll(&p, 1, 0) <= 0)
        return 0;
    if (read(keys->fd, &key, 1) == 1) return key;
    keys_close(keys); /* the terminal is gone */
    return 0;
}

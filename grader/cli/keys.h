/* SPDX-License-Identifier: MIT
 *
 * keys.h: keys of a terminal, one at a time, as soon as they are pressed.
 */
#pragma once

#include <termios.h>

#include "ending.h"

struct keys {
    int fd; /* -1: no terminal, or one that others use now */
    struct termios before;
    struct ending ending;
};

/* From now on standard input gives each key at once and shows none; also where
 * a signal ends the program the terminal is as it was before. Where there is
 * none nothing happens. The object must not move. */
void keys_open(struct keys *);
void keys_close(struct keys *);
/* A key that was pressed; 0: none is left. */
char keys_take(struct keys *);

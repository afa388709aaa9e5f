/* SPDX-License-Identifier: MIT
 *
 * patience.c: see patience.h.
 */
#include "patience.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>

enum { FIRST_PAUSE_MS = 20, MOST_TRIES = 6 };

bool patience(int error, unsigned *tries) {
    static const int passing[] = {EAGAIN, ENOMEM, EMFILE, ENFILE, EINTR};
    bool may_pass = false;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        may_pass = may_pass || error == passing[i];
    if (!may_pass || *tries == MOST_TRIES) return false;
    poll(NULL, 0, FIRST_PAUSE_MS << (*tries)++);
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * ending.h: what is cleaned up when a signal ends the program: Ctrl-C, kill, a
 * terminal that is gone, or the end of the process that it was started for. A
 * thread waits for these signals, so the clean-up may call any function (a
 * signal handler may not). Then the program dies of the signal, as if it had
 * not been caught.
 */
#pragma once

/* A member of the object that is cleaned up. The object must not move while it
 * is noted. */
struct ending {
    void (*put_away)(void *what);
    void *what;
    struct ending *before, *after;
};

/* To be called before there are other threads; signals that are ignored stay
 * so. $SCANLAB_WITH is the number of a process that this one must not outlive:
 * make's, which does not pass on the signal that kills it. Orphans of our
 * children become our children. Without this call the functions below only keep
 * the list. */
void ending_watch(void);

/* No ending begins between these two: to make a thing and note it. */
void ending_lock(void);
void ending_unlock(void);
/* Needs the lock. What was noted last is cleaned up first. */
void ending_note(struct ending *, void (*put_away)(void *), void *what);
void ending_forget(struct ending *); /* also what was never noted */

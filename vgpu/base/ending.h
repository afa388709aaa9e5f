/* SPDX-License-Identifier: MIT
 *
 * ending.h: what is put away when a signal ends the program: Ctrl-C, kill, a
 * terminal that is gone, or the end of a process that it was started for. A
 * thread waits for that, so that what it calls may be any function; then the
 * program ends by the signal, as if nobody had waited.
 */
#pragma once

/* Lies in what is to be put away, which does not move meanwhile. */
struct ending {
    void (*put_away)(void *what);
    void *what;
    struct ending *before, *after;
};

/* To be called before there are other threads; signals that are ignored stay
 * so. $SCANLAB_WITH is the number of the process that we are not to outlive:
 * make's, which tells nobody when it is killed. What our children leave behind
 * becomes ours. Without this call the others only keep a list. */
void ending_watch(void);

/* No ending begins between these two: to make a thing and note it. */
void ending_lock(void);
void ending_unlock(void);
/* Locked. What was noted last is put away first. */
void ending_note(struct ending *, void (*put_away)(void *), void *what);
void ending_forget(struct ending *); /* also what was never noted */

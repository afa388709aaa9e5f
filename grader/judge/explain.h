/* SPDX-License-Identifier: MIT
 *
 * explain.h: puts into words what went wrong around a call, before anybody
 * looks at its output: the process ended, crashed, was late, broke a rule of
 * the house, or the device found something.
 */
#ifndef SCANLAB_EXPLAIN_H
#define SCANLAB_EXPLAIN_H

#include "case.h"

struct explanation {
    struct text message; /* empty: nothing wrong */
    char *where;         /* NULL: not known */
};

/* For LIVE_STOPPED and LIVE_NO_SYMBOL. */
void explain_stop(struct live *, enum live_result, struct explanation *);
/* For a call that answered, in order of what explains most: a finding of the
 * device, an error returned, a refused system call, a library's kernel, copying
 * through the host, writing outside the output, threads left behind. */
void explain_call(struct live *, const struct lab_check *,
                  const struct live_call *, struct explanation *);
void explanation_free(struct explanation *);

#endif

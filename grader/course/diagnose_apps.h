/* SPDX-License-Identifier: MIT
 *
 * diagnose_apps.h: what is wrong with a selection, a partition, a list of runs
 * or a sorted array (lab 8), in the words of these tasks. Part of
 * diagnose_plain.
 */
#ifndef SCANLAB_DIAGNOSE_APPS_H
#define SCANLAB_DIAGNOSE_APPS_H

#include "diagnose_plain.h"

/* false: nothing to say; d is unchanged then. Else kind, shape and, where there
 * is one, cause are filled. */
bool diagnose_apps(const struct plain_case *, struct diagnosis *d);

#endif

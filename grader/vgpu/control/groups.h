/* SPDX-License-Identifier: MIT
 *
 * groups.h: how the threads of a warp part and meet.
 */
#ifndef VGPU_GROUPS_H
#define VGPU_GROUPS_H

#include "machine.h"

struct group *group_add(struct warp *, uint32_t mask, uint32_t pc,
                        struct frame *, struct join *);
void group_remove(struct warp *, struct group *);
/* Groups that stand at the same place go on as one. */
void groups_merge(struct warp *);
/* These lanes of the group go on by themselves for a while. */
void group_split(struct warp *, struct group *, uint32_t lanes);
/* Splits off the lanes that take a branch. */
bool group_branch(struct context *, uint32_t taken, const struct insn *);
/* Somebody waits, or will, for the group at the JOIN at pc. */
static inline bool group_meets(const struct group *g, uint32_t pc) {
    return g->join && g->join->at == pc && g->join->frame == g->frame;
}
/* The group has come to the JOIN at its pc. False: it waits there (and is gone
 * as a group); true: go on with the instruction after it. */
bool group_arrive(struct context *);
void group_exit(struct context *, uint32_t mask);
/* No group of the warp is ready: lets one join go ahead without the missing.
 * False: there is none. */
bool warp_break_join(struct warp *);

#endif

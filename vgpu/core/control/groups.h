/* SPDX-License-Identifier: MIT
 * groups.h: how the threads of a warp diverge into groups and reconverge.
 */
#pragma once

#include "machine.h"

struct group *group_add(struct warp *, uint32_t mask, uint32_t pc,
                        struct frame *, struct join *);
/* Are the groups at the same instruction of the same call, in the same state,
 * and, if they wait, at the same barrier? */
bool group_stands_with(const struct group *, const struct group *);
/* All lanes that stand where the group does. */
uint32_t group_lanes_here(const struct warp *, const struct group *);
/* These lanes have waited for each other: of their groups, those that stand at
 * the same place become one. */
void groups_met(struct warp *, uint32_t lanes);
/* Groups at one instruction that is in no loop become one. */
void groups_merge(struct warp *);
/* The group begins to wait at a barrier, for the same phase as other groups
 * that wait there. */
void group_waits(struct warp *, const struct group *);
/* These lanes of the group become a group of their own. */
void group_split(struct warp *, struct group *, uint32_t lanes);
/* Splits off the lanes that take a branch. */
bool group_branch(struct context *, uint32_t taken, const struct insn *);
/* brx.idx: lanes that want the first lane's target go there, the others take
 * the branch again as a group of their own. */
bool group_branch_index(struct context *);
/* Is the group expected at the JOIN at pc? */
static inline bool group_meets(const struct group *g, uint32_t pc) {
    return g->join && g->join->at == pc && g->join->frame == g->frame;
}
/* The group arrives at the JOIN at its pc. False: its threads wait there, and
 * the group no longer exists. True: it goes on with the next instruction. */
bool group_arrive(struct context *);
void group_exit(struct context *, uint32_t mask);
/* No group of the warp is ready: breaks one join, so that the threads at it go
 * on without those that are missing. False: there is no join to break. */
bool warp_break_join(struct warp *);

/* SPDX-License-Identifier: MIT
 *
 * decode_cluster.h: instructions on addresses of shared memory that say whose
 * it is, in a cluster of blocks (cluster.h says how).
 */
#pragma once

#include "decode.h"

enum { FIRST_WITH_CLUSTERS = 90 /* compute capability */ };

bool decode_rank(struct decoder *, struct insn *);   /* mapa, getctarank */
bool decode_window(struct decoder *, struct insn *); /* cvta and isspacep of
                                                        shared memory */

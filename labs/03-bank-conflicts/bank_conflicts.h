/* SPDX-License-Identifier: MIT
 *
 * bank_conflicts.h: the functions of lab 3, CUDA C. You write them in
 * bank_conflicts.cu.
 *
 * The tree. n' leaves, n' = n rounded up to a power of two; leaves past n hold
 * 0. Node x of level m covers the leaves x * 2^m to (x + 1) * 2^m - 1; its
 * children are nodes 2x and 2x + 1 of level m - 1. Level 0 are the leaves.
 * The whole tree lives in shared memory, in as many words as there are
 * leaves (Padding: and some gaps), since a node's sum takes the place of one
 * of its children's. An index map says which word that is:
 *
 *   BANK_MAP_PLAIN      the word of the node's last leaf, e = (x+1) * 2^m - 1
 *   BANK_MAP_PADDING    e + e / k: a gap after every k words
 *   BANK_MAP_LEFTRIGHT  RST_h(x * 2^m) + ROT_h^m(x), k = 2^h, for m <= h. For
 *                       m > h it is applied h levels at a time:
 *                       word(m, x) = word(m - h, word(h, x)). (Handout: why.)
 *
 * After the up-sweep the root's word holds the total. Every other word belonged
 * to a child whose parent's sum is in the other child's word: it holds the sum
 * of that parent's left half.
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to 4 bytes and not more.
 *            Read only: a kernel that writes to it is stopped.
 *   d_out    n elements in device memory, likewise aligned. Does not overlap
 *            d_in. Its contents before the call are garbage.
 *   n        0 to BANK_MAX_N: one block does it all, in one launch. For 0
 *            nothing is launched and cudaSuccess returned; the pointers may
 *            then be NULL.
 *   map      one of enum bank_map
 *   banks    k, the number of banks of shared memory: 16 or 32
 *   Shared   n' words; Padding n' + n' / k. Not more: a GPU with 16 KiB of it
 *            takes n = 4096 with BANK_MAP_PLAIN and BANK_MAP_LEFTRIGHT.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the launch that failed;
 *            cudaErrorInvalidValue for n > BANK_MAX_N. SCANLAB_TODO: not
 *            written yet.
 *   Source   Capannini et al. (K-model), sections IV, VI and VII.
 */
#ifndef BANK_CONFLICTS_H
#define BANK_CONFLICTS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BANK_MAX_N = 4096 };

enum bank_map { BANK_MAP_PLAIN, BANK_MAP_PADDING, BANK_MAP_LEFTRIGHT };

/* d_out[i] = the word of node d_in[i] mod 2n of the tree with n leaves; n is a
 * power of two. Nodes are numbered level by level from the root, which is 1:
 * the children of v are 2v and 2v + 1, and node x of level m is n / 2^m + x, so
 * that the leaves are n to 2n - 1. 0 is no node: for it, the number of words of
 * shared memory that the tree needs. */
cudaError_t bank_index(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                       int banks);

/* The tree of leaves d_in after the up-sweep: d_out[i] = what the word of leaf
 * i then holds. */
cudaError_t bank_up_sweep(const int32_t *d_in, int32_t *d_out, size_t n,
                          int map, int banks);

/* Exclusive scan: d_out[i] = d_in[0] + ... + d_in[i-1], d_out[0] = 0. */
cudaError_t bank_scan(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                      int banks);

#ifdef __cplusplus
}
#endif

#endif

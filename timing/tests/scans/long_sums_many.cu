/* SPDX-License-Identifier: MIT
 *
 * long_sums_many.cu: long_sums.cu with a board for a device of many
 * multiprocessors: a block has more groups of tiles before it than it adds up
 * in one batch.
 */
#define PLACES 512
#include "long_sums.cu"

/* SPDX-License-Identifier: MIT
 *
 * most_threads.h: how many threads the machine lets a submission have.
 */
#pragma once

/* wanted, or fewer where a limit of the user's processes allows no more to each
 * of so many calls at a time; at least 2. Starts that many threads and ends
 * them, which takes some milliseconds. */
int most_threads(int wanted, int at_a_time);

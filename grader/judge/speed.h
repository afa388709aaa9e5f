/* SPDX-License-Identifier: MIT
 *
 * speed.h: how slow this machine is. Limits for time are meant for a processor
 * like those on which lab.ini's were chosen; on a slower one (emulated, old, or
 * so busy that a core's other half takes its share) a program has so many times
 * as long. So a right submission loses no points to the machine.
 */
#pragma once

/* How many times longer than there the virtual GPU takes here, rounded up to 1,
 * 2, 4, 8, 16 or 32, so that a limit, which messages name, is seldom another
 * one in the next grade; 1 where it could not be found out. Measured at each
 * call, in a few milliseconds of this thread's own time: what others do while
 * it waits for a processor does not count. */
double speed_slowness(void);
/* A limit in milliseconds, for a machine that is so slow. */
unsigned speed_limit(unsigned ms, double slowness);

/* The rule, for tests: of the nanoseconds that the sample took. */
double speed_slowness_of(long long sample_ns);

/* SPDX-License-Identifier: MIT
 *
 * distribution.h: what is typed on this Linux to get the compiler that ScanLab
 * and nvcc need.
 */
#pragma once

/* " (gcc and g++ are missing here; sudo apt-get install g++)", where gcc or g++
 * is in none of the folders that compilers are started with (walled.c); else
 * NULL. To be freed. */
char *distribution_advice(void);
/* The command for the distribution that os-release, its text, names; NULL: it
 * is none of ours. Not to be freed. */
const char *distribution_install(const char *os_release);

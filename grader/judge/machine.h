/* SPDX-License-Identifier: MIT
 *
 * machine.h: does the machine have what a compiler or a submission needs? When
 * one of these has failed the judge asks the kernel, because what a compiler or
 * a submission says may be untrue.
 */
#pragma once

/* How many processes the kernel has ended for want of memory since it began. */
unsigned long long machine_kills(void);
/* 0; or errno of what is missing: room for files in a folder (ENOSPC, EDQUOT),
 * memory (ENOMEM). Nothing is left in the folder. */
int machine_lacks(const char *folder);
/* 0; or errno of what is refused to this process: so many threads more, a file,
 * memory, or an address space of so many MiB. */
int machine_refuses(unsigned threads, unsigned address_mib);

/* SPDX-License-Identifier: MIT
 *
 * room.c: how much memory a device may have on this machine. Device memory is
 * reserved, and touched when the program does; a program that touches all of it
 * must still leave room for the checks' bits and for itself.
 */
#include "tool.h"

#include "machine_memory.h"

uint64_t tool_machine_memory(void) {
    return machine_memory() / 4 * 3;
}

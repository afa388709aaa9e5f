/* SPDX-License-Identifier: MIT
 *
 * filters.h: which system calls a student's code may make, as a filter program
 * that the kernel runs for each call. tests/walls/test_filters.c runs it, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands in the filter for the process's number until that is known: no process
 * has this number, and the filter has it nowhere else. */
#define FILTERS_SELF UINT32_C(0x7e57c0de)

struct sock_filter;
struct lockdown_filter {
    struct sock_filter *code; /* NULL: it could not be made */
    size_t n;
};

/* gpu: a real one, whose driver is asked by ioctl. */
void filters_make(struct lockdown_filter *, bool gpu);
/* Irrevocable, for all threads of the process. false: errno says why. */
bool filters_load(struct lockdown_filter *);

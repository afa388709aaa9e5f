/* SPDX-License-Identifier: MIT
 *
 * support.h: what the tests of the PTX parser and of fatbins share.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ptx.h"

#define HEADER ".version 9.0\n.target sm_75\n.address_size 64\n"

/* The module of HEADER and text; fails the test with the parser's message. */
struct ptx_module *parse(const char *text);
/* The module of ".func f () {" body "}" after HEADER; f is functions[0]. */
struct ptx_module *parse_body(const char *body);
/* The whole file, and a NUL after it, to be freed; fails the test. */
char *read_file(const char *path, size_t *bytes);
/* What ptx_print writes, to be freed. */
char *print_module(const struct ptx_module *, size_t *bytes);
/* Fails the test unless every index in the module is in range. */
void check_module(const struct ptx_module *);

struct random { /* xorshift64*, so that a seed is a test case */
    uint64_t state;
};
uint32_t next_random(struct random *, uint32_t limit);
/* Of the first function. */
const struct ptx_insn *insn(const struct ptx_module *, uint32_t i);
const char *register_name(const struct ptx_module *, int32_t reg);

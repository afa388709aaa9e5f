/* SPDX-License-Identifier: MIT
 *
 * unwritten.h: what a wrong answer has to do with memory that nothing has
 * written. Right kernels read such words, too, and make no use of them.
 */
#pragma once

#include "case.h"
#include "diagnose.h"

/* The finding is of such memory, fails no case by itself, and plays no part in
 * the wrong answer: with other contents the same answer is given. False, too,
 * when that cannot be told. */
bool unwritten_is_unused(const struct case_spec *, const struct finding *,
                         const struct diagnose_case *);

/* SPDX-License-Identifier: MIT
 *
 * judge.h: grades a submission: compiles each lab's source, runs every case in
 * a process of its own, decides, and fills a struct grade. The judge trusts
 * nothing that comes out of the submission's process: it makes inputs, knows
 * answers, owns the device and the clock.
 *
 * Inside: compile.h (source to library), process.h (one runner), arena.h and
 * device_buffers.h (the buffers of a call on the host and on the virtual GPU),
 * harness.h (all of that, ready to be called), case.h, run_case.h (one case),
 * explain.h, wrong.h, bounds.h (what is wrong with it), fast.h (ratios of
 * time), check.h, judge.c (the rules of labs, checks and points).
 */
#pragma once

#include "judge_options.h"

enum { JUDGE_ERROR_BYTES = 1024 };

/* Grades the labs in order. 0: *out holds a grade, to be freed by grade_free,
 * whatever the score. Nonzero: grader or set-up error (no compiler, missing
 * folder, runner missing, full disk), explained in error, and *out is empty.
 * labs must outlive the grade. Takes the time of the cases; starts processes;
 * writes only below build_folder. Not to be called by two threads at once. */
int judge_grade(const struct judge_options *, struct lab **labs, size_t n,
                struct grade *out, char error[JUDGE_ERROR_BYTES]);

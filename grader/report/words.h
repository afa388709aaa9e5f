/* SPDX-License-Identifier: MIT
 *
 * words.h: makes sentences of a grade's data, for all formats. They may hold
 * bytes of a submission: a format cleans them (clean_text.h) when it prints.
 */
#pragma once

#include "fact_words.h"
#include "grade.h"
#include "text.h"
#include "walls_words.h"

/* To be freed; NULL: nothing to say, or no memory. */
char *words_message(const struct check_result *); /* "" when passed */
/* Puts each sentence of a message on a line of its own; returns the second one,
 * or NULL. A sentence ends in ". " before a capital letter or an element of the
 * output. */
char *words_cut(char *message);
char *words_where(const struct check_result *);
char *words_cause(const struct check_result *); /* what explains the outcome */
/* "3 of 11 points: edges (3, at n = 1)"; words_lost.c; NULL: nothing, or all of
 * them in the way that the message says. */
char *words_lost(const struct check_result *);
char *words_sizes(const struct check_result *); /* that ran: "0, 1, 4097" */
char *words_about(const struct check_result *); /* the check's rule, where no
                                                   cause explains it */
/* An earlier check of the lab that failed of the same cause at the same place;
 * or NULL. */
const struct check_result *words_same(const struct lab_result *,
                                      const struct check_result *);
/* Is more known than that the check failed? */
bool words_knows(const struct check_result *);
/* As a student types it in a copy of the course: what is in no folder here (of
 * a wheel, `scanlab`) is in none there. */
const char *words_students_program(const struct grade *);
char *words_reproduce(const struct grade *, const struct lab_result *,
                      const struct check_result *);
/* "Called on 8 small numbers, the first wrong step is 2: ..." */
char *words_steps(const struct check_result *);
/* "out[37] is written at ...": where no steps say more; NULL: not known. */
char *words_writer(const struct check_result *);
/* all: which small repair makes the case pass; else only that there is one, and
 * how to see it. NULL: none is known. */
char *words_repair(const struct check_result *, bool all);
/* The command that shows all steps. */
char *words_trace(const struct grade *, const struct lab_result *,
                  const struct check_result *);
char *words_detail(const struct check_result *); /* counts beside bounds */
char *words_device(const struct grade *);        /* "vgpu (teach)" */
/* "100/100 + 4 bonus", of a score that holds the bonus. */
char *words_points(int score, int max_score, int bonus);
char *words_late(const struct lab_result *); /* words_late.c; NULL: in time */
/* Not to be freed; NULL: nothing to say. */
const char *words_read(const struct check_result *);
const char *words_trust(const struct check_result *);

/* ---- parts of these, added to a text ---- */

/* "n = 1000, threads = 3, schedule reverse, memory model weak" */
void words_case(struct text *, const struct tried *);
void words_outcome(struct text *, const struct outcome *,
                   const struct measured *);
void words_place(struct text *, const struct place *);
/* "holds", "too high", "too low" */
const char *words_verdict(const struct bound_count *);
/* The usual cause of what was found out; "" when it has none of its own. */
void words_usual_cause(struct text *, const struct outcome *);

/* ---- words_status.c: words whose fields the lab declares ---- */

/* The layout of the polled word, of the first wrong element, of the word that
 * the writer's block had read; NULL: it is no such word. */
const struct status_word *words_polled_layout(const struct outcome *);
const struct status_word *words_got_layout(const struct outcome *);
const struct status_word *words_read_layout(const struct outcome *);
/* What the writer's block had read. */
void words_status_read(struct text *, const struct outcome *);
uint64_t words_got(const struct diagnosis *); /* the first wrong element's */
/* For vgpu_wording: the polled word with its fields, to be freed; NULL: the lab
 * declares none. */
char *words_polled(const void *outcome, uint64_t word);
/* "The element out[37] is 0x0000000200000c35 (...)."; or nothing */
void words_status_got(struct text *, const struct outcome *);

/* ---- words_difference.c: three sentences or less ---- */

/* "out[37]: expected 12, got 7; 219 of 256 elements differ, the last is ..." */
void words_first(struct text *, const struct diagnosis *);
void words_shape(struct text *, const struct diagnosis *);
/* "out[37] misses in[32] and counts in[5] twice" */
void words_contents(struct text *, const struct diagnosis *);
const char *words_buffer(const struct diagnosis *); /* "second output" */
/* words_elsewhere.c: the cause, where the right value stood in another word.
 * false: it did not. */
bool words_elsewhere(struct text *, const struct outcome *);
/* Behind the cause that a change of the source gave. */
void words_elsewhere_too(struct text *, const struct outcome *);

/* SPDX-License-Identifier: MIT
 *
 * frames.h: activations of functions: calls, returns, the stack.
 */
#pragma once

#include "machine.h"

struct frame *frame_new(struct machine *, const struct function *,
                        struct warp *, struct frame *caller);
/* Of a resident warp: its kernel's, with these registers, all 0; NULL: its own.
 */
struct frame *frame_root(struct machine *, struct warp *, uint8_t *registers);
void frame_release(struct machine *, struct frame *);
void frame_free(struct machine *, struct frame *);
/* A register of the class (alu.h) has the value in every lane; a predicate's
 * lanes are its bits. */
void frame_fill(const struct frame *, uint32_t at, char class, uint64_t value);
/* Fill the special registers that are known then (specials.c). */
void specials_of_launch(const struct machine *, const struct frame *,
                        const struct warp *);
void specials_of_block(const struct frame *, const struct block *);
void frame_enter_block(struct frame *, const struct block *);
/* Where local memory of a function that this one calls begins (stack.c). */
uint64_t frame_local_end(const struct frame *);
bool exec_call(struct context *);
bool exec_return(struct context *);
void exec_free_frames(struct machine *);

bool exec_stack(struct context *);
bool exec_builtin(struct context *, const struct call *);

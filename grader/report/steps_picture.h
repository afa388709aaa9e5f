/* SPDX-License-Identifier: MIT
 *
 * steps_picture.h: the pictures of steps (steps_svg.c) and of banks (banks.c),
 * for pages and for files of their own.
 */
#pragma once

#include "picture.h"
#include "steps.h"

struct picture_size steps_frame_size(const struct steps_view *, uint32_t frame);
/* The frame, its upper edge at y. NULL: no memory. */
json_t *steps_shapes(const struct steps_view *, uint32_t frame, unsigned y);
/* {said, picture or null, left_out or null}. NULL: no memory. */
json_t *banks_data(const struct steps_view *);

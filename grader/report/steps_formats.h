/* SPDX-License-Identifier: MIT
 *
 * steps_formats.h: the formats that print a recorded call (steps.h) and the
 * banks of its shared memory. Each returns false when memory or the stream
 * failed.
 */
#pragma once

#include "steps.h"

struct report_options;
bool steps_text(FILE *, const struct steps_view *,
                const struct report_options *);
bool steps_json(FILE *, const struct steps_view *);
bool steps_svg(FILE *, const struct steps_view *);
bool steps_html(FILE *, const struct steps_view *);
bool banks_text(FILE *, const struct steps_view *,
                const struct report_options *);
bool banks_svg(FILE *, const struct steps_view *);
bool banks_html(FILE *, const struct steps_view *);

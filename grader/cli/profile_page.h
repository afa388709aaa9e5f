/* SPDX-License-Identifier: MIT
 *
 * profile_page.h: scanlab profile -o FILE.html: the source with what each line
 * cost, for a browser.
 */
#pragma once

#include "single.h"
#include "source_view.h"

/* view: what the call cost; the verdict's finding is added to it. false: an
 * error; a message has been printed. */
bool profile_page_write(const char *path, struct source_view *view,
                        const struct single_options *,
                        const struct case_result *);

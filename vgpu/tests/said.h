/* SPDX-License-Identifier: MIT
 *
 * said.h: what a finding says, as a person reads it.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "vgpu.h"

/* In English; good until the next call. */
static inline const char *said_by(const struct vgpu_finding *f) {
    static char words[4096];
    char *text = vgpu_message_text(&f->message, NULL);
    snprintf(words, sizeof words, "%s", text ? text : "");
    free(text);
    return words;
}

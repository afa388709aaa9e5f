/* SPDX-License-Identifier: MIT
 *
 * overlay.h: a second ini file laid over a first. For lab_read.c only.
 */
#pragma once

#include "ini_file.h"

/* Sections of `over` with the type and name of one of `base` replace the keys
 * that they give; all entries of a key that may be repeated are replaced
 * together. Other sections follow behind. Lines of `over` are counted on from
 * the last of `base`, so that a line tells the file. false: no memory; or
 * *twice is a section that `over` has twice, and neither has changed but in
 * lines. */
bool overlay_lay(struct ini_file *base, struct ini_file *over,
                 const struct ini_section **twice);

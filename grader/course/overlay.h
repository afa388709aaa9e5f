/* SPDX-License-Identifier: MIT
 *
 * overlay.h: a second ini file laid over a first. For lab_read.c only.
 */
#pragma once

#include "ini_file.h"

/* A section of `over` with the type and name of a section of `base` replaces
 * the keys that it gives; all entries of a repeatable key are replaced
 * together. Other sections of `over` are added at the end. Line numbers of
 * `over` go on from the last line of `base`, so that a number says which file
 * it is of. false: no memory; or `over` has the section *twice two times, and
 * then only line numbers have changed. */
bool overlay_lay(struct ini_file *base, struct ini_file *over,
                 const struct ini_section **twice);

/* SPDX-License-Identifier: MIT
 *
 * from_here.h: paths as the user would type them, standing in a folder.
 */
#pragma once

/* `path`, a whole one at or below the whole path `root`, seen from the current
 * folder where that is at or below root, too: "build/bin/scanlab" in root,
 * "../build/bin/scanlab" in a folder of it, "." for the folder itself.
 * Elsewhere it stays whole. To be freed; NULL without memory. */
char *path_from_here(const char *path, const char *root);

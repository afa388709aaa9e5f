/* SPDX-License-Identifier: MIT
 *
 * own_folder.h: where ScanLab keeps what it makes for itself: compiled
 * submissions, what it remembers. In a build folder, beside what was built; an
 * installed ScanLab writes nothing where it lies, whoever runs it.
 */
#pragma once

/* The folder of that name: build_folder/name, or, where ScanLab is installed or
 * the build folder cannot be written, own_folder_of_user's. It need not be
 * there. To be freed; NULL: there is no place, or no memory. */
char *own_folder(const char *build_folder, const char *name);
/* scanlab/name in the user's cache: $XDG_CACHE_HOME, else ~/.cache. To be
 * freed; NULL: neither is a whole path, or no memory. */
char *own_folder_of_user(const char *name);
/* Where what belongs to the programs lies (tools/, grader/): root, the folder
 * of the labs, or that of an installed ScanLab, whose labs may be elsewhere.
 * One of both. */
const char *own_home(const char *root, const char *build_folder);

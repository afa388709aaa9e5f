/* SPDX-License-Identifier: MIT
 *
 * distribution.c: see distribution.h.
 */
#include "distribution.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

/* A distribution's ID, or one that it is like, and its command. */
static const struct {
    const char *id, *install;
} known[] = {
    {"debian", "sudo apt-get install g++"},
    {"ubuntu", "sudo apt-get install g++"},
    {"fedora", "sudo dnf install gcc-c++"},
    {"rhel", "sudo dnf install gcc-c++"},
    {"centos", "sudo dnf install gcc-c++"},
    {"suse", "sudo zypper install gcc-c++"},
    {"opensuse", "sudo zypper install gcc-c++"},
    {"arch", "sudo pacman -S gcc"},
    {"gentoo", "sudo emerge sys-devel/gcc"},
    {"void", "sudo xbps-install gcc"},
    {"alpine", "sudo apk add g++ (and ScanLab needs glibc)"},
};

/* The command of a word of `ID=debian` or `ID_LIKE="rhel fedora"`. */
static const char *install_of(const char *line) {
    static const char marks[] = "\"' \t";
    for (line += strcspn(line, "=\n") + 1; *line && *line != '\n';) {
        line += strspn(line, marks);
        size_t size = strcspn(line, "\"' \t\n");
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].id) == size &&
                strncmp(known[i].id, line, size) == 0)
                return known[i].install;
        line += size;
    }
    return NULL;
}

static const char *os_release_line(const char *text, const char *key) {
    size_t size = strlen(key);
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (strncmp(text, key, size) == 0) return text;
    }
    return NULL;
}

const char *distribution_install(const char *os_release) {
    const char *own = os_release_line(os_release, "ID=");
    const char *like = os_release_line(os_release, "ID_LIKE=");
    const char *found = own ? install_of(own) : NULL;
    return !found && like ? install_of(like) : found;
}

static bool program_is_there(const char *name) {
    static const char *const folders[] = {"/usr/bin", "/bin"};
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        char *path = text_format("%s/%s", folders[i], name);
        found = path && access(path, X_OK) == 0;
        free(path);
    }
    return found;
}

char *distribution_advice(void) {
    char text[4096];
    FILE *file = fopen("/etc/os-release", "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file) fclose(file);
    bool gcc = program_is_there("gcc"), gxx = program_is_there("g++");
    const char *install = distribution_install(text);
    if (gcc && gxx) return NULL;
    return text_format(" (%s missing here: %s)",
                       gcc   ? "g++ is"
                       : gxx ? "gcc is"
                             : "gcc and g++ are",
                       install ? install : "install the system's C++ compiler");
}

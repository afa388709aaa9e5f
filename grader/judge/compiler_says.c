/* SPDX-License-Identifier: MIT
 *
 * compiler_says.c: see compiler_says.h.
 */
#include "compiler_says.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "text.h"
#include "translate.h"

enum { MESSAGE_LIMIT = 4000 };

/* Takes every occurrence of `part` out of `said`, but for its last bytes. */
static void remove_part(char *said, const char *part, size_t kept) {
    size_t size = strlen(part) - kept;
    for (char *at = said; size && (at = strstr(at, part));)
        memmove(at, at + size, strlen(at + size) + 1);
}

/* ---- whose file a line is from ---- */

/* "PATH:12:3: ..." of gcc, "PATH(12): ..." of nvcc: does a message begin here?
 * *foreign: about a file that is not in our folder. */
static bool begins_message(const char *line, bool *foreign) {
    size_t size = strcspn(line, ":(");
    bool begins = *line && *line != ' ' && line[size] &&
                  line[size + 1] >= '0' && line[size + 1] <= '9';
    if (begins) *foreign = *line == '/' || strncmp(line, "../", 3) == 0;
    return begins;
}

/* "   12 | text" and "      |   ^" of gcc. */
static bool is_gcc_quote(const char *line) {
    size_t at = strspn(line, " 0123456789");
    return at > 0 && line[at] == '|';
}

static bool is_caret(const char *line) {
    size_t at = strspn(line, " \t");
    return at > 0 && line[at] == '^';
}

/* nvcc's quote is the line above a caret. In place. */
static void drop_foreign_quotes(char *said) {
    char *to = said, *rest = said;
    bool foreign = false;
    for (char *line; (line = strsep(&rest, "\n"));) {
        bool begins = begins_message(line, &foreign);
        bool quoted = !begins && foreign &&
                      (is_gcc_quote(line) || is_caret(line) ||
                       (*line == ' ' && rest && is_caret(rest)));
        if (quoted) continue;
        size_t size = strlen(line);
        memmove(to, line, size);
        to += size;
        if (rest) *to++ = '\n';
    }
    *to = '\0';
}

char *compiler_words(char *said, const char *place) {
    char *parts[] = {text_format("%s/own/", place), text_format("%s/", place)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]) remove_part(said, parts[i], 0);
        free(parts[i]);
    }
    remove_part(said, "../labs/", strlen("labs/"));
    drop_foreign_quotes(said);
    return text_printable(said, strlen(said), MESSAGE_LIMIT);
}

/* ---- warnings ---- */

/* nvcc goes over a source twice, for host and device, and says most things
 * twice; how to switch a warning off is nothing a student should do. */
static char *without_repeats(char *said) {
    struct text kept = {0};
    char *rest = said;
    bool again = false;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strstr(line, "): warning"))
            again = strstr(text_string(&kept), line) != NULL;
        if (again || !*line || strncmp(line, "Remark:", 7) == 0) continue;
        text_add(&kept, "%s\n", line);
    }
    return kept.bytes;
}

static char *file_in(const char *folder) {
    return text_format("%s/warnings", folder);
}

void compiler_warnings_write(const char *folder, char *words) {
    char *once = words ? without_repeats(words) : NULL;
    char *path = once ? file_in(folder) : NULL;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fputs(once, file);
        fclose(file);
    }
    free(path);
    free(once);
}

char *compiler_warnings_read(const char *folder) {
    size_t bytes;
    char *path = file_in(folder),
         *words = path ? digest_read(path, &bytes) : NULL;
    free(path);
    return words;
}

/* ---- one that was stopped ---- */

/* What tools say when memory or a file ends. It adds a line about bounds that
 * stand for everyone to a message that is shown anyway, and decides nothing. */
static bool met_a_limit(const char *said) {
    static const char *const words[] = {"out of memory",
                                        "bad_alloc",
                                        "virtual memory exhausted",
                                        "File size limit",
                                        "File too large",
                                        "died due to signal",
                                        "signal terminated program"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(said, words[i])) return true;
    return false;
}

/* nvcc, of an intrinsic: a misspelt one, or one that only newer GPUs have. It
 * adds a line that is true of every source to a message that is shown anyway.
 */
static bool lacks_intrinsic(const char *said) {
    return strstr(said, "identifier \"__") && strstr(said, "is undefined");
}

char *compiler_stopped(const struct command *c, unsigned limit_ms,
                       bool whole_over) {
    const char *begin = _("the compiler was stopped: ");
    switch (c->stopped) {
    case COMMAND_ENDED:
        if (lacks_intrinsic(text_string(&c->output)))
            return text_format(
                "%s",
                _("sources are compiled for compute capability 7.5, if "
                  "--arch does not say otherwise: what only newer GPUs "
                  "have, such as __reduce_add_sync() (8.0), is not there\n"));
        if (!met_a_limit(text_string(&c->output))) break;
        return text_format(_("a compiler here may take %u MiB of memory, and "
                             "write files of %u MiB\n"),
                           c->most_mib, c->most_file_mib);
    case COMMAND_LATE:
        if (whole_over)
            return text_format(_("%sthe time of the whole grade was over "
                                 "(--time-limit)\n"),
                               begin);
        return text_format(_("%sthis source takes more than %u s "
                             "(--compile-limit)\n"),
                           begin, limit_ms / 1000);
    case COMMAND_CROWD:
        return text_format(
            _("%sit took more than %u MiB of memory, or more than "
              "%u processes\n"),
            begin, c->most_mib, c->most_processes);
    case COMMAND_DISK:
        return text_format(_("%sit wrote more than %u MiB, or more than %u "
                             "files\n"),
                           begin, c->most_disk_mib, c->most_files);
    case COMMAND_TALK:
        return text_format(_("%sit said more than %zu KiB, which begin with\n"),
                           begin, c->output_limit >> 10);
    }
    return text_format("%s", "");
}

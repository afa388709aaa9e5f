/* SPDX-License-Identifier: MIT
 *
 * lab_pages.c: what stands beside lab.ini: places in handouts that `read`
 * names, and files that would change nothing, in silence.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_setters.h"
#include "text.h"

enum { MOST_PAGE = 4 << 20, MOST_ANCHOR = 256 };

/* ---- anchors ---- */

/* GitHub's name of a heading, as tools/markdown.py makes it: letters, digits,
 * - and _, small; blanks become -. Of letters beyond ASCII those of Latin-1
 * become small, and signs of U+2000 to U+206F go. */
static void slug_of(const char *at, size_t length, char slug[MOST_ANCHOR]) {
    size_t used = 0;
    for (const char *end = at + length; at < end && used < MOST_ANCHOR - 2;) {
        unsigned char c = (unsigned char)*at, next = (unsigned char)at[1];
        if (c == 0xe2 && at + 2 < end && (next == 0x80 || next == 0x81)) {
            at += 3;
        } else if (c == 0xc3 && next >= 0x80 && next <= 0x9e && next != 0x97) {
            slug[used++] = (char)c;
            slug[used++] = (char)(next + 0x20);
            at += 2;
        } else {
            if (isalnum(c) || c == '_' || c == '-' || c >= 0x80)
                slug[used++] = (char)tolower(c);
            else if (c == ' ')
                slug[used++] = '-';
            at++;
        }
    }
    slug[used] = '\0';
}

/* A link's words stand for it. */
static size_t without_links(const char *line, size_t length, char *words) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const char *close =
            line[i] == '[' ? memchr(line + i, ']', length - i) : NULL;
        const char *end =
            close && close + 1 < line + length && close[1] == '('
                ? memchr(close, ')', (size_t)(line + length - close))
                : NULL;
        if (!end) {
            words[used++] = line[i];
            continue;
        }
        size_t inside = (size_t)(close - line) - i - 1;
        memcpy(words + used, line + i + 1, inside);
        used += inside;
        i = (size_t)(end - line);
    }
    return used;
}

/* Of several headings with one name the second is called name-1, and so on. */
struct sought {
    const char *anchor;
    char mark[MOST_ANCHOR + 8]; /* id="anchor" */
    unsigned long left; /* headings of the same name that come before it */
    bool numbered;      /* the anchor is a name and -N */
    size_t length;      /* of the name */
    bool is_short;      /* of memory */
};

static bool is_it(struct sought *s, const char *line, size_t length) {
    if (memmem(line, length, s->mark, strlen(s->mark))) return true;
    size_t level = 0;
    while (level < length && line[level] == '#') level++;
    if (!level || level == length || line[level] != ' ') return false;
    while (level < length && line[level] == ' ') level++;
    char slug[MOST_ANCHOR], *words = malloc(length + 1);
    s->is_short |= !words;
    if (!words) return false;
    size_t n = without_links(line + level, length - level, words);
    while (n && isspace((unsigned char)words[n - 1])) n--;
    words[n] = '\0'; /* slug_of looks one letter ahead */
    slug_of(words, n, slug);
    free(words);
    if (strcmp(slug, s->anchor) == 0) return true;
    if (!s->numbered || strlen(slug) != s->length ||
        strncmp(slug, s->anchor, s->length) != 0)
        return false;
    if (s->left == 0) return true;
    s->left--;
    return false;
}

static bool stands_in(const char *page, struct sought *s) {
    bool code = false;
    for (const char *line = page; *line;) {
        size_t length = strcspn(line, "\n");
        bool fence = strncmp(line, "```", 3) == 0;
        code ^= fence;
        if (!code && !fence && is_it(s, line, length)) return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

bool page_has_anchor(const char *path, const char *anchor, const char **why) {
    struct text page = {0};
    struct sought s = {.anchor = anchor, .length = strlen(anchor)};
    const char *dash = strrchr(anchor, '-');
    *why = NULL;
    if (s.length >= MOST_ANCHOR) return false;
    snprintf(s.mark, sizeof s.mark, "id=\"%s\"", anchor);
    *why = text_read_file(&page, path, MOST_PAGE);
    bool there = !*why && stands_in(text_string(&page), &s);
    char *end = NULL;
    if (!there && dash && isdigit((unsigned char)dash[1])) {
        s.numbered = true;
        s.left = strtoul(dash + 1, &end, 10);
        s.length = (size_t)(dash - anchor);
        there = !*end && page.size && stands_in(text_string(&page), &s);
    }
    if (s.is_short) *why = strerror(ENOMEM);
    text_free(&page);
    return there;
}

static bool is_of_type(const char *path, mode_t type) {
    struct stat is;
    return path && lstat(path, &is) == 0 && (is.st_mode & S_IFMT) == type;
}

/* The page in the course's folder of the lab, if it has one, or the lab's.
 * What is behind a link is never handed out (tools/release.py). */
static char *page_of(const struct lab_reader *r, const char *name, int length) {
    if (r->course) {
        char *folder =
            text_format("%s/%s", r->course, text_base(r->lab->folder));
        char *own =
            folder ? text_format("%s/%.*s", folder, length, name) : NULL;
        bool is = is_of_type(folder, S_IFDIR) && is_of_type(own, S_IFREG);
        free(folder);
        if (is) return own;
        free(own);
    }
    return text_format("%s/%.*s", r->lab->folder, length, name);
}

bool lab_set_read(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    const char *anchor = strchr(entry->value, '#');
    int length = (int)strcspn(entry->value, "#");
    if (!length || memchr(entry->value, '/', (size_t)length))
        return lab_fail(r, entry->line,
                        "read: '%s' is no page beside lab.ini, as in "
                        "README.md#the-steps",
                        entry->value);
    char *page = page_of(r, entry->value, length);
    if (!page) return lab_no_memory(r);
    const char *why = NULL;
    bool good = true,
         there = !anchor || page_has_anchor(page, anchor + 1, &why);
    if (access(page, R_OK) != 0)
        good = lab_fail(r, entry->line, "read: cannot read %s: %s", page,
                        strerror(errno));
    else if (why)
        good = lab_fail(r, entry->line, "read: cannot read %s: %s", page, why);
    else if (!there)
        good = lab_fail(r, entry->line,
                        "read: %s has no heading '#%s'; write another one "
                        "here, or <a id=\"%s\"></a> above that heading",
                        page, anchor + 1, anchor + 1);
    free(page);
    return good && lab_set_text(r, object, key, entry);
}

/* ---- files that are not read ---- */

static bool is_ini(const char *name) {
    size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 4, ".ini") == 0;
}

/* Is it one that a course has? */
static bool is_of_a_course(const char *name, bool in_a_lab) {
    static const char *const pictures[] = {".svg", ".png"};
    if (!in_a_lab)
        return !is_ini(name) || strcmp(name, "course.ini") == 0 ||
               strcmp(name, "policy.ini") == 0; /* scanlab gradebook's */
    if (strcmp(name, "lab.ini") == 0) return true;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (text_ends_in(name, pictures[i])) return true;
    return strcmp(name, "README.md") == 0 || strcmp(name, "GRADING.md") == 0;
}

static bool file_fits(struct lab_reader *r, enum lab_files whose,
                      const char *name) {
    size_t length = strlen(name);
    if (*name == '.' || name[length - 1] == '~') return true; /* an editor's */
    bool good = whose == FILES_OF_A_LAB
                    ? !is_ini(name) || strcmp(name, "lab.ini") == 0
                    : is_of_a_course(name, whose == FILES_OVER_A_LAB);
    if (good) return true;
    static const char *const known[] = {
        [FILES_OF_A_LAB] = "lab.ini",
        [FILES_OF_A_COURSE] =
            "course.ini, policy.ini and a folder for each lab",
        [FILES_OVER_A_LAB] = "lab.ini, README.md, GRADING.md and pictures"};
    return lab_fail(r, 0,
                    "nothing reads '%s' here: this folder has %s; rename the "
                    "file, or move it elsewhere",
                    name, known[whose]);
}

bool lab_files_fit(const char *folder, enum lab_files whose,
                   struct lab_error *error) {
    struct lab_reader r = {NULL, folder, error, NULL};
    DIR *open = opendir(folder);
    bool good = true;
    if (!open) return true; /* whoever reads its files says so */
    for (struct dirent *entry; good && (entry = readdir(open));) {
        char *path = text_format("%s/%s", folder, entry->d_name);
        DIR *below = path ? opendir(path) : NULL;
        free(path);
        if (!below) good = file_fits(&r, whose, entry->d_name);
        if (below) closedir(below);
    }
    closedir(open);
    return good;
}

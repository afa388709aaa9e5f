/* SPDX-License-Identifier: MIT
 *
 * fuzz_readers.c: what the grader reads besides programs. The first byte picks
 * the reader, by what is left when it is divided by 6, from 0xe0 on by 2:
 *   0  lab.ini                        1  a formula, its value, a bound
 *   2  a submission's output, cleaned 3  a report whose strings are the input:
 *                                        what is written as JSON reads as JSON
 *   4  a compiler's output            5  packets on the runner's control socket
 *   even  an entry of the cache        odd  names and bytes of a submission's
 * files
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formula.h"
#include "lab.h"
#include "fuzz.h"
#include "digest.h"
#include "process.h"
#include "text.h"
#include "clean_text.h"
#include "cache.h"
#include "compiler_says.h"
#include "sources.h"
#include "tree.h"
#include "report.h"

/* The input as a string; bytes behind a NUL are lost. */
static char *string_of(const uint8_t *data, size_t bytes) {
    char *text = malloc(bytes + 1);
    if (!text) abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    return text;
}

/* ---- lab.ini ---- */

static char folder[64], ini[80];

static void remove_folder(void) {
    char parent[64];
    snprintf(parent, sizeof parent, "%s", folder);
    *strrchr(parent, '/') = '\0';
    unlink(ini);
    rmdir(folder);
    rmdir(parent);
}

static void make_folder(void) {
    /* In memory where that can be: a file is written at every other turn. */
    char parent[40];
    snprintf(parent, sizeof parent, "%s/fuzz-readers.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(parent)) abort();
    snprintf(folder, sizeof folder, "%s/01-lab", parent);
    snprintf(ini, sizeof ini, "%s/lab.ini", folder);
    if (mkdir(folder, 0700) != 0) abort();
    atexit(remove_folder);
}

static void read_lab(const uint8_t *data, size_t bytes) {
    struct lab_error error;
    if (!*folder) make_folder();
    int fd = open(ini, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) abort();
    close(fd);
    struct lab *lab = lab_read(folder, &error);
    if (!lab && !memchr(error.message, '\0', sizeof error.message)) abort();
    lab_free(lab);
}

/* ---- formulas ---- */

static void read_formula(const uint8_t *data, size_t bytes) {
    char *text = string_of(data, bytes), error[FORMULA_ERROR], name[32];
    char words[FORMULA_TEXT];
    enum formula_compare compare;
    const char *rest;
    struct formula *f = formula_parse(text, error);
    for (int64_t n = 0; f && n <= INT64_MAX / 4; n = n * 5 + 3) {
        int64_t result;
        struct formula_env env;
        int64_t *values = (int64_t *)&env;
        for (size_t i = 0; i < sizeof env / sizeof *values; i++)
            values[i] = i % 2 ? n : -n + (int64_t)i;
        formula_eval(f, &env, &result, error);
        formula_describe(f, &env, words);
    }
    formula_free(f);
    formula_split(text, name, sizeof name, &compare, &rest, error);
    free(text);
}

/* ---- what others printed ---- */

/* As a part of a sentence, cut anywhere, and as lines behind a bar. */
static void read_parts(const char *text) {
    struct text part = {0};
    char *lines = clean_lines(text, "| ");
    clean_add(&part, text, -1);
    const char *all = text_string(&part);
    if (strchr(all, '\n') || strstr(all, "  ")) abort();
    clean_add(&part, text, 7);
    for (const char *at = lines; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, "| ", 2) != 0 || !strchr(at, '\n')) abort();
    text_free(&part);
    free(lines);
}

static void read_output(const uint8_t *data, size_t bytes) {
    char *text = string_of(data, bytes), *clean = clean_text(text);
    if (clean) {
        char *again = clean_text(clean);
        if (!again || strcmp(clean, again) != 0) abort(); /* clean is clean */
        text_columns(clean, strlen(clean));
        free(again);
    }
    free(clean);
    read_parts(text);
    free(text_printable((const char *)data, bytes, bytes / 2 + 1));
    free(text);
}

/* What a compiler read, and what it said. */
static void read_depends(const uint8_t *data, size_t bytes) {
    char *text = string_of(data, bytes);
    const char *rest = text;
    int error;
    free(digest_library_in_depends(text, &error));
    for (char *name; (name = digest_next_name(&rest)); free(name))
        if (!*name) abort();                      /* it would not end */
    free(compiler_words(text, "/cache/fresh.a")); /* changes it */
    free(text);
}

/* ---- files of the cache and of a submission ---- */

static void put_file(const char *in, const char *name, const uint8_t *data,
                     size_t bytes) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", in, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return; /* no name of a file */
    if (write(fd, data, bytes) != (ssize_t)bytes) abort();
    close(fd);
}

static const char *fresh(const char *name, char path[100]) {
    if (!*folder) make_folder();
    snprintf(path, 100, "%s/%s", folder, name);
    tree_remove(path);
    if (mkdir(path, 0700) != 0) abort();
    return path;
}

/* One whose list of files is the input, and what comes of a compiler that
 * wrote the input as its list. An empty one lacks the library's size; what has
 * just been kept with an empty one is current. */
static void read_entry(const uint8_t *data, size_t bytes) {
    char place[100], made[100], entry[200], error[CACHE_ERROR_BYTES];
    char key[KEY_TEXT] = "0123";
    struct cache cache;
    int held = 0;
    fresh("cache", place);
    put_file(fresh("made", made), "depends", data, bytes);
    put_file(made, "library.so", data, bytes);
    snprintf(entry, sizeof entry, "%s/%s", place, key);
    if (mkdir(entry, 0700) != 0) abort();
    put_file(entry, "library.so", data, bytes);
    put_file(entry, "system", data, bytes);
    if (!cache_open(&cache, place, place, 1, error)) abort();
    char *taken = cache_take(&cache, key, &held);
    if (bytes == 0 && taken) abort();
    if (held) close(held);
    free(taken);
    held = 0;
    taken = cache_keep(&cache, key, made, NULL, &held);
    if (!taken) abort();
    if (held) close(held);
    free(taken);
    held = 0;
    taken = cache_take(&cache, key, &held);
    if (bytes == 0 && !taken) abort();
    if (held) close(held);
    free(taken);
    cache_trim(&cache);
    cache_close(&cache);
    tree_remove(made);
    tree_remove(place);
}

/* Each name ends in a newline; the bytes of all are the input. What comes in
 * has a plain name and leaves no folder. */
static void read_sources(const uint8_t *data, size_t bytes) {
    char place[100], *text = string_of(data, bytes), *rest = text, *why;
    struct sources s;
    fresh("own", place);
    for (char *name; (name = strsep(&rest, "\n"));) {
        if (!*name || strchr(name, '/') || strlen(name) > 250) continue;
        put_file(place, name, data, bytes);
    }
    if (!sources_read(&s, place, false, &why)) abort();
    for (size_t i = 0; i < s.n; i++) {
        if (strpbrk(s.files[i].name, "\n\033'\"`$/@\\")) abort();
        if (s.files[i].size != bytes) abort();
    }
    for (const char *at = text_string(&s.left_out); *at; at++)
        if (*at < ' ' && *at >= 0 && *at != '\n') abort();
    sources_free(&s);
    tree_remove(place);
    free(text);
}

/* ---- reports ---- */

static void write_report(const uint8_t *data, size_t bytes) {
    char *text = string_of(data, bytes);
    struct lab_check check = {
        .id = text, .title = text, .points = 5, .cause = text, .read = text};
    struct lab lab = {
        .folder = text, .id = text, .title = text, .source = text};
    struct finding finding = {.repeats = 1};
    VGPU_SAY(&finding.message, IMAGE, .why = text);
    struct check_result one = {.check = &check,
                               .status = STATUS_FAIL,
                               .ran = true,
                               .outcome = {.kind = OUTCOME_FINDING,
                                           .place = {.file = text, .line = 1},
                                           .finding = &finding}};
    outcome_add(&one.outcome, FACT(LIBRARY_KERNEL, {V(text)}));
    outcome_add(&one.outcome, FACT(CRASHED, {V(text), V(text), V(11)}));
    struct lab_result result = {.lab = &lab,
                                .max_score = 5,
                                .output = text,
                                .checks = &one,
                                .n_checks = 1};
    struct grade grade = {.submission = text,
                          .program = text,
                          .profile = text,
                          .max_score = 5,
                          .labs = &result,
                          .n_labs = 1};
    for (int format = 0; format < N_REPORTS; format++) {
        struct report_options options = {.width = 40, .verbose = true};
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);
        if (!out || !report_write(format, out, &grade, &options)) abort();
        fclose(out);
        if (format == REPORT_json) {
            json_t *read = json_loadb(written, size, 0, NULL);
            if (!read) abort(); /* a report nobody can read */
            json_decref(read);
        }
        free(written);
    }
    for (size_t i = 0; i < one.outcome.n_facts; i++)
        fact_free(&one.outcome.facts[i]);
    free(text);
}

/* ---- the control socket ---- */

/* Each 16 bytes of input are one packet: kind, status, number of places,
 * sequence, and so on; the last one may be short. */
static void read_control(const uint8_t *data, size_t bytes) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    struct process p = {
        .control = ends[0], .device_fd = -1, .out = -1, .err = -1};
    struct wire_message request = {.kind = WIRE_CALL}, reply;
    for (int i = 0; i < 16 && bytes > 0; i++) {
        size_t n = bytes < 16 ? bytes : 16;
        struct wire_message m = {.magic = WIRE_MAGIC};
        m.kind = data[0] % (WIRE_N_KINDS + 1);
        m.sequence = n > 1 ? data[1] : 1;
        if (n > 2) m.status = (int8_t)data[2];
        memset(&m.u, n > 3 ? data[3] : 0, sizeof m.u);
        memcpy(&m.u, data, n);
        send(ends[1], &m, n > 4 && data[4] == 0xff ? n : sizeof m,
             MSG_DONTWAIT | MSG_NOSIGNAL);
        data += n;
        bytes -= n;
    }
    /* No more will come, so nobody waits for it until the time is over. */
    if (shutdown(ends[1], SHUT_WR) != 0) abort();
    process_ask(&p, &request, NULL, 0, 1, &reply);
    if (p.at.n_places > WIRE_PLACES || p.crash.n_places > WIRE_PLACES) abort();
    process_stop(&p);
    process_free(&p);
    close(ends[1]);
}

enum { LATER = 0xe0 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static void (*const readers[])(const uint8_t *, size_t) = {
        read_lab,     read_formula, read_output, write_report,
        read_depends, read_control, read_entry,  read_sources};
    if (bytes == 0) return 0;
    /* The last two came later, when there was a corpus. */
    readers[data[0] < LATER ? data[0] % 6 : 6 + data[0] % 2](data + 1,
                                                             bytes - 1);
    return 0;
}

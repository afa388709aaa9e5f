/* SPDX-License-Identifier: MIT
 *
 * words.c: the few words that all commands share; see cli.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <vgpu.h>

#include "clean_text.h"
#include "cli.h"
#include "compile.h"

int cli_fail(const char *format, ...) {
    va_list arguments;
    char *words = NULL;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0) words = NULL;
    va_end(arguments);
    /* It may name folders that others have made. */
    char *clean = clean_name(words);
    fprintf(stderr, "scanlab: %s\n", clean ? clean : "out of memory");
    free(clean);
    free(words);
    return EXIT_TROUBLE;
}

bool cli_seed(bool is_given, uint64_t *seed) {
    uint32_t fresh;
    if (is_given) return true;
    if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh) {
        cli_fail("cannot get a random seed: %s", strerror(errno));
        return false;
    }
    *seed = fresh;
    return true;
}

int cli_finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    return cli_fail("cannot write to standard output: %s", strerror(errno));
}

int cli_ended(int next) {
    return next == OPTIONS_DONE ? cli_finish(EXIT_SUCCESS) : EXIT_TROUBLE;
}

bool cli_set_arch(void *to, const char *value, struct text *why) {
    if (compile_arch_by_name(value, to)) return true;
    text_add(why, "'%s' is none of " COMPILE_ARCHES, value);
    return false;
}

bool cli_set_schedule(void *to, const char *value, struct text *why) {
    struct vgpu_options options = {0};
    *(const char **)to = value;
    if (vgpu_parse_schedule(value, &options)) return true;
    text_add(why, "'%s' is none of in-order, reverse, random:SEED", value);
    return false;
}

bool cli_set_memory_model(void *to, const char *value, struct text *why) {
    struct vgpu_options options = {0};
    *(const char **)to = value;
    if (vgpu_parse_memory_model(value, &options)) return true;
    text_add(why, "'%s' is none of sc, weak:SEED", value);
    return false;
}

bool cli_set_checks(void *to, const char *value, struct text *why) {
    const char *names[] = {"all",       "memcheck",  "initcheck", "racecheck",
                           "synccheck", "leakcheck", NULL};
    for (const char *at = value; *at || at == value;) {
        size_t length = strcspn(at, ",");
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        unsigned bits = strcmp(name, "all") == 0 ? VGPU_CHECK_ALL
                                                 : vgpu_check_by_name(name);
        *(unsigned *)to |= bits;
        if (!bits) {
            text_add(why, "'%s' is no check of the virtual GPU", name);
            option_suggest(why, name, names);
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

bool cli_set_profile(void *to, const char *value, struct text *why) {
    enum { MOST = 64 };
    const struct vgpu_profile *list;
    const char *names[MOST + 1] = {0};
    size_t n = vgpu_profiles(&list);
    *(const char **)to = value;
    for (size_t i = 0; i < n && i < MOST; i++) {
        names[i] = list[i].name;
        if (strcmp(names[i], value) == 0) return true;
    }
    text_add(why, "'%s' is no device profile (vgpu --list-devices)", value);
    option_suggest(why, value, names);
    return false;
}

bool cli_set_clock(void *to, const char *value, struct text *why) {
    enum { MOST = 64 };
    const char *names[MOST + 1] = {0};
    *(const char **)to = value ? value : "teach";
    if (!value || vgpu_is_clock(value)) return true;
    for (size_t i = 0; i < MOST && vgpu_clock_name(i); i++)
        names[i] = vgpu_clock_name(i);
    text_add(why, "'%s' is no profile of the clock (vgpu --list-clocks)",
             value);
    option_suggest(why, value, names);
    return false;
}

bool cli_set_parameter(void *to, const char *text, struct text *why) {
    const struct cli_parameters *parameters = to;
    const char *names[N_PARAMETERS + 1] = {0}, *value = strchr(text, '=');
    char name[32];
    int least, most;
    size_t length = value ? (size_t)(value - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    int p = parameter_by_name(name);
    for (int i = 0; i < N_PARAMETERS; i++)
        names[i] = parameter_name((enum parameter)i);
    if (p < 0 || !value) {
        text_add(why, "'%s' is not NAME=VALUE of a parameter", text);
        option_suggest(why, name, names);
        return false;
    }
    if (parameter_parse((enum parameter)p, value + 1,
                        &parameters->values->value[p])) {
        if (parameters->given) parameters->given[p] = true;
        return true;
    }
    parameter_range((enum parameter)p, &least, &most);
    text_add(why, "'%s' is no value of %s (%d to %d, or a name)", value + 1,
             name, least, most);
    return false;
}

/* SPDX-License-Identifier: MIT
 *
 * compile_words.c: see compile_words.h.
 */
#include "compile_words.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "toolchain.h"

enum { USUAL_ARCH = 75 };

bool compile_arch_by_name(const char *text, int *arch) {
    /* COMPILE_ARCHES */
    static const int known[] = {75, 80, 86, 89, 90, 100, 120};
    char *end;
    long number = strtol(text, &end, 10);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (*text && !*end && number == known[i]) {
            *arch = known[i];
            return true;
        }
    return false;
}

static void word(struct compile_words *w, const char *fixed) {
    assert(w->n + 1 < sizeof w->at / sizeof *w->at);
    w->at[w->n++] = fixed;
}

static void own_word(struct compile_words *w, char *made) {
    w->owned[w->n] = made;
    word(w, made);
}

static void words(struct compile_words *w, const char *const *list) {
    for (; *list; list++) word(w, *list);
}

/* Is there a lambda for kernels, [...] __device__ (...)? Whether nvcc takes one
 * is an option that doubles the time of a short file, so others are without. */
static bool has_device_lambda(const char *source) {
    static const char *const marks[] = {"__device__", "__host__"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (const char *at = source; (at = strstr(at, marks[k])); at++) {
            const char *before = at;
            while (before > source && isspace((unsigned char)before[-1]))
                before--;
            if (before > source && before[-1] == ']') return true;
        }
    return false;
}

/* Every file that nvcc compiles reads <cmath>, from which libstdc++ gets the
 * special functions of C++17 (std::beta, std::legendre), with what they need:
 * a third of the time that a short file takes. The guard of their header leaves
 * them out. With "using namespace" a function of theirs could be meant where
 * one of the student's would be found, so there nothing is left out.
 *
 * Nothing is left to link for a device where all code of a kernel stands in one
 * file: -nodlink.
 *
 * Of the host's code the lines and functions are read (place.c), and no
 * variables: -g1, an eighth of gcc's time less than -g.
 *
 * It links to its own toolkit's libcudart.so: which version of the runtime a
 * library asks for has to fit the headers that it was compiled with.
 *
 * An object that says it is for link-time optimisation makes the linker run
 * programs with options from that object: -fno-lto. */
static void cuda_words(struct compile_words *w,
                       const struct compile_settings *s, const char *source) {
    static const char *const list[] = {
        "-std=c++17",
        "-O2",
        "-lineinfo",
        "-shared",
        "-Xcompiler",
        "-fPIC,-pthread,-fno-optimize-sibling-calls,-fno-lto,-g1",
        "-nodlink",
        "--expt-relaxed-constexpr",
        "-MD",
        "-MF",
        "../out/depends",
        NULL};
    char *runtime[TOOLCHAIN_RUNTIME];
    int arch = s->arch ? s->arch : USUAL_ARCH;
    words(w, list);
    toolchain_runtime(w->at[0], runtime);
    for (size_t i = 0; i < TOOLCHAIN_RUNTIME && runtime[i]; i++)
        own_word(w, runtime[i]);
    if (!strstr(source, "using namespace")) {
        w->shorter = w->n;
        word(w, "-D_GLIBCXX_BITS_SPECFUN_H");
    }
    if (has_device_lambda(source)) word(w, "--extended-lambda");
    word(w, "-gencode");
    own_word(w, text_format("arch=compute_%d,code=compute_%d", arch, arch));
    if (s->capability) {
        word(w, "-gencode");
        own_word(w, text_format("arch=compute_%d,code=sm_%d", s->capability,
                                s->capability));
    }
}

/* Each access to memory calls a function of the runner's (runner/watch.h), and
 * so do what C leaves undefined and those functions of libc that it knows; of
 * the sanitizers' libraries, which may be missing, nothing is linked.
 * Arithmetic that calls libgcc (128 bits, population counts) has it, as a
 * shared library: the static one has a __wrap_pthread_create of its own. */
static const char *const watched_words[] = {
    "-fsanitize=thread",
    "-fsanitize=undefined",
    "-fsanitize-recover=undefined",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-nodefaultlibs",
    "-lc",
    "-l:libgcc_s.so.1",
    "-Wl"
    ",--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"
    ",--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=pthread_create"
    ",--wrap=pthread_join,--wrap=thrd_create,--wrap=thrd_join"
    ",--wrap=pthread_mutex_lock,--wrap=pthread_mutex_trylock"
    ",--wrap=pthread_mutex_unlock,--wrap=pthread_spin_lock"
    ",--wrap=pthread_spin_trylock,--wrap=pthread_spin_unlock"
    ",--wrap=pthread_rwlock_rdlock,--wrap=pthread_rwlock_wrlock"
    ",--wrap=pthread_rwlock_unlock,--wrap=pthread_cond_signal"
    ",--wrap=pthread_cond_broadcast,--wrap=pthread_cond_wait"
    ",--wrap=pthread_barrier_wait,--wrap=sem_wait,--wrap=sem_trywait"
    ",--wrap=sem_post,--wrap=mtx_lock,--wrap=mtx_trylock"
    ",--wrap=mtx_unlock,--wrap=cnd_signal,--wrap=cnd_broadcast"
    ",--wrap=cnd_wait,--wrap=__cpu_model,--wrap=__cpu_features2"
    ",--wrap=__cpu_indicator_init",
    NULL};

void compile_words_make(struct compile_words *w,
                        const struct compile_settings *s, const struct lab *lab,
                        char *compiler, const char *source, bool is_reference,
                        bool watched) {
    static const char *const c_words[] = {
        "-std=c17", "-g",    "-shared",        "-fPIC",
        "-pthread", "-Wall", "-fno-lto",       "-D_GNU_SOURCE",
        "-MD",      "-MF",   "../out/depends", NULL};
    /* A variable that threads share by mistake stays in memory through loops:
     * in a register, the mistake would not show. */
    static const char *const as_written[] = {"-O1", "-fno-tree-loop-im", NULL};
    static const char *const timed[] = {"-O2", NULL};
    static const char *const mathematics[] = {"-Wl,--as-needed", "-lm", NULL};
    own_word(w, compiler);
    if (lab->language == LAB_CUDA)
        cuda_words(w, s, source);
    else {
        words(w, c_words);
        words(w, s->is_timed ? timed : as_written);
    }
    if (is_reference) word(w, "-DSOLUTION");
    own_word(w, text_format("-I../labs/%s", text_base(lab->folder)));
    word(w, "-I../labs/common");
    word(w, "-I."); /* headers of its own */
    word(w, "-o");
    word(w, "../out/library.so");
    word(w, lab->source);
    if (lab->language != LAB_CUDA) words(w, mathematics);
    if (watched) words(w, watched_words);
    w->at[w->n] = NULL;
}

void compile_words_key(const struct compile_words *w, struct key *key) {
    key_program(key, w->at[0]);
    for (size_t i = 1; i < w->n; i++) key_text(key, w->at[i]);
}

bool compile_words_complete(struct compile_words *w) {
    size_t at = w->shorter, more = w->n - at;
    if (!at) return false;
    memmove(&w->at[at], &w->at[at + 1], more * sizeof *w->at);
    w->n--;
    w->shorter = 0;
    return true;
}

void compile_words_free(struct compile_words *w) {
    for (size_t i = 0; i < sizeof w->owned / sizeof *w->owned; i++)
        free(w->owned[i]);
}

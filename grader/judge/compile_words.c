/* SPDX-License-Identifier: MIT
 *
 * compile_words.c: see compile_words.h.
 */
#include "compile_words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { USUAL_ARCH = 75 };

static void word(struct compile_words *w, const char *fixed) {
    assert(w->n + 1 < sizeof w->at / sizeof *w->at);
    w->at[w->n++] = fixed;
}

static void own_word(struct compile_words *w, char *made) {
    w->owned[w->n] = made;
    word(w, made);
}

/* The compiler runs in another folder: paths must be whole. */
static void own_include(struct compile_words *w, char *path) {
    if (path) own_word(w, text_format("-I%s", path));
    free(path);
}

static void words(struct compile_words *w, const char *const *list) {
    for (; *list; list++) word(w, *list);
}

/* Every file that nvcc compiles reads <cmath>, from which libstdc++ gets the
 * special functions of C++17 (std::beta, std::legendre), with what they need:
 * a third of the time that a short file takes. The guard of their header leaves
 * them out. With "using namespace" a function of theirs could be meant where
 * one of the student's would be found, so there nothing is left out.
 *
 * Nothing is left to link for a device where all code of a kernel stands in one
 * file: -nodlink. */
static void cuda_words(struct compile_words *w,
                       const struct compile_settings *s, const char *source) {
    static const char *const list[] = {
        "-std=c++17",
        "-O2",
        "-g",
        "-lineinfo",
        "-shared",
        "-Xcompiler",
        "-fPIC,-pthread,-fno-optimize-sibling-calls",
        "-cudart",
        "shared",
        "-nodlink",
        "-DSOLUTION",
        "-MD",
        "-MF",
        "depends",
        NULL};
    int arch = s->arch ? s->arch : USUAL_ARCH;
    words(w, list);
    if (!strstr(source, "using namespace")) {
        w->shorter = w->n;
        word(w, "-D_GLIBCXX_BITS_SPECFUN_H");
    }
    word(w, "-gencode");
    own_word(w, text_format("arch=compute_%d,code=compute_%d", arch, arch));
    if (s->capability) {
        word(w, "-gencode");
        own_word(w, text_format("arch=compute_%d,code=sm_%d", s->capability,
                                s->capability));
    }
    own_word(w, text_format("-L%s/lib/vgpu", s->build_folder));
}

void compile_words_make(struct compile_words *w,
                        const struct compile_settings *s, const struct lab *lab,
                        char *compiler, const char *source) {
    static const char *const c_words[] = {
        "-std=c17", "-O2",     "-g",         "-shared",       "-fPIC",
        "-pthread", "-Wall",   "-DSOLUTION", "-D_GNU_SOURCE", "-MD",
        "-MF",      "depends", NULL};
    own_word(w, compiler);
    if (lab->language == LAB_CUDA)
        cuda_words(w, s, source);
    else
        words(w, c_words);
    own_include(w, realpath(lab->folder, NULL));
    own_word(w, text_format("-I%s/labs/common", s->root));
    own_include(w, realpath(s->submission, NULL)); /* headers of its own */
    word(w, "-o");
    word(w, "library.so");
    word(w, lab->source);
    w->at[w->n] = NULL;
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

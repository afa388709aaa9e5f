/* SPDX-License-Identifier: MIT
 *
 * compile_words.h: the words of the compiler's command for one lab's source.
 */
#pragma once

#include "compile_settings.h"
#include "key.h"

struct compile_words {
    const char *at[48]; /* NULL at the end */
    char *owned[48];    /* those that are ours to free */
    size_t n;
    /* The one that leaves out headers of C++ that CUDA brings and few sources
     * need; a source that does not compile with it is compiled without it. 0:
     * there is none. */
    size_t shorter;
};

/* compiler: a path, which the words take over. watched: as runner/watch.h wants
 * it. source: the lab's file, read.
 * is_reference: it is of reference/, whose solutions stand behind #ifdef. The
 * command is to run in own/ of build_place.h. */
void compile_words_make(struct compile_words *, const struct compile_settings *,
                        const struct lab *, char *compiler, const char *source,
                        bool is_reference, bool watched);
/* Adds the words to a key, but where our own libraries lie. */
void compile_words_key(const struct compile_words *, struct key *);
/* Takes the word `shorter` out. false: there was none. */
bool compile_words_complete(struct compile_words *);
void compile_words_free(struct compile_words *);

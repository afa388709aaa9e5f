/* SPDX-License-Identifier: MIT
 *
 * signature.h: how a lab's function is called: its buffers and parameters, as
 * types.def, parameters.def and signatures.def say.
 *
 * The judge handles elements as 32-bit words. All inputs of a call stand one
 * after the other in one array of words, all outputs in another; a second
 * buffer begins at an even word. For one buffer of 32-bit elements that is
 * simply the array of its elements.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables.h"
enum buffer { BUFFER_IN, BUFFER_IN2, BUFFER_OUT, BUFFER_OUT2, N_BUFFERS };

/* One value for each; those a function does not take are ignored. */
struct parameters {
    int value[N_PARAMETERS];
};

const char *element_name(enum element);          /* "i32" */
size_t element_words(enum element);              /* 0 for none */
enum { ELEMENT_TEXT = 32, PARAMETER_TEXT = 24 }; /* bytes of a printed one */
void element_print(enum element, const int32_t *words, char text[ELEMENT_TEXT]);

int signature_by_name(const char *name); /* -1: none */
const char *signature_name(int signature);
const char *signature_prototype(int signature);
enum element signature_element(int signature, enum buffer);
bool signature_takes(int signature, enum parameter);

/* A second buffer begins at an even word: words, rounded up. */
size_t signature_even(size_t words);
/* Where a buffer of n elements begins among the words of all inputs or all
 * outputs, and how many words these are together. */
size_t signature_offset(int signature, enum buffer, size_t n);
size_t signature_in_words(int signature, size_t n);
size_t signature_out_words(int signature, size_t n);

int parameter_by_name(const char *name); /* -1: none */
const char *parameter_name(enum parameter);
void parameter_range(enum parameter, int *least, int *most);
void parameters_usual(struct parameters *);
/* A value's name where it has one, else its number. */
void parameter_print(enum parameter, int value, char *text, size_t size);
/* The other way round; false: neither a name of it nor a number in range. */
bool parameter_parse(enum parameter, const char *text, int *value);
/* Also the numbers next to the range, which a function is to refuse. */
bool parameter_parse_beyond(enum parameter, const char *text, int *value);
bool parameter_is_allowed(enum parameter, int value);

/* SPDX-License-Identifier: MIT
 *
 * vgpu_message.h: what a finding says, as data: which row of vgpu_findings.def,
 * and the values of its arguments. vgpu_message_text makes the sentence; nobody
 * else makes or reads sentences of findings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of vgpu_findings.def: messages, and parts that are arguments of others. */
typedef enum {
#define MESSAGE(NAME, ...) VGPU_MESSAGE_##NAME,
#define PART(NAME, ...)    VGPU_MESSAGE_##NAME,
#include "vgpu_findings.def"
    VGPU_N_MESSAGES
} vgpu_message_id;

enum vgpu_type {
#define TYPE(NAME, ...) VGPU_TYPE_##NAME,
#include "vgpu_findings.def"
    VGPU_N_TYPES
};

struct vgpu_value {
    uint16_t type;
    bool is_absent;
    union {
        uint64_t number; /* TEXT: where it begins in the message's text; PART: a
                            vgpu_message_id; LIST: how many parts */
        double real;
        uint32_t triple[3];
    };
};

enum { VGPU_MESSAGE_VALUES = 96, VGPU_MESSAGE_TEXT = 1024 };

/* Plain data: it holds no pointers, so it may be copied. The arguments stand in
 * the order of the row; after a PART come the arguments of its own row, after a
 * LIST its parts. */
struct vgpu_message {
    uint16_t id, n_values, text_bytes;
    struct vgpu_value values[VGPU_MESSAGE_VALUES];
    char text[VGPU_MESSAGE_TEXT];
};

struct vgpu_list {
    const struct vgpu_message *parts;
    size_t n;
};

/* ---- to make one ---- */

/* The value of a COUNT, BYTES or LINE that is absent. An absent TEXT, PART or
 * LIST is NULL. */
#define VGPU_ABSENT UINT64_MAX

/* The C type of each class of arguments. In struct vgpu_arguments_NAME each
 * begins 8 bytes behind the one before it, also where a pointer has 4 bytes:
 * vgpu_say takes them one after another. */
typedef uint64_t vgpu_class_NUMBER;
typedef double vgpu_class_REAL;
typedef const uint32_t *vgpu_class_TRIPLE;
typedef const char *vgpu_class_TEXT;
typedef const struct vgpu_message *vgpu_class_PART;
typedef const struct vgpu_list *vgpu_class_LIST;
#define TYPE(NAME, class, ...) typedef vgpu_class_##class vgpu_type_##NAME;
#include "vgpu_findings.def"

#define A(type, name) _Alignas(8) vgpu_type_##type name;
#define MESSAGE(NAME, kinds, arguments, ...)                                   \
    struct vgpu_arguments_##NAME {                                             \
        arguments const void *unused;                                          \
    };
#define PART(NAME, arguments, ...) MESSAGE(NAME, 0, arguments, "")
#include "vgpu_findings.def"
#undef A

/* Choices: as the rows CHOICE name them. */
enum { VGPU_ACCESS_READ, VGPU_ACCESS_WRITE, VGPU_ACCESS_ATOMIC };
enum { VGPU_POINTER_UNKNOWN, VGPU_POINTER_NULL, VGPU_POINTER_HOST };
enum { VGPU_OPERAND_DESTINATION, VGPU_OPERAND_SOURCE, VGPU_OPERAND_SIZE };
enum { VGPU_SIDE_DESTINATION, VGPU_SIDE_SOURCE, VGPU_SIDE_MEMORY };
enum { VGPU_OP_READS, VGPU_OP_WRITES, VGPU_OP_ALLOCATES, VGPU_OP_FREES };
enum { VGPU_LIMIT_BUDGET, VGPU_LIMIT_CALL, VGPU_LIMIT_LEFT, VGPU_LIMIT_TIME };

/* VGPU_SAY(&message, RACE, .writes = true, .where = &where, ...) makes a
 * message with copies of the arguments. An argument that is not named is 0 or
 * absent. */
#define VGPU_SAY(to, NAME, ...)                                                \
    vgpu_say(to, VGPU_MESSAGE_##NAME,                                          \
             &(const struct vgpu_arguments_##NAME){__VA_ARGS__})
/* Of a row without arguments. */
#define VGPU_SAY_PLAIN(to, NAME) VGPU_SAY(to, NAME, .unused = NULL)
void vgpu_say(struct vgpu_message *, vgpu_message_id, const void *arguments);
/* Sets an absent TEXT argument of the message itself (not of its parts). */
void vgpu_say_text(struct vgpu_message *, const char *name, const char *text);
/* Sets the TEXT that is value number `at`, and the LINE after it. */
void vgpu_say_place(struct vgpu_message *, size_t at, const char *file,
                    uint32_t line);

/* ---- to read one ---- */

struct vgpu_argument {
    enum vgpu_type type;
    const char *name;
};
size_t vgpu_arguments(vgpu_message_id, const struct vgpu_argument **);
/* The index after value number `at` and the values that belong to it. */
size_t vgpu_value_end(const struct vgpu_message *, size_t at);
/* The message's own argument of that name; NULL: it has none, or it is absent.
 */
const struct vgpu_value *vgpu_message_value(const struct vgpu_message *,
                                            const char *name);
/* The same of a TEXT. */
const char *vgpu_message_string(const struct vgpu_message *, const char *name);
/* "shared-access" */
enum { VGPU_MESSAGE_NAME = 40 };
void vgpu_message_name(vgpu_message_id, char name[VGPU_MESSAGE_NAME]);
/* JSON's word for a choice; NULL: the type is none, or FLAG. */
const char *vgpu_choice_name(enum vgpu_type, uint64_t number);
/* Which kinds of finding may say it: 1 << VGPU_FINDING_*; 0: it is a part. */
uint32_t vgpu_message_kinds(vgpu_message_id);

/* How vgpu_message_text words a sentence; each member may be NULL. */
struct vgpu_wording {
    const char *(*translate)(const char *english);
    /* Another text for a WORD, to be freed; NULL: the usual one. */
    char *(*word)(const void *user, uint64_t word);
    const void *user;
};
/* One paragraph for the program's author: what, where, why; no newline at its
 * end. To be freed; NULL: no memory. */
char *vgpu_message_text(const struct vgpu_message *,
                        const struct vgpu_wording *);

/* SPDX-License-Identifier: MIT
 *
 * asked.c: what the device was asked, for vgpu_asked.h.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "vgpu_asked.h"

enum { READ_BYTES = 256, MOST_ASKED = 1 << 14 };

struct asked {
    struct vgpu_asked *list;
    size_t n, room, bytes; /* bytes: of names and data */
    bool is_cut;
};

struct asked *asked_new(void) {
    return calloc(1, sizeof(struct asked));
}

void asked_free(struct asked *a) {
    if (!a) return;
    for (size_t k = 0; k < a->n; k++) {
        free((void *)a->list[k].data);
        free((void *)a->list[k].name);
    }
    free(a->list);
    free(a);
}

static bool reserve_asked(struct asked *a) {
    if (a->n < a->room) return true;
    size_t room = a->room ? a->room * 2 : 64;
    struct vgpu_asked *more = realloc(a->list, room * sizeof *more);
    if (!more) return false;
    a->list = more;
    a->room = room;
    return true;
}

static void *asked_copy(const void *bytes, size_t size) {
    void *copy = bytes ? malloc(size + 1) : NULL;
    if (copy) memcpy(copy, bytes, size);
    return copy;
}

/* What is too much ends the list: what came later would be of no use. */
void asked_add(vgpu_device *d, const struct vgpu_asked *what) {
    struct asked *a = d->asked;
    if (!a || a->is_cut) return;
    size_t name = what->name ? strlen(what->name) + 1 : 0;
    size_t size = what->data_bytes + name;
    bool is_image = what->kind == VGPU_ASKED_LOAD;
    struct vgpu_asked is = *what;
    bool fits = a->n < MOST_ASKED && reserve_asked(a) &&
                (is_image || size <= d->options.asked_bytes - a->bytes);
    is.name = fits ? asked_copy(what->name, name) : NULL;
    is.data = fits ? asked_copy(what->data, what->data_bytes) : NULL;
    a->is_cut = !fits || (what->name && !is.name) || (what->data && !is.data);
    if (a->is_cut) {
        free((void *)is.name);
        free((void *)is.data);
        return;
    }
    if (!is_image) a->bytes += size;
    a->list[a->n++] = is;
}

void asked_read(vgpu_device *d, uint64_t from, const void *found,
                size_t bytes) {
    bool few = bytes <= READ_BYTES;
    asked_add(d, &(struct vgpu_asked){.kind = VGPU_ASKED_READ,
                                      .at = from,
                                      .bytes = bytes,
                                      .data = few ? found : NULL,
                                      .data_bytes = few ? bytes : 0});
}

void asked_for_more(vgpu_device *d) {
    if (d->asked) d->asked->is_cut = true;
}

const char *vgpu_asked_word(enum vgpu_asked_kind kind) {
    static const char *const words[] = {
#define X(name, word, fields) #word,
#include "vgpu_asked.def"
#undef X
    };
    return words[kind];
}

bool vgpu_asked_so_far(const vgpu_device *d, struct vgpu_asked_list *list) {
    if (!d->asked) return false;
    *list =
        (struct vgpu_asked_list){d->asked->list, d->asked->n, d->asked->is_cut};
    return true;
}

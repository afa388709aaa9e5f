/* SPDX-License-Identifier: MIT
 *
 * parsed.c: see parsed.h. One list for the process, the last used in front. It
 * is short: what devices hold at this moment, and what fits into
 * PARSED_IDLE_BYTES.
 */
#include "parsed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct parsed {
    struct ptx_module *ptx;
    void *image; /* a copy; NULL: not shared */
    size_t bytes;
    unsigned capability;
    uint64_t hash;
    size_t users;
    size_t held; /* memory: the module's and the copy's */
    struct parsed *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct parsed *all; /* behind the lock */

__extension__ typedef unsigned __int128 wide;

/* Keyed with an address, so that no image can be made to collide on purpose;
 * only says which images are worth comparing. */
static uint64_t hash_image(const void *image, size_t bytes) {
    const uint64_t seed = (uintptr_t)&all ^ 0x9e3779b97f4a7c15ull;
    const unsigned char *at = image;
    uint64_t hash = seed ^ bytes;
    while (bytes) {
        uint64_t word = 0;
        size_t n = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, at, n);
        wide product = (wide)(hash ^ word) * seed;
        hash = (uint64_t)product ^ (uint64_t)(product >> 64);
        at += n;
        bytes -= n;
    }
    return hash;
}

static bool is_same(const struct parsed *p, const struct parsed *wanted) {
    return p->image && p->hash == wanted->hash && p->bytes == wanted->bytes &&
           p->capability == wanted->capability &&
           memcmp(p->image, wanted->image, p->bytes) == 0;
}

/* Moves it to the front and counts a user. Behind the lock. */
static struct parsed *take(const struct parsed *wanted) {
    for (struct parsed **at = &all; *at; at = &(*at)->next) {
        struct parsed *p = *at;
        if (!is_same(p, wanted)) continue;
        *at = p->next;
        p->next = all;
        p->users++;
        return all = p;
    }
    return NULL;
}

static void parsed_free(struct parsed *list) {
    while (list) {
        struct parsed *next = list->next;
        ptx_free(list->ptx);
        free(list->image);
        free(list);
        list = next;
    }
}

static bool is_shared(size_t bytes) {
    return bytes && bytes <= PARSED_IMAGE_LIMIT;
}

struct parsed *parsed_find(const void *image, size_t bytes,
                           unsigned capability) {
    if (!is_shared(bytes)) return NULL;
    const struct parsed wanted = {.image = (void *)image,
                                  .bytes = bytes,
                                  .capability = capability,
                                  .hash = hash_image(image, bytes)};
    pthread_mutex_lock(&lock);
    struct parsed *found = take(&wanted);
    pthread_mutex_unlock(&lock);
    return found;
}

struct parsed *parsed_add(const void *image, size_t bytes, unsigned capability,
                          struct ptx_module *ptx) {
    struct parsed *p = calloc(1, sizeof *p);
    if (p && is_shared(bytes)) p->image = malloc(bytes);
    if (!p || (is_shared(bytes) && !p->image)) {
        free(p);
        ptx_free(ptx);
        return NULL;
    }
    *p = (struct parsed){.ptx = ptx,
                         .image = p->image,
                         .bytes = bytes,
                         .capability = capability,
                         .users = 1,
                         .held = ptx_memory(ptx)};
    if (p->image) {
        memcpy(p->image, image, bytes);
        p->hash = hash_image(image, bytes);
        p->held += bytes;
    }
    pthread_mutex_lock(&lock);
    struct parsed *first = p->image ? take(p) : NULL;
    if (!first) {
        p->next = all;
        all = p;
    }
    pthread_mutex_unlock(&lock);
    if (!first) return p;
    parsed_free(p);
    return first;
}

const struct ptx_module *parsed_module(const struct parsed *p) {
    return p->ptx;
}

/* Takes out what is idle and not shared, or behind what may be kept. Behind the
 * lock; the caller frees. */
static struct parsed *take_surplus(void) {
    struct parsed *surplus = NULL;
    size_t kept = 0;
    for (struct parsed **at = &all; *at;) {
        struct parsed *p = *at;
        bool stays =
            p->users || (p->image && p->held <= PARSED_IDLE_BYTES - kept);
        if (stays) {
            if (!p->users) kept += p->held;
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = surplus;
        surplus = p;
    }
    return surplus;
}

void parsed_release(struct parsed *p) {
    if (!p) return;
    pthread_mutex_lock(&lock);
    p->users--;
    struct parsed *surplus = take_surplus();
    pthread_mutex_unlock(&lock);
    parsed_free(surplus);
}

/* SPDX-License-Identifier: MIT
 *
 * parsed.c: see parsed.h. A cache is a list, the last used in front. It
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
    vgpu_cache *cache;
    struct parsed *next;
};

struct vgpu_cache {
    pthread_mutex_t lock;
    struct parsed *all; /* behind the lock */
};

__extension__ typedef unsigned __int128 wide;

/* Keyed with an address, so that no image can be made to collide on purpose;
 * only says which images are worth comparing. */
static uint64_t hash_image(const vgpu_cache *cache, const void *image,
                           size_t bytes) {
    const uint64_t seed = (uintptr_t)cache ^ 0x9e3779b97f4a7c15ull;
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

static bool parsed_is_same(const struct parsed *p,
                           const struct parsed *wanted) {
    return p->image && p->hash == wanted->hash && p->bytes == wanted->bytes &&
           p->capability == wanted->capability &&
           memcmp(p->image, wanted->image, p->bytes) == 0;
}

/* Moves it to the front and counts a user. Behind the lock. */
static struct parsed *parsed_take(vgpu_cache *cache,
                                  const struct parsed *wanted) {
    for (struct parsed **at = &cache->all; *at; at = &(*at)->next) {
        struct parsed *p = *at;
        if (!parsed_is_same(p, wanted)) continue;
        *at = p->next;
        p->next = cache->all;
        p->users++;
        return cache->all = p;
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

vgpu_cache *vgpu_cache_new(void) {
    vgpu_cache *cache = calloc(1, sizeof *cache);
    if (cache) pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void vgpu_cache_free(vgpu_cache *cache) {
    if (!cache) return;
    parsed_free(cache->all);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static bool is_shared(const vgpu_cache *cache, size_t bytes) {
    return cache && bytes && bytes <= PARSED_IMAGE_LIMIT;
}

struct parsed *parsed_find(vgpu_cache *cache, const void *image, size_t bytes,
                           unsigned capability) {
    if (!is_shared(cache, bytes)) return NULL;
    const struct parsed wanted = {.image = (void *)image,
                                  .bytes = bytes,
                                  .capability = capability,
                                  .hash = hash_image(cache, image, bytes)};
    pthread_mutex_lock(&cache->lock);
    struct parsed *found = parsed_take(cache, &wanted);
    pthread_mutex_unlock(&cache->lock);
    return found;
}

/* What the list holds of these bytes, perhaps since a moment; or p, from now on
 * in the list. */
static struct parsed *parsed_enter(vgpu_cache *cache, struct parsed *p) {
    pthread_mutex_lock(&cache->lock);
    struct parsed *first = parsed_take(cache, p);
    if (!first) {
        p->next = cache->all;
        cache->all = p;
    }
    pthread_mutex_unlock(&cache->lock);
    return first ? first : p;
}

struct parsed *parsed_add(vgpu_cache *cache, const void *image, size_t bytes,
                          unsigned capability, struct ptx_module *ptx) {
    struct parsed *p = calloc(1, sizeof *p);
    bool shared = is_shared(cache, bytes);
    if (p && shared) p->image = malloc(bytes);
    if (!p || (shared && !p->image)) {
        free(p);
        ptx_free(ptx);
        return NULL;
    }
    *p = (struct parsed){.ptx = ptx,
                         .image = p->image,
                         .bytes = bytes,
                         .capability = capability,
                         .users = 1,
                         .held = ptx_memory(ptx),
                         .cache = cache};
    if (!shared) return p;
    memcpy(p->image, image, bytes);
    p->hash = hash_image(cache, image, bytes);
    p->held += bytes;
    struct parsed *entered = parsed_enter(cache, p);
    if (entered != p) parsed_free(p);
    return entered;
}

size_t parsed_held(const struct parsed *p) {
    return p->held;
}

const struct ptx_module *parsed_module(const struct parsed *p) {
    return p->ptx;
}

/* Takes out what is idle and behind what may be kept. Behind the lock; the
 * caller frees. */
static struct parsed *take_surplus(vgpu_cache *cache) {
    struct parsed *surplus = NULL;
    size_t kept = 0;
    for (struct parsed **at = &cache->all; *at;) {
        struct parsed *p = *at;
        if (p->users || p->held <= PARSED_IDLE_BYTES - kept) {
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
    struct parsed *surplus = p;
    if (p->image) {
        pthread_mutex_lock(&p->cache->lock);
        p->users--;
        surplus = take_surplus(p->cache);
        pthread_mutex_unlock(&p->cache->lock);
    }
    parsed_free(surplus);
}

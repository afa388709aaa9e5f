/* SPDX-License-Identifier: MIT
 *
 * arena.c: see arena.h.
 */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xc5, CANARY_PAGES = 1, COPY_BYTES = 4096 };

static bool open_map(struct arena_map *m, size_t n, size_t misalign) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = n * sizeof(int32_t);
    size_t shift = misalign == ARENA_TIGHT ? 0 : misalign * sizeof(int32_t);
    /* A page of canaries before the elements, and one after them where they do
     * not end at the wall. */
    size_t inner = (size + shift + page - 1) / page * page +
                   (size_t)(CANARY_PAGES + (misalign != ARENA_TIGHT)) * page;
    *m = (struct arena_map){
        .fd = memfd_create("scanlab", MFD_CLOEXEC | MFD_ALLOW_SEALING),
        .bytes = inner + 2 * page};
    m->data = misalign == ARENA_TIGHT ? page + inner - size
                                      : (1 + CANARY_PAGES) * page + shift;
    if (m->fd < 0 || ftruncate(m->fd, (off_t)m->bytes) != 0 ||
        fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
            0)
        return false;
    m->base = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_POPULATE, m->fd, 0); /* all is filled */
    if (m->base == MAP_FAILED) m->base = NULL;
    return m->base != NULL;
}

static void close_map(struct arena_map *m) {
    if (m->base) munmap(m->base, m->bytes);
    if (m->fd >= 0) close(m->fd);
    *m = (struct arena_map){.fd = -1};
}

bool arena_open(struct arena *a, size_t n_in, size_t n_out, size_t misalign,
                bool in_place) {
    *a = (struct arena){.n_in = n_in,
                        .n_out = n_out,
                        .in_place = in_place,
                        .in = {.fd = -1},
                        .out = {.fd = -1}};
    /* A shift of no elements says nothing about where they end. */
    if (misalign == 0) misalign = ARENA_TIGHT;
    if (open_map(&a->in, in_place ? 0 : n_in, misalign) &&
        open_map(&a->out, n_out, misalign))
        return true;
    int error = errno;
    arena_close(a);
    errno = error;
    return false;
}

void arena_close(struct arena *a) {
    close_map(&a->in);
    close_map(&a->out);
}

/* Copies what is there already: several times as fast as word by word. */
static void fill_words(unsigned char *data, size_t size, int32_t word) {
    if (size == 0) return;
    memcpy(data, &word, sizeof word);
    for (size_t done = sizeof word, step; done < size; done += step) {
        step = done < COPY_BYTES ? done : COPY_BYTES;
        if (step > size - done) step = size - done;
        memcpy(data + done, data, step);
    }
}

void arena_fill(struct arena *a, const int32_t *in, int32_t poison) {
    size_t size = a->n_out * sizeof *in, given = a->n_in * sizeof *in;
    struct arena_map *out = &a->out;
    memset(out->base, CANARY, out->data);
    memset(out->base + out->data + size, CANARY, out->bytes - out->data - size);
    unsigned char *data = out->base + out->data;
    if (a->in_place && given) memcpy(data, in, given);
    if (!a->in_place) fill_words(data, size, poison);
    if (!a->in_place && given) memcpy(a->in.base + a->in.data, in, given);
}

const int32_t *arena_output(const struct arena *a) {
    return (const int32_t *)(const void *)(a->out.base + a->out.data);
}

size_t arena_damage(const struct arena *a, long long *offset) {
    const struct arena_map *m = &a->out;
    size_t end = m->data + a->n_out * sizeof(int32_t), damaged = 0;
    for (size_t i = 0; i < m->bytes; i++) {
        if (i == m->data) i = end;
        if (i >= m->bytes || m->base[i] == CANARY) continue;
        if (damaged++ == 0) *offset = (long long)i - (long long)m->data;
    }
    return damaged;
}

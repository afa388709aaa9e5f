/* SPDX-License-Identifier: MIT
 *
 * memory.h: the global memory of a device: its allocations.
 *
 * How to read this: no address is given out twice. The next allocation gets a
 * higher address than all before it, or, in the kernels' own heap, than all
 * before it in the heap, which has the upper half of the addresses. The list of
 * allocations is sorted by address. A freed allocation stays in it without its
 * bytes (a tombstone), so that a later access is reported as a use after free;
 * only where there are tens of thousands are the freed ones dropped. Each
 * allocation has shadow bits, one per byte: *written* (for initcheck) and
 * *data*, the taint (for DATA_OPS). Kernels look an address up with memory_find
 * and keep the answer in a hint.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "charges.h"
#include "vgpu.h"

/* An allocation, an instruction, a launch, a block and a warp have a slot, a
 * pointer, for each of at most so many observers (observers.def). Only the
 * observer itself knows what the pointer is. */
enum { OBSERVER_SLOTS = 16 };

/* A run of addresses and the bytes behind them. */
struct region {
    uint64_t base;
    uint8_t *bytes;
    uint8_t *written; /* bits.h; NULL: all written */
    uint8_t *data;    /* bits.h; NULL: none tainted */
};

struct allocation {
    struct region region;           /* .bytes NULL: freed */
    uint64_t size;                  /* bytes the program asked for, and slack */
    struct allocation *next_spare;  /* of memory.spare: the next in that list */
    uint32_t slack;                 /* bytes of size that it did not ask for */
    uint64_t slack_sum;             /* of what lay there (slack.h) */
    void *slots[OBSERVER_SLOTS];    /* shadows, freed with it; or NULL */
    char *name;                     /* for messages; NULL: none */
    uint64_t callers[VGPU_CALLERS]; /* where host code allocated it, the
                                       innermost first; 0: end of the list */
    uint64_t freers[VGPU_CALLERS];  /* the same: where it was freed */
    bool owned, read_only, module, device_heap;
    uint8_t gpu;      /* whose memory it is */
    bool is_mapped;   /* its bytes lie in the memory's file */
    bool is_paged;    /* its bytes are pages, not malloc's (contents.c) */
    bool is_host;     /* the host's, not taken from the device's memory */
    uint64_t first;   /* where element 0 lies, behind region.base */
    uint32_t element; /* bytes of each; 0: not known */
};

/* The bytes of a freed allocation, with their taint: the next allocations get
 * them as their contents (VGPU_CONTENTS_LEFT). */
struct left_bytes {
    uint8_t *bytes, *data;
    uint64_t size;
    bool paged;
};
enum { MOST_LEFT = 16 };

struct memory {
    struct charges charges;          /* of all that its device holds */
    struct allocation **allocations; /* by address; pointers stay valid */
    size_t n_allocations, capacity;
    struct allocation *spare; /* dropped during a launch; used for new ones */
    uint64_t next_address, next_in_heap;
    uint64_t heap_bytes; /* of the kernels' own malloc */
    uint64_t held_bytes, peak_bytes;
    uint64_t limit_bytes;             /* of each GPU */
    unsigned gpu;                     /* that new allocations are for */
    uint64_t held_of[VGPU_MOST_GPUS]; /* held_bytes of each */
    uint8_t peers[VGPU_MOST_GPUS];    /* of each the others whose memory its
                                         kernels may use, as bits */
    uint64_t local_bytes;   /* most that a launch's resident threads used */
    uint64_t refused_bytes; /* of the program's first allocation that there was
                               no room for; 0: none */
    uint64_t shadowed_bytes[OBSERVER_SLOTS]; /* of allocations that have the
                                                observer's shadow */
    uint64_t n_made;
    uint32_t slack_bytes; /* of each allocation of the host's */
    bool slack_stored; /* the program stored to slack that is freed (slack.h) */
    bool track_written, track_data;
    bool clears; /* new allocations hold zeros, as if somebody had written them
                  */
    bool launching; /* a kernel runs: it may hold pointers to allocations */
    bool has_file;
    int file;               /* of what the host sees too (memory_mapped.c) */
    vgpu_contents contents; /* of new allocations (contents.c) */
    uint64_t contents_random;
    struct left_bytes left[MOST_LEFT]; /* latest last */
    uint32_t n_left;
    uint64_t left_bytes;
    struct texture *textures; /* by handle (textures.h) */
    uint32_t n_textures;
    struct shared_words *words; /* of big allocations; NULL: none yet */
};

void memory_init(struct memory *, uint64_t limit_bytes);
/* What the allocations to come hold before the program writes to them. */
void memory_set_contents(struct memory *, vgpu_contents, uint64_t seed);
void memory_free_all(struct memory *);

/* NULL: out of memory. bytes 0 is served with an address of its own. */
struct allocation *memory_allocate(struct memory *, uint64_t bytes);
/* A kernel's own. Addresses and room are the heap's, so that the program can
 * not learn from its next allocation what its kernels asked for. */
struct allocation *memory_allocate_in_heap(struct memory *, uint64_t bytes);
/* One that host code sees too; is_host: its own, not the device's. NULL: no
 * file, or out of memory. */
struct allocation *memory_allocate_mapped(struct memory *, uint64_t bytes,
                                          bool is_host);
/* False: no live allocation starts there. */
bool memory_release(struct memory *, uint64_t address);

/* For memory_mapped.c: adds an allocation that has no bytes yet; counts bytes
 * as held; gives the bytes of a mapped allocation back. */
struct allocation *memory_add(struct memory *, uint64_t base, uint64_t bytes);
void memory_hold(struct memory *, uint64_t bytes);
void memory_unmap(struct memory *, struct allocation *);

/* contents.c: gives an allocation its bytes (false: out of memory); takes them
 * back, and may keep them for later allocations; frees all that is kept. */
bool contents_new(struct memory *, struct allocation *);
void contents_drop(struct memory *, struct allocation *);
/* Frees kept bytes of freed allocations, the oldest first, until so many bytes
 * can be charged or none is left. */
void contents_make_room(struct memory *, uint64_t bytes);
void contents_end(struct memory *);

/* The allocation, dead or alive, that holds the address; NULL: none. */
struct allocation *memory_find(const struct memory *, uint64_t address);
/* The last allocation that starts at or below the address, for "12 bytes past
 * the end of"; NULL: none. */
struct allocation *memory_before(const struct memory *, uint64_t address);
/* The live allocation that holds the whole range; NULL: none. */
struct allocation *memory_range(const struct memory *, uint64_t address,
                                uint64_t bytes);

/* May kernels of this GPU use the allocation? */
static inline bool memory_reaches(const struct memory *m, unsigned gpu,
                                  const struct allocation *a) {
    return a->gpu == gpu || a->is_mapped || m->peers[gpu] >> a->gpu & 1;
}

/* The observer's shadow of the allocation; made at the first call, with so many
 * bytes, all zero. NULL: no memory. */
void *memory_shadow(struct memory *, struct allocation *, unsigned slot,
                    size_t bytes);
/* For an observer that makes its shadow itself: takes it; frees it. */
void memory_set_shadow(struct memory *, struct allocation *, unsigned slot,
                       void *shadow);
void memory_drop_shadow(struct memory *, struct allocation *, unsigned slot);

/* Gives the allocation its name for messages. False: no memory; the old name
 * stays. */
bool memory_name(struct memory *, struct allocation *, const char *name);
/* Give the allocation the shadow bits *written*, *data*. False: no memory. */
bool memory_track_written(struct memory *, struct allocation *);
bool memory_track_data(struct memory *, struct allocation *);

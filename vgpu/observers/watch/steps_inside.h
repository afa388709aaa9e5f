/* SPDX-License-Identifier: MIT
 *
 * steps_inside.h: what the files of steps*.c share.
 */
#pragma once

#include "steps.h"
#include "steps_sets.h"
#include "words_map.h"

struct steps_frame { /* sets of a frame's registers */
    const struct frame *frame;
    const struct function *function;
    uint32_t *sets;   /* WARP_LANES for each 64 bytes of registers */
    uint32_t *makers; /* likewise: vgpu_write.made; behind the sets */
};

struct steps_slot { /* of the block that is in it */
    uint32_t step, phase, n_ordered;
    bool open; /* the step goes on */
    enum vgpu_step_begin begin;
};

struct word_read;

struct steps {
    struct feed_sets sets;
    struct words_map cells; /* of a word of memory: its last write, and 1 */
    struct words_map own;   /* of a word that is a thread's own: its set */
    struct vgpu_array *arrays;
    struct vgpu_write *writes;
    struct vgpu_read *reads;
    struct vgpu_step *steps;
    struct vgpu_place *places;
    struct vgpu_steps_launch *launches;
    struct vgpu_steps_copy *copies;
    struct vgpu_bank_access *accesses;
    uint32_t n_arrays, n_writes, n_reads, n_steps, n_places, n_launches,
        n_copies, n_named, n_accesses; /* n_named: copies whose callers came */
    uint32_t arrays_room, writes_room, reads_room, steps_room, places_room,
        launches_room, copies_room, accesses_room;
    uint32_t last_array; /* that was asked for */
    struct steps_slot *slots;
    uint32_t n_slots;
    struct steps_frame *frames;
    uint32_t n_frames, frames_room, last_frame;
    uint32_t banks;
    uint64_t frame_bytes, n_fed; /* of frames' sets; feeds of all writes */
    uint64_t word; /* the one that alone is watched; word_bytes 0: none */
    uint32_t word_bytes;
    struct vgpu_word_writer writer;
    struct word_read *word_reads; /* the last one of each slot's block */
    uint32_t n_word_reads;
    bool host_open; /* the last step is the host's, and goes on */
    bool is_cut, reads_cut, accesses_cut;
};

/* Whatever a program makes grow has a limit, and so has what readers do with
 * it: lists are searched, and each write's feeds are looked at. */
enum {
    MOST_FRAMES = 4096,
    MOST_ARRAYS = 4096,
    MOST_PLACES = 4096,
    MOST_OF_NAME = 128, /* bytes of a file's name */
    MOST_FED = 1 << 20,
    MOST_OWN = 1 << 20,
    MOST_NAMED = 1000, /* variables of shared memory; more have no names */
    MOST_FRAME_BYTES = 1 << 26
};

/* ---- steps_word.c: the word that alone is watched ---- */

void word_launch_begins(struct machine *);
void word_block_starts(struct block *);
void word_loaded(struct context *, struct access *);
void word_stored(struct context *, struct access *);

/* Room for one more in a list; false: the recording ends here. */
bool steps_room(struct steps *, void *list, uint32_t *room, uint32_t n,
                size_t size);

/* The sets of a register's lanes. NULL: no memory, or nothing is recorded any
 * more. */
uint32_t *steps_register(struct context *, uint32_t at);

/* A lane's element e of an access, where it is. */
struct steps_cell {
    uint32_t array, at;
    uint64_t key; /* in cells or own */
    bool is_own;
};
struct steps_cell steps_cell(struct context *, const struct access *,
                             uint32_t lane, uint32_t plus);
/* From which writes bytes of a lane's access are; what is known once they are
 * written. */
uint32_t steps_set_of_cell(struct context *, const struct access *,
                           uint32_t lane, uint32_t plus, uint32_t bytes);
void steps_put_cell(struct context *, const struct access *, uint32_t lane,
                    uint32_t plus, struct vgpu_write, uint32_t set);
/* The row of registers that lanes of a warp hand on at this line. */
uint32_t steps_lanes_array(struct context *, uint32_t place);
uint32_t steps_global_array(struct steps *, const struct memory *,
                            uint64_t address);
uint32_t steps_place(struct context *);
uint32_t steps_place_of(struct context *, const struct insn *);
/* The number of a new write by the context's warp. UINT32_MAX: the recording
 * has ended. */
uint32_t steps_write(struct context *, struct vgpu_write, uint32_t set);
/* The same for what was there before. */
uint32_t steps_before(struct steps *, struct vgpu_write);
/* A lane of the context's warp has loaded what a write left. */
void steps_read(struct context *, uint32_t lane, uint32_t write);

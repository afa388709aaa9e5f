/* SPDX-License-Identifier: MIT
 *
 * shape.cuh: the numbers of both engines that were found by measuring
 * (research/performance.md). -DSHAPE_STAGES=3 tries another one:
 * research/on-gpu/variants.txt lists what is tried together.
 */
#pragma once

/* ---- elements of a column: 32 bits, 64 bits ---- */

#ifndef SHAPE_ITEMS_32
#define SHAPE_ITEMS_32 31
#endif
#ifndef SHAPE_ITEMS_64
#define SHAPE_ITEMS_64 15
#endif
/* While there are at most so many such tiles for a multiprocessor. */
#ifndef SHAPE_FEW_TILES
#define SHAPE_FEW_TILES 2
#endif
#ifndef SHAPE_FEW_32
#define SHAPE_FEW_32 7
#endif
#ifndef SHAPE_FEW_64
#define SHAPE_FEW_64 5
#endif

/* ---- wave.cuh ---- */

/* Packs of 16 bytes in a thread at most, elements of 32 bits and of 64; 0: this
 * engine is not used. 1, 2, 4 or 8. */
#ifndef SHAPE_WAVE_ROWS_32
#define SHAPE_WAVE_ROWS_32 8
#endif
#ifndef SHAPE_WAVE_ROWS_64
#define SHAPE_WAVE_ROWS_64 8
#endif
/* Threads of a block at most, of up to two packs each and of more; 1024 on a
 * multiprocessor, whatever it is. */
#ifndef SHAPE_WAVE_THREADS
#define SHAPE_WAVE_THREADS 1024
#endif
#ifndef SHAPE_WAVE_THREADS_LONG
#define SHAPE_WAVE_THREADS_LONG 512
#endif
/* And at least: fewer blocks, then, for small n. */
#ifndef SHAPE_WAVE_LEAST
#define SHAPE_WAVE_LEAST 128
#endif

/* Of a thread's packs so many are scanned only when the block's sum has been
 * told; those before them while the others are on their way. */
#ifndef SHAPE_WAVE_LAST
#define SHAPE_WAVE_LAST 8
#endif
/* 1: what is read may leave L2 before anything else. */
#ifndef SHAPE_WAVE_ONCE
#define SHAPE_WAVE_ONCE 1
#endif

/* ---- wave.cuh, held.cuh: more than registers hold ---- */

/* Packs of a thread in shared memory at most, odd; 0: none. Together with
 * HOLD_ROWS: 17 are 36 MB on 132 multiprocessors. */
#ifndef SHAPE_WAVE_HELD
#define SHAPE_WAVE_HELD 9
#endif
/* And in registers. */
#ifndef SHAPE_WAVE_HOLD_ROWS
#define SHAPE_WAVE_HOLD_ROWS 8
#endif
#ifndef SHAPE_WAVE_THREADS_HELD
#define SHAPE_WAVE_THREADS_HELD 512
#endif
/* As SHAPE_WAVE_LAST: registers' rows can be scanned while shared memory's are
 * on their way. */
#ifndef SHAPE_WAVE_LAST_HELD
#define SHAPE_WAVE_LAST_HELD 0
#endif
/* Shared memory's are asked for before registers', or after them. */
#ifndef SHAPE_WAVE_HELD_FIRST
#define SHAPE_WAVE_HELD_FIRST 1
#endif
/* 1: they become results before it is known what lies before the block, which
 * is added on their way out, by threads; 0: after that, for bulk copies. */
#ifndef SHAPE_WAVE_WALK_EARLY
#define SHAPE_WAVE_WALK_EARLY 0
#endif

/* ---- tiles.cuh ---- */

#ifndef SHAPE_TILE_THREADS
#define SHAPE_TILE_THREADS 256
#endif
/* Blocks on a multiprocessor that registers must be left for. */
#ifndef SHAPE_TILE_BLOCKS
#define SHAPE_TILE_BLOCKS 5
#endif

/* Groups of tiles that a block which does one tile adds up in one batch. */
#ifndef SHAPE_TILE_ROUNDS
#define SHAPE_TILE_ROUNDS 24
#endif

/* ---- stream.cuh ---- */

/* Blocks on a multiprocessor. */
#ifndef SHAPE_STREAM_BLOCKS
#define SHAPE_STREAM_BLOCKS 1
#endif
/* A block does only a few tiles: how many at most. */
#ifndef SHAPE_FEW_ROUNDS
#define SHAPE_FEW_ROUNDS 24
#endif
/* Threads that look back then, for one slot and a sum of one element of 32
 * bits, of 64. Many tiles do better with fewer. */
#ifndef SHAPE_LOOKERS_FEW_32
#define SHAPE_LOOKERS_FEW_32 96
#endif
#ifndef SHAPE_LOOKERS_FEW_64
#define SHAPE_LOOKERS_FEW_64 64
#endif
/* Lookers begin when it is known which tile it will be, not when it is there:
 * 0 never, 1 where a block does only a few, 2 always. */
#ifndef SHAPE_LOOK_EARLY
#define SHAPE_LOOK_EARLY 1
#endif

/* To see what they cost, not for results, which are wrong then: the sum of 1,
 * waiting for others' sums; 2, reducers' sums; 4, scanners' sums and results.
 */
#ifndef SHAPE_LEAVE_OUT
#define SHAPE_LEAVE_OUT 0
#endif

/* Threads that scan, and buffers; a tile has SCANNERS columns. Single 32-bit
 * elements with sums of up to 16 bytes (light) gain from more, smaller buffers;
 * others have more to do for each tile, and want few. */
#ifndef SHAPE_LIGHT_SCANNERS
#define SHAPE_LIGHT_SCANNERS 384
#endif
#ifndef SHAPE_LIGHT_ITEMS
#define SHAPE_LIGHT_ITEMS 29
#endif
#ifndef SHAPE_LIGHT_STAGES
#define SHAPE_LIGHT_STAGES 5
#endif
#ifndef SHAPE_SCANNERS
#define SHAPE_SCANNERS 448
#endif
#ifndef SHAPE_STAGES
#define SHAPE_STAGES 4
#endif
/* The same for tuples; one element more than there are banks: lane i meets bank
 * i, whatever the tuple is. With one less, odd tuples' lanes meet twice. */
#ifndef SHAPE_SLOTS_SCANNERS
#define SHAPE_SLOTS_SCANNERS 384
#endif
#ifndef SHAPE_SLOTS_STAGES
#define SHAPE_SLOTS_STAGES SHAPE_STAGES
#endif
#ifndef SHAPE_SLOTS_ITEMS_32
#define SHAPE_SLOTS_ITEMS_32 33
#endif
#ifndef SHAPE_SLOTS_ITEMS_64
#define SHAPE_SLOTS_ITEMS_64 17
#endif
#ifndef SHAPE_PIECES
#define SHAPE_PIECES 4
#endif
/* From so many bytes of a slot's sum on, a tile is stored, and its buffer given
 * back, in as many pieces as it is brought in; below, as one. */
#ifndef SHAPE_PIECES_BACK_FROM
#define SHAPE_PIECES_BACK_FROM 64
#endif
/* Threads that sum; for sums of 9 to 32 bytes. Beyond that registers are
 * scarce. */
#ifndef SHAPE_REDUCERS
#define SHAPE_REDUCERS 128
#endif
#ifndef SHAPE_REDUCERS_LONG
#define SHAPE_REDUCERS_LONG 256
#endif
/* Where sums of groups are published; elements of 32 bits, of 64. */
#ifndef SHAPE_REDUCERS_GROUPS_32
#define SHAPE_REDUCERS_GROUPS_32 128
#endif
#ifndef SHAPE_REDUCERS_GROUPS_64
#define SHAPE_REDUCERS_GROUPS_64 128
#endif
/* 1: a warp of its own publishes there what they sum, 2: eight lanes of it for
 * each slot; 0: their first one does. */
#ifndef SHAPE_GROUPS_TELLER
#define SHAPE_GROUPS_TELLER 1
#endif
/* Threads that look back for one slot and a sum of one element; for one slot
 * and longer sums; for more slots: of 32 bits; of 64 bits, or orders; of sums
 * of more than 32 bytes, where there are three slots at most (more have a
 * kernel of their own). Fewer of them do where all slots' sums have no more
 * than FEW_SLOTS_BYTES. */
#ifndef SHAPE_LOOKERS
#define SHAPE_LOOKERS 32
#endif
#ifndef SHAPE_LOOKERS_LONG
#define SHAPE_LOOKERS_LONG 96
#endif
#ifndef SHAPE_LOOKERS_SLOTS
#define SHAPE_LOOKERS_SLOTS 256
#endif
/* Of 32 bits and sums of 32 bytes. */
#ifndef SHAPE_LOOKERS_SLOTS_32_BYTES
#define SHAPE_LOOKERS_SLOTS_32_BYTES 256
#endif
/* 1: such orders of tuples, but those with a kernel of their own (below), work
 * out binomials by squaring (algebra.cuh), and scanners publish what they sum:
 * measured to be faster (timing/docs/long-sums.md). */
#ifndef SHAPE_SQUARES
#define SHAPE_SQUARES 1
#endif
#ifndef SHAPE_LOOKERS_SLOTS_64
#define SHAPE_LOOKERS_SLOTS_64 320
#endif
#ifndef SHAPE_LOOKERS_SLOTS_OVER_32
#define SHAPE_LOOKERS_SLOTS_OVER_32 128
#endif
#ifndef SHAPE_FEW_SLOTS_BYTES
#define SHAPE_FEW_SLOTS_BYTES 16
#endif

/* From so many bytes of a sum of orders on, scanners sum tiles for others, too,
 * and there are no reducers: for one slot, for more. */
#ifndef SHAPE_ONCE_FROM
#define SHAPE_ONCE_FROM 64
#endif
#ifndef SHAPE_ONCE_FROM_SLOTS
#define SHAPE_ONCE_FROM_SLOTS 32
#endif
/* 1: where sums of groups are published, too. */
#ifndef SHAPE_ONCE_GROUPS
#define SHAPE_ONCE_GROUPS 0
#endif
/* 1: a warp of its own publishes them then; 0: the scanners' first one. */
#ifndef SHAPE_ONCE_TELLER
#define SHAPE_ONCE_TELLER 1
#endif
/* Orders of tuples have a kernel of their own where all slots' sums have so
 * many bytes, of 32 bits, of 64, and one slot's so many. */
#ifndef SHAPE_LONG_SLOTS_BYTES_32
#define SHAPE_LONG_SLOTS_BYTES_32 224
#endif
#ifndef SHAPE_LONG_SLOTS_BYTES_64
#define SHAPE_LONG_SLOTS_BYTES_64 160
#endif
#ifndef SHAPE_LONG_SLOTS_FROM_32
#define SHAPE_LONG_SLOTS_FROM_32 32
#endif
#ifndef SHAPE_LONG_SLOTS_FROM_64
#define SHAPE_LONG_SLOTS_FROM_64 40
#endif
/* Threads that look back there. */
#ifndef SHAPE_LOOKERS_LONG_SLOTS
#define SHAPE_LOOKERS_LONG_SLOTS 384
#endif
/* There, too, sums of groups are published where one slot's has so many bytes
 * (groups.cuh): of 32 tiles, or of 16 where one slot's has more than so many.
 */
#ifndef SHAPE_GROUPS_FROM
#define SHAPE_GROUPS_FROM 32
#endif
#ifndef SHAPE_SMALL_GROUPS_FROM
#define SHAPE_SMALL_GROUPS_FROM 48
#endif
/* Quads of lanes that two jobs may wait for at a time. */
#ifndef SHAPE_GROUP_QUADS
#define SHAPE_GROUP_QUADS 6
#endif
/* Threads that look back then, at most: for groups of 32 tiles, of 16. */
#ifndef SHAPE_LOOKERS_GROUPS
#define SHAPE_LOOKERS_GROUPS 128
#endif
#ifndef SHAPE_LOOKERS_GROUPS_LONG
#define SHAPE_LOOKERS_GROUPS_LONG 128
#endif

/* Single elements of 32 bits with longer sums: orders 5 to 8. */
#ifndef SHAPE_MIDDLE_SCANNERS
#define SHAPE_MIDDLE_SCANNERS 384
#endif
#ifndef SHAPE_MIDDLE_ITEMS
#define SHAPE_MIDDLE_ITEMS 35
#endif
#ifndef SHAPE_MIDDLE_REDUCERS
#define SHAPE_MIDDLE_REDUCERS 192
#endif
/* Orders of tuples, and orders of 64 bits whose sums are longer than so many
 * bytes (heavy): half as many columns, twice as long, since what a thread does
 * once for a column costs more than its elements; fewer threads have more
 * registers. */
#ifndef SHAPE_HEAVY_FROM
#define SHAPE_HEAVY_FROM 24
#endif
#ifndef SHAPE_HEAVY_ITEMS_32
#define SHAPE_HEAVY_ITEMS_32 63
#endif
#ifndef SHAPE_HEAVY_ITEMS_64
#define SHAPE_HEAVY_ITEMS_64 31
#endif
#ifndef SHAPE_HEAVY_SCANNERS
#define SHAPE_HEAVY_SCANNERS 224
#endif
#ifndef SHAPE_HEAVY_STAGES
#define SHAPE_HEAVY_STAGES 4
#endif
/* The longer ones of them, from so many bytes of one slot on: larger tiles, of
 * which fewer sums are published. */
#ifndef SHAPE_LONG_FROM
#define SHAPE_LONG_FROM 48
#endif
#ifndef SHAPE_LONG_FROM_SLOTS
#define SHAPE_LONG_FROM_SLOTS 16
#endif
#ifndef SHAPE_LONG_SCANNERS
#define SHAPE_LONG_SCANNERS 256
#endif
#ifndef SHAPE_LONG_ITEMS_32
#define SHAPE_LONG_ITEMS_32 65
#endif
#ifndef SHAPE_LONG_ITEMS_64
#define SHAPE_LONG_ITEMS_64 33
#endif
#ifndef SHAPE_LONG_STAGES
#define SHAPE_LONG_STAGES 3
#endif

/* ---- columns.cuh ---- */

/* From so many bytes of a sum of orders on, so many elements of a column stand
 * one behind another in the code; all of them below. Elements of 32 bits, of
 * 64. */
#ifndef SHAPE_ROLLED_FROM_32
#define SHAPE_ROLLED_FROM_32 24
#endif
#ifndef SHAPE_ROLLED_32
#define SHAPE_ROLLED_32 8
#endif
#ifndef SHAPE_ROLLED_FROM_64
#define SHAPE_ROLLED_FROM_64 40
#endif
#ifndef SHAPE_ROLLED_64
#define SHAPE_ROLLED_64 4
#endif
/* Of one slot, so many where a sum has so many bytes. */
#ifndef SHAPE_ROLLED_ONE_FROM
#define SHAPE_ROLLED_ONE_FROM 64
#endif
#ifndef SHAPE_ROLLED_ONE
#define SHAPE_ROLLED_ONE 8
#endif

/* From so many bytes of a sum of orders on, eight lanes have a coefficient each
 * instead of a thread all of them: where scanners add up what other warps have,
 * where a tile's sum is published, where blocks look back. */
#ifndef SHAPE_SPREAD_SCAN_FROM
#define SHAPE_SPREAD_SCAN_FROM 64
#endif
#ifndef SHAPE_SPREAD_TELL_FROM
#define SHAPE_SPREAD_TELL_FROM 64
#endif
#ifndef SHAPE_SPREAD_LOOK_FROM
#define SHAPE_SPREAD_LOOK_FROM 64
#endif

/* ---- applications_sort.cuh ---- */

/* Warps of a block and blocks on a multiprocessor; keys of a thread, alone and
 * with values; rows stored at a time; tiles asked at a time. */
#ifndef SHAPE_SORT_WARPS
#define SHAPE_SORT_WARPS 16
#endif
#ifndef SHAPE_SORT_BLOCKS
#define SHAPE_SORT_BLOCKS 2
#endif
#ifndef SHAPE_SORT_KEYS
#define SHAPE_SORT_KEYS 18
#endif
#ifndef SHAPE_SORT_PAIRS
#define SHAPE_SORT_PAIRS 16
#endif
#ifndef SHAPE_SORT_BURST
#define SHAPE_SORT_BURST 2
#endif
#ifndef SHAPE_SORT_LOOK
#define SHAPE_SORT_LOOK 4
#endif

// SPDX-License-Identifier: MIT
//: lab: 04-shared-tiled
//: at: tiles.svg
//: title: A rake along the tile
//: what: The largest number of each tile. Neighbouring threads load neighbouring
//: what: elements into shared memory; then each thread walks along its own
//: what: elements in a row. With an even number of them in a row, several threads
//: what: meet in a bank, unless there is padding.
//: slider: block | threads of a block | 4 8 16 32 | 8
//: slider: row | elements in a row | 1 2 4 8 16 | 8
//: slider: tiles | tiles | 1 2 3 4 | 1
//: switch: padded | padding | off
//: args: numbers results n row padded
//: n: block*row*tiles
//: grid: tiles
//: clock: pram teach
//: result: largest
//: formula: elements of a tile | block*row
//: formula: numbers that are left for all threads together | block
//: formula: scan-then-propagate moves | 4*n
//: formula: reduce-then-scan moves | 3*n
//: formula: levels for 2^20 elements with tiles of this size | ceildiv(20, max(1, clog2(block*row)))
//: counts: shared_wavefronts shared_conflicts global_read_sectors

extern "C" __global__ void rake_for_the_largest(const int *numbers,
                                                int *results, unsigned n,
                                                unsigned row,
                                                unsigned padded) {
    __shared__ int tile[544], found[32];
    unsigned me = threadIdx.x, size = blockDim.x * row;
    const int *mine = numbers + blockIdx.x * size;
    for (unsigned k = me; k < size; k += blockDim.x)
        tile[padded ? k + k / 32 : k] = mine[k];
    __syncthreads();
    int top = -1000;
    for (unsigned k = me * row; k < (me + 1) * row; k++)
        top = max(top, tile[padded ? k + k / 32 : k]);
    found[me] = top;
    __syncthreads();
    if (me > 0) return;
    for (unsigned other = 1; other < blockDim.x; other++)
        top = max(top, found[other]);
    results[blockIdx.x] = top;
}

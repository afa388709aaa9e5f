// SPDX-License-Identifier: MIT
//: lab: 03-bank-conflicts
//: at: bank-maps.svg
//: title: Words in banks
//: what: Each thread of a warp writes a word, and reads it back. The words lie a
//: what: stride apart, as those of a level of the tree do; with padding a word
//: what: is left free after every k. The picture counts the words that an access
//: what: wants of each bank; the fullest bank says how many passes it takes.
//: slider: stride | stride | 1 2 3 4 5 8 16 32 | 4
//: slider: n | threads | 4 8 16 32 | 32
//: slider: banks | banks k | 16 32 | 32
//: switch: padded | padding | off
//: args: numbers results n stride padded banks
//: block: n
//: result: same
//: picture: banks
//: formula: words that lie free between two of them | stride - 1
//: formula: passes without a conflict, of each access | ceildiv(n, 32)
//: counts: shared_wavefronts shared_conflicts

extern "C" __global__ void a_stride_apart(const int *numbers, int *results,
                                          unsigned n, unsigned stride,
                                          unsigned padded, unsigned banks) {
    __shared__ int words[1100];
    unsigned me = threadIdx.x, word = me * stride;
    if (padded) word += word / banks;
    words[word] = numbers[me];
    __syncthreads();
    results[me] = words[word];
}

/* SPDX-License-Identifier: MIT
 *
 * vectors.c: what only x86-64 has. compile.sh has to notice.
 */
#include <immintrin.h>

__m256i add(__m256i a, __m256i b) {
    return _mm256_add_epi32(a, b);
}

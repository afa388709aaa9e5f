/* SPDX-License-Identifier: MIT
 *
 * copies.cu: copies on the device whose source and destination overlap, and
 * copies within one array that do not.
 */
//: nvcc: -g
#include "check.h"

static const cudaMemcpyKind BOTH = cudaMemcpyDeviceToDevice;
enum { N = 1000, ROW = 64, ROWS = 10 };
static unsigned *d, host[N + 1];

static void make() {
    CHECK(cudaMalloc(&d, sizeof host));
    for (unsigned i = 0; i <= N; i++) host[i] = i;
    CHECK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
}

static void give_back() {
    CHECK(cudaFree(d));
}

static void shifts() {
    CHECK(cudaMemcpy(d + 1, d, N * 4, BOTH)); // BUG up
    CHECK(cudaMemcpyAsync(d, d + N - 1, 8, BOTH, 0));
    CHECK(cudaMemcpyAsync(d, d + 1, 8, cudaMemcpyDefault, 0)); // BUG down
    CHECK(cudaMemcpyPeer((char *)d + 3, 0, d, 0, 4)); // BUG peer
}

static void rows() {
    char *m = (char *)d;
    CHECK(cudaMemcpy2D(m + 7, ROW, m, ROW, 8, ROWS, BOTH)); // BUG columns
    CHECK(cudaMemcpy2D(m + ROW, ROW, m, ROW, 8, ROWS, BOTH)); // BUG next-row
    CHECK(cudaMemcpy2D(m + 4 * ROW, 8, m, ROW, 8, ROWS, BOTH)); // BUG packed
}

static void volume() {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(d, ROW, 8, 4);
    p.dstPtr = make_cudaPitchedPtr((char *)d + 4, ROW, 8, 4);
    p.extent = make_cudaExtent(8, 4, 2);
    p.kind = BOTH;
    CHECK(cudaMemcpy3D(&p)); // BUG volume
}

/* case: neighbours, other columns, every other row, and onto itself */
static void apart() {
    char *m = (char *)d;
    CHECK(cudaMemcpy(d + N / 2, d, N / 2 * 4, BOTH));
    CHECK(cudaMemcpy(d, d + 1, 4, BOTH));
    CHECK(cudaMemcpy(d, d, N * 4, BOTH));
    CHECK(cudaMemcpy2D(m + 8, ROW, m, ROW, 8, ROWS, BOTH));
    CHECK(cudaMemcpy2D(m, ROW, m, ROW, 8, ROWS, BOTH));
    CHECK(cudaMemcpy2D(m + ROW, 2 * ROW, m, 2 * ROW, ROW, ROWS / 2,
                       BOTH));
    CHECK(cudaMemcpy2D(m + 8, ROW, m + ROWS * ROW, 8, 8, ROWS,
                       BOTH));
    CHECK(cudaMemcpy2D(m + ROWS * ROW, 16, m, ROW, 16, ROWS,
                       BOTH));
}

//: case: overlapping-shifts shifts
//: run: --check memcheck | --check all
//: expect: finding overlapping-copy at up "cudaMemcpy: source and destination overlap: bytes 0 to 3999 are copied to bytes 4 to 4003 of an allocation (4004 bytes)"
//: expect: finding overlapping-copy at down "cudaMemcpyAsync:" "bytes 4 to 11 are copied to bytes 0 to 7 of"
//: expect: finding overlapping-copy at peer "cudaMemcpyPeer:" "bytes 0 to 3 are copied to bytes 3 to 6 of"
//: case: overlapping-shifts-unchecked shifts
//: run: --check none
//: case: overlapping-rows rows
//: run: --check memcheck
//: expect: finding overlapping-copy at columns "cudaMemcpy2D:" "bytes 0 to 583 are copied to bytes 7 to 590 of"
//: expect: finding overlapping-copy at next-row "bytes 0 to 583 are copied to bytes 64 to 647 of"
//: expect: finding overlapping-copy at packed "bytes 0 to 583 are copied to bytes 256 to 335 of"
//: case: overlapping-volume volume
//: run: --check memcheck
//: expect: finding overlapping-copy at volume "cudaMemcpy3D:"
//: case: overlapping-not apart
//: run: --check all
int main(int, char **argv) {
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"shifts", shifts}, {"rows", rows}, {"volume", volume},
                 {"apart", apart}};
    make();
    for (auto &c : cases)
        if (!strcmp(c.name, argv[1])) c.run();
    give_back();
    return 0;
}

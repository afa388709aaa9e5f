// SPDX-License-Identifier: MIT
//
// letters.cu: the scans across devices (timing/fast/devices.cuh), one device at
// a time on the one there is: the letters that others would send are there
// before it begins, and those that it sends are looked at. --spoilt: what they
// say is wrong, and so has to be the output.
#include <stdio.h>
#include <string.h>
#include <vector>

#include "scanlab.h"

enum { BOARD_WORDS = 1 << 12 };

#include "devices.cuh"

#include "devices_plan.h"
#include "oracle.h"

enum { DEVICES = 3 };

static int failed;
static bool spoilt;
static unsigned chunk; /* tiles that are dealt out together */

static void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    printf("%s\n", cudaGetErrorString(status));
    exit(2);
}

template <typename T> struct type_of;
template <> struct type_of<uint32_t> { enum { IS = ORACLE_INT32 }; };
template <> struct type_of<uint64_t> { enum { IS = ORACLE_INT64 }; };
template <> struct type_of<float> { enum { IS = ORACLE_FLOAT }; };
template <typename T> static T element(uint64_t item) {
    return (int)type_of<T>::IS == (int)ORACLE_FLOAT ? (T)(int64_t)item
                                                    : (T)item;
}

/* The letter's words. */
template <typename T>
static std::vector<letter_word> words(unsigned tag, T sum) {
    std::vector<letter_word> w;
    unsigned word[sizeof sum / 4];
    memcpy(word, &sum, sizeof sum);
    for (unsigned x : word) w.push_back((letter_word)tag << 32 | x);
    return w;
}

template <typename T> struct post_office {
    enum { WORDS = sizeof(T) / 4, LETTERS = 128 };
    several s;
    letter_word *inbox[DEVICES];
    post_office(int processors) : s() {
        s.devices = DEVICES, s.letters = LETTERS, s.processors = processors;
        for (int d = 0; d < DEVICES; d++) {
            must(cudaMalloc((void **)&inbox[d], bytes()));
            must(cudaMemset(inbox[d], 0, bytes()));
            s.inbox[d] = inbox[d];
        }
    }
    ~post_office() {
        for (int d = 0; d < DEVICES; d++) cudaFree(inbox[d]);
    }
    size_t bytes(void) const {
        return sizeof(letter_word) * DEVICES * LETTERS * WORDS;
    }
    letter_word *at(int to, int from, size_t k) {
        return inbox[to] + ((size_t)from * LETTERS + k) * WORDS;
    }
    void write(int to, int from, size_t k, T sum) {
        std::vector<letter_word> w = words(s.tag, sum);
        must(cudaMemcpy(at(to, from, k), w.data(), w.size() * 8,
                        cudaMemcpyHostToDevice));
    }
    bool has(int to, int from, size_t k, T sum) {
        std::vector<letter_word> w = words(s.tag, sum), is(w.size());
        must(cudaMemcpy(is.data(), at(to, from, k), w.size() * 8,
                        cudaMemcpyDeviceToHost));
        return is == w;
    }
};

template <typename T> struct trial {
    typedef orders<T, 1> A;
    post_office<T> *office;
    enum layout layout;
    struct devices_layout shape;
    std::vector<T> all; /* what comes out of the whole array */

    /* What lies before element i. */
    T before(size_t i) const { return i == 0 ? 0 : all[i - 1]; }
    /* Letters that device d sends to another: dealt out, one for each tile. */
    size_t letters(int d) const {
        size_t tile = dealt_tile<A>();
        if (layout != DEALT) return 1;
        return (devices_part(&shape, d) + tile - 1) / tile;
    }
    /* What device d has in its tile k, or in all of its part. */
    T sum_of(int d, size_t k) const {
        size_t n = devices_part(&shape, d), tile = dealt_tile<A>();
        size_t from = layout == DEALT ? k * tile : 0;
        size_t end = layout == DEALT && from + tile < n ? from + tile : n;
        T sum = 0;
        for (size_t i = from; i < end; i++) {
            size_t at = devices_index(&shape, d, i);
            sum += all[at] - before(at);
        }
        return sum;
    }
    T letter(int from, size_t k) const {
        if (layout == CHAIN)
            return before(devices_index(&shape, from, 0)) + sum_of(from, 0);
        return sum_of(from, k);
    }
    bool gets(int to, int from) const {
        if (to == from) return false;
        return layout == DEALT || (layout == PARTS ? from < to : from + 1 == to);
    }
    void receive(int d) const {
        for (int from = 0; from < DEVICES; from++)
            for (size_t k = 0; gets(d, from) && k < letters(from); k++)
                office->write(d, from, k,
                              letter(from, k) + (spoilt ? (T)1 : (T)0));
    }
    bool sent(int d) const {
        for (int to = 0; to < DEVICES; to++)
            for (size_t k = 0; gets(to, d) && k < letters(d); k++)
                if (!office->has(to, d, k, letter(d, k))) return false;
        return true;
    }

    void run(int d, bool held) {
        size_t n = devices_part(&shape, d);
        std::vector<T> x(n), y(n);
        for (size_t i = 0; i < n; i++) {
            size_t at = devices_index(&shape, d, i);
            x[i] = element<T>(oracle_item(type_of<T>::IS, at));
        }
        T *in, *out;
        must(cudaMalloc((void **)&in, n * sizeof(T)));
        must(cudaMalloc((void **)&out, n * sizeof(T)));
        must(cudaMemcpy(in, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        office->s.tag = next_tag();
        receive(d);
        size_t parts[DEVICES];
        for (int e = 0; e < DEVICES; e++) parts[e] = devices_part(&shape, e);
        post call = post_for(&office->s, layout, d, parts, dealt_tile<A>());
        part<T> p = {in, out, n, office->s.processors, 0};
        bool done = false, sums = layout != DEALT && d + 1 < DEVICES;
        if (held)
            must(wave_part<A, 1>(p, call, &done));
        else {
            if (sums) must(sum_part<A>(p, call));
            must(stream_any<A>(p, call));
        }
        must(cudaMemcpy(y.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += y[i] != all[devices_index(&shape, d, i)];
        bool told = sent(d);
        bool good = wrong == 0 && told && done == held;
        printf("%s type %d layout %d device %d n %zu%s: %zu wrong%s\n",
               good ? "ok" : "NOT OK", (int)type_of<T>::IS, (int)layout, d, n,
               held ? " held" : "", wrong, told ? "" : ", letters wrong");
        failed += !good;
        cudaFree(in), cudaFree(out);
    }
};

template <typename T> static void try_type(int processors, size_t n) {
    post_office<T> office(processors);
    office.s.chunk = chunk;
    must(prepare_part_kernels<orders<T, 1>>());
    trial<T> t;
    t.office = &office;
    T sum = 0;
    t.all.resize(n);
    for (size_t i = 0; i < n; i++)
        t.all[i] = sum += element<T>(oracle_item(type_of<T>::IS, i));
    for (enum layout layout : {PARTS, CHAIN, DEALT}) {
        t.layout = layout;
        t.shape = devices_layout{DEVICES, n, 0};
        if (layout == DEALT)
            t.shape.chunk = chunk * dealt_tile<orders<T, 1>>();
        for (int d = 0; d < DEVICES; d++) {
            t.run(d, false);
            if (layout != DEALT &&
                is_held<T>(devices_part(&t.shape, 0), processors))
                t.run(d, true);
        }
    }
}

int main(int argc, char **argv) {
    spoilt = argc > 1 && strcmp(argv[1], "--spoilt") == 0;
    int processors = 0;
    must(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                0));
    for (chunk = 1; chunk <= 3; chunk += 2) {
        try_type<uint32_t>(processors, 200003);
        try_type<uint64_t>(processors, 100001);
        try_type<float>(processors, chunk == 1 ? 1500007 : 100003);
    }
    return failed > 0;
}

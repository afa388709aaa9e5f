/* SPDX-License-Identifier: MIT
 *
 * test_parsed.c: parsed.h by itself, then through devices: what one of them
 * does to its variables is nothing to the others.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsed.h"
#include "vgpu.h"
#include "unit.h"

static const char header[] = ".version 9.0\n.target sm_75\n.address_size 64\n";

static struct parsed *add(vgpu_cache *cache, const char *text, size_t bytes,
                          unsigned capability) {
    struct ptx_error e;
    struct ptx_module *m = ptx_parse(text, bytes, &e);
    assert_non_null(m);
    struct parsed *p = parsed_add(cache, text, bytes, capability, m);
    assert_non_null(p);
    return p;
}

TEST(equal_bytes_share) {
    vgpu_cache *cache = *state;
    char a[128], b[128];
    size_t n = (size_t)snprintf(a, sizeof a, "%s.global .u32 x = 1;", header);
    memcpy(b, a, sizeof b);
    assert_null(parsed_find(cache, a, n, 75));
    struct parsed *first = add(cache, a, n, 75);
    struct parsed *again = parsed_find(cache, b, n, 75);
    assert_ptr_equal(parsed_module(first), parsed_module(again));
    /* The second of two threads that parsed the same at the same time. */
    struct parsed *late = add(cache, b, n, 75);
    assert_ptr_equal(parsed_module(first), parsed_module(late));

    assert_null(parsed_find(cache, a, n, 90));
    assert_null(parsed_find(cache, a, n - 1, 75));
    b[n - 2] = '2';
    assert_null(parsed_find(cache, b, n, 75));
    struct parsed *other = add(cache, b, n, 75);
    assert_ptr_not_equal(parsed_module(first), parsed_module(other));
    assert_int_equal(ptx_find_variable(parsed_module(first), "x")->data[0], 1);
    assert_int_equal(ptx_find_variable(parsed_module(other), "x")->data[0], 2);

    parsed_release(first);
    parsed_release(again);
    parsed_release(late);
    parsed_release(other);
    parsed_release(NULL);
    again = parsed_find(cache, a, n, 75); /* idle, and kept */
    assert_non_null(again);
    parsed_release(again);
}

/* The same for each number, another for another. */
static size_t numbered(char *text, size_t size, unsigned number) {
    return (size_t)snprintf(text, size, "%s.global .u32 x = %u;", header,
                            number);
}

static bool is_kept(vgpu_cache *cache, unsigned number) {
    char text[128];
    size_t n = numbered(text, sizeof text, number);
    struct parsed *p = parsed_find(cache, text, n, 80);
    parsed_release(p);
    return p != NULL;
}

TEST(idle_ones_are_bounded) {
    vgpu_cache *cache = *state;
    char text[128];
    struct ptx_error e;
    size_t n = numbered(text, sizeof text, 0);
    struct ptx_module *m = ptx_parse(text, n, &e);
    size_t each = ptx_memory(m) + n;
    ptx_free(m);
    assert_true(each > 1 << 16);
    unsigned fit = (unsigned)(PARSED_IDLE_BYTES / each);
    struct parsed *held = add(cache, text, n, 80);
    parsed_release(parsed_find(cache, text, n, 80)); /* one user of two */
    for (unsigned k = 1; k <= fit + 10; k++) {
        n = numbered(text, sizeof text, k);
        parsed_release(add(cache, text, n, 80));
        assert_true(is_kept(cache, 1) ||
                    k > fit); /* and used: the last to go */
    }
    assert_true(is_kept(cache, 0)); /* a device has it */
    assert_true(is_kept(cache, fit + 10));
    assert_false(is_kept(cache, 2));
    parsed_release(held);
}

TEST(large_ones_are_not_kept) {
    vgpu_cache *cache = *state;
    size_t bytes = PARSED_IMAGE_LIMIT + 1, n = sizeof header - 1;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, ' ', bytes);
    memcpy(text, header, n);
    for (size_t size = bytes; size >= bytes - 1; size--) {
        struct parsed *p = add(cache, text, size, 75);
        struct parsed *q = parsed_find(cache, text, size, 75);
        if (size == bytes)
            assert_null(q);
        else
            assert_ptr_equal(p, q);
        parsed_release(q);
        parsed_release(p);
    }
    free(text);
}

/* ---- devices ---- */

static const char adds[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                           ".visible .global .align 4 .u32 x = 5;\n"
                           ".visible .global .align 8 .u64 at = x;\n"
                           ".visible .entry add (.param .u32 by) {\n"
                           ".reg .b32 %r<3>; .reg .b64 %a;\n"
                           "ld.param.u32 %r1, [by]; ld.global.u64 %a, [at];\n"
                           "ld.global.u32 %r2, [%a]; add.u32 %r2, %r2, %r1;\n"
                           "st.global.u32 [%a], %r2; ret; }\n";

struct user {
    vgpu_cache *cache;
    uint32_t by;
    unsigned rounds, wrong;
};

static bool add_once(vgpu_device *d, uint32_t by, uint32_t *x) {
    const uint32_t one[3] = {1, 1, 1};
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t address;
    size_t bytes;
    bool ok = vgpu_module_load(d, adds, sizeof adds, &m) == VGPU_OK &&
              vgpu_module_kernel(m, "add", &k) == VGPU_OK;
    for (int i = 0; ok && i < 2; i++)
        ok = vgpu_launch(d, k, one, one, 0, &by, sizeof by) == VGPU_OK;
    return ok && vgpu_module_symbol(m, "x", &address, &bytes) == VGPU_OK &&
           vgpu_read(d, x, address, sizeof *x) == VGPU_OK;
}

static void *use(void *argument) {
    struct user *u = argument;
    for (unsigned i = 0; i < u->rounds; i++) {
        uint32_t x = 0;
        vgpu_device *d =
            vgpu_open(&(struct vgpu_options){.cache = u->cache}, NULL);
        if (!d || !add_once(d, u->by, &x) || x != 5 + 2 * u->by) u->wrong++;
        if (d) vgpu_close(d);
    }
    return NULL;
}

TEST(no_bytes_are_no_image) {
    vgpu_module *m = NULL;
    vgpu_device *d = vgpu_open(NULL, NULL);
    assert_non_null(d);
    assert_int_equal(vgpu_module_load(d, "", 0, &m), VGPU_BAD_IMAGE);
    assert_null(m);
    assert_string_equal(vgpu_last_message(d), "the image has no bytes");
    vgpu_close(d);
}

TEST(devices_have_their_own_state) {
    vgpu_cache *cache = *state;
    struct user users[4];
    pthread_t threads[4];
    for (uint32_t k = 0; k < 4; k++) {
        users[k] = (struct user){cache, .by = k + 1, .rounds = 200};
        assert_int_equal(pthread_create(&threads[k], NULL, use, &users[k]), 0);
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(threads[k], NULL);
        assert_int_equal(users[k].wrong, 0);
    }
    struct parsed *p = parsed_find(cache, adds, sizeof adds, 75);
    assert_non_null(p); /* they did share */
    parsed_release(p);
}

TEST(without_a_cache_nothing_is_shared) {
    struct parsed *p = add(*state, adds, sizeof adds, 75);
    struct parsed *mine = add(NULL, adds, sizeof adds, 75);
    assert_ptr_not_equal(parsed_module(p), parsed_module(mine));
    assert_null(parsed_find(NULL, adds, sizeof adds, 75));
    parsed_release(mine);
    parsed_release(p);
}

static int open_cache(void **state) {
    return (*state = vgpu_cache_new()) ? 0 : -1;
}

static int close_cache(void **state) {
    vgpu_cache_free(*state);
    return 0;
}

UNIT_MAIN(open_cache, close_cache)

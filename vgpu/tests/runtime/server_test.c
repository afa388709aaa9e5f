/* SPDX-License-Identifier: MIT
 *
 * server_test.c: the server against clients that are wrong or hostile, byte by
 * byte over a socket pair, with the fake device behind it.
 */
#include "device_hooks.h"
#include "fake_device.h"
#include "protocol.h"
#define UNIT_SET_UP    set_up
#define UNIT_TEAR_DOWN tear_down
#include "unit.h"
#include "said.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct fixture {
    vgpu_device *device;
    vgpu_session *session;
    int client, server;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    f->client = ends[0];
    f->server = ends[1];
    f->device = vgpu_open(NULL, NULL);
    f->session = vgpu_session_new(f->device, f->server);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    vgpu_session_free(f->session);
    assert_int_equal(fake_record(f->device).n_modules, 0);
    vgpu_close(f->device);
    if (f->client >= 0) close(f->client);
    close(f->server);
    free(f);
    return 0;
}

static void send_bytes(struct fixture *f, const void *bytes, size_t n) {
    assert_int_equal(send(f->client, bytes, n, 0), n);
}

static struct vgpu_header header(unsigned request, size_t payload_bytes) {
    return (struct vgpu_header){.magic = VGPU_MAGIC,
                                .version = VGPU_PROTOCOL_VERSION,
                                .request = (uint16_t)request,
                                .sequence = 7,
                                .payload_bytes = (uint32_t)payload_bytes};
}

static void send_request(struct fixture *f, unsigned request, const void *fixed,
                         size_t fixed_bytes, const void *tail,
                         size_t tail_bytes) {
    struct vgpu_header h = header(request, fixed_bytes + tail_bytes);
    send_bytes(f, &h, sizeof h);
    send_bytes(f, fixed, fixed_bytes);
    if (tail_bytes) send_bytes(f, tail, tail_bytes);
}
#define SEND(f, name, tail, tail_bytes, ...)                                   \
    do {                                                                       \
        struct vgpu_request_##name request_ = {__VA_ARGS__};                   \
        send_request(f, VGPU_REQUEST_##name, &request_, sizeof request_, tail, \
                     tail_bytes);                                              \
    } while (0)

/* The error of the next reply; its payload goes to `to`. */
static int receive(struct fixture *f, void *to, size_t capacity) {
    struct vgpu_reply_header reply;
    assert_int_equal(recv(f->client, &reply, sizeof reply, MSG_DONTWAIT),
                     sizeof reply);
    assert_int_equal(reply.header.magic, VGPU_MAGIC);
    assert_int_equal(reply.header.sequence, 7);
    assert_true(reply.header.payload_bytes <= capacity);
    assert_int_equal(
        recv(f->client, to, reply.header.payload_bytes, MSG_WAITALL),
        reply.header.payload_bytes);
    return reply.error;
}

static void expect_violation(struct fixture *f, const char *words) {
    const struct vgpu_finding *findings;
    assert_int_equal(vgpu_session_step(f->session), -1);
    assert_int_equal(vgpu_findings(f->device, &findings), 1);
    assert_int_equal(findings[0].kind, VGPU_FINDING_PROTOCOL);
    assert_non_null(strstr(said_by(&findings[0]), words));
    /* and it stays broken */
    assert_int_equal(vgpu_session_step(f->session), -1);
    assert_int_equal(vgpu_findings(f->device, &findings), 1);
}

TEST(nothing_sent_is_no_event) {
    struct fixture *f = *state;
    assert_true(vgpu_session_step(f->session) > 0);
}

TEST(closed_channel_ends_the_session) {
    struct fixture *f = *state;
    close(f->client);
    f->client = -1;
    assert_int_equal(vgpu_session_step(f->session), 0);
}

TEST(rubbish_is_a_violation_and_is_quoted) {
    struct fixture *f = *state;
    send_bytes(f, "score: 100 of 100 points\n", 25);
    expect_violation(f, "score: 100 of");
}

TEST(one_byte_of_rubbish_is_enough) {
    struct fixture *f = *state;
    send_bytes(f, "x", 1);
    expect_violation(f, "no request begins like this");
}

TEST(violation_names_the_descriptor) {
    struct fixture *f = *state;
    SEND(f, HELLO, NULL, 0, .fd = 19);
    send_bytes(f, "hello", 5);
    expect_violation(f, "file descriptor 19");
}

TEST(wrong_version) {
    struct fixture *f = *state;
    struct vgpu_header h = header(VGPU_REQUEST_SYNC, 8);
    h.version++;
    send_bytes(f, &h, sizeof h);
    expect_violation(f, "another version");
}

TEST(unknown_request) {
    struct fixture *f = *state;
    struct vgpu_header h = header(VGPU_N_REQUESTS, 8);
    send_bytes(f, &h, sizeof h);
    expect_violation(f, "no such request");
}

TEST_WITH(every_request_refuses_wrong_lengths, NULL, NULL) {
    for (unsigned r = 0; r < VGPU_N_REQUESTS; r++) {
        const struct vgpu_request_row *row = vgpu_request_find(r);
        const uint32_t lengths[] = {row->request_bytes - 1,
                                    row->request_bytes + row->request_tail + 1,
                                    UINT32_MAX};
        for (size_t i = 0; i < 3; i++) {
            struct vgpu_header h = header(r, lengths[i]);
            set_up(state);
            send_bytes(*state, &h, sizeof h);
            expect_violation(*state, "impossible length");
            tear_down(state);
        }
    }
}

TEST(half_a_message_is_not_waited_for) {
    struct fixture *f = *state;
    struct vgpu_header h =
        header(VGPU_REQUEST_MALLOC, sizeof(struct vgpu_request_MALLOC));
    send_bytes(f, &h, 10);
    assert_true(vgpu_session_step(f->session) > 0);
    send_bytes(f, (char *)&h + 10, 6);
    assert_true(vgpu_session_step(f->session) > 0);
    struct vgpu_request_MALLOC request = {.bytes = 64};
    struct vgpu_reply_MALLOC reply;
    send_bytes(f, &request, sizeof request);
    assert_true(vgpu_session_step(f->session) > 0);
    assert_int_equal(receive(f, &reply, sizeof reply), 0);
    assert_int_equal(reply.address, VGPU_ADDRESS_BASE);
}

/* The fake device shares no file; a kind that does not exist is no request. */
TEST(kinds_of_memory) {
    struct fixture *f = *state;
    for (uint32_t kind = VGPU_MEMORY_MANAGED; kind <= VGPU_N_MEMORY_KINDS;
         kind++) {
        struct vgpu_request_MALLOC request = {.bytes = 64, .kind = kind};
        struct vgpu_header h = header(VGPU_REQUEST_MALLOC, sizeof request);
        struct vgpu_reply_MALLOC reply;
        send_bytes(f, &h, sizeof h);
        send_bytes(f, &request, sizeof request);
        if (kind == VGPU_N_MEMORY_KINDS) {
            expect_violation(f, "no such kind of memory");
            return;
        }
        assert_true(vgpu_session_step(f->session) > 0);
        assert_int_equal(receive(f, &reply, sizeof reply), 801);
    }
}

TEST(death_in_mid_message_ends_the_session) {
    struct fixture *f = *state;
    const struct vgpu_finding *findings;
    struct vgpu_header h =
        header(VGPU_REQUEST_MALLOC, sizeof(struct vgpu_request_MALLOC));
    send_bytes(f, &h, sizeof h);
    close(f->client);
    f->client = -1;
    /* The step that reads what came may see the end as well. */
    if (vgpu_session_step(f->session) > 0)
        assert_int_equal(vgpu_session_step(f->session), 0);
    assert_int_equal(vgpu_findings(f->device, &findings), 0);
}

TEST(a_client_that_does_not_read_is_given_up) {
    struct fixture *f = *state;
    int result = 1;
    uint64_t address;
    char big[4096] = {0};
    vgpu_malloc(f->device, VGPU_CHUNK, &address);
    vgpu_write(f->device, address, big, sizeof big);
    for (int i = 0; i < 8 && result > 0; i++) {
        SEND(f, READ, NULL, 0, .from = address, .total = VGPU_CHUNK,
             .bytes = VGPU_CHUNK);
        result = vgpu_session_step(f->session);
    }
    assert_int_equal(result, -1);
    expect_violation(f, "does not read its replies");
}

/* Each a request that is well formed and wrong; each must get an error. */
TEST(wrong_handles_get_errors) {
    struct fixture *f = *state;
    char payload[64];
    SEND(f, LAUNCH, NULL, 0, .kernel = 5);
    SEND(f, SET_SMEM, NULL, 0, .kernel = 0xFFFFFFFF);
    SEND(f, MAX_BLOCKS, NULL, 0, .kernel = 1, .threads = 32);
    SEND(f, KERNEL, "k", 1, .image = 3);
    SEND(f, SYMBOL, "s", 1, .image = 3);
    SEND(f, IMAGE_DATA, "xyz", 3, .image = 9);
    SEND(f, IMAGE_LOAD, NULL, 0, .image = 0);
    SEND(f, IMAGE_UNLOAD, NULL, 0, .image = 0);
    SEND(f, FREE, NULL, 0, .address = 12345);
    SEND(f, POINTER, NULL, 0, .address = 12345);
    SEND(f, IMAGE_BEGIN, NULL, 0, .bytes = UINT64_MAX);
    SEND(f, MALLOC, NULL, 0, .bytes = UINT64_MAX);
    assert_true(vgpu_session_step(f->session) > 0);
    for (int i = 0; i < 12; i++)
        assert_int_not_equal(receive(f, payload, sizeof payload), 0);
}

TEST(chunks_outside_their_copy_are_violations) {
    struct fixture *f = *state;
    SEND(f, READ, NULL, 0, .from = VGPU_ADDRESS_BASE, .total = 8,
         .offset = UINT64_MAX, .bytes = 8);
    expect_violation(f, "chunk outside");
}

TEST(a_copy_past_the_end_writes_nothing) {
    struct fixture *f = *state;
    const struct vgpu_finding *findings;
    char payload[64], back[8] = {0};
    uint64_t address;
    vgpu_malloc(f->device, 8, &address);
    vgpu_name(f->device, address, "d_out");
    vgpu_fill(f->device, address, 1, 8);
    SEND(f, WRITE, "abcd", 4, .to = address, .total = 9);
    assert_true(vgpu_session_step(f->session) > 0);
    assert_int_equal(receive(f, payload, sizeof payload), 1);
    vgpu_read(f->device, back, address, 8);
    assert_memory_equal(back, "\1\1\1\1\1\1\1\1", 8);
    assert_int_equal(vgpu_findings(f->device, &findings), 1);
    assert_int_equal(findings[0].kind, VGPU_FINDING_HOST_MISUSE);
    assert_non_null(strstr(said_by(&findings[0]), "d_out"));
}

TEST(what_others_own_is_safe) {
    struct fixture *f = *state;
    const struct vgpu_finding *findings;
    char payload[64];
    uint64_t address;
    vgpu_malloc(f->device, 8, &address);
    vgpu_own(f->device, address);
    vgpu_protect(f->device, address, true);
    SEND(f, FREE, NULL, 0, .address = address);
    SEND(f, WRITE, "abcdefgh", 8, .to = address, .total = 8);
    SEND(f, FILL, NULL, 0, .to = address, .bytes = 8);
    assert_true(vgpu_session_step(f->session) > 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(receive(f, payload, sizeof payload), 1);
    assert_int_equal(vgpu_findings(f->device, &findings), 3);
    assert_int_equal(fake_record(f->device).n_allocations, 1);
}

TEST(image_longer_than_announced) {
    struct fixture *f = *state;
    SEND(f, IMAGE_BEGIN, NULL, 0, .bytes = 4);
    SEND(f, IMAGE_DATA, "12345", 5, .image = 0);
    expect_violation(f, "more image than announced");
}

TEST(announced_size_costs_nothing) {
    struct fixture *f = *state;
    struct rusage before, after;
    struct vgpu_reply_IMAGE_BEGIN reply;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 1000; i++) {
        SEND(f, IMAGE_BEGIN, NULL, 0, .bytes = VGPU_IMAGE_MAX);
        assert_true(vgpu_session_step(f->session) > 0);
        assert_int_equal(receive(f, &reply, sizeof reply), 0);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 10240);
}

TEST(faults_show_at_the_next_call_and_stay) {
    struct fixture *f = *state;
    struct vgpu_reply_IMAGE_BEGIN image;
    struct vgpu_reply_KERNEL kernel;
    char payload[64];
    SEND(f, IMAGE_BEGIN, NULL, 0, .bytes = 3);
    SEND(f, IMAGE_DATA, "ptx", 3, .image = 0);
    SEND(f, IMAGE_LOAD, NULL, 0, .image = 0);
    SEND(f, KERNEL, "k0", 2, .image = 0);
    fake_next_launch(f->device, VGPU_ILLEGAL_ADDRESS);
    SEND(f, LAUNCH, NULL, 0, .kernel = 0, .grid = {1, 1, 1},
         .block = {32, 1, 1});
    SEND(f, SYNC, NULL, 0, 0);
    SEND(f, MALLOC, NULL, 0, .bytes = 4);
    assert_true(vgpu_session_step(f->session) > 0);
    assert_int_equal(receive(f, &image, sizeof image), 0);
    assert_int_equal(receive(f, payload, sizeof payload), 0);
    assert_int_equal(receive(f, payload, sizeof payload), 0);
    assert_int_equal(receive(f, &kernel, sizeof kernel), 0);
    assert_int_equal(receive(f, payload, sizeof payload), 0);
    assert_int_equal(receive(f, payload, sizeof payload), 700);
    assert_int_equal(receive(f, payload, sizeof payload), 700);
}

TEST(misuse_floods_are_cut_off) {
    struct fixture *f = *state;
    const struct vgpu_finding *findings;
    char payload[64];
    for (int i = 0; i < 1000; i++) {
        SEND(f, MISUSE, NULL, 0, .misuse = VGPU_MISUSE_COPY_KIND,
             .call = VGPU_CALL_cudaMemcpy);
        assert_true(vgpu_session_step(f->session) > 0);
        assert_int_equal(receive(f, payload, sizeof payload), 0);
    }
    assert_in_range(vgpu_findings(f->device, &findings), 1, 64);
}

TEST(what_a_program_told_last_is_heard_after_its_end) {
    struct fixture *f = *state;
    const struct vgpu_finding *findings;
    fake_end_time(f->device);
    usleep(30000); /* time is looked at every 20 ms */
    SEND(f, FAULT, NULL, 0, .address = 64);
    SEND(f, SYNC, NULL, 0, 0);
    assert_int_equal(vgpu_session_step(f->session), 0);
    assert_int_equal(vgpu_findings(f->device, &findings), 1);
}

TEST(misuse_must_name_a_call) {
    struct fixture *f = *state;
    SEND(f, MISUSE, NULL, 0, .misuse = 0, .call = VGPU_N_CALLS);
    expect_violation(f, "no such misuse");
}

TEST(a_hundred_thousand_tiny_requests) {
    struct fixture *f = *state;
    char payload[64];
    for (int i = 0; i < 100000; i++) {
        SEND(f, SYNC, NULL, 0, 0);
        assert_true(vgpu_session_step(f->session) > 0);
        assert_int_equal(receive(f, payload, sizeof payload), 0);
    }
}

/* Random bytes after a good header, for every request: no crash, and the
 * session either answers, waits or is over. Seeds are the loop's index. */
TEST_WITH(random_payloads, NULL, NULL) {
    unsigned char tail[512];
    for (unsigned seed = 0; seed < 3000; seed++) {
        set_up(state);
        struct fixture *f = *state;
        srand(seed);
        for (int i = 0; i < 8; i++) {
            unsigned r = (unsigned)rand() % VGPU_N_REQUESTS;
            const struct vgpu_request_row *row = vgpu_request_find(r);
            size_t n = row->request_bytes;
            if (row->request_tail) n += (size_t)rand() % 100;
            for (size_t b = 0; b < sizeof tail; b++)
                tail[b] = rand() % 3 ? 0 : (unsigned char)rand();
            struct vgpu_header h = header(r, n);
            send_bytes(f, &h, sizeof h);
            send_bytes(f, tail, n);
        }
        assert_in_range(vgpu_session_step(f->session) + 1, 0, 2);
        tear_down(state);
    }
}

UNIT_MAIN(NULL, NULL)

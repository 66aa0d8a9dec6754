/* Packets between daemon and worker: cut and put together, and everything that a
 * worker gone bad might send. Also the names of sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "executor/frame.h"
#include "executor/sources.h"

static int pair[2];
static struct frame f;

static int set_up(void **state)
{
	(void)state;
	frame_init(&f, 200000);
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
}

static int tear_down(void **state)
{
	(void)state;
	frame_done(&f);
	close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
	return 0;
}

static struct frame_wait in_ms(uint32_t ms)
{
	return (struct frame_wait){clock_mono_ms() + ms, -1};
}

struct message {
	const void *bytes;
	size_t n;
};

/* A large message does not fit into the socket's buffer: it takes two to send it. */
static void *send_message(void *arg)
{
	const struct message *m = arg;
	struct frame_wait w = in_ms(5000);

	return (void *)(intptr_t)frame_send(pair[0], FRAME_REPLY, 5, m->bytes, m->n, &w);
}

static void test_sends_messages_of_any_size(void **state)
{
	static const size_t sizes[] = {0, 1, FRAME_PACKET - FRAME_HEAD - 1,
	    FRAME_PACKET - FRAME_HEAD, FRAME_PACKET - FRAME_HEAD + 1, 199999, 200000};
	char *bytes = malloc(200000);

	(void)state;
	for (size_t i = 0; i < 200000; i++)
		bytes[i] = (char)(i * 7 % 251);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct frame_wait w = in_ms(5000);
		struct message m = {bytes, sizes[i]};
		void *sent;
		pthread_t t;

		assert_int_equal(pthread_create(&t, NULL, send_message, &m), 0);
		assert_int_equal(frame_recv(pair[1], &f, &w), 0);
		pthread_join(t, &sent);
		assert_null(sent);
		assert_int_equal(f.type, FRAME_REPLY);
		assert_int_equal(f.id, 5);
		assert_int_equal(f.payload.len, sizes[i]);
		assert_memory_equal(f.payload.data, bytes, sizes[i]);
	}
	free(bytes);
}

/* A packet of four header fields and n bytes. */
static int take(uint32_t type, uint32_t id, uint32_t total, uint32_t offset, size_t n)
{
	static uint8_t packet[FRAME_PACKET + 1];
	uint32_t head[4] = {type, id, total, offset};

	memcpy(packet, head, sizeof(head)); /* little endian here */
	return frame_take(&f, packet, FRAME_HEAD + n);
}

static void test_refuses_packets_that_do_not_fit_together(void **state)
{
	static const uint32_t bad_types[] = {0, 7, 99, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_types); i++) {
		frame_clear(&f);
		assert_int_equal(take(bad_types[i], 1, 10, 0, 10), ERR_PROTOCOL);
	}
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 200001, 0, 100), ERR_PROTOCOL); /* over the cap */
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, UINT32_MAX, 0, 100), ERR_PROTOCOL);
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 10, 0, 11), ERR_PROTOCOL); /* more than its total */
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 10, 5, 5), ERR_PROTOCOL); /* does not begin at 0 */
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 10, 0, 0), ERR_PROTOCOL); /* brings nothing */
	frame_clear(&f);
	assert_int_equal(frame_take(&f, "short", 5), ERR_PROTOCOL);
	assert_int_equal(
	    take(FRAME_REPLY, 1, FRAME_PACKET, 0, FRAME_PACKET - FRAME_HEAD + 1), ERR_PROTOCOL);
	/* The second packet differs from the first in one field. */
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 20, 0, 10), 0);
	assert_int_equal(take(FRAME_ERROR, 1, 20, 10, 10), ERR_PROTOCOL);
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 20, 0, 10), 0);
	assert_int_equal(take(FRAME_REPLY, 2, 20, 10, 10), ERR_PROTOCOL);
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 20, 0, 10), 0);
	assert_int_equal(take(FRAME_REPLY, 1, 30, 10, 10), ERR_PROTOCOL);
	frame_clear(&f);
	assert_int_equal(take(FRAME_REPLY, 1, 20, 0, 10), 0);
	assert_int_equal(take(FRAME_REPLY, 1, 20, 10, 10), 1);
}

static void test_waits_for_the_clock_the_cancel_and_the_other_end(void **state)
{
	struct frame_wait w = in_ms(50), c = {clock_mono_ms() + 5000, eventfd(1, 0)};
	uint64_t start = clock_mono_ms();

	(void)state;
	assert_int_equal(frame_recv(pair[1], &f, &w), ERR_TIMEOUT);
	assert_in_range(clock_mono_ms() - start, 45, 1000);
	assert_int_equal(frame_recv(pair[1], &f, &c), ERR_CANCELLED);
	assert_int_equal(send(pair[0], "garbage", 7, 0), 7);
	w = in_ms(1000);
	assert_int_equal(frame_recv(pair[1], &f, &w), ERR_PROTOCOL);
	close(pair[1]);
	pair[1] = -1;
	assert_int_equal(frame_recv(pair[0], &f, &w), ERR_UNAVAILABLE);
	assert_int_equal(frame_send(pair[0], FRAME_CALL, 1, "x", 1, &w), ERR_UNAVAILABLE);
	close(c.cancel_fd);
}

static void test_carries_errors_and_refuses_broken_ones(void **state)
{
	struct err e = ERR_INIT, got = ERR_INIT;
	struct strbuf b;

	(void)state;
	err_set(&e, ERR_SYNTAX, PHASE_PARSE, "what is %s", "wrong");
	err_fix(&e, "do this");
	e.line = 3;
	e.column = 9;
	e.retry = true;
	strbuf_init(&b, 4096);
	frame_put_err(&b, &e);
	assert_int_equal(frame_get_err(b.data, b.len, &got), 0);
	assert_int_equal(got.code, ERR_SYNTAX);
	assert_int_equal(got.phase, PHASE_PARSE);
	assert_string_equal(got.text, "what is wrong");
	assert_string_equal(got.fix, "do this");
	assert_int_equal(got.column, 9);
	assert_true(got.retry);
	assert_false(got.details_omitted);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(frame_get_err(b.data, n, &got), ERR_PROTOCOL);
	for (size_t i = 0; i < b.len; i++) { /* no byte crashes it; a broken text is refused */
		char keep = b.data[i];

		b.data[i] = (char)0xff;
		(void)frame_get_err(b.data, b.len, &got);
		b.data[i] = keep;
	}
	b.data[0] = 0; /* code 0 */
	assert_int_equal(frame_get_err(b.data, b.len, &got), ERR_PROTOCOL);
	b.data[0] = (char)200;
	assert_int_equal(frame_get_err(b.data, b.len, &got), ERR_PROTOCOL);
	strbuf_done(&b);
}

static int load(const char *yaml, bool adhoc, struct arena *a, struct sources *s, struct err *e)
{
	struct yaml_node *root;

	assert_int_equal(yaml_parse(a, "x.yaml", yaml, strlen(yaml), &root, e), 0);
	return sources_load(a, yaml_get(root, "sources"), adhoc, s, e);
}

static void test_a_configured_name_never_takes_a_path_from_a_message(void **state)
{
	struct arena a = ARENA_INIT;
	struct sources s;
	struct err e = ERR_INIT;
	const char *path = NULL;

	(void)state;
	arena_init(&a);
	assert_int_equal(
	    load("sources:\n  - {name: sales, path: /d/s.db}\n", false, &a, &s, &e), 0);
	assert_int_equal(sources_resolve(&s, "sales", NULL, &path, &e), 0);
	assert_string_equal(path, "/d/s.db");
	assert_int_equal(sources_resolve(&s, "sales", "/etc/passwd", &path, &e), ERR_DENIED);
	assert_int_equal(sources_resolve(&s, "other", "/d/o.db", &path, &e), ERR_DENIED);
	assert_int_equal(sources_resolve(&s, "other", NULL, &path, &e), ERR_NOT_FOUND);
	s.adhoc = true;
	assert_int_equal(sources_resolve(&s, "sales", "/etc/passwd", &path, &e), ERR_DENIED);
	assert_int_equal(sources_resolve(&s, "other", "/d/o.db", &path, &e), 0);
	assert_string_equal(path, "/d/o.db");
	assert_int_equal(sources_resolve(&s, "other", "d/o.db", &path, &e), ERR_BAD_INPUT);
	arena_done(&a);
}

static void test_refuses_settings_of_sources_that_are_wrong(void **state)
{
	static const char *const texts[] = {"sources: x", "sources:\n  - x",
	    "sources:\n  - {name: a}", "sources:\n  - {path: /x}",
	    "sources:\n  - {name: a, path: x}", "sources:\n  - {name: a b, path: /x}",
	    "sources:\n  - {name: a, path: /x, mode: rw}", "sources:\n  - {name: a, path: [/x]}",
	    "sources:\n  - {name: a, path: /x}\n  - {name: a, path: /y}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct arena a = ARENA_INIT;
		struct sources s;
		struct err e = ERR_INIT;

		arena_init(&a);
		assert_int_equal(load(texts[i], false, &a, &s, &e), ERR_CONFIG);
		assert_non_null(strstr(e.text, "x.yaml:"));
		arena_done(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_sends_messages_of_any_size, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(
	        test_refuses_packets_that_do_not_fit_together, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(
	        test_waits_for_the_clock_the_cancel_and_the_other_end, set_up, tear_down),
	    cmocka_unit_test(test_carries_errors_and_refuses_broken_ones),
	    cmocka_unit_test(test_a_configured_name_never_takes_a_path_from_a_message),
	    cmocka_unit_test(test_refuses_settings_of_sources_that_are_wrong),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

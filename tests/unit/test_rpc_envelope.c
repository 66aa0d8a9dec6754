/* Envelopes: what is checked beyond the form, and the body that is not copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rpc/envelope.h"

static const uint8_t id[WIRE_ID_LEN] = "0123456789abcdef";

static void pack_sample(struct strbuf *out)
{
	Nlq__Envelope env;
	Nlq__Principal principal = NLQ__PRINCIPAL__INIT;
	Nlq__Idle body = NLQ__IDLE__INIT;

	envelope_init(&env, NLQ__KIND__IDLE);
	env.has_request_id = true;
	envelope_bytes(&env.request_id, id, sizeof(id));
	env.has_time_left_ms = true;
	env.time_left_ms = 70000;
	principal.uid = 1000;
	principal.name = (char *)"uid:1000";
	env.principal = &principal;
	body.has_stop = body.stop = true;
	strbuf_init(out, WIRE_MAX_MESSAGE);
	assert_int_equal(envelope_to_strbuf(&env, &body.base, out, NULL), 0);
}

static int unpack(const void *bytes, size_t len, struct err *e)
{
	Nlq__Envelope *env = NULL;
	int rc = envelope_unpack(bytes, len, &env, e);

	envelope_free(env);
	return rc;
}

static void test_body_lies_in_the_message_itself(void **state)
{
	struct strbuf b;
	Nlq__Envelope *env = NULL;
	struct err e = ERR_INIT;

	(void)state;
	pack_sample(&b);
	assert_int_equal(envelope_unpack(b.data, b.len, &env, &e), 0);
	assert_int_equal(env->kind, NLQ__KIND__IDLE);
	assert_int_equal(env->time_left_ms, 70000);
	assert_string_equal(env->principal->name, "uid:1000");
	assert_memory_equal(env->request_id.data, id, sizeof(id));
	assert_int_equal(env->body.len, 2);
	assert_memory_equal(env->body.data, "\x08\x01", 2);
	assert_ptr_equal(env->body.data, b.data + b.len - 2);
	envelope_free(env);
	strbuf_done(&b);
}

static void test_any_order_of_fields_is_read(void **state)
{
	/* body, version, kind */
	static const uint8_t bytes[] = {0x52, 2, 'h', 'i', 0x08, 1, 0x10, 2};
	Nlq__Envelope *env = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(envelope_unpack(bytes, sizeof(bytes), &env, &e), 0);
	assert_int_equal(env->body.len, 2);
	assert_memory_equal(env->body.data, "hi", 2);
	envelope_free(env);
}

static void test_body_twice_is_refused(void **state)
{
	static const uint8_t bytes[] = {0x52, 1, 'a', 0x08, 1, 0x10, 2, 0x52, 1, 'b'};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(unpack(bytes, sizeof(bytes), &e), ERR_PROTOCOL);
	assert_non_null(strstr(e.text, "twice"));
}

static void test_every_prefix_and_bit_flip_is_refused_or_valid(void **state)
{
	struct strbuf b;

	(void)state;
	pack_sample(&b);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len + 1);
		struct err e = ERR_INIT;

		memcpy(copy, b.data, len);
		if (unpack(copy, len, &e))
			assert_int_equal(e.code, ERR_PROTOCOL);
		free(copy);
	}
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		struct err e = ERR_INIT;

		b.data[bit / 8] ^= (char)(1 << bit % 8);
		if (unpack(b.data, b.len, &e))
			assert_true(e.code == ERR_PROTOCOL || e.code == ERR_VERSION);
		b.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	strbuf_done(&b);
}

static void test_version_kind_and_ids_are_checked(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(unpack("\x08\x02\x10\x02", 4, &e), ERR_VERSION);
	assert_true(e.fix[0]);
	assert_int_equal(unpack("\x08\x01\x10\x00", 4, &e), ERR_PROTOCOL);
	assert_int_equal(unpack("\x08\x01\x10\x02\x1a\x01x", 7, &e), ERR_PROTOCOL);
	assert_int_equal(unpack("\x08\x01\x10\x02\x22\x01x", 7, &e), ERR_PROTOCOL);
	assert_int_equal(unpack("\x08\x01\x10\x02", 4, &e), 0);
}

static void test_size_is_checked_with_the_body(void **state)
{
	Nlq__Envelope env;
	Nlq__Chunk chunk = NLQ__CHUNK__INIT;
	uint8_t *big = calloc(1, WIRE_MAX_MESSAGE);
	nng_msg *msg = NULL;
	struct err e = ERR_INIT;

	(void)state;
	envelope_init(&env, NLQ__KIND__CHUNK);
	envelope_bytes(&chunk.data, big, WIRE_MAX_BODY);
	assert_int_equal(envelope_to_msg(&env, &chunk.base, &msg, &e), 0);
	assert_true(nng_msg_len(msg) <= WIRE_MAX_MESSAGE);
	assert_int_equal(unpack(nng_msg_body(msg), nng_msg_len(msg), &e), 0);
	nng_msg_free(msg);
	envelope_bytes(&chunk.data, big, WIRE_MAX_MESSAGE - 5);
	assert_int_equal(envelope_to_msg(&env, &chunk.base, &msg, &e), ERR_TOO_LARGE);
	free(big);
}

static void test_failure_with_broken_text_still_has_its_code(void **state)
{
	struct err failure = {
	    .code = ERR_UNKNOWN_TABLE, .phase = PHASE_RESOLVE, .text = "no table \xff"};
	nng_msg *msg = envelope_failed(&failure);
	Nlq__Envelope *env = NULL;
	struct err e = ERR_INIT, back;

	(void)state;
	assert_non_null(msg);
	assert_int_equal(envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, &e), 0);
	wire_error_to_err(&back, env->error);
	assert_int_equal(back.code, ERR_UNKNOWN_TABLE);
	assert_int_equal(back.phase, PHASE_RESOLVE);
	envelope_free(env);
	nng_msg_free(msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_body_lies_in_the_message_itself),
	    cmocka_unit_test(test_any_order_of_fields_is_read),
	    cmocka_unit_test(test_body_twice_is_refused),
	    cmocka_unit_test(test_every_prefix_and_bit_flip_is_refused_or_valid),
	    cmocka_unit_test(test_version_kind_and_ids_are_checked),
	    cmocka_unit_test(test_size_is_checked_with_the_body),
	    cmocka_unit_test(test_failure_with_broken_text_still_has_its_code),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

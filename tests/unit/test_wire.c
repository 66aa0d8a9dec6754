/* Decoding of messages: what is refused, and that nothing crashes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents.pb-c.h"
#include "client.pb-c.h"
#include "common/wire/scan.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"

#define MSG(m) ((const ProtobufCMessage *)(m))

static void refuses(
    const ProtobufCMessageDescriptor *d, const void *bytes, size_t len, const char *why)
{
	ProtobufCMessage *m = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(wire_unpack(d, bytes, len, &m, &e), ERR_PROTOCOL);
	assert_null(m);
	assert_int_equal(e.phase, PHASE_RPC);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
}

static void accepts(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len)
{
	ProtobufCMessage *m = NULL;
	struct err e = ERR_INIT;

	if (wire_unpack(d, bytes, len, &m, &e))
		fail_msg("refused: %s", e.text);
	wire_free(m);
}

#define REFUSES(d, why, ...) \
	refuses(&(d), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), why)
#define ACCEPTS(d, ...) \
	accepts(&(d), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* A message with every kind of field in it: nested, repeated, optional. */
static void pack_sample(struct strbuf *out)
{
	Nlq__Value v[3] = {NLQ__VALUE__INIT, NLQ__VALUE__INIT, NLQ__VALUE__INIT};
	Nlq__FoundValue hit[3];
	Nlq__FoundValue *hits[3];
	Nlq__FindValuesReply reply = NLQ__FIND_VALUES_REPLY__INIT;
	struct err e = ERR_INIT;

	v[0].has_i = true;
	v[0].i = -7;
	v[1].has_r = true;
	v[1].r = 2.5;
	v[2].has_text = true;
	v[2].text = (ProtobufCBinaryData){6, (uint8_t *)"\xe5\x8e\x9f\xe6\xb2\xb9"};
	for (int i = 0; i < 3; i++) {
		nlq__found_value__init(&hit[i]);
		hit[i].span = (uint32_t)i * 100;
		hit[i].table = (char *)"production";
		hit[i].column = (char *)"\xe4\xba\xa7\xe9\x87\x8f";
		hit[i].value = &v[i];
		hit[i].has_partial = i == 1;
		hits[i] = &hit[i];
	}
	reply.n_hits = 3;
	reply.hits = hits;
	strbuf_init(out, WIRE_MAX_MESSAGE);
	assert_int_equal(wire_pack(out, MSG(&reply), &e), 0);
}

static void test_message_survives_a_round_trip(void **state)
{
	struct strbuf b;
	ProtobufCMessage *m = NULL;
	struct err e = ERR_INIT;

	(void)state;
	pack_sample(&b);
	assert_int_equal(
	    wire_unpack(&nlq__find_values_reply__descriptor, b.data, b.len, &m, &e), 0);
	Nlq__FindValuesReply *r = (Nlq__FindValuesReply *)m;
	assert_int_equal(r->n_hits, 3);
	assert_int_equal(r->hits[0]->value->i, -7);
	assert_true(r->hits[1]->value->r > 2.4 && r->hits[1]->value->r < 2.6);
	assert_string_equal(r->hits[2]->column, "\xe4\xba\xa7\xe9\x87\x8f");
	wire_free(m);
	strbuf_done(&b);
}

static void test_every_prefix_and_bit_flip_is_refused_or_valid(void **state)
{
	const ProtobufCMessageDescriptor *d = &nlq__find_values_reply__descriptor;
	struct strbuf b;
	size_t valid = 0;

	(void)state;
	pack_sample(&b);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len + 1); /* exact size: a read past it is seen by ASan */
		ProtobufCMessage *m = NULL;

		memcpy(copy, b.data, len);
		if (wire_unpack(d, copy, len, &m, NULL) == 0) {
			valid++;
			wire_free(m);
		}
		free(copy);
	}
	/* Only a cut between two of the three hits leaves a message. */
	assert_int_equal(valid, 3);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		ProtobufCMessage *m = NULL;
		struct strbuf again;

		b.data[bit / 8] ^= (char)(1 << bit % 8);
		if (wire_unpack(d, b.data, b.len, &m, NULL) == 0) {
			strbuf_init(&again, WIRE_MAX_MESSAGE);
			assert_int_equal(wire_pack(&again, m, NULL), 0);
			assert_int_equal(again.len, b.len);
			strbuf_done(&again);
			wire_free(m);
		}
		b.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	strbuf_done(&b);
}

static void test_refuses_what_we_would_not_write(void **state)
{
	(void)state;
	REFUSES(nlq__idle__descriptor, "unknown field", 0x10, 1);
	REFUSES(nlq__idle__descriptor, "appears twice", 0x08, 1, 0x08, 0);
	REFUSES(nlq__idle__descriptor, "out of range", 0x08, 2);
	REFUSES(nlq__idle__descriptor, "cut off", 0x08);
	REFUSES(nlq__idle__descriptor, "cut off", 0x08, 0x81, 0x00); /* overlong 1 */
	REFUSES(nlq__idle__descriptor, "wrong wire type", 0x0a, 1, 0);
	REFUSES(nlq__idle__descriptor, "wrong wire type", 0x0b, 0x0c); /* group */
	REFUSES(nlq__idle__descriptor, "broken tag", 0x80);
	ACCEPTS(nlq__idle__descriptor, 0x08, 1);
	accepts(&nlq__idle__descriptor, "", 0);
	refuses(&nlq__envelope__descriptor, "", 0, "version is missing");
	REFUSES(nlq__envelope__descriptor, "kind is out of range", 0x08, 1, 0x10, 99);
	REFUSES(
	    nlq__budget__descriptor, "rows is out of range", 0x08, 0xff, 0xff, 0xff, 0xff, 0x1f);
	ACCEPTS(nlq__budget__descriptor, 0x08, 0xff, 0xff, 0xff, 0xff, 0x0f);
	/* 11 bytes, and 10 bytes with more than 64 bits */
	REFUSES(nlq__value__descriptor, "cut off", 8, 255, 255, 255, 255, 255, 255, 255, 255, 255,
	    255, 1);
	REFUSES(
	    nlq__value__descriptor, "cut off", 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2);
	ACCEPTS(nlq__value__descriptor, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
	/* packed form of a repeated number: nothing of ours writes it */
	REFUSES(nlq__catalog_key__descriptor, "wrong wire type", 0x0a, 2, 1, 2);
}

static void test_refuses_broken_text_and_nan(void **state)
{
	const double nan_value = NAN, inf = INFINITY;
	uint8_t real[9] = {0x11};

	(void)state;
	REFUSES(nlq__source_ref__descriptor, "NUL", 0x0a, 2, 'a', 0);
	REFUSES(nlq__source_ref__descriptor, "UTF-8", 0x0a, 2, 0xc0, 0x80);
	REFUSES(nlq__source_ref__descriptor, "cut off", 0x0a, 3, 'a', 'b');
	ACCEPTS(nlq__value__descriptor, 0x22, 2, 'a', 0); /* bytes may hold anything */
	memcpy(real + 1, &nan_value, 8);
	refuses(&nlq__value__descriptor, real, 9, "not a number");
	memcpy(real + 1, &inf, 8);
	accepts(&nlq__value__descriptor, real, 9);
	refuses(&nlq__value__descriptor, real, 8, "cut off");
}

static void test_sender_is_told_about_broken_text(void **state)
{
	Nlq__SourceRef m = NLQ__SOURCE_REF__INIT;
	struct err e = ERR_INIT;
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 1000);
	strbuf_puts(&b, "before");
	m.name = (char *)"caf\xe9";
	assert_int_equal(wire_pack(&b, MSG(&m), &e), ERR_PROTOCOL);
	assert_string_equal(b.data, "before");
	assert_int_equal(b.len, 6);
	strbuf_done(&b);
}

static void test_sizes_at_the_limit(void **state)
{
	Nlq__Value m = NLQ__VALUE__INIT;
	const size_t overhead = 5; /* tag and a length of four bytes */
	uint8_t *big = calloc(1, WIRE_MAX_MESSAGE);

	(void)state;
	m.has_blob = true;
	for (int delta = -1; delta <= 1; delta++) {
		struct err e = ERR_INIT;
		struct strbuf b;

		strbuf_init(&b, 2 * (size_t)WIRE_MAX_MESSAGE);
		m.blob = (ProtobufCBinaryData){WIRE_MAX_MESSAGE - overhead + (size_t)delta, big};
		assert_int_equal(wire_pack(&b, MSG(&m), &e), delta > 0 ? ERR_TOO_LARGE : 0);
		assert_int_equal(b.failed, false);
		assert_int_equal(b.len, delta > 0 ? 0 : WIRE_MAX_MESSAGE + (size_t)delta);
		if (delta > 0)
			assert_true(e.fix[0]);
		else
			accepts(&nlq__value__descriptor, b.data, b.len);
		strbuf_done(&b);
	}
	refuses(&nlq__value__descriptor, big, (size_t)WIRE_MAX_MESSAGE + 1, "limit");
	free(big);
}

/* n empty values: two bytes each on the wire, over a hundred in memory. */
static uint8_t *empty_values(size_t n)
{
	uint8_t *p = malloc(2 * n);

	for (size_t i = 0; i < n; i++) {
		p[2 * i] = 0x5a; /* CatalogColumn.domain */
		p[2 * i + 1] = 0;
	}
	return p;
}

static void test_memory_and_counts_are_capped(void **state)
{
	uint8_t head[] = {0x0a, 0, 0x12, 0, 0x18, 0};
	size_t n = SCAN_MAX_FIELDS;
	uint8_t *p = empty_values(n + 3);

	(void)state;
	memcpy(p, head, sizeof(head));
	refuses(&nlq__catalog_column__descriptor, p, 2 * (n + 3), "too many fields");
	/* within the count, but not within the memory that its size allows */
	refuses(&nlq__catalog_column__descriptor, p, 2 * (n / 2), "memory");
	/* a small one is fine: the fixed part of the cap */
	accepts(&nlq__catalog_column__descriptor, p, 200);
	free(p);
}

static void lint_message(const ProtobufCMessageDescriptor *d, unsigned depth)
{
	assert_true(depth <= SCAN_MAX_DEPTH); /* recursion would end here */
	assert_true(d->n_fields <= 64);
	for (unsigned i = 0; i < d->n_fields; i++) {
		assert_false(d->fields[i].flags & PROTOBUF_C_FIELD_FLAG_PACKED);
		if (d->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
			lint_message(d->fields[i].descriptor, depth + 1);
	}
}

static void test_message_types_are_flat_enough(void **state)
{
	(void)state;
	lint_message(&nlq__envelope__descriptor, 0);
	lint_message(&nlq__ground_request__descriptor, 0);
	lint_message(&nlq__ground_reply__descriptor, 0);
	lint_message(&nlq__step_request__descriptor, 0);
	lint_message(&nlq__verify_request__descriptor, 0);
	lint_message(&nlq__verify_reply__descriptor, 0);
	lint_message(&nlq__trace_show_reply__descriptor, 0);
	lint_message(&nlq__status_reply__descriptor, 0);
	lint_message(&nlq__events__descriptor, 0);
	lint_message(&nlq__result__descriptor, 0);
}

static void test_errors_keep_their_fields(void **state)
{
	struct err e = ERR_INIT, back;
	Nlq__Error m;

	(void)state;
	err_set(&e, ERR_UNKNOWN_COLUMN, PHASE_RESOLVE, "orders has no column x");
	err_fix(&e, "it has order_date");
	e.line = 3;
	e.retry = true;
	wire_error_from_err(&m, &e);
	wire_error_to_err(&back, &m);
	assert_int_equal(back.code, ERR_UNKNOWN_COLUMN);
	assert_int_equal(back.phase, PHASE_RESOLVE);
	assert_string_equal(back.text, e.text);
	assert_string_equal(back.fix, e.fix);
	assert_int_equal(back.line, 3);
	assert_true(back.retry);
	m.code = 4000000000u;
	m.phase = 4000000000u;
	wire_error_to_err(&back, &m);
	assert_int_equal(back.code, ERR_INTERNAL);
	assert_int_equal(back.phase, PHASE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_message_survives_a_round_trip),
	    cmocka_unit_test(test_every_prefix_and_bit_flip_is_refused_or_valid),
	    cmocka_unit_test(test_refuses_what_we_would_not_write),
	    cmocka_unit_test(test_refuses_broken_text_and_nan),
	    cmocka_unit_test(test_sender_is_told_about_broken_text),
	    cmocka_unit_test(test_sizes_at_the_limit),
	    cmocka_unit_test(test_memory_and_counts_are_capped),
	    cmocka_unit_test(test_message_types_are_flat_enough),
	    cmocka_unit_test(test_errors_keep_their_fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

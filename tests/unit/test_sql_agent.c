/* STEP through its messages: what goes in, what comes out, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agents.pb-c.h"
#include "common/model/pb_grounding.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"
#include "sql_agent/handlers.h"
#include "tests/lib/compose_kit.h"

struct step {
	struct kit k;
	struct strbuf request, reply;
	Nlq__StepReply *out;
	struct err e;
	int rc;
};

static void open_step(struct step *s)
{
	memset(s, 0, sizeof(*s));
	kit_open(&s->k, kit_music);
	strbuf_init(&s->request, WIRE_MAX_MESSAGE);
	strbuf_init(&s->reply, WIRE_MAX_MESSAGE);
	sql_agent_handlers_init(generator_find("compose"), 0.5);
}

static void close_step(struct step *s)
{
	wire_free(s->out ? &s->out->base : NULL);
	strbuf_done(&s->request);
	strbuf_done(&s->reply);
	kit_close(&s->k);
}

/* Packs the kit's question with this history and floor, and runs it. */
static void run_step(struct step *s, Nlq__Observation **history, size_t n, float floor)
{
	Nlq__StepRequest m = NLQ__STEP_REQUEST__INIT;
	ProtobufCMessage *reply;

	s->k.g->question = s->k.question.data;
	m.grounding = pb_grounding_message(&s->k.arena, s->k.g);
	m.history = history;
	m.n_history = n;
	m.has_floor = floor > 0;
	m.floor = floor;
	m.steps_left = 8;
	assert_int_equal(wire_pack(&s->request, &m.base, NULL), 0);
	s->rc = sql_agent_handlers_step(s->request.data, s->request.len, &s->reply, &s->e);
	if (s->rc < 0)
		return;
	assert_int_equal(
	    wire_unpack(&nlq__step_reply__descriptor, s->reply.data, s->reply.len, &reply, NULL),
	    0);
	s->out = (Nlq__StepReply *)reply;
}

static void ask_names(struct step *s)
{
	kit_cue(&s->k, "List", CUE_LIST, 0);
	kit_column(&s->k, "names", "singer.name");
	kit_cue(&s->k, "of", CUE_OF, 0);
	kit_table(&s->k, "singers", "singer");
}

static void test_answers_with_a_candidate_and_its_generator(void **state)
{
	struct step s;

	(void)state;
	open_step(&s);
	ask_names(&s);
	run_step(&s, NULL, 0, 0);
	assert_int_equal(s.rc, 0);
	assert_string_equal(s.out->generator, "compose");
	assert_non_null(s.out->candidate);
	assert_null(s.out->decline);
	assert_string_equal(s.out->candidate->sql, "SELECT name FROM singer");
	assert_true(s.out->candidate->confidence > 0.9f);
	close_step(&s);
}

static void test_declines_and_names_the_word(void **state)
{
	struct step s;

	(void)state;
	open_step(&s);
	kit_cue(&s.k, "How many", CUE_COUNT, 0);
	kit_unknown(&s.k, "volcanoes");
	run_step(&s, NULL, 0, 0);
	assert_int_equal(s.rc, 0);
	assert_non_null(s.out->decline);
	assert_int_equal(s.out->decline->n_unmapped, 1);
	assert_string_equal(s.out->decline->unmapped[0], "volcanoes");
	close_step(&s);
}

static void test_lets_the_request_set_the_floor(void **state)
{
	struct step s;

	(void)state;
	open_step(&s);
	ask_names(&s);
	run_step(&s, NULL, 0, 1);
	assert_int_equal(s.rc, 0);
	assert_non_null(s.out->decline);
	close_step(&s);
}

static void test_takes_an_earlier_error_as_the_end(void **state)
{
	struct step s;
	Nlq__Observation o = NLQ__OBSERVATION__INIT, *history[] = {&o};
	Nlq__Error error = NLQ__ERROR__INIT;
	struct err e = {.code = ERR_RUNTIME, .phase = PHASE_RUN};

	(void)state;
	open_step(&s);
	ask_names(&s);
	strcpy(e.text, "it broke");
	wire_error_from_err(&error, &e);
	o.sql = (char *)"SELECT 1";
	o.error = &error;
	run_step(&s, history, 1, 0);
	assert_int_equal(s.rc, 0);
	assert_non_null(s.out->decline);
	close_step(&s);
}

static void test_refuses_more_history_than_a_request_may_have(void **state)
{
	struct step s;
	Nlq__Observation o = NLQ__OBSERVATION__INIT, *history[17];

	(void)state;
	open_step(&s);
	ask_names(&s);
	o.sql = (char *)"SELECT 1";
	for (size_t i = 0; i < ARRAY_SIZE(history); i++)
		history[i] = &o;
	run_step(&s, history, ARRAY_SIZE(history), 0);
	assert_int_equal(s.rc, ERR_TOO_LARGE);
	close_step(&s);
}

static void test_refuses_bytes_that_are_no_message(void **state)
{
	struct strbuf out;
	struct err e = ERR_INIT;

	(void)state;
	sql_agent_handlers_init(generator_find("compose"), 0.5);
	strbuf_init(&out, WIRE_MAX_MESSAGE);
	assert_int_equal(sql_agent_handlers_step("\xff\xff\xff", 3, &out, &e), ERR_PROTOCOL);
	assert_int_equal(sql_agent_handlers_step("", 0, &out, &e), ERR_PROTOCOL);
	strbuf_done(&out);
}

static void test_knows_its_generators_by_name(void **state)
{
	(void)state;
	assert_non_null(generator_find("compose"));
	assert_null(generator_find("oracle"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_answers_with_a_candidate_and_its_generator),
	    cmocka_unit_test(test_declines_and_names_the_word),
	    cmocka_unit_test(test_lets_the_request_set_the_floor),
	    cmocka_unit_test(test_takes_an_earlier_error_as_the_end),
	    cmocka_unit_test(test_refuses_more_history_than_a_request_may_have),
	    cmocka_unit_test(test_refuses_bytes_that_are_no_message),
	    cmocka_unit_test(test_knows_its_generators_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Groundings and verdicts through bytes, broken ones refused, and the whole
 * VERIFY job from message to message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "agents.pb-c.h"
#include "common/model/pb_grounding.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"
#include "tests/lib/verify_kit.h"
#include "verify_agent/handlers.h"

static struct verify_kit kit;

static int begin(void **state)
{
	(void)state;
	verify_kit_open(&kit, LANG_ZH, verify_kit_energy, verify_kit_model);
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	vkit_says_cue(&kit, "超过", CUE_GT, 0);
	vkit_says_quantity(&kit, "1.5万亿元", 15, 1, "元", 12);
	vkit_says(&kit, SPAN_UNKNOWN, "的");
	vkit_names_value(&kit, "中国石油", "companies.name", "中国石油");
	vkit_names_metric(&kit, "净利率", "net_margin");
	kit.g->question = kit.question.data;
	struct grounding_table *t = arena_push(&kit.g->arena, kit.g->tables, kit.g->n_tables);
	*t = (struct grounding_table){.table = 1, .score = 0.5f, .literal = true, .why = "named"};
	kit.g->ambiguities = arena_new(&kit.g->arena, struct grounding_ambiguity);
	kit.g->n_ambiguities = 1;
	kit.g->ambiguities[0].span = 1;
	kit.g->ambiguities[0].text = "which?";
	*arena_push(&kit.g->arena, kit.g->missing.items, kit.g->missing.n) = "的";
	kit.g->sufficient = true;
	kit.g->n_tables_searched = 292;
	return 0;
}

static int end(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	return 0;
}

static void pack(const struct grounding *g, struct strbuf *out)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	strbuf_init(out, WIRE_MAX_MESSAGE);
	if (wire_pack(out, &pb_grounding_message(&a, g)->base, &e) < 0) {
		fail_msg("%s", e.text);
	}
	arena_done(&a);
}

static void test_a_grounding_is_the_same_after_a_trip_through_bytes(void **state)
{
	(void)state;
	struct strbuf first, second;
	struct grounding *back = NULL;
	struct err e = ERR_INIT;
	ProtobufCMessage *m = NULL;
	pack(kit.g, &first);
	assert_int_equal(
	    wire_unpack(&nlq__grounding__descriptor, first.data, first.len, &m, &e), 0);
	assert_int_equal(pb_grounding_read((Nlq__Grounding *)m, &back, &e), 0);
	pack(back, &second);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	assert_string_equal(back->question, kit.g->question);
	assert_int_equal(back->quantities[0].digits, 15);
	assert_int_equal(back->quantities[0].magnitude, 12);
	assert_string_equal(back->quantities[0].base, "元");
	assert_string_equal(back->periods[0].to, "2024-01-01");
	assert_int_equal(back->spans[4].quantity, TARGET_NONE);
	assert_int_equal(back->spans[5].targets[0].metric, TARGET_NONE);
	assert_string_equal(back->spans[5].targets[0].value.text, "中国石油");
	assert_int_equal(back->spans[6].targets[0].table, TARGET_NONE);
	assert_int_equal(back->n_tables_searched, 292);
	assert_string_equal(back->semantic->datasets[1].fields[1].unit, "亿元");
	wire_free(m);
	grounding_free(back);
	strbuf_done(&first);
	strbuf_done(&second);
}

static void refuse(void (*spoil)(Nlq__Grounding *m))
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct grounding *back = NULL;
	Nlq__Grounding *m = pb_grounding_message(&a, kit.g);
	spoil(m);
	assert_int_equal(pb_grounding_read(m, &back, &e), ERR_PROTOCOL);
	assert_null(back);
	arena_done(&a);
}

static void spoil_span(Nlq__Grounding *m)
{
	m->spans[0]->len = 10000;
}
static void spoil_span_start(Nlq__Grounding *m)
{
	m->spans[0]->start = UINT32_MAX;
}
static void spoil_kind(Nlq__Grounding *m)
{
	m->spans[0]->kind = 10;
}
static void spoil_quantity(Nlq__Grounding *m)
{
	m->spans[3]->quantity = 1;
}
static void spoil_no_quantity(Nlq__Grounding *m)
{
	m->spans[3]->has_quantity = false;
}
static void spoil_period(Nlq__Grounding *m)
{
	m->spans[0]->period = 7;
}
static void spoil_table(Nlq__Grounding *m)
{
	m->spans[1]->targets[0]->table = 99;
}
static void spoil_column(Nlq__Grounding *m)
{
	m->spans[1]->targets[0]->column = 99;
}
static void spoil_lone_column(Nlq__Grounding *m)
{
	m->spans[1]->targets[0]->has_table = false;
}
static void spoil_metric(Nlq__Grounding *m)
{
	m->spans[6]->targets[0]->metric = 1;
}
static void spoil_score(Nlq__Grounding *m)
{
	m->spans[1]->targets[0]->score = 0.0f / 0.0f;
}
static void spoil_scale(Nlq__Grounding *m)
{
	m->quantities[0]->scale = 100000;
}
static void spoil_date(Nlq__Grounding *m)
{
	m->periods[0]->from = (char *)"2023-1-1";
}
static void spoil_long_date(Nlq__Grounding *m)
{
	m->periods[0]->to = (char *)"2024-01-01 and much more";
}
static void spoil_language(Nlq__Grounding *m)
{
	m->lang = 2;
}
static void spoil_ambiguity(Nlq__Grounding *m)
{
	m->ambiguities[0]->span = 7;
}
static void spoil_grounded_table(Nlq__Grounding *m)
{
	m->tables[0]->table = 4;
}

static void test_refuses_groundings_that_point_nowhere(void **state)
{
	(void)state;
	refuse(spoil_span);
	refuse(spoil_span_start);
	refuse(spoil_kind);
	refuse(spoil_quantity);
	refuse(spoil_no_quantity);
	refuse(spoil_period);
	refuse(spoil_table);
	refuse(spoil_column);
	refuse(spoil_lone_column);
	refuse(spoil_metric);
	refuse(spoil_score);
	refuse(spoil_scale);
	refuse(spoil_date);
	refuse(spoil_long_date);
	refuse(spoil_language);
	refuse(spoil_ambiguity);
	refuse(spoil_grounded_table);
}

/* The request of the kit as the orchestrator sends it. */
static void pack_request(struct strbuf *out, const char *sql)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	Nlq__VerifyRequest request = NLQ__VERIFY_REQUEST__INIT;
	Nlq__Observation step = NLQ__OBSERVATION__INIT, *steps[] = {&step};
	request.grounding = pb_grounding_message(&a, kit.g);
	request.confidence = 0.75f;
	step.sql = (char *)sql;
	resultset_digest(kit.results[0], &kit.results[0]->digest);
	step.result = pb_result_message(&a, kit.results[0]);
	request.steps = steps;
	request.n_steps = 1;
	strbuf_init(out, WIRE_MAX_MESSAGE);
	assert_int_equal(wire_pack(out, &request.base, &e), 0);
	arena_done(&a);
}

/* What the orchestrator reads and writes is the agents' messages with the grounding
 * closed. */
static void test_a_grounding_passes_the_orchestrator_unopened(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct strbuf ground, step;
	struct err e = ERR_INIT;
	ProtobufCMessage *reply = NULL, *view = NULL, *request = NULL;
	struct grounding *back = NULL;
	Nlq__GroundReply m = NLQ__GROUND_REPLY__INIT;
	Nlq__StepRequestView out = NLQ__STEP_REQUEST_VIEW__INIT;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_table(&kit, "公司", "companies");
	kit.g->question = kit.question.data;
	kit.g->n_ambiguities = 0;
	m.grounding = pb_grounding_message(&a, kit.g);
	strbuf_init(&ground, WIRE_MAX_MESSAGE);
	strbuf_init(&step, WIRE_MAX_MESSAGE);
	assert_int_equal(wire_pack(&ground, &m.base, &e), 0);
	assert_int_equal(
	    wire_unpack(&nlq__ground_reply_view__descriptor, ground.data, ground.len, &reply, &e),
	    0);
	out.grounding = ((Nlq__GroundReplyView *)reply)->grounding;
	assert_int_equal(wire_unpack(&nlq__grounding_view__descriptor, out.grounding.data,
	                     out.grounding.len, &view, &e),
	    0);
	for (size_t i = 0; i < kit.g->n_tables; i++)
		assert_string_equal(((Nlq__GroundingView *)view)->tables[i]->name,
		    kit.g->catalog->tables[kit.g->tables[i].table].name);
	assert_int_equal(wire_pack(&step, &out.base, &e), 0);
	assert_int_equal(
	    wire_unpack(&nlq__step_request__descriptor, step.data, step.len, &request, &e), 0);
	assert_int_equal(pb_grounding_read(((Nlq__StepRequest *)request)->grounding, &back, &e), 0);
	assert_string_equal(back->question, kit.g->question);
	grounding_free(back);
	wire_free(request);
	wire_free(view);
	wire_free(reply);
	strbuf_done(&step);
	strbuf_done(&ground);
	arena_done(&a);
}

static void test_a_verify_job_goes_from_message_to_message(void **state)
{
	(void)state;
	static const char sql[] = "SELECT name FROM companies WHERE company_id = 1";
	struct strbuf body, reply;
	struct err e = ERR_INIT;
	ProtobufCMessage *m = NULL;
	struct verdict *v = NULL;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_table(&kit, "公司", "companies");
	kit.g->question = kit.question.data;
	kit.g->n_ambiguities = 0;
	vkit_runs(&kit, sql);
	pack_request(&body, sql);
	strbuf_init(&reply, WIRE_MAX_MESSAGE);
	struct rpc_job job = {.body = (const uint8_t *)body.data, .len = body.len};
	assert_int_equal(handle_verify(&job, &reply, &e), 0);
	assert_int_equal(
	    wire_unpack(&nlq__verify_reply__descriptor, reply.data, reply.len, &m, &e), 0);
	assert_int_equal(pb_verdict_read((Nlq__VerifyReply *)m, &v, &e), 0);
	assert_int_equal(v->kind, VERDICT_ACCEPT);
	assert_string_equal(v->answer, "中国石油");
	assert_null(v->unit);
	assert_true(v->confidence == 0.75);
	assert_string_equal(v->lines[0].check, "ran");
	assert_int_equal(v->lines[0].verdict, CHECK_PASS);
	verdict_free(v);
	wire_free(m);
	strbuf_done(&body);
	strbuf_done(&reply);
}

static void test_a_broken_verify_job_is_an_error(void **state)
{
	(void)state;
	static const char sql[] = "SELECT name FROM companies";
	struct strbuf body, reply;
	struct err e = ERR_INIT;
	verify_kit_reset(&kit, LANG_ZH);
	kit.g->question = "";
	kit.g->n_ambiguities = 0;
	vkit_runs(&kit, sql);
	pack_request(&body, sql);
	strbuf_init(&reply, WIRE_MAX_MESSAGE);
	for (size_t len = 0; len < body.len; len += 1 + len / 16) {
		struct rpc_job job = {.body = (const uint8_t *)body.data, .len = len};
		assert_true(handle_verify(&job, &reply, &e) < 0);
		assert_int_equal(reply.len, 0);
	}
	strbuf_done(&body);
	strbuf_done(&reply);
}

static void test_refuses_verdicts_out_of_range(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct verdict *v = verdict_new(), *back = NULL;
	verdict_line(v, "units", CHECK_PASS, "%s", "fine");
	Nlq__VerifyReply *m = pb_verdict_message(&a, v);
	m->verdict = 4;
	assert_int_equal(pb_verdict_read(m, &back, &e), ERR_PROTOCOL);
	m->verdict = VERDICT_ACCEPT;
	m->confidence = 2;
	assert_int_equal(pb_verdict_read(m, &back, &e), ERR_PROTOCOL);
	m->confidence = 1;
	m->lines[0]->verdict = 4;
	assert_int_equal(pb_verdict_read(m, &back, &e), ERR_PROTOCOL);
	assert_null(back);
	verdict_free(v);
	arena_done(&a);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_a_grounding_is_the_same_after_a_trip_through_bytes),
	    KIT(test_refuses_groundings_that_point_nowhere),
	    KIT(test_a_grounding_passes_the_orchestrator_unopened),
	    KIT(test_a_verify_job_goes_from_message_to_message),
	    KIT(test_a_broken_verify_job_is_an_error),
	    cmocka_unit_test(test_refuses_verdicts_out_of_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

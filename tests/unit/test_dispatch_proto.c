/* The pull protocol message by message, with an agent made by hand. */
#include "common/rpc/req.h"
#include "tests/unit/rpc_rig.h"

static const uint8_t instance[WIRE_ID_LEN] = "handmade agent 1";

/* Sends one message and decodes the answer into *ret_m (of this type) and kind. */
static Nlq__Kind say(struct req *q, Nlq__Kind kind, const ProtobufCMessage *body,
    const ProtobufCMessageDescriptor *d, ProtobufCMessage **ret_m)
{
	Nlq__Envelope env, *answer = NULL;
	struct strbuf out;
	nng_msg *msg = NULL;
	struct err e = ERR_INIT;
	Nlq__Kind got;

	envelope_init(&env, kind);
	strbuf_init(&out, WIRE_MAX_MESSAGE);
	assert_int_equal(envelope_to_strbuf(&env, body, &out, &e), 0);
	assert_int_equal(req_exchange(q, out.data, out.len, 5000, 8000, &msg, NULL), 0);
	assert_int_equal(envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &answer, &e), 0);
	got = answer->kind;
	if (ret_m && got != NLQ__KIND__FAILED)
		assert_int_equal(wire_unpack(d, answer->body.data, answer->body.len, ret_m, &e), 0);
	envelope_free(answer);
	nng_msg_free(msg);
	strbuf_done(&out);
	return got;
}

static void fill_ready(Nlq__Ready *m, uint32_t slot)
{
	nlq__ready__init(m);
	envelope_bytes(&m->instance, instance, WIRE_ID_LEN);
	m->slot = slot;
	m->role = NLQ__ROLE__ROLE_DUMMY;
}

/* READY or RESULT until a job comes; its id goes into job_id. */
static void get_job(struct req *q, const uint8_t *result_of, uint8_t job_id[WIRE_ID_LEN])
{
	Nlq__Ready ready;
	Nlq__Result result = NLQ__RESULT__INIT;
	ProtobufCMessage *m = NULL;
	Nlq__Kind kind;

	fill_ready(&ready, 0);
	if (result_of) {
		envelope_bytes(&result.job_id, result_of, WIRE_ID_LEN);
		result.attempt = 1;
		result.has_body = true;
		envelope_bytes(&result.body, "done", 4);
		result.ready = &ready;
		kind = say(q, NLQ__KIND__RESULT, &result.base, &nlq__job__descriptor, &m);
	} else {
		kind = say(q, NLQ__KIND__READY, &ready.base, &nlq__job__descriptor, &m);
	}
	assert_int_equal(kind, NLQ__KIND__JOB);
	memcpy(job_id, ((Nlq__Job *)m)->job_id.data, WIRE_ID_LEN);
	wire_free(m);
}

static struct req *dial(struct rig *r)
{
	struct req *q = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(req_open(r->url, UINT64_MAX, &q, &e), 0);
	assert_int_equal(req_greet(q, 5000), 0);
	return q;
}

static void test_result_over_a_new_connection_is_no_retry(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.detach_ms = 100};
	struct rig_caller a, b;
	uint8_t job[WIRE_ID_LEN], next[WIRE_ID_LEN];

	(void)state;
	rig_open(&r, &conf);
	struct req *q = dial(&r);
	rig_start(&r, &a, "x", 20000);
	get_job(q, NULL, job);
	/* As a slot does whose connection breaks while it works: it dials, and is heard
	 * only when it has finished. */
	assert_int_equal(req_redial(q), 0);
	assert_int_equal(req_greet(q, 5000), 0);
	usleep(300000);
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	rig_start(&r, &b, "y", 20000);
	get_job(q, job, next); /* reports a and gets b */
	rig_join(&a);
	assert_int_equal(a.rc, 0);
	assert_string_equal(a.out, "done");
	assert_int_equal(a.attempts, 1);
	assert_memory_not_equal(job, next, WIRE_ID_LEN);
	dispatch_cancel(r.d, b.q.request_id);
	rig_join(&b);
	req_close(q);
	rig_close(&r);
}

static void test_slot_that_stays_away_loses_its_job(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.detach_ms = 100};
	struct rig_caller a;
	uint8_t job[WIRE_ID_LEN];
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, &conf);
	struct req *q = dial(&r);
	rig_start(&r, &a, "pid", 20000);
	get_job(q, NULL, job);
	struct rpc_worker *w = rig_worker(&r, 1);
	/* All agents here have one pid: a connection made now would speak for all. */
	struct dispatch_component c[2];
	RIG_UNTIL(dispatch_components(r.d, c, 2) == 2 && (c[0].version[0] || c[1].version[0]));
	req_close(q);
	rig_join(&a);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.attempts, 2);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_job_that_never_arrived_is_handed_over_again(void **state)
{
	struct rig r;
	struct rig_caller a;
	uint8_t job[WIRE_ID_LEN], again[WIRE_ID_LEN];

	(void)state;
	rig_open(&r, NULL);
	struct req *q = dial(&r);
	rig_start(&r, &a, "x", 20000);
	get_job(q, NULL, job);
	get_job(q, NULL, again); /* READY instead of RESULT */
	assert_memory_equal(job, again, WIRE_ID_LEN);
	dispatch_cancel(r.d, a.q.request_id);
	rig_join(&a);
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	req_close(q);
	rig_close(&r);
}

static void test_foreign_and_late_results_are_counted_and_dropped(void **state)
{
	struct rig r;
	struct rig_caller a, b, c;
	uint8_t job[WIRE_ID_LEN], next[WIRE_ID_LEN], foreign[WIRE_ID_LEN] = "not your boot id";

	(void)state;
	rig_open(&r, NULL);
	struct req *q = dial(&r);
	rig_start(&r, &a, "x", 20000);
	get_job(q, foreign, job);
	assert_int_equal(rig_stats(&r).foreign_results, 1);
	rig_start(&r, &b, "y", 20000);
	get_job(q, job, next);
	rig_join(&a);
	assert_int_equal(a.rc, 0);
	rig_start(&r, &c, "z", 20000);
	RIG_UNTIL(rig_stats(&r).queued == 1);
	get_job(q, job, next); /* a's result once more: b was not heard, so b again or c */
	assert_int_equal(rig_stats(&r).late_results, 1);
	assert_int_equal(rig_stats(&r).jobs_done, 1);
	dispatch_cancel(r.d, b.q.request_id);
	dispatch_cancel(r.d, c.q.request_id);
	rig_join(&b);
	rig_join(&c);
	req_close(q);
	rig_close(&r);
}

static Nlq__Orders *poll_orders(struct req *q, uint64_t ack)
{
	Nlq__Poll m = NLQ__POLL__INIT;
	ProtobufCMessage *orders = NULL;

	envelope_bytes(&m.instance, instance, WIRE_ID_LEN);
	m.role = NLQ__ROLE__ROLE_DUMMY;
	m.pid = 1;
	m.version = (char *)"1";
	m.has_ack_seq = true;
	m.ack_seq = ack;
	assert_int_equal(
	    say(q, NLQ__KIND__POLL, &m.base, &nlq__orders__descriptor, &orders), NLQ__KIND__ORDERS);
	return (Nlq__Orders *)orders;
}

static void test_orders_repeat_until_they_are_acknowledged(void **state)
{
	struct rig r;
	struct rig_caller a;
	uint8_t job[WIRE_ID_LEN];
	uint64_t seq = 0, start;

	(void)state;
	rig_open(&r, NULL);
	struct req *q = dial(&r), *control = dial(&r);
	rig_start(&r, &a, "x", 20000);
	get_job(q, NULL, job);
	dispatch_cancel(r.d, a.q.request_id);
	rig_join(&a);
	start = clock_mono_ms();
	for (int i = 0; i < 3; i++) {
		Nlq__Orders *o = poll_orders(control, 0);

		assert_int_equal(o->n_cancel, 1);
		assert_memory_equal(o->cancel[0].data, job, WIRE_ID_LEN);
		seq = o->seq;
		wire_free(&o->base);
	}
	assert_true(clock_mono_ms() - start < 4000); /* at once, not when the poll is due */
	/* acknowledged: nothing more to say for the five seconds of a poll */
	Nlq__Orders *o = poll_orders(control, seq);
	assert_int_equal(o->n_cancel, 0);
	wire_free(&o->base);
	req_close(control);
	req_close(q);
	rig_close(&r);
}

struct parked {
	struct req *q;
	Nlq__Kind kind;
	bool is_stop;
};

static void *park(void *arg)
{
	struct parked *p = arg;
	Nlq__Ready ready;
	ProtobufCMessage *m = NULL;

	fill_ready(&ready, 0);
	p->kind = say(p->q, NLQ__KIND__READY, &ready.base, &nlq__idle__descriptor, &m);
	p->is_stop = ((Nlq__Idle *)m)->stop;
	wire_free(m);
	return NULL;
}

static void test_any_message_that_drains_sends_all_parked_slots_home(void **state)
{
	struct rig r;
	struct parked p = {0};
	Nlq__Ready ready;
	pthread_t thread;

	(void)state;
	rig_open(&r, NULL);
	p.q = dial(&r);
	struct req *q = dial(&r);
	assert_int_equal(pthread_create(&thread, NULL, park, &p), 0);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 1);
	fill_ready(&ready, 1);
	ready.has_draining = ready.draining = true;
	assert_int_equal(say(q, NLQ__KIND__READY, &ready.base, NULL, NULL), NLQ__KIND__IDLE);
	pthread_join(thread, NULL);
	assert_int_equal(p.kind, NLQ__KIND__IDLE);
	assert_true(p.is_stop);
	assert_int_equal(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY), 0);
	req_close(p.q);
	req_close(q);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_result_over_a_new_connection_is_no_retry),
	    cmocka_unit_test(test_slot_that_stays_away_loses_its_job),
	    cmocka_unit_test(test_job_that_never_arrived_is_handed_over_again),
	    cmocka_unit_test(test_foreign_and_late_results_are_counted_and_dropped),
	    cmocka_unit_test(test_orders_repeat_until_they_are_acknowledged),
	    cmocka_unit_test(test_any_message_that_drains_sends_all_parked_slots_home),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

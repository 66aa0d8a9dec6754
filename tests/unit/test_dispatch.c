/* Dispatch with workers that are threads of this process. */
#include "tests/unit/rpc_rig.h"

static void test_job_comes_back_with_its_reply(void **state)
{
	struct rig r;
	char out[64];
	struct err e = ERR_INIT;
	struct dispatch_component c;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	assert_int_equal(rig_call(&r, "hello", out, sizeof(out), &e), 0);
	assert_string_equal(out, "hello");
	assert_true(rpc_worker_is_ready(w));
	RIG_UNTIL(dispatch_components(r.d, &c, 1) == 1 && c.slots == 2 && c.version[0]);
	assert_int_equal(c.pid, getpid());
	assert_string_equal(c.sandbox, "none");
	assert_true(c.rss_kb > 0);
	assert_int_equal(rig_stats(&r).jobs_done, 1);
	rig_worker_stop(w);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 0);
	rig_close(&r);
}

static void test_worker_learns_who_asks_and_what_is_left(void **state)
{
	struct rig r;
	struct dispatch_reply reply;
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	struct dispatch_request q = rig_request(&r, "who", 5000);
	q.budget_rows = 7;
	q.budget_query_ms = 900;
	assert_int_equal(dispatch_call(r.d, &q, &reply, &e), 0);
	assert_string_equal(reply.body.data, "1000 uid:1000 7 900");
	assert_int_equal(reply.attempts, 1);
	strbuf_done(&reply.body);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_worker_errors_arrive_typed(void **state)
{
	struct rig r;
	char out[64];
	struct err e = ERR_INIT;
	struct dispatch_reply reply;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	assert_int_equal(rig_call(&r, "error", out, sizeof(out), &e), ERR_RUNTIME);
	assert_int_equal(e.phase, PHASE_RUN);
	assert_string_equal(e.text, "asked to fail");
	struct dispatch_request q = rig_request(&r, "x", 5000);
	q.kind = NLQ__KIND__GROUND;
	assert_int_equal(dispatch_call(r.d, &q, &reply, &e), ERR_PROTOCOL);
	strbuf_done(&reply.body);
	assert_int_equal(rig_call(&r, "still there", out, sizeof(out), &e), 0);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_sizes_at_the_limit(void **state)
{
	struct rig r;
	struct err e = ERR_INIT;
	char text[32];
	struct dispatch_reply reply;
	char *big = malloc(WIRE_MAX_BODY + 1);

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	for (int delta = -1; delta <= 1; delta++) {
		struct dispatch_request q;

		snprintf(text, sizeof(text), "big %d", (int)WIRE_MAX_BODY + delta);
		q = rig_request(&r, text, 20000);
		e = (struct err)ERR_INIT;
		assert_int_equal(dispatch_call(r.d, &q, &reply, &e), delta > 0 ? ERR_TOO_LARGE : 0);
		assert_int_equal(reply.body.len, delta > 0 ? 0 : (int)WIRE_MAX_BODY + delta);
		assert_int_equal(reply.attempts, 1);
		strbuf_done(&reply.body);
		memset(big, 'q', WIRE_MAX_BODY + 1);
		q = rig_request(&r, "", 20000);
		q.body = big;
		q.len = (size_t)((int)WIRE_MAX_BODY + delta);
		assert_int_equal(dispatch_call(r.d, &q, &reply, &e), delta > 0 ? ERR_TOO_LARGE : 0);
		strbuf_done(&reply.body);
	}
	rig_worker_stop(w);
	rig_close(&r);
	free(big);
}

static void test_slow_worker_gets_little(void **state)
{
	struct rig r;
	struct rig_caller slow, c[4];

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	rig_start(&r, &slow, "sleep 20000", 30000);
	RIG_UNTIL(rig_stats(&r).running == 1);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++)
			rig_start(&r, &c[i], "x", 5000);
		for (int i = 0; i < 4; i++) {
			rig_join(&c[i]);
			assert_int_equal(c[i].rc, 0);
		}
	}
	assert_false(slow.is_done);
	dispatch_cancel(r.d, slow.q.request_id);
	rig_join(&slow);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_full_queue_is_busy_at_once(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.queue_max = 2};
	struct rig_caller c[3];
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, &conf);
	struct rpc_worker *w = rig_worker(&r, 1);
	for (int i = 0; i < 3; i++) {
		rig_start(&r, &c[i], "sleep 20000", 30000);
		RIG_UNTIL(rig_stats(&r).running + rig_stats(&r).queued == (uint32_t)i + 1);
	}
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), ERR_BUSY);
	assert_true(e.retry && e.fix[0]);
	for (int i = 0; i < 3; i++)
		dispatch_cancel(r.d, c[i].q.request_id);
	for (int i = 0; i < 3; i++)
		rig_join(&c[i]);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_principals_are_served_in_turn(void **state)
{
	struct rig r;
	struct rig_caller blocker, flood[20], other;
	unsigned before = 0;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	rig_start(&r, &blocker, "sleep 20000", 30000);
	RIG_UNTIL(rig_stats(&r).running == 1);
	for (int i = 0; i < 20; i++)
		rig_start(&r, &flood[i], "sleep 10", 20000);
	RIG_UNTIL(rig_stats(&r).queued == 20);
	other = (struct rig_caller){.rig = &r, .q = rig_request(&r, "x", 20000)};
	other.q.uid = 1001;
	other.q.principal = "uid:1001";
	assert_int_equal(pthread_create(&other.thread, NULL, rig_caller_run, &other), 0);
	RIG_UNTIL(rig_stats(&r).queued == 21);
	dispatch_cancel(r.d, blocker.q.request_id);
	rig_join(&other);
	rig_join(&blocker);
	for (int i = 0; i < 20; i++) {
		rig_join(&flood[i]);
		assert_int_equal(flood[i].rc, 0);
		before += flood[i].done_us < other.done_us;
	}
	assert_int_equal(other.rc, 0);
	assert_true(before < 5); /* in the order of coming it would be 20 */
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_source_limit_leaves_slots_to_others(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.per_source_max = 1};
	struct rig_caller a[2];
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, &conf);
	struct rpc_worker *w = rig_worker(&r, 2);
	for (int i = 0; i < 2; i++) {
		a[i] = (struct rig_caller){.rig = &r, .q = rig_request(&r, "sleep 400", 20000)};
		a[i].q.source = "db";
		pthread_create(&a[i].thread, NULL, rig_caller_run, &a[i]);
	}
	RIG_UNTIL(rig_stats(&r).running == 1 && rig_stats(&r).queued == 1);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	assert_false(a[0].is_done || a[1].is_done);
	for (int i = 0; i < 2; i++) {
		rig_join(&a[i]);
		assert_int_equal(a[i].rc, 0);
	}
	assert_true(a[0].elapsed_us + a[1].elapsed_us > 1150000); /* one after the other */
	rig_worker_stop(w);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_job_comes_back_with_its_reply),
	    cmocka_unit_test(test_worker_learns_who_asks_and_what_is_left),
	    cmocka_unit_test(test_worker_errors_arrive_typed),
	    cmocka_unit_test(test_sizes_at_the_limit),
	    cmocka_unit_test(test_slow_worker_gets_little),
	    cmocka_unit_test(test_full_queue_is_busy_at_once),
	    cmocka_unit_test(test_principals_are_served_in_turn),
	    cmocka_unit_test(test_source_limit_leaves_slots_to_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Dispatch when things go wrong: cancel, leases, deadlines, lost workers. */
#include "tests/unit/rpc_rig.h"

static void test_cancel_reaches_caller_and_worker(void **state)
{
	struct rig r;
	struct rig_caller c;
	unsigned cancels = dummy_cancels;
	uint64_t start;
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	for (int i = 0; i < 200; i++) {
		rig_start(&r, &c, "sleep 20000", 30000);
		RIG_UNTIL(rig_stats(&r).running == 1);
		start = clock_mono_us();
		dispatch_cancel(r.d, c.q.request_id);
		rig_join(&c);
		assert_int_equal(c.rc, ERR_CANCELLED);
		/* the only slot is free again, so the worker has stopped too */
		assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
		assert_true(clock_mono_us() - start < 3000000);
	}
	/* An order may overtake its job: then the handler is not even called. */
	assert_true(dummy_cancels - cancels >= 10);
	assert_int_equal(rig_stats(&r).late_results, 0);
	/* The orders have been acknowledged: nobody goes on talking about them. */
	clock_t cpu = clock();
	usleep(300000);
	assert_true(clock() - cpu < CLOCKS_PER_SEC / 10);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_cancelled_request_gets_no_more_jobs_until_forgotten(void **state)
{
	struct rig r;
	struct dispatch_reply reply;
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	struct dispatch_request q = rig_request(&r, "x", 5000);
	dispatch_cancel(r.d, q.request_id);
	assert_int_equal(dispatch_call(r.d, &q, &reply, &e), ERR_CANCELLED);
	strbuf_done(&reply.body);
	dispatch_forget(r.d, q.request_id);
	assert_int_equal(dispatch_call(r.d, &q, &reply, &e), 0);
	strbuf_done(&reply.body);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_deadline_ends_waiting_and_running_jobs(void **state)
{
	struct rig r;
	struct rig_caller running, waiting;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	rig_start(&r, &running, "sleep 5000", 150);
	RIG_UNTIL(rig_stats(&r).running == 1);
	rig_start(&r, &waiting, "x", 50);
	rig_join(&waiting);
	rig_join(&running);
	assert_int_equal(waiting.rc, ERR_TIMEOUT);
	assert_int_equal(waiting.attempts, 0);
	assert_int_equal(running.rc, ERR_TIMEOUT);
	assert_true(waiting.done_us / 1000 >= waiting.q.deadline_ms);
	assert_true(running.done_us / 1000 >= running.q.deadline_ms);
	assert_true(running.done_us / 1000 < running.q.deadline_ms + 4000);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_without_a_worker_the_job_is_unavailable(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.absent_ms = 60};
	struct rig_caller c;

	(void)state;
	rig_open(&r, NULL);
	rig_start(&r, &c, "x", 80);
	rig_join(&c);
	assert_int_equal(c.rc, ERR_UNAVAILABLE);
	rig_close(&r);
	rig_open(&r, &conf);
	rig_start(&r, &c, "x", 5000);
	rig_join(&c);
	assert_int_equal(c.rc, ERR_UNAVAILABLE);
	assert_in_range(c.elapsed_us, 50000, 4000000);
	rig_close(&r);
}

static void test_lease_gives_the_job_to_another(void **state)
{
	struct rig r;
	struct rig_caller c;
	unsigned runs = dummy_runs;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	rig_start(&r, &c, "deaf 200", 10000);
	rig_join(&c);
	assert_int_equal(c.attempts, 1); /* within its lease */
	c.q = rig_request(&r, "deaf 1500", 10000);
	c.q.lease_ms = 100;
	c.q.retries = 1;
	rig_caller_run(&c);
	assert_int_equal(c.rc, ERR_UNAVAILABLE);
	assert_true(c.e.retry);
	assert_int_equal(c.attempts, 2);
	assert_in_range(c.elapsed_us, 190000, 1400000);
	RIG_UNTIL(dummy_runs - runs == 3);
	/* Both deaf workers report in the end; their results are late. */
	RIG_UNTIL(rig_stats(&r).late_results == 2);
	assert_int_equal(rig_stats(&r).jobs_retried, 1);
	/* These hear that they are called off, and say so; that is not the outcome. */
	c.q = rig_request(&r, "sleep 20000", 10000);
	c.q.lease_ms = 100;
	c.q.retries = 1;
	rig_caller_run(&c);
	assert_int_equal(c.rc, ERR_UNAVAILABLE);
	assert_int_equal(c.attempts, 2);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_first_result_wins_whichever_attempt(void **state)
{
	struct rig r;
	struct rig_caller c;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	/* One slot: the second attempt waits for the first, whose result counts. */
	c = (struct rig_caller){.rig = &r, .q = rig_request(&r, "deaf 200", 5000)};
	c.q.lease_ms = 100;
	rig_caller_run(&c);
	assert_int_equal(c.rc, 0);
	assert_int_equal(c.attempts, 1);
	assert_in_range(c.elapsed_us, 190000, 4000000);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_killed_worker_is_replaced_at_once(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.detach_ms = 8000};
	struct rig_caller c;
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, &conf);
	pid_t a = rig_spawn(&r, "1");
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 1);
	rig_start(&r, &c, "sleep 300", 20000);
	RIG_UNTIL(rig_stats(&r).running == 1);
	pid_t b = rig_spawn(&r, "1");
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 2);
	uint64_t killed = clock_mono_us();
	rig_kill(a);
	rig_join(&c);
	assert_int_equal(c.rc, 0);
	assert_int_equal(c.attempts, 2);
	assert_int_equal(atoi(c.out), b);
	/* not after the time that a lost connection is given */
	assert_in_range(c.done_us - killed, 290000, 5000000);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 1);
	assert_int_equal(rig_call(&r, "pid", out, sizeof(out), &e), 0);
	rig_kill(b);
	RIG_UNTIL(dispatch_components(r.d, NULL, 0) == 0);
	rig_close(&r);
}

static void test_job_that_kills_its_workers_ends(void **state)
{
	struct rig r;
	struct rig_caller c;
	pid_t pid[3];

	(void)state;
	rig_open(&r, NULL);
	for (int i = 0; i < 3; i++)
		pid[i] = rig_spawn(&r, "1");
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 3);
	rig_start(&r, &c, "kill", 5000);
	rig_join(&c);
	assert_int_equal(c.rc, ERR_UNAVAILABLE);
	assert_int_equal(c.attempts, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cancel_reaches_caller_and_worker),
	    cmocka_unit_test(test_cancelled_request_gets_no_more_jobs_until_forgotten),
	    cmocka_unit_test(test_deadline_ends_waiting_and_running_jobs),
	    cmocka_unit_test(test_without_a_worker_the_job_is_unavailable),
	    cmocka_unit_test(test_lease_gives_the_job_to_another),
	    cmocka_unit_test(test_first_result_wins_whichever_attempt),
	    cmocka_unit_test(test_killed_worker_is_replaced_at_once),
	    cmocka_unit_test(test_job_that_kills_its_workers_ends),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

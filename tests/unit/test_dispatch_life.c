/* Restarts, draining, snapshots, and hundreds of killed workers. */
#include "tests/unit/rpc_rig.h"

static void test_workers_find_a_restarted_dispatcher(void **state)
{
	struct rig r;
	struct rig_caller open_one;
	char out[64];
	struct err e = ERR_INIT;
	unsigned cancels = dummy_cancels;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	rig_start(&r, &open_one, "sleep 4000", 10000);
	RIG_UNTIL(rig_stats(&r).running == 1);
	dispatch_free(r.d);
	rig_join(&open_one);
	assert_int_equal(open_one.rc, ERR_CANCELLED);
	rig_listen(&r, NULL);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) >= 1);
	assert_int_equal(rig_call(&r, "again", out, sizeof(out), &e), 0);
	/* What the last life left running is called off, its result is not ours. */
	RIG_UNTIL(rig_stats(&r).foreign_results == 1);
	assert_int_equal(dummy_cancels, cancels + 1);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 2);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_draining_worker_ends_its_job_and_takes_no_other(void **state)
{
	struct rig r;
	struct rig_caller c;
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *a = rig_worker(&r, 2);
	rig_start(&r, &c, "sleep 1000", 20000);
	RIG_UNTIL(rig_stats(&r).running == 1);
	rpc_worker_drain(a);
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 1); /* the idle one left */
	assert_false(rpc_worker_is_idle(a));
	struct rpc_worker *b = rig_worker(&r, 1);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	rig_join(&c);
	assert_int_equal(c.rc, 0);
	RIG_UNTIL(rpc_worker_is_idle(a));
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	rig_worker_stop(a);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	rig_worker_stop(b);
	rig_close(&r);
}

static void test_drain_without_a_dispatcher_does_not_wait(void **state)
{
	struct rig r;
	uint64_t start;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	dispatch_free(r.d);
	start = clock_mono_ms();
	rpc_worker_drain(w);
	RIG_UNTIL(rpc_worker_is_idle(w));
	assert_true(clock_mono_ms() - start < 5000);
	rig_worker_stop(w);
	assert_int_equal(rmdir(r.dir), 0);
}

static void test_parked_slots_are_asked_to_ask_again(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.park_ms = 30};
	char out[64];
	struct err e = ERR_INIT;
	uint64_t until = clock_mono_ms() + 300;

	(void)state;
	rig_open(&r, &conf);
	struct rpc_worker *w = rig_worker(&r, 2);
	while (clock_mono_ms() < until) {
		assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
		assert_int_equal(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY), 2);
		usleep(7000);
	}
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	rig_worker_stop(w);
	rig_close(&r);
}

static void hold(struct rig *r, const struct hash *h, const char *expect)
{
	char hex[2 * HASH_LEN + 1], body[128], out[64];
	struct err e = ERR_INIT;

	hash_hex(h, hex);
	snprintf(body, sizeof(body), "hold %s", hex);
	if (rig_call(r, body, out, sizeof(out), &e))
		snprintf(out, sizeof(out), "%s", err_code_name(e.code));
	assert_string_equal(out, expect);
}

static void test_snapshots_travel_once_and_are_dropped(void **state)
{
	const size_t len = 2 * WIRE_MAX_CHUNK + 1234;
	struct rig r;
	struct hash h, other, broken;
	char *bytes = malloc(len);
	unsigned builds = dummy_builds;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 2);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i * 7);
	hash_bytes(bytes, len, &h);
	dispatch_publish(r.d, &h, bytes, len);
	hold(&r, &h, "2098386"); /* over the cache's cap: not kept after use */
	hold(&r, &h, "2098386");
	assert_int_equal(dummy_builds - builds, 2);
	hash_bytes(bytes, 1000, &other);
	dispatch_publish(r.d, &other, bytes, 1000);
	for (int i = 0; i < 4; i++)
		hold(&r, &other, "1000");
	assert_int_equal(dummy_builds - builds, 3);
	dispatch_withdraw(r.d, &other);
	/* the order to drop needs a moment; then it cannot be had any more */
	struct err e = ERR_INIT;
	char hex[2 * HASH_LEN + 1], body[128], out[64];
	hash_hex(&other, hex);
	snprintf(body, sizeof(body), "hold %s", hex);
	RIG_UNTIL(rig_call(&r, body, out, sizeof(out), &e) == ERR_NOT_FOUND);
	/* bytes that do not match their hash are not looked at; build's error arrives */
	random_bytes(&broken, sizeof(broken));
	dispatch_publish(r.d, &broken, bytes, 10);
	hold(&r, &broken, "protocol");
	hash_bytes("!", 1, &broken);
	dispatch_publish(r.d, &broken, "!", 1);
	hold(&r, &broken, "protocol");
	assert_int_equal(dummy_builds - builds, 3);
	rig_worker_stop(w);
	rig_close(&r);
	free(bytes);
}

static void test_slot_that_holds_the_snapshot_goes_first(void **state)
{
	struct rig r;
	struct hash h;
	struct err e = ERR_INIT;
	char hex[2 * HASH_LEN + 1], body[128], holder[64], out[64];

	(void)state;
	rig_open(&r, NULL);
	pid_t a = rig_spawn(&r, "1"), b = rig_spawn(&r, "1");
	RIG_UNTIL(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY) == 2);
	hash_bytes("snapshot", 8, &h);
	dispatch_publish(r.d, &h, "snapshot", 8);
	hash_hex(&h, hex);
	snprintf(body, sizeof(body), "hold %s", hex);
	assert_int_equal(rig_call(&r, body, out, sizeof(out), &e), 0);
	struct dispatch_request q = rig_request(&r, "pid", 5000);
	struct dispatch_reply reply;
	q.prefer = &h;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(dispatch_call(r.d, &q, &reply, &e), 0);
		if (i == 0)
			snprintf(holder, sizeof(holder), "%s", reply.body.data);
		assert_string_equal(reply.body.data, holder);
		strbuf_done(&reply.body);
	}
	/* without a preference the one that waited longest: the other */
	assert_int_equal(rig_call(&r, "pid", out, sizeof(out), &e), 0);
	assert_string_not_equal(out, holder);
	rig_kill(a);
	rig_kill(b);
	rig_close(&r);
}

#define KILL_WORKERS 4
#define KILL_CALLERS 6

struct kill_test {
	struct rig rig;
	_Atomic bool stop, is_fatal;
	_Atomic unsigned ok, unavailable, late, odd;
};

static void kill_test_fatal(const char *why, void *arg)
{
	struct kill_test *t = arg;

	print_message("# fatal: %s\n", why);
	t->is_fatal = true;
}

static void *kill_test_caller(void *arg)
{
	struct kill_test *t = arg;

	while (!t->stop) {
		struct dispatch_request q = rig_request(&t->rig, "sleep 3", 8000);
		struct dispatch_reply reply;
		struct err e = ERR_INIT;
		int rc = dispatch_call(t->rig.d, &q, &reply, &e);

		if (rc == 0 && reply.body.len > 0)
			t->ok++;
		else if (rc == ERR_UNAVAILABLE)
			t->unavailable++; /* three workers in a row were killed under it */
		else if (rc == ERR_TIMEOUT)
			t->late++; /* only where nng stands still, see below */
		else
			t->odd++;
		strbuf_done(&reply.body);
	}
	return NULL;
}

/* Workers are killed as fast as they come up; every job ends in one way. */
static void test_jobs_survive_killed_workers(void **state)
{
	static struct kill_test t;
	const char *seconds = getenv("NLQ_KILL_SECONDS");
	uint64_t until = clock_mono_ms() + 1000 * (uint64_t)(seconds ? atoi(seconds) : 5);
	struct dispatch_conf conf = {.self_dial_ms = 250, .fatal = kill_test_fatal, .arg = &t};
	pthread_t caller[KILL_CALLERS];
	pid_t pid[KILL_WORKERS];
	unsigned kills = 0;

	(void)state;
	rig_open(&t.rig, &conf);
	for (int i = 0; i < KILL_WORKERS; i++)
		pid[i] = rig_spawn(&t.rig, "2");
	RIG_UNTIL(dispatch_slots(t.rig.d, NLQ__ROLE__ROLE_DUMMY) == 2 * KILL_WORKERS);
	for (int i = 0; i < KILL_CALLERS; i++)
		pthread_create(&caller[i], NULL, kill_test_caller, &t);
	for (int i = 0; clock_mono_ms() < until && !t.is_fatal; i = (i + 1) % KILL_WORKERS) {
		usleep(20000);
		rig_kill(pid[i]);
		pid[i] = rig_spawn(&t.rig, "2");
		kills++;
	}
	t.stop = true;
	for (int i = 0; i < KILL_CALLERS; i++)
		pthread_join(caller[i], NULL);
	print_message("# %u kills, %u jobs done, %u given up, %llu retried, %llu heals\n", kills,
	    t.ok, t.unavailable, (unsigned long long)rig_stats(&t.rig).jobs_retried,
	    (unsigned long long)rig_stats(&t.rig).heals);
	assert_int_equal(t.odd, 0);
	if (t.is_fatal) {
		/* nng 1.5.2's reaper can stop for good under kills. The dispatcher has said
		 * so, every job has its one typed end, and a daemon would now be started
		 * again; this process cannot, so it leaves its sockets alone. */
		for (int i = 0; i < KILL_WORKERS; i++)
			rig_kill(pid[i]);
		rig_abandon(&t.rig);
		return;
	}
	assert_int_equal(t.late, 0);
	assert_true(t.ok > 100);
	assert_true(t.unavailable < t.ok / 20);
	assert_int_equal(rig_stats(&t.rig).running + rig_stats(&t.rig).queued, 0);
	for (int i = 0; i < KILL_WORKERS; i++)
		rig_kill(pid[i]);
	RIG_UNTIL(dispatch_components(t.rig.d, NULL, 0) == 0);
	rig_close(&t.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_workers_find_a_restarted_dispatcher),
	    cmocka_unit_test(test_draining_worker_ends_its_job_and_takes_no_other),
	    cmocka_unit_test(test_drain_without_a_dispatcher_does_not_wait),
	    cmocka_unit_test(test_parked_slots_are_asked_to_ask_again),
	    cmocka_unit_test(test_snapshots_travel_once_and_are_dropped),
	    cmocka_unit_test(test_slot_that_holds_the_snapshot_goes_first),
	    cmocka_unit_test(test_jobs_survive_killed_workers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

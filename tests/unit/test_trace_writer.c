/* The writer thread: answers wait for the commit, a store that is locked by
 * another is told and recovered from, two stacks of one user side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/trace_read.h"
#include "orchestrator/trace_writer.h"

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/nlq-trace.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct waiter {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	int n_ok, n_failed;
};
#define WAITER_INIT                                                       \
	{                                                                 \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 \
	}

static void on_done(void *arg, const struct err *e)
{
	struct waiter *w = arg;

	pthread_mutex_lock(&w->mutex);
	if (e)
		w->n_failed++;
	else
		w->n_ok++;
	pthread_cond_broadcast(&w->wake);
	pthread_mutex_unlock(&w->mutex);
}

static void wait_for(struct waiter *w, int n)
{
	pthread_mutex_lock(&w->mutex);
	while (w->n_ok + w->n_failed < n)
		pthread_cond_wait(&w->wake, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

static struct trace *open_trace(bool may_share, enum trace_payload payload)
{
	struct trace_conf conf = {dir, payload, false, may_share};
	struct trace *t = NULL;
	struct err e = ERR_INIT;

	if (trace_open(&conf, &t, &e))
		return NULL;
	return t;
}

static void put(struct trace *t, enum trace_kind kind, uint8_t id, struct waiter *w)
{
	struct trace_event ev = TRACE_EVENT_INIT;

	ev.kind = kind;
	memset(ev.request, id, sizeof(ev.request));
	ev.at_us = clock_wall_us();
	ev.operation = "ask";
	ev.status = "answered";
	trace_put(t, &ev, (struct trace_part){"question", 8}, (struct trace_part){"reply", 5},
	    w ? on_done : NULL, w);
}

static char *todays_file(char *path, size_t size)
{
	char **names = NULL;
	int n = trace_files(dir, &names, NULL);

	assert_int_equal(n, 1);
	snprintf(path, size, "%s/%s", dir, names[0]);
	free(names[0]);
	free(names);
	return path;
}

static int count(const char *sql)
{
	char path[128];
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	int n = -1;

	assert_int_equal(sqlite3_open(todays_file(path, sizeof(path)), &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	if (sqlite3_step(q) == SQLITE_ROW)
		n = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void test_end_is_durable_when_its_callback_runs(void **state)
{
	struct waiter w = WAITER_INIT;
	struct trace *t = open_trace(false, TRACE_PAYLOAD_FULL);

	(void)state;
	put(t, TRACE_BEGIN, 1, NULL);
	put(t, TRACE_SPAN, 1, NULL);
	put(t, TRACE_END, 1, &w);
	wait_for(&w, 1);
	assert_int_equal(w.n_ok, 1);
	/* Read by a connection of our own, while the writer still runs. */
	assert_int_equal(count("SELECT count(*) FROM event WHERE kind > 0"), 3);
	assert_int_equal(count("SELECT count(*) FROM payload"), 2);
	trace_close(t);
}

static void test_payload_none_keeps_hashes_only(void **state)
{
	struct waiter w = WAITER_INIT;
	struct trace *t = open_trace(false, TRACE_PAYLOAD_NONE);

	(void)state;
	put(t, TRACE_END, 1, &w);
	wait_for(&w, 1);
	assert_int_equal(count("SELECT count(*) FROM payload"), 0);
	assert_int_equal(count("SELECT count(*) FROM event WHERE request_hash <> zeroblob(32)"), 1);
	trace_close(t);
}

static void test_close_writes_what_is_queued(void **state)
{
	struct trace *t = open_trace(false, TRACE_PAYLOAD_FULL);

	(void)state;
	for (uint8_t i = 1; i <= 50; i++)
		put(t, TRACE_SPAN, i, NULL);
	trace_close(t);
	assert_int_equal(count("SELECT count(*) FROM event WHERE kind = 2"), 50);
}

static void test_locked_store_is_told_and_recovers(void **state)
{
	struct waiter w = WAITER_INIT;
	struct trace *t = open_trace(false, TRACE_PAYLOAD_FULL);
	sqlite3 *other = NULL;
	char path[128];
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trace_check(t, &e), 0);
	assert_int_equal(sqlite3_open(todays_file(path, sizeof(path)), &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	put(t, TRACE_END, 1, &w);
	wait_for(&w, 1); /* after the busy timeout */
	assert_int_equal(w.n_failed, 1);
	assert_int_equal(trace_check(t, &e), ERR_IO);
	assert_int_equal(e.phase, PHASE_TRACE);
	assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	while (trace_check(t, NULL))
		usleep(1000);
	put(t, TRACE_END, 2, &w);
	wait_for(&w, 2);
	assert_int_equal(w.n_ok, 1);
	/* The answer that nobody got is kept as a failure. */
	assert_int_equal(
	    count("SELECT count(*) FROM event WHERE kind = 3 AND status = 'failed'"), 1);
	trace_close(t);
}

static void test_second_writer_is_refused_or_put_beside(void **state)
{
	struct trace *t = open_trace(false, TRACE_PAYLOAD_FULL);
	struct trace *beside;

	(void)state;
	assert_null(open_trace(false, TRACE_PAYLOAD_FULL));
	beside = open_trace(true, TRACE_PAYLOAD_FULL);
	assert_non_null(beside);
	assert_string_not_equal(trace_dir(beside), trace_dir(t));
	trace_close(beside);
	trace_close(t);
}

struct poster {
	struct trace *t;
	struct waiter *w;
	uint8_t id;
};

static void *post(void *arg)
{
	struct poster *p = arg;

	for (int i = 0; i < 100; i++)
		put(p->t, TRACE_END, p->id, p->w);
	return NULL;
}

static void test_many_threads_leave_a_whole_chain(void **state)
{
	struct waiter w = WAITER_INIT;
	struct trace *t = open_trace(false, TRACE_PAYLOAD_FULL);
	struct poster posters[4];
	struct trace_check_result r;
	pthread_t threads[4];

	(void)state;
	for (uint8_t i = 0; i < 4; i++) {
		posters[i] = (struct poster){t, &w, i};
		assert_int_equal(pthread_create(&threads[i], NULL, post, &posters[i]), 0);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	wait_for(&w, 400);
	trace_close(t);
	assert_int_equal(w.n_ok, 400);
	assert_int_equal(trace_verify(dir, &r, NULL), 0);
	assert_true(r.is_sound);
	assert_int_equal(r.events, 401);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_end_is_durable_when_its_callback_runs),
	    TEST(test_payload_none_keeps_hashes_only),
	    TEST(test_close_writes_what_is_queued),
	    TEST(test_locked_store_is_told_and_recovers),
	    TEST(test_second_writer_is_refused_or_put_beside),
	    TEST(test_many_threads_leave_a_whole_chain),
	};

	log_init("test", LOG_LEVEL_ERROR);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

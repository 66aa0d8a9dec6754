/* Workers as the daemon sees them: standing, killed at the deadline or on cancel,
 * replaced; and the end of the zygote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/lib/executor_rig.h"

#define ENDLESS \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

#define A10 "aaaaaaaaaa"
#define A40 A10 A10 A10 A10

static struct rig rig;
static const char *db_path;

static int open_rig(void **state)
{
	static char path[400];
	struct err e = ERR_INIT;

	(void)state;
	if (rig_open(&rig, NULL, &e) != 0) {
		fprintf(stderr, "rig: %s\n", e.text);
		return -1;
	}
	strcpy(path, rig_path(&rig, "a.db"));
	db_path = path;
	rig_sql(path,
	    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
	    "INSERT INTO t VALUES(1,'x'),(2,'y'),(3,NULL)");
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static struct pool_stats stats(void)
{
	struct pool_stats s;

	pool_get_stats(rig.pool, &s);
	return s;
}

static void assert_works(void)
{
	struct resultset *r;
	struct err e = ERR_INIT;

	if (rig_run(&rig, db_path, "SELECT a, b FROM t ORDER BY a", 5000, -1, &r, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(r->n_rows, 3);
	assert_int_equal(resultset_cell(r, 1, 0)->i, 2);
	assert_string_equal(resultset_cell(r, 1, 1)->text, "y");
	assert_int_equal(resultset_cell(r, 2, 1)->type, VALUE_NULL);
	resultset_free(r);
}

static void test_keeps_a_worker_standing(void **state)
{
	uint64_t before;

	(void)state;
	assert_works();
	before = stats().spawned;
	for (int i = 0; i < 20; i++)
		assert_works();
	assert_int_equal(stats().spawned, before);
}

static void test_stops_an_endless_query_at_its_deadline(void **state)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	uint64_t start = clock_mono_ms(), killed = stats().killed;

	(void)state;
	assert_int_equal(rig_run(&rig, db_path, ENDLESS, 300, -1, &r, &e), ERR_TIMEOUT);
	assert_in_range(clock_mono_ms() - start, 250, 900);
	assert_int_equal(stats().killed, killed); /* the worker itself stopped */
	assert_works();
}

/* One call of the engine that no progress handler sees the inside of. */
static void test_kills_a_worker_that_does_not_stop_by_itself(void **state)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	uint64_t start = clock_mono_ms(), killed = stats().killed;

	(void)state;
	/* 800,000 letters, and half of them with another at the end as the needle. */
	assert_int_equal(rig_run(&rig, db_path,
	                     "SELECT instr(x, substr(x, 1, 400000) || 'b') FROM (SELECT"
	                     " replace(replace(replace('aaaaaaaaaa', 'a', '" A40 "'), 'a', '" A40
	                     "'), 'a', '" A40 A10 "') AS x)",
	                     200, -1, &r, &e),
	    ERR_TIMEOUT);
	assert_in_range(clock_mono_ms() - start, 150, 1200);
	assert_int_equal(stats().killed, killed + 1);
	assert_works();
}

static void *cancel_soon(void *arg)
{
	uint64_t one = 1;

	poll(NULL, 0, 100);
	if (write(*(int *)arg, &one, sizeof(one)) != sizeof(one))
		abort();
	return NULL;
}

static void test_frees_the_worker_when_the_client_is_gone(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct resultset *r;
	struct err e = ERR_INIT;
	uint64_t start = clock_mono_ms();
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, cancel_soon, &fd), 0);
	assert_int_equal(rig_run(&rig, db_path, ENDLESS, 10000, fd, &r, &e), ERR_CANCELLED);
	assert_true(clock_mono_ms() - start < 100 + 200);
	pthread_join(t, NULL);
	close(fd);
	assert_int_equal(stats().busy, 0);
	assert_works();
}

static void *run_endless(void *arg)
{
	struct resultset *r;

	(void)rig_run(&rig, db_path, ENDLESS, 600, -1, &r, arg);
	return NULL;
}

static void test_runs_several_queries_of_a_source_at_once(void **state)
{
	struct err e[3] = {ERR_INIT, ERR_INIT, ERR_INIT};
	uint64_t start = clock_mono_ms();
	pthread_t t[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, run_endless, &e[i]), 0);
	while (stats().busy < 3 && clock_mono_ms() - start < 2000)
		sched_yield();
	assert_works();
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(e[i].code, ERR_TIMEOUT);
	}
	assert_true(clock_mono_ms() - start < 3000);
}

static void test_waits_its_turn_and_says_busy_at_the_end(void **state)
{
	struct err e[4] = {ERR_INIT, ERR_INIT, ERR_INIT, ERR_INIT}, mine = ERR_INIT;
	struct pool_call c = {.path = db_path,
	    .kind = 23,
	    .deadline_ms = clock_mono_ms() + 300,
	    .query_ms = 100,
	    .cancel_fd = -1};
	struct strbuf reply;
	pthread_t t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, run_endless, &e[i]), 0);
	while (stats().busy < 4)
		sched_yield();
	strbuf_init(&reply, 1000);
	assert_int_equal(pool_call(rig.pool, &c, &reply, &mine), ERR_BUSY);
	assert_true(mine.retry);
	strbuf_done(&reply);
	assert_works(); /* this one waits long enough */
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

/* A worker process of this test's zygote, found by its parent. */
static pid_t find_child(pid_t parent)
{
	DIR *d = opendir("/proc");
	struct dirent *x;
	pid_t found = 0;

	while (d != NULL && (x = readdir(d)) != NULL && found == 0) {
		char path[300], line[512];
		int pid, ppid;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/stat", x->d_name);
		f = fopen(path, "r");
		if (f == NULL)
			continue;
		if (fgets(line, sizeof(line), f) != NULL && strrchr(line, ')') != NULL &&
		    sscanf(line, "%d", &pid) == 1 &&
		    sscanf(strrchr(line, ')') + 1, " %*c %d", &ppid) == 1 && ppid == parent)
			found = pid;
		fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return found;
}

static void test_replaces_a_worker_that_was_killed(void **state)
{
	pid_t worker;

	(void)state;
	assert_works();
	worker = find_child(stats().zygote);
	assert_true(worker > 0);
	for (int i = 0; i < 4 && worker > 0; i++, worker = find_child(stats().zygote)) {
		assert_int_equal(kill(worker, SIGKILL), 0);
		assert_works();
	}
}

static bool is_over;

/* Kills the workers of the query and of its second try. */
static void *kill_all(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		pid_t worker = stats().busy > 0 ? find_child(stats().zygote) : 0;

		poll(NULL, 0, 50);
		if (worker > 0)
			kill(worker, SIGKILL);
	}
	return NULL;
}

static void test_reports_a_worker_that_dies_in_a_query(void **state)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, kill_all, NULL), 0);
	assert_int_equal(rig_run(&rig, db_path, ENDLESS, 5000, -1, &r, &e), ERR_INTERNAL);
	assert_true(e.retry);
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	assert_works();
}

/* Last: the pool does not come back from it. */
static void test_says_unavailable_when_the_zygote_is_gone(void **state)
{
	uint64_t until = clock_mono_ms() + 2000;
	struct resultset *r;
	struct err e = ERR_INIT;

	(void)state;
	assert_works();
	assert_true(pool_is_alive(rig.pool));
	kill(stats().zygote, SIGKILL);
	while (pool_is_alive(rig.pool) && clock_mono_ms() < until)
		sched_yield();
	assert_false(pool_is_alive(rig.pool));
	assert_int_equal(rig_run(&rig, db_path, "SELECT 1", 1000, -1, &r, &e), ERR_UNAVAILABLE);
	assert_true(rig.zygote_gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keeps_a_worker_standing),
	    cmocka_unit_test(test_stops_an_endless_query_at_its_deadline),
	    cmocka_unit_test(test_kills_a_worker_that_does_not_stop_by_itself),
	    cmocka_unit_test(test_frees_the_worker_when_the_client_is_gone),
	    cmocka_unit_test(test_runs_several_queries_of_a_source_at_once),
	    cmocka_unit_test(test_waits_its_turn_and_says_busy_at_the_end),
	    cmocka_unit_test(test_replaces_a_worker_that_was_killed),
	    cmocka_unit_test(test_reports_a_worker_that_dies_in_a_query),
	    cmocka_unit_test(test_says_unavailable_when_the_zygote_is_gone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}

/* Databases that are being written to, and the ways of WAL (dry run, ruling 16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/lib/executor_rig.h"

static struct rig rig;

static int open_rig(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (rig_open(&rig, NULL, &e) == 0)
		return 0;
	fprintf(stderr, "rig: %s\n", e.text);
	return -1;
}

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static void copy(const char *from, const char *to)
{
	char command[900];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

static int64_t count(const char *path, const char *sql)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	int64_t n;

	if (rig_run(&rig, path, sql, 5000, -1, &r, &e) != 0)
		fail_msg("%s: %s", path, e.text);
	n = resultset_cell(r, 0, 0)->i;
	resultset_free(r);
	return n;
}

/* Makes name.db in WAL mode with one row in the file and one in the -wal, as a crash
 * leaves it: the parts are copied while the writer still has them open. */
static const char *make_wal(const char *name, bool wal, bool shm)
{
	char live[500], from[520], to[520];
	sqlite3 *db;

	snprintf(live, sizeof(live), "%s/live-%s", rig.dir, name);
	assert_int_equal(sqlite3_open(live, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
	                     "PRAGMA journal_mode=WAL; CREATE TABLE t(a);"
	                     "INSERT INTO t VALUES(1); PRAGMA wal_checkpoint(TRUNCATE);"
	                     "INSERT INTO t VALUES(2)",
	                     NULL, NULL, NULL),
	    SQLITE_OK);
	snprintf(to, sizeof(to), "%s/%s", rig.dir, name);
	copy(live, to);
	for (int i = 0; i < 2; i++) {
		const char *suffix = i == 0 ? "-wal" : "-shm";

		snprintf(from, sizeof(from), "%s%s", live, suffix);
		snprintf(to, sizeof(to), "%s/%s%s", rig.dir, name, suffix);
		if (i == 0 ? wal : shm)
			copy(from, to);
	}
	sqlite3_close(db);
	return rig_path(&rig, name);
}

static bool has(const char *path, const char *suffix)
{
	char p[500];

	snprintf(p, sizeof(p), "%s%s", path, suffix);
	return access(p, F_OK) == 0;
}

static void test_reads_all_rows_of_a_wal_whose_writer_crashed(void **state)
{
	const char *both, *alone;

	(void)state;
	both = make_wal("both.db", true, true);
	assert_int_equal(count(both, "SELECT count(*) FROM t"), 2);
	alone = make_wal("alone.db", true, false);
	assert_int_equal(count(alone, "SELECT count(*) FROM t"), 2);
	assert_true(has(alone, "-wal"));
	assert_false(has(alone, "-shm"));
	assert_int_not_equal(access(rig.copies, F_OK), 0); /* the private copy is gone */
}

static void test_leaves_nothing_beside_a_clean_wal_database(void **state)
{
	const char *p = make_wal("clean.db", false, false);

	(void)state;
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 1);
	assert_false(has(p, "-wal"));
	assert_false(has(p, "-shm"));
}

static void test_reads_beside_a_live_writer(void **state)
{
	const char *p = rig_path(&rig, "live.db");
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(p, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA journal_mode=WAL; CREATE TABLE t(a)", NULL, NULL, NULL);
	for (int i = 1; i <= 20; i++) {
		assert_int_equal(
		    sqlite3_exec(db, "INSERT INTO t VALUES(1)", NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(count(p, "SELECT count(*) FROM t"), i);
	}
	sqlite3_close(db);
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 20);
}

static void test_sees_a_writer_that_comes_later(void **state)
{
	const char *p = make_wal("later.db", false, false);
	struct hash before, after;
	struct err e = ERR_INIT;
	sqlite3 *db;

	(void)state;
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 1); /* read as immutable */
	assert_int_equal(rig_version(&rig, p, &before, &e), 0);
	/* One that is gone again before the next call, one that stays. */
	rig_sql(p, "INSERT INTO t VALUES(6)");
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 2);
	assert_int_equal(sqlite3_open(p, &db), SQLITE_OK);
	sqlite3_exec(db, "INSERT INTO t VALUES(7)", NULL, NULL, NULL);
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 3);
	assert_int_equal(rig_version(&rig, p, &after, &e), 0);
	assert_false(hash_equal(&before, &after));
	sqlite3_close(db);
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 3);
}

static void test_follows_a_database_into_wal_mode_and_back(void **state)
{
	const char *p = rig_path(&rig, "modes.db");
	sqlite3 *db;

	(void)state;
	rig_sql(p, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 1);
	assert_int_equal(sqlite3_open(p, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 2000);
	assert_int_equal(
	    sqlite3_exec(db, "PRAGMA journal_mode=WAL; INSERT INTO t VALUES(2)", NULL, NULL, NULL),
	    SQLITE_OK);
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 2);
	sqlite3_close(db);
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 2);
	rig_sql(p, "PRAGMA journal_mode=DELETE; INSERT INTO t VALUES(3)");
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 3);
}

struct writer {
	const char *path, *mode;
	bool is_over;
};

/* Short writes, one after another; every commit leaves the sum at zero. */
static void *write_on(void *arg)
{
	struct writer *w = arg;
	char sql[64];
	sqlite3 *db;

	if (sqlite3_open(w->path, &db) != SQLITE_OK)
		abort();
	sqlite3_busy_timeout(db, 5000);
	snprintf(sql, sizeof(sql), "PRAGMA synchronous=OFF; PRAGMA journal_mode=%s", w->mode);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	while (!__atomic_load_n(&w->is_over, __ATOMIC_ACQUIRE)) {
		sqlite3_exec(db,
		    "BEGIN IMMEDIATE; UPDATE t SET a = a + 1 WHERE rowid = 1;"
		    "UPDATE t SET a = a - 1 WHERE rowid = 2; COMMIT",
		    NULL, NULL, NULL);
		usleep(300);
	}
	sqlite3_close(db);
	return NULL;
}

static void test_reads_whole_commits_beside_a_busy_writer_in_every_mode(void **state)
{
	static const char *const modes[] = {"DELETE", "PERSIST", "TRUNCATE", "WAL"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct writer w = {.path = rig_path(&rig, modes[i]), .mode = modes[i]};
		uint64_t start = clock_mono_ms();
		pthread_t t;

		rig_sql(w.path, "CREATE TABLE t(a); INSERT INTO t VALUES(0),(0)");
		assert_int_equal(pthread_create(&t, NULL, write_on, &w), 0);
		while (clock_mono_ms() - start < 400)
			assert_int_equal(count(w.path, "SELECT sum(a) FROM t"), 0);
		__atomic_store_n(&w.is_over, true, __ATOMIC_RELEASE);
		pthread_join(t, NULL);
		assert_int_equal(count(w.path, "SELECT sum(a) FROM t"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_all_rows_of_a_wal_whose_writer_crashed),
	    cmocka_unit_test(test_leaves_nothing_beside_a_clean_wal_database),
	    cmocka_unit_test(test_reads_beside_a_live_writer),
	    cmocka_unit_test(test_sees_a_writer_that_comes_later),
	    cmocka_unit_test(test_follows_a_database_into_wal_mode_and_back),
	    cmocka_unit_test(test_reads_whole_commits_beside_a_busy_writer_in_every_mode),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}

/* Files that are no databases, damaged ones, and files that are replaced (security
 * notes, DF-01 to DF-06). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/lib/executor_rig.h"

static struct rig rig;
static struct rig plain; /* does not quick-check: the first walls alone */

static void no_check(struct pool_conf *conf)
{
	conf->worker.check_max_bytes = 0;
}

static int open_rig(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (rig_open(&rig, NULL, &e) == 0 && rig_open(&plain, no_check, &e) == 0)
		return 0;
	fprintf(stderr, "rig: %s\n", e.text);
	return -1;
}

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	rig_close(&plain);
	return 0;
}

static void copy(const char *from, const char *to)
{
	char command[900];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

static void write_bytes(const char *path, const void *bytes, size_t n, off_t at)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, at), n);
	close(fd);
}

/* A database of some pages under a name. */
static const char *make(const char *name)
{
	const char *path = rig_path(&rig, name);

	rig_sql(path,
	    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<500)"
	    " INSERT INTO t SELECT i, 'row ' || i FROM n");
	return path;
}

static int code_by(struct rig *by, const char *path)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	int rc = rig_run(by, path, "SELECT a, b FROM t", 5000, -1, &r, &e);

	if (rc == 0 && r->n_rows != 500)
		rc = -1000; /* rows were lost in silence */
	if (rc != 0 && rc != -1000)
		assert_true(e.text[0] != '\0');
	resultset_free(r);
	return rc;
}

static int code_of(const char *path)
{
	return code_by(&rig, path);
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

static void test_refuses_what_is_no_database(void **state)
{
	static const char newer[] = {5, 5}, page[] = {(char)0xff, (char)0xff};
	const char *db = make("plain.db"), *p;

	(void)state;
	assert_int_equal(code_of(db), 0);
	assert_int_equal(code_of(rig_path(&rig, "none.db")), ERR_SOURCE_MISSING);
	write_bytes(p = rig_path(&rig, "empty.db"), "", 0, 0);
	assert_int_equal(code_of(p), ERR_SOURCE_EMPTY);
	write_bytes(
	    p = rig_path(&rig, "text.db"), "This is a text file, and a long one at that.", 44, 0);
	assert_int_equal(code_of(p), ERR_SOURCE_NOT_DB);
	copy(db, p = rig_path(&rig, "fifty.db"));
	assert_int_equal(truncate(p, 50), 0);
	assert_int_equal(code_of(p), ERR_SOURCE_NOT_DB);
	copy(db, p = rig_path(&rig, "newer.db"));
	write_bytes(p, newer, 2, 18);
	assert_int_equal(code_of(p), ERR_SOURCE_NOT_DB);
	copy(db, p = rig_path(&rig, "page.db"));
	write_bytes(p, page, 2, 16);
	assert_int_equal(code_of(p), ERR_SOURCE_CORRUPT);
	rig_sql(p = rig_path(&rig, "bare.db"), "CREATE TABLE x(a); DROP TABLE x");
	assert_int_equal(code_of(p), ERR_SOURCE_EMPTY);
}

static void test_refuses_a_database_cut_off_anywhere(void **state)
{
	const char *db = make("whole.db"), *p = rig_path(&rig, "cut.db");
	struct stat st;
	int rc;

	(void)state;
	assert_int_equal(stat(db, &st), 0);
	assert_true(st.st_size >= 8192);
	for (off_t size = 0; size < st.st_size; size += 512) {
		copy(db, p);
		assert_int_equal(truncate(p, size), 0);
		rc = code_of(p);
		if (rc != (size == 0 ? ERR_SOURCE_EMPTY : ERR_SOURCE_CORRUPT))
			fail_msg("%ld bytes: %d", (long)size, rc);
		assert_int_equal(code_by(&plain, p), rc);
		unlink(p);
	}
}

static void test_a_changed_byte_is_found_or_does_no_harm(void **state)
{
	const char *db = make("byte.db"), *p = rig_path(&rig, "bit.db");
	struct stat st;
	uint32_t seed = 12345;

	(void)state;
	assert_int_equal(stat(db, &st), 0);
	for (int i = 0; i < 60; i++) {
		uint8_t byte;
		int rc;

		seed = seed * 1664525 + 1013904223;
		byte = (uint8_t)(seed >> 24);
		copy(db, p);
		write_bytes(p, &byte, 1, (off_t)(seed % (uint32_t)st.st_size));
		rc = code_of(p);
		if (rc == ERR_INTERNAL || rc == -1000)
			fail_msg("seed %d: %d", i, rc);
		unlink(p);
	}
	assert_int_equal(rig.unexpected_exits, 0);
}

static void test_does_not_hang_on_what_is_no_file(void **state)
{
	uint64_t start = clock_mono_ms();
	const char *p = rig_path(&rig, "fifo.db");

	(void)state;
	assert_int_equal(mkfifo(p, 0600), 0);
	assert_int_equal(code_of(p), ERR_SOURCE_NOT_DB);
	assert_int_equal(code_of(rig.dir), ERR_SOURCE_NOT_DB);
	assert_int_equal(code_of("/dev/zero"), ERR_SOURCE_NOT_DB);
	assert_int_equal(code_of("/dev/tty"), ERR_SOURCE_NOT_DB);
	assert_int_not_equal(code_of("/proc/self/mem"), 0);
	assert_int_equal(symlink("loop.db", p = rig_path(&rig, "loop.db")), 0);
	assert_int_equal(code_of(p), ERR_SOURCE_MISSING);
	assert_int_equal(symlink(rig_path(&rig, "plain.db"), p = rig_path(&rig, "link.db")), 0);
	assert_int_equal(code_of(p), 0);
	assert_true(clock_mono_ms() - start < 3000);
}

static void test_follows_a_file_that_is_replaced(void **state)
{
	const char *p = rig_path(&rig, "swap.db"), *q = rig_path(&rig, "swap-new.db");

	(void)state;
	rig_sql(p, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	rig_sql(q, "CREATE TABLE t(a, z); INSERT INTO t VALUES(1,1),(2,2),(3,3)");
	assert_int_equal(count(p, "SELECT count(*) FROM t"), 1);
	assert_int_equal(rename(q, p), 0);
	assert_int_equal(count(p, "SELECT count(z) FROM t"), 3);
	rig_sql(p, "CREATE TABLE later(k); INSERT INTO later VALUES(1)");
	assert_int_equal(count(p, "SELECT count(k) FROM later"), 1);
	unlink(p);
	assert_int_equal(code_of(p), ERR_SOURCE_MISSING);
}

static void test_refuses_a_write_that_did_not_end(void **state)
{
	const char *p = rig_path(&rig, "hot.db"), *src = rig_path(&rig, "cold.db");
	char journal[500], hot[500];
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(src, &db), SQLITE_OK);
	sqlite3_exec(db,
	    "CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA cache_size=1; BEGIN;"
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)"
	    " INSERT INTO t SELECT hex(randomblob(200)) FROM n",
	    NULL, NULL, NULL);
	snprintf(journal, sizeof(journal), "%s-journal", src);
	snprintf(hot, sizeof(hot), "%s-journal", p);
	copy(src, p);
	copy(journal, hot);
	assert_int_equal(code_of(p), ERR_SOURCE_CORRUPT);
	/* The writer itself is still at work in its own file. */
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(count(src, "SELECT count(*) FROM t"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refuses_what_is_no_database),
	    cmocka_unit_test(test_refuses_a_database_cut_off_anywhere),
	    cmocka_unit_test(test_a_changed_byte_is_found_or_does_no_harm),
	    cmocka_unit_test(test_does_not_hang_on_what_is_no_file),
	    cmocka_unit_test(test_follows_a_file_that_is_replaced),
	    cmocka_unit_test(test_refuses_a_write_that_did_not_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}

/* The trace: what is kept, the chain and what breaks it, orphans, day change,
 * group commit, a store that cannot be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/trace_read.h"

#define DAY_US (24LL * 3600 * 1000000)
#define NOON_US 1700049600000000LL /* 2023-11-15 12:00 UTC */

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

static struct trace_event event(enum trace_kind kind, uint8_t id, int64_t at_us)
{
	struct trace_event ev = TRACE_EVENT_INIT;

	ev.kind = kind;
	memset(ev.request, id, sizeof(ev.request));
	ev.at_us = at_us;
	ev.uid = 1000;
	ev.source = "shop";
	ev.operation = kind == TRACE_BEGIN ? "ask" : "step";
	ev.status = kind == TRACE_END ? "answered" : "ok";
	return ev;
}

static struct trace_store *open_at(int64_t now_us)
{
	struct trace_store *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(trace_store_open(dir, false, now_us, &s, &e), 0);
	return s;
}

static void append_at(struct trace_store *s, enum trace_kind kind, uint8_t id, int64_t now_us)
{
	struct trace_event ev = event(kind, id, now_us);

	assert_int_equal(trace_store_begin(s, now_us, NULL), 0);
	assert_int_equal(trace_store_append(s, &ev, NULL), 0);
	assert_int_equal(trace_store_commit(s, NULL), 0);
}

static struct trace_check_result check(void)
{
	struct trace_check_result r;

	assert_int_equal(trace_verify(dir, &r, NULL), 0);
	return r;
}

static void tamper(const char *file, const char *sql)
{
	char path[128];
	sqlite3 *db = NULL;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void three_events(void)
{
	struct trace_store *s = open_at(NOON_US);

	append_at(s, TRACE_BEGIN, 1, NOON_US);
	append_at(s, TRACE_SPAN, 1, NOON_US);
	append_at(s, TRACE_END, 1, NOON_US);
	trace_store_close(s);
}

static void test_whole_chain_is_found_sound(void **state)
{
	(void)state;
	three_events();
	assert_true(check().is_sound);
	assert_int_equal(check().events, 4); /* with the head */
}

static void test_changed_event_is_found(void **state)
{
	(void)state;
	three_events();
	tamper("trace-2023-11-15.sqlite", "UPDATE event SET status = 'failed' WHERE seq = 4");
	struct trace_check_result r = check();

	assert_false(r.is_sound);
	assert_int_equal(r.broken_seq, 4);
}

static void test_removed_event_is_found(void **state)
{
	(void)state;
	three_events();
	tamper("trace-2023-11-15.sqlite", "DELETE FROM event WHERE seq = 3");
	struct trace_check_result r = check();

	assert_false(r.is_sound);
	assert_int_equal(r.broken_seq, 3);
}

static void test_text_moved_between_fields_is_found(void **state)
{
	(void)state;
	three_events();
	/* The same bytes in all, in other fields: lengths are part of the hash. */
	tamper("trace-2023-11-15.sqlite",
	    "UPDATE event SET source = 'shopa', operation = 'sk' WHERE seq = 2");
	assert_false(check().is_sound);
}

static void test_next_day_continues_the_chain(void **state)
{
	struct trace_store *s = open_at(NOON_US);

	(void)state;
	append_at(s, TRACE_BEGIN, 1, NOON_US);
	append_at(s, TRACE_END, 1, NOON_US + DAY_US);
	trace_store_close(s);
	struct trace_check_result r = check();

	assert_true(r.is_sound);
	assert_int_equal(r.files, 2);
	tamper("trace-2023-11-15.sqlite", "DELETE FROM event WHERE seq = 2");
	/* The older file now ends early: the head of the newer one does not fit. */
	assert_false(check().is_sound);
}

static void test_reopened_file_goes_on(void **state)
{
	(void)state;
	three_events();
	struct trace_store *s = open_at(NOON_US + 1);

	append_at(s, TRACE_BEGIN, 2, NOON_US + 1);
	trace_store_close(s);
	assert_true(check().is_sound);
	assert_int_equal(check().events, 5);
}

static void test_rollback_leaves_no_gap(void **state)
{
	struct trace_store *s = open_at(NOON_US);
	struct trace_event ev = event(TRACE_BEGIN, 1, NOON_US);

	(void)state;
	assert_int_equal(trace_store_begin(s, NOON_US, NULL), 0);
	assert_int_equal(trace_store_append(s, &ev, NULL), 0);
	trace_store_rollback(s);
	append_at(s, TRACE_BEGIN, 2, NOON_US);
	trace_store_close(s);
	assert_true(check().is_sound);
	assert_int_equal(check().events, 2);
}

static void test_changed_payload_is_found_and_dropped_is_not(void **state)
{
	struct trace_store *s = open_at(NOON_US);
	struct hash h;

	(void)state;
	hash_bytes("bytes", 5, &h);
	assert_int_equal(trace_store_begin(s, NOON_US, NULL), 0);
	assert_int_equal(trace_store_payload(s, &h, "bytes", 5, NULL), 0);
	assert_int_equal(trace_store_payload(s, &h, "bytes", 5, NULL), 0);
	assert_int_equal(trace_store_commit(s, NULL), 0);
	trace_store_close(s);
	assert_true(check().is_sound);
	assert_int_equal(check().payloads, 1);
	tamper("trace-2023-11-15.sqlite", "UPDATE payload SET bytes = 'bites'");
	assert_false(check().is_sound);
	tamper("trace-2023-11-15.sqlite", "DELETE FROM payload");
	assert_true(check().is_sound);
}

static const char *outcome_of(struct arena *a, uint8_t id)
{
	struct trace_detail d;
	char hex[9];

	snprintf(hex, sizeof(hex), "%02x%02x%02x%02x", id, id, id, id);
	assert_int_equal(trace_show(a, dir, TRACE_ANYONE, hex, &d, NULL), 0);
	return d.entry.outcome;
}

static void test_requests_left_open_are_closed_at_start(void **state)
{
	struct trace_store *s = open_at(NOON_US);
	struct arena a = ARENA_INIT;

	(void)state;
	append_at(s, TRACE_BEGIN, 1, NOON_US);
	append_at(s, TRACE_BEGIN, 2, NOON_US);
	append_at(s, TRACE_END, 2, NOON_US);
	trace_store_close(s);
	/* The next start is on the day after. */
	s = open_at(NOON_US + DAY_US);
	assert_int_equal(trace_store_close_orphans(s, NOON_US + DAY_US, NULL), 1);
	assert_int_equal(trace_store_close_orphans(s, NOON_US + DAY_US, NULL), 0);
	trace_store_close(s);
	arena_init(&a);
	assert_string_equal(outcome_of(&a, 1), "failed");
	assert_string_equal(outcome_of(&a, 2), "answered");
	arena_done(&a);
	assert_true(check().is_sound);
}

static void test_list_is_newest_first_and_of_one_uid(void **state)
{
	struct trace_store *s = open_at(NOON_US);
	struct trace_event other = event(TRACE_BEGIN, 9, NOON_US + 5);
	struct trace_entry *entries = NULL;
	struct arena a = ARENA_INIT;
	size_t n = 0;

	(void)state;
	append_at(s, TRACE_BEGIN, 1, NOON_US);
	append_at(s, TRACE_BEGIN, 2, NOON_US + 1);
	other.uid = 2000;
	assert_int_equal(trace_store_begin(s, NOON_US, NULL), 0);
	assert_int_equal(trace_store_append(s, &other, NULL), 0);
	assert_int_equal(trace_store_commit(s, NULL), 0);
	trace_store_close(s);
	arena_init(&a);
	assert_int_equal(trace_list(&a, dir, 1000, 10, &entries, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(entries[0].request[0], 2);
	assert_int_equal(trace_list(&a, dir, TRACE_ANYONE, 2, &entries, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(entries[0].request[0], 9);
	arena_done(&a);
}

static void test_show_wants_one_request_by_its_digits(void **state)
{
	struct trace_detail d;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;

	(void)state;
	three_events();
	arena_init(&a);
	assert_int_equal(trace_show(&a, dir, TRACE_ANYONE, "0101", &d, &e), 0);
	assert_int_equal(d.n_spans, 3);
	assert_int_equal(trace_show(&a, dir, 5, "0101", &d, &e), ERR_NOT_FOUND);
	assert_int_equal(trace_show(&a, dir, TRACE_ANYONE, "0102", &d, &e), ERR_NOT_FOUND);
	assert_int_equal(trace_show(&a, dir, TRACE_ANYONE, "010", &d, &e), ERR_BAD_INPUT);
	assert_int_equal(trace_show(&a, dir, TRACE_ANYONE, "01 or 1", &d, &e), ERR_BAD_INPUT);
	arena_done(&a);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_whole_chain_is_found_sound),
	    TEST(test_changed_event_is_found),
	    TEST(test_removed_event_is_found),
	    TEST(test_text_moved_between_fields_is_found),
	    TEST(test_next_day_continues_the_chain),
	    TEST(test_reopened_file_goes_on),
	    TEST(test_rollback_leaves_no_gap),
	    TEST(test_changed_payload_is_found_and_dropped_is_not),
	    TEST(test_requests_left_open_are_closed_at_start),
	    TEST(test_list_is_newest_first_and_of_one_uid),
	    TEST(test_show_wants_one_request_by_its_digits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

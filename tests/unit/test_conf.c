#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/conf.h"

static struct arena arena = ARENA_INIT;
static struct err err;
static char path[] = "/tmp/nlq-conf.XXXXXX";

static const char *name;
static uint32_t slots, wait_ms;
static uint64_t bytes, top_bytes;
static bool on;
static int sync_mode;
static const struct yaml_node *list;
static const char *const sync_names[] = {"normal", "full", NULL};

static const struct conf_row rows[] = {
    {"name", CONF_STRING, &name, 0, 0, NULL, "a name"},
    {"slots", CONF_UINT, &slots, 1, 64, NULL, "slots"},
    {"bytes", CONF_SIZE, &bytes, 1, 4194304, NULL, "bytes"},
    {"top_bytes", CONF_SIZE, &top_bytes, 0, 0, NULL, "no upper limit"},
    {"wait_ms", CONF_MS, &wait_ms, 0, 0, NULL, "time"},
    {"on", CONF_BOOL, &on, 0, 0, NULL, "switch"},
    {"trace.sync", CONF_ENUM, &sync_mode, 0, 0, sync_names, "sync"},
    {"trace.deep.on", CONF_BOOL, &on, 0, 0, NULL, "deeper"},
    {"sources", CONF_NODE, &list, 0, 0, NULL, "list"},
};
#define N ARRAY_SIZE(rows)

static int reset(void **state)
{
	(void)state;
	arena_done(&arena);
	memset(&err, 0, sizeof(err));
	name = "default";
	slots = 2;
	bytes = 10;
	top_bytes = 0;
	wait_ms = 5;
	on = false;
	sync_mode = 0;
	list = NULL;
	return 0;
}

static int load(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	return conf_load(&arena, rows, N, path, &err);
}

static int set(const char *word)
{
	return conf_set(&arena, rows, N, word, &err);
}

static void expect_file_error(const char *text, const char *want)
{
	reset(NULL);
	assert_int_equal(load(text), ERR_CONFIG);
	if (!strstr(err.text, want))
		fail_msg("got \"%s\", want \"%s\"", err.text, want);
}

static void expect_word_error(const char *word, const char *want)
{
	reset(NULL);
	assert_int_equal(set(word), ERR_CONFIG);
	if (!strstr(err.text, want))
		fail_msg("%s: got \"%s\", want \"%s\"", word, err.text, want);
}

static void test_file_sets_every_type(void **state)
{
	(void)state;
	assert_int_equal(load("name: 中 x\nslots: 8\nbytes: 64KiB\nwait_ms: 2m\non: true\n"
	                      "trace: {sync: full, deep: {on: false}}\nsources: [{a: 1}]\n"),
	    0);
	assert_string_equal(name, "中 x");
	assert_int_equal(slots, 8);
	assert_int_equal(bytes, 65536);
	assert_int_equal(wait_ms, 120000);
	assert_false(on); /* trace.deep.on came later and has the same target */
	assert_int_equal(sync_mode, 1);
	assert_int_equal(list->n, 1);
}

static void test_no_file_and_empty_file_keep_defaults(void **state)
{
	(void)state;
	assert_int_equal(conf_load(&arena, rows, N, NULL, &err), 0);
	assert_int_equal(load(""), 0);
	assert_string_equal(name, "default");
	assert_int_equal(slots, 2);
}

static void test_unknown_keys_are_refused_with_line_and_suggestion(void **state)
{
	(void)state;
	expect_file_error("slots: 1\nslot: 2\n", ":2: unknown setting \"slot\"");
	assert_non_null(strstr(err.fix, "did you mean slots?"));
	assert_int_equal(err.line, 2);
	expect_file_error("trace:\n  snyc: full\n", ":2: unknown setting \"trace.snyc\"");
	assert_non_null(strstr(err.fix, "trace.sync"));
	expect_file_error("trace: {deep: {off: true}}\n", "unknown setting \"trace.deep.off\"");
	expect_file_error("zzzzqqqq: 1\n", "unknown setting");
	assert_null(strstr(err.fix, "did you mean"));
	expect_file_error("\"\": 1\n", "unknown setting \"\"");
	expect_file_error("<<: {slots: 1}\n", "unknown setting \"<<\"");
	expect_file_error("slots: 1\nslots: 1\n", ":2: key \"slots\" is given twice");
}

static void test_a_dotted_key_in_the_file_is_refused(void **state)
{
	(void)state;
	expect_file_error("trace.sync: full\n", "unknown setting \"trace.sync\"");
	assert_non_null(strstr(err.fix, "map"));
	expect_file_error("trace: {deep.on: true}\n", "unknown setting");
}

static void test_wrong_shapes_are_refused(void **state)
{
	(void)state;
	expect_file_error("slots: [1]\n", ":1: slots must be a single value");
	expect_file_error("slots: {a: 1}\n", "slots must be a single value");
	expect_file_error("trace: full\n", "trace must be a map");
	expect_file_error("- a\n", "a settings file is a map");
	expect_file_error("text\n", "a settings file is a map");
}

static void test_numbers_are_digits_within_limits(void **state)
{
	static const char *const bad[] = {"0", "65", "-1", "+1", "1.0", "1e1", "0x10", "1 ", " 1",
	    "", "1,000", "1_000", "4294967296", "4294967297", "18446744073709551616",
	    "99999999999999999999999", "9223372036854775808", "one", "2KiB", "٣", "1\n"};
	char word[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(word, sizeof(word), "slots=%s", bad[i]);
		expect_word_error(word, "is not a whole number from 1 to 64");
		assert_int_equal(slots, 2);
	}
	assert_int_equal(set("slots=1"), 0);
	assert_int_equal(set("slots=064"), 0);
	assert_int_equal(slots, 64);
	expect_file_error("slots: \"3\"\n", "is not a whole number"); /* quoted: a text */
	expect_file_error("slots:\n", "\"\" is not a whole number");
	expect_file_error("slots: ~\n", "\"~\" is not a whole number");
}

static void test_sizes_have_binary_suffixes_only(void **state)
{
	static const char *const bad[] = {"0", "-1", "10 MB", "10MB", "10 MiB", "4k", "4K",
	    "1.5MiB", "MiB", "4mib", "4MiBx", "5MiB", "17179869184GiB", "9223372036854775808",
	    "18446744073709551616", "18446744073709551617", "4194305"};
	char word[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(word, sizeof(word), "bytes=%s", bad[i]);
		expect_word_error(
		    word, "is not a size in bytes (or like 64KiB, 4MiB, 1GiB) from 1 to 4194304");
	}
	assert_int_equal(set("bytes=4MiB"), 0);
	assert_int_equal(bytes, 4194304);
	assert_int_equal(set("bytes=1B"), 0);
	assert_int_equal(bytes, 1);
	assert_int_equal(set("bytes=64KiB"), 0);
	assert_int_equal(bytes, 65536);
	assert_int_equal(set("top_bytes=9223372036854775807"), 0); /* fits signed 64 bits */
	expect_word_error("top_bytes=9223372036854775808", "is not a size");
	assert_int_equal(set("top_bytes=2GiB"), 0);
	assert_int_equal(top_bytes, 2147483648u);
}

static void test_times_have_units(void **state)
{
	(void)state;
	assert_int_equal(set("wait_ms=500ms"), 0);
	assert_int_equal(wait_ms, 500);
	assert_int_equal(set("wait_ms=10s"), 0);
	assert_int_equal(wait_ms, 10000);
	assert_int_equal(set("wait_ms=250"), 0);
	assert_int_equal(wait_ms, 250);
	assert_int_equal(set("wait_ms=0"), 0);
	expect_word_error("wait_ms=1h", "is not a time");
	expect_word_error("wait_ms=1.5s", "is not a time");
	expect_word_error("wait_ms=71583m", "is not a time"); /* 2^32 ms and a bit */
	assert_int_equal(set("wait_ms=71582m"), 0);
}

static void test_switches_are_true_or_false(void **state)
{
	static const char *const bad[] = {
	    "on=yes", "on=1", "on=True", "on=TRUE", "on=", "on=truee", "on=off"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		expect_word_error(bad[i], "is not true or false");
	assert_int_equal(set("on=true"), 0);
	assert_true(on);
	assert_int_equal(set("on=false"), 0);
	assert_false(on);
	expect_file_error("on: \"true\"\n", "is not true or false");
	expect_file_error("on: yes\n", "is not true or false");
}

static void test_choices_name_all_of_them(void **state)
{
	(void)state;
	expect_word_error("trace.sync=maybe", "\"maybe\" is not one of normal, full");
	assert_int_equal(set("trace.sync=full"), 0);
	assert_int_equal(sync_mode, 1);
}

static void test_texts_are_copied_and_bounded(void **state)
{
	char word[5000] = "name=";

	(void)state;
	memset(word + 5, 'x', 4096);
	assert_int_equal(set(word), 0);
	assert_int_equal(strlen(name), 4096);
	word[5 + 4096] = 'x';
	assert_int_equal(set(word), ERR_CONFIG);
	assert_int_equal(set("name="), 0);
	assert_string_equal(name, "");
	assert_int_equal(set("name=a=b"), 0);
	assert_string_equal(name, "a=b");
	expect_file_error("name:\n", "name: \"\" is not a text");
	expect_file_error("name: null\n", "is not a text");
	assert_int_equal(load("name: \"null\"\n"), 0);
	assert_string_equal(name, "null");
	assert_int_equal(load("name: \"\"\n"), 0);
	assert_string_equal(name, "");
}

static void test_command_line_words_are_checked(void **state)
{
	char word[5000];

	(void)state;
	expect_word_error("slots", "--slots has no value");
	expect_word_error("=3", "unknown setting --");
	expect_word_error("slot=3", "unknown setting --slot");
	assert_non_null(strstr(err.fix, "slots"));
	expect_word_error("trace=full", "unknown setting --trace");
	expect_word_error("sources=x", "only in the settings file");
	memset(word, 'k', sizeof(word) - 3);
	memcpy(word + sizeof(word) - 3, "=1", 3);
	expect_word_error(word, "unknown setting --kkkk");
}

static void test_missing_file_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(conf_load(&arena, rows, N, "/nonexistent/x.yaml", &err), ERR_CONFIG);
	assert_non_null(strstr(err.text, "/nonexistent/x.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_file_sets_every_type, reset),
	    cmocka_unit_test_setup(test_no_file_and_empty_file_keep_defaults, reset),
	    cmocka_unit_test_setup(test_unknown_keys_are_refused_with_line_and_suggestion, reset),
	    cmocka_unit_test_setup(test_a_dotted_key_in_the_file_is_refused, reset),
	    cmocka_unit_test_setup(test_wrong_shapes_are_refused, reset),
	    cmocka_unit_test_setup(test_numbers_are_digits_within_limits, reset),
	    cmocka_unit_test_setup(test_sizes_have_binary_suffixes_only, reset),
	    cmocka_unit_test_setup(test_times_have_units, reset),
	    cmocka_unit_test_setup(test_switches_are_true_or_false, reset),
	    cmocka_unit_test_setup(test_choices_name_all_of_them, reset),
	    cmocka_unit_test_setup(test_texts_are_copied_and_bounded, reset),
	    cmocka_unit_test_setup(test_command_line_words_are_checked, reset),
	    cmocka_unit_test_setup(test_missing_file_is_an_error, reset),
	};
	int fd = mkstemp(path), rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	arena_done(&arena);
	close(fd);
	unlink(path);
	return rc;
}

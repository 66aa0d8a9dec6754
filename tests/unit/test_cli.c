/* Options, input checks and exit codes of the client. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "orchestrator/cli/answer.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/input.h"

static struct {
	bool json;
	const char *db;
	uint32_t rows, ms;
	float floor;
} got;
static const struct option_row rows[] = {
    {"json", 0, OPTION_FLAG, &got.json, NULL, ""},
    {"db", 'd', OPTION_STRING, &got.db, "FILE", ""},
    {"rows", 'n', OPTION_UINT, &got.rows, "N", ""},
    {"timeout", 0, OPTION_SECONDS, &got.ms, "TIME", ""},
    {"floor", 0, OPTION_FRACTION, &got.floor, "X", ""},
};

static const char *args[OPTIONS_ARGS_MAX];
static size_t n_args;
static struct err err;

static int parse(const char *line)
{
	static char copy[256];
	char *words[32];
	int n = 0;
	bool help;

	memset(&got, 0, sizeof(got));
	memset(&err, 0, sizeof(err));
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		words[n++] = w;
	return options_parse(n, words, rows, ARRAY_SIZE(rows), args, &n_args, &help, &err);
}

static void test_reads_options_anywhere(void **state)
{
	(void)state;
	assert_int_equal(parse("how --json many --db=a.sqlite -n 5 --timeout 1.5 singers"), 0);
	assert_true(got.json);
	assert_string_equal(got.db, "a.sqlite");
	assert_int_equal(got.rows, 5);
	assert_int_equal(got.ms, 1500);
	assert_int_equal(n_args, 3);
	assert_string_equal(args[2], "singers");
	assert_int_equal(parse("-dx -n7"), 0);
	assert_string_equal(got.db, "x");
	assert_int_equal(got.rows, 7);
}

static void test_dashes_end_options_and_one_dash_is_a_word(void **state)
{
	(void)state;
	assert_int_equal(parse("- --json -- --db -x"), 0);
	assert_int_equal(n_args, 3);
	assert_string_equal(args[0], "-");
	assert_string_equal(args[1], "--db");
	assert_null(got.db);
}

static void test_refuses_unknown_and_says_what_is_near(void **state)
{
	(void)state;
	assert_int_equal(parse("--jsno"), ERR_USAGE);
	assert_non_null(strstr(err.fix, "--json"));
	assert_int_equal(parse("-z"), ERR_USAGE);
	assert_int_equal(parse("--db"), ERR_USAGE);
	assert_int_equal(parse("--json=1"), ERR_USAGE);
}

static void test_refuses_values_of_the_wrong_kind(void **state)
{
	static const char *const bad[] = {"--rows x", "--rows 0", "--rows -1", "--rows 4294967296",
	    "--rows 1.5", "--timeout 0", "--timeout -1s", "--timeout 5h", "--timeout nan",
	    "--floor 1.1", "--floor x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(bad[i]), ERR_USAGE);
	assert_int_equal(parse("--timeout 200ms --floor 1 --rows 4294967295"), 0);
	assert_int_equal(got.ms, 200);
}

static void test_names_the_command_that_was_meant(void **state)
{
	static const char *const names[] = {"ask", "up", "status"};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(cli_pick("status", names, 3, &e), 2);
	assert_int_equal(cli_pick("stauts", names, 3, &e), -1);
	assert_non_null(strstr(e.fix, "status"));
	assert_int_equal(cli_pick("qwertyuiop", names, 3, &e), -1);
	assert_null(strstr(e.fix, "did you mean"));
}

static void test_questions_have_limits(void **state)
{
	char text[INPUT_QUESTION_MAX + 2];
	struct err e = ERR_INIT;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(input_check_question(text, INPUT_QUESTION_MAX - 1, &e), 0);
	assert_int_equal(input_check_question(text, INPUT_QUESTION_MAX, &e), 0);
	assert_int_equal(input_check_question(text, INPUT_QUESTION_MAX + 1, &e), ERR_TOO_LARGE);
	assert_int_equal(input_check_question("", 0, &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_question(" \t\n　", 6, &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_question("a\xff", 2, &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_question("a\0b", 3, &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_question("a\033[0m", 5, &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_question("两行\n问题", 13, &e), 0);
}

static void test_dates_are_those_of_the_calendar(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(input_check_date("2024-02-29", &e), 0);
	assert_int_equal(input_check_date("2023-02-29", &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_date("2023-13-01", &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_date("2023-1-1", &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_date("2023-01-01 ", &e), ERR_BAD_INPUT);
	assert_int_equal(input_check_date("20230-1-01", &e), ERR_BAD_INPUT);
}

static int check_db(const char *file, char *ret_name)
{
	char path[4096];
	struct err e = ERR_INIT;

	return link_check_db(file, path, sizeof(path), ret_name, 64, &e);
}

static void test_a_database_is_a_regular_file(void **state)
{
	char dir[] = "/tmp/nlq-cli.XXXXXX", path[64], name[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(check_db("", name), ERR_USAGE);
	assert_int_equal(check_db(dir, name), ERR_SOURCE_NOT_DB);
	assert_int_equal(check_db("/dev/null", name), ERR_SOURCE_NOT_DB);
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(check_db(path, name), ERR_SOURCE_NOT_DB);
	unlink(path);
	assert_int_equal(check_db(path, name), ERR_SOURCE_MISSING);
	snprintf(path, sizeof(path), "%s/my shop's.data.sqlite", dir);
	fclose(fopen(path, "w"));
	assert_int_equal(check_db(path, name), 0);
	assert_string_equal(name, "my_shop_s");
	unlink(path);
	rmdir(dir);
}

static void test_exit_codes_follow_the_outcome(void **state)
{
	struct answer a = {.outcome = "answered"};

	(void)state;
	assert_int_equal(answer_exit_code(&a), 0);
	a.outcome = "described";
	assert_int_equal(answer_exit_code(&a), 0);
	a.outcome = "declined";
	assert_int_equal(answer_exit_code(&a), 3);
	a.outcome = "clarify";
	assert_int_equal(answer_exit_code(&a), 4);
	a.outcome = "failed";
	a.has_error = true;
	a.err.code = ERR_POLICY;
	assert_int_equal(answer_exit_code(&a), 5);
	a.err.code = ERR_UNAVAILABLE;
	assert_int_equal(answer_exit_code(&a), 6);
	a.err.code = ERR_TIMEOUT;
	assert_int_equal(answer_exit_code(&a), 7);
	a.err.code = ERR_INTERNAL;
	assert_int_equal(answer_exit_code(&a), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_options_anywhere),
	    cmocka_unit_test(test_dashes_end_options_and_one_dash_is_a_word),
	    cmocka_unit_test(test_refuses_unknown_and_says_what_is_near),
	    cmocka_unit_test(test_refuses_values_of_the_wrong_kind),
	    cmocka_unit_test(test_names_the_command_that_was_meant),
	    cmocka_unit_test(test_questions_have_limits),
	    cmocka_unit_test(test_dates_are_those_of_the_calendar),
	    cmocka_unit_test(test_a_database_is_a_regular_file),
	    cmocka_unit_test(test_exit_codes_follow_the_outcome),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

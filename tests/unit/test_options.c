/* Command line and settings file of a daemon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <string.h>

#include "tests/lib/fake_daemon.h"

static void expect_output(const char *want)
{
	if (!strstr(fake_output(), want))
		fail_msg("no \"%s\" in: %s", want, fake_output());
}

static pid_t spawn_ready(const char *const *argv)
{
	pid_t pid = fake_spawn(argv);

	assert_string_equal(fake_message(10000), "READY=1");
	return pid;
}

static int reset(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static void test_help_and_version_are_printed(void **state)
{
	(void)state;
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("--help"))), 0);
	expect_output("nlq-fake: does nothing");
	expect_output("  limit                            5                        a limit");
	expect_output("  log.level                        info");
	expect_output("  drain_ms                         10000");
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("-h"))), 0);
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("--version"))), 0);
	expect_output("nlq-fake " NLQ_VERSION "\n");
}

static void test_wrong_options_are_usage_errors(void **state)
{
	const char *const *cases[] = {FAKE_WORDS("-x"), FAKE_WORDS("word"), FAKE_WORDS("-c"),
	    FAKE_WORDS("-c", "a", "-c", "b"), FAKE_WORDS("--"), FAKE_WORDS("-"), FAKE_WORDS(""),
	    FAKE_WORDS("--limit"), FAKE_WORDS("--limit=0"), FAKE_WORDS("--limit=10"),
	    FAKE_WORDS("--what=1"), FAKE_WORDS("-c", "/nonexistent/x")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(fake_wait(fake_spawn(cases[i])), 2);
		expect_output("nlq-fake: ");
	}
	assert_string_equal(fake_message(0), "");
}

static void test_check_reads_settings_and_starts_nothing(void **state)
{
	const char *file;
	(void)state;
	fake_acts.prepare_rc = ERR_IO;
	file = fake_file("limit: 7\n");
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("-t", "-c", file))), 0);
	expect_output("settings are fine");
	file = fake_file("limit: 7\nlimti: 8\n");
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("-t", "-c", file))), 2);
	expect_output(":2: unknown setting \"limti\"");
	expect_output("did you mean limit?");
	fake_acts.check_rc = ERR_CONFIG;
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS("-t"))), 2);
	expect_output("check said no");
}

static void test_command_line_wins_over_the_file(void **state)
{
	const char *file;
	pid_t pid;

	(void)state;
	file = fake_file("limit: 7\n");
	pid = spawn_ready(FAKE_WORDS("--limit=9", "-c", file));
	kill(pid, SIGTERM);
	assert_int_equal(fake_wait(pid), 0);
	expect_output("stopped limit=9");
}

static void test_failed_start_tells_why(void **state)
{
	(void)state;
	fake_acts.prepare_rc = ERR_IO;
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS())), 1);
	expect_output("prepare said no");
	fake_acts.prepare_rc = 0;
	fake_acts.start_rc = ERR_CONFIG;
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS())), 2);
	expect_output("start said no");
	assert_string_equal(fake_message(0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_help_and_version_are_printed, reset),
	    cmocka_unit_test_setup(test_wrong_options_are_usage_errors, reset),
	    cmocka_unit_test_setup(test_check_reads_settings_and_starts_nothing, reset),
	    cmocka_unit_test_setup(test_command_line_wins_over_the_file, reset),
	    cmocka_unit_test_setup(test_failed_start_tells_why, reset),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (fake_begin())
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	fake_end();
	return rc;
}

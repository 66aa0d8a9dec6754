/* Runs alone: it measures time. Each case runs daemon_main in a child, with this program as service manager. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
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

static void test_sigterm_drains_and_exits_with_zero(void **state)
{
	int signals[] = {SIGTERM, SIGINT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid = spawn_ready(FAKE_WORDS());

		kill(pid, signals[i]);
		assert_int_equal(fake_wait(pid), 0);
		assert_string_equal(fake_message(0), "STOPPING=1");
	}
	expect_output("info fake ready version=");
	expect_output("stopped limit=5 umask=77 core=0");
#ifndef NLQ_SANITIZER
	expect_output("dumpable=0");
#endif
}

static void test_sigpipe_is_ignored(void **state)
{
	pid_t pid = spawn_ready(FAKE_WORDS());

	(void)state;
	kill(pid, SIGPIPE);
	kill(pid, SIGTERM);
	assert_int_equal(fake_wait(pid), 0);
}

static void test_work_in_hand_has_a_limit(void **state)
{
	uint64_t start;
	pid_t pid;

	(void)state;
	fake_acts.is_stuck = true;
	pid = spawn_ready(FAKE_WORDS("--drain_ms=300"));
	start = clock_mono_ms();
	kill(pid, SIGTERM);
	assert_int_equal(fake_wait(pid), 0);
	assert_in_range(clock_mono_ms() - start, 290, 3000);
	expect_output("given up drain_ms=300");
}

static void test_second_signal_ends_the_drain(void **state)
{
	pid_t pid;

	(void)state;
	fake_acts.is_stuck = true;
	pid = spawn_ready(FAKE_WORDS("--drain_ms=60s"));
	kill(pid, SIGTERM);
	assert_string_equal(fake_message(5000), "STOPPING=1");
	kill(pid, SIGINT);
	assert_int_equal(fake_wait(pid), 0);
	expect_output("second signal");
}

static void test_sigterm_before_ready_ends_it(void **state)
{
	pid_t pid;

	(void)state;
	fake_acts.never_ready = true;
	pid = fake_spawn(FAKE_WORDS());
	assert_string_equal(fake_message(200), "");
	kill(pid, SIGTERM);
	assert_int_equal(fake_wait(pid), 0);
	assert_string_equal(fake_message(0), "STOPPING=1");
}

static void test_any_thread_may_ask_for_the_end(void **state)
{
	(void)state;
	fake_acts.asks_exit = true;
	assert_int_equal(fake_wait(fake_spawn(FAKE_WORDS())), 3);
	expect_output("exits code=3 why=test");
}

static void test_watchdog_is_fed_only_while_alive(void **state)
{
	pid_t pid;

	(void)state;
	setenv("WATCHDOG_USEC", "100000", 1);
	pid = spawn_ready(FAKE_WORDS());
	for (int i = 0; i < 3; i++)
		assert_string_equal(fake_message(2000), "WATCHDOG=1");
	kill(pid, SIGTERM);
	fake_wait(pid);
	reset(NULL);
	setenv("WATCHDOG_USEC", "100000", 1);
	fake_acts.is_dead = true;
	pid = spawn_ready(FAKE_WORDS());
	assert_string_equal(fake_message(400), "");
	kill(pid, SIGTERM);
	fake_wait(pid);
	expect_output("not alive");
}

static void test_hanging_stop_does_not_hold_the_process(void **state)
{
	pid_t pid;

	(void)state;
	fake_acts.stop_hangs = true;
	pid = spawn_ready(FAKE_WORDS());
	kill(pid, SIGTERM);
	assert_int_equal(fake_wait(pid), 0);
}

static void test_closed_standard_files_are_filled(void **state)
{
	int status, pair[2];
	pid_t pid;
	char got = 0;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	pid = fork();
	if (pid == 0) {
		int high = fcntl(pair[1], F_DUPFD, 100);
		char low;

		for (int fd = 0; fd < 100; fd++)
			close(fd);
		fake_run(FAKE_WORDS("-t"));
		low = (char)dup(high); /* the lowest free number */
		_exit(write(high, &low, 1) == 1 ? 0 : 1);
	}
	close(pair[1]);
	assert_int_equal(read(pair[0], &got, 1), 1);
	assert_int_equal(got, 3);
	close(pair[0]);
	waitpid(pid, &status, 0);
}

static void test_daemon_of_a_private_stack_follows_its_parent(void **state)
{
	pid_t middle = fork();

	(void)state;
	if (middle == 0) {
		fake_spawn(FAKE_WORDS("--die_with_parent=true"));
		pause();
		_exit(0);
	}
	assert_string_equal(fake_message(10000), "READY=1");
	kill(middle, SIGKILL);
	fake_wait(middle);
	assert_string_equal(fake_message(10000), "STOPPING=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_sigterm_drains_and_exits_with_zero, reset),
	    cmocka_unit_test_setup(test_sigpipe_is_ignored, reset),
	    cmocka_unit_test_setup(test_work_in_hand_has_a_limit, reset),
	    cmocka_unit_test_setup(test_second_signal_ends_the_drain, reset),
	    cmocka_unit_test_setup(test_sigterm_before_ready_ends_it, reset),
	    cmocka_unit_test_setup(test_any_thread_may_ask_for_the_end, reset),
	    cmocka_unit_test_setup(test_watchdog_is_fed_only_while_alive, reset),
	    cmocka_unit_test_setup(test_hanging_stop_does_not_hold_the_process, reset),
	    cmocka_unit_test_setup(test_closed_standard_files_are_filled, reset),
	    cmocka_unit_test_setup(test_daemon_of_a_private_stack_follows_its_parent, reset),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (fake_begin())
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	fake_end();
	return rc;
}

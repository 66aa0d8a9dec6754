/* Each case runs daemon_main in a child, with this program as service manager. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/daemon/daemon.h"

static char dir[] = "/tmp/nlq-daemon.XXXXXX";
static char out_path[64], socket_path[64], file_path[64];
static int manager = -1;

/* What the daemon of the next case does; set before the fork. */
static struct {
	int check_rc, prepare_rc, start_rc;
	bool is_stuck, never_ready, is_dead, asks_exit, stop_hangs;
	uint32_t limit;
} act;
static bool drained;

static int fake_check(struct err *e)
{
	return act.check_rc ? err_set(e, act.check_rc, PHASE_CONFIG, "check said no") : 0;
}
static int fake_prepare(struct err *e)
{
	return act.prepare_rc ? err_set(e, act.prepare_rc, PHASE_CONFIG, "prepare said no") : 0;
}

static void *ask_exit(void *arg)
{
	(void)arg;
	daemon_exit(3, "test");
	daemon_exit(4, "only the first counts");
	return NULL;
}

static int fake_start(struct err *e)
{
	pthread_t t;

	if (act.asks_exit && pthread_create(&t, NULL, ask_exit, NULL) == 0)
		pthread_detach(t);
	return act.start_rc ? err_set(e, act.start_rc, PHASE_CONFIG, "start said no") : 0;
}

static bool fake_is_ready(void)
{
	return !act.never_ready;
}
static bool fake_is_alive(void)
{
	return !act.is_dead;
}
static void fake_drain(void)
{
	drained = !act.is_stuck;
}
static bool fake_is_drained(void)
{
	return drained;
}

static void fake_stop(void)
{
	struct rlimit core;

	getrlimit(RLIMIT_CORE, &core);
	printf("stopped limit=%u umask=%o core=%d dumpable=%d\n", act.limit, (unsigned int)umask(0),
	    (int)core.rlim_max, prctl(PR_GET_DUMPABLE));
	fflush(stdout);
	while (act.stop_hangs)
		pause();
}

static int daemon_run(const char *const *argv)
{
	const struct conf_row rows[] = {{"limit", CONF_UINT, &act.limit, 1, 9, NULL, "a limit"}};
	const struct daemon_spec spec = {.name = "fake",
	    .help = "does nothing",
	    .rows = rows,
	    .n_rows = 1,
	    .check = fake_check,
	    .prepare = fake_prepare,
	    .start = fake_start,
	    .is_ready = fake_is_ready,
	    .is_alive = fake_is_alive,
	    .drain = fake_drain,
	    .is_drained = fake_is_drained,
	    .stop = fake_stop};
	int argc = 0;

	while (argv[argc])
		argc++;
	return daemon_main(argc, (char **)(uintptr_t)argv, &spec);
}

#define WORDS(...) ((const char *const[]){"nlq-fake", __VA_ARGS__ __VA_OPT__(, ) NULL})

static pid_t spawn(const char *const *argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		FILE *f = freopen(out_path, "w", stdout);

		if (!f || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
			_exit(100);
		exit(daemon_run(argv));
	}
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static const char *output(void)
{
	static char text[10000];
	FILE *f = fopen(out_path, "r");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	return text;
}

static void expect_output(const char *want)
{
	if (!strstr(output(), want))
		fail_msg("no \"%s\" in: %s", want, output());
}

/* The next message to the service manager, "" after ms. */
static const char *message(int ms)
{
	static char text[200];
	struct pollfd p = {.fd = manager, .events = POLLIN};
	ssize_t n = poll(&p, 1, ms) > 0 ? recv(manager, text, sizeof(text) - 1, 0) : 0;

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static pid_t spawn_ready(const char *const *argv)
{
	pid_t pid = spawn(argv);

	assert_string_equal(message(10000), "READY=1");
	return pid;
}

static int reset(void **state)
{
	(void)state;
	memset(&act, 0, sizeof(act));
	act.limit = 5;
	drained = false;
	unsetenv("WATCHDOG_USEC");
	while (message(0)[0])
		;
	return 0;
}

static void test_help_and_version_are_printed(void **state)
{
	(void)state;
	assert_int_equal(finish(spawn(WORDS("--help"))), 0);
	expect_output("nlq-fake: does nothing");
	expect_output("  limit                      5                      a limit");
	expect_output("  log.level                  info");
	expect_output("  drain_ms                   10000");
	assert_int_equal(finish(spawn(WORDS("-h"))), 0);
	assert_int_equal(finish(spawn(WORDS("--version"))), 0);
	expect_output("nlq-fake " NLQ_VERSION "\n");
}

static void test_wrong_options_are_usage_errors(void **state)
{
	const char *const *cases[] = {WORDS("-x"), WORDS("word"), WORDS("-c"),
	    WORDS("-c", "a", "-c", "b"), WORDS("--"), WORDS("-"), WORDS(""), WORDS("--limit"),
	    WORDS("--limit=0"), WORDS("--limit=10"), WORDS("--what=1"),
	    WORDS("-c", "/nonexistent/x")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(finish(spawn(cases[i])), 2);
		expect_output("nlq-fake: ");
	}
	assert_string_equal(message(0), "");
}

static void write_file(const char *text)
{
	FILE *f = fopen(file_path, "w");

	fputs(text, f);
	fclose(f);
}

static void test_check_reads_settings_and_starts_nothing(void **state)
{
	(void)state;
	act.prepare_rc = ERR_IO;
	write_file("limit: 7\n");
	assert_int_equal(finish(spawn(WORDS("-t", "-c", file_path))), 0);
	expect_output("settings are fine");
	write_file("limit: 7\nlimti: 8\n");
	assert_int_equal(finish(spawn(WORDS("-t", "-c", file_path))), 2);
	expect_output(":2: unknown setting \"limti\"");
	expect_output("did you mean limit?");
	act.check_rc = ERR_CONFIG;
	assert_int_equal(finish(spawn(WORDS("-t"))), 2);
	expect_output("check said no");
}

static void test_command_line_wins_over_the_file(void **state)
{
	pid_t pid;

	(void)state;
	write_file("limit: 7\n");
	pid = spawn_ready(WORDS("--limit=9", "-c", file_path));
	kill(pid, SIGTERM);
	assert_int_equal(finish(pid), 0);
	expect_output("stopped limit=9");
}

static void test_failed_start_tells_why(void **state)
{
	(void)state;
	act.prepare_rc = ERR_IO;
	assert_int_equal(finish(spawn(WORDS())), 1);
	expect_output("prepare said no");
	act.prepare_rc = 0;
	act.start_rc = ERR_CONFIG;
	assert_int_equal(finish(spawn(WORDS())), 2);
	expect_output("start said no");
	assert_string_equal(message(0), "");
}

static void test_sigterm_drains_and_exits_with_zero(void **state)
{
	int signals[] = {SIGTERM, SIGINT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid = spawn_ready(WORDS());

		kill(pid, signals[i]);
		assert_int_equal(finish(pid), 0);
		assert_string_equal(message(0), "STOPPING=1");
	}
	expect_output("info fake ready version=");
	expect_output("stopped limit=5 umask=77 core=0");
#ifndef NLQ_SANITIZER
	expect_output("dumpable=0");
#endif
}

static void test_sigpipe_is_ignored(void **state)
{
	pid_t pid = spawn_ready(WORDS());

	(void)state;
	kill(pid, SIGPIPE);
	kill(pid, SIGTERM);
	assert_int_equal(finish(pid), 0);
}

static void test_work_in_hand_has_a_limit(void **state)
{
	uint64_t start;
	pid_t pid;

	(void)state;
	act.is_stuck = true;
	pid = spawn_ready(WORDS("--drain_ms=300"));
	start = clock_mono_ms();
	kill(pid, SIGTERM);
	assert_int_equal(finish(pid), 0);
	assert_in_range(clock_mono_ms() - start, 290, 3000);
	expect_output("given up drain_ms=300");
}

static void test_second_signal_ends_the_drain(void **state)
{
	pid_t pid;

	(void)state;
	act.is_stuck = true;
	pid = spawn_ready(WORDS("--drain_ms=60s"));
	kill(pid, SIGTERM);
	assert_string_equal(message(5000), "STOPPING=1");
	kill(pid, SIGINT);
	assert_int_equal(finish(pid), 0);
	expect_output("second signal");
}

static void test_sigterm_before_ready_ends_it(void **state)
{
	pid_t pid;

	(void)state;
	act.never_ready = true;
	pid = spawn(WORDS());
	assert_string_equal(message(200), "");
	kill(pid, SIGTERM);
	assert_int_equal(finish(pid), 0);
	assert_string_equal(message(0), "STOPPING=1");
}

static void test_any_thread_may_ask_for_the_end(void **state)
{
	(void)state;
	act.asks_exit = true;
	assert_int_equal(finish(spawn(WORDS())), 3);
	expect_output("exits code=3 why=test");
}

static void test_watchdog_is_fed_only_while_alive(void **state)
{
	pid_t pid;

	(void)state;
	setenv("WATCHDOG_USEC", "100000", 1);
	pid = spawn_ready(WORDS());
	for (int i = 0; i < 3; i++)
		assert_string_equal(message(2000), "WATCHDOG=1");
	kill(pid, SIGTERM);
	finish(pid);
	reset(NULL);
	setenv("WATCHDOG_USEC", "100000", 1);
	act.is_dead = true;
	pid = spawn_ready(WORDS());
	assert_string_equal(message(400), "");
	kill(pid, SIGTERM);
	finish(pid);
	expect_output("not alive");
}

static void test_hanging_stop_does_not_hold_the_process(void **state)
{
	pid_t pid;

	(void)state;
	act.stop_hangs = true;
	pid = spawn_ready(WORDS());
	kill(pid, SIGTERM);
	assert_int_equal(finish(pid), 0);
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
		daemon_run(WORDS("-t"));
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
		spawn(WORDS("--die_with_parent=true"));
		pause();
		_exit(0);
	}
	assert_string_equal(message(10000), "READY=1");
	kill(middle, SIGKILL);
	finish(middle);
	assert_string_equal(message(10000), "STOPPING=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_help_and_version_are_printed, reset),
	    cmocka_unit_test_setup(test_wrong_options_are_usage_errors, reset),
	    cmocka_unit_test_setup(test_check_reads_settings_and_starts_nothing, reset),
	    cmocka_unit_test_setup(test_command_line_wins_over_the_file, reset),
	    cmocka_unit_test_setup(test_failed_start_tells_why, reset),
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
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (!mkdtemp(dir))
		return 1;
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	snprintf(socket_path, sizeof(socket_path), "%s/sock", dir);
	snprintf(file_path, sizeof(file_path), "%s/f.yaml", dir);
	memcpy(addr.sun_path, socket_path, sizeof(socket_path));
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(manager, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return 1;
	setenv("NOTIFY_SOCKET", socket_path, 1);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	close(manager);
	unlink(out_path);
	unlink(file_path);
	unlink(socket_path);
	rmdir(dir);
	return rc;
}

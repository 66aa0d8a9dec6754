#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/daemon/notify.h"

static char dir[] = "/tmp/nlq-notify.XXXXXX";

static int manager_open(const char *path, bool is_abstract)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (is_abstract)
		addr.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&addr,
	                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
	    0);
	return fd;
}

static void expect_message(int fd, const char *want)
{
	char buf[100];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT);

	assert_true(n >= 0);
	buf[n] = '\0';
	assert_string_equal(buf, want);
}

static void test_no_manager_is_fine(void **state)
{
	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(notify_send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	assert_int_equal(notify_send("READY=1"), 0);
}

static void test_sends_to_a_path(void **state)
{
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", dir);
	fd = manager_open(path, false);
	setenv("NOTIFY_SOCKET", path, 1);
	assert_int_equal(notify_send("READY=1\nSTATUS=x"), 0);
	expect_message(fd, "READY=1\nSTATUS=x");
	close(fd);
	unlink(path);
	assert_int_equal(notify_send("READY=1"), -1);
}

static void test_sends_to_an_abstract_name(void **state)
{
	char name[64];
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "@nlq-test-%d", (int)getpid());
	fd = manager_open(name, true);
	setenv("NOTIFY_SOCKET", name, 1);
	assert_int_equal(notify_send("STOPPING=1"), 0);
	expect_message(fd, "STOPPING=1");
	close(fd);
}

static void test_odd_addresses_are_refused(void **state)
{
	char name[300];

	(void)state;
	setenv("NOTIFY_SOCKET", "relative/path", 1);
	assert_int_equal(notify_send("READY=1"), -1);
	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	assert_int_equal(notify_send("READY=1"), -1);
}

static void test_watchdog_is_due_at_half_the_limit(void **state)
{
	static const struct {
		const char *usec;
		uint32_t want;
	} rows[] = {{"20000000", 10000}, {"1000", 1}, {"0", 0}, {"", 0}, {"-5", 0}, {"x", 0},
	    {"5x", 0}, {"99999999999999999999", 0}, {"18446744073709551615", UINT32_MAX}};
	char pid[20];

	(void)state;
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(notify_watchdog_ms(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setenv("WATCHDOG_USEC", rows[i].usec, 1);
		if (notify_watchdog_ms() != rows[i].want)
			fail_msg("%s gave %u", rows[i].usec, notify_watchdog_ms());
	}
	setenv("WATCHDOG_USEC", "2000000", 1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(notify_watchdog_ms(), 1000);
	setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(notify_watchdog_ms(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_manager_is_fine),
	    cmocka_unit_test(test_sends_to_a_path),
	    cmocka_unit_test(test_sends_to_an_abstract_name),
	    cmocka_unit_test(test_odd_addresses_are_refused),
	    cmocka_unit_test(test_watchdog_is_due_at_half_the_limit),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (!mkdtemp(dir))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return rc;
}

#include "tests/lib/fake_daemon.h"

#include <poll.h>
#include <pthread.h>
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

static char dir[] = "/tmp/nlq-daemon.XXXXXX";
static char out_path[64], socket_path[64], file_path[64];
static int manager = -1;
struct fake_acts fake_acts;
static bool drained;

static int fake_check(struct err *e)
{
	return fake_acts.check_rc ? err_set(e, fake_acts.check_rc, PHASE_CONFIG, "check said no")
	                          : 0;
}
static int fake_prepare(struct err *e)
{
	return fake_acts.prepare_rc
	    ? err_set(e, fake_acts.prepare_rc, PHASE_CONFIG, "prepare said no")
	    : 0;
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

	if (fake_acts.asks_exit && pthread_create(&t, NULL, ask_exit, NULL) == 0)
		pthread_detach(t);
	return fake_acts.start_rc ? err_set(e, fake_acts.start_rc, PHASE_CONFIG, "start said no")
	                          : 0;
}

static bool fake_is_ready(void)
{
	return !fake_acts.never_ready;
}
static bool fake_is_alive(void)
{
	return !fake_acts.is_dead;
}
static void fake_drain(void)
{
	drained = !fake_acts.is_stuck;
}
static bool fake_is_drained(void)
{
	return drained;
}

static void fake_stop(void)
{
	struct rlimit core;

	getrlimit(RLIMIT_CORE, &core);
	printf("stopped limit=%u umask=%o core=%d dumpable=%d\n", fake_acts.limit,
	    (unsigned int)umask(0), (int)core.rlim_max, prctl(PR_GET_DUMPABLE));
	fflush(stdout);
	while (fake_acts.stop_hangs)
		pause();
}

int fake_run(const char *const *argv)
{
	const struct conf_row rows[] = {
	    {"limit", CONF_UINT, &fake_acts.limit, 1, 9, NULL, "a limit"}};
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

pid_t fake_spawn(const char *const *argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		FILE *f = freopen(out_path, "w", stdout);

		if (!f || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
			_exit(100);
		exit(fake_run(argv));
	}
	return pid;
}

int fake_wait(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

const char *fake_output(void)
{
	static char text[10000];
	FILE *f = fopen(out_path, "r");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	return text;
}

const char *fake_message(int ms)
{
	static char text[200];
	struct pollfd p = {.fd = manager, .events = POLLIN};
	ssize_t n = poll(&p, 1, ms) > 0 ? recv(manager, text, sizeof(text) - 1, 0) : 0;

	text[n > 0 ? n : 0] = '\0';
	return text;
}

const char *fake_file(const char *text)
{
	FILE *f = fopen(file_path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	return file_path;
}

void fake_reset(void)
{
	memset(&fake_acts, 0, sizeof(fake_acts));
	fake_acts.limit = 5;
	drained = false;
	unsetenv("WATCHDOG_USEC");
	while (fake_message(0)[0])
		;
}

int fake_begin(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (!mkdtemp(dir))
		return -1;
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	snprintf(socket_path, sizeof(socket_path), "%s/sock", dir);
	snprintf(file_path, sizeof(file_path), "%s/f.yaml", dir);
	memcpy(addr.sun_path, socket_path, sizeof(socket_path));
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(manager, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -1;
	return setenv("NOTIFY_SOCKET", socket_path, 1);
}

void fake_end(void)
{
	close(manager);
	unlink(out_path);
	unlink(file_path);
	unlink(socket_path);
	rmdir(dir);
}

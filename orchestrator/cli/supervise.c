/* See supervise.h. Readiness comes by the service manager's protocol: each
 * daemon gets NOTIFY_SOCKET and sends READY=1. */
#include "orchestrator/cli/supervise.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "orchestrator/cli/paths.h"
#include "orchestrator/cli/rundir.h"

#define STOP_MS 3000       /* after SIGTERM, then SIGKILL */
#define SHORT_LIFE_MS 5000 /* ended sooner: the next start waits longer */
#define BACKOFF_MAX_MS 5000

static const struct {
	const char *name, *program, *folder;
} daemons[STACK_DAEMONS] = {
    {"orchestrator", "nlq-orchestrator", "client"},
    {"executor", "nlq-executor", "executor"},
    {"schema_agent", "nlq-schema-agent", "schema"},
    {"sql_agent", "nlq-sql-agent", "sql"},
    {"verify_agent", "nlq-verify-agent", "verify"},
};

const char *stack_name(int daemon)
{
	return daemons[daemon].name;
}

static int find_bin_dir(struct stack *s, struct err *e)
{
	char self[1024];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return err_set(
		    e, ERR_INTERNAL, PHASE_CONFIG, "cannot tell where this program lies");
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	snprintf(s->bin_dir, sizeof(s->bin_dir), "%s", self);
	for (size_t i = 0; i < STACK_DAEMONS; i++) {
		char path[1200];

		snprintf(path, sizeof(path), "%s/%s", s->bin_dir, daemons[i].program);
		if (access(path, X_OK)) {
			err_set(e, ERR_NOT_FOUND, PHASE_CONFIG, "the program %s is not beside nlq",
			    daemons[i].program);
			err_fix(e, "install all six programs into one folder (make install)");
			return ERR_NOT_FOUND;
		}
	}
	return 0;
}

static int lock_run_dir(struct stack *s, struct err *e)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/lock", s->run_dir);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock_fd < 0)
		return err_set(e, ERR_IO, PHASE_CONFIG, "cannot write in the folder \"%s\": %s",
		    s->run_dir, strerror(errno));
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB)) {
		close(s->lock_fd);
		s->lock_fd = -1;
		err_set(
		    e, ERR_DUPLICATE, PHASE_CONFIG, "a private stack of yours is already running");
		err_fix(e, "ask it: nlq ask \"...\"; nlq status shows it");
		return ERR_DUPLICATE;
	}
	return 0;
}

static int open_notify(struct stack *s, struct err *e)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int on = 1;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/notify", s->run_dir);
	unlink(at.sun_path);
	s->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->notify_fd < 0 || bind(s->notify_fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(s->notify_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return err_set(e, ERR_IO, PHASE_CONFIG, "cannot make a socket in \"%s\": %s",
		    s->run_dir, strerror(errno));
	return 0;
}

int stack_init(struct stack *s, const char *run_dir, struct err *e)
{
	bool is_verbose = s->is_verbose;
	int rc;

	memset(s, 0, sizeof(*s));
	s->is_verbose = is_verbose;
	s->lock_fd = s->notify_fd = -1;
	rc = find_bin_dir(s, e);
	if (!rc)
		rc = paths_state_dir(s->state_dir, sizeof(s->state_dir), e);
	if (!rc && run_dir) {
		rc = paths_make_private(run_dir, e);
		snprintf(s->run_dir, sizeof(s->run_dir), "%s", run_dir);
	} else if (!rc) {
		rc = rundir_make_temporary(s->run_dir, sizeof(s->run_dir), e);
		s->is_temporary = !rc;
	}
	if (!rc)
		rc = lock_run_dir(s, e);
	if (!rc)
		rc = open_notify(s, e);
	for (size_t i = 0; !rc && i < STACK_DAEMONS; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", s->run_dir, daemons[i].folder);
		if (mkdir(path, 0700) && errno != EEXIST)
			rc = err_set(e, ERR_IO, PHASE_CONFIG, "cannot make the folder \"%s\": %s",
			    path, strerror(errno));
	}
	return rc;
}

/* In the child, between fork and exec: only async-signal-safe calls. */
static void become(
    const char *path, char *const argv[], char *const envp[], int log_fd, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* Ctrl-C of the terminal is for nlq alone, which then stops the stack. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	int null_fd = open("/dev/null", O_RDWR);

	dup2(null_fd, 0);
	dup2(log_fd >= 0 ? log_fd : 2, 1);
	if (log_fd >= 0)
		dup2(log_fd, 2);
	execve(path, argv, envp);
	_exit(127);
}

static char **child_environment(const struct stack *s, char *notify)
{
	extern char **environ;
	size_t n = 0, k = 0;
	char **envp;

	while (environ[n])
		n++;
	envp = calloc(n + 2, sizeof(*envp));
	for (size_t i = 0; envp && i < n; i++) {
		if (strncmp(environ[i], "NOTIFY_SOCKET=", 14) != 0 &&
		    strncmp(environ[i], "WATCHDOG_", 9) != 0)
			envp[k++] = environ[i];
	}
	snprintf(notify, 128, "NOTIFY_SOCKET=%s/notify", s->run_dir);
	if (envp)
		envp[k] = notify;
	return envp;
}

static int spawn(struct stack *s, int i, struct err *e)
{
	char path[1200], notify[128], connect[160], run[128], state[1100], log[128];
	char level[] = "--log.level=info", quiet[] = "--log.level=warn",
	     follow[] = "--die_with_parent=true";
	char private[] = "--private=true", adhoc[] = "--adhoc_sources=true",
	     drain[] = "--drain_ms=500";
	char *argv[8] = {path, follow, s->is_verbose ? level : quiet, drain};
	char **envp = child_environment(s, notify);
	pid_t parent = getpid(), pid;
	int log_fd = -1;

	if (!envp)
		return err_set(e, ERR_NOMEM, PHASE_CONFIG, "out of memory");
	snprintf(path, sizeof(path), "%s/%s", s->bin_dir, daemons[i].program);
	if (i == STACK_ORCHESTRATOR) {
		snprintf(run, sizeof(run), "--run_dir=%s", s->run_dir);
		snprintf(state, sizeof(state), "--state_dir=%s", s->state_dir);
		argv[4] = private;
		argv[5] = run;
		argv[6] = state;
	} else {
		snprintf(connect, sizeof(connect), "--connect=ipc://%s/%s/sock", s->run_dir,
		    daemons[i].folder);
		argv[4] = connect;
		/* The files are the user's own, read under the user's own uid. */
		if (i == STACK_EXECUTOR)
			argv[5] = adhoc;
	}
	if (!s->is_verbose) {
		snprintf(log, sizeof(log), "%s/log", s->run_dir);
		log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	s->ready[i] = false;
	s->started_ms[i] = clock_mono_ms();
	pid = fork();
	if (pid == 0)
		become(path, argv, envp, log_fd, parent);
	if (log_fd >= 0)
		close(log_fd);
	free(envp);
	if (pid < 0)
		return err_set(
		    e, ERR_INTERNAL, PHASE_CONFIG, "cannot start a process: %s", strerror(errno));
	s->pids[i] = pid;
	return 0;
}

int stack_start(struct stack *s, struct err *e)
{
	int rc = 0;

	for (int i = 0; !rc && i < STACK_DAEMONS; i++) {
		if (!s->pids[i] && clock_mono_ms() >= s->retry_ms[i])
			rc = spawn(s, i, e);
	}
	return rc;
}

/* Reads what daemons said; only processes that we started count. */
static void read_notify(struct stack *s)
{
	char text[512], control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec iov = {text, sizeof(text) - 1};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control};
	ssize_t n;

	while (m.msg_controllen = sizeof(control), (n = recvmsg(s->notify_fd, &m, 0)) >= 0) {
		const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		struct ucred cred;

		text[n] = '\0';
		if (!c || c->cmsg_type != SCM_CREDENTIALS || !strstr(text, "READY=1"))
			continue;
		memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		for (size_t i = 0; i < STACK_DAEMONS; i++) {
			if (s->pids[i] == cred.pid)
				s->ready[i] = true;
		}
	}
}

int stack_reap(struct stack *s, int *ret_status)
{
	read_notify(s);
	for (int i = 0; i < STACK_DAEMONS; i++) {
		uint64_t now = clock_mono_ms();

		if (!s->pids[i] || waitpid(s->pids[i], ret_status, WNOHANG) != s->pids[i])
			continue;
		s->pids[i] = 0;
		s->ready[i] = false;
		s->n_fails[i] = now - s->started_ms[i] < SHORT_LIFE_MS ? s->n_fails[i] + 1 : 0;
		uint64_t pause =
		    s->n_fails[i] < 2 ? 0 : 50ull << (s->n_fails[i] < 8 ? s->n_fails[i] : 8);

		s->retry_ms[i] = now + (pause < BACKOFF_MAX_MS ? pause : BACKOFF_MAX_MS);
		return i;
	}
	return -1;
}

static bool all_ready(const struct stack *s)
{
	for (size_t i = 0; i < STACK_DAEMONS; i++) {
		if (!s->ready[i])
			return false;
	}
	return true;
}

int stack_wait_ready(
    struct stack *s, uint32_t timeout_ms, const volatile bool *interrupted, struct err *e)
{
	uint64_t until = clock_mono_ms() + timeout_ms;

	for (;;) {
		struct pollfd p = {s->notify_fd, POLLIN, 0};
		int status, ended = stack_reap(s, &status);

		if (all_ready(s))
			return 0;
		if (ended >= 0) {
			char words[300];

			stack_last_words(s, words, sizeof(words));
			err_set(e, ERR_UNAVAILABLE, PHASE_CONFIG, "%s ended while starting%s%s",
			    daemons[ended].name, *words ? ": " : "", words);
			return ERR_UNAVAILABLE;
		}
		if (interrupted && *interrupted)
			return err_set(e, ERR_CANCELLED, PHASE_CONFIG, "interrupted");
		if (clock_mono_ms() >= until) {
			err_set(e, ERR_UNAVAILABLE, PHASE_CONFIG,
			    "the daemons were not ready in %u s", timeout_ms / 1000);
			err_fix(e, "try again when the machine is less busy");
			return ERR_UNAVAILABLE;
		}
		poll(&p, 1, 50);
	}
}

void stack_last_words(const struct stack *s, char *buf, size_t size)
{
	char path[128], *line;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/log", s->run_dir);
	*buf = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	off_t end = lseek(fd, 0, SEEK_END);

	if (end > (off_t)size - 1)
		lseek(fd, end - (off_t)size + 1, SEEK_SET);
	else
		lseek(fd, 0, SEEK_SET);
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	while (n > 0 && buf[n - 1] == '\n')
		buf[--n] = '\0';
	line = strrchr(buf, '\n');
	if (line)
		memmove(buf, line + 1, strlen(line));
}

static bool any_left(struct stack *s)
{
	bool left = false;

	for (size_t i = 0; i < STACK_DAEMONS; i++) {
		if (s->pids[i] && waitpid(s->pids[i], NULL, WNOHANG) == s->pids[i])
			s->pids[i] = 0;
		left |= s->pids[i] != 0;
	}
	return left;
}

static void signal_all(const struct stack *s, int sig)
{
	for (size_t i = 0; i < STACK_DAEMONS; i++) {
		if (s->pids[i])
			kill(s->pids[i], sig);
	}
}

void stack_stop(struct stack *s)
{
	uint64_t until = clock_mono_ms() + STOP_MS;

	signal_all(s, SIGTERM);
	while (any_left(s) && clock_mono_ms() < until)
		poll(NULL, 0, 2);
	if (any_left(s)) {
		signal_all(s, SIGKILL);
		while (any_left(s))
			poll(NULL, 0, 2);
	}
	if (s->notify_fd >= 0)
		close(s->notify_fd);
	if (s->lock_fd >= 0) {
		rundir_remove(s->run_dir);
		close(s->lock_fd);
	}
	s->notify_fd = s->lock_fd = -1;
}

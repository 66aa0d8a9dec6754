/*
 * The zygote's loop: orders from the daemon on one descriptor, dead children on a
 * signalfd. It opens no file, parses no SQL and has no state but its children.
 */
#include "executor/zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/snapshot.h"
#include "executor/worker.h"
#include "executor/zlink.h"

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* In the child: back to the default signals, then the worker for good. */
static NLQ_NORETURN void become_worker(
    int sock, pid_t parent, const char *path, const struct worker_conf *conf)
{
	sigset_t none;

	/* A parent that died before prctl would leave us without the signal. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "nlq-worker");
	worker_main(sock, path, conf);
}

static void spawn(int link, const struct zlink_message *order, const struct worker_conf *conf)
{
	struct zlink_message answer = {.type = ZLINK_REFUSED, .serial = order->serial};
	int pair[2], fds[2] = {-1, -1};
	pid_t self = getpid(), pid = -1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		answer.status = errno;
		zlink_send(link, &answer, NULL);
		return;
	}
	pid = fork();
	if (pid == 0)
		become_worker(pair[1], self, order->path, conf);
	answer.status = errno;
	close(pair[1]);
	fds[0] = pair[0];
	if (pid > 0)
		fds[1] = open_pidfd(pid); /* not reaped yet: the number is still ours */
	if (fds[1] >= 0) {
		answer.type = ZLINK_SPAWNED;
		answer.pid = pid;
		answer.status = 0;
	} else if (pid > 0) {
		answer.status = errno;
		kill(pid, SIGKILL);
	}
	zlink_send(link, &answer, fds[1] >= 0 ? fds : NULL);
	close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

static void reap(int link, const struct worker_conf *conf)
{
	struct zlink_message m = {.type = ZLINK_EXITED};
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		snapshot_remove(conf->snapshot_base, pid);
		m.pid = pid;
		m.status = status;
		zlink_send(link, &m, NULL);
	}
}

static void loop(int link, int signals, const struct worker_conf *conf)
{
	struct pollfd fds[2] = {{link, POLLIN, 0}, {signals, POLLIN, 0}};
	struct signalfd_siginfo info;
	struct zlink_message order;
	int none[2];

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents != 0 && read(signals, &info, sizeof(info)) > 0)
			reap(link, conf);
		if (fds[0].revents == 0)
			continue;
		if (zlink_recv(link, &order, none) <= 0 || order.type != ZLINK_SPAWN)
			return;
		spawn(link, &order, conf);
	}
}

static NLQ_NORETURN void zygote_main(int link, pid_t parent, const struct worker_conf *conf)
{
	sigset_t children;
	int signals;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "nlq-zygote");
	/* Ctrl-C and SIGTERM are the daemon's: it drains, and closes the line. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_SETMASK, &children, NULL);
	signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals >= 0)
		loop(link, signals, conf);
	_exit(0);
}

int zygote_start(const struct worker_conf *conf, struct zygote *ret_zygote, struct err *e)
{
	int pair[2];
	pid_t self = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return err_set(
		    e, ERR_INTERNAL, PHASE_CONFIG, "cannot make a socketpair: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return err_set(e, ERR_INTERNAL, PHASE_CONFIG, "cannot fork: %s", strerror(errno));
	}
	if (pid == 0) {
		close(pair[0]);
		zygote_main(pair[1], self, conf);
	}
	close(pair[1]);
	*ret_zygote = (struct zygote){pair[0], pid};
	return 0;
}

void zygote_stop(struct zygote *z)
{
	if (z->fd >= 0) {
		/* Not close alone: a process forked in between may hold a copy. */
		shutdown(z->fd, SHUT_RDWR);
		close(z->fd);
	}
	if (z->pid > 0)
		while (waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
			;
	z->fd = -1;
	z->pid = 0;
}

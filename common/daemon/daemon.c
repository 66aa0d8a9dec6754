/* Every signal that ends the daemon is blocked in all threads and taken by the
 * main thread with sigtimedwait, which is also the clock of the watchdog, of
 * readiness and of the drain: no handler, no flag that a handler writes. */
#include "common/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/daemon/notify.h"
#include "common/daemon/options.h"

#define TICK_MS 1000 /* longest wait between two looks at is_alive */
#define POLL_MS 5    /* between two looks at is_ready, is_drained */
#define STOP_LIMIT_MS 5000
#define DEAD_LIMIT_MS 20000 /* as WatchdogSec= of the units */
#define SIG_EXIT_REQUEST SIGUSR2
#define NOT_ASKED (-1)

static struct arena settings_arena = ARENA_INIT;
static bool is_private;

static struct {
	atomic_int code; /* NOT_ASKED: none yet */
	pid_t pid;       /* of the process that runs daemon_main, not of its forks */
} exit_request = {.code = NOT_ASKED};

struct life {
	const struct daemon_spec *spec;
	struct options options;
	sigset_t signals;
	uint32_t watchdog_ms;
	uint64_t watchdog_due_ms;
	uint64_t dead_since_ms; /* 0: alive */
};

struct arena *daemon_arena(void)
{
	return &settings_arena;
}

bool daemon_is_private(void)
{
	return is_private;
}

void daemon_exit(int code, const char *why)
{
	int none = NOT_ASKED;

	if (!atomic_compare_exchange_strong(&exit_request.code, &none, code))
		return;
	log_error("exits code=%d why=%s", code, why);
	kill(exit_request.pid, SIG_EXIT_REQUEST);
}

/* A descriptor that the parent closed must not be given to a socket or a
 * database, into which a stray message would then be written. */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void block_signals(struct life *l)
{
	sigemptyset(&l->signals);
	sigaddset(&l->signals, SIGTERM);
	sigaddset(&l->signals, SIGINT);
	sigaddset(&l->signals, SIGHUP);
	sigaddset(&l->signals, SIG_EXIT_REQUEST);
	pthread_sigmask(SIG_BLOCK, &l->signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Memory holds people's data: no core file, and no other process of the same
 * uid reads it. In a private stack that uid is the user's own, who may look. */
static void protect_memory(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
#ifndef NLQ_SANITIZER /* its leak check attaches to the process */
	if (!is_private)
		prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* False if the parent went away before the kernel was asked to tell. */
static bool follow_parent(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}

/* Without a service manager that would end a daemon which hangs (and whatever
 * started it starts it again), the daemon does so itself. */
static bool is_alive(struct life *l)
{
	if (!l->spec->is_alive || l->spec->is_alive()) {
		if (l->dead_since_ms)
			log_info("alive again");
		l->dead_since_ms = 0;
		return true;
	}
	if (!l->dead_since_ms) {
		log_error("not alive, the watchdog is not fed");
		l->dead_since_ms = clock_mono_ms();
	}
	if (!l->watchdog_ms && clock_mono_ms() - l->dead_since_ms > DEAD_LIMIT_MS)
		daemon_exit(1, "not alive for too long");
	return false;
}

static void feed_watchdog(struct life *l)
{
	bool alive = is_alive(l);

	if (!l->watchdog_ms || clock_mono_ms() < l->watchdog_due_ms || !alive)
		return;
	l->watchdog_due_ms = clock_mono_ms() + l->watchdog_ms;
	if (notify_send("WATCHDOG=1"))
		log_warn("watchdog message not sent, trying again: %s", strerror(errno));
}

/* Waits for a signal or the time; returns the signal, 0 if there was none. */
static int wait_signal(struct life *l, uint32_t ms)
{
	struct timespec ts;
	int sig;

	if (l->watchdog_ms && l->watchdog_ms < ms)
		ms = l->watchdog_ms;
	ts.tv_sec = ms / 1000;
	ts.tv_nsec = (long)(ms % 1000) * 1000000;
	sig = sigtimedwait(&l->signals, NULL, &ts);
	feed_watchdog(l);
	return sig > 0 ? sig : 0;
}

/* True once the daemon is ready, false if it was told to end before. */
static bool wait_ready(struct life *l)
{
	while (l->spec->is_ready && !l->spec->is_ready())
		if (wait_signal(l, POLL_MS))
			return false;
	if (notify_send("READY=1"))
		log_warn("readiness message not sent, continuing: %s", strerror(errno));
	log_info("ready version=%s pid=%d", NLQ_VERSION, (int)getpid());
	return true;
}

static void wait_end(struct life *l)
{
	int sig;

	do
		sig = wait_signal(l, TICK_MS);
	while (!sig);
	if (sig != SIG_EXIT_REQUEST)
		log_info("stops signal=%d", sig);
}

/* Lets work in hand finish, at most drain_ms; a second signal ends it at once. */
static void drain(struct life *l)
{
	uint64_t deadline_ms = clock_mono_ms() + l->options.drain_ms;

	notify_send("STOPPING=1");
	if (l->spec->drain)
		l->spec->drain();
	while (l->spec->is_drained && !l->spec->is_drained()) {
		if (!clock_left_ms(deadline_ms)) {
			log_warn("work in hand is given up drain_ms=%u", l->options.drain_ms);
			return;
		}
		if (wait_signal(l, POLL_MS)) {
			log_warn("work in hand is given up at a second signal");
			return;
		}
	}
}

static int exit_code(void)
{
	int code = atomic_load(&exit_request.code);

	return code == NOT_ASKED ? 0 : code;
}

static void *exit_after_limit(void *arg)
{
	struct timespec ts = {.tv_sec = STOP_LIMIT_MS / 1000};

	(void)arg;
	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
	_exit(exit_code());
}

/* nng 1.5.2 may hang for ever in a close; the work is done by then. */
static void limit_stop(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exit_after_limit, NULL) == 0)
		pthread_detach(thread);
}

static int run(struct life *l)
{
	const struct daemon_spec *spec = l->spec;
	struct err e = ERR_INIT;

	if ((spec->prepare && spec->prepare(&e)) || (spec->start && spec->start(&e))) {
		options_print_error(spec, &e);
		/* For the log of the service manager and for its restart limit. */
		return err_code_exit(e.code) == 2 ? 2 : 1;
	}
	if (wait_ready(l))
		wait_end(l);
	drain(l);
	limit_stop();
	if (spec->stop)
		spec->stop();
	log_info("stopped code=%d", exit_code());
	return exit_code();
}

/* Library threads may still be there: exit handlers would pull the floor from
 * under them. The sanitizer's leak check is such a handler, and wanted. */
static int leave(int code)
{
	fflush(NULL);
#ifndef NLQ_SANITIZER
	_exit(code);
#else
	return code;
#endif
}

int daemon_main(int argc, char **argv, const struct daemon_spec *spec)
{
	struct life l = {.spec = spec};
	pid_t parent = getppid();
	struct err e = ERR_INIT;

	fill_standard_fds();
	umask(0077);
	log_init(spec->name, LOG_LEVEL_INFO);
	switch (options_read(argc, argv, spec, &settings_arena, &l.options)) {
	case OPTIONS_RUN: break;
	case OPTIONS_EXIT_OK: return 0;
	case OPTIONS_EXIT_USAGE: return 2;
	}
	is_private = l.options.die_with_parent;
	if (spec->check && spec->check(&e)) {
		options_print_error(spec, &e);
		return 2;
	}
	if (l.options.check_only) {
		printf("nlq-%s: settings are fine\n", spec->name);
		return 0;
	}
	exit_request.pid = getpid();
	block_signals(&l);
	log_init(spec->name, (enum log_level)options_log_level(&l.options));
	protect_memory();
	if (is_private && !follow_parent(parent)) {
		log_error("the parent process is gone");
		return 1;
	}
	l.watchdog_ms = notify_watchdog_ms();
	return leave(run(&l));
}

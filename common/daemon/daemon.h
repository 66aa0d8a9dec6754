/*
 * The life of every daemon: options, configuration, log, signals, readiness,
 * watchdog, drain, exit. A main.c is a settings table, a handler table and one
 * call of daemon_main.
 *
 * Order: options -> configuration (-t stops here) -> prepare (no thread yet)
 *        -> start -> READY=1 -> wait -> SIGTERM: drain -> stop -> exit.
 *
 * SIGTERM, SIGINT, SIGHUP and SIGUSR2 are blocked from before prepare on (a
 * process that prepare forks inherits that), SIGPIPE is ignored, the umask is
 * 0077. stop has 5 s, then the process ends without it.
 */
#ifndef NLQ_DAEMON_H
#define NLQ_DAEMON_H

#include "common/base/conf.h"
#include "common/base/err.h"
#include "common/rpc/worker.h"

struct daemon_spec {
	const char *name;            /* "executor"; binary nlq-executor */
	const char *help;            /* one line */
	const struct conf_row *rows; /* its own settings; the common ones are added */
	size_t n_rows;
	int (*check)(struct err *e);   /* after settings, also with -t; may be NULL */
	int (*prepare)(struct err *e); /* single-threaded: fork helpers here; may be NULL */
	int (*start)(struct err *e);
	bool (*is_ready)(void); /* polled until true, then READY=1; NULL: at once */
	bool (*is_alive)(void); /* false: not fed, ended in the end; NULL: always */
	void (*drain)(void);    /* stop taking work; returns at once */
	bool (*is_drained)(void);
	void (*stop)(void); /* reverse of start */
};

/* Common options: -c FILE, -t (check and exit 0), -h, --version, --KEY=VALUE for
 * every row. Common rows: log.level, drain_ms, die_with_parent. Returns the exit
 * code: 0, 1 failure, 2 usage or configuration; a daemon that ran ends with
 * _exit instead, since library threads may still be there. */
int daemon_main(int argc, char **argv, const struct daemon_spec *spec);
/* Asks the main thread to drain and exit with the code; any thread, once. */
void daemon_exit(int code, const char *why);
/* Arena of the configuration; lives until the process ends. */
struct arena *daemon_arena(void);
/* True in a private stack (setting die_with_parent): all daemons run under the
 * user's own uid and none is meant to outlive the stack. After configuration. */
bool daemon_is_private(void);

/* The whole of an agent: settings connect, slots, cache_bytes, peer_uid, park_ms,
 * peer_timeout_ms are added to its rows, and a worker with these handlers is run.
 * In a private stack it ends when the orchestrator is silent for peer_timeout_ms. */
struct agent_spec {
	const char *name, *help;
	Nlq__Role role;
	uint32_t default_slots;
	const struct conf_row *rows;
	size_t n_rows;
	const struct rpc_handler *handlers;
	size_t n_handlers;
	int (*check)(struct err *e);
	int (*prepare)(struct err *e);
	int (*start)(struct err *e); /* before the worker asks for jobs; may be NULL */
	void (*stop)(void);
	const char *(*sandbox)(void); /* for status; may be NULL */
	bool (*is_alive)(void);
};
int agent_main(int argc, char **argv, const struct agent_spec *spec);

#endif

/*
 * The daemon's end of the line to the zygote: orders a worker and waits for it,
 * keeps the exits that the zygote reports, and notices when the zygote is gone.
 * One thread reads the line; any thread may order.
 */
#ifndef NLQ_EXECUTOR_SPAWNER_H
#define NLQ_EXECUTOR_SPAWNER_H

#include <sys/types.h>

#include "common/base/err.h"
#include "executor/worker.h"

struct spawner;

struct spawned {
	pid_t pid;
	int sock, pidfd; /* -1: none */
};
void spawned_close(struct spawned *s);

struct spawner_conf {
	struct worker_conf worker;
	void (*tick)(void *tick_arg); /* every second */
	void (*on_exit)(pid_t pid, int status, bool expected, void *arg);
	void (*on_gone)(void *arg);
	void *tick_arg, *arg;
};

/* Forks the zygote: call while the process has one thread. */
int spawner_new(const struct spawner_conf *conf, struct spawner **ret_spawner, struct err *e);
int spawner_start(struct spawner *s, struct err *e);
void spawner_free(struct spawner *s); /* NULL is fine */

/* A new worker for the path. ERR_UNAVAILABLE if the zygote is gone, or if several
 * workers in a row died before they said hello (for a second). */
int spawner_spawn(struct spawner *s, const char *path, uint64_t deadline_ms,
    struct spawned *ret_spawned, struct err *e);
/* A new worker has sent its first message, or ended without. */
void spawner_started(struct spawner *s, bool spoke);
/* SIGKILL by pidfd, and the exit counts as expected. */
void spawner_kill(struct spawner *s, const struct spawned *w);
/* Wait status of a worker whose socket closed; waits a moment for the report. */
bool spawner_exit_status(struct spawner *s, pid_t pid, int *ret_status);
bool spawner_is_alive(struct spawner *s);
/* The error of every call once it is not: ERR_UNAVAILABLE. */
int spawner_gone(struct err *e);
void spawner_get_stats(struct spawner *s, uint64_t *ret_spawned, pid_t *ret_zygote);

#endif

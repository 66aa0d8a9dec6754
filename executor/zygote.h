/*
 * The zygote: a single-threaded child, forked before any thread or nng exists,
 * that forks the workers. It takes one order (spawn a worker for a path), hands
 * back the worker's socket and pidfd, reaps, and reports exits. It dies with the
 * daemon, the workers die with it (PDEATHSIG follows the forking thread, and the
 * zygote has one).
 */
#ifndef NLQ_EXECUTOR_ZYGOTE_H
#define NLQ_EXECUTOR_ZYGOTE_H

#include <sys/types.h>

#include "common/base/err.h"

struct worker_conf;

struct zygote {
	int fd; /* zlink to it */
	pid_t pid;
};

/* Call while the process has one thread. conf is used by the workers; it must
 * outlive the call only (the zygote has its copy of the memory). */
int zygote_start(const struct worker_conf *conf, struct zygote *ret_zygote, struct err *e);
/* Closes the line and waits for the zygote to go. */
void zygote_stop(struct zygote *z);

#endif

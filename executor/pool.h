/*
 * Standing workers, one query at a time each, one source for life. The daemon's
 * slot threads call pool_call; the pool finds an idle worker of the path or has
 * the zygote fork one, hands over the call, and watches the worker's socket, the
 * call's cancel eventfd and the clock at once. A worker that is late, sends
 * garbage, or loses its socket is killed by pidfd and replaced by the next call.
 *
 * A thread of the pool reads the zygote's reports, ends workers that were idle too
 * long, and tells when the zygote is gone.
 */
#ifndef NLQ_EXECUTOR_POOL_H
#define NLQ_EXECUTOR_POOL_H

#include <sys/types.h>

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "executor/worker.h"

#define POOL_GRACE_MS 100 /* after the worker's own deadline */

struct pool;

struct pool_conf {
	struct worker_conf worker;
	uint32_t workers_max;    /* in all */
	uint32_t per_source_max; /* of one path */
	uint32_t idle_ms;        /* an idle worker is ended after that */
	uint32_t start_ms;       /* a worker must say hello in that time */
	/* Both run on the pool's thread. */
	void (*on_exit)(pid_t pid, int status, bool expected, void *arg); /* may be NULL */
	void (*on_zygote_gone)(void *arg);                                /* may be NULL */
	void *arg;
};

struct pool_call {
	const char *path;
	uint32_t kind;    /* of envelope.proto */
	const void *body; /* the packed request */
	size_t len;
	uint32_t query_ms;    /* time for the work itself */
	uint32_t max_rows;    /* 0: the worker's own */
	uint64_t deadline_ms; /* CLOCK_MONOTONIC, of the whole call */
	int cancel_fd;        /* -1: none */
};

/* Forks the zygote: call while the process has one thread. */
int pool_new(const struct pool_conf *conf, struct pool **ret_pool, struct err *e);
/* Starts the pool's thread. */
int pool_start(struct pool *p, struct err *e);
/* Ends every worker and the zygote; NULL is fine. No call may be running. */
void pool_free(struct pool *p);

/* One call, from any thread. ret_reply gets the worker's packed reply, still to be
 * decoded as hostile. Errors are the worker's own typed ones, or ERR_TIMEOUT,
 * ERR_CANCELLED, ERR_BUSY, ERR_UNAVAILABLE, ERR_INTERNAL (the worker died). */
int pool_call(struct pool *p, const struct pool_call *c, struct strbuf *ret_reply, struct err *e);

bool pool_is_alive(struct pool *p); /* false once the zygote is gone */
struct pool_stats {
	uint32_t workers, busy;
	uint64_t spawned, killed, calls;
	pid_t zygote;
};
void pool_get_stats(struct pool *p, struct pool_stats *ret_stats);

#endif

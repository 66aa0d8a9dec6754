/*
 * The worker side of pull dispatch, used by every agent. Each slot is one REQ
 * socket, one dialer and one thread that asks the orchestrator for one job at
 * a time; one more socket holds the control connection (cancel, drain, drop).
 * A slot that gets no answer in the park time closes its socket and dials again.
 */
#ifndef NLQ_RPC_WORKER_H
#define NLQ_RPC_WORKER_H

#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/base/strbuf.h"
#include "envelope.pb-c.h"

struct rpc_worker;
struct rpc_slot;

struct rpc_job {
	Nlq__Kind kind;
	uint8_t request_id[16], job_id[16];
	uint32_t attempt;
	const uint8_t *body; /* borrowed */
	size_t len;
	uint64_t deadline_ms; /* CLOCK_MONOTONIC */
	uint32_t uid;         /* principal, attested by the orchestrator */
	const char *principal;
	uint32_t budget_rows, budget_query_ms; /* 0: not given */
	struct rpc_slot *slot;
};

/* Runs on a slot's thread; several slots run at once. Fills ret_body (the
 * packed reply message, at most WIRE_MAX_BODY) or returns a negative code with e
 * filled. ret_body is empty at the start and belongs to the caller. */
typedef int rpc_handler_fn(struct rpc_job *job, struct strbuf *ret_body, struct err *e);
struct rpc_handler {
	Nlq__Kind kind;
	const char *name;
	rpc_handler_fn *fn;
};

/* True once the client is gone or the deadline has passed; never turns back. */
bool rpc_job_cancelled(const struct rpc_job *job);
/* An eventfd that becomes readable when the job is cancelled (not at its deadline);
 * borrowed: poll it, don't read it. */
int rpc_job_cancel_fd(const struct rpc_job *job);

/* A snapshot held by hash, decoded once per process and shared by the slots.
 * Missing ones are fetched from the orchestrator in chunks; least recently used
 * ones are dropped above the byte cap. */
struct snapshot_type {
	const char *name;
	int (*build)(const void *bytes, size_t len, void **ret_object, struct err *e);
	void (*free)(void *object);
};
struct snapshot {
	struct hash hash;
	const struct snapshot_type *type;
	void *object;
};
int rpc_job_snapshot(struct rpc_job *job, const struct snapshot_type *type, const void *hash,
    size_t hash_len, struct snapshot **ret_snapshot, struct err *e);
void snapshot_unref(struct snapshot *s); /* NULL is fine */

struct rpc_worker_conf {
	const char *url; /* ipc:///.../sock of the role */
	Nlq__Role role;
	uint32_t slots;
	uint32_t park_ms;     /* the orchestrator's park time; margin is added */
	uint64_t cache_bytes; /* snapshot cap, counted in encoded bytes */
	uint64_t peer_uid;    /* uid that must own the listener; UINT64_MAX: any */
	const struct rpc_handler *handlers;
	size_t n_handlers;
	const char *sandbox; /* for status; NULL */
};
int rpc_worker_start(
    const struct rpc_worker_conf *conf, struct rpc_worker **ret_worker, struct err *e);
/* True once every slot has sent its first READY. */
bool rpc_worker_is_ready(const struct rpc_worker *w);
/* Milliseconds since the control peer last answered. */
uint64_t rpc_worker_silent_ms(const struct rpc_worker *w);
void rpc_worker_drain(struct rpc_worker *w);         /* stop asking; returns at once */
bool rpc_worker_is_idle(const struct rpc_worker *w); /* drained and no job in hand */
/* Cancels what runs and joins the threads (so a handler that looks at nothing holds
 * it up); snapshots must have been given back. NULL is fine. */
void rpc_worker_stop(struct rpc_worker *w);

#endif

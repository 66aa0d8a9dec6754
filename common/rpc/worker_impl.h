/* What the parts of the worker side share; only worker*.c include it. */
#ifndef NLQ_RPC_WORKER_IMPL_H
#define NLQ_RPC_WORKER_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/rpc/req.h"
#include "common/rpc/worker.h"
#include "common/wire/wire.h"

#define WORKER_MAX_SLOTS 64
#define WORKER_MAX_HELD 32     /* snapshots named in a READY */
#define PARK_MARGIN_MS 5000    /* over the orchestrator's park time */
#define CONTROL_WAIT_MS 7000   /* a poll is answered every 5 s */
#define WORKER_CONNECT_MS 2000 /* first wait for a connection, then a new dialer */
#define REMEMBERED_CANCELS 64  /* orders that may overtake their job */

/* One asking thread. */
struct rpc_slot {
	struct rpc_worker *w;
	uint32_t number;
	pthread_t thread;
	bool has_thread;
	struct req *req;
	struct strbuf out;   /* what goes out next, packed */
	bool has_result;     /* out is a RESULT that nothing has answered yet */
	uint32_t n_unsent;   /* times in a row that there was no connection */
	atomic_bool is_sent; /* what it says now has been handed to a connection */
	atomic_bool was_ready, has_ended;
	atomic_bool is_cancelled; /* the job in hand */
	int cancel_fd;
	bool has_job;                /* with w->mutex */
	uint8_t job_id[WIRE_ID_LEN]; /* with w->mutex */
};

struct cache;

struct rpc_worker {
	struct rpc_worker_conf conf;
	uint8_t instance[WIRE_ID_LEN];
	struct cache *cache;
	struct rpc_slot *slots;
	atomic_bool is_draining, is_stopping;
	struct req *control;
	pthread_t control_thread;
	bool has_control_thread;
	_Atomic uint64_t answered_ms; /* when the control peer answered last */
	uint64_t ack_seq;             /* the control thread's own */
	pthread_mutex_t mutex;        /* guards what follows and the jobs of the slots */
	pthread_cond_t stopping;
	uint8_t cancels[REMEMBERED_CANCELS][WIRE_ID_LEN]; /* ring */
	uint32_t n_cancels;
};

/* Waits, or returns at once when the worker stops. */
void worker_pause(struct rpc_worker *w, uint32_t ms);

/* worker_slot.c */
void *slot_run(void *arg); /* struct rpc_slot */
void slot_fill_ready(
    const struct rpc_slot *s, Nlq__Ready *m, ProtobufCBinaryData *held, struct hash *hashes);
void slot_cancel(struct rpc_slot *s);

/* worker_control.c */
void *control_run(void *arg); /* struct rpc_worker */
/* True if an order to cancel this job has come already; with the mutex held. */
bool control_was_cancelled(const struct rpc_worker *w, const uint8_t *job_id);

/* worker_cache.c */
struct cache *cache_new(uint64_t max_bytes);
void cache_free(struct cache *c); /* all snapshots must have been given back */
void cache_drop(struct cache *c, const struct hash *h);
/* Hashes held, most recently used first; how many. */
size_t cache_list(struct cache *c, struct hash *out, size_t max);

#endif

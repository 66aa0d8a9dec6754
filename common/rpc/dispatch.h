/*
 * The orchestrator's side of pull dispatch: one listener per role, slots that
 * ask for work, a queue per principal served in turn, leases, retries, cancel.
 * nng aio callbacks do the work under one mutex, with no I/O in them.
 *
 *   slot: ABSENT -READY-> PARKED -assign-> BUSY -RESULT-> PARKED
 *         BUSY -pipe gone-> DETACHED (500 ms) -same pid again | RESULT-> BUSY
 *         any -pidfd says dead-> ABSENT, its job retried at once
 *   job:  QUEUED -> RUNNING -> DONE | FAILED | CANCELLED;
 *         worker lost or lease out: QUEUED again while retries are left
 */
#ifndef NLQ_RPC_DISPATCH_H
#define NLQ_RPC_DISPATCH_H

#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/base/strbuf.h"
#include "envelope.pb-c.h"

struct dispatch;

struct dispatch_conf {
	uint32_t park_ms;        /* 20000 */
	uint32_t detach_ms;      /* 500 */
	uint32_t queue_max;      /* queued jobs in all, above it ERR_BUSY */
	uint32_t per_source_max; /* jobs running at once with the same source tag; 0: no limit */
	uint32_t self_dial_ms;   /* period of the listener's self check; 0: none */
	uint32_t absent_ms;      /* a role without any worker for so long: its waiting jobs
	                               fail with ERR_UNAVAILABLE; 0: they wait for their deadline */
	/* Called outside the mutex when the process should drain and end (a listener
	 * that cannot be healed, fds that grow without bound). */
	void (*fatal)(const char *why, void *arg);
	void *arg;
};

int dispatch_new(const struct dispatch_conf *conf, struct dispatch **ret_dispatch, struct err *e);
void dispatch_free(struct dispatch *d); /* open jobs end in ERR_CANCELLED; NULL is fine */
/* uid UINT64_MAX: the process's own. The own uid is always admitted. */
int dispatch_listen(
    struct dispatch *d, Nlq__Role role, const char *url, uint64_t uid, struct err *e);

struct dispatch_request {
	Nlq__Role role;
	Nlq__Kind kind;
	uint8_t request_id[16];
	uint32_t uid;
	const char *principal;
	const char *source; /* tag for per_source_max and affinity; NULL */
	const void *body;
	size_t len;
	uint32_t lease_ms;    /* one attempt */
	uint64_t deadline_ms; /* CLOCK_MONOTONIC, of the whole request */
	uint32_t retries;     /* further attempts after a lost worker */
	uint32_t budget_rows, budget_query_ms;
	const struct hash *prefer; /* snapshot: a slot that holds it goes first; NULL */
};
struct dispatch_reply {
	struct strbuf body; /* caller frees with strbuf_done, also on failure */
	uint8_t job_id[16];
	uint8_t instance[16]; /* which process answered; zero if none */
	uint32_t attempts;
	uint64_t queued_us, elapsed_us;
};
/* Blocks until the job is done, failed (e has the worker's or our error),
 * cancelled or past the deadline. Called from flow threads only. */
int dispatch_call(struct dispatch *d, const struct dispatch_request *r,
    struct dispatch_reply *ret_reply, struct err *e);
/* Ends all jobs of the request, now and in future; workers are told. */
void dispatch_cancel(struct dispatch *d, const uint8_t request_id[16]);
/* Forgets a cancelled request (its id will not be used again). */
void dispatch_forget(struct dispatch *d, const uint8_t request_id[16]);

/* Makes bytes available to workers by hash (copied; held until withdrawn). */
void dispatch_publish(struct dispatch *d, const struct hash *h, const void *bytes, size_t len);
void dispatch_withdraw(struct dispatch *d, const struct hash *h); /* workers are told to drop it */

struct dispatch_component {
	Nlq__Role role;
	uint32_t pid, slots, busy;
	uint64_t rss_kb;
	bool draining;
	char version[32];
	char sandbox[256];
};
struct dispatch_stats {
	uint64_t jobs_done, jobs_retried, jobs_failed, heals, late_results, foreign_results;
	uint32_t queued, running;
};
/* Copies up to max components; returns how many there are. */
size_t dispatch_components(struct dispatch *d, struct dispatch_component *out, size_t max);
void dispatch_get_stats(struct dispatch *d, struct dispatch_stats *ret_stats);
/* Parked or busy slots of a role. */
uint32_t dispatch_slots(struct dispatch *d, Nlq__Role role);

#endif

/* Calls into the dispatcher: run a job, call off a request. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"

static bool is_cancelled(struct dispatch *d, const uint8_t *request_id)
{
	for (struct cancelled *c = d->cancelled; c; c = c->next)
		if (memcmp(c->request_id, request_id, WIRE_ID_LEN) == 0)
			return true;
	return false;
}

/* Ends a job whose time is up. */
static void expire(struct dispatch *d, struct job *j)
{
	struct role *role = &d->roles[j->r->role];
	struct err e = ERR_INIT;

	if (j->attempts == 0 && role->n_slots == 0) {
		err_set(&e, ERR_UNAVAILABLE, PHASE_RPC, "no %s is connected",
		    dispatch_role_name(role->id));
		err_fix(&e, "start one, or look at why it does not stay up: nlq status");
	} else if (j->attempts == 0) {
		err_set(&e, ERR_TIMEOUT, PHASE_RPC, "the time was up before a %s was free",
		    dispatch_role_name(role->id));
	} else {
		err_set(&e, ERR_TIMEOUT, PHASE_RPC, "the time was up while a %s worked on it",
		    dispatch_role_name(role->id));
	}
	e.retry = true;
	job_fail(d, j, &e);
}

static void make_job_id(struct dispatch *d, uint8_t id[WIRE_ID_LEN])
{
	uint64_t n = ++d->counter;

	memcpy(id, d->boot, sizeof(d->boot));
	for (int i = 0; i < 7; i++)
		id[JOB_KEY_LEN - 1 - i] = (uint8_t)(n >> 8 * i);
}

/* Queues the job and waits for its end; with the mutex held throughout. */
static void run_job(struct dispatch *d, struct role *role, struct job *j)
{
	const struct timespec until = {
	    (time_t)(j->r->deadline_ms / 1000), (long)(j->r->deadline_ms % 1000) * 1000000};
	struct err e = ERR_INIT;

	job_enqueue(role, j);
	job_pump(role);
	if (j->state == JOB_QUEUED && d->stats.queued > d->conf.queue_max) {
		err_set(&e, ERR_BUSY, PHASE_RPC, "too many requests wait, the limit is %u",
		    d->conf.queue_max);
		err_fix(&e, "try again in a moment");
		e.retry = true;
		job_fail(d, j, &e);
	} else if (j->state == JOB_QUEUED && d->conf.absent_ms > 0) {
		timer_at(d, clock_mono_ms() + d->conf.absent_ms);
	}
	dispatch_unlock(d);
	dispatch_lock(d);
	while (j->state != JOB_DONE)
		if (pthread_cond_timedwait(&j->done, &d->mutex, &until) == ETIMEDOUT &&
		    j->state != JOB_DONE)
			expire(d, j);
}

static int check_request(struct dispatch *d, const struct dispatch_request *r, struct err *e)
{
	if (r->len > WIRE_MAX_BODY) {
		err_set(e, ERR_TOO_LARGE, PHASE_RPC,
		    "a request of %zu bytes is over the limit of %u", r->len, WIRE_MAX_BODY);
		return ERR_TOO_LARGE;
	}
	if (r->role <= 0 || r->role >= MAX_ROLES || !d->roles[r->role].listener)
		return err_set(e, ERR_INTERNAL, PHASE_RPC, "role %d is not served", r->role);
	if (d->closing || is_cancelled(d, r->request_id))
		return err_set(e, ERR_CANCELLED, PHASE_RPC, "the request was cancelled");
	return 0;
}

int dispatch_call(struct dispatch *d, const struct dispatch_request *r,
    struct dispatch_reply *ret_reply, struct err *e)
{
	struct job j = {.r = r, .reply = ret_reply, .e = e, .queued_us = clock_mono_us()};

	memset(ret_reply, 0, sizeof(*ret_reply));
	strbuf_init(&ret_reply->body, WIRE_MAX_MESSAGE);
	dispatch_init_cond(&j.done);
	dispatch_lock(d);
	d->n_callers++;
	j.rc = check_request(d, r, e);
	if (!j.rc) {
		make_job_id(d, j.id);
		run_job(d, &d->roles[r->role], &j);
	}
	d->n_callers--;
	if (d->closing)
		pthread_cond_signal(&d->left);
	dispatch_unlock(d);
	pthread_cond_destroy(&j.done);
	memcpy(ret_reply->job_id, j.id, WIRE_ID_LEN);
	ret_reply->attempts = j.attempts;
	ret_reply->elapsed_us = clock_mono_us() - j.queued_us;
	ret_reply->queued_us = j.started_us ? j.started_us - j.queued_us : ret_reply->elapsed_us;
	return j.rc;
}

/* An open job of the request, or NULL. */
static struct job *find_of_request(struct dispatch *d, const uint8_t *request_id)
{
	for (size_t i = 0; i < MAX_ROLES; i++) {
		struct queue *q;
		struct job *j;

		TAILQ_FOREACH(j, &d->roles[i].running, link)
		if (memcmp(j->r->request_id, request_id, WIRE_ID_LEN) == 0)
			return j;
		TAILQ_FOREACH(q, &d->roles[i].queues, link)
		TAILQ_FOREACH(j, &q->jobs, link)
		if (memcmp(j->r->request_id, request_id, WIRE_ID_LEN) == 0)
			return j;
	}
	return NULL;
}

void dispatch_cancel(struct dispatch *d, const uint8_t request_id[16])
{
	struct cancelled *c = malloc(sizeof(*c));
	struct err e = ERR_INIT;
	struct job *j;

	err_set(&e, ERR_CANCELLED, PHASE_RPC, "the request was cancelled");
	dispatch_lock(d);
	if (c && !is_cancelled(d, request_id)) {
		memcpy(c->request_id, request_id, WIRE_ID_LEN);
		c->next = d->cancelled;
		d->cancelled = c;
		c = NULL;
	}
	while ((j = find_of_request(d, request_id)))
		job_fail(d, j, &e);
	dispatch_unlock(d);
	free(c);
}

void dispatch_forget(struct dispatch *d, const uint8_t request_id[16])
{
	struct cancelled **at;

	dispatch_lock(d);
	for (at = &d->cancelled; *at; at = &(*at)->next) {
		struct cancelled *c = *at;

		if (memcmp(c->request_id, request_id, WIRE_ID_LEN) != 0)
			continue;
		*at = c->next;
		free(c);
		break;
	}
	dispatch_unlock(d);
}

/* Jobs: queues in turn, choice of a slot, hand-over, end and retry. */
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

static struct queue *queue_get(struct role *role, const struct dispatch_request *r)
{
	const char *principal = r->principal ? r->principal : "";
	struct queue *q;

	TAILQ_FOREACH(q, &role->queues, link)
	if (q->uid == r->uid && strcmp(q->principal, principal) == 0)
		return q;
	q = calloc(1, sizeof(*q));
	if (!q || !(q->principal = strdup(principal))) {
		free(q);
		return NULL;
	}
	q->uid = r->uid;
	TAILQ_INIT(&q->jobs);
	TAILQ_INSERT_TAIL(&role->queues, q, link);
	return q;
}

static void queue_remove(struct role *role, struct job *j)
{
	struct queue *q = j->queue;

	TAILQ_REMOVE(&q->jobs, j, link);
	j->queue = NULL;
	role->d->stats.queued--;
	if (TAILQ_EMPTY(&q->jobs)) {
		TAILQ_REMOVE(&role->queues, q, link);
		free(q->principal);
		free(q);
	}
}

static void enqueue(struct role *role, struct job *j, bool at_head)
{
	struct queue *q = queue_get(role, j->r);

	if (!q) {
		j->state = JOB_DONE;
		j->rc = err_set(j->e, ERR_NOMEM, PHASE_RPC, "no memory to queue a job");
		pthread_cond_signal(&j->done);
		return;
	}
	j->state = JOB_QUEUED;
	j->queue = q;
	if (at_head)
		TAILQ_INSERT_HEAD(&q->jobs, j, link);
	else
		TAILQ_INSERT_TAIL(&q->jobs, j, link);
	role->d->stats.queued++;
}

void job_enqueue(struct role *role, struct job *j)
{
	enqueue(role, j, false);
}

static uint64_t source_tag(const struct dispatch_request *r)
{
	return r->source ? hash64(r->source, strlen(r->source), 1) : 0;
}

/* Whether one more job of this source may run. */
static bool source_has_room(struct role *role, const struct dispatch_request *r)
{
	uint32_t limit = role->d->conf.per_source_max, running = 0;
	struct job *j;

	if (limit == 0 || !r->source)
		return true;
	TAILQ_FOREACH(j, &role->running, link)
	if (j->r->source && strcmp(j->r->source, r->source) == 0)
		running++;
	return running < limit;
}

/* The first job that may run now of the principal whose turn it is; the
 * principal goes to the end of the line. */
static struct job *next_job(struct role *role)
{
	uint64_t now = clock_mono_ms();
	struct queue *q;
	struct job *j;

	TAILQ_FOREACH(q, &role->queues, link)
	{
		TAILQ_FOREACH(j, &q->jobs, link)
		{
			/* What is late is its own caller's to end. */
			if (j->r->deadline_ms <= now || !source_has_room(role, j->r))
				continue;
			TAILQ_REMOVE(&role->queues, q, link);
			TAILQ_INSERT_TAIL(&role->queues, q, link);
			return j;
		}
	}
	return NULL;
}

/* A slot that holds the snapshot, else one that served the source last, else the
 * one that has waited longest. */
static struct slot *choose_slot(struct role *role, const struct dispatch_request *r)
{
	uint64_t tag = source_tag(r);
	struct slot *s, *best = NULL;
	int best_score = -1;

	TAILQ_FOREACH(s, &role->parked, parked)
	{
		int score = 0;

		if (r->prefer && instance_holds(s->instance, r->prefer))
			score += 2;
		if (tag && s->source_tag == tag)
			score += 1;
		if (score > best_score) {
			best = s;
			best_score = score;
		}
	}
	return best;
}

static int make_message(const struct job *j, nng_msg **ret_msg, struct err *e)
{
	const struct dispatch_request *r = j->r;
	Nlq__Envelope env;
	Nlq__Budget budget = NLQ__BUDGET__INIT;
	Nlq__Principal principal = NLQ__PRINCIPAL__INIT;
	Nlq__Job job = NLQ__JOB__INIT;

	envelope_init(&env, NLQ__KIND__JOB);
	env.has_request_id = true;
	envelope_bytes(&env.request_id, r->request_id, WIRE_ID_LEN);
	env.has_time_left_ms = true;
	env.time_left_ms = clock_left_ms(r->deadline_ms);
	budget.has_rows = r->budget_rows > 0;
	budget.rows = r->budget_rows;
	budget.has_query_ms = r->budget_query_ms > 0;
	budget.query_ms = r->budget_query_ms;
	if (budget.has_rows || budget.has_query_ms)
		env.budget = &budget;
	principal.uid = r->uid;
	principal.name = (char *)(r->principal ? r->principal : "");
	env.principal = &principal;
	envelope_bytes(&job.job_id, j->id, WIRE_ID_LEN);
	job.attempt = j->attempts;
	job.lease_ms = r->lease_ms;
	job.kind = r->kind;
	envelope_bytes(&job.body, r->body, r->len);
	return envelope_to_msg(&env, &job.base, ret_msg, e);
}

static void assign(struct role *role, struct job *j, struct slot *s)
{
	struct dispatch *d = role->d;
	struct err e = ERR_INIT;
	nng_msg *msg = NULL;
	uint64_t now = clock_mono_ms();

	j->attempts++;
	j->id[JOB_KEY_LEN] = (uint8_t)j->attempts;
	if (make_message(j, &msg, &e)) {
		job_fail(d, j, &e);
		return;
	}
	queue_remove(role, j);
	TAILQ_INSERT_TAIL(&role->running, j, link);
	d->stats.running++;
	j->state = JOB_RUNNING;
	j->slot = s;
	j->started_us = clock_mono_us();
	/* Without a lease the request's own deadline bounds the attempt. */
	j->lease_due_ms = j->r->lease_ms ? now + j->r->lease_ms : UINT64_MAX;
	timer_at(d, j->lease_due_ms);
	TAILQ_REMOVE(&role->parked, s, parked);
	s->state = SLOT_BUSY;
	s->job = j;
	memcpy(s->job_id, j->id, WIRE_ID_LEN);
	s->is_cancelled = false;
	s->source_tag = source_tag(j->r);
	dispatch_answer(d, s->call, msg);
	s->call = NULL;
}

void job_pump(struct role *role)
{
	struct job *j;

	while (!TAILQ_EMPTY(&role->parked) && (j = next_job(role)))
		assign(role, j, choose_slot(role, j->r));
}

/* Takes the job from its slot, which goes on without it until it reports. */
static void leave_slot(struct dispatch *d, struct job *j)
{
	struct slot *s = j->slot;

	TAILQ_REMOVE(&d->roles[j->r->role].running, j, link);
	d->stats.running--;
	j->slot = NULL;
	s->job = NULL;
}

void job_end(struct dispatch *d, struct job *j, int rc)
{
	struct role *role = &d->roles[j->r->role];
	struct slot *s = j->slot;

	if (j->state == JOB_QUEUED) {
		queue_remove(role, j);
	} else if (s) {
		leave_slot(d, j);
		if (s->state == SLOT_DETACHED) {
			slot_remove(s);
		} else if (s->state == SLOT_BUSY) {
			s->is_cancelled = true;
			control_cancel(s->instance, j->id);
		}
	}
	j->state = JOB_DONE;
	j->rc = rc;
	if (rc == 0)
		d->stats.jobs_done++;
	else
		d->stats.jobs_failed++;
	pthread_cond_signal(&j->done);
	job_pump(role); /* the source may have room again */
}

void job_fail(struct dispatch *d, struct job *j, const struct err *why)
{
	if (j->e)
		*j->e = *why;
	job_end(d, j, why->code);
}

void job_lost(struct dispatch *d, struct job *j, bool was_delivered, const char *how)
{
	struct role *role = &d->roles[j->r->role];
	struct err e = ERR_INIT;
	bool again;

	leave_slot(d, j);
	if (was_delivered) {
		again = j->attempts <= j->r->retries;
	} else {
		again = ++j->redeliveries <= MAX_REDELIVERIES;
		j->attempts--;
	}
	if (!again) {
		err_set(&e, ERR_UNAVAILABLE, PHASE_RPC, "the %s that had the job %s (attempt %u)",
		    dispatch_role_name(role->id), how, j->attempts);
		e.retry = true;
		job_fail(d, j, &e);
		return;
	}
	d->stats.jobs_retried += was_delivered;
	enqueue(role, j, true);
}

struct job *job_find(struct role *role, const uint8_t *id)
{
	struct queue *q;
	struct job *j;

	TAILQ_FOREACH(j, &role->running, link)
	if (memcmp(j->id, id, JOB_KEY_LEN) == 0)
		return j;
	TAILQ_FOREACH(q, &role->queues, link)
	TAILQ_FOREACH(j, &q->jobs, link)
	if (memcmp(j->id, id, JOB_KEY_LEN) == 0)
		return j;
	return NULL;
}

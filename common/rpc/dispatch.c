/* Life of a dispatcher, its mutex, and what it tells of itself. */
#include "common/rpc/dispatch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

#define MAX_PIPES 512
#define MAX_CALLS 1024

void dispatch_lock(struct dispatch *d)
{
	pthread_mutex_lock(&d->mutex);
}

void dispatch_unlock(struct dispatch *d)
{
	struct listener_call *c = d->todo;
	bool kick = d->kick;
	const uint64_t one = 1;

	d->todo = NULL;
	d->kick = false;
	pthread_mutex_unlock(&d->mutex);
	while (c) {
		struct listener_call *next = c->next;

		listener_reply(c, c->answer);
		c = next;
	}
	if (kick)
		(void)!write(d->kick_fd, &one, sizeof(one));
}

void dispatch_answer(struct dispatch *d, struct listener_call *c, nng_msg *answer)
{
	c->answer = answer;
	c->next = d->todo;
	d->todo = c;
}

void dispatch_init_cond(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

const char *dispatch_role_name(Nlq__Role role)
{
	switch (role) {
	case NLQ__ROLE__ROLE_SCHEMA: return "schema_agent";
	case NLQ__ROLE__ROLE_SQL: return "sql_agent";
	case NLQ__ROLE__ROLE_VERIFY: return "verify_agent";
	case NLQ__ROLE__ROLE_EXECUTOR: return "executor";
	case NLQ__ROLE__ROLE_DUMMY: return "dummy";
	default: return "worker";
	}
}

int dispatch_new(const struct dispatch_conf *conf, struct dispatch **ret_dispatch, struct err *e)
{
	struct dispatch *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for the dispatcher");
	d->conf = *conf;
	d->kick_fd = -1;
	d->timer_next_ms = UINT64_MAX;
	random_bytes(d->boot, sizeof(d->boot));
	pthread_mutex_init(&d->mutex, NULL);
	dispatch_init_cond(&d->left);
	TAILQ_INIT(&d->instances);
	for (size_t i = 0; i < MAX_ROLES; i++) {
		struct role *role = &d->roles[i];

		role->d = d;
		role->id = (Nlq__Role)i;
		TAILQ_INIT(&role->queues);
		TAILQ_INIT(&role->running);
		TAILQ_INIT(&role->parked);
		role->absent_since_ms = clock_mono_ms();
	}
	rc = timer_start(d, e);
	if (rc)
		dispatch_free(d);
	else
		*ret_dispatch = d;
	return rc;
}

static void end_all_jobs(struct dispatch *d)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, PHASE_RPC, "the orchestrator stops");
	e.retry = true;
	for (size_t i = 0; i < MAX_ROLES; i++) {
		struct role *role = &d->roles[i];
		struct queue *q;
		struct job *j;

		while ((q = TAILQ_FIRST(&role->queues)))
			job_fail(d, TAILQ_FIRST(&q->jobs), &e);
		while ((j = TAILQ_FIRST(&role->running)))
			job_fail(d, j, &e);
	}
}

static void free_parts(struct dispatch *d)
{
	while (d->published) {
		struct published *p = d->published;

		d->published = p->next;
		published_unref(p);
	}
	while (d->cancelled) {
		struct cancelled *c = d->cancelled;

		d->cancelled = c->next;
		free(c);
	}
	for (size_t i = 0; i < PIPE_BUCKETS; i++) {
		while (d->pipes[i]) {
			struct pipe *p = d->pipes[i];

			d->pipes[i] = p->next;
			free(p);
		}
	}
}

void dispatch_free(struct dispatch *d)
{
	bool is_still_used = false;

	if (!d)
		return;
	dispatch_lock(d);
	d->closing = true;
	d->kick = d->kick_fd >= 0;
	end_all_jobs(d);
	dispatch_unlock(d);
	dispatch_lock(d);
	while (d->n_callers > 0)
		pthread_cond_wait(&d->left, &d->mutex);
	dispatch_unlock(d);
	timer_stop(d);
	/* Before the listeners, which take the calls that are parked with them. */
	dispatch_lock(d);
	while (!TAILQ_EMPTY(&d->instances))
		instance_free(d, TAILQ_FIRST(&d->instances));
	dispatch_unlock(d);
	for (size_t i = 0; i < MAX_ROLES; i++)
		if (!listener_stop(d->roles[i].listener))
			is_still_used = true;
	if (is_still_used)
		return;
	free_parts(d);
	if (d->kick_fd >= 0)
		close(d->kick_fd);
	pthread_cond_destroy(&d->left);
	pthread_mutex_destroy(&d->mutex);
	free(d);
}

static void on_fatal(const char *why, void *arg)
{
	struct dispatch *d = ((struct role *)arg)->d;

	if (d->conf.fatal)
		d->conf.fatal(why, d->conf.arg);
}

int dispatch_listen(struct dispatch *d, Nlq__Role id, const char *url, uint64_t uid, struct err *e)
{
	struct listener_conf conf = {
	    .url = url,
	    .mode = 0660,
	    .uid = uid,
	    .max_calls = MAX_CALLS,
	    .max_pipes = MAX_PIPES,
	    .self_dial_ms = d->conf.self_dial_ms,
	    .on_message = dispatch_on_message,
	    .on_pipe_added = pipe_added,
	    .on_pipe_removed = pipe_removed,
	    .fatal = on_fatal,
	};
	struct listener *l = NULL;
	int rc;

	if (id <= 0 || id >= MAX_ROLES || d->roles[id].listener)
		return err_set(
		    e, ERR_INTERNAL, PHASE_RPC, "role %d cannot be served, or is already", id);
	conf.arg = &d->roles[id];
	rc = listener_start(&conf, &l, e);
	if (rc)
		return rc;
	dispatch_lock(d);
	d->roles[id].listener = l;
	dispatch_unlock(d);
	return 0;
}

static void describe(const struct instance *in, struct dispatch_component *out)
{
	struct slot *s;

	memset(out, 0, sizeof(*out));
	out->role = in->role->id;
	out->pid = in->pid;
	out->slots = in->told_slots > in->n_slots ? in->told_slots : in->n_slots;
	TAILQ_FOREACH(s, &in->slots, link)
	out->busy += s->state == SLOT_BUSY || s->state == SLOT_DETACHED;
	out->rss_kb = in->rss_kb;
	out->draining = in->is_draining;
	memcpy(out->version, in->version, sizeof(out->version));
	memcpy(out->sandbox, in->sandbox, sizeof(out->sandbox));
}

size_t dispatch_components(struct dispatch *d, struct dispatch_component *out, size_t max)
{
	struct instance *in;
	size_t n = 0;

	dispatch_lock(d);
	TAILQ_FOREACH(in, &d->instances, link)
	{
		if (n < max)
			describe(in, &out[n]);
		n++;
	}
	dispatch_unlock(d);
	return n;
}

void dispatch_get_stats(struct dispatch *d, struct dispatch_stats *ret_stats)
{
	dispatch_lock(d);
	*ret_stats = d->stats;
	ret_stats->heals = 0;
	for (size_t i = 0; i < MAX_ROLES; i++)
		if (d->roles[i].listener)
			ret_stats->heals += listener_heals(d->roles[i].listener);
	dispatch_unlock(d);
}

uint32_t dispatch_slots(struct dispatch *d, Nlq__Role role)
{
	uint32_t n = 0;

	if (role <= 0 || role >= MAX_ROLES)
		return 0;
	dispatch_lock(d);
	n = d->roles[role].n_slots;
	dispatch_unlock(d);
	return n;
}

/*
 * One thread for everything that is due at a time (leases, parks, detached
 * slots, polls, absent workers) and for the pidfds of the agent processes. It
 * sleeps until the earliest due time, a death, or a kick.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

#define SLEEP_MAX_MS 60000

void timer_at(struct dispatch *d, uint64_t due_ms)
{
	if (due_ms >= d->timer_next_ms)
		return;
	d->timer_next_ms = due_ms;
	d->kick = true;
}

/* Acts if the time has come, else keeps it in mind. */
static bool is_due(uint64_t due_ms, uint64_t now, uint64_t *next)
{
	if (due_ms <= now)
		return true;
	if (due_ms < *next)
		*next = due_ms;
	return false;
}

static void slot_due(struct dispatch *d, struct slot *s, uint64_t now)
{
	Nlq__Idle again = NLQ__IDLE__INIT;
	struct role *role = s->instance->role;
	struct job *j = s->job;

	switch (s->state) {
	case SLOT_PARKED:
		dispatch_answer(d, s->call, envelope_simple(NLQ__KIND__IDLE, &again.base));
		slot_unpark(s);
		s->due_ms = now + BETWEEN_MS;
		break;
	case SLOT_DETACHED:
		s->state = SLOT_BETWEEN;
		job_lost(d, j, true, "lost its connection");
		slot_remove(s);
		job_pump(role);
		break;
	default: slot_remove(s);
	}
}

static void instances_due(struct dispatch *d, uint64_t now, uint64_t *next)
{
	struct instance *in, *next_in;
	struct slot *s, *next_slot;

	for (in = TAILQ_FIRST(&d->instances); in; in = next_in) {
		next_in = TAILQ_NEXT(in, link);
		for (s = TAILQ_FIRST(&in->slots); s; s = next_slot) {
			next_slot = TAILQ_NEXT(s, link);
			if (s->state == SLOT_BUSY)
				continue; /* its job's lease counts */
			if (is_due(s->due_ms, now, next)) {
				slot_due(d, s, now);
				*next = now; /* once more: it may have a new due time */
			}
		}
		if (in->control && is_due(in->control_due_ms, now, next))
			control_answer(in);
		instance_free_if_gone(d, in);
	}
}

static void lease_out(struct dispatch *d, struct job *j)
{
	struct slot *s = j->slot;

	/* The slot stays BUSY until it reports; it is told not to bother. */
	s->is_cancelled = false;
	job_lost(d, j, true, "did not answer within its lease");
	if (s->state == SLOT_BUSY)
		control_cancel(s->instance, s->job_id);
	else
		slot_remove(s);
}

/* Nobody serves the role for too long: better an answer than a long wait. */
static void absent_due(struct role *role, uint64_t now, uint64_t *next)
{
	struct dispatch *d = role->d;
	struct queue *q;
	struct job *j;
	struct err e = ERR_INIT;

	if (d->conf.absent_ms == 0 || role->n_slots > 0)
		return;
	while ((q = TAILQ_FIRST(&role->queues))) {
		uint64_t since;

		j = TAILQ_FIRST(&q->jobs);
		since = j->queued_us / 1000;
		if (role->absent_since_ms > since)
			since = role->absent_since_ms;
		if (!is_due(since + d->conf.absent_ms, now, next))
			return;
		err_set(&e, ERR_UNAVAILABLE, PHASE_RPC, "no %s is connected",
		    dispatch_role_name(role->id));
		err_fix(&e, "start one, or look at why it does not stay up: nlq status");
		e.retry = true;
		job_fail(d, j, &e);
	}
}

static void jobs_due(struct role *role, uint64_t now, uint64_t *next)
{
	struct job *j, *next_job;

	for (j = TAILQ_FIRST(&role->running); j; j = next_job) {
		next_job = TAILQ_NEXT(j, link);
		if (is_due(j->lease_due_ms, now, next)) {
			lease_out(role->d, j);
			/* The list may look different now. */
			next_job = TAILQ_FIRST(&role->running);
		}
	}
	job_pump(role);
	absent_due(role, now, next);
}

/* With the mutex held; sets when to wake next. */
static void scan(struct dispatch *d)
{
	uint64_t now = clock_mono_ms(), next = now + SLEEP_MAX_MS;

	/* What is set while scanning must not be lost. */
	d->timer_next_ms = next;
	instances_due(d, now, &next);
	for (size_t i = 0; i < MAX_ROLES; i++)
		if (d->roles[i].listener)
			jobs_due(&d->roles[i], now, &next);
	if (next < d->timer_next_ms)
		d->timer_next_ms = next;
	d->kick = false;
}

/* Fills fds with the kick and all pidfds; with the mutex held. */
static nfds_t watch(struct dispatch *d, struct pollfd *fds)
{
	struct instance *in;
	nfds_t n = 0;

	fds[n++] = (struct pollfd){.fd = d->kick_fd, .events = POLLIN};
	TAILQ_FOREACH(in, &d->instances, link)
	if (in->pidfd >= 0)
		fds[n++] = (struct pollfd){.fd = in->pidfd, .events = POLLIN};
	return n;
}

static void bury(struct dispatch *d, const struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 1; i < n; i++) {
		struct instance *in;

		if (!(fds[i].revents & (POLLIN | POLLHUP)))
			continue;
		/* The number may be another process's by now: ask again. */
		TAILQ_FOREACH(in, &d->instances, link)
		if (in->pidfd == fds[i].fd)
			break;
		if (in && poll(&(struct pollfd){.fd = in->pidfd, .events = POLLIN}, 1, 0) == 1)
			instance_died(d, in);
	}
}

static void *run(void *arg)
{
	struct dispatch *d = arg;
	struct pollfd fds[MAX_INSTANCES + 1];
	uint64_t count;
	nfds_t n;

	dispatch_lock(d);
	while (!d->closing) {
		scan(d);
		n = watch(d, fds);
		uint32_t sleep_ms = clock_left_ms(d->timer_next_ms);

		dispatch_unlock(d);
		(void)poll(fds, n, (int)sleep_ms + 1);
		if (fds[0].revents & POLLIN)
			(void)!read(d->kick_fd, &count, sizeof(count));
		dispatch_lock(d);
		bury(d, fds, n);
	}
	dispatch_unlock(d);
	return NULL;
}

int timer_start(struct dispatch *d, struct err *e)
{
	d->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->kick_fd < 0 || pthread_create(&d->timer, NULL, run, d))
		return err_set(e, ERR_NOMEM, PHASE_RPC, "cannot start a thread");
	d->has_timer = true;
	return 0;
}

void timer_stop(struct dispatch *d)
{
	if (!d->has_timer)
		return;
	dispatch_lock(d);
	d->closing = true;
	d->kick = true;
	dispatch_unlock(d);
	pthread_join(d->timer, NULL);
	d->has_timer = false;
}

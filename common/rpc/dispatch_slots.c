/* Who is there: pipes, agent processes and their slots. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

struct pipe *pipe_find(struct dispatch *d, uint32_t id)
{
	struct pipe *p = d->pipes[id % PIPE_BUCKETS];

	while (p && p->id != id)
		p = p->next;
	return p;
}

/* A process whose connection broke and that dials again is alive: what it had in
 * hand stays its own. */
static void reattach(struct dispatch *d, uint32_t pid)
{
	struct instance *in;
	struct slot *s;

	TAILQ_FOREACH(in, &d->instances, link)
	{
		if (in->pid != pid)
			continue;
		TAILQ_FOREACH(s, &in->slots, link)
		if (s->state == SLOT_DETACHED)
			s->state = SLOT_BUSY;
	}
}

void pipe_added(uint32_t id, NLQ_UNUSED uint64_t uid, uint32_t pid, void *arg)
{
	struct dispatch *d = ((struct role *)arg)->d;
	struct pipe *p = calloc(1, sizeof(*p));

	if (!p)
		return; /* its READYs are dropped, it will try again */
	p->id = id;
	p->pid = pid;
	dispatch_lock(d);
	p->next = d->pipes[id % PIPE_BUCKETS];
	d->pipes[id % PIPE_BUCKETS] = p;
	reattach(d, pid);
	dispatch_unlock(d);
}

static void forget_pipe(struct dispatch *d, uint32_t id)
{
	struct pipe **at = &d->pipes[id % PIPE_BUCKETS];

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	if (*at) {
		struct pipe *p = *at;

		*at = p->next;
		free(p);
	}
}

void instance_free_if_gone(struct dispatch *d, struct instance *in)
{
	if (TAILQ_EMPTY(&in->slots) && !in->control_pipe)
		instance_free(d, in);
}

static bool is_claimed(const struct dispatch *d, uint32_t pipe)
{
	const struct instance *in;
	const struct slot *s;

	TAILQ_FOREACH(in, &d->instances, link)
	{
		if (pipe == in->control_pipe)
			return true;
		TAILQ_FOREACH(s, &in->slots, link)
		if (s->pipe == pipe)
			return true;
	}
	return false;
}

/* The process has dialed anew already: the removal of the old pipe came late. */
static bool has_fresh_pipe(struct dispatch *d, const struct instance *in)
{
	for (size_t i = 0; i < PIPE_BUCKETS; i++)
		for (const struct pipe *p = d->pipes[i]; p; p = p->next)
			if (p->pid == in->pid && !p->is_dead && !is_claimed(d, p->id))
				return true;
	return false;
}

static void slot_pipe_gone(struct dispatch *d, struct slot *s)
{
	s->pipe = 0;
	if (s->state == SLOT_BUSY && s->job) {
		if (has_fresh_pipe(d, s->instance))
			return;
		s->state = SLOT_DETACHED;
		s->due_ms = clock_mono_ms() + d->conf.detach_ms;
		timer_at(d, s->due_ms);
	} else {
		slot_remove(s);
	}
}

void pipe_removed(uint32_t id, void *arg)
{
	struct dispatch *d = ((struct role *)arg)->d;
	struct instance *in, *next_in;
	struct slot *s, *next;

	dispatch_lock(d);
	forget_pipe(d, id);
	for (in = TAILQ_FIRST(&d->instances); in && !d->closing; in = next_in) {
		next_in = TAILQ_NEXT(in, link);
		for (s = TAILQ_FIRST(&in->slots); s; s = next) {
			next = TAILQ_NEXT(s, link);
			if (s->pipe == id)
				slot_pipe_gone(d, s);
		}
		if (in->control_pipe == id) {
			in->control_pipe = 0;
			if (in->control)
				dispatch_answer(d, in->control, NULL);
			in->control = NULL;
		}
		instance_free_if_gone(d, in);
	}
	dispatch_unlock(d);
}

static struct instance *instance_find(struct role *role, const ProtobufCBinaryData *id)
{
	struct instance *in;

	if (id->len != WIRE_ID_LEN)
		return NULL;
	TAILQ_FOREACH(in, &role->d->instances, link)
	if (in->role == role && memcmp(in->id, id->data, WIRE_ID_LEN) == 0)
		return in;
	return NULL;
}

static struct slot *slot_numbered(struct instance *in, uint32_t number)
{
	struct slot *s;

	TAILQ_FOREACH(s, &in->slots, link)
	if (s->number == number)
		return s;
	return NULL;
}

struct slot *slot_find(struct role *role, const Nlq__Ready *who)
{
	struct instance *in = instance_find(role, &who->instance);

	return in ? slot_numbered(in, who->slot) : NULL;
}

struct instance *instance_get(
    struct role *role, struct pipe *p, const ProtobufCBinaryData *id, struct err *e)
{
	struct dispatch *d = role->d;
	struct instance *in;

	if (id->len != WIRE_ID_LEN) {
		err_set(e, ERR_PROTOCOL, PHASE_RPC,
		    "bad message: the instance id has the wrong length");
		return NULL;
	}
	in = instance_find(role, id);
	if (in && in->pid != p->pid) {
		err_set(e, ERR_PROTOCOL, PHASE_RPC, "the instance id belongs to another process");
		return NULL;
	}
	if (in)
		return in;
	if (d->n_instances == MAX_INSTANCES || !(in = calloc(1, sizeof(*in)))) {
		err_set(e, ERR_BUSY, PHASE_RPC, "too many agent processes, the limit is %d",
		    MAX_INSTANCES);
		return NULL;
	}
	memcpy(in->id, id->data, WIRE_ID_LEN);
	in->role = role;
	in->pid = p->pid;
	in->pidfd = p->pid ? (int)syscall(SYS_pidfd_open, (pid_t)p->pid, 0) : -1;
	TAILQ_INIT(&in->slots);
	TAILQ_INSERT_TAIL(&d->instances, in, link);
	d->n_instances++;
	d->kick = true; /* the timer thread watches its pidfd from now on */
	return in;
}

void instance_set_held(struct instance *in, size_t n, const ProtobufCBinaryData *held)
{
	in->n_held = 0;
	for (size_t i = 0; i < n && in->n_held < MAX_HELD; i++)
		if (held[i].len == HASH_LEN)
			memcpy(in->held[in->n_held++].bytes, held[i].data, HASH_LEN);
}

bool instance_holds(const struct instance *in, const struct hash *h)
{
	for (size_t i = 0; i < in->n_held; i++)
		if (hash_equal(&in->held[i], h))
			return true;
	return false;
}

void instance_free(struct dispatch *d, struct instance *in)
{
	while (!TAILQ_EMPTY(&in->slots))
		slot_remove(TAILQ_FIRST(&in->slots));
	if (in->control)
		dispatch_answer(d, in->control, NULL);
	if (in->pidfd >= 0)
		close(in->pidfd);
	TAILQ_REMOVE(&d->instances, in, link);
	d->n_instances--;
	d->kick = true; /* the timer thread must not watch a closed descriptor */
	free(in);
}

void instance_died(struct dispatch *d, struct instance *in)
{
	struct role *role = in->role;
	struct slot *s;

	for (size_t i = 0; i < PIPE_BUCKETS; i++)
		for (struct pipe *p = d->pipes[i]; p; p = p->next)
			if (p->pid == in->pid)
				p->is_dead = true;
	TAILQ_FOREACH(s, &in->slots, link)
	{
		if (s->job) {
			struct job *j = s->job;

			/* Not BUSY: a corpse needs no order to stop. */
			s->state = SLOT_BETWEEN;
			job_lost(d, j, true, "died");
		}
	}
	instance_free(d, in);
	job_pump(role);
}

struct slot *slot_get(struct instance *in, uint32_t number, struct err *e)
{
	struct role *role = in->role;
	struct slot *s = slot_numbered(in, number);

	if (s)
		return s;
	if (in->n_slots == MAX_SLOTS || !(s = calloc(1, sizeof(*s)))) {
		err_set(e, ERR_BUSY, PHASE_RPC, "too many slots, the limit is %d", MAX_SLOTS);
		return NULL;
	}
	s->instance = in;
	s->number = number;
	s->state = SLOT_BETWEEN;
	s->due_ms = UINT64_MAX;
	TAILQ_INSERT_TAIL(&in->slots, s, link);
	in->n_slots++;
	role->n_slots++;
	return s;
}

void slot_unpark(struct slot *s)
{
	TAILQ_REMOVE(&s->instance->role->parked, s, parked);
	s->state = SLOT_BETWEEN;
	s->due_ms = UINT64_MAX;
	s->call = NULL;
}

void slot_park(struct slot *s, uint32_t pipe, struct listener_call *c)
{
	struct instance *in = s->instance;
	struct role *role = in->role;
	struct dispatch *d = role->d;
	Nlq__Idle stop = NLQ__IDLE__INIT;

	s->pipe = pipe;
	if (in->is_draining) {
		stop.has_stop = stop.stop = true;
		dispatch_answer(d, c, envelope_simple(NLQ__KIND__IDLE, &stop.base));
		slot_remove(s);
		return;
	}
	s->state = SLOT_PARKED;
	s->call = c;
	s->due_ms = clock_mono_ms() + d->conf.park_ms;
	TAILQ_INSERT_TAIL(&role->parked, s, parked);
	timer_at(d, s->due_ms);
	job_pump(role);
}

void slot_remove(struct slot *s)
{
	struct instance *in = s->instance;
	struct role *role = in->role;
	struct listener_call *c = s->state == SLOT_PARKED ? s->call : NULL;

	if (c) {
		slot_unpark(s);
		dispatch_answer(role->d, c, NULL);
	}
	TAILQ_REMOVE(&in->slots, s, link);
	in->n_slots--;
	if (--role->n_slots == 0)
		role->absent_since_ms = clock_mono_ms();
	free(s);
}

/*
 * Fair admission. Principals with something waiting or running are in a list;
 * the one that was just served goes to its end, so that a flood of one cannot
 * delay another by more than the requests that already run.
 */
#include "orchestrator/admit.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
	struct entry *next;
	void *item;
};

struct principal {
	struct principal *next;
	uint32_t uid, running, waiting;
	struct entry *head, **tail;
};

struct admit {
	struct admit_conf conf;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct principal *list;
	uint32_t running, waiting;
	bool is_closed;
};

int admit_new(const struct admit_conf *conf, struct admit **ret_admit, struct err *e)
{
	struct admit *a = calloc(1, sizeof(*a));

	if (!a)
		return err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	a->conf = *conf;
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->wake, NULL);
	*ret_admit = a;
	return 0;
}

void admit_free(struct admit *a)
{
	if (!a)
		return;
	while (a->list) {
		struct principal *p = a->list;

		a->list = p->next;
		free(p);
	}
	pthread_cond_destroy(&a->wake);
	pthread_mutex_destroy(&a->mutex);
	free(a);
}

static struct principal *principal_of(struct admit *a, uint32_t uid)
{
	struct principal **at = &a->list;

	for (; *at; at = &(*at)->next) {
		if ((*at)->uid == uid)
			return *at;
	}
	struct principal *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->uid = uid;
	p->tail = &p->head;
	*at = p;
	return p;
}

static void principal_drop_idle(struct admit *a, struct principal *p)
{
	if (p->running || p->waiting)
		return;
	for (struct principal **at = &a->list; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			free(p);
			return;
		}
	}
}

int admit_push(struct admit *a, uint32_t uid, void *item, struct err *e)
{
	struct entry *n = calloc(1, sizeof(*n));
	struct principal *p;
	int rc = 0;

	if (!n)
		return err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	n->item = item;
	pthread_mutex_lock(&a->mutex);
	p = principal_of(a, uid);
	if (!p) {
		rc = err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	} else if (a->is_closed) {
		rc = err_set(e, ERR_UNAVAILABLE, PHASE_REQUEST, "the orchestrator is stopping");
		err_fix(e, "ask again when it is running");
	} else if (p->running + p->waiting >=
	    a->conf.running_per_principal + a->conf.waiting_per_principal) {
		/* The sum: what may run at once waits too, for a thread to wake up. */
		rc = err_set(e, ERR_BUSY, PHASE_REQUEST,
		    "%u of your requests are running and %u are waiting, which is the limit",
		    p->running, p->waiting);
		err_fix(e, "wait for an answer, then ask again");
	}
	if (rc) {
		if (e)
			e->retry = true;
		if (p)
			principal_drop_idle(a, p);
		free(n);
	} else {
		*p->tail = n;
		p->tail = &n->next;
		p->waiting++;
		a->waiting++;
		pthread_cond_signal(&a->wake);
	}
	pthread_mutex_unlock(&a->mutex);
	return rc;
}

/* First principal of the list that may run something; it goes to the end. */
static struct principal *next_principal(struct admit *a)
{
	if (a->running >= a->conf.running_max)
		return NULL;
	for (struct principal **at = &a->list; *at; at = &(*at)->next) {
		struct principal *p = *at;

		if (!p->waiting || p->running >= a->conf.running_per_principal)
			continue;
		*at = p->next;
		p->next = NULL;
		for (at = &a->list; *at; at = &(*at)->next)
			;
		*at = p;
		return p;
	}
	return NULL;
}

void *admit_take(struct admit *a)
{
	void *item = NULL;

	pthread_mutex_lock(&a->mutex);
	for (;;) {
		struct principal *p = next_principal(a);

		if (p) {
			struct entry *n = p->head;

			p->head = n->next;
			if (!p->head)
				p->tail = &p->head;
			p->waiting--;
			a->waiting--;
			p->running++;
			a->running++;
			item = n->item;
			free(n);
			break;
		}
		if (a->is_closed && !a->waiting)
			break;
		pthread_cond_wait(&a->wake, &a->mutex);
	}
	pthread_mutex_unlock(&a->mutex);
	return item;
}

/* One place is free, so at most one more item can start; at the end everybody
 * must look. Waking all each time would cost more than the requests' own work. */
static void wake_for_place(struct admit *a)
{
	if (a->is_closed)
		pthread_cond_broadcast(&a->wake);
	else if (a->waiting)
		pthread_cond_signal(&a->wake);
}

void admit_done(struct admit *a, uint32_t uid)
{
	struct principal *p;

	pthread_mutex_lock(&a->mutex);
	p = principal_of(a, uid);
	if (p && p->running) {
		p->running--;
		a->running--;
		principal_drop_idle(a, p);
	}
	wake_for_place(a);
	pthread_mutex_unlock(&a->mutex);
}

bool admit_remove(struct admit *a, const void *item)
{
	bool found = false;

	pthread_mutex_lock(&a->mutex);
	for (struct principal *p = a->list; p && !found; p = p->next) {
		for (struct entry **at = &p->head; *at; at = &(*at)->next) {
			struct entry *n = *at;

			if (n->item != item)
				continue;
			*at = n->next;
			if (!n->next)
				p->tail = at;
			free(n);
			p->waiting--;
			a->waiting--;
			found = true;
			principal_drop_idle(a, p);
			break;
		}
		if (found)
			break;
	}
	wake_for_place(a);
	pthread_mutex_unlock(&a->mutex);
	return found;
}

void admit_close(struct admit *a)
{
	pthread_mutex_lock(&a->mutex);
	a->is_closed = true;
	pthread_cond_broadcast(&a->wake);
	pthread_mutex_unlock(&a->mutex);
}

void admit_counts(struct admit *a, uint32_t *ret_running, uint32_t *ret_waiting)
{
	pthread_mutex_lock(&a->mutex);
	*ret_running = a->running;
	*ret_waiting = a->waiting;
	pthread_mutex_unlock(&a->mutex);
}

/*
 * Who may be served now: a bounded queue per principal, served in turn, in
 * front of a bounded pool of threads. Counts requests, not queries (those are
 * dispatch's per_source_max). Items are opaque; nothing here blocks but
 * admit_take.
 */
#ifndef NLQ_ADMIT_H
#define NLQ_ADMIT_H

#include "common/base/err.h"

struct admit;

struct admit_conf {
	uint32_t running_max; /* of all principals together */
	uint32_t running_per_principal;
	uint32_t waiting_per_principal;
};

int admit_new(const struct admit_conf *conf, struct admit **ret_admit, struct err *e);
void admit_free(struct admit *a); /* the queues must be empty; NULL is fine */

/* Queues the item (borrowed until taken or removed). ERR_BUSY at once when the
 * principal has as many as may run and wait together, ERR_UNAVAILABLE after
 * admit_close. */
int admit_push(struct admit *a, uint32_t uid, void *item, struct err *e);
/* The next item whose principal may run, or NULL once closed and empty. Every
 * taken item is given back by admit_done with its uid. */
void *admit_take(struct admit *a);
void admit_done(struct admit *a, uint32_t uid);
/* Takes a waiting item out of the queue; false if it is not there (any more). */
bool admit_remove(struct admit *a, const void *item);
/* No more pushes; what waits is still handed out. */
void admit_close(struct admit *a);
void admit_counts(struct admit *a, uint32_t *ret_running, uint32_t *ret_waiting);

#endif

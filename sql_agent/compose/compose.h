/*
 * The built-in generator: from a grounding to one query, without a model. It is
 * deterministic (no clock, no locale, no randomness): the same grounding and
 * history give the same bytes. It knows only what the grounding says; where
 * that does not explain the question it declines and names what is missing.
 *
 * Stages: view -> items -> resolve -> roles (-> finish) -> ir -> emit -> score.
 */
#ifndef NLQ_COMPOSE_H
#define NLQ_COMPOSE_H

#include "common/model/grounding.h"
#include "common/model/resultset.h"

struct compose_past { /* an earlier step of this request */
	const char *sql;
	const char *purpose;
	const struct resultset *result; /* or */
	const struct err *error;
};

enum compose_kind { COMPOSE_CANDIDATE, COMPOSE_DECLINE, COMPOSE_CLARIFY };

struct compose_reply {
	struct arena arena;
	enum compose_kind kind;
	/* CANDIDATE */
	const char *sql;
	const char *purpose; /* one line for people */
	double confidence;   /* 0..1; also set for DECLINE */
	bool more;           /* a further step needs this one's result */
	struct semantic_names assumptions;
	/* DECLINE */
	const char *reason;
	struct semantic_names unmapped, near;
	/* CLARIFY */
	const char *question;
	struct semantic_names options;
	/* for people who develop: the intermediate form */
	const char *trace;
};

/* floor: confidence below which it declines. 0 with a reply (free it with
 * compose_reply_free), or an error that is not the question's fault. */
int compose_step(const struct grounding *g, const struct compose_past *past, size_t n_past,
    double floor, struct compose_reply **ret_reply, struct err *e);
void compose_reply_free(struct compose_reply *r); /* NULL is fine */

#endif

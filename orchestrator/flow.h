/*
 * One question from catalog to outcome: an explicit state machine. flow.c holds
 * the table and the loop, flow_states.c what is done in each state. Limits are
 * here, in code: no agent can lengthen a request.
 *
 * Exactly one outcome comes out: answered, described, declined, clarify or failed.
 */
#ifndef NLQ_FLOW_H
#define NLQ_FLOW_H

#include "orchestrator/about.h"
#include "orchestrator/agents.h"
#include "orchestrator/catalogs.h"

enum flow_state {
	FLOW_CATALOG, /* the source's catalog, from the cache or described */
	FLOW_REFRESH, /* it is out of date: describe again, begin anew */
	FLOW_GROUND,  /* which tables, columns, terms, values */
	FLOW_VALUES,  /* look values up in columns too large for the catalog */
	FLOW_STEP,    /* the next query */
	FLOW_RUN,     /* check and run it */
	FLOW_VERIFY,  /* is this what was asked */
	FLOW_EXPLAIN, /* no rows: which condition removes them */
	FLOW_RECHECK, /* before a decline: is the catalog still true */
	FLOW_ANSWER,
	FLOW_DESCRIBE, /* the question is about the schema: from the catalog */
	FLOW_DECLINE,
	FLOW_CLARIFY,
	FLOW_FAIL,
	FLOW_END,
	FLOW_STATES,
};

enum flow_event {
	FLOW_OK,
	FLOW_ABOUT, /* the question is about the schema itself */
	FLOW_NEED_VALUES,
	FLOW_INSUFFICIENT,
	FLOW_AMBIGUOUS,
	FLOW_CANDIDATE,
	FLOW_MORE,      /* the query ran; a further one needs its result */
	FLOW_EMPTY,     /* accepted, but there are no rows */
	FLOW_OUTSIDE,   /* uses a table that was not grounded */
	FLOW_REPAIR,    /* refused or sent back, and another try is left */
	FLOW_STALE,     /* the data changed under the catalog */
	FLOW_EXHAUSTED, /* steps or repairs used up, or the same query again */
	FLOW_REFUSED,   /* cannot be vouched for */
	FLOW_ERROR,     /* the error is in flow->err */
	FLOW_EVENTS,
};

/* The table. FLOW_END as next of a state other than the five outcomes means
 * that the event cannot happen there (an internal error). */
enum flow_state flow_next(enum flow_state state, enum flow_event event);
const char *flow_state_name(enum flow_state state);

#define FLOW_STEPS_MAX 32
#define FLOW_TODAY_LEN 11

struct flow_step {
	const char *sql, *purpose;
	bool has_rows; /* else err says why not */
	struct agent_rows rows;
	struct err err;
	bool is_superseded; /* sent back by the verifier or overtaken */
	bool is_more;       /* an intermediate query */
};

struct flow_limits {
	uint32_t steps, repairs;
};

struct flow {
	/* set by the caller */
	struct call_ctx *x;
	struct catalogs *catalogs;
	struct flow_limits limits;
	const char *question;
	char today[FLOW_TODAY_LEN];
	struct semantic_names only_tables;
	float floor; /* 0: the generator's own */
	/* Progress: called on the flow's thread; text may be "". */
	void (*progress)(void *arg, const char *step, const char *text);
	void *progress_arg;

	/* the outcome */
	enum flow_state outcome; /* ANSWER, DESCRIBE, DECLINE, CLARIFY or FAIL */
	struct err err;          /* all but ANSWER, DESCRIBE */
	const char
	    *text; /* describe: the answer; decline: what was searched; clarify: the question */
	struct semantic_names options;
	struct agent_grounding grounding;
	bool has_grounding;
	struct flow_step steps[FLOW_STEPS_MAX];
	size_t n_steps;
	struct agent_step candidate;
	struct verdict *verdict; /* NULL: never verified */
	const char *empty_note;  /* why there are no rows; NULL */
	double stage_ms[FLOW_STATES];

	/* how it stands */
	struct about about; /* what the question is about, by the catalog in hand */
	struct catalog_entry *entry;
	bool is_fresh; /* the entry was described in this request */
	bool has_refreshed, has_regrounded, has_values;
	struct agent_hits values;
	uint32_t n_repairs;
	struct semantic_names revise;
};

/* Runs to the end. Frees nothing: flow_done does. */
void flow_run(struct flow *f);
void flow_done(struct flow *f);
/* The last query that counts, or NULL. */
const struct flow_step *flow_last(const struct flow *f);

/* flow_states.c: one function per state, returning the event. */
typedef enum flow_event flow_state_fn(struct flow *f);
extern flow_state_fn *const flow_states[FLOW_STATES];

#endif

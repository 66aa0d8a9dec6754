/* The table of the flow, and the loop that follows it. */
#include "orchestrator/flow.h"

#include "common/base/clock.h"

/* A request that went round more often than this has a fault in the table. */
#define TURNS_MAX 200

static const struct {
	enum flow_state state;
	enum flow_event event;
	enum flow_state next;
} table[] = {
    {FLOW_CATALOG, FLOW_OK, FLOW_GROUND},
    {FLOW_CATALOG, FLOW_ABOUT, FLOW_DESCRIBE},
    {FLOW_CATALOG, FLOW_STALE, FLOW_REFRESH},
    {FLOW_CATALOG, FLOW_ERROR, FLOW_FAIL},

    {FLOW_REFRESH, FLOW_OK, FLOW_GROUND},
    {FLOW_REFRESH, FLOW_ABOUT, FLOW_DESCRIBE},
    {FLOW_REFRESH, FLOW_ERROR, FLOW_FAIL},

    {FLOW_GROUND, FLOW_OK, FLOW_STEP},
    {FLOW_GROUND, FLOW_NEED_VALUES, FLOW_VALUES},
    {FLOW_GROUND, FLOW_INSUFFICIENT, FLOW_RECHECK},
    {FLOW_GROUND, FLOW_AMBIGUOUS, FLOW_CLARIFY},
    {FLOW_GROUND, FLOW_ERROR, FLOW_FAIL},

    {FLOW_VALUES, FLOW_OK, FLOW_GROUND},
    {FLOW_VALUES, FLOW_ERROR, FLOW_FAIL},

    {FLOW_STEP, FLOW_CANDIDATE, FLOW_RUN},
    {FLOW_STEP, FLOW_REFUSED, FLOW_RECHECK},
    {FLOW_STEP, FLOW_AMBIGUOUS, FLOW_CLARIFY},
    {FLOW_STEP, FLOW_OUTSIDE, FLOW_GROUND},
    {FLOW_STEP, FLOW_EXHAUSTED, FLOW_DECLINE},
    {FLOW_STEP, FLOW_ERROR, FLOW_FAIL},

    {FLOW_RUN, FLOW_OK, FLOW_VERIFY},
    {FLOW_RUN, FLOW_MORE, FLOW_STEP},
    {FLOW_RUN, FLOW_REPAIR, FLOW_STEP},
    {FLOW_RUN, FLOW_OUTSIDE, FLOW_GROUND},
    {FLOW_RUN, FLOW_STALE, FLOW_REFRESH},
    {FLOW_RUN, FLOW_EXHAUSTED, FLOW_FAIL},
    {FLOW_RUN, FLOW_ERROR, FLOW_FAIL},

    {FLOW_VERIFY, FLOW_OK, FLOW_ANSWER},
    {FLOW_VERIFY, FLOW_EMPTY, FLOW_EXPLAIN},
    {FLOW_VERIFY, FLOW_REPAIR, FLOW_STEP},
    {FLOW_VERIFY, FLOW_OUTSIDE, FLOW_GROUND},
    {FLOW_VERIFY, FLOW_REFUSED, FLOW_RECHECK},
    {FLOW_VERIFY, FLOW_EXHAUSTED, FLOW_DECLINE},
    {FLOW_VERIFY, FLOW_AMBIGUOUS, FLOW_CLARIFY},
    {FLOW_VERIFY, FLOW_ERROR, FLOW_FAIL},

    {FLOW_EXPLAIN, FLOW_OK, FLOW_ANSWER},
    {FLOW_EXPLAIN, FLOW_ERROR, FLOW_FAIL},

    {FLOW_RECHECK, FLOW_OK, FLOW_DECLINE},
    {FLOW_RECHECK, FLOW_STALE, FLOW_REFRESH},
    {FLOW_RECHECK, FLOW_ERROR, FLOW_FAIL},

    {FLOW_ANSWER, FLOW_OK, FLOW_END},
    {FLOW_DESCRIBE, FLOW_OK, FLOW_END},
    {FLOW_DECLINE, FLOW_OK, FLOW_END},
    {FLOW_CLARIFY, FLOW_OK, FLOW_END},
    {FLOW_FAIL, FLOW_OK, FLOW_END},
};

static const char *const names[FLOW_STATES] = {
    [FLOW_CATALOG] = "catalog",
    [FLOW_REFRESH] = "refresh",
    [FLOW_GROUND] = "ground",
    [FLOW_VALUES] = "values",
    [FLOW_STEP] = "step",
    [FLOW_RUN] = "run",
    [FLOW_VERIFY] = "verify",
    [FLOW_EXPLAIN] = "explain",
    [FLOW_RECHECK] = "recheck",
    [FLOW_ANSWER] = "answer",
    [FLOW_DESCRIBE] = "describe",
    [FLOW_DECLINE] = "decline",
    [FLOW_CLARIFY] = "clarify",
    [FLOW_FAIL] = "fail",
    [FLOW_END] = "end",
};

const char *flow_state_name(enum flow_state state)
{
	return names[state];
}

enum flow_state flow_next(enum flow_state state, enum flow_event event)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].state == state && table[i].event == event)
			return table[i].next;
	}
	return FLOW_END;
}

static bool is_outcome(enum flow_state state)
{
	return state == FLOW_ANSWER || state == FLOW_DESCRIBE || state == FLOW_DECLINE ||
	    state == FLOW_CLARIFY || state == FLOW_FAIL;
}

void flow_run(struct flow *f)
{
	enum flow_state state = FLOW_CATALOG;
	unsigned turns = 0;

	while (!is_outcome(state)) {
		uint64_t start_us = clock_mono_us();
		enum flow_event event = flow_states[state](f);
		enum flow_state next = flow_next(state, event);

		f->stage_ms[state] += (double)(clock_mono_us() - start_us) / 1000;
		if (next == FLOW_END || ++turns > TURNS_MAX) {
			err_set(&f->err, ERR_INTERNAL, PHASE_REQUEST,
			    "the flow has no way on from %s (event %d)", names[state], event);
			next = FLOW_FAIL;
		} else if (!is_outcome(next) && clock_mono_ms() >= f->x->deadline_ms) {
			err_set(&f->err, ERR_TIMEOUT, PHASE_REQUEST,
			    "the time of this request ran out after \"%s\"", names[state]);
			err_fix(&f->err, "ask something narrower, or allow more time (--timeout)");
			next = FLOW_FAIL;
		}
		state = next;
	}
	flow_states[state](f);
	f->outcome = state;
}

const struct flow_step *flow_last(const struct flow *f)
{
	for (size_t i = f->n_steps; i-- > 0;) {
		if (f->steps[i].has_rows && !f->steps[i].is_superseded)
			return &f->steps[i];
	}
	return NULL;
}

void flow_done(struct flow *f)
{
	verdict_free(f->verdict);
	f->verdict = NULL;
	catalogs_put(f->catalogs, f->entry);
	f->entry = NULL;
	agents_done(f->x);
}

/*
 * How sure the composer is: hand-set weights for what speaks against its
 * reading. score.c holds them in one table; a later issue fits them.
 */
#ifndef NLQ_COMPOSE_SCORE_H
#define NLQ_COMPOSE_SCORE_H

#include "sql_agent/compose/emit.h"
#include "sql_agent/compose/roles.h"

enum score_feature {
	SCORE_UNKNOWN_HEAD, /* a word that nothing explains where a measure or entity belongs */
	SCORE_UNKNOWN,      /* another such word */
	SCORE_UNUSED_VALUE, /* value, number, period, quoted text left over */
	SCORE_UNUSED_COLUMN,
	SCORE_UNUSED_TABLE,
	SCORE_FAILED_RULE,
	SCORE_JOINS,   /* each */
	SCORE_BRIDGES, /* each table that is joined though nothing of it is read */
	SCORE_AMBIGUOUS_JOIN,
	SCORE_WEAK_LINK,    /* 1 - the lowest score of a used target */
	SCORE_CLOSE_CHOICE, /* a target chosen by a hair */
	SCORE_DEFAULT_OUTPUT,
	SCORE_TOUCHED,  /* each table named in passing that became a join */
	SCORE_DISTINCT, /* repeated rows are dropped though nobody asked */
	SCORE_EXISTS,   /* each membership test */
	SCORE_HAVING,
	SCORE_RANKED_COUNT, /* ordered by a number of rows */
	SCORE_SET,          /* set operation or calculation */
	SCORE_OUTPUTS,      /* each output beyond the second */
	SCORE_CONDITIONS,   /* each condition beyond the first */
	SCORE_NO_TABLE,     /* the grounding found nothing above its floor */
	SCORE_OUT_OF_DATA,  /* a period that the data do not reach */
	SCORE_FEATURES,
};

struct score {
	float features[SCORE_FEATURES];
	double confidence;
	struct semantic_names unmapped; /* words, in the question's spelling */
	const char *out_of_data;        /* one line; NULL */
};

const char *score_feature_name(enum score_feature f);
void score_ir(struct roles *r, const struct emit *em, struct score *ret_score);

#endif

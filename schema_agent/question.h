/*
 * A question while it is being grounded: tokens, what each token may mean, and
 * the candidates from which spans are chosen. Table and column numbers are
 * those of the whole catalog; ground.c maps them to the sub-catalog at the end.
 */
#ifndef NLQ_SCHEMA_QUESTION_H
#define NLQ_SCHEMA_QUESTION_H

#include "common/text/cue.h"
#include "common/text/token.h"
#include "schema_agent/ground.h"
#include "schema_agent/index.h"

/* Order in which overlapping candidates are chosen; within a class the longer,
 * then the better one first. */
enum candidate_class {
	CLASS_QUOTED,
	CLASS_PERIOD,
	CLASS_NAME_WHOLE,   /* whole name of several words, or CJK characters */
	CLASS_VALUE_STRONG, /* several words, capital letter, CJK */
	CLASS_CUE,
	CLASS_NUMBER,    /* digits, perhaps with a unit */
	CLASS_NAME_NEAR, /* most of a name of several words */
	CLASS_NAME,      /* one word that is a whole name */
	CLASS_LOOSE,     /* one lower-case word of a value; part of a name */
	CLASS_NUMBER_WORD,
	CLASS_STOP,
};

struct candidate {
	uint32_t from, to; /* tokens */
	enum candidate_class cls;
	enum span_kind kind;
	float score;
	struct span_target *targets;
	size_t n_targets;
	uint32_t cue, cue_arg;
	uint32_t quantity, period;
	bool unfounded;     /* an adjective whose column the schema lacks */
	uint32_t open_term; /* a term whose variants nothing decides; else TARGET_NONE */
};

/* A word of the index that a token may stand for. */
struct token_match {
	uint32_t word;
	float sim;
	enum target_how how;
};
struct token_info {
	struct token_match *matches;
	size_t n_matches;
	bool is_stop;
	bool counts; /* a content word for the keyword score */
};

struct token_range {
	uint32_t from, to;
};

struct question {
	struct arena *arena;
	const struct ground_index *ix;
	const struct ground_options *o;
	const char *text;
	struct token_list tokens;
	struct token_info *info; /* per token */
	bool *in_scope;          /* per table: may be named */
	bool *literal;           /* per table: named in full; set after ranking */
	bool is_chinese;         /* more CJK characters than words */
	struct candidate *candidates;
	size_t n_candidates;
	struct token_range *scope_words; /* words that picked a term's variant */
	size_t n_scope_words;
	struct quantity *quantities;
	size_t n_quantities;
	struct period *periods;
	size_t n_periods;
};

struct candidate *candidate_add(struct question *q, uint32_t from, uint32_t to,
    enum candidate_class cls, enum span_kind kind, float score);
void candidate_target(struct question *q, struct candidate *c, const struct span_target *t);

/* Tokens and their matches in the index (match.c). */
void question_match(struct question *q);
/* Candidates by what they name, for tables in scope (match_name.c,
 * match_value.c, match_text.c). */
void question_names(struct question *q);
void question_values(struct question *q);
/* What is left uncovered, as a part of longer values. */
bool question_value_part(
    struct question *q, uint32_t from, uint32_t to, struct candidate *ret_candidate);
/* The same with a spelling mistake or without accents: capitalised words that are
 * near to exactly one stored value. */
bool question_value_spelling(
    struct question *q, uint32_t from, uint32_t to, struct candidate *ret_candidate);
void question_texts(struct question *q); /* cues, periods, quantities, stop words */

/* Adds the columns that attribute words ("age, birth date") name, earlier words
 * better, best first (match_cue.c). */
void question_hints(struct question *q, struct candidate *c, const char *words, size_t len);

/* Chooses among the candidates and writes spans, quantities, periods, missing,
 * ambiguities, language into the grounding. Targets still lie in the question's
 * arena and their indexes are those of the whole catalog (link.c). */
void question_link(struct question *q, struct grounding *g);
/* Names near to the words in g->missing, and set-aside tables that have them. */
void question_near(struct question *q, struct grounding *g);

#endif

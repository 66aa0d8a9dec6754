/*
 * Role assignment: one pass over the items from left to right. At each item the
 * rules of a table are tried in order; the first that applies writes into the
 * IR, marks what it used and says how many items it took. English and Chinese
 * share the rules: a rule looks to both sides, because a superlative, a count
 * or an aggregate stands before its column in English and behind it in Chinese.
 *
 * What a word left behind for a later one (a superlative that waits for its
 * column, a negation for its condition) is the state in struct roles.
 */
#ifndef NLQ_COMPOSE_ROLES_H
#define NLQ_COMPOSE_ROLES_H

#include "sql_agent/compose/ir.h"
#include "sql_agent/compose/items.h"

enum role_mode {
	ROLE_SELECT, /* columns are asked for */
	ROLE_FILTER, /* columns are conditions ("with", "whose", "in") */
};

#define ROLE_MAX_AGGREGATES 4

struct role_super { /* highest, top 3, 最多 ... */
	bool on, desc;
	bool counts;            /* "most X": by the number of X */
	bool is_time;           /* earliest, latest */
	bool opens;             /* nothing but "what is" stood before it */
	uint32_t n;             /* 0: not said */
	uint32_t table, column; /* hint of the cue; IR_NONE */
};

struct role_left { /* what a comparison compares */
	bool on;
	struct ir_term term;
};

struct roles {
	struct arena *a;
	const struct view *v;
	struct items *items;
	struct ir *ir;
	bool is_zh;
	enum role_mode mode;
	enum ir_aggregate aggregates[ROLE_MAX_AGGREGATES]; /* waiting for their column */
	size_t n_aggregates;
	struct role_super super;
	struct role_left left;
	struct ir_term last; /* last term that was compared, for "or less than 5" */
	bool has_last;
	enum ir_aggregate
	    spread[ROLE_MAX_AGGREGATES]; /* of the last column, for "average height and weight" */
	size_t n_spread, spread_item;
	bool retract;     /* "... List the X": outputs of the question before it give way */
	bool asks_entity; /* "which company", "list the companies" */
	bool count_later; /* "and the count" */
	bool counting;    /* "how many" waits for its table */
	bool negated;     /* "not" waits for its condition */
	bool distinct;
	bool any; /* "or" stood between this condition and the last */
	bool both;
	bool by_time;                       /* per year */
	enum ir_grain grain;                /* ... or per month, where it is said */
	uint32_t trend_table, trend_column; /* time column that "per month" hints at; IR_NONE */
	bool wants_time;                    /* "when" */
	bool filtered;                      /* a condition since the mode became FILTER */
	uint32_t absent; /* index into ir->exists that collects conditions; IR_NONE */
	uint32_t number; /* "the two companies"; 0 */
	size_t number_item;
	uint32_t n_any; /* OR groups so far */
	uint32_t *mentions;
	size_t n_mentions;  /* tables named in passing */
	const char *failed; /* first rule that could not finish, for people */
	uint32_t n_failed;
};

/* Returns how many items from i on were taken; 0: does not apply. */
typedef size_t role_rule(struct roles *r, size_t i);

/* Runs the pass and completes the IR (finish.h). */
void roles_assign(struct roles *r);

/* --- shared by the rules --------------------------------------------------------- */

struct item *role_item(struct roles *r, size_t i); /* items_at, writable; NULL outside */
void role_use(struct roles *r, size_t i);
void role_fail(struct roles *r, const char *what);
/* Projects a term, with the aggregates that wait for it. */
void role_project(struct roles *r, struct ir_term t);
/* Adds a condition where it belongs: WHERE, HAVING, or the absent rows; takes
 * negation and "or" into account. */
struct ir_condition *role_condition(
    struct roles *r, struct ir_term t, enum ir_test test, uint32_t span);
/* Orders by the term, or projects its extreme, as the waiting superlative says. */
void role_rank(struct roles *r, struct ir_term t);
/* Projects the columns that name a row of the table. */
void role_project_display(struct roles *r, uint32_t table);
void role_mention(struct roles *r, uint32_t table);
bool role_asks_each(const struct roles *r);
/* True if the item is a comparison (>, at least, ...); *ret_test is its test. */
bool role_is_comparison(const struct item *it, enum ir_test *ret_test);
/* True if "N and N" or "N to N" starts at item i. */
bool role_is_range(const struct roles *r, size_t i);
/* True if the number at item i counts years. */
bool role_is_span_of_time(const struct roles *r, size_t number);
/* True if a number and what it counts stand from item i on: "3 stadiums". */
bool role_counts_behind(const struct roles *r, size_t i);
/* Text of an item in the question's own spelling, quotes removed. */
const char *role_raw_text(struct roles *r, size_t i);

/* What a column, table or metric at item i is for: compared with something that
 * follows; ranked by a superlative behind it (*ret_cue is its item). */
bool role_is_compared(const struct roles *r, size_t i);
bool role_super_behind(const struct roles *r, size_t i, size_t *ret_cue);
/* A value of the column at item i stands beside it: "headquartered in Oslo". */
bool role_names_value(const struct roles *r, size_t i);
/* The yes/no column at item i says what the rows are: "discontinued products". */
bool role_is_trait(const struct roles *r, size_t i);
/* The column's yes (or no, where it is denied) as a condition; false if it is no
 * yes/no column. */
bool role_flag(struct roles *r, const struct item *it);
/* The term waits for its comparison. */
void role_wait(struct roles *r, struct ir_term t);
void role_rank_behind(struct roles *r, size_t cue, struct ir_term t);
/* Counts the rows of a table / the values of a column that item i names. */
void role_count_table(struct roles *r, size_t i, uint32_t table);
void role_count_column(struct roles *r, size_t i, const struct item *it);
/* Rows of the table must not exist; conditions that follow are theirs. */
void role_deny(struct roles *r, uint32_t table);
const struct quantity *role_quantity(const struct roles *r, size_t i); /* NULL if it is none */
const struct period *role_period_of(const struct roles *r, size_t i);
bool role_is_number(const struct roles *r, const struct item *it); /* a column of numbers */
bool role_number_literal(struct roles *r, const struct ir_term *t, const struct quantity *q,
    struct ir_literal *ret_literal);
bool role_compare_number(struct roles *r, struct ir_term t, enum ir_test test, size_t number);
/* Compares the term with its own value in the row that the VALUE item names; false if
 * the two do not belong together. */
bool role_against_row(struct roles *r, struct ir_term t, enum ir_test test, size_t value);
/* What the comparison at item `cue` compares, where the number stands at item `number`. */
bool role_find_left(struct roles *r, size_t cue, size_t number, struct ir_term *ret_term);

/* Rules, by file. */
role_rule role_mode_cue;                        /* roles.c */
role_rule role_sort, role_each, role_super_cue; /* role_rank.c */
role_rule role_compare;                         /* role_compare.c */
role_rule role_between, role_like, role_number, role_period, role_value,
    role_person;                                                    /* role_filter.c */
role_rule role_count, role_aggregate, role_arithmetic, role_metric; /* role_count.c */
role_rule role_trait;                                               /* role_trait.c */
role_rule role_table, role_denied_verb;                             /* role_table.c */
role_rule role_column;                                              /* role_column.c */

#endif

/*
 * What a question asks for, without FROM, JOIN and GROUP BY: those follow from
 * the tables that the terms name (joins.h) and from mixing aggregates with
 * plain columns (emit.h). The role passes write it, emit reads it.
 *
 * Indexes are those of the grounding's catalog. IR_NONE stands for "none".
 * Everything lives in the arena of the reply.
 */
#ifndef NLQ_COMPOSE_IR_H
#define NLQ_COMPOSE_IR_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"
#include "common/model/grounding.h"

#define IR_NONE UINT32_MAX

enum ir_aggregate { IR_PLAIN, IR_COUNT, IR_SUM, IR_AVG, IR_MIN, IR_MAX };

enum ir_grain { IR_GRAIN_NONE, IR_GRAIN_YEAR, IR_GRAIN_QUARTER, IR_GRAIN_MONTH, IR_GRAIN_DAY };

enum ir_term_kind {
	IR_COLUMN, /* aggregate(table.column) */
	IR_ROWS,   /* number of rows of `table`, each counted once */
	IR_METRIC, /* expression of the semantic model */
};

struct ir_term {
	enum ir_term_kind kind;
	uint32_t table, column;
	uint32_t metric;
	uint32_t via; /* relation by which the table is reached; IR_NONE: any */
	enum ir_aggregate aggregate;
	enum ir_grain grain; /* of a date; NONE: as it is stored */
	bool distinct;       /* aggregate over distinct values */
	bool is_default;     /* nobody asked for it: it names the entity */
	bool by_key;         /* group term: also group by the key of its table */
};

enum ir_test { IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE, IR_BETWEEN, IR_LIKE, IR_IS_NULL };

enum ir_against {
	IR_LITERAL,   /* low (and high) */
	IR_AGGREGATE, /* the aggregate of the same column over its whole table */
	IR_TERM,      /* another column: `other` */
	IR_ROW_OF,    /* the same column of the row where `other` equals low */
};

struct ir_literal {
	const char *text; /* a number in decimal, or a string */
	bool is_number;
};

struct ir_condition {
	struct ir_term term;
	enum ir_test test;
	bool negated;
	enum ir_against against;
	struct ir_literal low, high;
	enum ir_aggregate aggregate; /* AGGREGATE */
	bool among;           /* AGGREGATE: over the rows that meet the other conditions on that
	                    * table; else over its rows of the same period */
	struct ir_term other; /* TERM, ROW_OF */
	uint32_t any_of;      /* conditions with the same number are joined by OR; 0: none */
	uint32_t all_of;      /* within an OR: the same number are joined by AND; 0: none */
	bool repeated;        /* the question says it twice: it holds on both sides of a share */
	uint32_t branch;      /* set operation: 0 both sides, 1 first, 2 second */
	uint32_t span;        /* where it came from; IR_NONE: nobody said it */
};

struct ir_order {
	struct ir_term term;
	bool desc;
};

/* entity [NOT] IN (rows of table that meet the conditions) */
struct ir_exists {
	uint32_t table;
	bool negated;
	struct ir_condition *conditions;
	size_t n_conditions;
};

enum ir_set { IR_SET_NONE, IR_SET_INTERSECT };

/* Arithmetic on the one projected measure. */
enum ir_arithmetic {
	IR_ARITH_NONE,
	IR_ARITH_DIFFERENCE, /* branch 1 minus branch 2 */
	IR_ARITH_RATIO,      /* branch 1 divided by branch 2 */
	IR_ARITH_SHARE,      /* rows of branch 1 divided by all rows */
	IR_ARITH_SPREAD,     /* largest minus smallest of the `limit` rows in order */
};

struct ir {
	uint32_t entity; /* table that the rows are about; IR_NONE */
	struct ir_term *outputs;
	size_t n_outputs;
	struct ir_condition *conditions;
	size_t n_conditions;
	struct ir_condition *having;
	size_t n_having;
	struct ir_order *order;
	size_t n_order;
	struct ir_term *groups;
	size_t n_groups;
	struct ir_exists *exists;
	size_t n_exists;
	uint32_t *touched;
	size_t n_touched; /* tables that must be joined though no term reads them */
	uint64_t limit;   /* 0: none */
	bool distinct;
	enum ir_set set;
	enum ir_arithmetic arithmetic;
};

struct ir *ir_new(struct arena *a);
struct ir_term ir_column(uint32_t table, uint32_t column);
struct ir_term ir_rows(uint32_t table);
bool ir_term_equal(const struct ir_term *a, const struct ir_term *b);
/* Appends unless an equal term is there. */
void ir_add_output(struct arena *a, struct ir *ir, struct ir_term t);
void ir_add_group(struct arena *a, struct ir *ir, struct ir_term t);
struct ir_condition *ir_add_condition(
    struct arena *a, struct ir *ir, struct ir_term t, enum ir_test test, uint32_t span);
struct ir_condition *ir_add_having(
    struct arena *a, struct ir *ir, struct ir_term t, enum ir_test test, uint32_t span);
void ir_add_order(struct arena *a, struct ir *ir, struct ir_term t, bool desc);
void ir_touch(struct arena *a, struct ir *ir, uint32_t table);
bool ir_has_aggregate(const struct ir *ir); /* among the outputs */
/* Several lines for people who develop; not part of any answer. */
void ir_print(struct strbuf *out, const struct ir *ir, const struct catalog *c);

#endif

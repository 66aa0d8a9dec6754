/*
 * The certificate: facts of the candidate's tree held against the question.
 * cert.c has the table of checks, cert_*.c the checks of one family each. A
 * check adds its lines with cert_line; a check that does not apply adds none.
 */
#ifndef NLQ_CERT_H
#define NLQ_CERT_H

#include "common/model/verdict.h"
#include "common/sql/facts.h"
#include "common/sql/sql.h"
#include "verify_agent/decimal.h"
#include "verify_agent/verify.h"

#define CERT_NONE UINT32_MAX

struct cert_step {
	const struct verify_step *in;
	struct sql_select *tree; /* resolved; NULL if it did not parse or resolve */
	struct sql_facts facts;  /* empty if tree is NULL */
	struct err error;        /* why there is no tree */
};

struct cert {
	struct arena *a; /* the verdict's */
	const struct grounding *g;
	bool zh; /* language of the question */
	struct cert_step *steps;
	size_t n_steps;
	struct verdict *v;
	double confidence; /* lowered by every unknown line */
	bool is_final;     /* a failed line that no other query could mend */
	bool is_tie;       /* the candidate's first step has several leaders */
	/* Text that numbers of the answer may come from, see numbers.h. */
	struct semantic_names quotations;
};

/* Text in the question's language; both branches are literals, so that the
 * compiler still checks the format. */
#define SAY(c, zh_text, en_text) ((c)->zh ? (zh_text) : (en_text))

/* One row of the table. weight: factor on the confidence for each line of the
 * check that is unknown. is_mendable: another query could pass. */
struct cert_check {
	const char *id;
	void (*run)(struct cert *c, const struct cert_check *k);
	double weight;
	bool is_mendable;
};

/* Parses and resolves every step, fills c->steps. */
void cert_open(struct cert *c, const struct verify_step *steps, size_t n_steps);
/* Where the queries use the column (enum sql_role bits), all steps together. */
uint32_t cert_roles_of(const struct cert *c, uint32_t table, uint32_t column);
/* True if a span of the question has the column among its targets. */
bool cert_is_mentioned(const struct cert *c, uint32_t table, uint32_t column);
/* Runs every check of the table. */
void cert_run(struct cert *c);
void cert_line(struct cert *c, const struct cert_check *k, enum check_verdict verdict,
    const char *fmt, ...) NLQ_PRINTF(4, 5);
/* Adds to the assumptions / definitions / quotations unless it is there. */
void cert_assume(struct cert *c, const char *text);
void cert_define(struct cert *c, const char *text);
void cert_quote(struct cert *c, const char *text);

/* Adds a copy unless it is there. */
void cert_add_name(struct cert *c, struct semantic_names *names, const char *text);
const char *cert_join_names(
    struct cert *c, const struct semantic_names *names, const char *between);

/* --- what the families share -------------------------------------------------- */

/* The words of a span of the question. */
const char *cert_span_text(const struct cert *c, const struct grounding_span *s);
/* What people call a table / column in the question's language. */
const char *cert_table_label(const struct cert *c, uint32_t table);
const char *cert_column_label(const struct cert *c, uint32_t table, uint32_t column);
const struct catalog_column *cert_column(const struct cert *c, uint32_t table, uint32_t column);
/* Catalog column that a column reference stands for, through subqueries, CTEs
 * and aliases that only pass it on. False if it is computed. */
bool cert_origin(const struct sql_expr *x, uint32_t *ret_table, uint32_t *ret_column);
/* The output expression that a column reference of a subquery, CTE or alias
 * stands for, NULL if it is a table's column. */
const struct sql_expr *cert_inner(const struct sql_expr *x);
/* The number of a literal, with its sign. */
bool cert_literal_decimal(const struct sql_fact_literal *l, struct decimal *ret_decimal);
/* Text of a literal as it would be stored; "" for NULL. */
const char *cert_literal_text(const struct cert *c, const struct sql_fact_literal *l);
/* True if the literal is this stored value (numbers by value, text by bytes). */
bool cert_literal_is(const struct sql_fact_literal *l, const struct value *v);
const char *cert_value_text(const struct cert *c, const struct value *v);
/* The quantity's number in plain units (its magnitude word multiplied in). */
struct decimal cert_quantity_plain(const struct quantity *q);
bool cert_has_cue(const struct cert *c, uint32_t cue);
/* The select itself and every select inside it, each once. */
size_t cert_selects(struct cert *c, struct sql_select *root, struct sql_select ***ret_list);
/* True if people would give a time for the column. */
bool cert_is_time_column(const struct cert *c, uint32_t table, uint32_t column);
/* Some step has one of the aggregates; b may be NULL. */
bool cert_has_aggregate(const struct cert *c, const char *a, const char *b);
/* True if the name of some column that is used has the span's words in it. */
bool cert_uses_words(const struct cert *c, const struct grounding_span *s);
/* The column holds what the rows of its table are called: name, title, 名称. */
bool cert_is_name(const struct cert *c, uint32_t table, uint32_t column);
/* Part of a primary key, or refers to another table. */
bool cert_is_key(const struct cert *c, uint32_t table, uint32_t column);
bool cert_uses_column(const struct cert *c, uint32_t table, uint32_t column);
/* True if the cue's word is also the whole name of a column that is used: "average"
 * may be stored. */
bool cert_is_stored(const struct cert *c, const struct grounding_span *s);
/* True if the step's filters use the span's value / exactly the period. */
bool cert_value_is_used(const struct cert *c, const struct grounding_span *s, size_t step);
bool cert_period_is_used(const struct cert *c, const struct period *p, size_t step);
/* The step's filter says column = one constant, and nothing else of the column. */
bool cert_is_fixed(const struct cert *c, size_t step, uint32_t table, uint32_t column);
/* True if the text is a statement and no question. */
bool cert_is_sql(struct cert *c, const char *question);
/* A comparison's direction with NOT applied. */
enum sql_op cert_effective_op(const struct sql_fact_literal *l);

/* --- the checks ------------------------------------------------------------------ */

void cert_check_input(struct cert *c, const struct cert_check *k);
void cert_check_counted(struct cert *c, const struct cert_check *k);
void cert_check_beside(struct cert *c, const struct cert_check *k);
void cert_check_grain(struct cert *c, const struct cert_check *k);
void cert_check_condition(struct cert *c, const struct cert_check *k);
void cert_check_constant(struct cert *c, const struct cert_check *k);
void cert_check_change(struct cert *c, const struct cert_check *k);
void cert_check_whose(struct cert *c, const struct cert_check *k);
void cert_check_compared(struct cert *c, const struct cert_check *k);
void cert_check_text(struct cert *c, const struct cert_check *k);
void cert_check_context(struct cert *c, const struct cert_check *k);
void cert_check_names(struct cert *c, const struct cert_check *k);
void cert_check_status(struct cert *c, const struct cert_check *k);
void cert_check_columns(struct cert *c, const struct cert_check *k);
void cert_check_words(struct cert *c, const struct cert_check *k);
void cert_check_joins(struct cert *c, const struct cert_check *k);
void cert_check_fan_out(struct cert *c, const struct cert_check *k);
void cert_check_literals(struct cert *c, const struct cert_check *k);
void cert_check_values(struct cert *c, const struct cert_check *k);
void cert_check_quantities(struct cert *c, const struct cert_check *k);
void cert_check_units(struct cert *c, const struct cert_check *k);
void cert_check_metric(struct cert *c, const struct cert_check *k);
void cert_check_aggregate(struct cert *c, const struct cert_check *k);
void cert_check_superlative(struct cert *c, const struct cert_check *k);
void cert_check_ties(struct cert *c, const struct cert_check *k);
void cert_check_grouping(struct cert *c, const struct cert_check *k);
void cert_check_distinct(struct cert *c, const struct cert_check *k);
void cert_check_repeats(struct cert *c, const struct cert_check *k);
void cert_check_negation(struct cert *c, const struct cert_check *k);
void cert_check_division(struct cert *c, const struct cert_check *k);
void cert_check_not_in(struct cert *c, const struct cert_check *k);
void cert_check_subject(struct cert *c, const struct cert_check *k);
void cert_check_unit_mix(struct cert *c, const struct cert_check *k);
void cert_check_outputs(struct cert *c, const struct cert_check *k);
void cert_check_periods(struct cert *c, const struct cert_check *k);
void cert_check_coverage(struct cert *c, const struct cert_check *k);

#endif

/* The shape of the query: what was asked to be counted, summed, grouped, made
 * distinct or left out is there, and nothing of the kind that was not. */
#include <string.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* Every row is compared with those before it. */
#define REPEATS_MAX_ROWS 300

/* A numeric column that the question names and the query puts out as it is. */
static bool outputs_a_number(const struct cert *c)
{
	size_t last = c->n_steps - 1;
	/* A list of numbers is no number, unless one each was asked for. */
	if (c->steps[last].in->result->n_rows > 1 && !cert_has_cue(c, CUE_EACH)) {
		return false;
	}
	const struct sql_expr *x;
	for (size_t i = 0; (x = measure_output(c, last, i)); i++) {
		uint32_t table, column;
		if (cert_origin(x, &table, &column) &&
		    catalog_column_is_numeric(cert_column(c, table, column)) &&
		    !cert_column(c, table, column)->is_unique) {
			return true;
		}
	}
	return false;
}

struct asked_aggregate {
	uint32_t cue;
	const char *function, *other; /* either will do */
	const char *zh, *en;
};

static const struct asked_aggregate asked_aggregates[] = {
    {CUE_COUNT, "count", "sum", "计数", "a count"},
    {CUE_SUM, "sum", "total", "求和", "a sum"},
    {CUE_AVG, "avg", NULL, "平均", "an average"},
};

/* Counting what is a number already: "how many credits does X have" asks for the
 * number, "how many different credits" for a count. */
static bool counts_a_number(const struct cert *c)
{
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	for (size_t i = 0; i < f->n_aggregates; i++) {
		const struct sql_fact_aggregate *a = &f->aggregates[i];
		const struct catalog_column *col = cert_column(c, a->table, a->column);
		if (strcmp(a->function, "count") == 0 && col && catalog_column_is_numeric(col) &&
		    !cert_is_key(c, a->table, a->column) &&
		    !cert_is_time_column(c, a->table, a->column)) {
			return !cert_has_cue(c, CUE_DISTINCT);
		}
	}
	return false;
}

static bool uses_metric(struct cert *c)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		if (c->g->spans[i].kind == SPAN_METRIC) {
			return true;
		}
	}
	return false;
}

/* "number of followers", "average number of pages": a stored number, named right
 * behind the cue and used. */
static bool is_number_of_column(const struct cert *c, size_t cue)
{
	/* "The total number of hours" adds them up. */
	bool total = strcasestr(cert_span_text(c, &c->g->spans[cue]), "total") &&
	    c->steps[c->n_steps - 1].in->result->n_rows > 1;
	if (total && !cert_has_aggregate(c, "sum", "total")) {
		return false;
	}
	for (size_t i = cue + 1; i < c->g->n_spans && i <= cue + 3; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; j < s->n_targets; j++) {
			const struct span_target *t = &s->targets[j];
			const struct catalog_column *col = cert_column(c, t->table, t->column);
			if (col && t->value.type == VALUE_NULL && catalog_column_is_numeric(col) &&
			    !col->is_unique && cert_uses_column(c, t->table, t->column)) {
				return true;
			}
		}
		if (s->kind != SPAN_STOP && s->kind != SPAN_CUE) {
			break;
		}
	}
	return false;
}

static bool is_satisfied(struct cert *c, const struct asked_aggregate *a, size_t cue)
{
	if (cert_has_aggregate(c, a->function, a->other) || cert_is_stored(c, &c->g->spans[cue])) {
		return true;
	}
	/* "How many points does X have": a stored number; "how much in total" of one
	 * row is the row. "Average per head" may be a quotient. */
	if (a->cue == CUE_COUNT) {
		return outputs_a_number(c) || is_number_of_column(c, cue);
	}
	/* "How many are there in total?" is a count. */
	if (a->cue == CUE_SUM) {
		return cert_has_cue(c, CUE_COUNT) && cert_has_aggregate(c, "count", NULL);
	}
	if (a->cue == CUE_AVG) {
		return cert_has_aggregate(c, "sum", "total") &&
		    cert_has_aggregate(c, "count", NULL);
	}
	return false;
}

/* An aggregate in the output that no word of the question stands for. */
static bool is_unasked(struct cert *c, const char *function)
{
	static const uint32_t reasons[] = {CUE_COUNT, CUE_SUM, CUE_AVG, CUE_MIN, CUE_MAX, CUE_MOST,
	    CUE_LEAST, CUE_TOP, CUE_BOTTOM, CUE_EACH, CUE_BY, CUE_RATIO, CUE_SHARE, CUE_DIFFERENCE,
	    CUE_THAN_AVG, CUE_TREND, CUE_EARLIEST, CUE_LATEST, CUE_ALL, CUE_EXISTS};
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (cert_has_cue(c, reasons[i])) {
			return false;
		}
	}
	return strcmp(function, "group_concat") != 0 && !uses_metric(c);
}

void cert_check_aggregate(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; s->kind == SPAN_CUE && j < ARRAY_SIZE(asked_aggregates); j++) {
			const struct asked_aggregate *a = &asked_aggregates[j];
			if (a->cue != s->cue) {
				continue;
			}
			bool good = is_satisfied(c, a, i);
			cert_line(c, k, good ? CHECK_PASS : CHECK_FAIL,
			    good ? SAY(c, "“%s”：查询有%s", "\"%s\": the query has %s")
			         : SAY(c, "“%s”：查询没有%s", "\"%s\": the query lacks %s"),
			    cert_span_text(c, s), SAY(c, a->zh, a->en));
		}
	}
	if (counts_a_number(c)) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "查询数的是一个数值列有几个值",
		        "the query counts the values of a number column"));
	}
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	for (size_t i = 0; i < f->n_aggregates; i++) {
		if (f->aggregates[i].is_output && is_unasked(c, f->aggregates[i].function)) {
			cert_line(c, k, CHECK_UNKNOWN,
			    SAY(c, "问题没有要求 %s", "%s was not asked for"),
			    f->aggregates[i].function);
		}
	}
}

/* --- grouping, distinctness, negation ------------------------------------------------ */

/* Any step: an earlier one may be where the groups are. */
static bool any_fact(const struct cert *c, size_t offset)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (*(const bool *)((const char *)&c->steps[i].facts + offset)) {
			return true;
		}
	}
	return false;
}

#define ANY(c, member) any_fact(c, offsetof(struct sql_facts, member))

static bool outputs_aggregate(const struct cert *c)
{
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	for (size_t i = 0; i < f->n_aggregates; i++) {
		if (f->aggregates[i].is_output) {
			return true;
		}
	}
	return false;
}

void cert_check_grouping(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE || (s->cue != CUE_EACH && s->cue != CUE_BY)) {
			continue;
		}
		const char *text = cert_span_text(c, s);
		if (ANY(c, has_group_by) || ANY(c, has_window)) {
			cert_line(
			    c, k, CHECK_PASS, SAY(c, "“%s”：已分组", "\"%s\": grouped"), text);
		} else if (!outputs_aggregate(c)) {
			/* One row each without groups: the rows themselves. "by" is also
			 * how a passive names its actor. */
			if (s->cue == CUE_EACH) {
				cert_line(c, k, CHECK_PASS,
				    SAY(c, "“%s”：逐行列出", "\"%s\": row by row"), text);
			}
		} else {
			cert_line(c, k, s->cue == CUE_EACH ? CHECK_FAIL : CHECK_UNKNOWN,
			    SAY(c, "“%s”：查询没有分组", "\"%s\": the query does not group"), text);
		}
	}
}

static bool has_distinct_aggregate(const struct cert *c)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_aggregates; j++) {
			const struct sql_fact_aggregate *a = &f->aggregates[j];
			const struct catalog_column *col = cert_column(c, a->table, a->column);
			/* Every row of a table is a different thing already. */
			if (a->distinct || (col && col->is_unique) || (a->star && !f->n_joins)) {
				return true;
			}
		}
	}
	return false;
}

static bool outputs_unique_column(const struct cert *c)
{
	size_t last = c->n_steps - 1;
	const struct sql_expr *x;
	for (size_t i = 0; (x = measure_output(c, last, i)); i++) {
		uint32_t table, column;
		if (c->steps[last].facts.n_joins || !cert_origin(x, &table, &column)) {
			continue;
		}
		const struct catalog_column *col = cert_column(c, table, column);
		int64_t rows = c->g->catalog->tables[table].n_rows;
		if (col->is_unique || (rows >= 0 && col->n_distinct == rows)) {
			return true;
		}
	}
	return false;
}

void cert_check_distinct(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE || s->cue != CUE_DISTINCT) {
			continue;
		}
		bool good = ANY(c, has_distinct) || ANY(c, has_group_by) || ANY(c, has_set_op) ||
		    has_distinct_aggregate(c) || outputs_unique_column(c);
		cert_line(c, k, good ? CHECK_PASS : CHECK_FAIL,
		    good ? SAY(c, "“%s”：已去重", "\"%s\": distinct")
		         : SAY(c, "“%s”：查询没有去重", "\"%s\": the query may repeat rows"),
		    cert_span_text(c, s));
	}
}

/* The list says the same thing more than once: whoever asks for "customers who
 * ordered tea" wants each once. */
void cert_check_repeats(struct cert *c, const struct cert_check *k)
{
	const struct cert_step *last = &c->steps[c->n_steps - 1];
	const struct resultset *r = last->in->result;
	size_t n_repeats = 0, n = r->n_rows < REPEATS_MAX_ROWS ? r->n_rows : REPEATS_MAX_ROWS;
	for (size_t i = 1; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			size_t same = 0;
			while (same < r->n_columns &&
			    value_equal(resultset_cell(r, i, same), resultset_cell(r, j, same))) {
				same++;
			}
			if (same == r->n_columns) {
				n_repeats++;
				break;
			}
		}
	}
	if (n_repeats) {
		cert_line(c, k, CHECK_UNKNOWN, SAY(c, "结果有重复的行", "the result repeats rows"));
	}
}

void cert_check_negation(struct cert *c, const struct cert_check *k)
{
	bool asked = false;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE ||
		    (s->cue != CUE_NOT && s->cue != CUE_EXCEPT && s->cue != CUE_NE)) {
			continue;
		}
		asked = true;
		bool good = ANY(c, has_negation);
		cert_line(c, k, good ? CHECK_PASS : CHECK_FAIL,
		    good ? SAY(c, "“%s”：查询有否定", "\"%s\": the query negates")
		         : SAY(c, "“%s”：查询没有否定", "\"%s\": the query does not negate"),
		    cert_span_text(c, s));
	}
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	for (size_t i = 0; !asked && i < f->n_literals; i++) {
		const struct sql_fact_literal *l = &f->literals[i];
		if (cert_effective_op(l) == SQL_OP_NE || (l->is_like && l->negated)) {
			cert_line(c, k, CHECK_UNKNOWN,
			    SAY(c, "查询排除了“%s”，问题没有要求",
			        "the query leaves out \"%s\", which was not asked"),
			    cert_literal_text(c, l));
		}
	}
}

/* What is counted: rows or keys of the thing that the question counts, never a
 * column whose value the filter fixes, and groups that are more than one row. */
#include <string.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* A filter "column = constant" that no OR weakens into a choice of several. */
bool cert_is_fixed(const struct cert *c, size_t step, uint32_t table, uint32_t column)
{
	const struct sql_facts *f = &c->steps[step].facts;
	bool fixed = false;
	for (size_t i = 0; i < f->n_literals; i++) {
		const struct sql_fact_literal *l = &f->literals[i];
		if (l->table != table || l->column != column || l->is_aggregate) {
			continue;
		}
		if (fixed || cert_effective_op(l) != SQL_OP_EQ) {
			return false;
		}
		fixed = true;
	}
	return fixed;
}

static bool is_passed_over(const struct grounding_span *s)
{
	return s->kind == SPAN_STOP || s->kind == SPAN_UNKNOWN || s->kind == SPAN_VALUE ||
	    s->kind == SPAN_PERIOD ||
	    (s->kind == SPAN_CUE &&
	        (s->cue == CUE_DISTINCT || s->cue == CUE_ALL || s->cue == CUE_OF));
}

/* The table or column that the cue counts: behind it ("how many T", 几个T), in
 * Chinese also just before it (公司有几家). NULL if another word comes first. */
static const struct grounding_span *counted_span(const struct cert *c, size_t cue)
{
	for (int step = 1; step >= (c->zh ? -1 : 1); step -= 2) {
		size_t i = cue + (size_t)step;
		while (i < c->g->n_spans && is_passed_over(&c->g->spans[i])) {
			i += (size_t)step;
		}
		if (i < c->g->n_spans &&
		    (c->g->spans[i].kind == SPAN_TABLE || c->g->spans[i].kind == SPAN_COLUMN)) {
			return &c->g->spans[i];
		}
	}
	return NULL;
}

static bool may_mean(const struct grounding_span *s, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		if (s->targets[i].table == table && s->targets[i].column == column) {
			return true;
		}
	}
	return false;
}

/* The column itself was named, not only a word of its name. */
static bool is_named_as(const struct grounding_span *s, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		if (s->targets[i].table == table && s->targets[i].column == column) {
			return s->targets[i].score >= 0.85F;
		}
	}
	return false;
}

/* One row of the table is one thing: the rest of some key is fixed by the filter,
 * or its time is, where each thing has one row a period. */
static bool is_one_row_each(const struct cert *c, size_t step, uint32_t table, uint32_t reference)
{
	const struct catalog_table *t = &c->g->catalog->tables[table];
	if (t->columns[reference].is_unique) {
		return true;
	}
	for (uint32_t i = 0; i < t->n_columns; i++) {
		if (i != reference && cert_is_time_column(c, table, i)) {
			for (size_t j = 0; j < c->steps[step].facts.n_literals; j++) {
				const struct sql_fact_literal *l =
				    &c->steps[step].facts.literals[j];
				if (l->table == table && l->column == i) {
					return true;
				}
			}
		}
	}
	for (size_t i = 0; i < t->n_unique_keys; i++) {
		const struct catalog_key *k = &t->unique_keys[i];
		bool has_reference = false, rest = true;
		for (size_t j = 0; j < k->n_columns; j++) {
			has_reference |= k->columns[j] == reference;
			rest &= k->columns[j] == reference ||
			    cert_is_fixed(c, step, table, k->columns[j]);
		}
		if (has_reference && rest) {
			return true;
		}
	}
	return false;
}

/* Every row that is counted is a thing that the span may mean. */
static bool rows_are_things(const struct cert *c, size_t step, const struct grounding_span *s)
{
	const struct sql_facts *f = &c->steps[step].facts;
	for (size_t i = 0; i < f->n_tables; i++) {
		if (may_mean(s, f->tables[i], TARGET_NONE)) {
			return true;
		}
	}
	for (size_t i = 0; i < c->g->catalog->n_relations; i++) {
		const struct catalog_relation *r = &c->g->catalog->relations[i];
		for (size_t j = 0; j < f->n_tables; j++) {
			if (r->from_table == f->tables[j] && r->n_columns == 1 &&
			    may_mean(s, r->to_table, TARGET_NONE) &&
			    is_one_row_each(c, step, r->from_table, r->from_columns[0])) {
				return true;
			}
		}
	}
	return false;
}

static bool refers_to(
    const struct cert *c, const struct grounding_span *s, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->g->catalog->n_relations; i++) {
		const struct catalog_relation *r = &c->g->catalog->relations[i];
		for (size_t j = 0; j < r->n_columns; j++) {
			if (r->from_table == table && r->from_columns[j] == column &&
			    may_mean(s, r->to_table, TARGET_NONE)) {
				return true;
			}
		}
	}
	return false;
}

/* "player positions": the word behind the table is the column that is counted. */
static bool is_followed_by(
    const struct cert *c, const struct grounding_span *s, uint32_t table, uint32_t column)
{
	return s + 1 < c->g->spans + c->g->n_spans && may_mean(s + 1, table, column);
}

/* The aggregate counts what the span names. */
static bool counts_thing(const struct cert *c, size_t step, const struct grounding_span *s,
    const struct sql_fact_aggregate *a)
{
	if (a->star) {
		return s->kind == SPAN_COLUMN || rows_are_things(c, step, s);
	}
	const struct catalog_column *col = cert_column(c, a->table, a->column);
	if (!col || is_named_as(s, a->table, a->column) ||
	    is_followed_by(c, s, a->table, a->column) || refers_to(c, s, a->table, a->column)) {
		return true;
	}
	int64_t rows = c->g->catalog->tables[a->table].n_rows;
	return may_mean(s, a->table, TARGET_NONE) &&
	    (col->is_unique || col->pk_position || (rows >= 0 && col->n_distinct == rows) ||
	        (!a->distinct && (col->not_null || col->n_null == 0)));
}

/* "How many departments" where the number of them is stored: counting the texts
 * of another column gives a different number. */
static const struct span_target *stored_number(
    const struct cert *c, const struct grounding_span *s, const struct sql_fact_aggregate *a)
{
	const struct catalog_column *counted = cert_column(c, a->table, a->column);
	if (!counted || catalog_column_is_numeric(counted)) {
		return NULL;
	}
	for (size_t i = 0; i < s->n_targets && s->kind == SPAN_COLUMN; i++) {
		const struct span_target *t = &s->targets[i];
		const struct catalog_column *col = cert_column(c, t->table, t->column);
		if (col && t->table == a->table && catalog_column_is_numeric(col) &&
		    !cert_is_key(c, t->table, t->column) &&
		    !cert_is_time_column(c, t->table, t->column)) {
			return t;
		}
	}
	return NULL;
}

/* 家 and 位 count companies and people, not their years: rows of a table that has
 * one a period are something else unless the period is fixed. */
static bool counts_periods(const struct cert *c, const struct grounding_span *cue)
{
	static const char *const counters[] = {"家", "位", "名"};
	size_t last = c->n_steps - 1;
	const char *text = cert_span_text(c, cue);
	bool of_things = false;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		of_things |= strstr(text, counters[i]) != NULL;
	}
	const struct sql_facts *f = &c->steps[last].facts;
	for (size_t i = 0; of_things && i < c->g->catalog->n_relations; i++) {
		const struct catalog_relation *r = &c->g->catalog->relations[i];
		const struct catalog_table *t = &c->g->catalog->tables[r->from_table];
		bool has_time = false;
		for (uint32_t j = 0; j < t->n_columns; j++) {
			has_time |= cert_is_time_column(c, r->from_table, j);
		}
		if (f->n_tables == 1 && f->tables[0] == r->from_table && has_time &&
		    r->n_columns == 1 &&
		    !is_one_row_each(c, last, r->from_table, r->from_columns[0])) {
			return true;
		}
	}
	return false;
}

static bool reads_only(const struct cert *c, size_t step, uint32_t table)
{
	const struct sql_facts *f = &c->steps[step].facts;
	return f->n_tables == 1 && f->tables[0] == table;
}

static void check_one(struct cert *c, const struct cert_check *k, const struct grounding_span *cue,
    const struct grounding_span *what, const struct sql_fact_aggregate *a)
{
	size_t last = c->n_steps - 1;
	const char *thing = what ? cert_span_text(c, what) : cert_span_text(c, cue);
	const struct catalog_column *col = cert_column(c, a->table, a->column);
	const char *label = col ? cert_column_label(c, a->table, a->column) : "";
	if (col && cert_is_fixed(c, last, a->table, a->column)) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：查询数的是%s，而条件已把它限定为一个值",
		        "\"%s\": the query counts %s, which its own condition fixes to one value"),
		    thing, label);
		return;
	}
	const struct span_target *number = what ? stored_number(c, what, a) : NULL;
	if (number) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：数据里有%s这一数，查询却去数%s的个数",
		        "\"%s\" is stored as the number %s, but the query counts %s"),
		    thing, cert_column_label(c, number->table, number->column), label);
		return;
	}
	/* 地震电影: what comes last in Chinese is the thing, here the value's. */
	const struct grounding_span *head = what ? what + 1 : NULL;
	if (c->zh && head && head < c->g->spans + c->g->n_spans && head->kind == SPAN_VALUE &&
	    head->n_targets && head->start == what->start + what->len) {
		bool reads = a->star ? reads_only(c, last, head->targets[0].table)
		                     : a->table == head->targets[0].table;
		if (!reads) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "问的是“%s”，查询数的是“%s”",
			        "\"%s\" is asked for, \"%s\" is counted"),
			    cert_span_text(c, head), thing);
		}
		return;
	}
	bool bad = what && what->kind == SPAN_TABLE ? !counts_thing(c, last, what, a)
	                                            : !what && a->star && counts_periods(c, cue);
	if (bad) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：查询数的不是它，而是%s",
		        "\"%s\" is not what the query counts: %s"),
		    thing, col ? label : SAY(c, "别的行", "other rows"));
	}
}

/* A group by the column that is aggregated holds one value: its average, its sum
 * and the number of its values say nothing. */
static void check_groups(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_aggregates; j++) {
			const struct sql_fact_aggregate *a = &f->aggregates[j];
			bool says_nothing = strcmp(a->function, "count") != 0 || a->distinct;
			for (size_t x = 0; x < f->n_columns && says_nothing; x++) {
				if (f->columns[x].table == a->table &&
				    f->columns[x].column == a->column &&
				    (f->columns[x].roles & SQL_ROLE_GROUP)) {
					cert_line(c, k, CHECK_FAIL,
					    SAY(c, "查询按%s分组，又对它求 %s",
					        "the query groups by %s and takes its %s"),
					    cert_column_label(c, a->table, a->column), a->function);
				}
			}
		}
	}
}

/* Groups by a key of the table whose rows are aggregated are single rows: the
 * average of each is the row itself. */
static void check_single_rows(struct cert *c, const struct cert_check *k)
{
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	for (size_t i = 0; i < f->n_aggregates; i++) {
		const struct sql_fact_aggregate *a = &f->aggregates[i];
		for (size_t j = 0; j < f->n_columns && !f->n_joins; j++) {
			const struct sql_fact_column *x = &f->columns[j];
			const struct catalog_column *col = cert_column(c, x->table, x->column);
			if ((x->roles & SQL_ROLE_GROUP) && col->is_unique &&
			    (a->table == x->table || (a->star && f->n_tables == 1))) {
				cert_line(c, k, CHECK_FAIL,
				    SAY(c, "查询按%s分组，每组只有一行，求 %s 没有意义",
				        "grouped by %s each group is one row, so its %s says nothing"),
				    cert_column_label(c, x->table, x->column), a->function);
				return;
			}
		}
	}
}

/* "How many ..." is one number unless something is counted for each of others. */
static void check_one_number(struct cert *c, const struct cert_check *k)
{
	static const uint32_t several[] = {CUE_EACH, CUE_BY, CUE_TREND, CUE_WHICH, CUE_LIST,
	    CUE_AND, CUE_ALSO, CUE_DISTINCT, CUE_WHO};
	size_t first = 0;
	while (first < c->g->n_spans && c->g->spans[first].kind == SPAN_STOP) {
		first++;
	}
	const struct cert_step *last = &c->steps[c->n_steps - 1];
	if (c->zh || first == c->g->n_spans || c->g->spans[first].kind != SPAN_CUE ||
	    c->g->spans[first].cue != CUE_COUNT || !last->facts.has_group_by ||
	    last->in->result->n_rows < 2) {
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(several); i++) {
		if (cert_has_cue(c, several[i])) {
			return;
		}
	}
	cert_line(c, k, CHECK_FAIL,
	    SAY(c, "问的是一个数，查询给出多行",
	        "one number was asked for, the query gives many rows"));
}

void cert_check_counted(struct cert *c, const struct cert_check *k)
{
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	check_groups(c, k);
	check_single_rows(c, k);
	check_one_number(c, k);
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE || s->cue != CUE_COUNT) {
			continue;
		}
		const struct grounding_span *what = counted_span(c, i);
		for (size_t j = 0; j < f->n_aggregates; j++) {
			if (f->aggregates[j].is_output &&
			    strcmp(f->aggregates[j].function, "count") == 0) {
				check_one(c, k, s, what, &f->aggregates[j]);
			}
		}
	}
}

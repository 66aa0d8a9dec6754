/* Values: those of the query exist in the data, those of the question are in
 * the query, and the query has none of its own. */
#include <ctype.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "common/text/cue.h"
#include "verify_agent/cert.h"

#define NEAR_MAX 3

static bool in_domain(const struct catalog_column *col, const struct sql_fact_literal *l)
{
	for (size_t i = 0; i < col->n_domain; i++) {
		if (cert_literal_is(l, &col->domain[i])) {
			return true;
		}
	}
	return false;
}

/* The stored values that are spelled nearly as the literal. */
static const char *near_values(struct cert *c, const struct catalog_column *col, const char *text)
{
	const char *best[NEAR_MAX] = {NULL};
	const char **names = arena_new_array(c->a, col->n_domain, const char *);
	struct semantic_names near = {NULL, 0};
	for (size_t i = 0; i < col->n_domain; i++) {
		names[i] = cert_value_text(c, &col->domain[i]);
		if (strcasecmp(names[i], text) == 0) {
			cert_add_name(c, &near, names[i]);
		}
	}
	size_t n = near.n ? 0 : sql_nearest(text, names, col->n_domain, best, NEAR_MAX);
	for (size_t i = 0; i < n; i++) {
		cert_add_name(c, &near, best[i]);
	}
	return cert_join_names(c, &near, ", ");
}

/* Only equality with a plain column claims that the value exists. */
static bool claims_existence(const struct cert *c, const struct sql_fact_literal *l)
{
	enum sql_expr_kind kind = l->expr->kind;
	return (kind == SQL_STRING || kind == SQL_NUMBER) && !l->is_like && !l->is_aggregate &&
	    (l->op == SQL_OP_EQ || l->op == SQL_OP_NE || l->op == SQL_OP_IS ||
	        l->op == SQL_OP_IS_NOT) &&
	    cert_column(c, l->table, l->column) && !cert_is_time_column(c, l->table, l->column);
}

void cert_check_literals(struct cert *c, const struct cert_check *k)
{
	struct semantic_names good = {NULL, 0};
	bool failed = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_fact_literal *l = &f->literals[j];
			if (!claims_existence(c, l)) {
				continue;
			}
			const struct catalog_column *col = cert_column(c, l->table, l->column);
			const char *text = cert_literal_text(c, l);
			/* An empty column claims nothing either. */
			if (!col->domain_complete || !col->n_domain) {
				continue;
			}
			if (in_domain(col, l)) {
				cert_add_name(c, &good, text);
				continue;
			}
			const char *near = near_values(c, col, text);
			failed = true;
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "列 %s 没有值“%s”%s%s", "column %s has no value \"%s\"%s%s"),
			    cert_column_label(c, l->table, l->column), text,
			    near[0] ? SAY(c, "，相近的有：", "; near: ") : "", near);
		}
	}
	if (!failed && good.n) {
		cert_line(c, k, CHECK_PASS, SAY(c, "这些值都在数据中：%s", "in the data: %s"),
		    cert_join_names(c, &good, ", "));
	}
}

/* --- the question's values in the query ---------------------------------------- */

static bool columns_are_related(
    const struct catalog *c, uint32_t t1, uint32_t c1, uint32_t t2, uint32_t c2)
{
	for (size_t i = 0; i < c->n_relations; i++) {
		const struct catalog_relation *r = &c->relations[i];
		for (size_t j = 0; j < r->n_columns; j++) {
			uint32_t f = r->from_columns[j], t = r->to_columns[j];
			if ((r->from_table == t1 && f == c1 && r->to_table == t2 && t == c2) ||
			    (r->from_table == t2 && f == c2 && r->to_table == t1 && t == c1)) {
				return true;
			}
		}
	}
	return false;
}

/* The pattern of a LIKE without its wildcards at both ends. */
static bool pattern_is(const struct sql_fact_literal *l, const char *text, size_t len)
{
	const char *p = l->expr->text;
	size_t n = l->expr->text_len;
	while (n && (*p == '%' || *p == '*')) {
		p++;
		n--;
	}
	while (n && (p[n - 1] == '%' || p[n - 1] == '*')) {
		n--;
	}
	return n == len && n && strncasecmp(p, text, n) == 0;
}

static bool literal_has_value(const struct sql_fact_literal *l, const struct value *v)
{
	if (l->is_like) {
		return v->type == VALUE_TEXT && l->expr->kind == SQL_STRING &&
		    pattern_is(l, v->text, v->len);
	}
	return cert_literal_is(l, v);
}

/* A value counts as used on the column where it was found, on one that a
 * relation ties to it, or where the column is computed. */
static bool target_is_used(
    const struct cert *c, const struct span_target *t, const struct sql_fact_literal *l)
{
	if (t->value.type == VALUE_NULL || !literal_has_value(l, &t->value)) {
		return false;
	}
	return l->table == CERT_NONE || (l->table == t->table && l->column == t->column) ||
	    columns_are_related(c->g->catalog, l->table, l->column, t->table, t->column);
}

/* The span's own words, without quotes. */
static const char *own_words(const struct cert *c, const struct grounding_span *s)
{
	static const char *const marks[] = {
	    "\"", "'", "“", "”", "‘", "’", "「", "」", "《", "》", "`"};
	const char *p = c->g->question + s->start;
	size_t n = s->len;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t m = strlen(marks[i]);
		if (n > m && memcmp(p, marks[i], m) == 0) {
			p += m;
			n -= m;
		}
		if (n > m && memcmp(p + n - m, marks[i], m) == 0) {
			n -= m;
		}
	}
	return arena_strndup(c->a, p, n);
}

/* As a value or inside a pattern. */
static bool own_words_are_used(
    const struct cert *c, const struct grounding_span *s, const struct sql_fact_literal *l)
{
	const char *words = own_words(c, s);
	struct value v = {.type = VALUE_TEXT, .text = words, .len = strlen(words)};
	return l->expr->kind == SQL_STRING &&
	    (literal_has_value(l, &v) || pattern_is(l, v.text, v.len));
}

/* A full name is often stored in two columns: every word of the span is a value
 * of its own. */
static bool words_are_used_apart(const struct cert *c, const struct grounding_span *s, size_t step)
{
	const struct sql_facts *f = &c->steps[step].facts;
	const char *p = own_words(c, s);
	size_t n_words = 0;
	while (*p) {
		size_t n = strcspn(p, " ");
		bool found = false;
		for (size_t i = 0; i < f->n_literals && n; i++) {
			const struct sql_expr *x = f->literals[i].expr;
			found |= f->literals[i].op == SQL_OP_EQ && x->kind == SQL_STRING &&
			    x->text_len == n && strncasecmp(x->text, p, n) == 0;
		}
		if (!found) {
			return false;
		}
		n_words++;
		p += n + strspn(p + n, " ");
	}
	return n_words > 1;
}

static bool span_is_used(
    const struct cert *c, const struct grounding_span *s, const struct sql_fact_literal *l)
{
	/* "contains Bank" looks for the word itself, whatever values have it. */
	if ((s->kind == SPAN_QUOTED || l->is_like) && own_words_are_used(c, s, l)) {
		return true;
	}
	for (size_t i = 0; i < s->n_targets; i++) {
		if (target_is_used(c, &s->targets[i], l)) {
			return true;
		}
	}
	return false;
}

bool cert_value_is_used(const struct cert *c, const struct grounding_span *s, size_t step)
{
	const struct sql_facts *f = &c->steps[step].facts;
	for (size_t i = 0; i < f->n_literals; i++) {
		if (span_is_used(c, s, &f->literals[i])) {
			return true;
		}
	}
	return words_are_used_apart(c, s, step);
}

static bool is_used_somewhere(const struct cert *c, const struct grounding_span *s)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (cert_value_is_used(c, s, i)) {
			return true;
		}
	}
	return false;
}

/* --- the query's values in the question ------------------------------------------ */

static bool is_cell_before(const struct cert *c, size_t step, const struct sql_fact_literal *l)
{
	for (size_t i = 0; i < step; i++) {
		const struct resultset *r = c->steps[i].in->result;
		for (size_t j = 0; r && j < r->n_rows * r->n_columns; j++) {
			if (cert_literal_is(l, &r->cells[j])) {
				return true;
			}
		}
	}
	return false;
}

static bool is_number_of_question(const struct cert *c, const struct sql_fact_literal *l)
{
	struct decimal d;
	if (!cert_literal_decimal(l, &d)) {
		return false;
	}
	/* Which power of ten is right is the units check's to say. */
	for (size_t i = 0; i < c->g->n_quantities; i++) {
		struct decimal q = cert_quantity_plain(&c->g->quantities[i]);
		if (q.digits == d.digits) {
			return true;
		}
	}
	return d.digits == 0 || (d.digits == 1 && d.exponent == 0);
}

static bool is_time_of_question(const struct cert *c, const char *text)
{
	if (strlen(text) < 4) {
		return false;
	}
	for (size_t i = 0; i < c->g->n_periods; i++) {
		const struct period *p = &c->g->periods[i];
		if ((!p->from[0] || strncmp(text, p->from, 4) >= 0) &&
		    (!p->to[0] || strncmp(text, p->to, 4) <= 0)) {
			return true;
		}
	}
	return false;
}

static bool is_of_model(const struct cert *c, const char *text)
{
	const struct semantic *s = c->g->semantic;
	for (size_t i = 0; i < s->n_datasets; i++) {
		if (strstr(s->datasets[i].default_filter, text)) {
			return true;
		}
		for (size_t j = 0; j < s->datasets[i].n_fields; j++) {
			/* A unit that fixes what the numbers of the rows mean. */
			const struct semantic_field *f = &s->datasets[i].fields[j];
			if (f->unit[0] && strcmp(f->unit, text) == 0) {
				return true;
			}
		}
	}
	for (size_t i = 0; i < s->n_metrics; i++) {
		if (strstr(s->metrics[i].expression, text)) {
			return true;
		}
	}
	return false;
}

static bool has_source(const struct cert *c, size_t step, const struct sql_fact_literal *l)
{
	const char *text = cert_literal_text(c, l);
	if (l->op == SQL_OP_NONE && !l->is_like) {
		return true; /* an argument, a factor: no condition */
	}
	if (!text[0] || (l->expr->kind != SQL_STRING && l->expr->kind != SQL_NUMBER)) {
		return true;
	}
	for (size_t i = 0; i < c->g->n_spans; i++) {
		if (span_is_used(c, &c->g->spans[i], l)) {
			return true;
		}
	}
	if (is_number_of_question(c, l) || is_time_of_question(c, text) ||
	    is_cell_before(c, step, l) || is_of_model(c, text)) {
		return true;
	}
	/* The "2" of "2023" is no source for a number. */
	return l->expr->kind == SQL_STRING && strcasestr(c->g->question, text);
}

/* Among the outputs of a query that does not filter by the column. */
static bool is_shown(const struct cert *c, uint32_t table, uint32_t column)
{
	bool shown = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			const struct sql_fact_column *x = &f->columns[j];
			if (x->table == table && x->column == column) {
				shown |= (x->roles & (SQL_ROLE_GROUP | SQL_ROLE_OUTPUT)) != 0;
			}
		}
	}
	return shown;
}

/* Only part of some stored value ("university"), or one of the things that a list
 * or a grouping shows anyway ("male and female"). */
static bool is_weak(const struct cert *c, const struct grounding_span *s)
{
	const struct span_target *t = s->n_targets ? &s->targets[0] : NULL;
	if (!t || s->in_quotes) {
		return false;
	}
	return t->how == HOW_STORED_PARTIAL || is_shown(c, t->table, t->column);
}

/* "place" is no name of "24, place Kléber": a common word that is only part of a longer
 * stored value does not stand for it. */
static bool is_common_word(const struct cert *c, const struct grounding_span *s)
{
	const char *p = c->g->question + s->start;
	if (s->kind != SPAN_VALUE || s->in_quotes || c->zh || !s->n_targets ||
	    s->targets[0].how != HOW_STORED_PARTIAL) {
		return false;
	}
	for (size_t i = 0; i < s->len; i++) {
		if (!islower((unsigned char)p[i])) {
			return false;
		}
	}
	return true;
}

void cert_check_values(struct cert *c, const struct cert_check *k)
{
	struct semantic_names used = {NULL, 0};
	bool failed = false;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_VALUE && s->kind != SPAN_QUOTED) {
			continue;
		}
		if (is_used_somewhere(c, s) && is_common_word(c, s) &&
		    !cert_has_cue(c, CUE_CONTAINS)) {
			failed = true;
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "“%s”只是“%s”的一部分",
			        "\"%s\" is only part of the value \"%s\""),
			    cert_span_text(c, s), cert_value_text(c, &s->targets[0].value));
			continue;
		}
		if (is_used_somewhere(c, s)) {
			cert_add_name(c, &used, cert_span_text(c, s));
			continue;
		}
		failed = true;
		cert_line(c, k, is_weak(c, s) ? CHECK_UNKNOWN : CHECK_FAIL,
		    SAY(c, "问题中的“%s”没有用到查询里",
		        "\"%s\" of the question is not in the query"),
		    cert_span_text(c, s));
	}
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			if (!has_source(c, i, &f->literals[j])) {
				cert_line(c, k, CHECK_UNKNOWN,
				    SAY(c, "查询里的“%s”不是问题中的内容",
				        "\"%s\" of the query is not in the question"),
				    cert_literal_text(c, &f->literals[j]));
			}
		}
	}
	if (!failed && used.n) {
		cert_line(c, k, CHECK_PASS,
		    SAY(c, "问题中的值都已用到：%s", "every value of the question is used: %s"),
		    cert_join_names(c, &used, ", "));
	}
}

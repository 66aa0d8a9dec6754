/* Text is no number: '675亿' sorts behind '3768亿', and the sum of such cells is the
 * sum of their first digits. Ranking, comparing and adding up need stored values
 * that order as they look. */
#include <ctype.h>
#include <string.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* Only digits with the separators of dates and times: 2023-01-05, 12:30, 1:34.5. */
static bool looks_like_time(const char *s, size_t len)
{
	size_t n_digits = 0;
	for (size_t i = 0; i < len; i++) {
		bool digit = isdigit((unsigned char)s[i]);
		n_digits += digit;
		if (!digit && !strchr("-:. TZ", s[i])) {
			return false;
		}
	}
	return n_digits * 2 > len && isdigit((unsigned char)s[0]);
}

static bool is_bad_value(const struct value *v, bool as_number)
{
	struct decimal d;
	if (v->type != VALUE_TEXT || !v->len || decimal_parse(v->text, &d)) {
		return false;
	}
	return as_number || !looks_like_time(v->text, v->len);
}

/* A stored text of the column that is no plain number (or, unless it is to be added
 * up, no date or time); NULL if the profile shows none. */
static const char *bad_value(struct cert *c, const struct catalog_column *col, bool as_number)
{
	const struct value *ends[] = {&col->min, &col->max};
	if (catalog_column_is_numeric(col)) {
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends) && col->has_range; i++) {
		if (is_bad_value(ends[i], as_number)) {
			return cert_value_text(c, ends[i]);
		}
	}
	for (size_t i = 0; i < col->n_samples; i++) {
		if (is_bad_value(&col->samples[i], as_number)) {
			return cert_value_text(c, &col->samples[i]);
		}
	}
	for (size_t i = 0; i < col->n_domain; i++) {
		if (is_bad_value(&col->domain[i], as_number)) {
			return cert_value_text(c, &col->domain[i]);
		}
	}
	return NULL;
}

static void fail(
    struct cert *c, const struct cert_check *k, uint32_t table, uint32_t column, bool as_number)
{
	const struct catalog_column *col = cert_column(c, table, column);
	const char *bad = col ? bad_value(c, col, as_number) : NULL;
	if (bad) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "%s存的是文本（如“%s”），不能按大小比较或计算",
		        "%s is text such as \"%s\"; it cannot be ranked, compared or added up"),
		    cert_column_label(c, table, column), bad);
	}
}

static bool is_order_op(enum sql_op op)
{
	return op == SQL_OP_LT || op == SQL_OP_LE || op == SQL_OP_GT || op == SQL_OP_GE;
}

/* "The first in alphabetical order" ranks texts by their spelling on purpose. */
static bool wants_spelling(const struct cert *c)
{
	return cert_has_cue(c, CUE_ASC) || cert_has_cue(c, CUE_DESC) || cert_has_cue(c, CUE_SORT);
}

static void check_ranking(struct cert *c, const struct cert_check *k, size_t step)
{
	struct sql_select **list = NULL;
	size_t n = cert_selects(c, c->steps[step].tree, &list);
	for (size_t j = 0; j < n; j++) {
		uint32_t table, column;
		if (list[j]->n_order && list[j]->limit &&
		    cert_origin(list[j]->order[0].expr, &table, &column)) {
			fail(c, k, table, column, false);
		}
	}
}

void cert_check_text(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_aggregates; j++) {
			const struct sql_fact_aggregate *a = &f->aggregates[j];
			bool adds = strcmp(a->function, "sum") == 0 ||
			    strcmp(a->function, "avg") == 0 || strcmp(a->function, "total") == 0;
			bool ends = strcmp(a->function, "min") == 0 ||
			    strcmp(a->function, "max") == 0;
			if (adds || (ends && !wants_spelling(c))) {
				fail(c, k, a->table, a->column, adds);
			}
		}
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_fact_literal *l = &f->literals[j];
			if (is_order_op(l->op) && l->is_aggregate && l->expr->kind == SQL_STRING) {
				cert_line(c, k, CHECK_FAIL,
				    SAY(c, "查询拿数与文本“%s”比较",
				        "the query compares a number with the text \"%s\""),
				    cert_literal_text(c, l));
			} else if (is_order_op(l->op) && !l->is_aggregate) {
				fail(c, k, l->table, l->column, false);
			}
		}
		if (!wants_spelling(c)) {
			check_ranking(c, k, i);
		}
	}
}

/* Conditions and comparisons: what narrows the answer is no output of its own, two
 * sides are compared, and several things that were named are told apart. */
#include <string.h>
#include <strings.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* --- conditions that became outputs ------------------------------------------------------ */

/* Yes or no: all values are of one of the usual pairs. */
static bool is_flag(const struct catalog_column *col)
{
	static const char *const yes_no[] = {
	    "0", "1", "yes", "no", "y", "n", "true", "false", "t", "f", "是", "否"};
	bool is_bool = strcasestr(col->decl_type, "bool") || strcasecmp(col->decl_type, "bit") == 0;
	const struct value *list = col->n_domain ? col->domain : col->samples;
	size_t n = col->n_domain ? col->n_domain : col->n_samples;
	if (is_bool || n == 0 || n > 2) {
		return is_bool;
	}
	for (size_t i = 0; i < n; i++) {
		const struct value *v = &list[i];
		bool known = v->type == VALUE_INT && (v->i == 0 || v->i == 1);
		for (size_t j = 0; j < ARRAY_SIZE(yes_no) && v->type == VALUE_TEXT; j++) {
			known |= strcasecmp(v->text, yes_no[j]) == 0;
		}
		if (!known) {
			return false;
		}
	}
	return true;
}

/* "whether", "if", 是否 ask for the yes or no itself. */
static bool asks_whether(const struct cert *c)
{
	const char *q = c->g->question;
	return strcasestr(q, "whether") || strcasestr(q, " flag") || strcasestr(q, "status") ||
	    strstr(q, "是否");
}

/* "VIP customers", "which products are discontinued", 停产的产品: beside the thing
 * itself, as its property, not in a list of what is to be shown. */
static bool is_property(const struct cert *c, size_t span)
{
	const struct grounding_span *spans = c->g->spans;
	size_t behind = span + 1, before = span;
	while (behind < c->g->n_spans && c->zh && spans[behind].kind == SPAN_CUE &&
	    spans[behind].cue == CUE_OF) {
		behind++;
	}
	if (behind < c->g->n_spans && spans[behind].kind == SPAN_TABLE) {
		return true;
	}
	while (before > 0 && spans[before - 1].kind == SPAN_STOP) {
		before--;
	}
	return before > 0 && (before < span || c->zh) && spans[before - 1].kind == SPAN_TABLE;
}

/* "orders with discount", "products in stock": no word between the cue and the
 * column asks for its value ("with their discount"), so it is a condition. */
static bool is_bare_with(const struct cert *c, size_t span)
{
	const struct grounding_span *spans = c->g->spans;
	return span >= 2 && span + 1 == c->g->n_spans && spans[span - 2].kind == SPAN_TABLE &&
	    spans[span - 1].kind == SPAN_CUE &&
	    (spans[span - 1].cue == CUE_WITH || spans[span - 1].cue == CUE_FOR);
}

void cert_check_condition(struct cert *c, const struct cert_check *k)
{
	const uint32_t other = ~(uint32_t)SQL_ROLE_OUTPUT;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; j < s->n_targets && s->kind == SPAN_COLUMN; j++) {
			const struct span_target *t = &s->targets[j];
			const struct catalog_column *col = cert_column(c, t->table, t->column);
			uint32_t roles = col ? cert_roles_of(c, t->table, t->column) : 0;
			if (!(roles & SQL_ROLE_OUTPUT) || (roles & other)) {
				continue;
			}
			if ((is_flag(col) && is_property(c, i) && !asks_whether(c)) ||
			    is_bare_with(c, i)) {
				cert_line(c, k, CHECK_FAIL,
				    SAY(c, "“%s”是条件，查询只把%s列了出来，没有按它筛选",
				        "\"%s\" is a condition; the query only lists %s and leaves nothing out"),
				    cert_span_text(c, s),
				    cert_column_label(c, t->table, t->column));
				break;
			}
		}
	}
}

/* Growth and drop are differences of two figures, never one of them. */
static const char *change_word(const struct cert *c)
{
	static const char *const words[] = {"growth", "grew", "increase", "increased", "decrease",
	    "decreased", "drop", "dropped", "decline", "declined", "rise", "rose", "增长", "增幅",
	    "下降", "降幅", "涨幅", "减少", "增加"};
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_UNKNOWN && s->kind != SPAN_STOP && s->kind != SPAN_CUE) {
			continue;
		}
		const char *text = cert_span_text(c, s);
		for (size_t j = 0; j < ARRAY_SIZE(words); j++) {
			if (strcasecmp(text, words[j]) == 0) {
				return text;
			}
		}
	}
	return NULL;
}

static int find_arithmetic(struct sql_expr *x, void *arg)
{
	(void)arg;
	return x->kind == SQL_BINARY && (x->op == SQL_OP_SUB || x->op == SQL_OP_DIV);
}

void cert_check_change(struct cert *c, const struct cert_check *k)
{
	const char *word = change_word(c);
	for (size_t i = 0; i < c->n_steps && word; i++) {
		if (sql_walk(c->steps[i].tree, find_arithmetic, NULL)) {
			return;
		}
	}
	if (word) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”是两个数之差，查询没有相减",
		        "\"%s\" is a difference of two figures, the query takes none"),
		    word);
	}
}

/* "2021, 2022 and 2023", "men and women": several values of one column were named,
 * and the numbers of the result do not say which is whose. */
void cert_check_whose(struct cert *c, const struct cert_check *k)
{
	size_t last = c->n_steps - 1, n = 0;
	const struct sql_facts *f = &c->steps[last].facts;
	const struct sql_expr *x;
	for (; (x = measure_output(c, last, n)); n++) {
		uint32_t table, column;
		if (cert_origin(x, &table, &column) &&
		    (!catalog_column_is_numeric(cert_column(c, table, column)) ||
		        cert_is_time_column(c, table, column) || cert_is_key(c, table, column))) {
			return; /* it names the row */
		}
	}
	for (size_t i = 0; i < f->n_literals && n && !f->has_group_by; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct sql_fact_literal *a = &f->literals[i], *b = &f->literals[j];
			if (a->table != CERT_NONE && a->table == b->table &&
			    a->column == b->column && cert_effective_op(a) == SQL_OP_EQ &&
			    cert_effective_op(b) == SQL_OP_EQ && cert_has_cue(c, CUE_AND) &&
			    !cert_has_cue(c, CUE_OR) && !cert_has_cue(c, CUE_DIFFERENCE) &&
			    !cert_has_cue(c, CUE_SUM) && !cert_has_cue(c, CUE_RATIO)) {
				cert_line(c, k, f->n_aggregates ? CHECK_UNKNOWN : CHECK_FAIL,
				    SAY(c, "结果没有说明哪个数属于哪个%s",
				        "the result does not say which number is of which %s"),
				    cert_column_label(c, a->table, a->column));
				return;
			}
		}
	}
}

/* Only what the filter fixed is shown: the question's own words as its answer. */
void cert_check_constant(struct cert *c, const struct cert_check *k)
{
	size_t last = c->n_steps - 1, n = 0;
	const struct sql_expr *x;
	const char *label = NULL;
	for (; (x = measure_output(c, last, n)); n++) {
		uint32_t table, column;
		if (!cert_origin(x, &table, &column) || !cert_is_fixed(c, last, table, column)) {
			return;
		}
		label = cert_column_label(c, table, column);
	}
	if (n) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "结果只有%s，而它就是问题给的条件",
		        "the result shows only %s, which the question gave"),
		    label);
	}
}

/* --- comparisons ------------------------------------------------------------------------- */

static bool is_value(const struct sql_expr *x)
{
	while (x && (x->kind == SQL_UNARY || x->kind == SQL_CAST)) {
		x = x->left;
	}
	return !x || x->kind == SQL_NUMBER || x->kind == SQL_STRING || x->kind == SQL_NULL;
}

static int find_comparison(struct sql_expr *x, void *arg)
{
	(void)arg;
	return x->kind == SQL_BINARY && x->op >= SQL_OP_LT && x->op <= SQL_OP_GE &&
	    !is_value(x->left) && !is_value(x->right);
}

/* A comparison word without a number beside it compares two things of the data. */
static void check_two_sides(struct cert *c, const struct cert_check *k)
{
	const struct grounding_span *cue = NULL;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind == SPAN_QUANTITY || s->kind == SPAN_PERIOD || s->kind == SPAN_QUOTED) {
			return;
		}
		if (s->kind == SPAN_CUE &&
		    (s->cue == CUE_GT || s->cue == CUE_LT || s->cue == CUE_GE || s->cue == CUE_LE ||
		        strcmp(cert_span_text(c, s), "比") == 0)) {
			cue = s;
		}
	}
	for (size_t i = 0; i < c->n_steps && cue; i++) {
		/* A first step's finding is a constant of the next. */
		if (c->n_steps > 1 || c->steps[i].facts.has_negation ||
		    sql_walk(c->steps[i].tree, find_comparison, NULL)) {
			return;
		}
	}
	if (cue) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”要比较两个数，查询没有比较",
		        "\"%s\" compares two things, the query does not"),
		    cert_span_text(c, cue));
	}
}

/* A unit says what is measured ("300 hours"). */
static bool has_unit(const struct cert *c)
{
	for (size_t i = 0; i < c->g->n_quantities; i++) {
		if (c->g->quantities[i].base[0]) {
			return true;
		}
	}
	return false;
}

/* The table has no other number that could be meant. */
static bool is_only_number(const struct cert *c, uint32_t table, uint32_t column)
{
	const struct catalog_table *t = &c->g->catalog->tables[table];
	for (uint32_t i = 0; i < t->n_columns; i++) {
		if (i != column && catalog_column_is_numeric(&t->columns[i]) &&
		    !cert_is_key(c, table, i) && !cert_is_time_column(c, table, i)) {
			return false;
		}
	}
	return true;
}

/* A number of the question is held against a column that it names. */
void cert_check_compared(struct cert *c, const struct cert_check *k)
{
	check_two_sides(c, k);
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_fact_literal *l = &f->literals[j];
			bool orders = l->op >= SQL_OP_LT && l->op <= SQL_OP_GE;
			if (orders && !l->is_aggregate && l->expr->kind == SQL_NUMBER &&
			    cert_column(c, l->table, l->column) &&
			    !cert_is_mentioned(c, l->table, l->column) && !has_unit(c) &&
			    !is_only_number(c, l->table, l->column)) {
				cert_line(c, k, CHECK_FAIL,
				    SAY(c, "查询拿 %s 与%s比较，问题没有提到%s",
				        "the query compares %s with %s, but the question does not name %s"),
				    cert_literal_text(c, l),
				    cert_column_label(c, l->table, l->column),
				    cert_column_label(c, l->table, l->column));
			}
		}
	}
}

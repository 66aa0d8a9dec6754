/* Words and the columns beside them: what stands next to "highest", "average",
 * "more than" is what is ranked, averaged, compared; a condition is no output. */
#include <string.h>
#include <strings.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* --- what the rows below share ------------------------------------------------------ */

static uint32_t roles_of(const struct cert *c, uint32_t table, uint32_t column)
{
	uint32_t roles = 0;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			if (f->columns[j].table == table && f->columns[j].column == column) {
				roles |= f->columns[j].roles;
			}
		}
	}
	return roles;
}

/* The column span beside a cue, stop words and "of" aside; NULL if another word
 * stands there. */
static const struct grounding_span *beside(const struct cert *c, size_t cue, int step)
{
	size_t i = cue + (size_t)step;
	while (i < c->g->n_spans &&
	    (c->g->spans[i].kind == SPAN_STOP ||
	        (c->g->spans[i].kind == SPAN_CUE && c->g->spans[i].cue == CUE_OF && !c->zh))) {
		i += (size_t)step;
	}
	if (i >= c->g->n_spans || c->g->spans[i].kind != SPAN_COLUMN) {
		return NULL;
	}
	return &c->g->spans[i];
}

static bool any_role(const struct cert *c, const struct grounding_span *s, uint32_t roles)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct span_target *t = &s->targets[i];
		if (t->column != TARGET_NONE && (roles_of(c, t->table, t->column) & roles)) {
			return true;
		}
	}
	return false;
}

static bool is_named(const struct cert *c, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; j < s->n_targets; j++) {
			if (s->targets[j].table == table && s->targets[j].column == column) {
				return true;
			}
		}
	}
	return false;
}

/* --- ranked and aggregated by the column beside ---------------------------------------- */

static bool can_be_ranked(const struct cert *c, const struct grounding_span *s)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct span_target *t = &s->targets[i];
		const struct catalog_column *col = cert_column(c, t->table, t->column);
		if (i == 0 && col &&
		    (catalog_column_is_numeric(col) ||
		        cert_is_time_column(c, t->table, t->column)) &&
		    !cert_is_key(c, t->table, t->column)) {
			return true;
		}
	}
	return false;
}

static bool is_rank_cue(uint32_t cue)
{
	return cue == CUE_MOST || cue == CUE_LEAST || cue == CUE_MAX || cue == CUE_MIN ||
	    cue == CUE_TOP || cue == CUE_BOTTOM;
}

static bool is_sum_cue(uint32_t cue)
{
	return cue == CUE_SUM || cue == CUE_AVG;
}

/* "highest revenue", 营收最高: the revenue is ranked, whatever else is; "average
 * revenue": it is averaged. A number that one of two neighbours may be is enough. */
static void check_beside(struct cert *c, const struct cert_check *k, size_t cue)
{
	const struct grounding_span *s = &c->g->spans[cue];
	const struct grounding_span *behind = beside(c, cue, 1);
	const struct grounding_span *before = c->zh ? beside(c, cue, -1) : NULL;
	uint32_t roles = SQL_ROLE_AGGREGATED;
	if (is_rank_cue(s->cue)) {
		roles |= SQL_ROLE_ORDER;
	}
	behind = behind && can_be_ranked(c, behind) ? behind : NULL;
	before = before && can_be_ranked(c, before) ? before : NULL;
	/* 营收最高的一年: what stands before the Chinese superlative is what is ranked. */
	if (before && is_rank_cue(s->cue)) {
		behind = NULL;
	}
	if ((!behind && !before) || cert_is_stored(c, s) ||
	    (behind && any_role(c, behind, roles)) || (before && any_role(c, before, roles))) {
		return;
	}
	cert_line(c, k, CHECK_FAIL,
	    SAY(c, "“%s”说的是“%s”，查询却没有对它取值",
	        "\"%s\" is about \"%s\", the query applies it to something else"),
	    cert_span_text(c, s), cert_span_text(c, before ? before : behind));
}

/* Nothing in the question makes the latest year or the highest number the best. */
static void check_unnamed_rank(struct cert *c, const struct cert_check *k, size_t step)
{
	struct sql_select **list = NULL;
	size_t n = cert_selects(c, c->steps[step].tree, &list);
	if (cert_has_cue(c, CUE_EARLIEST) || cert_has_cue(c, CUE_LATEST)) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t table, column;
		if (!list[i]->n_order || !list[i]->limit ||
		    !cert_origin(list[i]->order[0].expr, &table, &column)) {
			continue;
		}
		bool named = false;
		for (size_t j = 0; j < c->g->n_spans; j++) {
			const struct grounding_span *s = &c->g->spans[j];
			for (size_t x = 0; x < s->n_targets && s->kind != SPAN_PERIOD; x++) {
				named |= s->targets[x].table == table &&
				    s->targets[x].column == column;
			}
		}
		if (!named &&
		    (cert_is_time_column(c, table, column) || cert_is_key(c, table, column))) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "查询按%s取最值，问题没有提到它；请说明按什么排名",
			        "the query ranks by %s, which the question does not name; say what to rank by"),
			    cert_column_label(c, table, column));
		}
	}
}

/* "sorted by age", "in descending order of hours": by that column. */
static void check_sorted(struct cert *c, const struct cert_check *k, size_t cue)
{
	const struct grounding_span *s = beside(c, cue, 1);
	if (s && cue > 0 && !c->zh && can_be_ranked(c, s) && !any_role(c, s, SQL_ROLE_ORDER) &&
	    c->steps[c->n_steps - 1].facts.has_order_by) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s %s”：查询按别的列排序",
		        "\"%s %s\": the query sorts by something else"),
		    cert_span_text(c, &c->g->spans[cue]), cert_span_text(c, s));
	}
}

/* "per shipper": the groups are shippers, not the days of shipping. */
static void check_group_of(struct cert *c, const struct cert_check *k, size_t cue)
{
	size_t i = cue + 1;
	while (i < c->g->n_spans && c->g->spans[i].kind == SPAN_STOP) {
		i++;
	}
	const struct grounding_span *s = &c->g->spans[i];
	if (i >= c->g->n_spans || s->kind != SPAN_TABLE || !s->n_targets ||
	    s->targets[0].column != TARGET_NONE || s->targets[0].score < 0.85F) {
		return;
	}
	uint32_t table = s->targets[0].table;
	bool groups = false;
	for (size_t j = 0; j < c->n_steps; j++) {
		const struct sql_facts *f = &c->steps[j].facts;
		for (size_t x = 0; x < f->n_columns; x++) {
			const struct sql_fact_column *col = &f->columns[x];
			if (!(col->roles & SQL_ROLE_GROUP)) {
				continue;
			}
			groups = true;
			bool refers = col->table == table;
			for (size_t r = 0; r < c->g->catalog->n_relations; r++) {
				const struct catalog_relation *rel = &c->g->catalog->relations[r];
				refers |= rel->to_table == table && rel->from_table == col->table &&
				    rel->from_columns[0] == col->column;
			}
			if (refers) {
				return;
			}
		}
	}
	if (groups) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s%s”：查询按别的列分组",
		        "\"%s %s\": the query groups by something else"),
		    cert_span_text(c, &c->g->spans[cue]), cert_span_text(c, s));
	}
}

/* "by age" without groups and without order loses the word. */
static void check_by(struct cert *c, const struct cert_check *k, size_t cue)
{
	const struct grounding_span *s = beside(c, cue, 1);
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	size_t end = cue + 1;
	while (end < c->g->n_spans && c->g->spans[end].kind == SPAN_STOP) {
		end++;
	}
	if (end == c->g->n_spans && end > cue + 1 && !f->has_group_by && !f->has_order_by) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s%s”：查询没有按它排序或分组",
		        "\"%s %s\": the query neither sorts nor groups by it"),
		    cert_span_text(c, &c->g->spans[cue]), cert_span_text(c, &c->g->spans[end - 1]));
		return;
	}
	uint32_t roles = SQL_ROLE_GROUP | SQL_ROLE_ORDER | SQL_ROLE_FILTER | SQL_ROLE_AGGREGATED |
	    SQL_ROLE_JOIN;
	if (s && !any_role(c, s, roles)) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s%s”：查询没有按它排序或分组",
		        "\"%s %s\": the query neither sorts nor groups by it"),
		    cert_span_text(c, &c->g->spans[cue]), cert_span_text(c, s));
	}
}

void cert_check_beside(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind == SPAN_CUE && (is_rank_cue(s->cue) || is_sum_cue(s->cue))) {
			check_beside(c, k, i);
		} else if (s->kind == SPAN_CUE && s->cue == CUE_BY) {
			check_by(c, k, i);
			check_group_of(c, k, i);
		} else if (s->kind == SPAN_CUE && s->cue == CUE_EACH) {
			check_group_of(c, k, i);
		} else if (s->kind == SPAN_CUE &&
		    (s->cue == CUE_SORT || s->cue == CUE_ASC || s->cue == CUE_DESC)) {
			check_sorted(c, k, i);
		}
	}
	for (size_t i = 0; i < c->n_steps; i++) {
		check_unnamed_rank(c, k, i);
	}
}

/* --- groups of months ------------------------------------------------------------------- */

static bool has_word(const struct cert *c, const struct grounding_span *s, const char *const *words)
{
	const char *text = cert_span_text(c, s);
	for (; *words; words++) {
		if (strcasestr(text, *words)) {
			return true;
		}
	}
	return false;
}

/* A whole date, as ISO writes it. */
static bool holds_dates(const struct catalog_column *col)
{
	return col->has_range && col->min.type == VALUE_TEXT && col->min.len >= 10 &&
	    col->min.text[4] == '-' && col->min.text[7] == '-';
}

/* "per month" over a column of days is a group a day unless the month is taken out
 * of it. */
void cert_check_grain(struct cert *c, const struct cert_check *k)
{
	static const char *const grains[] = {
	    "month", "quarter", "year", "annual", "月", "季", "年", NULL};
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE ||
		    (s->cue != CUE_TREND && s->cue != CUE_EACH && s->cue != CUE_BY) ||
		    (!has_word(c, s, grains) &&
		        (i + 1 >= c->g->n_spans || !has_word(c, s + 1, grains)))) {
			continue;
		}
		const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[c->n_steps - 1].tree, &list);
		for (size_t j = 0; j < n; j++) {
			const struct sql_core *core = list[j]->cores[0];
			for (size_t x = 0; x < core->n_group_by && f->has_group_by; x++) {
				uint32_t table, column;
				if (cert_origin(core->group_by[x], &table, &column) &&
				    holds_dates(cert_column(c, table, column))) {
					cert_line(c, k, CHECK_FAIL,
					    SAY(c, "“%s”：查询按%s的每一天分组",
					        "\"%s\": the query groups by every day of %s"),
					    cert_span_text(c, s),
					    cert_column_label(c, table, column));
				}
			}
		}
	}
}

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
			uint32_t roles = col ? roles_of(c, t->table, t->column) : 0;
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
			    !is_named(c, l->table, l->column) && !has_unit(c) &&
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

/* Ranking: the highest, the last, the top three, sorted by. What is asked for is
 * there, towards the right end, by something that can be ranked. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/cue.h"
#include "verify_agent/cert.h"

static bool has_order_and_limit(struct cert *c, bool desc)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		for (size_t j = 0; j < n; j++) {
			if (list[j]->n_order && list[j]->limit && list[j]->order[0].desc == desc) {
				return true;
			}
		}
	}
	return false;
}

/* 1 towards the large end, -1 towards the small one, 0 no superlative. */
static int direction_of(uint32_t cue)
{
	switch (cue) {
	case CUE_MOST:
	case CUE_TOP:
	case CUE_MAX:
	case CUE_LATEST: return 1;
	case CUE_LEAST:
	case CUE_BOTTOM:
	case CUE_MIN:
	case CUE_EARLIEST: return -1;
	default: return 0;
	}
}

static bool has_limit(struct cert *c, uint64_t want)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		for (size_t j = 0; j < n; j++) {
			const struct sql_expr *x = list[j]->limit;
			if (x && x->kind == SQL_NUMBER && strtoull(x->text, NULL, 10) == want) {
				return true;
			}
		}
	}
	return false;
}

static bool has_window(const struct cert *c)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (c->steps[i].facts.has_window) {
			return true;
		}
	}
	return false;
}

/* Something that has a more and a less: a number, a time, a count. Text is ranked
 * by its spelling only, which is not what "the highest" asks for. */
static bool is_rankable_column(const struct cert *c, uint32_t table, uint32_t column)
{
	const struct catalog_column *col = cert_column(c, table, column);
	if (catalog_column_is_numeric(col) || cert_is_time_column(c, table, column)) {
		return true;
	}
	/* Text with digits in front: dates, "1:34.5", codes with an order. */
	return !col->has_range || value_is_number(&col->min) ||
	    (col->min.type == VALUE_TEXT && isdigit((unsigned char)col->min.text[0]));
}

static bool is_rankable(const struct cert *c, const struct sql_expr *x)
{
	uint32_t table, column;
	return !cert_origin(x, &table, &column) || is_rankable_column(c, table, column);
}

static bool ranks_by_text(struct cert *c)
{
	bool any = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		for (size_t j = 0; j < n; j++) {
			const struct sql_select *s = list[j];
			if (s->n_order && s->limit) {
				if (is_rankable(c, s->order[0].expr)) {
					return false;
				}
				any = true;
			}
		}
	}
	return any;
}

static bool ranks_by_rank(const struct cert *c)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			const struct sql_fact_column *x = &f->columns[j];
			if ((x->roles & (SQL_ROLE_ORDER | SQL_ROLE_AGGREGATED)) &&
			    strcasestr(cert_column(c, x->table, x->column)->name, "rank")) {
				return true;
			}
		}
	}
	return false;
}

/* Rank 1 is the best, so the highest number is the last place. */
static const struct catalog_column *ranks_from_the_end(struct cert *c)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		for (size_t j = 0; j < n; j++) {
			const struct sql_select *s = list[j];
			uint32_t table, column;
			if (!s->n_order || !s->limit || !s->order[0].desc ||
			    !cert_origin(s->order[0].expr, &table, &column)) {
				continue;
			}
			const struct catalog_column *col = cert_column(c, table, column);
			const char *label = cert_column_label(c, table, column);
			if (strcasecmp(col->name, "rank") == 0 || strstr(label, "排名") ||
			    strstr(label, "名次")) {
				return col;
			}
		}
	}
	return NULL;
}

/* MAX in every group, where no groups were asked for, picks no row. */
static bool only_per_group(struct cert *c)
{
	if (cert_has_cue(c, CUE_EACH) || cert_has_cue(c, CUE_BY)) {
		return false;
	}
	if (has_order_and_limit(c, true) || has_order_and_limit(c, false)) {
		return false;
	}
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		/* A comparison with a MAX of its own is how the others pick. */
		if (n > 1) {
			return false;
		}
	}
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	return f->has_group_by && !f->has_having;
}

/* "the first position", "first grade" may be stored as the number 1. */
static bool has_literal_one(const struct cert *c)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			struct decimal d;
			if (f->literals[j].op == SQL_OP_EQ &&
			    cert_literal_decimal(&f->literals[j], &d) && d.digits == 1 &&
			    d.exponent == 0) {
				return true;
			}
		}
	}
	return false;
}

/* "first name" and "last name" are columns, whatever the words alone would say. */
static bool is_part_of_name(const struct cert *c, size_t cue)
{
	const struct grounding_span *s = &c->g->spans[cue];
	if ((s->cue != CUE_EARLIEST && s->cue != CUE_LATEST) || cue + 1 >= c->g->n_spans ||
	    s->len < 4) {
		return false;
	}
	const char *end = c->g->question + s->start + s->len;
	const struct grounding_span *next = &c->g->spans[cue + 1];
	/* "first and last name", with "last name" as one or as two words */
	if (next->kind == SPAN_CUE && next->cue == CUE_AND && cue + 3 < c->g->n_spans) {
		next = &c->g->spans[c->g->spans[cue + 2].kind == SPAN_CUE ? cue + 3 : cue + 2];
	}
	if (strncasecmp(end - 4, "last", 4) != 0 &&
	    (s->len < 5 || strncasecmp(end - 5, "first", 5) != 0)) {
		return false;
	}
	for (size_t i = 0; next->kind == SPAN_COLUMN && i < next->n_targets; i++) {
		const struct span_target *t = &next->targets[i];
		const struct catalog_column *col = cert_column(c, t->table, t->column);
		if (col && cert_uses_column(c, t->table, t->column) &&
		    !is_rankable_column(c, t->table, t->column)) {
			return true;
		}
	}
	const char *words = cert_span_text(c, next);
	return (next->kind == SPAN_COLUMN && strcasestr(words, "name")) || has_literal_one(c);
}

static void check_superlative(
    struct cert *c, const struct cert_check *k, const struct grounding_span *s)
{
	int direction = direction_of(s->cue);
	const char *text = cert_span_text(c, s);
	bool up = has_order_and_limit(c, true) || cert_has_aggregate(c, "max", NULL);
	bool down = has_order_and_limit(c, false) || cert_has_aggregate(c, "min", NULL);
	if (cert_is_stored(c, s)) {
		return; /* "maximum" as the name of a column */
	}
	if (!up && !down) {
		bool window = has_window(c);
		cert_line(c, k, window ? CHECK_UNKNOWN : CHECK_FAIL,
		    window ? SAY(c, "“%s”由窗口函数求得", "\"%s\" is worked out by a window")
		           : SAY(c, "“%s”：查询没有取最值", "\"%s\": the query does not rank"),
		    text);
		return;
	}
	if (direction > 0 ? !up : !down) {
		/* "oldest" is the highest age and the earliest birth date, and the highest
		 * rank is number 1: there either end may be meant. */
		cert_line(c, k, s->n_targets || ranks_by_rank(c) ? CHECK_UNKNOWN : CHECK_FAIL,
		    SAY(c, "“%s”：排序方向相反", "\"%s\": the query ranks the other way"), text);
		return;
	}
	const struct catalog_column *rank = direction > 0 ? ranks_from_the_end(c) : NULL;
	if (rank) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：%s 是名次，数字最小的才是第一",
		        "\"%s\": %s is a rank, its smallest number is the first"),
		    text, rank->name);
		return;
	}
	if (ranks_by_text(c) || only_per_group(c)) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：排序的依据不是数或时间",
		        "\"%s\": the query ranks by no number or time"),
		    text);
		return;
	}
	bool counted = s->cue == CUE_TOP || s->cue == CUE_BOTTOM || s->cue == CUE_MOST ||
	    s->cue == CUE_LEAST;
	bool computed = cert_has_cue(c, CUE_DIFFERENCE) || cert_has_cue(c, CUE_RATIO) ||
	    cert_has_cue(c, CUE_SHARE) || cert_has_cue(c, CUE_SUM) || cert_has_cue(c, CUE_AVG);
	if (counted && s->cue_arg && !computed && !has_limit(c, s->cue_arg)) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：查询没有取 %u 个", "\"%s\": the query does not take %u"), text,
		    s->cue_arg);
		return;
	}
	cert_line(c, k, CHECK_PASS, SAY(c, "“%s”：已取最值", "\"%s\": the query ranks"), text);
}

static void check_order(struct cert *c, const struct cert_check *k, const struct grounding_span *s)
{
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	const char *text = cert_span_text(c, s);
	if (cert_is_stored(c, s)) {
		return; /* "rank" as the name of a column */
	}
	if (!f->has_order_by) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "“%s”：查询没有排序", "\"%s\": the query does not sort"), text);
	} else if (s->cue != CUE_SORT && (s->cue == CUE_DESC) != f->order_desc) {
		cert_line(c, k, s->n_targets ? CHECK_UNKNOWN : CHECK_FAIL,
		    SAY(c, "“%s”：排序方向相反", "\"%s\": the query sorts the other way"), text);
	} else {
		cert_line(c, k, CHECK_PASS, SAY(c, "“%s”：已排序", "\"%s\": sorted"), text);
	}
}

void cert_check_superlative(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE) {
			continue;
		}
		if (is_part_of_name(c, i)) {
			continue;
		}
		if (direction_of(s->cue)) {
			check_superlative(c, k, s);
		} else if (s->cue == CUE_SORT || s->cue == CUE_ASC || s->cue == CUE_DESC) {
			check_order(c, k, s);
		}
	}
}

/* --- ties ------------------------------------------------------------------------------ */

/* Values of the column that all differ cannot tie. */
static bool cannot_tie(const struct cert *c, const struct sql_expr *x)
{
	uint32_t table, column;
	if (!cert_origin(x, &table, &column)) {
		return false;
	}
	const struct catalog_table *t = &c->g->catalog->tables[table];
	const struct catalog_column *col = &t->columns[column];
	return col->is_unique || (t->n_rows >= 0 && col->n_distinct == t->n_rows);
}

static bool is_literally_one(const struct sql_expr *x)
{
	return x && x->kind == SQL_NUMBER && strcmp(x->text, "1") == 0;
}

void cert_check_ties(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		struct sql_select **list = NULL;
		size_t n = cert_selects(c, c->steps[i].tree, &list);
		for (size_t j = 0; j < n; j++) {
			const struct sql_select *s = list[j];
			if (!s->n_order || !is_literally_one(s->limit)) {
				continue;
			}
			bool safe = cannot_tie(c, s->order[0].expr);
			cert_line(c, k, safe ? CHECK_PASS : CHECK_UNKNOWN,
			    safe ? SAY(c, "第一名不会并列", "the first place cannot be shared")
			         : SAY(c, "第一名可能并列，只取了一行",
			               "the first place may be shared; one row was taken"));
		}
	}
	const struct resultset *first = c->steps[0].in->result;
	/* Two leaders, and a further step that goes on with them: whose value is
	 * meant is for the user to say. */
	if (c->n_steps > 1 && first && first->n_rows > 1 && !cert_has_cue(c, CUE_EACH) &&
	    (cert_has_cue(c, CUE_MOST) || cert_has_cue(c, CUE_LEAST))) {
		c->is_tie = true;
		cert_line(c, k, CHECK_NOTE,
		    SAY(c, "第一步有 %zu 个并列结果", "the first step has %zu results in a tie"),
		    first->n_rows);
	}
}

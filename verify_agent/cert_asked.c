/* Words and the columns beside them: what stands next to "highest", "average",
 * "sorted by", "per" is what is ranked, averaged, sorted and grouped by. */
#include <string.h>
#include <strings.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

/* --- what the rows below share ------------------------------------------------------ */

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
		if (t->column != TARGET_NONE && (cert_roles_of(c, t->table, t->column) & roles)) {
			return true;
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

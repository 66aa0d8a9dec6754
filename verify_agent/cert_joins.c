/* How the candidate's tables come together: along known relations, and without
 * counting a row more than once. */
#include <string.h>

#include "verify_agent/cert.h"

static const char *join_text(const struct cert *c, const struct sql_fact_join *j)
{
	const struct catalog_table *from = &c->g->catalog->tables[j->from_table];
	const struct catalog_table *to = &c->g->catalog->tables[j->to_table];
	if (!j->n_columns) {
		return arena_printf(c->a, "%s, %s", from->name, to->name);
	}
	const char *text = "";
	for (size_t i = 0; i < j->n_columns; i++) {
		text = arena_printf(c->a, "%s%s%s.%s = %s.%s", text, i ? ", " : "", from->name,
		    from->columns[j->from_columns[i]].name, to->name,
		    to->columns[j->to_columns[i]].name);
	}
	return text;
}

struct column {
	uint32_t table, column;
};

/* All columns that relations tie to the first of the list, directly or over
 * others, are added to it. */
static void follow(struct cert *c, struct column **list, size_t *n)
{
	const struct catalog *cat = c->g->catalog;
	for (size_t at = 0; at < *n; at++) {
		for (size_t i = 0; i < cat->n_relations; i++) {
			const struct catalog_relation *r = &cat->relations[i];
			for (size_t k = 0; k < r->n_columns; k++) {
				struct column from = {r->from_table, r->from_columns[k]};
				struct column to = {r->to_table, r->to_columns[k]},
				              here = (*list)[at];
				bool is_from = from.table == here.table &&
				    from.column == here.column;
				bool is_to = to.table == here.table && to.column == here.column;
				struct column next = is_from ? to : from;
				bool known = !is_from && !is_to;
				for (size_t j = 0; j < *n && !known; j++) {
					known = (*list)[j].table == next.table &&
					    (*list)[j].column == next.column;
				}
				if (!known) {
					*arena_push(c->a, *list, *n) = next;
				}
			}
		}
	}
}

/* Both sides are the same thing: financials.company_id and production.company_id
 * refer to one column (the edge through the parent, with the parent left out), or
 * a table is joined to itself. */
static bool is_same_thing(struct cert *c, const struct sql_fact_join *j)
{
	for (size_t i = 0; i < j->n_columns; i++) {
		struct column *list = NULL;
		size_t n = 0;
		*arena_push(c->a, list, n) = (struct column){j->from_table, j->from_columns[i]};
		follow(c, &list, &n);
		for (size_t k = 0; k < n; k++) {
			if (list[k].table == j->to_table && list[k].column == j->to_columns[i]) {
				return true;
			}
		}
	}
	return false;
}

static bool has_same_name(const struct cert *c, const struct sql_fact_join *j)
{
	return j->n_columns &&
	    strcasecmp(cert_column(c, j->from_table, j->from_columns[0])->name,
	        cert_column(c, j->to_table, j->to_columns[0])->name) == 0;
}

static void check_join(struct cert *c, const struct cert_check *k, const struct sql_fact_join *j)
{
	const char *text = join_text(c, j);
	if (j->relation >= 0 && (size_t)j->relation < c->g->catalog->n_relations) {
		const struct catalog_relation *r = &c->g->catalog->relations[j->relation];
		switch (r->origin) {
		case RELATION_DECLARED:
			cert_line(c, k, CHECK_PASS, SAY(c, "%s（外键）", "%s (foreign key)"), text);
			break;
		case RELATION_MODEL:
			cert_line(c, k, CHECK_PASS, SAY(c, "%s（语义模型）", "%s (semantic model)"),
			    text);
			break;
		case RELATION_INFERRED:
			cert_line(c, k, CHECK_PASS,
			    SAY(c, "%s（由数据推断：%s）", "%s (inferred from the data: %s)"), text,
			    r->evidence);
			cert_assume(c,
			    arena_printf(c->a,
			        SAY(c, "关联 %s 由数据推断",
			            "the join %s is inferred from the data"),
			        text));
			break;
		}
		return;
	}
	if (is_same_thing(c, j)) {
		cert_line(c, k, CHECK_PASS, SAY(c, "%s（同一实体）", "%s (the same entity)"), text);
	} else if (!j->n_columns) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "%s 之间没有关联条件", "%s are joined without a condition"), text);
	} else {
		/* A condition that keeps or drops rows cannot multiply them; columns of one
		 * name (both tables' year) often do mean the same. */
		cert_line(c, k, j->is_semi || has_same_name(c, j) ? CHECK_UNKNOWN : CHECK_FAIL,
		    SAY(c, "没有已知关系支持关联 %s",
		        "no known relation stands behind the join %s"),
		    text);
	}
}

void cert_check_joins(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		for (size_t j = 0; j < c->steps[i].facts.n_joins; j++) {
			check_join(c, k, &c->steps[i].facts.joins[j]);
		}
	}
}

static const char *scope_table(const struct cert *c, const struct sql_fact_scope *s)
{
	return s->fan_out_table < c->g->catalog->n_tables
	    ? c->g->catalog->tables[s->fan_out_table].name
	    : SAY(c, "子查询", "a subquery");
}

static bool is_mild(const struct sql_fact_scope *s)
{
	return s->function && (strcmp(s->function, "avg") == 0);
}

void cert_check_fan_out(struct cert *c, const struct cert_check *k)
{
	bool applies = false, failed = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		applies |= f->n_aggregates > 0 && f->n_joins > 0;
		for (size_t j = 0; j < f->n_scopes; j++) {
			if (f->scopes[j].has_fan_out) {
				failed = true;
				/* Doubled rows shift an average; they break a sum. */
				cert_line(c, k, is_mild(&f->scopes[j]) ? CHECK_UNKNOWN : CHECK_FAIL,
				    SAY(c, "聚合前 %s 的行被一对多关联重复计算",
				        "rows of %s are multiplied by a one-to-many join before they "
				        "are aggregated"),
				    scope_table(c, &f->scopes[j]));
			}
		}
	}
	if (applies && !failed) {
		cert_line(c, k, CHECK_PASS,
		    SAY(c, "聚合没有重复计算", "no row is counted twice by a join"));
	}
}

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

/* The column that table.column refers to by a relation of one column. */
static bool refers_to(const struct catalog *c, uint32_t table, uint32_t column, size_t *at,
    uint32_t *ret_table, uint32_t *ret_column)
{
	for (; *at < c->n_relations; (*at)++) {
		const struct catalog_relation *r = &c->relations[*at];
		if (r->n_columns == 1 && r->from_table == table && r->from_columns[0] == column) {
			*ret_table = r->to_table;
			*ret_column = r->to_columns[0];
			(*at)++;
			return true;
		}
	}
	return false;
}

/* Both sides refer to the same column, as financials.company_id and
 * production.company_id do: the edge through the parent, with the parent left
 * out. Also a table joined to itself on the same column. */
static bool share_a_parent(const struct cert *c, const struct sql_fact_join *j)
{
	if (j->n_columns == 0) {
		return false;
	}
	for (size_t i = 0; i < j->n_columns; i++) {
		uint32_t a = j->from_columns[i], b = j->to_columns[i];
		bool same = j->from_table == j->to_table && a == b;
		uint32_t t1, c1, t2, c2;
		for (size_t x = 0;
		     !same && refers_to(c->g->catalog, j->from_table, a, &x, &t1, &c1);) {
			for (size_t y = 0;
			     !same && refers_to(c->g->catalog, j->to_table, b, &y, &t2, &c2);) {
				same = t1 == t2 && c1 == c2;
			}
		}
		if (same) {
			return true;
		}
	}
	return false;
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
	if (share_a_parent(c, j)) {
		cert_line(c, k, CHECK_PASS, SAY(c, "%s（同一实体）", "%s (the same entity)"), text);
	} else if (!j->n_columns) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "%s 之间没有关联条件", "%s are joined without a condition"), text);
	} else {
		/* A condition that keeps or drops rows cannot multiply them. */
		cert_line(c, k, j->is_semi ? CHECK_UNKNOWN : CHECK_FAIL,
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

void cert_check_fan_out(struct cert *c, const struct cert_check *k)
{
	bool applies = false, failed = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		applies |= f->n_aggregates > 0 && f->n_joins > 0;
		for (size_t j = 0; j < f->n_scopes; j++) {
			if (f->scopes[j].has_fan_out) {
				failed = true;
				cert_line(c, k, CHECK_FAIL,
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

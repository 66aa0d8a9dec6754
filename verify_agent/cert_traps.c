/* What goes wrong by accident in correct-looking SQL, and a metric that must not
 * be changed. */
#include <string.h>

#include "common/text/cue.h"
#include "verify_agent/measure.h"

void cert_check_division(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (c->steps[i].facts.integer_division) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "两个整数相除会丢掉小数",
			        "dividing two integers drops the fraction"));
		}
	}
}

void cert_check_not_in(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (c->steps[i].facts.not_in_nullable) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "NOT IN 的子查询可能含 NULL，会得到空结果",
			        "NOT IN over a column that may be NULL finds nothing"));
		}
	}
}

struct metric_walk {
	struct cert *c;
	const struct semantic_metric *metric;
};

static int is_metric_visit(struct sql_expr *x, void *arg)
{
	struct metric_walk *w = arg;
	return measure_is_metric(w->c, x, w->metric);
}

void cert_check_metric(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_METRIC || !s->n_targets ||
		    s->targets[0].metric >= c->g->semantic->n_metrics) {
			continue;
		}
		struct metric_walk w = {c, &c->g->semantic->metrics[s->targets[0].metric]};
		bool found = false;
		for (size_t j = 0; j < c->n_steps; j++) {
			found |= c->steps[j].tree &&
			    sql_walk(c->steps[j].tree, is_metric_visit, &w);
		}
		cert_line(c, k, found ? CHECK_PASS : CHECK_FAIL,
		    found
		        ? SAY(c, "“%s”按定义计算：%s", "\"%s\" is computed as defined: %s")
		        : SAY(c, "“%s”没有按定义计算：%s", "\"%s\" is not computed as defined: %s"),
		    cert_span_text(c, s), w.metric->expression);
		cert_quote(c, w.metric->expression);
		if (found && w.metric->description[0]) {
			cert_quote(c, w.metric->description);
			cert_define(c,
			    arena_printf(c->a, SAY(c, "%s：%s", "%s: %s"), cert_span_text(c, s),
			        w.metric->description));
		}
	}
}

/* --- whom the question is about -------------------------------------------------- */

static bool asks_which(const struct cert *c, const struct grounding_span *s)
{
	const char *text = cert_span_text(c, s);
	return s->kind == SPAN_CUE &&
	    (s->cue == CUE_WHICH || s->cue == CUE_WHO || s->cue == CUE_WHERE) &&
	    (strstr(text, "哪") || strcasestr(text, "which"));
}

/* "which companies", 公司是哪家: the cue stands beside the table, stop words aside. */
static bool is_asked_for(const struct cert *c, size_t table)
{
	for (int step = -1; step <= 1; step += 2) {
		size_t i = table + (size_t)step;
		while (i < c->g->n_spans && c->g->spans[i].kind == SPAN_STOP) {
			i += (size_t)step;
		}
		if (i < c->g->n_spans && asks_which(c, &c->g->spans[i])) {
			return true;
		}
	}
	return false;
}

/* A column of the table is put out, or one that refers to it. */
static bool is_put_out(const struct cert *c, uint32_t table)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_expr *x;
		for (size_t j = 0; (x = measure_output(c, i, j)); j++) {
			uint32_t t, k;
			if (!cert_origin(x, &t, &k) || t == table) {
				return true;
			}
			for (size_t r = 0; r < c->g->catalog->n_relations; r++) {
				const struct catalog_relation *rel = &c->g->catalog->relations[r];
				if (rel->from_table == t && rel->to_table == table &&
				    rel->from_columns[0] == k) {
					return true;
				}
			}
		}
	}
	return false;
}

void cert_check_subject(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind == SPAN_TABLE && s->n_targets && s->targets[0].table != TARGET_NONE &&
		    is_asked_for(c, i) && !is_put_out(c, s->targets[0].table)) {
			cert_line(c, k, CHECK_UNKNOWN,
			    SAY(c, "问的是“%s”，结果里没有",
			        "\"%s\" is asked for, but not in the result"),
			    cert_span_text(c, s));
		}
	}
}

/* --- outputs ----------------------------------------------------------------------------- */

/* Asked for: named, the name of a table's things, a group, or the unit of
 * another output. */
static bool is_asked(
    const struct cert *c, const struct sql_facts *f, uint32_t table, uint32_t column)
{
	const struct semantic_dataset *d = semantic_dataset_of(
	    c->g->semantic, c->g->catalog, table);
	const char *name = cert_column(c, table, column)->name;
	for (size_t i = 0; d && i < d->n_fields; i++) {
		if (strcasecmp(d->fields[i].unit_column, name) == 0) {
			return true;
		}
	}
	for (size_t i = 0; i < f->n_columns; i++) {
		if (f->columns[i].table == table && f->columns[i].column == column &&
		    (f->columns[i].roles & (SQL_ROLE_GROUP | SQL_ROLE_ORDER))) {
			return true;
		}
	}
	return cert_is_name(c, table, column) || cert_is_mentioned(c, table, column);
}

void cert_check_outputs(struct cert *c, const struct cert_check *k)
{
	size_t last = c->n_steps - 1;
	const struct sql_expr *x;
	for (size_t i = 0; (x = measure_output(c, last, i)); i++) {
		uint32_t table, column;
		if (cert_origin(x, &table, &column) &&
		    !is_asked(c, &c->steps[last].facts, table, column)) {
			cert_line(c, k, CHECK_NOTE,
			    SAY(c, "列 %s 没有被问到", "column %s was not asked for"),
			    cert_column_label(c, table, column));
		}
	}
}

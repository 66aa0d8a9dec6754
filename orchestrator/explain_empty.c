/* See explain_empty.h. Output 0 counts all rows of FROM; then for condition i
 * output 1 + 2i counts what it lets through alone, 2 + 2i what is left after
 * conditions 0..i. */
#include "orchestrator/explain_empty.h"

#include <string.h>

#include "common/base/utf8.h"
#include "common/sql/build.h"
#include "common/sql/sql.h"

#define PRINT_MAX (128 * 1024)
#define SHOWN_MAX 120

/* Splits AND chains, left to right. */
static void split(struct sql_expr *x, struct sql_expr **out, size_t *n, size_t *ret_total)
{
	if (x->kind == SQL_BINARY && x->op == SQL_OP_AND) {
		split(x->left, out, n, ret_total);
		split(x->right, out, n, ret_total);
		return;
	}
	(*ret_total)++;
	if (*n < EXPLAIN_MAX)
		out[(*n)++] = x;
}

static struct sql_expr *count_where(struct arena *a, struct sql_expr *condition)
{
	struct sql_expr *count = sql_build_count_star(a);

	count->filter = condition;
	return count;
}

static const char *print_condition(struct arena *a, const struct sql_expr *x)
{
	struct strbuf text;
	const char *out;
	size_t cut;

	strbuf_init(&text, PRINT_MAX);
	sql_print_expr(&text, &sql_dialect_sqlite, x, SQL_PRINT_SHOWN);
	cut = utf8_cut(text.data, text.len, SHOWN_MAX);
	out = arena_printf(a, "%.*s%s", (int)cut, text.data, cut < text.len ? "…" : "");
	strbuf_done(&text);
	return out;
}

bool explain_empty_plan(struct arena *a, const char *sql, struct explain_plan *ret_plan)
{
	struct sql_select *s = NULL, *q;
	struct sql_core *from, *core;
	struct sql_expr *parts[EXPLAIN_MAX], *before = NULL;
	struct explain_plan plan = {0};
	struct strbuf text;
	size_t total = 0;

	if (sql_parse(a, &sql_dialect_sqlite, sql, strlen(sql), &s, NULL) || s->n_cores != 1)
		return false;
	from = s->cores[0];
	if (!from->n_from || from->n_values)
		return false;
	if (from->where)
		split(from->where, parts, &plan.n, &total);

	q = sql_build_select(a);
	core = q->cores[0];
	q->recursive = s->recursive;
	q->ctes = s->ctes;
	q->n_ctes = s->n_ctes;
	core->from = from->from;
	core->n_from = from->n_from;
	sql_build_output(a, core, sql_build_count_star(a), NULL);
	for (size_t i = 0; i < plan.n; i++) {
		plan.conditions[i] = print_condition(a, parts[i]);
		before = sql_build_and(a, before, parts[i]);
		sql_build_output(a, core, count_where(a, parts[i]), NULL);
		sql_build_output(a, core, count_where(a, before), NULL);
	}
	plan.has_more = total > plan.n || from->having;

	strbuf_init(&text, PRINT_MAX);
	sql_print(&text, &sql_dialect_sqlite, q, SQL_PRINT_SHOWN, 0);
	if (!text.failed)
		plan.sql = arena_strndup(a, text.data, text.len);
	strbuf_done(&text);
	*ret_plan = plan;
	return plan.sql != NULL;
}

const char *explain_empty_tell(struct arena *a, const struct explain_plan *plan,
    const struct resultset *counts, bool is_chinese)
{
	const char *none = NULL;
	size_t last = plan->n;

	if (counts->n_rows != 1 || counts->n_columns != 1 + 2 * plan->n)
		return NULL;
	if (resultset_cell(counts, 0, 0)->i == 0)
		return is_chinese ? "所用的表（或它们的连接）中没有任何行"
		                  : "the tables used, joined as they are, hold no rows at all";
	for (size_t i = 0; i < plan->n; i++) {
		if (!none && resultset_cell(counts, 0, 1 + 2 * i)->i == 0)
			none = plan->conditions[i];
		if (last == plan->n && resultset_cell(counts, 0, 2 + 2 * i)->i == 0)
			last = i;
	}
	if (none)
		return arena_printf(
		    a, is_chinese ? "没有任何行满足条件 %s" : "no row satisfies %s", none);
	if (last < plan->n)
		return arena_printf(a,
		    is_chinese
		        ? "每个条件单独都有行满足，加上 %s 之后一行也不剩"
		        : "each condition alone is satisfied by some rows, but with %s none is left",
		    plan->conditions[last]);
	return NULL;
}

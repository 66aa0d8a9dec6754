/* Canonical text of selects. What is shown keeps the author's aliases, stars,
 * USING and NATURAL; what runs has names of ours for every FROM item (t1 ...),
 * CTE and inner column (c1 ...), joins with ON, only the CTEs that are used,
 * and a limit. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/sql/keyword.h"
#include "common/sql/print.h"

static void put(const struct sql_printer *p, const char *s)
{
	strbuf_puts(p->out, s);
}

static void put_names(const struct sql_printer *p, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			put(p, ", ");
		sql_put_name(p, names[i]);
	}
}

static bool is_run(const struct sql_printer *p)
{
	return p->mode == SQL_PRINT_RUN;
}

void sql_put_source_column(const struct sql_printer *p, const struct sql_source *f, int column)
{
	if (f->kind == SQL_SOURCE_CTE)
		strbuf_printf(p->out, "c%d", column + 1);
	else if (f->kind == SQL_SOURCE_SELECT && f->select->cores[0]->n_values > 0)
		strbuf_printf(p->out, "column%d", column + 1);
	else if (f->kind == SQL_SOURCE_SELECT)
		strbuf_printf(p->out, "c%d", column + 1);
	else
		sql_put_name(p, f->columns[column]);
}

/* --- ORDER BY, GROUP BY --------------------------------------------------------------------- */

/* A term that names an output column runs as that column's position: there is
 * nothing that such a number could be taken for. */
static bool put_position(const struct sql_printer *p, const struct sql_expr *x)
{
	if (!is_run(p) || x->kind != SQL_COLUMN || !x->bound.is_output)
		return false;
	strbuf_printf(p->out, "%d", x->bound.output + 1);
	return true;
}

static void put_term(const struct sql_printer *p, const struct sql_expr *x)
{
	if (is_run(p) && x->kind == SQL_COLLATE && put_position(p, x->left)) {
		put(p, " COLLATE ");
		sql_put_name(p, x->text);
	} else if (!put_position(p, x)) {
		sql_put_expr(p, x);
	}
}

void sql_put_order(const struct sql_printer *p, const struct sql_order_term *terms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			put(p, ", ");
		put_term(p, terms[i].expr);
		if (terms[i].desc)
			put(p, " DESC");
		if (terms[i].nulls)
			put(p, terms[i].nulls == 1 ? " NULLS FIRST" : " NULLS LAST");
	}
}

static void put_group(const struct sql_printer *p, const struct sql_core *c)
{
	for (size_t i = 0; i < c->n_group_by; i++) {
		put(p, i == 0 ? " GROUP BY " : ", ");
		put_term(p, c->group_by[i]);
	}
}

/* --- FROM -------------------------------------------------------------------------------------- */

static void put_source(const struct sql_printer *p, const struct sql_source *f);

/* The items of a FROM. What opens up (sql_source_opens) takes the place of its
 * parentheses: its first item is joined by `join`, its last has `on` too. */
static void put_sources(const struct sql_printer *p, struct sql_source *const *from, size_t n,
    enum sql_join join, const struct sql_expr *on)
{
	static const char *const joins[] = {
	    "", ", ", " JOIN ", " CROSS JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "};
	static const char *const natural[] = {"", ", ", " NATURAL JOIN ", " NATURAL CROSS JOIN ",
	    " NATURAL LEFT JOIN ", " NATURAL RIGHT JOIN ", " NATURAL FULL JOIN "};
	for (size_t i = 0; i < n; i++) {
		const struct sql_source *f = from[i];
		enum sql_join how = i == 0 ? join : f->join;
		const struct sql_expr *also = i + 1 == n ? on : NULL;
		struct sql_expr both = {.kind = SQL_BINARY, .op = SQL_OP_AND};
		if (is_run(p) && f->on && also) {
			both.left = f->on;
			both.right = (struct sql_expr *)also;
			also = &both;
		} else if (is_run(p) && f->on) {
			also = f->on;
		}
		if (is_run(p) && f->kind == SQL_SOURCE_NESTED && sql_source_opens(f)) {
			put_sources(p, f->from, f->n_from, how, also);
			continue;
		}
		put(p, f->natural && !is_run(p) ? natural[how] : joins[how]);
		put_source(p, f);
		if (!is_run(p) && f->n_using > 0) {
			put(p, " USING (");
			put_names(p, f->using, f->n_using);
			put(p, ")");
		} else if (is_run(p) ? also != NULL : f->on && !f->natural) {
			put(p, " ON ");
			sql_put_expr(p, is_run(p) ? also : f->on);
		}
	}
}

static void put_source_name(const struct sql_printer *p, const struct sql_source *f)
{
	const char *schema = f->schema, *name = f->name;
	if (is_run(p) && f->kind == SQL_SOURCE_CTE && f->cte)
		name = f->cte->print_name;
	if (is_run(p) && f->kind == SQL_SOURCE_TABLE && f->print_schema)
		schema = f->print_schema;
	if (schema) {
		sql_put_name(p, schema);
		put(p, ".");
	}
	sql_put_name(p, name);
}

static void put_source(const struct sql_printer *p, const struct sql_source *f)
{
	const char *alias = is_run(p) && f->print_name ? f->print_name : f->alias;
	switch (f->kind) {
	case SQL_SOURCE_TABLE:
	case SQL_SOURCE_CTE: put_source_name(p, f); break;
	case SQL_SOURCE_FUNCTION:
		sql_put_name(p, f->name);
		put(p, "(");
		sql_put_list(p, f->args, f->n_args);
		put(p, ")");
		break;
	case SQL_SOURCE_SELECT:
		put(p, "(");
		sql_put_select(p, f->select, SQL_USE_NAMED, 0);
		put(p, ")");
		break;
	case SQL_SOURCE_NESTED:
		put(p, "(");
		put_sources(p, f->from, f->n_from, SQL_JOIN_FIRST, NULL);
		put(p, ")");
		return;
	}
	if (alias) {
		put(p, " AS ");
		sql_put_name(p, alias);
	}
}

/* --- cores -------------------------------------------------------------------------------------- */

/* What the engine itself would call this output; NULL if that is not certain. */
static const char *engine_name(const struct sql_output *o)
{
	const struct sql_expr *x = o->expr;
	if (x->kind != SQL_COLUMN || !x->bound.source || x->bound.target ||
	    x->bound.source->kind != SQL_SOURCE_TABLE)
		return NULL;
	return x->bound.source->columns[x->bound.column];
}

static void put_output_run(const struct sql_printer *p, const struct sql_output *o, size_t i,
    const char *name, enum sql_print_use use)
{
	const char *engine = engine_name(o);
	sql_put_expr(p, o->expr);
	if (use == SQL_USE_NAMED) {
		strbuf_printf(p->out, " AS c%zu", i + 1);
	} else if (use == SQL_USE_OUTER && name && !(engine && strcmp(engine, name) == 0)) {
		put(p, " AS ");
		sql_put_name(p, name);
	}
}

static void put_outputs(const struct sql_printer *p, const struct sql_core *c,
    const char *const *names, enum sql_print_use use)
{
	const char *comma = "";
	for (size_t i = 0; i < c->n_outputs; i++) {
		const struct sql_output *o = &c->outputs[i];
		bool is_star = o->star || (o->from_star > 0 && !is_run(p));
		/* What a star became is shown as that star, once. */
		if (o->from_star > 0 && !is_run(p) && i > 0 &&
		    c->outputs[i - 1].from_star == o->from_star)
			continue;
		put(p, comma);
		comma = ", ";
		if (is_star) {
			if (o->star_table) {
				sql_put_name(p, o->star_table);
				put(p, ".");
			}
			put(p, "*");
		} else if (is_run(p)) {
			put_output_run(p, o, i, names ? names[i] : o->alias, use);
		} else {
			sql_put_expr(p, o->expr);
			if (o->alias) {
				put(p, " AS ");
				sql_put_name(p, o->alias);
			}
		}
	}
}

static void put_values(const struct sql_printer *p, const struct sql_core *c)
{
	put(p, "VALUES ");
	for (size_t i = 0; i < c->n_values; i++) {
		put(p, i == 0 ? "(" : ", (");
		sql_put_list(p, c->values[i], c->n_value_columns);
		put(p, ")");
	}
}

static void put_windows(const struct sql_printer *p, const struct sql_core *c)
{
	for (size_t i = 0; i < c->n_windows; i++) {
		put(p, i == 0 ? " WINDOW " : ", ");
		sql_put_name(p, c->windows[i]->name);
		put(p, " AS ");
		sql_put_window(p, c->windows[i]);
	}
}

static void put_core(const struct sql_printer *p, const struct sql_core *c,
    const char *const *names, enum sql_print_use use)
{
	if (c->n_values > 0) {
		put_values(p, c);
		return;
	}
	put(p, c->distinct ? "SELECT DISTINCT " : "SELECT ");
	put_outputs(p, c, names, use);
	if (c->n_from > 0) {
		put(p, " FROM ");
		put_sources(p, c->from, c->n_from, SQL_JOIN_FIRST, NULL);
	}
	if (c->where) {
		put(p, " WHERE ");
		sql_put_expr(p, c->where);
	}
	put_group(p, c);
	if (c->having) {
		put(p, " HAVING ");
		sql_put_expr(p, c->having);
	}
	put_windows(p, c);
}

/* --- selects ------------------------------------------------------------------------------------- */

static void put_cte(const struct sql_printer *p, const struct sql_cte *t)
{
	sql_put_name(p, is_run(p) && t->print_name ? t->print_name : t->name);
	if (is_run(p) && t->print_name) {
		for (size_t i = 0; i < t->n_outputs; i++)
			strbuf_printf(p->out, "%sc%zu", i == 0 ? "(" : ", ", i + 1);
		put(p, ")");
	} else if (t->n_columns > 0) {
		put(p, "(");
		put_names(p, t->columns, t->n_columns);
		put(p, ")");
	}
	put(p,
	    t->materialized == 0       ? " AS ("
	        : t->materialized == 1 ? " AS MATERIALIZED ("
	                               : " AS NOT MATERIALIZED (");
	sql_put_select(p, t->select, SQL_USE_PLAIN, 0);
	put(p, ")");
}

static void put_ctes(const struct sql_printer *p, const struct sql_select *s)
{
	const char *before = s->recursive ? "WITH RECURSIVE " : "WITH ";
	for (size_t i = 0; i < s->n_ctes; i++) {
		if (is_run(p) && s->ctes[i]->print_name == NULL && s->output_names)
			continue; /* not used */
		put(p, before);
		before = ", ";
		put_cte(p, s->ctes[i]);
	}
	if (before[0] == ',')
		put(p, " ");
}

enum limit_kind { LIMIT_KEEP, LIMIT_REPLACE, LIMIT_COMPUTE };

/* Whether the author's limit stands: it does if it is a number that is not over
 * `most`; a negative one means no limit. */
static enum limit_kind judge_limit(const struct sql_expr *x, uint64_t most)
{
	if (!x)
		return LIMIT_REPLACE;
	if (x->kind == SQL_UNARY && x->op == SQL_OP_NEG && x->left->kind == SQL_NUMBER)
		return LIMIT_REPLACE;
	if (x->kind != SQL_NUMBER || strspn(x->text, "0123456789") != strlen(x->text))
		return LIMIT_COMPUTE;
	errno = 0;
	uint64_t n = strtoull(x->text, NULL, 10);
	return errno == 0 && n <= most ? LIMIT_KEEP : LIMIT_REPLACE;
}

static void put_limit(const struct sql_printer *p, const struct sql_select *s, uint64_t limit_rows)
{
	enum limit_kind kind = limit_rows > 0 ? judge_limit(s->limit, limit_rows + 1) : LIMIT_KEEP;
	if (s->limit || kind != LIMIT_KEEP)
		put(p, " LIMIT ");
	if (kind == LIMIT_COMPUTE) {
		put(p, "CASE WHEN (");
		sql_put_expr(p, s->limit);
		strbuf_printf(p->out, ") BETWEEN 0 AND %" PRIu64 " THEN (", limit_rows);
		sql_put_expr(p, s->limit);
		strbuf_printf(p->out, ") ELSE %" PRIu64 " END", limit_rows + 1);
	} else if (kind == LIMIT_REPLACE) {
		strbuf_printf(p->out, "%" PRIu64, limit_rows + 1);
	} else if (s->limit) {
		sql_put_expr(p, s->limit);
	}
	if (s->offset) {
		put(p, " OFFSET ");
		sql_put_expr(p, s->offset);
	}
}

void sql_put_select(const struct sql_printer *p, const struct sql_select *s, enum sql_print_use use,
    uint64_t limit_rows)
{
	static const char *const set_ops[] = {
	    "", " UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT "};
	/* Nothing can follow VALUES, so a limit goes around it. */
	bool wrap = limit_rows > 0 && s->cores[s->n_cores - 1]->n_values > 0;
	if (wrap)
		put(p, "SELECT * FROM (");
	put_ctes(p, s);
	for (size_t i = 0; i < s->n_cores; i++) {
		put(p, set_ops[s->cores[i]->set_op]);
		put_core(
		    p, s->cores[i], i == 0 ? s->output_names : NULL, i == 0 ? use : SQL_USE_PLAIN);
	}
	if (wrap)
		put(p, ")");
	bool order_matters = use != SQL_USE_SET || s->limit || !is_run(p);
	if (s->n_order > 0 && order_matters) {
		put(p, " ORDER BY ");
		sql_put_order(p, s->order, s->n_order);
	}
	put_limit(p, s, limit_rows);
}

void sql_print(struct strbuf *out, const struct sql_dialect *d, const struct sql_select *s,
    enum sql_print_mode mode, uint64_t limit_rows)
{
	struct sql_printer p = {out, d, mode};
	sql_put_select(&p, s, SQL_USE_OUTER, mode == SQL_PRINT_RUN ? limit_rows : 0);
}

/* Canonical text of expressions. Parentheses are printed exactly where the
 * grammar's precedence needs them, so that parsing the text gives the tree
 * again (a property test holds printer and grammar together). */
#include "common/sql/print.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/sql/keyword.h"

/* Precedence levels, lowest first, as in gram.y. */
enum level {
	LEVEL_ANY,
	LEVEL_OR,
	LEVEL_AND,
	LEVEL_NOT,
	LEVEL_EQUAL,   /* = <> IS LIKE IN BETWEEN */
	LEVEL_COMPARE, /* < <= > >= */
	LEVEL_BIT,
	LEVEL_ADD,
	LEVEL_MUL,
	LEVEL_CONCAT,
	LEVEL_COLLATE,
	LEVEL_UNARY,
	LEVEL_PRIMARY,
};

static const struct {
	const char *text;
	enum level level;
} operators[] = {
    [SQL_OP_OR] = {"OR", LEVEL_OR},
    [SQL_OP_AND] = {"AND", LEVEL_AND},
    [SQL_OP_NOT] = {"NOT ", LEVEL_NOT},
    [SQL_OP_EQ] = {"=", LEVEL_EQUAL},
    [SQL_OP_NE] = {"<>", LEVEL_EQUAL},
    [SQL_OP_LT] = {"<", LEVEL_COMPARE},
    [SQL_OP_LE] = {"<=", LEVEL_COMPARE},
    [SQL_OP_GT] = {">", LEVEL_COMPARE},
    [SQL_OP_GE] = {">=", LEVEL_COMPARE},
    [SQL_OP_IS] = {"IS", LEVEL_EQUAL},
    [SQL_OP_IS_NOT] = {"IS NOT", LEVEL_EQUAL},
    [SQL_OP_BIT_AND] = {"&", LEVEL_BIT},
    [SQL_OP_BIT_OR] = {"|", LEVEL_BIT},
    [SQL_OP_SHIFT_LEFT] = {"<<", LEVEL_BIT},
    [SQL_OP_SHIFT_RIGHT] = {">>", LEVEL_BIT},
    [SQL_OP_BIT_NOT] = {"~", LEVEL_UNARY},
    [SQL_OP_ADD] = {"+", LEVEL_ADD},
    [SQL_OP_SUB] = {"-", LEVEL_ADD},
    [SQL_OP_MUL] = {"*", LEVEL_MUL},
    [SQL_OP_DIV] = {"/", LEVEL_MUL},
    [SQL_OP_MOD] = {"%", LEVEL_MUL},
    [SQL_OP_CONCAT] = {"||", LEVEL_CONCAT},
    [SQL_OP_JSON] = {"->", LEVEL_CONCAT},
    [SQL_OP_JSON_TEXT] = {"->>", LEVEL_CONCAT},
    [SQL_OP_NEG] = {"-", LEVEL_UNARY},
    [SQL_OP_POS] = {"+", LEVEL_UNARY},
};

static void put(const struct sql_printer *p, const char *s)
{
	strbuf_puts(p->out, s);
}

/* The expression that is printed in place of a column, NULL if none. */
static const struct sql_expr *stands_for(const struct sql_printer *p, const struct sql_expr *x)
{
	return p->mode == SQL_PRINT_RUN && x->kind == SQL_COLUMN ? x->bound.target : NULL;
}

static enum level level_of(const struct sql_printer *p, const struct sql_expr *x)
{
	switch (x->kind) {
	case SQL_UNARY:
	case SQL_BINARY: return operators[x->op].level;
	case SQL_IS_NULL:
	case SQL_BETWEEN:
	case SQL_LIKE:
	case SQL_IN_LIST:
	case SQL_IN_SELECT: return LEVEL_EQUAL;
	case SQL_COLLATE: return LEVEL_COLLATE;
	case SQL_EXISTS: return x->negated ? LEVEL_NOT : LEVEL_PRIMARY;
	case SQL_COLUMN: return stands_for(p, x) ? level_of(p, x->bound.target) : LEVEL_PRIMARY;
	default: return LEVEL_PRIMARY;
	}
}

static void put_at(const struct sql_printer *p, const struct sql_expr *x, enum level least)
{
	bool parens = level_of(p, x) < least;
	if (parens)
		put(p, "(");
	sql_put_expr(p, x);
	if (parens)
		put(p, ")");
}

/* --- names and literals --------------------------------------------------------------- */

static void put_quoted(const struct sql_printer *p, const char *s, size_t len, char quote)
{
	strbuf_putc(p->out, quote);
	for (size_t i = 0; i < len; i++) {
		strbuf_putc(p->out, s[i]);
		if (s[i] == quote)
			strbuf_putc(p->out, quote);
	}
	strbuf_putc(p->out, quote);
}

void sql_put_name(const struct sql_printer *p, const char *name)
{
	if (sql_name_is_plain(name))
		put(p, name);
	else
		put_quoted(p, name, strlen(name), p->dialect->identifier_quote);
}

static void put_dotted(const struct sql_printer *p, const char *qualifier)
{
	if (qualifier) {
		sql_put_name(p, qualifier);
		put(p, ".");
	}
}

static void put_column(const struct sql_printer *p, const struct sql_expr *x)
{
	const struct sql_source *f = x->bound.source;
	if (p->mode == SQL_PRINT_RUN && f) {
		put_dotted(p, f->print_name);
		sql_put_source_column(p, f, x->bound.column);
		return;
	}
	put_dotted(p, x->schema);
	put_dotted(p, x->table);
	/* Not resolved, it may yet be a string (dialects that allow that). */
	if (x->quote == '"' && !f && !x->bound.is_output && !x->bound.target)
		put_quoted(p, x->column, strlen(x->column), '"');
	else
		sql_put_name(p, x->column);
}

/* --- operators ------------------------------------------------------------------------- */

static void put_unary(const struct sql_printer *p, const struct sql_expr *x)
{
	/* "--" would start a comment. */
	const struct sql_expr *inner = x->left;
	while (stands_for(p, inner))
		inner = inner->bound.target;
	put(p, operators[x->op].text);
	if (x->op == SQL_OP_NEG && inner->kind == SQL_UNARY && inner->op == SQL_OP_NEG)
		put(p, " ");
	put_at(p, x->left, operators[x->op].level);
}

/* All binary operators associate to the left. */
static void put_binary(const struct sql_printer *p, const struct sql_expr *x)
{
	enum level level = operators[x->op].level;
	put_at(p, x->left, level);
	strbuf_putc(p->out, ' ');
	put(p, operators[x->op].text);
	strbuf_putc(p->out, ' ');
	put_at(p, x->right, level + 1);
}

static void put_not(const struct sql_printer *p, const struct sql_expr *x, const char *op)
{
	put(p, x->negated ? " NOT " : " ");
	put(p, op);
	put(p, " ");
}

static void put_like(const struct sql_printer *p, const struct sql_expr *x)
{
	put_at(p, x->left, LEVEL_EQUAL);
	put_not(p, x, x->text);
	put_at(p, x->right, LEVEL_BIT);
	if (x->n_args == 1) {
		put(p, " ESCAPE ");
		put_at(p, x->args[0], LEVEL_BIT);
	}
}

static void put_in(const struct sql_printer *p, const struct sql_expr *x)
{
	put_at(p, x->left, LEVEL_EQUAL);
	put_not(p, x, "IN");
	put(p, "(");
	if (x->kind == SQL_IN_SELECT)
		sql_put_select(p, x->select, SQL_USE_SET, 0);
	else
		sql_put_list(p, x->args, x->n_args);
	put(p, ")");
}

static void put_case(const struct sql_printer *p, const struct sql_expr *x)
{
	put(p, "CASE");
	if (x->left) {
		put(p, " ");
		sql_put_expr(p, x->left);
	}
	for (size_t i = 0; i + 1 < x->n_args; i += 2) {
		put(p, " WHEN ");
		sql_put_expr(p, x->args[i]);
		put(p, " THEN ");
		sql_put_expr(p, x->args[i + 1]);
	}
	if (x->right) {
		put(p, " ELSE ");
		sql_put_expr(p, x->right);
	}
	put(p, " END");
}

static void put_select_in(const struct sql_printer *p, const struct sql_expr *x, const char *open)
{
	put(p, open);
	sql_put_select(p, x->select, SQL_USE_PLAIN, 0);
	put(p, ")");
}

/* --- calls and windows -------------------------------------------------------------------- */

static void put_frame_bound(const struct sql_printer *p, const struct sql_frame_bound *b)
{
	switch (b->kind) {
	case SQL_FRAME_UNBOUNDED_PRECEDING: put(p, "UNBOUNDED PRECEDING"); return;
	case SQL_FRAME_UNBOUNDED_FOLLOWING: put(p, "UNBOUNDED FOLLOWING"); return;
	case SQL_FRAME_CURRENT_ROW: put(p, "CURRENT ROW"); return;
	case SQL_FRAME_PRECEDING:
	case SQL_FRAME_FOLLOWING: break;
	}
	sql_put_expr(p, b->offset);
	put(p, b->kind == SQL_FRAME_PRECEDING ? " PRECEDING" : " FOLLOWING");
}

static void put_frame(const struct sql_printer *p, const struct sql_window *w)
{
	static const char *const units[] = {"ROWS", "RANGE", "GROUPS"};
	static const char *const excludes[] = {
	    "", " EXCLUDE NO OTHERS", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"};
	put(p, units[w->unit]);
	put(p, " BETWEEN ");
	put_frame_bound(p, &w->from);
	put(p, " AND ");
	put_frame_bound(p, &w->to);
	put(p, excludes[w->exclude]);
}

static void put_gap(const struct sql_printer *p, bool *has_text)
{
	if (*has_text)
		put(p, " ");
	*has_text = true;
}

void sql_put_window(const struct sql_printer *p, const struct sql_window *w)
{
	bool has_text = false;
	put(p, "(");
	if (w->base) {
		put_gap(p, &has_text);
		sql_put_name(p, w->base);
	}
	if (w->n_partition > 0) {
		put_gap(p, &has_text);
		put(p, "PARTITION BY ");
		sql_put_list(p, w->partition, w->n_partition);
	}
	if (w->n_order > 0) {
		put_gap(p, &has_text);
		put(p, "ORDER BY ");
		sql_put_order(p, w->order, w->n_order);
	}
	if (w->has_frame) {
		put_gap(p, &has_text);
		put_frame(p, w);
	}
	put(p, ")");
}

static void put_call(const struct sql_printer *p, const struct sql_expr *x)
{
	/* Some functions are called like keywords (replace, glob): after a name and
	 * before "(" the grammar takes these as names. */
	const struct sql_keyword *k = sql_keyword_find(x->text, strlen(x->text));
	if (k && (strcasecmp(x->text, "like") == 0 || strcasecmp(x->text, "glob") == 0))
		put(p, x->text);
	else
		sql_put_name(p, x->text);
	put(p, "(");
	if (x->distinct)
		put(p, "DISTINCT ");
	if (x->star)
		put(p, "*");
	sql_put_list(p, x->args, x->n_args);
	put(p, ")");
	if (x->filter) {
		put(p, " FILTER (WHERE ");
		sql_put_expr(p, x->filter);
		put(p, ")");
	}
	if (x->over || x->over_name)
		put(p, " OVER ");
	if (x->over)
		sql_put_window(p, x->over);
	else if (x->over_name)
		sql_put_name(p, x->over_name);
}

/* --- everything ---------------------------------------------------------------------------- */

void sql_put_list(const struct sql_printer *p, struct sql_expr *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			put(p, ", ");
		sql_put_expr(p, items[i]);
	}
}

void sql_put_expr(const struct sql_printer *p, const struct sql_expr *x)
{
	/* What an alias stands for is printed at every use: stop when it is too much. */
	if (p->out->failed)
		return;
	switch (x->kind) {
	case SQL_NULL: put(p, "NULL"); return;
	case SQL_NUMBER:
	case SQL_KEYWORD: put(p, x->text); return;
	case SQL_STRING: put_quoted(p, x->text, x->text_len, '\''); return;
	case SQL_BLOB: strbuf_printf(p->out, "x'%s'", x->text); return;
	case SQL_COLUMN:
		if (stands_for(p, x))
			sql_put_expr(p, x->bound.target);
		else
			put_column(p, x);
		return;
	case SQL_UNARY: put_unary(p, x); return;
	case SQL_BINARY: put_binary(p, x); return;
	case SQL_IS_NULL:
		put_at(p, x->left, LEVEL_EQUAL);
		put(p, x->negated ? " IS NOT NULL" : " IS NULL");
		return;
	case SQL_BETWEEN:
		put_at(p, x->left, LEVEL_EQUAL);
		put_not(p, x, "BETWEEN");
		put_at(p, x->args[0], LEVEL_COMPARE);
		put(p, " AND ");
		put_at(p, x->args[1], LEVEL_COMPARE);
		return;
	case SQL_LIKE: put_like(p, x); return;
	case SQL_IN_LIST:
	case SQL_IN_SELECT: put_in(p, x); return;
	case SQL_EXISTS: put_select_in(p, x, x->negated ? "NOT EXISTS (" : "EXISTS ("); return;
	case SQL_SUBQUERY: put_select_in(p, x, "("); return;
	case SQL_CASE: put_case(p, x); return;
	case SQL_CAST:
		put(p, "CAST(");
		sql_put_expr(p, x->left);
		put(p, " AS ");
		put(p, x->text);
		put(p, ")");
		return;
	case SQL_COLLATE:
		put_at(p, x->left, LEVEL_COLLATE);
		put(p, " COLLATE ");
		sql_put_name(p, x->text);
		return;
	case SQL_CALL: put_call(p, x); return;
	case SQL_ROW:
		put(p, "(");
		sql_put_list(p, x->args, x->n_args);
		put(p, ")");
		return;
	}
}

void sql_print_expr(struct strbuf *out, const struct sql_dialect *d, const struct sql_expr *x,
    enum sql_print_mode mode)
{
	struct sql_printer p = {out, d, mode};
	sql_put_expr(&p, x);
}

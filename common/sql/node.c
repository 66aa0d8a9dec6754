/* Node makers for the grammar: expressions. Each sets the height of what it
 * makes; finish_select (node_select.c) holds it against SQL_MAX_HEIGHT, so that
 * no later walk over the tree can use up the C stack. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/sql/node.h"
#include "sql_gram.h"

/* --- text of tokens ------------------------------------------------------------------ */

char *sql_unquote(struct arena *a, const struct sql_token *t, size_t *ret_len)
{
	char open = t->len > 0 ? t->start[0] : 0;
	char close = open == '[' ? ']' : open;
	size_t n = 0;
	if (t->len < 2 || !strchr("'\"`[", open)) {
		*ret_len = t->len;
		return arena_strndup(a, t->start, t->len);
	}
	char *out = arena_alloc(a, t->len);
	for (size_t i = 1; i + 1 < t->len; i++) {
		out[n++] = t->start[i];
		if (t->start[i] == close && open != '[')
			i++; /* a doubled quote stands for one */
	}
	*ret_len = n;
	return out;
}

const char *sql_node_name(struct sql_parser *p, const struct sql_token *t)
{
	size_t len;
	return sql_unquote(p->arena, t, &len);
}

const char *sql_node_type(
    struct sql_parser *p, const char *left, const struct sql_token *t, const char *between)
{
	return arena_printf(p->arena, "%s%s%.*s", left, between, (int)t->len, t->start);
}

/* --- heights --------------------------------------------------------------------------- */

static uint32_t height_of(const struct sql_expr *x)
{
	return x ? x->height : 0;
}

static uint32_t taller(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Sets the height to one more than its highest part. */
static struct sql_expr *finish(struct sql_expr *x, uint32_t parts)
{
	x->height = parts + 1;
	return x;
}

static struct sql_expr *new_expr(
    struct sql_parser *p, enum sql_expr_kind kind, const struct sql_token *t)
{
	struct sql_expr *x = arena_new(p->arena, struct sql_expr);
	x->kind = kind;
	if (t) {
		x->line = t->line;
		x->col = t->col;
	}
	return x;
}

static struct sql_expr *new_after(
    struct sql_parser *p, enum sql_expr_kind kind, const struct sql_expr *left)
{
	struct sql_expr *x = new_expr(p, kind, NULL);
	x->line = left ? left->line : 0;
	x->col = left ? left->col : 0;
	return x;
}

/* --- literals and names ------------------------------------------------------------------ */

struct sql_expr *sql_node_literal(
    struct sql_parser *p, enum sql_expr_kind kind, const struct sql_token *t)
{
	struct sql_expr *x = new_expr(p, kind, t);
	if (kind == SQL_BLOB) {
		x->text_len = t->len - 3;
		x->text = arena_strndup(p->arena, t->start + 2, x->text_len);
	} else if (kind == SQL_STRING) {
		x->text = sql_unquote(p->arena, t, &x->text_len);
	} else if (kind != SQL_NULL) {
		x->text_len = t->len;
		x->text = arena_strndup(p->arena, t->start, t->len);
	}
	if (kind == SQL_KEYWORD)
		for (char *c = (char *)x->text; *c; c++)
			*c = (char)toupper((unsigned char)*c);
	return finish(x, 0);
}

struct sql_expr *sql_node_column(struct sql_parser *p, const struct sql_token *schema,
    const struct sql_token *table, const struct sql_token *column)
{
	const struct sql_token *first = schema ? schema : table ? table : column;
	/* A column of that name would win; names_resolve looks. */
	if (!table && column->len <= 5 &&
	    ((column->len == 4 && strncasecmp(column->start, "true", 4) == 0) ||
	        (column->len == 5 && strncasecmp(column->start, "false", 5) == 0)))
		return sql_node_literal(p, SQL_KEYWORD, column);
	struct sql_expr *x = new_expr(p, SQL_COLUMN, first);
	x->schema = schema ? sql_node_name(p, schema) : NULL;
	x->table = table ? sql_node_name(p, table) : NULL;
	x->column = sql_node_name(p, column);
	if (strchr("\"`['", column->start[0]))
		x->quote = column->start[0];
	return finish(x, 0);
}

/* --- operators --------------------------------------------------------------------------- */

enum sql_op sql_node_op(int token, const struct sql_token *t)
{
	switch (token) {
	case TK_EQ: return SQL_OP_EQ;
	case TK_NE: return SQL_OP_NE;
	case TK_LT: return SQL_OP_LT;
	case TK_LE: return SQL_OP_LE;
	case TK_GT: return SQL_OP_GT;
	case TK_GE: return SQL_OP_GE;
	case TK_BITAND: return SQL_OP_BIT_AND;
	case TK_BITOR: return SQL_OP_BIT_OR;
	case TK_LSHIFT: return SQL_OP_SHIFT_LEFT;
	case TK_RSHIFT: return SQL_OP_SHIFT_RIGHT;
	case TK_PLUS: return SQL_OP_ADD;
	case TK_MINUS: return SQL_OP_SUB;
	case TK_STAR: return SQL_OP_MUL;
	case TK_SLASH: return SQL_OP_DIV;
	case TK_REM: return SQL_OP_MOD;
	case TK_CONCAT: return SQL_OP_CONCAT;
	case TK_PTR: return t->len == 3 ? SQL_OP_JSON_TEXT : SQL_OP_JSON;
	default: return SQL_OP_NONE;
	}
}

struct sql_expr *sql_node_unary(
    struct sql_parser *p, enum sql_op op, const struct sql_token *t, struct sql_expr *x)
{
	if (!x)
		return NULL;
	if (op == SQL_OP_NOT && x->kind == SQL_EXISTS && !x->negated) {
		x->negated = true;
		return x;
	}
	struct sql_expr *u = new_expr(p, SQL_UNARY, t);
	u->op = op;
	u->left = x;
	return finish(u, x->height);
}

struct sql_expr *sql_node_is_null(struct sql_parser *p, struct sql_expr *x, bool negated)
{
	struct sql_expr *n = new_after(p, SQL_IS_NULL, x);
	n->left = x;
	n->negated = negated;
	return finish(n, height_of(x));
}

struct sql_expr *sql_node_binary(
    struct sql_parser *p, enum sql_op op, struct sql_expr *l, struct sql_expr *r)
{
	if ((op == SQL_OP_IS || op == SQL_OP_IS_NOT) && r && r->kind == SQL_NULL)
		return sql_node_is_null(p, l, op == SQL_OP_IS_NOT);
	struct sql_expr *x = new_after(p, SQL_BINARY, l);
	x->op = op;
	x->left = l;
	x->right = r;
	return finish(x, taller(height_of(l), height_of(r)));
}

struct sql_expr *sql_node_between(struct sql_parser *p, struct sql_expr *x, struct sql_expr *lo,
    struct sql_expr *hi, bool negated)
{
	struct sql_expr *b = new_after(p, SQL_BETWEEN, x);
	b->left = x;
	b->negated = negated;
	*arena_push(p->arena, b->args, b->n_args) = lo;
	*arena_push(p->arena, b->args, b->n_args) = hi;
	return finish(b, taller(height_of(x), taller(height_of(lo), height_of(hi))));
}

struct sql_expr *sql_node_like(struct sql_parser *p, struct sql_expr *x, struct sql_like_op op,
    struct sql_expr *pattern, struct sql_expr *escape)
{
	struct sql_expr *l = new_after(p, SQL_LIKE, x);
	char *word = arena_strndup(p->arena, op.op.start, op.op.len);
	for (char *c = word; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	l->text = word;
	l->text_len = op.op.len;
	l->negated = op.negated;
	l->left = x;
	l->right = pattern;
	if (escape)
		*arena_push(p->arena, l->args, l->n_args) = escape;
	return finish(l, taller(height_of(x), taller(height_of(pattern), height_of(escape))));
}

struct sql_expr *sql_node_in_list(
    struct sql_parser *p, struct sql_expr *x, struct sql_expr_list items, bool negated)
{
	struct sql_expr *l = new_after(p, SQL_IN_LIST, x);
	/* The engine checks this while parsing, so also in what is never resolved. */
	for (size_t i = 0; x && x->kind == SQL_ROW && i < items.n; i++)
		if (items.items[i] &&
		    (items.items[i]->kind != SQL_ROW || items.items[i]->n_args != x->n_args))
			sql_parse_fail(p, ERR_SYNTAX, NULL,
			    "every item of IN must be a row of %zu values", x->n_args);
	l->left = x;
	l->args = items.items;
	l->n_args = items.n;
	l->negated = negated;
	return finish(l, taller(height_of(x), items.height));
}

struct sql_expr *sql_node_select(struct sql_parser *p, enum sql_expr_kind kind,
    const struct sql_token *t, struct sql_expr *x, struct sql_select *s, bool negated)
{
	struct sql_expr *e = kind == SQL_IN_SELECT ? new_after(p, kind, x) : new_expr(p, kind, t);
	e->left = x;
	e->select = s;
	e->negated = negated;
	return finish(e, taller(height_of(x), s ? s->height : 0));
}

struct sql_expr *sql_node_case(struct sql_parser *p, const struct sql_token *t,
    struct sql_expr *operand, struct sql_expr_list whens, struct sql_expr *otherwise)
{
	struct sql_expr *x = new_expr(p, SQL_CASE, t);
	x->left = operand;
	x->right = otherwise;
	x->args = whens.items;
	x->n_args = whens.n;
	return finish(x, taller(whens.height, taller(height_of(operand), height_of(otherwise))));
}

struct sql_expr *sql_node_cast(
    struct sql_parser *p, const struct sql_token *t, struct sql_expr *x, const char *type)
{
	struct sql_expr *c = new_expr(p, SQL_CAST, t);
	c->left = x;
	c->text = type;
	c->text_len = strlen(type);
	return finish(c, height_of(x));
}

struct sql_expr *sql_node_collate(
    struct sql_parser *p, struct sql_expr *x, const struct sql_token *name)
{
	struct sql_expr *c = new_after(p, SQL_COLLATE, x);
	c->left = x;
	c->text = sql_unquote(p->arena, name, &c->text_len);
	return finish(c, height_of(x));
}

struct sql_expr *sql_node_row(
    struct sql_parser *p, const struct sql_token *t, struct sql_expr_list items)
{
	struct sql_expr *r = new_expr(p, SQL_ROW, t);
	r->args = items.items;
	r->n_args = items.n;
	return finish(r, items.height);
}

/* --- calls --------------------------------------------------------------------------------- */

struct sql_expr *sql_node_call(struct sql_parser *p, const struct sql_token *name, bool distinct,
    bool star, struct sql_expr_list args)
{
	struct sql_expr *c = new_expr(p, SQL_CALL, name);
	c->text = sql_unquote(p->arena, name, &c->text_len);
	c->distinct = distinct;
	c->star = star;
	c->args = args.items;
	c->n_args = args.n;
	return finish(c, args.height);
}

static uint32_t window_height(const struct sql_window *w)
{
	uint32_t h = 0;
	if (!w)
		return 0;
	for (size_t i = 0; i < w->n_partition; i++)
		h = taller(h, height_of(w->partition[i]));
	for (size_t i = 0; i < w->n_order; i++)
		h = taller(h, height_of(w->order[i].expr));
	return taller(h, taller(height_of(w->from.offset), height_of(w->to.offset)));
}

struct sql_expr *sql_node_over(struct sql_parser *p, struct sql_expr *call, struct sql_over over)
{
	call->filter = over.filter;
	call->over = over.window;
	call->over_name = over.name;
	struct sql_token at = {.line = call->line, .col = call->col};
	/* The engine checks this while parsing, so also in what is never resolved. */
	if (call->distinct && (over.window || over.name))
		sql_parse_fail(
		    p, ERR_SYNTAX, &at, "%s cannot have DISTINCT over a window", call->text);
	uint32_t parts = taller(height_of(over.filter), window_height(over.window));
	return finish(call, taller(call->height - 1, parts));
}

struct sql_window *sql_node_window(struct sql_parser *p, const struct sql_token *base,
    struct sql_expr_list partition, struct sql_order_list order, struct sql_window *frame)
{
	struct sql_window *w = frame ? frame : arena_new(p->arena, struct sql_window);
	w->base = base ? sql_node_name(p, base) : NULL;
	w->partition = partition.items;
	w->n_partition = partition.n;
	w->order = order.items;
	w->n_order = order.n;
	return w;
}

/* --- lists ----------------------------------------------------------------------------------- */

void sql_list_add(struct sql_parser *p, struct sql_expr_list *l, struct sql_expr *x)
{
	*arena_push(p->arena, l->items, l->n) = x;
	l->height = taller(l->height, height_of(x));
}

void sql_order_add(
    struct sql_parser *p, struct sql_order_list *l, struct sql_expr *x, int desc, int nulls)
{
	struct sql_order_term *t = arena_push(p->arena, l->items, l->n);
	t->expr = x;
	t->desc = desc != 0;
	t->nulls = nulls;
	l->height = taller(l->height, height_of(x));
}

void sql_names_add(struct sql_parser *p, struct sql_name_list *l, const struct sql_token *t)
{
	*arena_push(p->arena, l->items, l->n) = sql_node_name(p, t);
}

void sql_window_add(struct sql_parser *p, struct sql_window_list *l, const struct sql_token *name,
    struct sql_window *w)
{
	w->name = sql_node_name(p, name);
	*arena_push(p->arena, l->items, l->n) = w;
	l->height = taller(l->height, window_height(w));
}

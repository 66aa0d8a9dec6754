/* Errors about names: what is wrong, and the nearest names that exist. All
 * names in them come from the query or the caller's own catalog. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/sql/names.h"

#define MAX_LISTED 6

int sql_names_fail(
    struct sql_names *n, enum err_code code, uint32_t line, uint32_t col, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(n->err, code, PHASE_RESOLVE, "%s", text);
	if (n->err) {
		n->err->line = line;
		n->err->column = col;
	}
	return code;
}

#define MAX_WORK 10000000 /* a few tenths of a second */

bool sql_names_overworked(struct sql_names *n)
{
	if (n->work <= MAX_WORK)
		return false;
	sql_names_fail(
	    n, ERR_TOO_COMPLEX, 0, 0, "the query has too many names for tables this wide");
	err_fix(n->err, "ask for less at once");
	return true;
}

/* --- nearest ------------------------------------------------------------------------- */

struct name_list {
	const char **items;
	size_t n;
};

/* Both share a word of three letters or more (words part at '_' and ' '). */
static bool share_word(const char *a, const char *b)
{
	while (*a) {
		size_t len = strcspn(a, "_ ");
		for (const char *p = b; len >= 3 && *p;) {
			size_t other = strcspn(p, "_ ");
			size_t least = len < other ? len : other;
			if (least >= 3 && strncasecmp(a, p, least) == 0)
				return true;
			p += other + (p[other] != '\0');
		}
		a += len + (a[len] != '\0');
	}
	return false;
}

static bool is_listed(const char **best, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(best[i], name) == 0)
			return true;
	return false;
}

/* Nearest by spelling, then those that share a word, then (rest) any. */
static size_t near_names(const char *name, const struct name_list *l, const char **best, bool rest)
{
	size_t n = sql_nearest(name, l->items, l->n, best, 3);
	for (size_t i = 0; i < l->n && n < MAX_LISTED; i++)
		if (share_word(name, l->items[i]) && !is_listed(best, n, l->items[i]))
			best[n++] = l->items[i];
	for (size_t i = 0; rest && i < l->n && n < MAX_LISTED; i++)
		if (!is_listed(best, n, l->items[i]))
			best[n++] = l->items[i];
	return n;
}

static void fix_with(
    struct sql_names *n, const char *before, const char *const *names, size_t count, bool more)
{
	char list[400];
	size_t len = 0;
	list[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		int add = snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", names[i]);
		if (add < 0 || len + (size_t)add >= sizeof(list))
			break;
		len += (size_t)add;
	}
	err_fix(n->err, "%s %s%s", before, list, more ? " ..." : "");
}

/* --- tables ---------------------------------------------------------------------------- */

static void add_name(struct sql_names *n, struct name_list *l, const char *name)
{
	*arena_push(n->arena, l->items, l->n) = name;
}

int sql_names_unknown_table(struct sql_names *n, const struct sql_source *f)
{
	struct name_list all = {NULL, 0};
	const char *best[MAX_LISTED];
	for (const struct sql_with_scope *w = n->with; w; w = w->outer)
		for (size_t i = 0; i < w->owner->n_ctes; i++)
			add_name(n, &all, w->owner->ctes[i]->name);
	for (size_t i = 0; i < n->catalog->n_tables; i++)
		add_name(n, &all, n->catalog->tables[i].name);
	sql_names_fail(n, ERR_UNKNOWN_TABLE, f->line, f->col, "there is no table %s%s%s",
	    f->schema ? f->schema : "", f->schema ? "." : "", f->name);
	size_t count = near_names(f->name, &all, best, all.n <= 30);
	if (count > 0)
		fix_with(n, all.n <= 30 ? "there is" : "near it:", best, count, all.n > count);
	return ERR_UNKNOWN_TABLE;
}

/* --- columns --------------------------------------------------------------------------- */

static const char *shown_name(const struct sql_source *f)
{
	return f->alias ? f->alias : f->name ? f->name : "the subquery";
}

static const struct sql_source *find_source(
    const struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope)
{
	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->n_leaves; i++)
			if (sql_source_is_named(n, scope->leaves[i], x->schema, x->table))
				return scope->leaves[i];
	return NULL;
}

static int unknown_in_source(
    struct sql_names *n, const struct sql_expr *x, const struct sql_source *f)
{
	struct name_list all = {f->columns, f->n_columns};
	const char *best[MAX_LISTED];
	size_t count = near_names(x->column, &all, best, true);
	sql_names_fail(n, ERR_UNKNOWN_COLUMN, x->line, x->col, "%s has no column %s", shown_name(f),
	    x->column);
	if (count > 0)
		fix_with(n, "it has", best, count, all.n > count);
	return ERR_UNKNOWN_COLUMN;
}

static int unknown_qualifier(
    struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope)
{
	struct name_list all = {NULL, 0};
	const char *best[MAX_LISTED];
	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->n_leaves; i++)
			add_name(n, &all, shown_name(scope->leaves[i]));
	sql_names_fail(n, ERR_UNKNOWN_COLUMN, x->line, x->col,
	    "%s.%s: no table or alias %s is in the FROM of this query", x->table, x->column,
	    x->table);
	size_t count = near_names(x->table, &all, best, true);
	if (count > 0)
		fix_with(n, "FROM has", best, count, false);
	return ERR_UNKNOWN_COLUMN;
}

/* Other tables of the catalog that have a column of exactly that name. */
static size_t tables_with(const struct sql_names *n, const char *column, const char **best)
{
	size_t count = 0;
	for (size_t i = 0; i < n->catalog->n_tables && count < MAX_LISTED; i++)
		if (catalog_find_column(&n->catalog->tables[i], column) >= 0)
			best[count++] = n->catalog->tables[i].name;
	return count;
}

static bool is_rowid(const char *name)
{
	return strcasecmp(name, "rowid") == 0 || strcasecmp(name, "oid") == 0 ||
	    strcasecmp(name, "_rowid_") == 0;
}

int sql_names_unknown_column(
    struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope)
{
	struct name_list all = {NULL, 0};
	const char *best[MAX_LISTED];
	size_t count;
	const struct sql_source *f = x->table ? find_source(n, x, scope) : NULL;
	if (is_rowid(x->column)) {
		sql_names_fail(n, ERR_UNKNOWN_COLUMN, x->line, x->col,
		    "the row number %s cannot be used", x->column);
		err_fix(n->err, "use a column of the table, such as its key");
		return ERR_UNKNOWN_COLUMN;
	}
	if (x->table)
		return f ? unknown_in_source(n, x, f) : unknown_qualifier(n, x, scope);
	if (scope && scope->n_leaves == 1 && !scope->outer)
		return unknown_in_source(n, x, scope->leaves[0]);

	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->n_leaves; i++)
			for (size_t j = 0; j < scope->leaves[i]->n_columns; j++)
				add_name(n, &all, scope->leaves[i]->columns[j]);
	sql_names_fail(n, ERR_UNKNOWN_COLUMN, x->line, x->col,
	    "no table of this query has a column %s", x->column);
	if ((count = tables_with(n, x->column, best)) > 0)
		fix_with(n, "tables that have it:", best, count, false);
	else if ((count = near_names(x->column, &all, best, false)) > 0)
		fix_with(n, "near it:", best, count, false);
	else if (x->quote == '"')
		err_fix(n->err, "a string is written in single quotes: '...'");
	return ERR_UNKNOWN_COLUMN;
}

/* --- functions ---------------------------------------------------------------------------- */

static const struct {
	const char *name, *fix;
} foreign[] = {
    {"year", "write strftime('%Y', x)"},
    {"month", "write strftime('%m', x)"},
    {"day", "write strftime('%d', x)"},
    {"now", "write datetime('now')"},
    {"getdate", "write datetime('now')"},
    {"curdate", "write date('now')"},
    {"date_trunc", "write date(x, 'start of month') or strftime('%Y', x)"},
    {"date_part", "write strftime('%Y', x)"},
    {"datediff", "write julianday(a) - julianday(b)"},
    {"date_add", "write date(x, '+1 day')"},
    {"date_sub", "write date(x, '-1 day')"},
    {"to_char", "write strftime(format, x)"},
    {"to_date", "write date(x)"},
    {"concat", "write a || b"},
    {"string_agg", "write group_concat(x, ', ')"},
    {"if", "write iif(condition, a, b)"},
    {"isnull", "write ifnull(a, b)"},
    {"nvl", "write ifnull(a, b)"},
    {"len", "write length(x)"},
    {"left", "write substr(x, 1, n)"},
    {"right", "write substr(x, -n)"},
    {"regexp", "write LIKE or GLOB"},
    {"regexp_like", "write LIKE or GLOB"},
    {"truncate", "write round(x, n)"},
    {"stddev", "write it with avg(x * x) - avg(x) * avg(x) and sqrt"},
    {"printf", "write round(x, n) or x || ''"},
    {"format", "write round(x, n) or x || ''"},
    {"trim", "trim takes one argument here; use replace(x, y, '')"},
    {"ltrim", "ltrim takes one argument here; use replace(x, y, '')"},
    {"rtrim", "rtrim takes one argument here; use replace(x, y, '')"},
};

int sql_names_unknown_function(struct sql_names *n, const struct sql_expr *x)
{
	struct name_list all = {NULL, 0};
	const char *best[MAX_LISTED];
	bool is_known = false;
	for (size_t i = 0; i < n->dialect->n_functions; i++) {
		add_name(n, &all, n->dialect->functions[i].name);
		is_known |= strcasecmp(n->dialect->functions[i].name, x->text) == 0;
	}
	if (is_known)
		sql_names_fail(n, ERR_UNKNOWN_FUNCTION, x->line, x->col,
		    "%s cannot be called with %zu argument%s", x->text, x->n_args,
		    x->n_args == 1 ? "" : "s");
	else
		sql_names_fail(n, ERR_UNKNOWN_FUNCTION, x->line, x->col,
		    "there is no function %s, or it is not allowed", x->text);
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (strcasecmp(foreign[i].name, x->text) == 0) {
			err_fix(n->err, "%s", foreign[i].fix);
			return ERR_UNKNOWN_FUNCTION;
		}
	}
	size_t count = is_known ? 0 : sql_nearest(x->text, all.items, all.n, best, 3);
	if (count > 0)
		fix_with(n, "near it:", best, count, false);
	return ERR_UNKNOWN_FUNCTION;
}

/* Foreign keys, and the inference. */
#include "executor/relations.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "executor/cell.h"

#define INCLUSION_MIN 0.9
#define ALIAS_MAX 160

static enum catalog_cardinality cardinality_of(
    const struct catalog *c, const struct catalog_relation *r)
{
	if (!catalog_is_unique(&c->tables[r->to_table], r->to_columns, r->n_columns))
		return CARDINALITY_MANY_TO_MANY;
	return catalog_is_unique(&c->tables[r->from_table], r->from_columns, r->n_columns)
	    ? CARDINALITY_ONE_TO_ONE
	    : CARDINALITY_MANY_TO_ONE;
}

/* --- declared ------------------------------------------------------------------------ */

struct pending { /* one foreign key while its rows come in */
	int id;
	int to_table;
	struct catalog_relation r;
	size_t n_to;
	bool is_broken;
};

static void finish(struct catalog *c, struct pending *p)
{
	if (p->id >= 0 && p->to_table >= 0 && !p->is_broken && p->r.n_columns > 0 &&
	    p->r.n_columns == p->n_to) {
		p->r.to_table = (uint32_t)p->to_table;
		p->r.origin = RELATION_DECLARED;
		p->r.evidence = "";
		p->r.cardinality = cardinality_of(c, &p->r);
		*arena_push(&c->arena, c->relations, c->n_relations) = p->r;
	}
	*p = (struct pending){.id = -1, .to_table = -1};
}

static const char *text_of(sqlite3_stmt *st, int i)
{
	return (const char *)sqlite3_column_text(st, i);
}

/* One row of foreign_key_list: id, seq, table, from, to. */
static void take_row(struct catalog *c, uint32_t t, struct pending *p, sqlite3_stmt *st)
{
	const char *target = text_of(st, 2), *from = text_of(st, 3), *to = text_of(st, 4);
	int f = from != NULL ? catalog_find_column(&c->tables[t], from) : -1, k;

	p->to_table = target != NULL ? catalog_find_table(c, target) : -1;
	if (f < 0 || p->to_table < 0) {
		p->is_broken = true;
		return;
	}
	p->r.from_table = t;
	*arena_push(&c->arena, p->r.from_columns, p->r.n_columns) = (uint32_t)f;
	if (to != NULL) {
		k = catalog_find_column(&c->tables[p->to_table], to);
	} else { /* no column named: the target's primary key, in its order */
		const struct catalog_table *tt = &c->tables[p->to_table];
		int seq = sqlite3_column_int(st, 1);

		k = seq >= 0 && (size_t)seq < tt->n_pk ? (int)tt->pk[seq] : -1;
	}
	if (k < 0)
		p->is_broken = true;
	else
		*arena_push(&c->arena, p->r.to_columns, p->n_to) = (uint32_t)k;
}

static int declared_of(struct catalog *c, sqlite3 *db, uint32_t t)
{
	struct pending p = {.id = -1, .to_table = -1};
	sqlite3_stmt *st;
	int rc = cell_prepare(db, &st, "PRAGMA main.foreign_key_list(\"%w\")", c->tables[t].name);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (sqlite3_column_int(st, 0) != p.id) {
			finish(c, &p);
			p.id = sqlite3_column_int(st, 0);
		}
		take_row(c, t, &p, st);
	}
	finish(c, &p);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int relations_declared(struct catalog *c, sqlite3 *db)
{
	int rc = SQLITE_OK;

	for (uint32_t t = 0; t < c->n_tables && rc == SQLITE_OK; t++)
		if (c->tables[t].kind == CATALOG_TABLE)
			rc = declared_of(c, db, t);
	return rc;
}

/* --- inferred ------------------------------------------------------------------------ */

/* A name under which a unique column is looked for. */
struct alias {
	const char *name; /* normalised */
	uint32_t table, column;
	bool by_table; /* made of the table's name: stronger than a same name */
};

struct aliases {
	struct alias *items;
	size_t n;
};

/* Names that say nothing about which table is meant. */
static bool is_generic(const char *name)
{
	static const char *const words[] = {"id", "name", "code", "no", "num", "number", "key",
	    "type", "value", "status", "state", "year", "month", "date", "day", "time", "title",
	    "label", "uuid", "description", "rank", "position", "sequence", "index", "rowid",
	    "名称", "编号", "代码", "年份", "年", "日期", "月份", "类型", "排名"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

/* Lower case, without the punctuation between words. */
static void normalise(char out[ALIAS_MAX], const char *s)
{
	size_t n = 0;

	for (; *s != '\0' && n < ALIAS_MAX - 1; s++)
		if ((unsigned char)*s >= 0x80 || isalnum((unsigned char)*s))
			out[n++] = (char)tolower((unsigned char)*s);
	out[n] = '\0';
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

static void singular(char *s)
{
	static const char *const es[] = {"sses", "xes", "ches", "shes"};
	size_t n = strlen(s);

	if (n > 4 && ends_with(s, "ies")) {
		strcpy(s + n - 3, "y");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(es); i++)
		if (ends_with(s, es[i])) {
			s[n - 2] = '\0';
			return;
		}
	if (n > 3 && s[n - 1] == 's' && s[n - 2] != 's' && !ends_with(s, "us"))
		s[n - 1] = '\0';
}

static void add_alias(struct arena *a, struct aliases *all, const char *head, const char *tail,
    uint32_t t, uint32_t column, bool by_table)
{
	struct alias *x = arena_push(a, all->items, all->n);

	x->name = arena_printf(a, "%s%s", head, tail);
	x->table = t;
	x->column = column;
	x->by_table = by_table;
}

static void add_aliases(
    struct arena *a, struct aliases *all, const struct catalog *c, uint32_t t, uint32_t column)
{
	const struct catalog_table *table = &c->tables[t];
	char name[ALIAS_MAX], plural[ALIAS_MAX], single[ALIAS_MAX];

	normalise(name, table->columns[column].name);
	normalise(plural, table->name);
	strcpy(single, plural);
	singular(single);
	if (!is_generic(name) && strlen(name) >= 3)
		add_alias(a, all, name, "", t, column, false);
	if (is_generic(name)) { /* company.code is meant by company_code */
		add_alias(a, all, plural, name, t, column, true);
		add_alias(a, all, single, name, t, column, true);
	}
	if (table->n_pk == 1 && table->pk[0] == column) {
		add_alias(a, all, plural, "id", t, column, true);
		add_alias(a, all, single, "id", t, column, true);
	}
}

static int compare_alias(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	if (d != 0)
		return d;
	if (x->by_table != y->by_table)
		return x->by_table ? -1 : 1;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static struct aliases all_aliases(struct arena *a, const struct catalog *c)
{
	struct aliases all = {NULL, 0};

	for (uint32_t t = 0; t < c->n_tables; t++)
		for (uint32_t i = 0; i < c->tables[t].n_columns; i++)
			if (c->tables[t].columns[i].is_unique)
				add_aliases(a, &all, c, t, i);
	if (all.n > 0)
		qsort(all.items, all.n, sizeof(*all.items), compare_alias);
	return all;
}

static bool are_related(const struct catalog *c, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < c->n_relations; i++)
		if ((c->relations[i].from_table == a && c->relations[i].to_table == b) ||
		    (c->relations[i].from_table == b && c->relations[i].to_table == a))
			return true;
	return false;
}

struct fit { /* how well a column's values stand in another */
	int64_t n, found;
};

static bool measure(const struct catalog *c, sqlite3 *db, uint32_t t, uint32_t column,
    const struct alias *to, struct fit *ret_fit)
{
	const struct catalog_table *from = &c->tables[t], *target = &c->tables[to->table];
	sqlite3_stmt *st;
	bool ok = false;

	if (cell_prepare(db, &st,
	        "SELECT count(*), coalesce(sum(EXISTS(SELECT 1 FROM main.\"%w\" AS k WHERE k.\"%w\" = a.v)), 0)"
	        " FROM (SELECT DISTINCT \"%w\" AS v FROM main.\"%w\" WHERE \"%w\" IS NOT NULL LIMIT 1000) AS a",
	        target->name, target->columns[to->column].name, from->columns[column].name,
	        from->name, from->columns[column].name) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		ret_fit->n = sqlite3_column_int64(st, 0);
		ret_fit->found = sqlite3_column_int64(st, 1);
		ok = true;
	}
	sqlite3_finalize(st);
	return ok;
}

static bool is_candidate(
    const struct catalog *c, uint32_t t, uint32_t column, const struct alias *to)
{
	const struct catalog_column *from = &c->tables[t].columns[column];
	const struct catalog_column *key = &c->tables[to->table].columns[to->column];

	return to->table != t &&
	    catalog_column_is_numeric(from) == catalog_column_is_numeric(key) &&
	    !are_related(c, t, to->table);
}

static void add_inferred(
    struct catalog *c, uint32_t t, uint32_t column, const struct alias *to, const struct fit *f)
{
	struct catalog_relation *r = arena_push(&c->arena, c->relations, c->n_relations);
	const char *why = to->by_table ? "the name points to the table"
	                               : "same name as a unique key";

	r->from_table = t;
	r->to_table = to->table;
	r->from_columns = arena_memdup(&c->arena, &column, sizeof(column));
	r->to_columns = arena_memdup(&c->arena, &to->column, sizeof(to->column));
	r->n_columns = 1;
	r->origin = RELATION_INFERRED;
	r->cardinality = cardinality_of(c, r);
	r->evidence = f->n == 0 ? arena_printf(&c->arena, "%s; no values to check", why)
	                        : arena_printf(&c->arena, "%s; %lld of %lld values found there",
	                              why, (long long)f->found, (long long)f->n);
}

/* The best target of one column: the first by strength of name that its values fit. */
static bool infer_column(struct catalog *c, sqlite3 *db, const struct aliases *all, uint32_t t,
    uint32_t column, bool (*begin)(void *), void *arg)
{
	char name[ALIAS_MAX];
	struct alias key = {.name = name, .by_table = true};
	size_t low = 0, high = all->n;

	normalise(name, c->tables[t].columns[column].name);
	while (low < high) { /* first alias that is not smaller */
		size_t mid = (low + high) / 2;

		if (compare_alias(&all->items[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < all->n && strcmp(all->items[low].name, name) == 0; low++) {
		struct fit f;

		if (!is_candidate(c, t, column, &all->items[low]))
			continue;
		if (!begin(arg))
			return false;
		if (!measure(c, db, t, column, &all->items[low], &f))
			continue; /* not checked in its time: not claimed */
		/* Without a value to check, only a name that names the table will do. */
		if (f.n == 0 && !all->items[low].by_table)
			continue;
		if ((double)f.found >= INCLUSION_MIN * (double)f.n) {
			add_inferred(c, t, column, &all->items[low], &f);
			return true;
		}
	}
	return true;
}

void relations_infer(struct catalog *c, sqlite3 *db, bool (*begin)(void *arg), void *arg)
{
	struct arena a = ARENA_INIT;
	struct aliases all;

	arena_init(&a);
	all = all_aliases(&a, c);
	for (uint32_t t = 0; t < c->n_tables; t++) {
		if (c->tables[t].kind != CATALOG_TABLE)
			continue;
		for (uint32_t i = 0; i < c->tables[t].n_columns; i++)
			if (!infer_column(c, db, &all, t, i, begin, arg))
				goto out;
	}
out:
	arena_done(&a);
}

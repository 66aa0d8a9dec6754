/* Statistics by the engine itself, many columns of a small table in one query. */
#include "executor/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "executor/cell.h"
#include "executor/fit.h"
#include "executor/relations.h"

#define OPCODES_PER_LOOK 1000
#define BATCH_COLUMNS 50   /* columns of one statistics query */
#define BATCH_CELLS 500000 /* rows x columns of one */
#define SAMPLE_ROWS 20000  /* read where a whole column is too much */
#define RELATION_MS 50

struct profile {
	struct catalog *c;
	sqlite3 *db;
	const struct describe_options *o;
	uint64_t end_ms;     /* of everything */
	uint64_t box_ms;     /* of the query that runs */
	size_t domain_bytes; /* of all domains so far */
	size_t domain_share; /* most that one column may have now */
};

static int look(void *arg)
{
	const struct profile *p = arg;
	uint64_t now = clock_mono_ms();

	return now >= p->end_ms || now >= p->box_ms;
}

/* Opens a time box; false (and the cut is noted) if there is no time at all. */
static bool begin(struct profile *p, uint32_t ms)
{
	uint64_t now = clock_mono_ms();

	p->box_ms = now + ms;
	if (now < p->end_ms)
		return true;
	p->c->profile_cut = true;
	return false;
}

static bool begin_relation(void *arg)
{
	return begin(arg, RELATION_MS);
}

/* One row of one integer; -1 if there was none in time. */
static int64_t query_int(struct profile *p, const char *format, const char *name)
{
	sqlite3_stmt *st;
	int64_t n = -1;

	if (cell_prepare(p->db, &st, format, name) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static void count_rows(struct profile *p, struct catalog_table *t)
{
	if (!begin(p, p->o->column_ms))
		return;
	/* sum, not count(*): that is one opcode, which no time box stops. */
	t->n_rows = query_int(p, "SELECT coalesce(sum(1), 0) FROM main.\"%w\"", t->name);
	if (t->n_rows < 0)
		p->c->profile_cut = true;
}

/* --- counts and ranges ------------------------------------------------------------- */

static char *stats_sql(const struct catalog_table *t, size_t first, size_t n)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	for (size_t i = first; i < first + n; i++) {
		const char *name = t->columns[i].name;

		sqlite3_str_appendf(s,
		    "%s count(\"%w\"), count(DISTINCT \"%w\" COLLATE BINARY),"
		    " min(\"%w\" COLLATE BINARY), max(\"%w\" COLLATE BINARY)",
		    i == first ? "SELECT" : ",", name, name, name, name);
	}
	sqlite3_str_appendf(s, " FROM main.\"%w\"", t->name);
	return sqlite3_str_finish(s);
}

static bool is_rangeable(const struct value *v)
{
	return v->type == VALUE_INT || v->type == VALUE_REAL || v->type == VALUE_TEXT;
}

static void take_stats(struct profile *p, struct catalog_table *t, struct catalog_column *col,
    sqlite3_stmt *st, int at)
{
	bool cut;

	col->n_null = t->n_rows - sqlite3_column_int64(st, at);
	if (col->n_null < 0) /* a writer was between the two queries */
		col->n_null = 0;
	col->n_distinct = sqlite3_column_int64(st, at + 1);
	cut = cell_read(&p->c->arena, st, at + 2, PROFILE_VALUE_BYTES, &col->min);
	cut |= cell_read(&p->c->arena, st, at + 3, PROFILE_VALUE_BYTES, &col->max);
	col->has_range = !cut && is_rangeable(&col->min) && is_rangeable(&col->max);
}

static bool stats_of(struct profile *p, struct catalog_table *t, size_t first, size_t n)
{
	char *sql = stats_sql(t, first, n);
	sqlite3_stmt *st = NULL;
	bool ok = false;

	if (sql != NULL && sqlite3_prepare_v2(p->db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		for (size_t i = 0; i < n; i++)
			take_stats(p, t, &t->columns[first + i], st, (int)(4 * i));
		ok = true;
	}
	sqlite3_finalize(st);
	sqlite3_free(sql);
	return ok;
}

static size_t batch_of(const struct catalog_table *t)
{
	size_t n = BATCH_CELLS / ((size_t)t->n_rows + 1);

	return n < 1 ? 1 : n > BATCH_COLUMNS ? BATCH_COLUMNS : n;
}

/* A batch that fails (one column of it may be at fault) is tried column by column. */
static void profile_stats(struct profile *p, struct catalog_table *t)
{
	size_t n;

	for (size_t first = 0; first < t->n_columns; first += n) {
		n = batch_of(t);
		if (n > t->n_columns - first)
			n = t->n_columns - first;
		if (!begin(p, p->o->column_ms))
			return;
		if (stats_of(p, t, first, n))
			continue;
		for (size_t i = first; i < first + n; i++) {
			if (!begin(p, p->o->column_ms))
				return;
			if (n == 1 || !stats_of(p, t, i, 1))
				p->c->profile_cut = true;
		}
	}
}

/* --- domains and samples ------------------------------------------------------------ */

static bool has_text(const struct catalog_column *col)
{
	if (col->n_distinct < 0) /* not counted: by declaration */
		return col->affinity == AFFINITY_TEXT;
	/* Text sorts behind numbers: where the largest is none, none is. A range that was
	 * left out held long text or a blob. */
	return col->has_range ? col->max.type == VALUE_TEXT
	                      : col->n_distinct > 0 && col->affinity != AFFINITY_BLOB;
}

static bool wants_domain(const struct catalog_column *col)
{
	if (has_text(col))
		return true;
	return col->has_range && col->max.type == VALUE_INT && col->min.type == VALUE_INT &&
	    col->n_distinct <= PROFILE_INT_DOMAIN;
}

/* Reads values until the limits; returns true if it came to the end of them all. */
static bool read_domain(struct profile *p, struct catalog_column *col, sqlite3_stmt *st)
{
	struct arena *a = &p->c->arena;
	size_t bytes = 0;
	bool complete = true;
	int rc;

	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct value v;

		if (sqlite3_column_type(st, 0) == SQLITE_BLOB ||
		    (sqlite3_column_type(st, 0) == SQLITE_TEXT &&
		        sqlite3_column_bytes(st, 0) > PROFILE_VALUE_BYTES)) {
			complete = false;
			continue;
		}
		cell_read(a, st, 0, PROFILE_VALUE_BYTES, &v);
		bytes += fit_values_bytes(&v, 1);
		if (col->n_domain >= p->o->domain_max || bytes > p->domain_share)
			return false;
		*arena_push(a, col->domain, col->n_domain) = v;
	}
	return complete && rc == SQLITE_DONE;
}

static void note_domain_bytes(struct profile *p, const struct catalog_column *col)
{
	p->domain_bytes += fit_values_bytes(col->domain, col->n_domain);
	if (p->domain_bytes <= 2 * FIT_DOMAIN_BYTES)
		return;
	p->domain_share = fit_domains(p->c, FIT_DOMAIN_BYTES);
	p->domain_bytes = FIT_DOMAIN_BYTES;
}

static void profile_domain(
    struct profile *p, const struct catalog_table *t, struct catalog_column *col)
{
	static const char whole[] =
	    "SELECT \"%w\" COLLATE BINARY AS v, count(*) AS n FROM main.\"%w\" WHERE \"%w\" IS NOT NULL"
	    " GROUP BY 1 ORDER BY 2 DESC, 1";
	static const char part[] =
	    "SELECT v COLLATE BINARY AS v, count(*) AS n FROM (SELECT \"%w\" AS v FROM main.\"%w\""
	    " WHERE \"%w\" IS NOT NULL LIMIT %d) GROUP BY 1 ORDER BY 2 DESC, 1";
	bool all = col->n_distinct >= 0;
	sqlite3_stmt *st = NULL;

	if (!begin(p, p->o->column_ms))
		return;
	if (cell_prepare(p->db, &st, all ? whole : part, col->name, t->name, col->name,
	        SAMPLE_ROWS) == SQLITE_OK) {
		col->domain_complete = read_domain(p, col, st) && all;
		note_domain_bytes(p, col);
	}
	sqlite3_finalize(st);
}

static void take_samples(struct profile *p, struct catalog_column *col, sqlite3_stmt *st)
{
	while (col->n_samples < PROFILE_SAMPLES && sqlite3_step(st) == SQLITE_ROW) {
		struct value v;

		if (!cell_read(&p->c->arena, st, 0, PROFILE_VALUE_BYTES, &v) &&
		    v.type != VALUE_BLOB)
			*arena_push(&p->c->arena, col->samples, col->n_samples) = v;
	}
}

static void profile_samples(
    struct profile *p, const struct catalog_table *t, struct catalog_column *col)
{
	sqlite3_stmt *st = NULL;

	if (col->n_domain > 0) { /* the most frequent ones */
		col->samples = col->domain;
		col->n_samples = col->n_domain < PROFILE_SAMPLES ? col->n_domain : PROFILE_SAMPLES;
		return;
	}
	if (col->n_distinct == 0 || !begin(p, p->o->column_ms))
		return;
	if (cell_prepare(p->db, &st,
	        "SELECT DISTINCT v FROM (SELECT \"%w\" AS v FROM main.\"%w\" WHERE \"%w\" IS NOT NULL"
	        " LIMIT 1000) LIMIT 50",
	        col->name, t->name, col->name) == SQLITE_OK)
		take_samples(p, col, st);
	sqlite3_finalize(st);
}

static void profile_table(struct profile *p, struct catalog_table *t)
{
	count_rows(p, t);
	if (t->n_rows >= 0)
		profile_stats(p, t);
	for (size_t i = 0; i < t->n_columns && clock_mono_ms() < p->end_ms; i++) {
		if (t->n_rows != 0 && wants_domain(&t->columns[i]))
			profile_domain(p, t, &t->columns[i]);
		else
			t->columns[i].domain_complete = t->columns[i].n_distinct == 0;
		profile_samples(p, t, &t->columns[i]);
	}
}

void profile_catalog(struct catalog *c, sqlite3 *db, const struct describe_options *o)
{
	struct profile p = {.c = c, .db = db, .o = o, .domain_share = FIT_DOMAIN_BYTES};

	p.end_ms = clock_mono_ms() + o->total_ms;
	sqlite3_progress_handler(db, OPCODES_PER_LOOK, look, &p);
	relations_infer(c, db, begin_relation, &p);
	for (size_t i = 0; i < c->n_tables; i++)
		profile_table(&p, &c->tables[i]);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	if (clock_mono_ms() >= p.end_ms)
		c->profile_cut = true;
}

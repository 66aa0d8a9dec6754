/* Comparing results with gold results; see bag.h for the rule. */
#include "tests/lib/bag.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define BAG_MAX_COLUMNS 12 /* of results whose columns are tried in every order */
#define BAG_MAX_COLUMNS_AS_THEY_STAND 256

struct mapping { /* gold column i is our column to[i] */
	uint32_t to[BAG_MAX_COLUMNS_AS_THEY_STAND];
	bool taken[BAG_MAX_COLUMNS];
};

static bool cell_equal(const struct value *g, const struct value *o)
{
	if (value_is_number(g) && value_is_number(o)) {
		double a = value_as_double(g), b = value_as_double(o);
		double scale = fmax(fabs(a), fabs(b));
		return a == b || fabs(a - b) <= 1e-6 * scale;
	}
	return value_equal(g, o);
}

static bool row_equal(
    const struct bag *gold, size_t gr, const struct bag *ours, size_t r, const struct mapping *m)
{
	for (size_t c = 0; c < gold->n_columns; c++)
		if (!cell_equal(&gold->cells[gr * gold->n_columns + c],
		        &ours->cells[r * ours->n_columns + m->to[c]]))
			return false;
	return true;
}

/* Greedy matching is exact here up to the tolerance: equality within 1e-6 is
 * transitive for any data that a test uses. */
static bool rows_match(
    const struct bag *gold, const struct bag *ours, const struct mapping *m, bool ordered)
{
	size_t n = gold->n_rows;
	bool *used = calloc(n ? n : 1, sizeof(*used));
	bool ok = used != NULL;
	for (size_t g = 0; ok && g < n; g++) {
		size_t r = g;
		if (!ordered || !row_equal(gold, g, ours, g, m))
			for (r = ordered ? n : 0; r < n; r++)
				if (!used[r] && row_equal(gold, g, ours, r, m))
					break;
		ok = r < n;
		if (ok)
			used[r] = true;
	}
	free(used);
	return ok;
}

static bool try_columns(
    const struct bag *gold, const struct bag *ours, bool ordered, struct mapping *m, size_t next)
{
	if (next == gold->n_columns)
		return rows_match(gold, ours, m, ordered);
	for (uint32_t c = 0; c < ours->n_columns; c++) {
		if (m->taken[c])
			continue;
		m->taken[c] = true;
		m->to[next] = c;
		if (try_columns(gold, ours, ordered, m, next + 1))
			return true;
		m->taken[c] = false;
	}
	return false;
}

enum bag_verdict bag_compare(const struct bag *gold, const struct bag *ours, bool ordered)
{
	if (gold->n_rows != ours->n_rows || ours->n_columns < gold->n_columns)
		return BAG_WRONG;
	struct mapping m = {{0}, {false}};
	/* The common case first; beyond the limit only it is tried. */
	if (ours->n_columns <= BAG_MAX_COLUMNS_AS_THEY_STAND) {
		for (uint32_t c = 0; c < gold->n_columns; c++)
			m.to[c] = c;
		if (rows_match(gold, ours, &m, ordered))
			return ours->n_columns == gold->n_columns ? BAG_EQUAL : BAG_SUPERSET;
	}
	if (ours->n_columns > BAG_MAX_COLUMNS)
		return BAG_WRONG;
	if (!try_columns(gold, ours, ordered, &m, 0))
		return BAG_WRONG;
	return ours->n_columns == gold->n_columns ? BAG_EQUAL : BAG_SUPERSET;
}

static void read_cell(struct arena *a, sqlite3_stmt *st, int c, struct value *v)
{
	v->len = (size_t)sqlite3_column_bytes(st, c);
	switch (sqlite3_column_type(st, c)) {
	case SQLITE_INTEGER:
		v->type = VALUE_INT;
		v->i = sqlite3_column_int64(st, c);
		break;
	case SQLITE_FLOAT:
		v->type = VALUE_REAL;
		v->r = sqlite3_column_double(st, c);
		break;
	case SQLITE_TEXT:
		v->type = VALUE_TEXT;
		v->text = arena_strndup(a, (const char *)sqlite3_column_text(st, c), v->len);
		break;
	case SQLITE_BLOB:
		v->type = VALUE_BLOB;
		v->text = arena_memdup(a, sqlite3_column_blob(st, c), v->len);
		break;
	default: v->type = VALUE_NULL;
	}
}

int bag_run(struct arena *a, struct sqlite3 *db, const char *sql, size_t max_rows,
    struct bag *ret_bag, const char **ret_message)
{
	sqlite3_stmt *st = NULL;
	struct bag b = {NULL, 0, 0};
	size_t n_cells = 0;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (rc == SQLITE_OK) {
		b.n_columns = (size_t)sqlite3_column_count(st);
		while (b.n_rows < max_rows && (rc = sqlite3_step(st)) == SQLITE_ROW) {
			for (int c = 0; c < (int)b.n_columns; c++) {
				struct value *v = arena_push(a, b.cells, n_cells);
				read_cell(a, st, c, v);
			}
			b.n_rows++;
		}
	}
	bool ok = rc == SQLITE_DONE || rc == SQLITE_ROW;
	if (!ok && ret_message)
		*ret_message = arena_strdup(a, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	if (ok)
		*ret_bag = b;
	return ok ? 0 : -1;
}

/* Matching in C over a plain scan: a LIKE per span would read the table once for
 * each. */
#include "executor/values.h"

#include <ctype.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/utf8.h"
#include "executor/cell.h"

#define VALUE_BYTES 200 /* longer values are prose, not names */
#define FOLD_BYTES (4 * VALUE_BYTES)
#define PART_MIN_BYTES 3 /* shortest span that is looked for inside a value */

/* Smaller is better. */
enum match { MATCH_EXACT, MATCH_PREFIX, MATCH_INSIDE, MATCH_NONE };

struct span {
	char text[FOLD_BYTES];
	size_t len;
};

struct best { /* hits of one span in the column that is read */
	struct value value;
	enum match match;
};

struct search {
	struct arena *a;
	sqlite3 *db;
	const struct catalog *c;
	struct span *spans;
	size_t n_spans;
	uint32_t per_span;
	uint64_t box_ms, end_ms;
	struct best *best; /* n_spans x per_span */
	size_t *n_best;
	struct values_result *out;
};

static int look(void *arg)
{
	const struct search *s = arg;
	uint64_t now = clock_mono_ms();

	return now >= s->end_ms || now >= s->box_ms;
}

/* Lower case, outer blanks off; 0 if it does not fit or is empty. */
static size_t fold(char out[FOLD_BYTES], const char *s, size_t len)
{
	size_t n = 0, at = 0;

	while (len > 0 && isspace((unsigned char)s[len - 1]))
		len--;
	while (at < len && isspace((unsigned char)s[at]))
		at++;
	while (at < len && n + 4 <= FOLD_BYTES) {
		uint32_t cp;

		at += utf8_next(s + at, len - at, &cp);
		n += utf8_encode(utf8_cp_lower(cp), out + n);
	}
	return at < len ? 0 : n;
}

static bool is_word_byte(unsigned char c)
{
	return c < 0x80 && isalnum(c);
}

/* A word of ASCII letters must not go on beyond the match; other scripts may. */
static bool is_whole(const char *value, size_t len, size_t at, size_t n)
{
	if (at > 0 && is_word_byte((unsigned char)value[at]) &&
	    is_word_byte((unsigned char)value[at - 1]))
		return false;
	return at + n >= len || !is_word_byte((unsigned char)value[at + n - 1]) ||
	    !is_word_byte((unsigned char)value[at + n]);
}

static enum match compare(const struct span *s, const char *value, size_t len)
{
	const char *p = value;

	if (len == s->len && memcmp(value, s->text, len) == 0)
		return MATCH_EXACT;
	if (s->len < PART_MIN_BYTES)
		return MATCH_NONE;
	while ((p = memmem(p, len - (size_t)(p - value), s->text, s->len)) != NULL) {
		size_t at = (size_t)(p - value);

		if (is_whole(value, len, at, s->len))
			return at == 0 ? MATCH_PREFIX : MATCH_INSIDE;
		p++;
	}
	return MATCH_NONE;
}

/* Keeps the best per_span different values of a span. */
static void keep(struct search *s, size_t span, enum match match, sqlite3_stmt *st)
{
	struct best *b = &s->best[span * s->per_span];
	size_t n = s->n_best[span], at = n;
	struct value v;

	if (n == s->per_span && b[n - 1].match <= match)
		return;
	cell_read(s->a, st, 0, VALUE_BYTES, &v);
	for (size_t i = 0; i < n; i++)
		if (value_equal(&b[i].value, &v))
			return;
	if (n == s->per_span)
		at = n - 1;
	else
		s->n_best[span]++;
	for (; at > 0 && b[at - 1].match > match; at--)
		b[at] = b[at - 1];
	b[at] = (struct best){v, match};
}

static void match_row(struct search *s, sqlite3_stmt *st)
{
	const char *text = (const char *)sqlite3_column_text(st, 0);
	size_t len = (size_t)sqlite3_column_bytes(st, 0), n;
	char folded[FOLD_BYTES];

	if (text == NULL || len > VALUE_BYTES)
		return;
	n = fold(folded, text, len);
	if (n == 0)
		return;
	for (size_t i = 0; i < s->n_spans; i++) {
		enum match m = s->spans[i].len > 0 && s->spans[i].len <= n
		    ? compare(&s->spans[i], folded, n)
		    : MATCH_NONE;

		if (m != MATCH_NONE)
			keep(s, i, m, st);
	}
}

static void add_hits(struct search *s, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < s->n_spans; i++)
		for (size_t k = 0; k < s->n_best[i]; k++) {
			const struct best *b = &s->best[i * s->per_span + k];

			if (s->out->n_hits == VALUES_MAX_HITS) {
				s->out->cut = true;
				return;
			}
			*arena_push(s->a, s->out->hits, s->out->n_hits) = (struct values_hit){
			    (uint32_t)i, table, column, b->value, b->match != MATCH_EXACT};
		}
}

static void search_column(struct search *s, uint32_t table, uint32_t column)
{
	const struct catalog_table *t = &s->c->tables[table];
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_ERROR;

	memset(s->n_best, 0, s->n_spans * sizeof(*s->n_best));
	if (cell_prepare(s->db, &st, "SELECT \"%w\" FROM main.\"%w\"", t->columns[column].name,
	        t->name) == SQLITE_OK)
		while ((rc = sqlite3_step(st)) == SQLITE_ROW)
			if (sqlite3_column_type(st, 0) == SQLITE_TEXT)
				match_row(s, st);
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		s->out->cut = true;
	add_hits(s, table, column);
}

static bool may_hold_text(const struct catalog_column *col)
{
	return col->affinity != AFFINITY_INTEGER && col->affinity != AFFINITY_REAL;
}

void values_find(struct arena *a, sqlite3 *db, const struct catalog *c, const char *const *spans,
    size_t n_spans, uint32_t per_span, uint32_t column_ms, uint64_t deadline_ms,
    struct values_result *ret_result)
{
	struct search s = {.a = a, .db = db, .c = c, .per_span = per_span, .out = ret_result};

	memset(ret_result, 0, sizeof(*ret_result));
	s.n_spans = n_spans < VALUES_MAX_SPANS ? n_spans : VALUES_MAX_SPANS;
	ret_result->cut = s.n_spans < n_spans;
	s.spans = arena_new_array(a, s.n_spans, struct span);
	s.best = arena_new_array(a, s.n_spans * per_span, struct best);
	s.n_best = arena_new_array(a, s.n_spans, size_t);
	s.end_ms = deadline_ms;
	for (size_t i = 0; i < s.n_spans; i++)
		s.spans[i].len = fold(s.spans[i].text, spans[i], strlen(spans[i]));
	sqlite3_progress_handler(db, 1000, look, &s);
	for (uint32_t t = 0; t < c->n_tables; t++)
		for (uint32_t i = 0;
		     c->tables[t].kind == CATALOG_TABLE && i < c->tables[t].n_columns; i++) {
			if (!may_hold_text(&c->tables[t].columns[i]))
				continue;
			s.box_ms = clock_mono_ms() + column_ms;
			if (s.box_ms - column_ms >= s.end_ms) {
				ret_result->cut = true;
				goto out;
			}
			search_column(&s, t, i);
		}
out:
	sqlite3_progress_handler(db, 0, NULL, NULL);
}

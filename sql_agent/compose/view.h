/*
 * The grounding's catalog prepared for composing: which column names a row,
 * which columns are keys, measures, dates, yes/no flags, and how far apart the
 * tables are. Derived once per question; reads nothing but the grounding.
 */
#ifndef NLQ_COMPOSE_VIEW_H
#define NLQ_COMPOSE_VIEW_H

#include "common/model/grounding.h"
#include "sql_agent/compose/ir.h"

#define VIEW_UNREACHABLE 255

enum view_time { VIEW_NO_TIME, VIEW_YEAR, VIEW_DATE /* ISO text, also timestamps */ };

struct view_column {
	const struct catalog_column *column;
	const struct semantic_field *field; /* NULL if the model says nothing */
	bool is_key;                        /* primary or foreign key, or an id by its name */
	bool is_measure; /* a number that can be added or ranked: no key, no code */
	bool is_number;
	bool is_text;
	enum view_time time;
	const char *yes, *no; /* stored values of a yes/no column, else NULL */
	bool yes_is_number;
};

struct view_table {
	const struct catalog_table *table;
	const struct semantic_dataset *dataset;
	struct view_column *columns;
	uint32_t display[2]; /* columns that name a row: name, or first and last name */
	size_t n_display;
	bool is_named;        /* the display columns are names, not just some text */
	uint32_t first, last; /* first and last name of a person, IR_NONE */
	uint32_t key;         /* single-column primary key, IR_NONE if there is none */
	bool is_trap;         /* deprecated or trap by the semantic model */
};

struct view {
	const struct grounding *g;
	const struct catalog *c;
	struct view_table *tables;
	size_t n_tables;
	uint8_t *hops; /* n_tables x n_tables */
	uint8_t *up;   /* the same along references only: each row meets at most one row */
};

struct view *view_new(struct arena *a, const struct grounding *g);
unsigned view_hops(const struct view *v, uint32_t from, uint32_t to);
/* True if each row of `from` belongs to at most one row of `to` (also if equal). */
bool view_is_parent(const struct view *v, uint32_t from, uint32_t to);
const struct view_column *view_column(const struct view *v, uint32_t table, uint32_t column);
/* The time column of a table that fits the grain, IR_NONE if there is none. */
uint32_t view_time_column(const struct view *v, uint32_t table);
/* Table whose display columns name a row of `table`: itself, or the one table
 * that it refers to and that has names (a candidate is a person). */
uint32_t view_namer(const struct view *v, uint32_t table);
/* First table that a metric's expression reads, IR_NONE if it names none. */
uint32_t view_metric_table(const struct view *v, uint32_t metric);
/* Lower-case words of a name: split at everything that is no letter or digit
 * and at case changes. At most max; returns how many. */
size_t view_name_words(struct arena *a, const char *name, const char **ret_words, size_t max);
/* True if the ASCII word stands in the text, bounded by non-letters. */
bool view_has_word(const char *text, const char *word);

#endif

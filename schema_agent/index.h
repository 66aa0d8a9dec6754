/*
 * The derived index of one catalog and semantic model: names of tables,
 * columns, metrics and terms in all their forms, stored values, notes, vectors.
 * Read by rank, literal, link; everything in its arena, immutable after build.
 */
#ifndef NLQ_SCHEMA_INDEX_H
#define NLQ_SCHEMA_INDEX_H

#include "common/model/grounding.h"
#include "schema_agent/names.h"
#include "schema_agent/phrases.h"
#include "schema_agent/vector.h"

enum form_kind { FORM_TABLE, FORM_COLUMN, FORM_METRIC, FORM_TERM };

/* One way to name one thing. */
struct form {
	enum form_kind kind;
	uint32_t table, column; /* TABLE, COLUMN */
	uint32_t item;          /* METRIC, TERM: index in the semantic model */
	enum target_how how;    /* HOW_EXACT own name, HOW_LABEL, HOW_SYNONYM expanded */
	float factor;           /* 1, less for an expansion that we guessed */
	uint32_t *words;        /* index words */
	float *weights;
	uint32_t n_words;
	float total;  /* sum of weights */
	float repeat; /* part of total that repeats the table's name, or is a prefix */
	bool is_cjk;
	const char *phrase;
};

struct word_posting {
	uint32_t form;
	float weight;
};
struct index_word {
	const char *text;
	const char *stem;
	struct word_posting *forms;
	size_t n_forms;
	uint32_t n_tables;     /* tables that have it in a name */
	uint32_t *note_tables; /* tables whose descriptions have it */
	size_t n_note_tables;
	uint32_t last_table; /* build only: table + 1 */
};

struct stored_value {
	uint32_t table, column;
	const struct value *value;
	enum target_how how; /* HOW_STORED or HOW_STORED_LABEL */
	const char *phrase;
};

struct table_info {
	const struct semantic_dataset *dataset; /* NULL: not described */
	bool offered;                           /* neither deprecated nor trap */
	bool has_incomplete_text;               /* a text column whose domain is not complete */
};

struct ground_index {
	struct arena arena;
	const struct catalog *catalog;
	const struct semantic *semantic; /* may be NULL */
	struct table_info *tables;
	struct form *forms;
	size_t n_forms;
	struct index_word *words;
	size_t n_words;
	struct phrase_map word_ids;    /* text -> word */
	struct phrase_map stems;       /* stem -> word */
	struct phrase_map names;       /* phrase, lemma phrase, glued -> form */
	struct phrase_map values;      /* phrase -> stored_value */
	struct phrase_map value_parts; /* word or CJK pair of a longer value -> stored_value */
	struct stored_value *stored;
	size_t n_stored;
	struct phrase_map known; /* words that glued names may be made of */
	struct vector_space *vectors;
	/* The catalog's relations and, behind them, those of the model that it lacks. */
	struct catalog_relation *relations;
	size_t n_relations;
};

/* Word of the index, or TARGET_NONE. */
uint32_t index_word_find(const struct ground_index *ix, const char *text);
/* Resolves "dataset.column", "dataset", or a metric's name. False: stale. */
bool index_resolve_target(
    const struct ground_index *ix, const char *target, struct span_target *ret_target);
/* True if the column holds times: the model says so, or its name and type do.
 * *ret_how: HOW_LABEL if the model says so, else HOW_PARTIAL. */
bool index_is_time(
    const struct ground_index *ix, uint32_t table, uint32_t column, enum target_how *ret_how);
/* True if the column's name says only time (year, date), not whose (birth_date). */
bool index_is_plain_time(const struct ground_index *ix, uint32_t table, uint32_t column);
/* True if the column holds bare years. */
bool index_is_year(const struct ground_index *ix, uint32_t table, uint32_t column);
/* The value with this printed text in the column, or NULL. */
const struct value *index_stored_text(const struct catalog_column *c, const char *text);

/* True if the metric's expression mentions a column of the table. */
bool index_metric_uses(const struct ground_index *ix, uint32_t metric, uint32_t table);

/* Fills relations (relations.c). */
void index_relations_build(struct ground_index *ix);
/* Fills values and value_parts (values.c). */
void index_values_build(struct ground_index *ix);

#endif

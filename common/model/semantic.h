/*
 * The semantic model: what the names of a source mean. A folder of YAML files
 * in Apache Ossie's key names, with typed additions (README of deploy/demo).
 * All names point into the catalog by name, not by index: they are resolved
 * where they are used, and what does not resolve is quarantined.
 * Everything lives in the model's own arena and is immutable after loading.
 */
#ifndef NLQ_SEMANTIC_H
#define NLQ_SEMANTIC_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/model/catalog.h"

struct semantic_names {
	const char **items;
	size_t n;
};

enum semantic_status { SEMANTIC_ACTIVE, SEMANTIC_DEPRECATED, SEMANTIC_TRAP };

struct semantic_value { /* one value of a domain and what people call it */
	const char *value;
	const char *label; /* "" if none */
	struct semantic_names synonyms;
};

struct semantic_field {
	const char *name;  /* column */
	const char *label; /* what people call it; "" if none */
	const char *description;
	struct semantic_names synonyms;
	const char *unit;        /* "亿元"; "" = none known */
	const char *unit_column; /* column of the same table that holds the unit of each row; "" */
	struct semantic_value *domain;
	size_t n_domain;
	struct semantic_names samples;
	const char *null_means;
	const char *time; /* "" | year | quarter | month | date | timestamp */
	enum catalog_sensitivity sensitivity;
	bool is_display; /* names the entity when nothing else is asked */
	const char *file;
	uint32_t line;
};

struct semantic_dataset {
	const char *name;
	const char *source; /* table, or schema.table */
	const char *label, *description;
	struct semantic_names synonyms;
	enum semantic_status status;
	const char *use_instead;
	struct semantic_names primary_key;
	struct semantic_names *unique_keys;
	size_t n_unique_keys;
	const char *default_filter; /* SQL expression over its columns; "" */
	/* Words that its name suggests but that it does not hold (employees_2023 that
	 * is no staff list): such a word never links to this dataset. YAML: not_for. */
	struct semantic_names not_for;
	struct semantic_field *fields;
	size_t n_fields;
	const char *file;
	uint32_t line;
};

struct semantic_relationship {
	const char *name, *from, *to; /* datasets; from is the many side */
	struct semantic_names from_columns, to_columns;
	const char *file;
	uint32_t line;
};

struct semantic_metric {
	const char *name, *label, *description;
	struct semantic_names synonyms;
	const char *expression; /* SQL expression with dataset.column names */
	const char *unit;
	const char *file;
	uint32_t line;
};

struct semantic_variant {
	const char *target; /* dataset.column or metric */
	const char *scope;
	struct semantic_names words;
	const char *note;
};

struct semantic_term {
	const char *term;
	struct semantic_names synonyms;
	const char *target;    /* dataset.column or metric; "" if variants */
	const char *aggregate; /* "" | count | count_distinct | sum | avg | min | max */
	const char *window_column, *window_length; /* "30d" */
	const char *note;
	struct semantic_variant *variants;
	size_t n_variants;
	const char *precedence; /* scope used when no scope word is there; "" = ask */
	bool hot;
	const char *file;
	uint32_t line;
};

struct semantic_verified {
	const char *question, *sql;
	const char *file;
	uint32_t line;
};

struct semantic {
	struct arena arena;
	const char *name, *description;
	struct semantic_dataset *datasets;
	size_t n_datasets;
	struct semantic_relationship *relationships;
	size_t n_relationships;
	struct semantic_metric *metrics;
	size_t n_metrics;
	struct semantic_term *terms;
	size_t n_terms;
	struct semantic_verified *verified;
	size_t n_verified;
};

/* An item that does not fit the catalog: file, line and what is near. */
struct semantic_problem {
	const char *file;
	uint32_t line;
	const char *text;
};

struct semantic *semantic_new(void); /* empty */
void semantic_free(struct semantic *s);
/* Reads every *.yaml of the folder in name order. Unknown keys, wrong types,
 * duplicate names: ERR_CONFIG with file:line. Caller frees with semantic_free. */
int semantic_load(const char *folder, struct semantic **ret_model, struct err *e);
/* Items whose table or column the catalog does not have, in the arena. Such
 * items must not be used (quarantine); semantic_field_of and
 * semantic_dataset_of only return items that resolve. */
size_t semantic_check(const struct semantic *s, const struct catalog *c, struct arena *a,
    struct semantic_problem **ret_problems);

/* The entry for a catalog table / column, or NULL. s may be NULL. */
const struct semantic_dataset *semantic_dataset_of(
    const struct semantic *s, const struct catalog *c, uint32_t table);
const struct semantic_field *semantic_field_of(
    const struct semantic *s, const struct catalog *c, uint32_t table, uint32_t column);

/* By name, ASCII case-insensitive; -1 if there is none. */
int semantic_find_dataset(const struct semantic *s, const char *name);
int semantic_find_metric(const struct semantic *s, const char *name);
/* Catalog table of a dataset's source ("table" or "schema.table"), -1 if none. */
int semantic_dataset_table(const struct semantic_dataset *d, const struct catalog *c);
/* "dataset.column" (also with a label of the column) of a term or expression, or
 * "table.column" where no dataset has that name. 0, or -1 if it does not resolve. */
int semantic_resolve(const struct semantic *s, const struct catalog *c, const char *target,
    uint32_t *ret_table, uint32_t *ret_column);

#endif

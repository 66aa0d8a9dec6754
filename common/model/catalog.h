/*
 * What a principal may see of one source: tables, columns, keys, relations,
 * and the profile of the data (row counts, domains, ranges, samples). Made by
 * the executor, immutable afterwards, everything in the catalog's own arena.
 *
 * "Not profiled" is a value of its own (counts -1, has_* false): it never
 * reads as "no values".
 */
#ifndef NLQ_CATALOG_H
#define NLQ_CATALOG_H

#include "common/base/arena.h"
#include "common/base/hash.h"
#include "common/model/value.h"

enum catalog_affinity {
	AFFINITY_BLOB,
	AFFINITY_TEXT,
	AFFINITY_NUMERIC,
	AFFINITY_INTEGER,
	AFFINITY_REAL
};
enum catalog_kind { CATALOG_TABLE, CATALOG_VIEW };
enum catalog_sensitivity { SENSITIVITY_NONE, SENSITIVITY_PERSONAL, SENSITIVITY_SECRET };

struct catalog_column {
	const char *name;
	const char *decl_type; /* as declared; "" if none */
	enum catalog_affinity affinity;
	bool not_null;
	int pk_position;    /* 1-based place in the primary key, 0 = not in it */
	bool is_unique;     /* alone a primary key or unique index */
	int64_t n_distinct; /* -1: not profiled */
	int64_t n_null;     /* -1: not profiled */
	bool has_range;
	struct value min, max; /* if has_range; NULLs left out */
	/* Distinct values, most frequent first. complete: these are all of them. */
	struct value *domain;
	size_t n_domain;
	bool domain_complete;
	struct value *samples; /* a few distinct non-NULL values */
	size_t n_samples;
	enum catalog_sensitivity sensitivity;
};

struct catalog_key { /* a unique key of several columns */
	uint32_t *columns;
	size_t n_columns;
};

struct catalog_table {
	const char *name;
	enum catalog_kind kind;
	int64_t n_rows; /* -1: not counted */
	struct catalog_column *columns;
	size_t n_columns;
	uint32_t *pk; /* columns of the primary key, in key order */
	size_t n_pk;
	struct catalog_key *unique_keys;
	size_t n_unique_keys;
};

enum catalog_cardinality {
	CARDINALITY_MANY_TO_ONE,
	CARDINALITY_ONE_TO_ONE,
	CARDINALITY_MANY_TO_MANY
};
enum catalog_origin { RELATION_DECLARED, RELATION_INFERRED, RELATION_MODEL /* semantic model */ };

/* from is the referencing side: n columns of from_table equal those of to_table. */
struct catalog_relation {
	uint32_t from_table, to_table;
	uint32_t *from_columns, *to_columns;
	size_t n_columns;
	enum catalog_cardinality cardinality;
	enum catalog_origin origin;
	const char *evidence; /* one line for people; "" if declared */
};

struct catalog {
	struct arena arena;
	const char *source;       /* name of the source */
	const char *engine;       /* "sqlite" */
	const char *schema;       /* "main" */
	struct hash data_version; /* changes when the data may have changed */
	struct catalog_table *tables;
	size_t n_tables;
	struct catalog_relation *relations;
	size_t n_relations;
	bool profile_cut; /* time or size limit: part is not profiled */
};

struct catalog *catalog_new(void);
void catalog_free(struct catalog *c);

/* Index of a table / column by name, ASCII case-insensitive as in SQLite;
 * -1 if there is none. Quoting is not interpreted. */
int catalog_find_table(const struct catalog *c, const char *name);
int catalog_find_column(const struct catalog_table *t, const char *name);
/* True if the columns (any order) contain a unique key of the table, so that
 * joining on them finds at most one row. */
bool catalog_is_unique(const struct catalog_table *t, const uint32_t *columns, size_t n);
bool catalog_column_is_numeric(const struct catalog_column *c);

#endif

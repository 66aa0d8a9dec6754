/*
 * One query of a public set, held against the engine: parsed, resolved, printed,
 * run beside the original. Used by tests/tool/sql_corpus.c.
 */
#ifndef NLQ_TESTS_CORPUS_H
#define NLQ_TESTS_CORPUS_H

#include "common/base/base.h"

struct sqlite3;
struct catalog;

struct counts {
	size_t seen, accepted, parsed, equal, strict_accepted, strict_parsed, names, unreported;
};

struct corpus {
	const char *data;
	const char *set;
	bool is_verbose;
	struct sqlite3 *db, *strict_db; /* the same database, double-quoted strings on and off */
	struct catalog *catalog;
	char db_id[200];
	struct counts n, total;
	double *ratios;
	size_t n_ratios, cap_ratios;
	/* columns that the engine reports while preparing */
	struct {
		char table[100], column[100];
	} * reported;
	size_t n_reported;
};

/* Opens the database of an id unless it is open: a file, or (path NULL) an empty
 * one in memory on which sql is run. */
bool corpus_open(struct corpus *c, const char *db_id, const char *path, const char *sql);
void corpus_close(struct corpus *c);
/* Counts what becomes of one query; complains where it is refused or differs. */
void corpus_try(struct corpus *c, const char *sql);

#endif

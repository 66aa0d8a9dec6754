/*
 * The authorizer of every connection, installed for life: default deny. Our own
 * statements (catalog, profile, values) may read any table and a few pragmas; a
 * user's statement may read the tables of the catalog and call the functions of
 * the list, and what it reads is written down. While it runs, nothing new may be
 * asked.
 *
 * Functions are checked by name in every mode, so a view of a hostile database
 * cannot call one that a query may not.
 */
#ifndef NLQ_EXECUTOR_AUTHZ_H
#define NLQ_EXECUTOR_AUTHZ_H

#include <sqlite3.h>

#include "common/base/err.h"
#include "common/model/catalog.h"

enum authz_mode { AUTHZ_INTERNAL, AUTHZ_PREPARE, AUTHZ_STEP };

struct authz_read {
	uint32_t table; /* of the catalog */
	int32_t column; /* -1: no column of it, or the rowid through a view */
	int32_t via;    /* view of the catalog whose text reads it; -1: the query itself */
};

struct authz {
	enum authz_mode mode;
	const struct catalog *catalog; /* PREPARE, STEP */
	const char *const *ctes;       /* names of WITH tables in the text that runs */
	size_t n_ctes;
	bool has_view; /* the text names a view of the catalog */
	struct arena arena;
	struct authz_read *reads; /* no duplicates */
	size_t n_reads;
	bool denied; /* something was refused since authz_begin */
};

void authz_init(struct authz *z);
void authz_done(struct authz *z);
/* For sqlite3_set_authorizer, with a struct authz as its argument. */
int authz_callback(void *arg, int action, const char *a, const char *b, const char *database,
    const char *accessor);

/* Starts a user's statement: forgets the reads of the last one. */
void authz_begin(struct authz *z, const struct catalog *c, const char *const *ctes, size_t n_ctes,
    bool has_view);
void authz_internal(struct authz *z);

bool authz_function_allowed(const char *name);

/* A set of (table, column) that the query is known to read. */
struct authz_claim {
	uint32_t table, column;
};

/* True if every read of the engine's report is claimed, or is made by the text of a
 * view that the query reads (also through other views). tables: those that the query
 * names. */
bool authz_is_covered(const struct authz *z, const uint32_t *tables, size_t n_tables,
    const struct authz_claim *claims, size_t n_claims);

#endif

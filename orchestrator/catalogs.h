/*
 * The sources that can be asked, and for each the catalog and semantic model
 * in force: described once, kept until the data version changes, published to
 * the agents by hash. One request describes, the others wait for it. An entry
 * that is in use stays published until its last user lets go.
 *
 * The relationships of the semantic model are added to the catalog's relations
 * here (RELATION_MODEL), so that every agent sees one set of join edges.
 */
#ifndef NLQ_CATALOGS_H
#define NLQ_CATALOGS_H

#include "common/model/catalog.h"
#include "common/model/semantic.h"

struct catalogs;

struct catalogs_ops {
	/* All may fail with e filled, except withdraw. arg is the conf's, ctx what
	 * the caller of catalogs_get gave. */
	int (*describe)(void *ctx, struct catalog **ret_catalog, struct err *e);
	int (*publish_catalog)(
	    void *arg, const struct catalog *c, struct hash *ret_hash, struct err *e);
	int (*publish_semantic)(
	    void *arg, const struct semantic *s, struct hash *ret_hash, struct err *e);
	void (*withdraw)(void *arg, const struct hash *h);
	void *arg;
};

struct catalog_entry {
	const char *source, *path;
	struct catalog *catalog;
	struct semantic *model; /* NULL: none */
	struct hash catalog_hash, model_hash;
	const char **problems; /* quarantined items of the model */
	size_t n_problems;
	bool is_grounded; /* some agent has built its index of it */
	/* private to catalogs.c */
	struct arena arena;
	uint32_t refs;
	int64_t model_stamp; /* newest change of the model's files */
	uint64_t looked_ms;  /* when the files were last looked at */
};

int catalogs_new(const struct catalogs_ops *ops, struct catalogs **ret_catalogs, struct err *e);
void catalogs_free(struct catalogs *c); /* NULL is fine */

/* ERR_DUPLICATE: the name stands for another file. The same again is fine, and
 * may bring another semantic folder. Relative paths are refused. */
int catalogs_add(
    struct catalogs *c, const char *name, const char *path, const char *semantic, struct err *e);
/* Name and file of a source, in the arena; NULL or "" name: the first one.
 * ERR_NOT_FOUND with what there is. */
int catalogs_find(struct catalogs *c, struct arena *a, const char *name, const char **ret_name,
    const char **ret_path, struct err *e);

/* The entry in force; give it back with catalogs_put. `stale` is an entry that
 * the caller knows to be out of date (NULL: none): it is described anew unless
 * another request did so since. *ret_fresh: it was described for this call. */
int catalogs_get(struct catalogs *c, const char *name, void *ctx, uint64_t deadline_ms,
    const struct catalog_entry *stale, struct catalog_entry **ret_entry, bool *ret_fresh,
    struct err *e);
void catalogs_put(struct catalogs *c, struct catalog_entry *entry); /* NULL is fine */

struct catalogs_status {
	const char *name, *path;
	int tables;
	const char **problems;
	size_t n_problems;
};
/* Everything in the arena. tables -1: not described yet. */
size_t catalogs_list(struct catalogs *c, struct arena *a, struct catalogs_status **ret_list);

/* Adds the model's relationships to the catalog; those that do not resolve or
 * are there already are left out. */
void catalogs_add_relations(struct catalog *c, const struct semantic *s);

#endif

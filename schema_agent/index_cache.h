/*
 * Derived indexes by the hashes of their catalog and semantic model, shared by
 * the slots. An entry holds references on its two snapshots. Built outside the
 * lock; when two slots build the same one, the first in stays.
 */
#ifndef NLQ_SCHEMA_INDEX_CACHE_H
#define NLQ_SCHEMA_INDEX_CACHE_H

#include "common/rpc/worker.h"
#include "schema_agent/ground.h"

struct index_entry;

void index_cache_init(uint32_t max_entries);
void index_cache_done(void);
/* hashes as in the request; semantic_len 0: no model. Release with
 * index_cache_put. */
int index_cache_get(struct rpc_job *job, const void *catalog, size_t catalog_len,
    const void *semantic, size_t semantic_len, struct index_entry **ret_entry, struct err *e);
void index_cache_put(struct index_entry *x); /* NULL is fine */
const struct ground_index *index_entry_index(const struct index_entry *x);
const struct catalog *index_entry_catalog(const struct index_entry *x);

#endif

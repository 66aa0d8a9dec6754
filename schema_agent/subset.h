/* The part of a catalog and semantic model that goes into a grounding: deep
 * copies, because snapshots may be dropped while a grounding travels. */
#ifndef NLQ_SCHEMA_SUBSET_H
#define NLQ_SCHEMA_SUBSET_H

#include "schema_agent/question.h"

struct subset {
	struct question *q;
	const uint32_t *order; /* tables of the context, best first */
	size_t n;
	uint32_t *table_map;   /* whole catalog -> subset, TARGET_NONE = out */
	uint32_t **column_map; /* per table of the whole catalog */
	uint32_t *metric_map;
};

/* Chooses columns: all of small tables; of wide ones keys, join columns, what
 * the spans name, times, units, the display column, then the first ones.
 * Fills the maps (arena of the question). */
void subset_plan(struct subset *s, const struct grounding *g);
/* Fills g->catalog and g->semantic. */
void subset_catalog(const struct subset *s, struct grounding *g);
void subset_semantic(const struct subset *s, struct grounding *g);
/* Renumbers the spans' targets; targets outside the subset are dropped. */
void subset_remap(const struct subset *s, struct grounding *g);

#endif

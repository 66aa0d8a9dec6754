/*
 * One hop along relations: neighbours of tables that are in, best first, and
 * tables that lie between two of them. Labelled, so that the trace says why.
 */
#include <stdlib.h>
#include <string.h>

#include "schema_agent/rank.h"

static bool may_enter(const struct question *q, const struct rank *ranks, uint32_t table)
{
	/* A view repeats what base tables have: it is no way from one to the other. */
	return q->in_scope[table] && !ranks[table].in &&
	    q->ix->catalog->tables[table].kind != CATALOG_VIEW;
}

static const char *name_of(const struct question *q, uint32_t table)
{
	return q->ix->catalog->tables[table].name;
}

static void enter(struct rank *ranks, uint32_t table, const char *why)
{
	ranks[table].in = true;
	ranks[table].by_relation = true;
	ranks[table].why = why;
}

/* Tables that have relations to two that are in, which have none to each other
 * through another bridge. */
static void add_bridges(struct question *q, struct rank *ranks, const bool *seeds)
{
	const struct ground_index *ix = q->ix;
	const size_t n = ix->catalog->n_tables;
	uint32_t *ends = arena_new_array(q->arena, n + 1, uint32_t); /* first neighbour + 1 */
	uint32_t k;
	size_t i;

	for (i = 0; i < ix->n_relations; i++) {
		const struct catalog_relation *r = &ix->relations[i];

		for (k = 0; k < 2; k++) {
			uint32_t middle = k ? r->to_table : r->from_table,
			         end = k ? r->from_table : r->to_table;

			if (!seeds[end] || middle == end || !may_enter(q, ranks, middle))
				continue;
			if (!ends[middle])
				ends[middle] = end + 1;
			else if (ends[middle] != end + 1)
				enter(ranks, middle,
				    arena_printf(q->arena,
				        q->is_chinese ? "连接%s和%s" : "joins %s and %s",
				        name_of(q, ends[middle] - 1), name_of(q, end)));
		}
	}
}

/* Bridges two relations away: a - x - y - b with both x and y outside. */
static void add_long_bridges(struct question *q, struct rank *ranks, const bool *seeds)
{
	const struct ground_index *ix = q->ix;
	const size_t n = ix->catalog->n_tables;
	uint32_t *near = arena_new_array(q->arena, n + 1, uint32_t); /* seed + 1 */
	size_t i, pass;

	for (i = 0; i < ix->n_relations; i++)
		for (pass = 0; pass < 2; pass++) {
			const struct catalog_relation *r = &ix->relations[i];
			uint32_t seed = pass ? r->to_table : r->from_table,
			         other = pass ? r->from_table : r->to_table;

			if (seeds[seed] && may_enter(q, ranks, other) && !near[other])
				near[other] = seed + 1;
		}
	for (i = 0; i < ix->n_relations; i++) {
		const struct catalog_relation *r = &ix->relations[i];
		uint32_t a = r->from_table, b = r->to_table;

		if (!near[a] || !near[b] || near[a] == near[b] || !may_enter(q, ranks, a) ||
		    !may_enter(q, ranks, b))
			continue;
		enter(ranks, a,
		    arena_printf(q->arena,
		        q->is_chinese ? "位于%s和%s之间" : "lies between %s and %s",
		        name_of(q, near[a] - 1), name_of(q, near[b] - 1)));
		enter(ranks, b, ranks[a].why);
	}
}

/* True if the seeds are all reachable from the first over relations of tables
 * that are in. */
static bool is_connected(struct question *q, const struct rank *ranks, const bool *seeds)
{
	const struct ground_index *ix = q->ix;
	const size_t n = ix->catalog->n_tables;
	bool *reached = arena_new_array(q->arena, n + 1, bool), changed = true;
	size_t i;
	uint32_t t;

	for (t = 0; t < n && !seeds[t]; t++)
		;
	if (t == n)
		return true;
	reached[t] = true;
	while (changed) {
		changed = false;
		for (i = 0; i < ix->n_relations; i++) {
			const struct catalog_relation *r = &ix->relations[i];

			if (!ranks[r->from_table].in || !ranks[r->to_table].in ||
			    reached[r->from_table] == reached[r->to_table])
				continue;
			reached[r->from_table] = reached[r->to_table] = changed = true;
		}
	}
	for (t = 0; t < n; t++)
		if (seeds[t] && !reached[t])
			return false;
	return true;
}

static void add_neighbours(
    struct question *q, struct rank *ranks, const bool *seeds, uint32_t max_more)
{
	const struct ground_index *ix = q->ix;
	size_t i, pass;

	while (max_more--) {
		uint32_t best = TARGET_NONE, from = 0;

		for (i = 0; i < ix->n_relations; i++)
			for (pass = 0; pass < 2; pass++) {
				const struct catalog_relation *r = &ix->relations[i];
				uint32_t seed = pass ? r->to_table : r->from_table;
				uint32_t other = pass ? r->from_table : r->to_table;

				if (!seeds[seed] || !may_enter(q, ranks, other))
					continue;
				if (best == TARGET_NONE || ranks[other].fused > ranks[best].fused ||
				    (ranks[other].fused == ranks[best].fused && other < best))
					best = other, from = seed;
			}
		if (best == TARGET_NONE)
			return;
		enter(ranks, best,
		    arena_printf(
		        q->arena, q->is_chinese ? "与%s相关" : "related to %s", name_of(q, from)));
	}
}

void hop_tables(struct question *q, struct rank *ranks, uint32_t max_more)
{
	const size_t n = q->ix->catalog->n_tables;
	bool *seeds = arena_new_array(q->arena, n + 1, bool);
	size_t t;

	for (t = 0; t < n; t++)
		seeds[t] = ranks[t].in;
	if (!is_connected(q, ranks, seeds))
		add_bridges(q, ranks, seeds);
	if (!is_connected(q, ranks, seeds))
		add_long_bridges(q, ranks, seeds);
	add_neighbours(q, ranks, seeds, max_more);
}

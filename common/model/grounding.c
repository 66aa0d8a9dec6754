/* Groundings: life cycle. Everything but the catalog and the semantic model,
 * which have arenas of their own, lives in the grounding's arena. */
#include "common/model/grounding.h"

#include <stdlib.h>

struct grounding *grounding_new(void)
{
	struct grounding *g = calloc(1, sizeof(*g));
	if (!g) {
		abort(); /* as arena_alloc: out of memory ends the process */
	}
	arena_init(&g->arena);
	g->question = "";
	g->today = "";
	g->catalog = catalog_new();
	g->semantic = semantic_new();
	return g;
}

void grounding_free(struct grounding *g)
{
	if (!g) {
		return;
	}
	catalog_free(g->catalog);
	semantic_free(g->semantic);
	arena_done(&g->arena);
	free(g);
}

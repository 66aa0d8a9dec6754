/*
 * From the tables that a query needs to the joins between them: a tree over
 * the catalog's relations that grows by the nearest missing table (Steiner tree
 * by repeated shortest path). Of parallel foreign keys the one whose column
 * shares words with the question is taken.
 */
#ifndef NLQ_COMPOSE_JOINS_H
#define NLQ_COMPOSE_JOINS_H

#include "sql_agent/compose/ir.h"
#include "sql_agent/compose/view.h"

#define JOIN_MAX_NODES 12

struct join_want {
	uint32_t table;
	uint32_t via; /* relation that must lead to it; IR_NONE: any */
};

struct join_node {
	uint32_t table, via;
	int parent;        /* -1: the first of FROM */
	uint32_t relation; /* to the parent */
	const char *name;  /* what columns are qualified with: table or alias */
	const char *alias; /* NULL if the table stands once */
};

struct join_tree {
	struct join_node nodes[JOIN_MAX_NODES];
	size_t n;
	bool ambiguous; /* a parallel foreign key was as good */
};

/* 0; ERR_UNANSWERABLE if the tables are not connected or too many. */
int join_build(struct arena *a, const struct view *v, const struct join_want *wants, size_t n,
    struct join_tree *ret_tree, struct err *e);
/* Drops leaves that nothing wants and that every row of their neighbour has (the
 * far end of a link table): they add no row and take none away. */
void join_prune(const struct view *v, struct join_tree *t, const struct join_want *wants, size_t n);
/* Node that serves the table (and via), -1 if none. */
int join_find(const struct join_tree *t, uint32_t table, uint32_t via);
/* True if one row of the node can stand in several rows of the whole join. */
bool join_multiplies(const struct view *v, const struct join_tree *t, int node);
/* Relation for going from one table to the other along the cheapest path, and
 * the next table on it; IR_NONE if there is no path. */
uint32_t join_first_step(
    struct arena *a, const struct view *v, uint32_t from, uint32_t to, uint32_t *ret_next);

#endif

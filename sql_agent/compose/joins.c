/* The join tree. Costs are small integers, ties go to the lower index, so the
 * same grounding always gives the same tree. */
#include <string.h>

#include "sql_agent/compose/joins.h"

#define COST_FAR UINT32_MAX
#define COST_STEP 100

/* How much the question's words speak for a relation: words of the referencing
 * column that the referenced table's name does not have. */
static uint32_t role_bonus(struct arena *a, const struct view *v, const struct catalog_relation *r)
{
	static const char *const directions[][2] = {{"from", "source"}, {"from", "dep"},
	    {"from", "depart"}, {"from", "origin"}, {"from", "src"}, {"to", "dest"},
	    {"to", "destination"}, {"to", "arrive"}, {"to", "arr"}, {"to", "target"},
	    {"leaving", "source"}, {"arriving", "dest"}, {"departing", "source"}};
	const char *words[8];
	size_t n = view_name_words(
	    a, v->c->tables[r->from_table].columns[r->from_columns[0]].name, words, 8);
	uint32_t bonus = 0;

	for (size_t i = 0; i < n; i++) {
		if (strlen(words[i]) < 3)
			continue;
		if (view_has_word(v->g->question, words[i]))
			bonus += 8;
		for (size_t d = 0; d < ARRAY_SIZE(directions); d++)
			if (strncmp(words[i], directions[d][1], strlen(directions[d][1])) == 0 &&
			    view_has_word(v->g->question, directions[d][0]))
				bonus += 4;
	}
	return bonus > 40 ? 40 : bonus;
}

/* "students who attended": a table whose name shares the stem of a word. */
static uint32_t table_bonus(struct arena *a, const struct view *v, uint32_t table)
{
	const char *words[8];
	size_t n = view_name_words(a, v->c->tables[table].name, words, 8);

	for (size_t i = 0; i < n; i++) {
		char stem[6];

		if (strlen(words[i]) < 5 || (unsigned char)words[i][0] >= 0x80)
			continue;
		memcpy(stem, words[i], 5);
		stem[5] = '\0';
		if (strcasestr(v->g->question, stem))
			return 6;
	}
	return 0;
}

static uint32_t relation_cost(struct arena *a, const struct view *v, uint32_t index)
{
	const struct catalog_relation *r = &v->c->relations[index];
	uint32_t cost = COST_STEP;

	if (r->origin == RELATION_INFERRED)
		cost += 30;
	if (v->tables[r->from_table].is_trap || v->tables[r->to_table].is_trap)
		cost += 20 * COST_STEP;
	return cost - role_bonus(a, v, r) - table_bonus(a, v, r->from_table) -
	    table_bonus(a, v, r->to_table);
}

struct search {
	uint32_t *cost;     /* per table, from the nearest tree node */
	uint32_t *relation; /* last step to the table */
	uint32_t *previous; /* table before it */
	uint32_t *relation_costs;
};

static void search_init(struct arena *a, const struct view *v, struct search *s)
{
	s->cost = arena_new_array(a, v->n_tables, uint32_t);
	s->relation = arena_new_array(a, v->n_tables, uint32_t);
	s->previous = arena_new_array(a, v->n_tables, uint32_t);
	s->relation_costs = arena_new_array(a, v->c->n_relations, uint32_t);
	for (uint32_t r = 0; r < v->c->n_relations; r++)
		s->relation_costs[r] = relation_cost(a, v, r);
}

static void search_reset(const struct view *v, struct search *s)
{
	for (size_t t = 0; t < v->n_tables; t++) {
		s->cost[t] = COST_FAR;
		s->relation[t] = s->previous[t] = IR_NONE;
	}
}

static bool relax(struct search *s, uint32_t r, uint32_t from, uint32_t to)
{
	uint32_t cost;

	if (s->cost[from] == COST_FAR)
		return false;
	cost = s->cost[from] + s->relation_costs[r];
	if (cost >= s->cost[to])
		return false;
	s->cost[to] = cost;
	s->relation[to] = r;
	s->previous[to] = from;
	return true;
}

static void search_run(const struct view *v, struct search *s)
{
	bool changed = true;

	for (size_t round = 0; changed && round <= v->n_tables; round++) {
		changed = false;
		for (uint32_t r = 0; r < v->c->n_relations; r++) {
			const struct catalog_relation *rel = &v->c->relations[r];

			changed |= relax(s, r, rel->from_table, rel->to_table);
			changed |= relax(s, r, rel->to_table, rel->from_table);
		}
	}
}

int join_find(const struct join_tree *t, uint32_t table, uint32_t via)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].table == table && (via == IR_NONE || t->nodes[i].via == via))
			return (int)i;
	return -1;
}

static int too_many(struct err *e)
{
	return err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE,
	    "the question needs more than %d tables", JOIN_MAX_NODES);
}

static int tree_add(
    struct join_tree *t, uint32_t table, int parent, uint32_t relation, struct err *e)
{
	struct join_node *n;

	if (t->n == JOIN_MAX_NODES)
		return too_many(e);
	n = &t->nodes[t->n++];
	n->table = table;
	n->via = IR_NONE;
	n->parent = parent;
	n->relation = relation;
	return 0;
}

static bool has_rival(const struct view *v, const struct search *s, uint32_t relation)
{
	const struct catalog_relation *r = &v->c->relations[relation];

	for (uint32_t i = 0; i < v->c->n_relations; i++) {
		const struct catalog_relation *o = &v->c->relations[i];

		if (i != relation && o->from_table == r->from_table && o->to_table == r->to_table &&
		    s->relation_costs[i] == s->relation_costs[relation])
			return true;
	}
	return false;
}

/* Adds the path that the search found, tree side first. */
static int add_path(
    const struct view *v, struct search *s, struct join_tree *t, uint32_t table, struct err *e)
{
	uint32_t path[JOIN_MAX_NODES];
	size_t n = 0;

	for (uint32_t at = table; s->cost[at] != 0; at = s->previous[at]) {
		if (n == JOIN_MAX_NODES)
			return too_many(e);
		path[n++] = at;
	}
	while (n > 0) {
		uint32_t at = path[--n];
		int rc = tree_add(
		    t, at, join_find(t, s->previous[at], IR_NONE), s->relation[at], e);

		if (rc < 0)
			return rc;
		t->ambiguous |= has_rival(v, s, s->relation[at]);
	}
	return 0;
}

static int unconnected(const struct view *v, uint32_t x, uint32_t y, struct err *e)
{
	int rc = err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE, "no relation connects %s and %s",
	    v->c->tables[x].name, v->c->tables[y].name);

	err_fix(e, "declare a foreign key, or a relationship in the semantic model");
	return rc;
}

/* Joins the nearest of the missing tables; *ret_more is false when none is missing. */
static int add_nearest(const struct view *v, struct search *s, struct join_tree *t,
    const struct join_want *wants, size_t n, bool *ret_more, struct err *e)
{
	uint32_t best = IR_NONE, missing = IR_NONE;

	search_reset(v, s);
	for (size_t i = 0; i < t->n; i++)
		s->cost[t->nodes[i].table] = 0;
	search_run(v, s);
	for (size_t i = 0; i < n; i++) {
		if (wants[i].via != IR_NONE || join_find(t, wants[i].table, IR_NONE) >= 0)
			continue;
		missing = wants[i].table;
		if (best == IR_NONE || s->cost[missing] < s->cost[best])
			best = missing;
	}
	*ret_more = missing != IR_NONE;
	if (missing == IR_NONE)
		return 0;
	if (s->cost[best] == COST_FAR)
		return unconnected(v, t->nodes[0].table, best, e);
	return add_path(v, s, t, best, e);
}

/* A table that must be reached by one relation gets a node of its own. */
static int add_via(
    const struct view *v, struct join_tree *t, const struct join_want *w, struct err *e)
{
	const struct catalog_relation *r = &v->c->relations[w->via];
	uint32_t other = r->to_table == w->table ? r->from_table : r->to_table;
	int parent = join_find(t, other, IR_NONE), rc;

	if (join_find(t, w->table, w->via) >= 0)
		return 0;
	if (parent < 0)
		return unconnected(v, other, w->table, e);
	rc = tree_add(t, w->table, parent, w->via, e);
	if (rc == 0)
		t->nodes[t->n - 1].via = w->via;
	return rc;
}

static void name_nodes(struct arena *a, const struct view *v, struct join_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t same = 0;

		for (size_t k = 0; k < t->n; k++)
			same += t->nodes[k].table == t->nodes[i].table;
		t->nodes[i].name = v->c->tables[t->nodes[i].table].name;
		if (same < 2)
			continue;
		t->nodes[i].alias = arena_printf(a, "t%zu", i + 1);
		t->nodes[i].name = t->nodes[i].alias;
	}
}

static bool is_wanted(const struct join_node *node, const struct join_want *wants, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wants[i].table == node->table &&
		    (wants[i].via == IR_NONE || wants[i].via == node->via))
			return true;
	return false;
}

static bool has_child(const struct join_tree *t, int node)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].parent == node)
			return true;
	return false;
}

void join_prune(const struct view *v, struct join_tree *t, const struct join_want *wants, size_t n)
{
	for (int i = (int)t->n - 1; i > 0; i--) {
		struct join_node *node = &t->nodes[i];
		const struct catalog_relation *r = &v->c->relations[node->relation];

		if (is_wanted(node, wants, n) || has_child(t, i) || r->to_table != node->table ||
		    r->from_table == node->table)
			continue;
		/* leaves are pruned from the end, so only later nodes move */
		for (size_t k = (size_t)i; k + 1 < t->n; k++) {
			t->nodes[k] = t->nodes[k + 1];
			if (t->nodes[k].parent > i)
				t->nodes[k].parent--;
		}
		t->n--;
	}
}

static uint32_t want_base(const struct view *v, const struct join_want *w)
{
	const struct catalog_relation *r;

	if (w->via == IR_NONE)
		return w->table;
	r = &v->c->relations[w->via];
	return r->to_table == w->table ? r->from_table : r->to_table;
}

int join_build(struct arena *a, const struct view *v, const struct join_want *wants, size_t n,
    struct join_tree *ret_tree, struct err *e)
{
	struct join_want *all = arena_new_array(a, n, struct join_want);
	struct search s;
	bool more = true;
	int rc;

	memset(ret_tree, 0, sizeof(*ret_tree));
	if (n == 0)
		return 0;
	search_init(a, v, &s);
	for (size_t i = 0; i < n; i++) {
		all[i].table = want_base(v, &wants[i]);
		all[i].via = IR_NONE;
	}
	rc = tree_add(ret_tree, all[0].table, -1, IR_NONE, e);
	while (rc == 0 && more)
		rc = add_nearest(v, &s, ret_tree, all, n, &more, e);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (wants[i].via != IR_NONE)
			rc = add_via(v, ret_tree, &wants[i], e);
	name_nodes(a, v, ret_tree);
	return rc;
}

/* The edge between node and its parent, seen from `from`: may one row meet several? */
static bool edge_multiplies(
    const struct view *v, const struct join_tree *t, int child, bool from_child)
{
	const struct join_node *n = &t->nodes[child];
	const struct catalog_relation *r = &v->c->relations[n->relation];
	bool child_refers = r->from_table == n->table;

	if (r->from_table == r->to_table)
		child_refers = false; /* a node is added for the referenced row */
	if (r->cardinality == CARDINALITY_ONE_TO_ONE)
		return false;
	if (r->cardinality == CARDINALITY_MANY_TO_MANY)
		return true;
	return child_refers != from_child;
}

bool join_multiplies(const struct view *v, const struct join_tree *t, int node)
{
	bool seen[JOIN_MAX_NODES] = {false};

	/* edges on the way up are crossed from the child, all others from the parent */
	for (int at = node; t->nodes[at].parent >= 0; at = t->nodes[at].parent) {
		seen[at] = true;
		if (edge_multiplies(v, t, at, true))
			return true;
	}
	for (int i = 0; i < (int)t->n; i++)
		if (t->nodes[i].parent >= 0 && !seen[i] && edge_multiplies(v, t, i, false))
			return true;
	return false;
}

uint32_t join_first_step(
    struct arena *a, const struct view *v, uint32_t from, uint32_t to, uint32_t *ret_next)
{
	struct search s;

	search_init(a, v, &s);
	search_reset(v, &s);
	s.cost[to] = 0; /* searched backwards, so that the step at `from` is at hand */
	search_run(v, &s);
	if (from == to || s.cost[from] == COST_FAR)
		return IR_NONE;
	*ret_next = s.previous[from];
	return s.relation[from];
}

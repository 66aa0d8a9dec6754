/* A small shop catalog with a semantic model, built by hand, and helpers to look
 * into groundings. For the tests of the schema agent. */
#ifndef NLQ_TESTS_GROUND_RIG_H
#define NLQ_TESTS_GROUND_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/text/cue.h"
#include "schema_agent/ground.h"

struct rig_column {
	const char *name, *type;
	const char *values[8];
};

static inline struct catalog_table *rig_table(
    struct catalog *c, const char *name, const struct rig_column *columns, size_t n)
{
	struct catalog_table *t = arena_push(&c->arena, c->tables, c->n_tables);
	size_t i, k;

	t->name = name;
	t->n_rows = 10;
	t->columns = arena_new_array(&c->arena, n, struct catalog_column);
	t->n_columns = n;
	for (i = 0; i < n; i++) {
		struct catalog_column *col = &t->columns[i];

		col->name = columns[i].name;
		col->decl_type = columns[i].type;
		col->affinity = !strcmp(col->decl_type, "INTEGER") ? AFFINITY_INTEGER
		    : !strcmp(col->decl_type, "REAL")              ? AFFINITY_REAL
		                                                   : AFFINITY_TEXT;
		col->domain_complete = true;
		col->n_distinct = -1;
		col->n_null = -1;
		col->domain = arena_new_array(&c->arena, 8, struct value);
		for (k = 0; k < 8 && columns[i].values[k]; k++) {
			col->domain[k].type = VALUE_TEXT;
			col->domain[k].text = columns[i].values[k];
			col->domain[k].len = strlen(columns[i].values[k]);
			col->n_domain++;
		}
		col->n_distinct = (int64_t)col->n_domain;
	}
	t->columns[0].pk_position = 1;
	t->columns[0].is_unique = true;
	t->pk = arena_new_array(&c->arena, 1, uint32_t);
	t->n_pk = 1;
	return t;
}

static inline void rig_relation(
    struct catalog *c, const char *from, const char *column, const char *to)
{
	struct catalog_relation *r = arena_push(&c->arena, c->relations, c->n_relations);
	int f = catalog_find_table(c, from), t = catalog_find_table(c, to);

	r->from_table = (uint32_t)f;
	r->to_table = (uint32_t)t;
	r->n_columns = 1;
	r->from_columns = arena_new_array(&c->arena, 1, uint32_t);
	r->to_columns = arena_new_array(&c->arena, 1, uint32_t);
	r->from_columns[0] = (uint32_t)catalog_find_column(&c->tables[f], column);
	r->evidence = "";
}

#define RIG_TABLE(c, name, ...)                                          \
	rig_table((c), (name), (const struct rig_column[]){__VA_ARGS__}, \
	    sizeof((const struct rig_column[]){__VA_ARGS__}) / sizeof(struct rig_column))

static inline struct catalog *rig_catalog(void)
{
	struct catalog *c = catalog_new();

	c->source = "shop";
	c->engine = "sqlite";
	c->schema = "main";
	RIG_TABLE(c, "customers", {"customer_id", "INTEGER", {0}},
	    {"customer_name", "TEXT", {"Ada Lovelace", "Alan Turing"}},
	    {"country", "TEXT", {"France", "United States", "China"}}, {"age", "INTEGER", {0}},
	    {"birth_date", "TEXT", {"1990-01-02"}});
	RIG_TABLE(c, "orders", {"order_id", "INTEGER", {0}}, {"customer_id", "INTEGER", {0}},
	    {"order_date", "DATE", {"2023-01-02", "2023-02-03"}}, {"amount", "REAL", {0}},
	    {"status", "TEXT", {"open", "shipped", "cancelled"}});
	RIG_TABLE(c, "order_items", {"item_id", "INTEGER", {0}}, {"order_id", "INTEGER", {0}},
	    {"product_id", "INTEGER", {0}}, {"qty", "INTEGER", {0}});
	RIG_TABLE(c, "products", {"product_id", "INTEGER", {0}},
	    {"product_name", "TEXT", {"Red Chair", "Blue Table"}}, {"unit_price", "REAL", {0}},
	    {"colour", "TEXT", {"red", "blue"}});
	RIG_TABLE(c, "orders_bak", {"order_id", "INTEGER", {0}}, {"amount", "REAL", {0}});
	rig_relation(c, "orders", "customer_id", "customers");
	rig_relation(c, "order_items", "order_id", "orders");
	rig_relation(c, "order_items", "product_id", "products");
	return c;
}

static const char rig_model_text[] =
    "name: shop\n"
    "datasets:\n"
    "  - name: customers\n"
    "    source: customers\n"
    "    label: 客户\n"
    "    fields:\n"
    "      - {name: customer_name, label: 客户名称, display: true}\n"
    "      - {name: country, label: 国家, domain: [{value: France, label: 法国}, {value: China, label: 中国}]}\n"
    "      - {name: age, label: 年龄}\n"
    "  - name: orders\n"
    "    source: orders\n"
    "    label: 订单\n"
    "    fields:\n"
    "      - {name: amount, label: 订单金额, unit: 元}\n"
    "      - {name: order_date, label: 下单日期, time: date}\n"
    "  - name: orders_bak\n"
    "    source: orders_bak\n"
    "    status: trap\n"
    "    use_instead: orders\n"
    "  - name: products\n"
    "    source: products\n"
    "    label: 商品\n"
    "    not_for: [staff]\n"
    "metrics:\n"
    "  - {name: gmv, label: 总成交额, expression: SUM(orders.amount)}\n"
    "terms:\n"
    "  - term: 成交额\n"
    "    variants:\n"
    "      - {target: gmv, scope: {name: external, words: [对外]}}\n"
    "      - {target: orders.amount, scope: {name: internal, words: [内部]}}\n"
    "  - {term: 客单价, target: orders.amount, aggregate: avg}\n";

struct rig {
	char folder[32];
	struct catalog *catalog;
	struct semantic *semantic;
	struct ground_index *index;
};

static inline void rig_open(struct rig *r, bool with_model)
{
	struct err e = ERR_INIT;
	char path[64];
	FILE *f;

	memset(r, 0, sizeof(*r));
	r->catalog = rig_catalog();
	if (with_model) {
		strcpy(r->folder, "/tmp/ground.XXXXXX");
		assert_non_null(mkdtemp(r->folder));
		snprintf(path, sizeof(path), "%s/shop.yaml", r->folder);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(rig_model_text, f);
		fclose(f);
		if (semantic_load(r->folder, &r->semantic, &e))
			fail_msg("%s", e.text);
		unlink(path);
		rmdir(r->folder);
	}
	r->index = ground_index_new(r->catalog, r->semantic);
}

static inline void rig_close(struct rig *r)
{
	ground_index_free(r->index);
	catalog_free(r->catalog);
	semantic_free(r->semantic);
}

static inline struct grounding *rig_ground_with(
    struct rig *r, const char *question, struct ground_options o)
{
	struct grounding *g = NULL;
	struct err e = ERR_INIT;

	o.today = "2026-11-30";
	if (ground_question(r->index, question, &o, &g, NULL, &e))
		fail_msg("%s: %s", question, e.text);
	return g;
}

static inline struct grounding *rig_ground(struct rig *r, const char *question)
{
	return rig_ground_with(r, question, (struct ground_options){0});
}

/* The span with exactly this text; fails without one. */
static inline const struct grounding_span *rig_span(const struct grounding *g, const char *text)
{
	size_t i;

	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].len == strlen(text) &&
		    !strncmp(g->question + g->spans[i].start, text, g->spans[i].len))
			return &g->spans[i];
	for (i = 0; i < g->n_spans; i++)
		print_message("# kind %d: %.*s\n", g->spans[i].kind, (int)g->spans[i].len,
		    g->question + g->spans[i].start);
	fail_msg("no span \"%s\" in \"%s\"", text, g->question);
	return NULL;
}

/* "orders.amount", "orders", "customers.country=France", "metric gmv" */
static inline const char *rig_target(
    const struct grounding *g, const struct grounding_span *s, size_t i)
{
	static char out[200];
	const struct span_target *t;
	const struct catalog_table *table;

	if (i >= s->n_targets)
		return "";
	t = &s->targets[i];
	if (t->metric != TARGET_NONE) {
		snprintf(out, sizeof(out), "metric %s", g->semantic->metrics[t->metric].name);
		return out;
	}
	table = &g->catalog->tables[t->table];
	snprintf(out, sizeof(out), "%s%s%s%s%s", table->name, t->column != TARGET_NONE ? "." : "",
	    t->column != TARGET_NONE ? table->columns[t->column].name : "",
	    t->value.type == VALUE_TEXT ? "=" : "",
	    t->value.type == VALUE_TEXT ? t->value.text : "");
	return out;
}

static inline void rig_expect(
    const struct grounding *g, const char *text, enum span_kind kind, const char *target)
{
	const struct grounding_span *s = rig_span(g, text);

	assert_int_equal(s->kind, kind);
	assert_string_equal(rig_target(g, s, 0), target);
}

static inline void rig_expect_cue(
    const struct grounding *g, const char *text, enum cue_kind cue, uint32_t arg)
{
	const struct grounding_span *s = rig_span(g, text);

	assert_int_equal(s->kind, SPAN_CUE);
	assert_string_equal(cue_kind_name((enum cue_kind)s->cue), cue_kind_name(cue));
	assert_int_equal(s->cue_arg, arg);
}

static inline bool rig_has_table(const struct grounding *g, const char *name)
{
	return catalog_find_table(g->catalog, name) >= 0;
}

#endif

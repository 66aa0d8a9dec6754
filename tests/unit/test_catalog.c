/* Catalog look-ups, and catalogs through bytes: equal after, refused when broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "common/model/pb_catalog.h"
#include "common/wire/wire.h"

static struct value text(const char *s)
{
	return (struct value){.type = VALUE_TEXT, .text = s, .len = strlen(s)};
}

static void fill_column(
    struct catalog_column *c, const char *name, const char *type, enum catalog_affinity affinity)
{
	c->name = name;
	c->decl_type = type;
	c->affinity = affinity;
	c->n_distinct = c->n_null = -1;
}

/* orders(id PK, customer, "day", code) with UNIQUE(customer, day); customer(id PK) */
static struct catalog *make(void)
{
	static uint32_t pk[] = {0}, key[] = {1, 2}, from[] = {1}, to[] = {0};
	static struct catalog_key keys[] = {{key, 2}};
	struct catalog *c = catalog_new();
	struct arena *a = &c->arena;
	c->source = "shop";
	c->engine = "sqlite";
	c->schema = "main";
	memset(c->data_version.bytes, 7, HASH_LEN);
	c->n_tables = 2;
	c->tables = arena_new_array(a, 2, struct catalog_table);
	struct catalog_table *t = &c->tables[0];
	*t = (struct catalog_table){.name = "orders",
	    .n_rows = -1,
	    .n_columns = 4,
	    .pk = pk,
	    .n_pk = 1,
	    .unique_keys = keys,
	    .n_unique_keys = 1};
	t->columns = arena_new_array(a, 4, struct catalog_column);
	fill_column(&t->columns[0], "id", "INTEGER", AFFINITY_INTEGER);
	t->columns[0].pk_position = 1;
	t->columns[0].is_unique = true;
	fill_column(&t->columns[1], "customer", "", AFFINITY_BLOB);
	fill_column(&t->columns[2], "a\"b\nday", "DATE", AFFINITY_NUMERIC);
	t->columns[2].not_null = true;
	t->columns[2].has_range = true;
	t->columns[2].min = text("2021-01-01");
	t->columns[2].max = text("2023-12-31");
	fill_column(&t->columns[3], "code", "TEXT", AFFINITY_TEXT);
	t->columns[3].n_distinct = 2;
	t->columns[3].n_null = 0;
	t->columns[3].n_domain = 2;
	t->columns[3].domain = arena_new_array(a, 2, struct value);
	t->columns[3].domain[0] = text("甲");
	t->columns[3].domain[1] = (struct value){.type = VALUE_INT, .i = -5};
	t->columns[3].domain_complete = true;
	t->columns[3].n_samples = 1;
	t->columns[3].samples = t->columns[3].domain;
	t->columns[3].sensitivity = SENSITIVITY_SECRET;
	t = &c->tables[1];
	*t = (struct catalog_table){.name = "customer",
	    .kind = CATALOG_VIEW,
	    .n_rows = 12,
	    .n_columns = 1,
	    .pk = pk,
	    .n_pk = 1};
	t->columns = arena_new(a, struct catalog_column);
	fill_column(&t->columns[0], "id", "INTEGER", AFFINITY_INTEGER);
	c->n_relations = 1;
	c->relations = arena_new(a, struct catalog_relation);
	c->relations[0] = (struct catalog_relation){.from_table = 0,
	    .to_table = 1,
	    .from_columns = from,
	    .to_columns = to,
	    .n_columns = 1,
	    .origin = RELATION_INFERRED,
	    .evidence = "same values"};
	return c;
}

static void test_finds_names_without_case(void **state)
{
	(void)state;
	struct catalog *c = make();
	assert_int_equal(catalog_find_table(c, "CUSTOMER"), 1);
	assert_int_equal(catalog_find_table(c, "custome"), -1);
	assert_int_equal(catalog_find_column(&c->tables[0], "Code"), 3);
	assert_int_equal(catalog_find_column(&c->tables[0], ""), -1);
	catalog_free(c);
}

static void test_knows_which_columns_are_unique(void **state)
{
	(void)state;
	struct catalog *c = make();
	const struct catalog_table *t = &c->tables[0];
	uint32_t id[] = {3, 0}, part[] = {1}, both[] = {2, 1}, out[] = {99};
	assert_true(catalog_is_unique(t, id, 2));
	assert_false(catalog_is_unique(t, part, 1));
	assert_true(catalog_is_unique(t, both, 2));
	assert_false(catalog_is_unique(t, out, 1));
	assert_false(catalog_is_unique(t, NULL, 0));
	catalog_free(c);
}

static void test_numeric_means_the_data_where_the_type_does_not_say(void **state)
{
	(void)state;
	struct catalog *c = make();
	struct catalog_column *k = c->tables[0].columns;
	assert_true(catalog_column_is_numeric(&k[0]));
	assert_false(catalog_column_is_numeric(&k[1]));
	assert_false(catalog_column_is_numeric(&k[2]));
	assert_false(catalog_column_is_numeric(&k[3]));
	k[1].has_range = true;
	k[1].min = k[1].max = (struct value){.type = VALUE_REAL, .r = 2};
	assert_true(catalog_column_is_numeric(&k[1]));
	catalog_free(c);
}

static void test_is_the_same_after_a_trip_through_bytes(void **state)
{
	(void)state;
	struct catalog *c = make(), *back = NULL;
	struct strbuf first, second;
	struct err e = ERR_INIT;
	strbuf_init(&first, 1 << 20);
	strbuf_init(&second, 1 << 20);
	assert_int_equal(pb_catalog_pack(&first, c, &e), 0);
	assert_int_equal(pb_catalog_unpack(first.data, first.len, &back, &e), 0);
	assert_int_equal(pb_catalog_pack(&second, back, &e), 0);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	assert_int_equal(back->tables[0].n_rows, -1);
	assert_int_equal(back->tables[0].columns[0].n_distinct, -1);
	assert_int_equal(back->tables[0].columns[3].n_null, 0);
	assert_string_equal(back->tables[0].columns[2].name, "a\"b\nday");
	assert_string_equal(back->tables[0].columns[2].max.text, "2023-12-31");
	assert_true(back->tables[0].columns[3].domain[1].i == -5);
	assert_string_equal(back->relations[0].evidence, "same values");
	strbuf_done(&first);
	strbuf_done(&second);
	catalog_free(back);
	catalog_free(c);
}

/* Builds the message, lets `spoil` break it, and expects it to be refused. */
static void refuse(void (*spoil)(Nlq__Catalog *m))
{
	struct catalog *c = make(), *back = NULL;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	Nlq__Catalog *m = pb_catalog_message(&a, c);
	spoil(m);
	assert_int_equal(pb_catalog_read(m, &back, &e), ERR_PROTOCOL);
	assert_null(back);
	arena_done(&a);
	catalog_free(c);
}

static uint32_t far[] = {4};

static void spoil_pk(Nlq__Catalog *m)
{
	m->tables[0]->pk = far;
}
static void spoil_key(Nlq__Catalog *m)
{
	m->tables[0]->unique_keys[0]->columns = far;
	m->tables[0]->unique_keys[0]->n_columns = 1;
}
static void spoil_relation_table(Nlq__Catalog *m)
{
	m->relations[0]->to_table = 2;
}
static void spoil_relation_column(Nlq__Catalog *m)
{
	m->relations[0]->to_columns = far;
}
static void spoil_relation_count(Nlq__Catalog *m)
{
	m->relations[0]->n_to_columns = 0;
}
static void spoil_affinity(Nlq__Catalog *m)
{
	m->tables[0]->columns[0]->affinity = 5;
}
static void spoil_value(Nlq__Catalog *m)
{
	m->tables[0]->columns[3]->domain[0]->has_i = true;
}
static void spoil_utf8(Nlq__Catalog *m)
{
	m->tables[0]->columns[3]->domain[0]->text.len = 2;
}
static void spoil_version(Nlq__Catalog *m)
{
	m->data_version.len = 5;
}
static void spoil_range(Nlq__Catalog *m)
{
	m->tables[0]->columns[2]->max = NULL;
}

static void test_refuses_what_points_nowhere(void **state)
{
	(void)state;
	refuse(spoil_pk);
	refuse(spoil_key);
	refuse(spoil_relation_table);
	refuse(spoil_relation_column);
	refuse(spoil_relation_count);
	refuse(spoil_affinity);
	refuse(spoil_value);
	refuse(spoil_utf8);
	refuse(spoil_version);
	refuse(spoil_range);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_names_without_case),
	    cmocka_unit_test(test_knows_which_columns_are_unique),
	    cmocka_unit_test(test_numeric_means_the_data_where_the_type_does_not_say),
	    cmocka_unit_test(test_is_the_same_after_a_trip_through_bytes),
	    cmocka_unit_test(test_refuses_what_points_nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

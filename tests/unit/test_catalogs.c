/* The catalog cache: described once for many, refreshed once, kept while in
 * use, and the model's relationships among its relations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "orchestrator/catalogs.h"

struct fake {
	int n_described, n_published, n_withdrawn;
	bool fails;
	uint32_t slow_us;
};

static struct catalog *make_catalog(void)
{
	static const char *const names[] = {"customer", "orders"};
	struct catalog *c = catalog_new();
	struct arena *a = &c->arena;

	c->source = "shop";
	c->engine = "sqlite";
	c->schema = "main";
	c->n_tables = 2;
	c->tables = arena_new_array(a, 2, struct catalog_table);
	for (size_t i = 0; i < 2; i++) {
		struct catalog_table *t = &c->tables[i];

		t->name = names[i];
		t->n_columns = 2;
		t->columns = arena_new_array(a, 2, struct catalog_column);
		t->columns[0].name = "id";
		t->columns[0].is_unique = true;
		t->columns[1].name = i ? "customer_id" : "name";
		t->columns[0].decl_type = t->columns[1].decl_type = "";
	}
	return c;
}

static int describe(void *ctx, struct catalog **ret_catalog, struct err *e)
{
	struct fake *f = ctx;

	__atomic_add_fetch(&f->n_described, 1, __ATOMIC_SEQ_CST);
	if (f->slow_us)
		usleep(f->slow_us);
	if (f->fails)
		return err_set(e, ERR_SOURCE_MISSING, PHASE_DESCRIBE, "no such file");
	*ret_catalog = make_catalog();
	return 0;
}

static int publish_catalog(void *arg, const struct catalog *c, struct hash *ret_hash, struct err *e)
{
	struct fake *f = arg;

	(void)c;
	(void)e;
	memset(ret_hash, ++f->n_published, sizeof(*ret_hash));
	return 0;
}

static int publish_semantic(
    void *arg, const struct semantic *s, struct hash *ret_hash, struct err *e)
{
	(void)s;
	return publish_catalog(arg, NULL, ret_hash, e);
}

static void withdraw(void *arg, const struct hash *h)
{
	(void)h;
	((struct fake *)arg)->n_withdrawn++;
}

static struct catalogs *make(struct fake *f)
{
	struct catalogs_ops ops = {describe, publish_catalog, publish_semantic, withdraw, f};
	struct catalogs *c = NULL;

	assert_int_equal(catalogs_new(&ops, &c, NULL), 0);
	return c;
}

static struct catalog_entry *get(
    struct catalogs *c, struct fake *f, const struct catalog_entry *stale, bool *ret_fresh)
{
	struct catalog_entry *entry = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(
	    catalogs_get(c, "shop", f, clock_mono_ms() + 5000, stale, &entry, ret_fresh, &e), 0);
	return entry;
}

static void test_describes_once_and_keeps_it(void **state)
{
	struct fake f = {0};
	struct catalogs *c = make(&f);
	bool fresh;

	(void)state;
	assert_int_equal(catalogs_add(c, "shop", "/a", "", NULL), 0);
	struct catalog_entry *one = get(c, &f, NULL, &fresh);

	assert_true(fresh);
	struct catalog_entry *two = get(c, &f, NULL, &fresh);

	assert_false(fresh);
	assert_ptr_equal(one, two);
	assert_int_equal(f.n_described, 1);
	catalogs_put(c, one);
	catalogs_put(c, two);
	catalogs_free(c);
	assert_int_equal(f.n_withdrawn, 1);
}

static void test_refreshes_once_however_many_call_it_stale(void **state)
{
	struct fake f = {0};
	struct catalogs *c = make(&f);
	bool fresh;

	(void)state;
	assert_int_equal(catalogs_add(c, "shop", "/a", "", NULL), 0);
	struct catalog_entry *old = get(c, &f, NULL, &fresh);
	struct catalog_entry *new = get(c, &f, old, &fresh);

	assert_true(fresh);
	assert_ptr_not_equal(old, new);
	/* A second request that still holds the old one gets the new one. */
	struct catalog_entry *again = get(c, &f, old, &fresh);

	assert_false(fresh);
	assert_ptr_equal(again, new);
	assert_int_equal(f.n_described, 2);
	/* The old one stays published until its last user lets go. */
	assert_int_equal(f.n_withdrawn, 0);
	catalogs_put(c, old);
	assert_int_equal(f.n_withdrawn, 1);
	catalogs_put(c, new);
	catalogs_put(c, again);
	catalogs_free(c);
	assert_int_equal(f.n_withdrawn, 2);
}

struct getter {
	struct catalogs *c;
	struct fake *f;
};

static void *get_and_put(void *arg)
{
	struct getter *g = arg;
	bool fresh;

	catalogs_put(g->c, get(g->c, g->f, NULL, &fresh));
	return NULL;
}

static void test_one_describes_while_others_wait(void **state)
{
	struct fake f = {.slow_us = 50000};
	struct catalogs *c = make(&f);
	struct getter g = {c, &f};
	pthread_t threads[4];

	(void)state;
	assert_int_equal(catalogs_add(c, "shop", "/a", "", NULL), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, get_and_put, &g), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(f.n_described, 1);
	catalogs_free(c);
}

static void test_a_failed_describe_is_tried_again_by_the_next(void **state)
{
	struct fake f = {.fails = true};
	struct catalogs *c = make(&f);
	struct catalog_entry *entry = NULL;
	struct err e = ERR_INIT;
	bool fresh;

	(void)state;
	assert_int_equal(catalogs_add(c, "shop", "/a", "", NULL), 0);
	assert_int_equal(
	    catalogs_get(c, "shop", &f, clock_mono_ms() + 100, NULL, &entry, &fresh, &e),
	    ERR_SOURCE_MISSING);
	f.fails = false;
	catalogs_put(c, get(c, &f, NULL, &fresh));
	catalogs_free(c);
}

static void test_a_name_stands_for_one_file(void **state)
{
	struct fake f = {0};
	struct catalogs *c = make(&f);
	struct arena a = ARENA_INIT;
	const char *name, *path;
	struct err e = ERR_INIT;

	(void)state;
	arena_init(&a);
	assert_int_equal(catalogs_find(c, &a, NULL, &name, &path, &e), ERR_NOT_FOUND);
	assert_int_equal(catalogs_add(c, "shop", "/a", "", &e), 0);
	assert_int_equal(catalogs_add(c, "shop", "/a", "/model", &e), 0);
	assert_int_equal(catalogs_add(c, "shop", "/b", "", &e), ERR_DUPLICATE);
	assert_int_equal(catalogs_add(c, "other", "/b", "", &e), 0);
	assert_int_equal(catalogs_find(c, &a, "", &name, &path, &e), 0);
	assert_string_equal(name, "shop");
	assert_int_equal(catalogs_find(c, &a, "other", &name, &path, &e), 0);
	assert_string_equal(path, "/b");
	assert_int_equal(catalogs_find(c, &a, "shopp", &name, &path, &e), ERR_NOT_FOUND);
	assert_non_null(strstr(e.fix, "other"));
	arena_done(&a);
	catalogs_free(c);
}

static void write_model(const char *folder, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/model.yaml", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_relationships_become_relations_and_changes_are_seen(void **state)
{
	static const char model[] =
	    "name: shop\n"
	    "datasets:\n"
	    "  - {name: buyers, source: main.customer}\n"
	    "  - {name: orders, source: orders}\n"
	    "relationships:\n"
	    "  - {name: order_buyer, from: orders, to: buyers, from_columns: [customer_id], to_columns: [id]}\n"
	    "  - {name: broken, from: orders, to: buyers, from_columns: [nothing], to_columns: [id]}\n";
	char folder[] = "/tmp/nlq-model.XXXXXX", path[128];
	struct fake f = {0};
	struct catalogs *c = make(&f);
	bool fresh;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_model(folder, model);
	assert_int_equal(catalogs_add(c, "shop", "/a", folder, NULL), 0);
	struct catalog_entry *entry = get(c, &f, NULL, &fresh);

	assert_int_equal(entry->catalog->n_relations, 1);
	const struct catalog_relation *r = &entry->catalog->relations[0];

	assert_int_equal(r->from_table, 1);
	assert_int_equal(r->to_table, 0);
	assert_int_equal(r->origin, RELATION_MODEL);
	assert_int_equal(r->cardinality, CARDINALITY_MANY_TO_ONE);
	/* Added once, however often. */
	catalogs_add_relations(entry->catalog, entry->model);
	assert_int_equal(entry->catalog->n_relations, 1);
	catalogs_put(c, entry);
	/* Another folder for the same source is read at the next use. */
	assert_int_equal(catalogs_add(c, "shop", "/a", "", NULL), 0);
	entry = get(c, &f, NULL, &fresh);
	assert_true(fresh);
	assert_null(entry->model);
	catalogs_put(c, entry);
	catalogs_free(c);
	snprintf(path, sizeof(path), "%s/model.yaml", folder);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_describes_once_and_keeps_it),
	    cmocka_unit_test(test_refreshes_once_however_many_call_it_stale),
	    cmocka_unit_test(test_one_describes_while_others_wait),
	    cmocka_unit_test(test_a_failed_describe_is_tried_again_by_the_next),
	    cmocka_unit_test(test_a_name_stands_for_one_file),
	    cmocka_unit_test(test_relationships_become_relations_and_changes_are_seen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

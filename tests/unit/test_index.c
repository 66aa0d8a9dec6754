/* Names, the derived index, and what it knows of single items. */
#include "schema_agent/index.h"
#include "tests/unit/ground_rig.h"

static struct rig plain, modelled;
static struct arena arena = ARENA_INIT;

static void assert_words(const char *name, const char *want)
{
	struct name_words w;
	char got[200] = "";
	size_t i;

	name_split(&arena, name, NULL, NULL, &w);
	for (i = 0; i < w.n; i++)
		snprintf(
		    got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", w.words[i]);
	assert_string_equal(got, want);
}

static void test_splits_names_at_every_border(void **state)
{
	(void)state;
	assert_words("song_release_year", "song release year");
	assert_words("StuID", "stu id");
	assert_words("HTTPServer", "http server");
	assert_words("cName", "c name");
	assert_words("population2020", "population 2020");
	assert_words("date of birth", "date birth");
	assert_words("Official_Languages", "official language");
	assert_words("营业收入", "营业 业收 收入");
	assert_words("", "");
}

static bool is_part(const char *word, void *arg)
{
	(void)arg;
	return !strcmp(word, "airport") || !strcmp(word, "name") || !strcmp(word, "country");
}

static void test_cuts_glued_words_of_known_parts(void **state)
{
	struct name_words w;

	(void)state;
	name_split(&arena, "AirportName", is_part, NULL, &w);
	assert_int_equal(w.n, 2);
	name_split(&arena, "airportname", is_part, NULL, &w);
	assert_int_equal(w.n, 2);
	assert_string_equal(w.words[0], "airport");
	name_split(&arena, "country", is_part, NULL, &w);
	assert_int_equal(w.n, 1);
	name_split(&arena, "airporttax", is_part, NULL, &w);
	assert_int_equal(w.n, 1);
}

static void test_writes_out_abbreviations(void **state)
{
	struct name_words w, x;

	(void)state;
	name_split(&arena, "prod_qty", NULL, NULL, &w);
	assert_true(name_expand(&arena, &w, &x));
	assert_string_equal(x.words[0], "product");
	assert_string_equal(x.words[1], "quantity");
	name_split(&arena, "order_amount", NULL, NULL, &w);
	assert_false(name_expand(&arena, &w, &x));
}

static const struct form *own_form(const struct ground_index *ix, const char *phrase)
{
	uint32_t at = phrase_map_find(&ix->names, phrase);

	assert_int_not_equal(at, 0);
	return &ix->forms[ix->names.entries[at - 1].payload];
}

static void test_weighs_words_of_names(void **state)
{
	const struct form *f = own_form(plain.index, "customer name");

	(void)state;
	assert_int_equal(f->kind, FORM_COLUMN);
	assert_int_equal(f->n_words, 2);
	assert_true(f->weights[0] < 0.25f); /* repeats its table */
	assert_true(f->weights[1] > 0.4f && f->weights[1] < 0.5f);
	f = own_form(plain.index, "unit price");
	assert_true(f->weights[0] == 1.0f && f->weights[1] == 1.0f);
}

static void test_resolves_targets_of_the_model(void **state)
{
	struct span_target t;

	(void)state;
	assert_true(index_resolve_target(modelled.index, "orders.amount", &t));
	assert_int_equal(t.column, 3);
	assert_true(index_resolve_target(modelled.index, "gmv", &t) && t.metric == 0);
	assert_true(
	    index_resolve_target(modelled.index, "customers", &t) && t.column == TARGET_NONE);
	assert_false(index_resolve_target(modelled.index, "orders.gone", &t));
	assert_false(index_resolve_target(modelled.index, "gone.amount", &t));
	assert_true(index_metric_uses(modelled.index, 0, 1));
	assert_false(index_metric_uses(modelled.index, 0, 4)); /* orders_bak */
}

static void test_knows_time_columns(void **state)
{
	enum target_how how;

	(void)state;
	assert_true(index_is_time(plain.index, 1, 2, &how) && how == HOW_PARTIAL);
	assert_true(index_is_time(modelled.index, 1, 2, &how) && how == HOW_LABEL);
	assert_false(index_is_time(plain.index, 1, 3, &how));
	assert_false(index_is_year(plain.index, 1, 2));
	assert_true(index_is_plain_time(plain.index, 1, 2));
	assert_false(index_is_plain_time(plain.index, 0, 4)); /* birth_date */
}

static void test_indexes_values_and_their_labels(void **state)
{
	const struct phrase_map *m = &modelled.index->values;
	uint32_t at = phrase_map_find(m, "法国");

	(void)state;
	assert_int_equal(phrase_map_count(m, "united states"), 1);
	assert_int_not_equal(at, 0);
	assert_string_equal(
	    modelled.index->stored[m->entries[at - 1].payload].value->text, "France");
	assert_int_equal(phrase_map_find(&plain.index->values, "法国"), 0);
	assert_int_not_equal(phrase_map_find(&plain.index->value_parts, "lovelace"), 0);
}

static void test_leaves_secret_columns_out(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, false);
	r.catalog->tables[0].columns[1].sensitivity = SENSITIVITY_SECRET;
	ground_index_free(r.index);
	r.index = ground_index_new(r.catalog, NULL);
	assert_int_equal(phrase_map_find(&r.index->values, "ada lovelace"), 0);
	rig_close(&r);
}

static void test_phrase_map_keeps_all_payloads_while_it_grows(void **state)
{
	struct phrase_map m;
	uint32_t i, n = 0;

	(void)state;
	phrase_map_init(&m, &arena);
	for (i = 0; i < 2000; i++)
		phrase_map_add(&m, arena_printf(&arena, "word %u", i % 1000), i, 0);
	phrase_map_each(&m, at, "word 7") n++;
	assert_int_equal(n, 2);
	assert_int_equal(phrase_map_find(&m, "word 1000"), 0);
	phrase_map_add(&m, "capped", 1, 1);
	phrase_map_add(&m, "capped", 2, 1);
	assert_int_equal(phrase_map_count(&m, "capped"), 1);
}

static void test_vectors_prefer_the_similar_text(void **state)
{
	struct vector_space *v = vector_space_new(&arena, 3);
	float scores[3];

	(void)state;
	vector_add(v, 0, "customer address city", 1);
	vector_add(v, 1, "orders amount", 1);
	vector_add(v, 2, "营业收入 净利润", 1);
	vector_finish(v);
	vector_query(v, &arena, "addresses of customers", scores);
	assert_true(scores[0] > scores[1] && scores[0] > scores[2] && scores[0] <= 1);
	vector_query(v, &arena, "收入", scores);
	assert_true(scores[2] > 0 && scores[0] == 0);
	vector_query(v, &arena, "", scores);
	assert_true(scores[0] == 0 && scores[1] == 0);
}

static int set_up(void **state)
{
	(void)state;
	rig_open(&plain, false);
	rig_open(&modelled, true);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rig_close(&plain);
	rig_close(&modelled);
	arena_done(&arena);
	return 0;
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_splits_names_at_every_border),
	    cmocka_unit_test(test_cuts_glued_words_of_known_parts),
	    cmocka_unit_test(test_writes_out_abbreviations),
	    cmocka_unit_test(test_weighs_words_of_names),
	    cmocka_unit_test(test_resolves_targets_of_the_model),
	    cmocka_unit_test(test_knows_time_columns),
	    cmocka_unit_test(test_indexes_values_and_their_labels),
	    cmocka_unit_test(test_leaves_secret_columns_out),
	    cmocka_unit_test(test_phrase_map_keeps_all_payloads_while_it_grows),
	    cmocka_unit_test(test_vectors_prefer_the_similar_text),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

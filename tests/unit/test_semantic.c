/* The semantic model's loader: what it takes, what it refuses and how it says so,
 * and the check against a catalog. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/model/semantic.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/nlq-semantic-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char path[128];
	snprintf(path, sizeof(path), "%s/a.yaml", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/b.yaml", folder);
	unlink(path);
	return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct semantic *load(const char *text)
{
	struct semantic *s = NULL;
	struct err e = ERR_INIT;
	write_file("a.yaml", text);
	if (semantic_load(folder, &s, &e) < 0) {
		fail_msg("%s", e.text);
	}
	return s;
}

/* The load must fail, with both parts in text and in fix. */
static void refuse(const char *text, const char *in_text, const char *in_fix)
{
	struct semantic *s = NULL;
	struct err e = ERR_INIT;
	write_file("a.yaml", text);
	assert_int_equal(semantic_load(folder, &s, &e), ERR_CONFIG);
	assert_null(s);
	if (!strstr(e.text, in_text) || !strstr(e.fix, in_fix)) {
		fail_msg("said: %s | %s", e.text, e.fix);
	}
}

static const char full_model[] =
    "name: m\n"
    "datasets:\n"
    "  - name: companies\n"
    "    source: main.company\n"
    "    label: 公司\n"
    "    ai_context: {synonyms: [企业, firm]}\n"
    "    primary_key: [id]\n"
    "    unique_keys: [[name], [code, year]]\n"
    "    not_for: [staff]\n"
    "    fields:\n"
    "      - {name: name, display: true, domain: [甲, {value: 乙, label: B, synonyms: [bb]}]}\n"
    "      - name: rev\n"
    "        expression: revenue\n"
    "        unit: 亿元\n"
    "        ai_context: {synonyms: [sales]}\n"
    "      - {name: year, time: year, sensitivity: personal, dimension: {is_time: true}}\n"
    "  - {name: old, status: trap, use_instead: companies, fields: []}\n"
    "relationships:\n"
    "  - {name: r, from: old, to: companies, from_columns: [a], to_columns: [id]}\n"
    "metrics:\n"
    "  - {name: gmv, expression: SUM(companies.revenue), unit: 亿元}\n"
    "terms:\n"
    "  - term: 成交额\n"
    "    synonyms: [GMV]\n"
    "    variants:\n"
    "      - {target: gmv, scope: {name: external, words: [对外]}, note: x}\n"
    "      - {target: companies.revenue, scope: {name: internal, words: [内部]}}\n"
    "    precedence: external\n"
    "  - term: 活跃\n"
    "    target: companies.name\n"
    "    aggregate: count_distinct\n"
    "    window: {column: companies.year, length: 30d}\n"
    "    hot: true\n"
    "verified:\n"
    "  - {question: q, sql: SELECT 1}\n";

static void test_reads_every_key(void **state)
{
	(void)state;
	struct semantic *s = load(full_model);
	const struct semantic_dataset *d = &s->datasets[0];
	assert_int_equal(s->n_datasets, 2);
	assert_string_equal(d->source, "main.company");
	assert_string_equal(d->synonyms.items[1], "firm");
	assert_int_equal(d->unique_keys[1].n, 2);
	assert_string_equal(d->not_for.items[0], "staff");
	assert_true(d->fields[0].is_display);
	assert_string_equal(d->fields[0].domain[0].value, "甲");
	assert_string_equal(d->fields[0].domain[1].synonyms.items[0], "bb");
	assert_string_equal(d->fields[1].name, "revenue");
	assert_string_equal(d->fields[1].label, "rev");
	assert_string_equal(d->fields[1].unit, "亿元");
	assert_string_equal(d->fields[2].time, "year");
	assert_int_equal(d->fields[2].sensitivity, SENSITIVITY_PERSONAL);
	assert_int_equal(s->datasets[1].status, SEMANTIC_TRAP);
	assert_string_equal(s->datasets[1].source, "old");
	assert_int_equal(s->datasets[1].line, 17);
	assert_string_equal(s->datasets[1].file, "a.yaml");
	assert_string_equal(s->relationships[0].to_columns.items[0], "id");
	assert_string_equal(s->metrics[0].expression, "SUM(companies.revenue)");
	assert_string_equal(s->terms[0].variants[1].words.items[0], "内部");
	assert_string_equal(s->terms[1].window_length, "30d");
	assert_true(s->terms[1].hot);
	assert_string_equal(s->verified[0].sql, "SELECT 1");
	semantic_free(s);
}

static void test_unknown_key_names_file_line_and_nearest(void **state)
{
	(void)state;
	refuse("datasets:\n  - name: a\n    lable: x\n", "a.yaml:3", "\"label\"");
	refuse("datset: []\n", "a.yaml:1", "\"datasets\"");
	refuse("datasets:\n  - name: a\n    fields:\n      - {name: b, units: x}\n", "a.yaml:4",
	    "\"unit\"");
	refuse("zzzzzzzz: 1\n", "zzzzzzzz", "known keys here: name, description");
}

static void test_refuses_wrong_shapes(void **state)
{
	(void)state;
	refuse("datasets: {name: a}\n", "a list", "");
	refuse("datasets: [a]\n", "a map", "");
	refuse("datasets:\n  - source: a\n", "\"name\" is missing", "");
	refuse("datasets:\n  - {name: a, status: bad}\n", "active, deprecated, trap", "");
	refuse(
	    "datasets:\n  - {name: a, fields: [{name: b, display: maybe}]}\n", "true or false", "");
	refuse("datasets:\n  - {name: a, fields: [{name: b, display: \"true\"}]}\n",
	    "true or false", "");
	refuse("datasets:\n  - {name: a, fields: [{name: b, expression: x + 1}]}\n", "a.yaml:2",
	    "metric");
	refuse("datasets:\n  - {name: a, fields: [{name: b, unit: 元, unit_column: u}]}\n", "both",
	    "");
	refuse("terms:\n  - {term: t}\n", "either a target or variants", "");
	refuse(
	    "terms:\n  - {term: t, target: a.b, window: {column: a.c, length: soon}}\n", "30d", "");
	refuse(
	    "terms:\n  - {term: t, variants: [{target: a.b, scope: {name: x}}], precedence: y}\n",
	    "precedence", "");
	refuse("relationships:\n  - {name: r, from: a, to: b, from_columns: [x], to_columns: []}\n",
	    "same number", "");
}

static void test_refuses_the_same_name_twice(void **state)
{
	(void)state;
	refuse("name: a\nname: b\n", "a.yaml:2", "");
	refuse("datasets:\n  - {name: a}\n  - {name: A}\n", "twice", "");
	refuse("datasets:\n  - {name: a, fields: [{name: b}, {name: B}]}\n", "twice", "");
	refuse(
	    "metrics:\n  - {name: m, expression: x}\n  - {name: m, expression: y}\n", "twice", "");
	write_file("b.yaml", "datasets:\n  - {name: a}\n");
	refuse("datasets:\n  - {name: a}\n", "b.yaml:2", "");
}

static void test_refuses_a_folder_without_files(void **state)
{
	(void)state;
	struct semantic *s = NULL;
	struct err e = ERR_INIT;
	assert_int_equal(semantic_load("/nonexistent/folder", &s, &e), ERR_CONFIG);
	assert_int_equal(semantic_load(folder, &s, &e), ERR_CONFIG);
	assert_non_null(strstr(e.text, "0 .yaml files"));
}

static struct catalog *small_catalog(void)
{
	struct catalog *c = catalog_new();
	c->source = "s";
	c->schema = "main";
	c->n_tables = 1;
	c->tables = arena_new(&c->arena, struct catalog_table);
	c->tables[0].name = "Company";
	c->tables[0].n_columns = 3;
	c->tables[0].columns = arena_new_array(&c->arena, 3, struct catalog_column);
	c->tables[0].columns[0].name = "id";
	c->tables[0].columns[1].name = "name";
	c->tables[0].columns[2].name = "revenue";
	return c;
}

static void test_finds_entries_of_catalog_tables_and_columns(void **state)
{
	(void)state;
	struct semantic *s = load(full_model);
	struct catalog *c = small_catalog();
	assert_ptr_equal(semantic_dataset_of(s, c, 0), &s->datasets[0]);
	assert_ptr_equal(semantic_field_of(s, c, 0, 2), &s->datasets[0].fields[1]);
	assert_null(semantic_field_of(s, c, 0, 0));
	assert_null(semantic_dataset_of(s, c, 9));
	assert_null(semantic_dataset_of(NULL, c, 0));
	uint32_t table = 9, column = 9;
	assert_int_equal(semantic_resolve(s, c, "companies.REVENUE", &table, &column), 0);
	assert_int_equal(table, 0);
	assert_int_equal(column, 2);
	assert_int_equal(semantic_resolve(s, c, "companies.rev", &table, &column), 0);
	assert_int_equal(semantic_resolve(s, c, "company.name", &table, &column), 0);
	assert_int_equal(semantic_resolve(s, c, "companies.none", &table, &column), -1);
	assert_int_equal(semantic_resolve(s, c, "name", &table, &column), -1);
	assert_int_equal(semantic_resolve(s, c, ".name", &table, &column), -1);
	catalog_free(c);
	semantic_free(s);
}

static void test_check_lists_what_does_not_resolve(void **state)
{
	(void)state;
	struct semantic *s = load(full_model);
	struct catalog *c = small_catalog();
	struct arena a = ARENA_INIT;
	struct semantic_problem *p = NULL;
	size_t n = semantic_check(s, c, &a, &p), found = 0;
	static const char *const want[] = {"dataset old: there is no table old",
	    "field: table Company has no column year",
	    "unique_keys: table Company has no column code",
	    "relationship r: there is no dataset old", "window column companies.year"};
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		for (size_t j = 0; j < n; j++) {
			if (strstr(p[j].text, want[i])) {
				found++;
				break;
			}
		}
	}
	assert_int_equal(found, sizeof(want) / sizeof(want[0]));
	s->n_datasets = 1; /* the good one, without the column that is not there */
	s->datasets[0].n_fields = 2;
	s->datasets[0].n_unique_keys = s->n_relationships = s->n_terms = 0;
	assert_int_equal(semantic_check(s, c, &a, &p), 0);
	s->metrics[0].expression = "SUM(companies.nothing) / 1.5 || 'a.b'";
	assert_int_equal(semantic_check(s, c, &a, &p), 1);
	arena_done(&a);
	catalog_free(c);
	semantic_free(s);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    IN_FOLDER(test_reads_every_key),
	    IN_FOLDER(test_unknown_key_names_file_line_and_nearest),
	    IN_FOLDER(test_refuses_wrong_shapes),
	    IN_FOLDER(test_refuses_the_same_name_twice),
	    IN_FOLDER(test_refuses_a_folder_without_files),
	    IN_FOLDER(test_finds_entries_of_catalog_tables_and_columns),
	    IN_FOLDER(test_check_lists_what_does_not_resolve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* orchestrator/about.c: which questions are about the schema, and what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "orchestrator/about.h"

static struct catalog *shop(void)
{
	static const char *const tables[] = {"orders", "customers"};
	static const char *const columns[] = {"id", "city"};
	struct catalog *c = catalog_new();

	for (size_t t = 0; t < 2; t++) {
		struct catalog_table *table = arena_push(&c->arena, c->tables, c->n_tables);

		table->name = tables[t];
		table->n_rows = t ? -1 : 7;
		for (size_t i = 0; i < 2; i++)
			arena_push(&c->arena, table->columns, table->n_columns)->name = columns[i];
	}
	return c;
}

static void test_tells_questions_about_the_schema_from_the_rest(void **state)
{
	static const struct {
		const char *question;
		enum about_kind kind;
	} cases[] = {
	    {"What tables are there?", ABOUT_TABLES},
	    {"list all tables", ABOUT_TABLES},
	    {"How many tables are there in the database?", ABOUT_TABLES},
	    {"有哪些表？", ABOUT_TABLES},
	    {"数据库里有多少张表", ABOUT_TABLES},
	    {"Which columns does customers have?", ABOUT_COLUMNS},
	    {"customers 有哪些字段", ABOUT_COLUMNS},
	    {"How many customers are there?", ABOUT_DATA},
	    {"How many tables does customers have?", ABOUT_DATA},
	    {"Which customers reserved tables?", ABOUT_DATA},
	    {"Which columns do customers and orders have?", ABOUT_DATA},
	    {"the longest table", ABOUT_DATA},
	    {"hello", ABOUT_DATA},
	    {"", ABOUT_DATA},
	};
	struct catalog *c = shop();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct about about = about_question(cases[i].question, c, NULL);

		if (about.kind != cases[i].kind)
			fail_msg("%s: %d", cases[i].question, about.kind);
		if (about.kind == ABOUT_COLUMNS)
			assert_int_equal(about.table, 1);
	}
	catalog_free(c);
}

static void test_data_that_is_named_so_is_no_schema(void **state)
{
	struct catalog *c = shop();

	(void)state;
	c->tables[1].name = "tables";
	assert_int_equal(about_question("How many tables are there?", c, NULL).kind, ABOUT_DATA);
	c->tables[1].name = "customers";
	c->tables[1].columns[1].name = "table";
	assert_int_equal(about_question("Which table?", c, NULL).kind, ABOUT_DATA);
	catalog_free(c);
}

static void test_says_tables_and_columns_in_the_language_of_the_question(void **state)
{
	struct catalog *c = shop();
	struct arena a = ARENA_INIT;
	struct about tables = {ABOUT_TABLES, 0}, columns = {ABOUT_COLUMNS, 1};

	(void)state;
	assert_string_equal(about_text(&a, &tables, "What tables?", c, NULL),
	    "2 tables: orders (7 rows), customers");
	assert_string_equal(
	    about_text(&a, &tables, "有哪些表", c, NULL), "共 2 张表：orders（7 行）、customers");
	assert_string_equal(about_text(&a, &columns, "columns of customers", c, NULL),
	    "customers has 2 columns: id, city");
	arena_done(&a);
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tells_questions_about_the_schema_from_the_rest),
	    cmocka_unit_test(test_data_that_is_named_so_is_no_schema),
	    cmocka_unit_test(test_says_tables_and_columns_in_the_language_of_the_question),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

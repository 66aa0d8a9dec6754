/* Words that nothing explains, names that no part of the query uses, and SQL in the
 * place of a question. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "tests/lib/verify_kit.h"

static struct verify_kit kit;

static int begin(void **state)
{
	(void)state;
	verify_kit_open(&kit, LANG_EN, verify_kit_energy, verify_kit_model);
	return 0;
}

static int end(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	return 0;
}

static void expect(const char *sql, const char *check, int want)
{
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	int got = vkit_line(&kit, check);
	if (got != want) {
		fail_msg("%s: %s is %d, not %d", sql, check, got, want);
	}
}

static void with_word(enum grounding_lang lang, const char *word, int want)
{
	verify_kit_reset(&kit, lang);
	vkit_names_table(&kit, lang == LANG_ZH ? "公司" : "companies", "companies");
	vkit_says(&kit, SPAN_UNKNOWN, word);
	expect("SELECT name FROM companies", "words", want);
}

static void test_words_that_nothing_explains_are_named(void **state)
{
	(void)state;
	with_word(LANG_EN, "Atlantis", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "no value \"Atlantis\""));
	with_word(LANG_EN, "happy", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "happy"));
	with_word(LANG_EN, "industry", CHECK_FAIL);
	with_word(LANG_EN, "company", CHECK_UNKNOWN);
	with_word(LANG_EN, "people", CHECK_UNKNOWN);
	with_word(LANG_ZH, "员工", CHECK_FAIL);
	with_word(LANG_ZH, "部", CHECK_UNKNOWN);
}

static void test_a_value_is_expected_behind_called(void **state)
{
	(void)state;
	vkit_names_table(&kit, "companies", "companies");
	vkit_says(&kit, SPAN_STOP, "called");
	vkit_says(&kit, SPAN_UNKNOWN, "banana");
	expect("SELECT name FROM companies", "words", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "no value \"banana\""));
}

static void test_a_word_inside_a_pattern_is_used(void **state)
{
	(void)state;
	vkit_says_cue(&kit, "contains", CUE_CONTAINS, 0);
	vkit_says(&kit, SPAN_UNKNOWN, "WY");
	expect("SELECT name FROM companies WHERE name LIKE '%WY%'", "words", -1);
}

static void test_a_verb_between_joined_things_is_the_join(void **state)
{
	(void)state;
	static const char join[] =
	    "SELECT c.name FROM companies c JOIN production p ON p.company_id = c.company_id";
	for (int good = 0; good < 2; good++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "companies", "companies");
		vkit_says(&kit, SPAN_UNKNOWN, "lifted");
		vkit_names_table(&kit, "production", "production");
		expect(good ? join : "SELECT name FROM companies", "words",
		    good ? CHECK_UNKNOWN : CHECK_FAIL);
	}
}

static void test_a_participle_is_a_condition(void **state)
{
	(void)state;
	static const struct {
		const char *word, *sql;
		int want;
	} cases[] = {{"delivered", "SELECT COUNT(*) FROM companies", CHECK_FAIL},
	    {"delivered", "SELECT COUNT(*) FROM companies WHERE industry = '煤炭'", -1},
	    {"listed", "SELECT COUNT(*) FROM companies", -1}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "companies", "companies");
		vkit_says(&kit, SPAN_STOP, "were");
		vkit_says(&kit, SPAN_STOP, cases[i].word);
		expect(cases[i].sql, "words", cases[i].want);
	}
}

static void test_a_common_word_is_no_part_of_a_longer_value(void **state)
{
	(void)state;
	for (int good = 0; good < 2; good++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_value(&kit, good ? "Gas" : "gas", "companies.industry", "石油天然气");
		kit.g->spans[0].targets[0].how = HOW_STORED_PARTIAL;
		expect("SELECT name FROM companies WHERE industry = '石油天然气'", "values",
		    good ? CHECK_PASS : CHECK_FAIL);
	}
}

static void test_a_table_that_is_named_is_read_or_its_rows_belong_to_it(void **state)
{
	(void)state;
	static const struct {
		const char *sql;
		int want;
	} cases[] = {{"SELECT name FROM companies", -1},
	    {"SELECT SUM(revenue) FROM financials", -1},
	    {"SELECT revenue FROM fin_bak", CHECK_FAIL}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "firms", "companies");
		expect(cases[i].sql, "columns", cases[i].want);
	}
}

/* The word may mean the column of either table; "of production" says of which. */
static void test_the_name_of_one_thing_is_not_that_of_another(void **state)
{
	(void)state;
	for (int good = 0; good < 2; good++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_column(&kit, "id", "production.id");
		struct grounding_span *s = &kit.g->spans[0];
		struct span_target other = s->targets[0];
		other.table = (uint32_t)catalog_find_table(kit.g->catalog, "financials");
		*arena_push(&kit.g->arena, s->targets, s->n_targets) = other;
		vkit_says_cue(&kit, "of", CUE_OF, 0);
		vkit_says(&kit, SPAN_STOP, "the");
		vkit_names_table(&kit, "production", "production");
		expect(good ? "SELECT id FROM production" : "SELECT id FROM financials", "columns",
		    good ? -1 : CHECK_FAIL);
		if (!good) {
			assert_true(vkit_list_has(&kit.verdict->reasons, "\"id\" belongs to"));
		}
	}
}

static void test_sql_is_no_question(void **state)
{
	(void)state;
	static const char *const bad[] = {"SELECT * FROM companies", "drop table companies",
	    "'; DROP TABLE companies; --", "delete from companies where 1",
	    "companies where name='' UNION SELECT name from companies",
	    "WITH x AS (SELECT 1) SELECT * FROM x"};
	static const char *const good[] = {"Select the names of all companies",
	    "update me on revenue", "with which companies do we trade", "drop in revenue of 2023"};
	for (size_t i = 0; i < ARRAY_SIZE(bad) + ARRAY_SIZE(good); i++) {
		bool is_bad = i < ARRAY_SIZE(bad);
		verify_kit_reset(&kit, LANG_EN);
		vkit_says(&kit, SPAN_STOP, is_bad ? bad[i] : good[i - ARRAY_SIZE(bad)]);
		expect("SELECT name FROM companies", "input", is_bad ? CHECK_FAIL : -1);
		if (is_bad) {
			vkit_expect(&kit, VERDICT_DECLINE, "input", CHECK_FAIL);
			assert_true(vkit_list_has(&kit.verdict->reasons, "nlq sql run"));
		}
	}
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_words_that_nothing_explains_are_named),
	    KIT(test_a_value_is_expected_behind_called),
	    KIT(test_a_word_inside_a_pattern_is_used),
	    KIT(test_a_verb_between_joined_things_is_the_join),
	    KIT(test_a_participle_is_a_condition),
	    KIT(test_a_common_word_is_no_part_of_a_longer_value),
	    KIT(test_a_table_that_is_named_is_read_or_its_rows_belong_to_it),
	    KIT(test_the_name_of_one_thing_is_not_that_of_another),
	    KIT(test_sql_is_no_question),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

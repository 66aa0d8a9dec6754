/* The compiled language tables: cues, hints, synonyms, aliases, stop words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/lexicon.h"
#include "common/text/lexicon_tables.h"

static struct arena arena = ARENA_INIT;

static bool cue_at(const char *text, size_t i, struct lexicon_cue *cue)
{
	struct token_list t;

	token_split(&arena, text, true, &t);
	return lexicon_cue_at(&t, i, cue);
}

static void assert_cue(const char *text, enum cue_kind kind, uint32_t arg, size_t n_tokens)
{
	struct lexicon_cue cue;

	if (!cue_at(text, 0, &cue))
		fail_msg("no cue in %s", text);
	assert_string_equal(cue_kind_name(cue.kind), cue_kind_name(kind));
	assert_int_equal(cue.arg, arg);
	assert_int_equal(cue.n_tokens, n_tokens);
}

static void test_finds_the_longest_cue(void **state)
{
	(void)state;
	assert_cue("how many singers", CUE_COUNT, 0, 2);
	assert_cue("no more than five", CUE_LE, 0, 3);
	assert_cue("more than five", CUE_GT, 0, 2);
	assert_cue("not in", CUE_NOT, 0, 1);
	assert_cue("有多少家公司", CUE_COUNT, 0, 4);
	assert_cue("不超过三", CUE_LE, 0, 3);
	assert_cue("以及名称", CUE_ALSO, 0, 2);
}

static void test_reads_numbers_in_patterns(void **state)
{
	(void)state;
	assert_cue("top 3 singers", CUE_TOP, 3, 2);
	assert_cue("top five singers", CUE_TOP, 5, 2);
	assert_cue("the 3 highest", CUE_MOST, 3, 3);
	assert_cue("two largest", CUE_MOST, 2, 2);
	assert_cue("前三名", CUE_TOP, 3, 3);
	assert_cue("前10家", CUE_TOP, 10, 3);
	assert_cue("最高的两家公司", CUE_MOST, 2, 5);
	assert_cue("后五名", CUE_BOTTOM, 5, 3);
	assert_cue("top one", CUE_TOP, 0, 1);
}

static void test_keeps_quotes_and_punctuation_out_of_cues(void **state)
{
	struct lexicon_cue cue;

	(void)state;
	assert_false(cue_at("\"how many\"", 0, &cue));
	assert_false(cue_at("more, than", 0, &cue));
}

static void test_reads_two_kinds_and_sides(void **state)
{
	struct lexicon_cue cue;

	(void)state;
	assert_true(cue_at("most common", 0, &cue));
	assert_int_equal(cue.kind, CUE_MOST);
	assert_int_equal(cue.second, CUE_COUNT);
	assert_cue("below the average", CUE_THAN_AVG, 1, 3);
	assert_cue("高于平均", CUE_THAN_AVG, 0, 4);
}

static void test_knows_what_adjectives_imply(void **state)
{
	struct lexicon_cue cue;
	size_t n;

	(void)state;
	assert_true(cue_at("oldest singer", 0, &cue));
	assert_int_equal(cue.n_hints, 2);
	assert_int_equal(cue.hints[0].kind, CUE_MOST);
	assert_memory_equal(cue.hints[0].words, "age", 3);
	assert_int_equal(cue.hints[1].kind, CUE_EARLIEST);
	assert_true(cue_at("younger than 20", 0, &cue) && cue.kind == CUE_LT && cue.n_tokens == 2);
	{
		struct token_list t;

		token_split(&arena, "how old is he", true, &t);
		assert_string_equal(lexicon_column_at(&t, 0, &n), "age");
		assert_int_equal(n, 2);
	}
}

static bool has(
    size_t (*find)(const char *, const char **, size_t), const char *word, const char *want)
{
	const char *out[32];
	size_t n = find(word, out, 32), i;

	for (i = 0; i < n; i++)
		if (!strcmp(out[i], want))
			return true;
	return false;
}

static void test_pairs_synonyms_and_aliases_both_ways(void **state)
{
	(void)state;
	assert_true(has(lexicon_synonyms, "singer", "artist"));
	assert_true(has(lexicon_synonyms, "artist", "singer"));
	assert_false(has(lexicon_synonyms, "singer", "singer"));
	assert_true(has(lexicon_value_aliases, "french", "france"));
	assert_true(has(lexicon_value_aliases, "france", "french"));
	assert_string_equal(lexicon_expand("qty"), "quantity");
	assert_null(lexicon_expand("zzz"));
}

static void test_knows_words_without_content(void **state)
{
	(void)state;
	assert_true(lexicon_is_stop("the"));
	assert_true(lexicon_is_stop("请"));
	assert_false(lexicon_is_stop("singer"));
	assert_true(lexicon_is_relation_verb("located"));
	assert_true(lexicon_is_relation_verb("studying"));
	assert_true(lexicon_is_relation_verb("stopped") == lexicon_is_relation_verb("stop"));
	assert_false(lexicon_is_relation_verb("employees"));
	assert_true(lexicon_is_classifier("家"));
	assert_true(lexicon_is_generic("name"));
}

/* The data files are checked as a whole: sorted for the search, kinds known. */
static void test_tables_are_sorted_and_kinds_known(void **state)
{
	size_t i;

	(void)state;
	assert_true(lexicon_table_cues.n > 700);
	for (i = 0; i < lexicon_table_cues.n; i++) {
		const struct lexicon_row *row = &lexicon_table_cues.rows[i];
		size_t len = strcspn(row->value, "+:"), k;

		if (i)
			assert_true(strcmp(lexicon_table_cues.rows[i - 1].key, row->key) <= 0);
		for (k = 0; k < CUE_KIND_COUNT; k++)
			if (strlen(cue_kind_name((enum cue_kind)k)) == len &&
			    !strncmp(cue_kind_name((enum cue_kind)k), row->value, len))
				break;
		if (k == CUE_KIND_COUNT)
			fail_msg("%s has the unknown kind %s", row->key, row->value);
	}
}

static int done(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_the_longest_cue),
	    cmocka_unit_test(test_reads_numbers_in_patterns),
	    cmocka_unit_test(test_keeps_quotes_and_punctuation_out_of_cues),
	    cmocka_unit_test(test_reads_two_kinds_and_sides),
	    cmocka_unit_test(test_knows_what_adjectives_imply),
	    cmocka_unit_test(test_pairs_synonyms_and_aliases_both_ways),
	    cmocka_unit_test(test_knows_words_without_content),
	    cmocka_unit_test(test_tables_are_sorted_and_kinds_known),
	};
	return cmocka_run_group_tests(tests, NULL, done);
}

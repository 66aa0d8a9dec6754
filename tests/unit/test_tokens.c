/* Tokens of questions, names and values; word forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/lemma.h"
#include "common/text/token.h"

static struct arena arena = ARENA_INIT;
static struct token_list split(const char *text)
{
	struct token_list t;

	token_split(&arena, text, true, &t);
	return t;
}

static void assert_tokens(const char *text, const char *want)
{
	struct token_list t = split(text);
	char got[400] = "";
	size_t i;

	for (i = 0; i < t.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "[%s]", t.items[i].norm);
	assert_string_equal(got, want);
}

static void test_cuts_english_words_and_possessives(void **state)
{
	(void)state;
	assert_tokens("What's the singers' Name?", "[what]['s][the][singers]['s][name][?]");
	assert_tokens("don't O'Brien", "[don't][o'brien]");
}

static void test_keeps_numbers_with_separators_whole(void **state)
{
	(void)state;
	assert_tokens("1,234.5 and 2,3", "[1234.5][and][2][,][3]");
	assert_tokens("3.", "[3][.]");
}

static void test_cuts_chinese_into_characters(void **state)
{
	(void)state;
	assert_tokens("2023年，GMV", "[2023][年][,][gmv]");
}

static void test_folds_full_width_forms(void **state)
{
	(void)state;
	assert_tokens("ＡＢ１２３", "[ab][123]");
}

static void test_reads_quotes_of_all_kinds(void **state)
{
	static const char *const texts[] = {"\"Big Tree\"", "'Big Tree'", "“Big Tree”",
	    "‘Big Tree’", "「Big Tree」", "《Big Tree》"};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct token_list t = split(texts[i]);

		assert_int_equal(t.n, 1);
		assert_int_equal(t.items[0].kind, TOKEN_QUOTED);
		assert_string_equal(t.items[0].norm, "big tree");
		assert_int_equal(t.items[0].inner_len, strlen("Big Tree"));
	}
}

static void test_takes_an_unclosed_quote_for_punctuation(void **state)
{
	struct token_list t = split("say \"hello");

	(void)state;
	assert_int_equal(t.items[1].kind, TOKEN_PUNCT);
	assert_int_equal(t.n, 3);
}

static void test_makes_the_same_phrase_of_different_spellings(void **state)
{
	(void)state;
	assert_string_equal(token_phrase_of(&arena, "New-York,  City"), "new york city");
	assert_string_equal(token_phrase_of(&arena, "中国 石油A股"), "中国石油a股");
}

static void test_survives_broken_utf8(void **state)
{
	struct token_list t = split("a\xff\xfe b\xe4\xb8");

	(void)state;
	assert_true(t.n >= 2);
}

static void assert_lemma(const char *word, const char *want)
{
	char out[LEMMA_MAX];

	lemma_of(word, out);
	assert_string_equal(out, want);
}

static void test_finds_dictionary_forms(void **state)
{
	(void)state;
	assert_lemma("countries", "country");
	assert_lemma("singers", "singer");
	assert_lemma("buses", "bus");
	assert_lemma("boxes", "box");
	assert_lemma("children", "child");
	assert_lemma("status", "status");
	assert_lemma("address", "address");
	assert_lemma("ids", "id");
}

static void test_stems_families_of_words_alike(void **state)
{
	char a[LEMMA_MAX], b[LEMMA_MAX];

	(void)state;
	lemma_stem("located", a);
	lemma_stem("location", b);
	assert_string_equal(a, b);
	lemma_stem("performed", a);
	lemma_stem("performance", b);
	assert_string_equal(a, b);
}

static void test_sees_one_wrong_letter(void **state)
{
	(void)state;
	assert_true(lemma_is_misspelling("enrollment", "enrolment"));
	assert_true(lemma_is_misspelling("contry", "country"));
	assert_true(lemma_is_misspelling("recieve", "receive"));
	assert_false(lemma_is_misspelling("singer", "singer"));
	assert_false(lemma_is_misspelling("cat", "car"));
	assert_false(lemma_is_misspelling("revenue", "avenues"));
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
	    cmocka_unit_test(test_cuts_english_words_and_possessives),
	    cmocka_unit_test(test_keeps_numbers_with_separators_whole),
	    cmocka_unit_test(test_cuts_chinese_into_characters),
	    cmocka_unit_test(test_folds_full_width_forms),
	    cmocka_unit_test(test_reads_quotes_of_all_kinds),
	    cmocka_unit_test(test_takes_an_unclosed_quote_for_punctuation),
	    cmocka_unit_test(test_makes_the_same_phrase_of_different_spellings),
	    cmocka_unit_test(test_survives_broken_utf8),
	    cmocka_unit_test(test_finds_dictionary_forms),
	    cmocka_unit_test(test_stems_families_of_words_alike),
	    cmocka_unit_test(test_sees_one_wrong_letter),
	};
	return cmocka_run_group_tests(tests, NULL, done);
}

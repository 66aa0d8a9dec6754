#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

static void test_accepts_every_code_point_and_encodes_it_back(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		char enc[4];
		uint32_t back;
		size_t n;

		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		n = utf8_encode(cp, enc);
		if (!utf8_valid(enc, n) || utf8_next(enc, n, &back) != n || back != cp)
			fail_msg("U+%04X", cp);
		/* Cut short it is broken. */
		if (n > 1 && utf8_valid(enc, n - 1))
			fail_msg("cut U+%04X", cp);
	}
}

static void test_rejects_broken_bytes(void **state)
{
	static const char *const broken[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
	    "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
	    "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff", "\xc3", "\xe4\xb8",
	    "\xf0\x9f\x98", "\xc3(", "\xe4(\xad", "\xf0\x9f(\x80"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		uint32_t cp = 0;

		assert_false(utf8_valid(broken[i], strlen(broken[i])));
		assert_int_equal(utf8_next(broken[i], strlen(broken[i]), &cp), 1);
		assert_int_equal(cp, 0xfffd);
	}
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid("a\0b", 3));
}

static void test_cannot_encode_what_is_no_character(void **state)
{
	char enc[4];

	(void)state;
	assert_int_equal(utf8_encode(0xd800, enc), 3);
	assert_memory_equal(enc, "\xef\xbf\xbd", 3);
	assert_int_equal(utf8_encode(0x110000, enc), 3);
}

static void test_cut_never_splits_a_character(void **state)
{
	static const char s[] = "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z";
	static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

	(void)state;
	for (size_t max = 0; max < ARRAY_SIZE(want); max++)
		assert_int_equal(utf8_cut(s, strlen(s), max), want[max]);
	/* Broken text is cut at the maximum, and the end of the text is respected. */
	assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 4), 4);
	assert_int_equal(utf8_cut("ab\xe4", 3, 3), 3);
}

static void test_width_of_common_text(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} rows[] = {{"", 0}, {"abc", 3}, {"中国石油", 8}, {"é", 1}, {"e\xcc\x81", 1},
	    {"ｆｕｌｌ", 8}, {"ｶﾅ", 2}, {"한국", 4}, {"\xf0\x9f\x98\x80", 2}, {"\xe2\x80\x8d", 0},
	    {"…", 1}, {"、", 2}, {"Ω", 1}, {"\t", 0}, {"\xff", 1}, {"ไทย", 3}, {"กำ", 2}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (utf8_width(rows[i].text, strlen(rows[i].text)) != rows[i].width)
			fail_msg("\"%s\": %zu, want %zu", rows[i].text,
			    utf8_width(rows[i].text, strlen(rows[i].text)), rows[i].width);
}

static void test_knows_cjk(void **state)
{
	(void)state;
	assert_true(utf8_cp_is_cjk(0x4e2d));
	assert_true(utf8_cp_is_cjk(0x3007));
	assert_true(utf8_cp_is_cjk(0x20000));
	assert_true(utf8_cp_is_cjk(0x30ab));
	assert_false(utf8_cp_is_cjk('a'));
	assert_false(utf8_cp_is_cjk(0x3001)); /* a comma is not a word character */
	assert_false(utf8_cp_is_cjk(0xff0c));
}

static void check_escape(const char *s, size_t len, const char *want)
{
	struct strbuf b;

	strbuf_init(&b, 1000);
	utf8_escape(&b, s, len);
	assert_string_equal(b.data, want);
	strbuf_done(&b);
}

static void test_escape_leaves_nothing_a_terminal_acts_on(void **state)
{
	(void)state;
	check_escape("plain 中文 \xf0\x9f\x98\x80", 17, "plain 中文 \xf0\x9f\x98\x80");
	check_escape("\x1b[2J\r\n\x7f", 7, "\\x1B[2J\\x0D\\x0A\\x7F");
	check_escape("a\0b", 3, "a\\x00b");
	check_escape("\xc2\x9b", 2, "\\u{009B}");          /* one-character CSI */
	check_escape("\xe2\x80\xae", 3, "\\u{202E}");      /* right-to-left override */
	check_escape("\xf3\xa0\x81\x81", 4, "\\u{E0041}"); /* tag */
	check_escape("\xe4\xb8", 2, "\\xE4\\xB8");
	check_escape("", 0, "");
}

static void test_lower_case_covers_the_listed_scripts(void **state)
{
	static const uint32_t pairs[][2] = {{'A', 'a'}, {'Z', 'z'}, {'[', '['}, {0xc0, 0xe0},
	    {0xd7, 0xd7}, {0xde, 0xfe}, {0xdf, 0xdf}, {0x100, 0x101}, {0x101, 0x101}, {0x130, 'i'},
	    {0x139, 0x13a}, {0x13a, 0x13a}, {0x141, 0x142}, {0x14a, 0x14b}, {0x178, 0xff},
	    {0x179, 0x17a}, {0x17d, 0x17e}, {0x17e, 0x17e}, {0x391, 0x3b1}, {0x3a9, 0x3c9},
	    {0x3c9, 0x3c9}, {0x386, 0x3ac}, {0x38f, 0x3ce}, {0x410, 0x430}, {0x401, 0x451},
	    {0x42f, 0x44f}, {0x44f, 0x44f}, {0x490, 0x491}, {0x4c0, 0x4cf}, {0x4c1, 0x4c2},
	    {0x4cf, 0x4cf}, {0x4d0, 0x4d1}, {0xff21, 0xff41}, {0x4e2d, 0x4e2d}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		assert_int_equal(utf8_cp_lower(pairs[i][0]), pairs[i][1]);
	for (uint32_t cp = 0; cp < 0x20000; cp++) /* lower case stays as it is */
		assert_int_equal(utf8_cp_lower(utf8_cp_lower(cp)), utf8_cp_lower(cp));
}

/* Any bytes: every function ends and stays inside them (the sanitizer looks). */
static void test_random_bytes_do_no_harm(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)(rand_r(&seed) % 12);
		char *s = malloc(len + 1);
		struct strbuf b;

		for (size_t i = 0; i < len; i++)
			s[i] = (char)(rand_r(&seed) % 3 ? 0x80 + rand_r(&seed) % 128
			                                : rand_r(&seed) % 128);
		strbuf_init(&b, 1000);
		utf8_escape(&b, s, len);
		assert_true(utf8_valid(b.data, b.len));
		utf8_width(s, len);
		for (size_t max = 0; max <= len; max++) {
			size_t n = utf8_cut(s, len, max);

			assert_true(n <= max);
			if (utf8_valid(s, len))
				assert_true(utf8_valid(s, n) && utf8_valid(s + n, len - n));
		}
		strbuf_done(&b);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accepts_every_code_point_and_encodes_it_back),
	    cmocka_unit_test(test_rejects_broken_bytes),
	    cmocka_unit_test(test_cannot_encode_what_is_no_character),
	    cmocka_unit_test(test_cut_never_splits_a_character),
	    cmocka_unit_test(test_width_of_common_text),
	    cmocka_unit_test(test_knows_cjk),
	    cmocka_unit_test(test_escape_leaves_nothing_a_terminal_acts_on),
	    cmocka_unit_test(test_lower_case_covers_the_listed_scripts),
	    cmocka_unit_test(test_random_bytes_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

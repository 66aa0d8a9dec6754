/* Rows on a terminal, as CSV and as Markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "orchestrator/cli/table.h"

static const struct table_style style = {"NULL", "", "", 20};

static struct resultset *make(
    const char *const *names, size_t n_columns, const struct value *cells, size_t n_rows)
{
	struct resultset *r = resultset_new();

	r->columns = arena_new_array(&r->arena, n_columns, struct result_column);
	for (size_t i = 0; i < n_columns; i++)
		r->columns[i].name = names[i];
	r->n_columns = n_columns;
	r->n_rows = n_rows;
	r->cells = arena_memdup(&r->arena, cells, n_rows * n_columns * sizeof(*cells));
	return r;
}

#define TEXT(s)                                                       \
	{                                                             \
		.type = VALUE_TEXT, .text = (s), .len = sizeof(s) - 1 \
	}
#define INT(n)                              \
	{                                   \
		.type = VALUE_INT, .i = (n) \
	}
#define REAL(x)                              \
	{                                    \
		.type = VALUE_REAL, .r = (x) \
	}
#define NONE                       \
	{                          \
		.type = VALUE_NULL \
	}

static void expect(
    void (*print)(struct strbuf *, const struct resultset *), struct resultset *r, const char *want)
{
	struct strbuf b;

	strbuf_init(&b, 100000);
	if (print)
		print(&b, r);
	else
		table_print(&b, r, &style);
	assert_string_equal(b.data, want);
	strbuf_done(&b);
	resultset_free(r);
}

static const char *const two[] = {"name", "n"};

static void test_aligns_wide_characters_and_numbers(void **state)
{
	const struct value cells[] = {
	    TEXT("中国石油"), INT(5), TEXT("abc"), INT(-1200), TEXT(""), NONE};

	(void)state;
	expect(NULL, make(two, 2, cells, 3),
	    "name          n\n"
	    "--------  -----\n"
	    "中国石油      5\n"
	    "abc       -1200\n"
	    "           NULL\n");
}

static void test_column_with_one_text_is_left_aligned(void **state)
{
	const struct value cells[] = {TEXT("a"), TEXT("12"), TEXT("b"), INT(3)};

	(void)state;
	expect(NULL, make(two, 2, cells, 2), "name  n\n----  --\na     12\nb     3\n");
}

static void test_escapes_what_a_terminal_would_act_on(void **state)
{
	const struct value cells[] = {TEXT("a\033[31mb"), TEXT("x\ny")};
	struct strbuf b;
	struct resultset *r = make(two, 2, cells, 1);

	(void)state;
	strbuf_init(&b, 1000);
	table_print(&b, r, &style);
	assert_null(strchr(b.data, '\033'));
	/* Three lines: the line break of the cell is escaped too. */
	assert_int_equal(b.data[b.len - 1], '\n');
	size_t lines = 0;

	for (const char *s = b.data; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, 3);
	strbuf_done(&b);
	resultset_free(r);
}

static void test_cuts_wide_cells_at_a_character(void **state)
{
	const struct value cells[] = {TEXT("一二三四五六七八九十十一"), INT(1)};

	(void)state;
	expect(NULL, make(two, 2, cells, 1),
	    "name                 n\n"
	    "-------------------  -\n"
	    "一二三四五六七八九…  1\n");
}

static void test_csv_quotes_and_keeps_null_apart_from_empty(void **state)
{
	const struct value cells[] = {TEXT("a,b"), INT(1), TEXT("say \"hi\""), NONE, TEXT(""),
	    REAL(0.5), TEXT("two\nlines"), INT(-7)};

	(void)state;
	expect(csv_print, make(two, 2, cells, 4),
	    "name,n\n\"a,b\",1\n\"say \"\"hi\"\"\",\n\"\",0.5\n\"two\nlines\",-7\n");
}

static void test_csv_disarms_formulas_but_not_numbers(void **state)
{
	const struct value cells[] = {TEXT("=1+1"), INT(-1), TEXT("@x"), INT(2), TEXT("-cmd"),
	    INT(3), TEXT("+1"), INT(4), TEXT("a=b"), INT(5)};

	(void)state;
	expect(csv_print, make(two, 2, cells, 5),
	    "name,n\n\"'=1+1\",-1\n\"'@x\",2\n\"'-cmd\",3\n\"'+1\",4\na=b,5\n");
}

static void test_markdown_escapes_its_own_marks(void **state)
{
	const struct value cells[] = {TEXT("a|b"), NONE, TEXT("x\ny *z*"), INT(2)};

	(void)state;
	expect(markdown_print, make(two, 2, cells, 2),
	    "| name | n |\n| --- | --- |\n| a\\|b | *NULL* |\n| x<br>y \\*z\\* | 2 |\n");
}

static void test_no_rows_still_have_a_header(void **state)
{
	(void)state;
	expect(NULL, make(two, 2, NULL, 0), "name  n\n----  -\n");
	expect(csv_print, make(two, 2, NULL, 0), "name,n\n");
}

static void test_real_numbers_are_shown_without_noise(void **state)
{
	const struct value cells[] = {TEXT("d"), REAL(2012.1000000000022)};

	(void)state;
	expect(NULL, make(two, 2, cells, 1), "name       n\n----  ------\nd     2012.1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_aligns_wide_characters_and_numbers),
	    cmocka_unit_test(test_column_with_one_text_is_left_aligned),
	    cmocka_unit_test(test_escapes_what_a_terminal_would_act_on),
	    cmocka_unit_test(test_cuts_wide_cells_at_a_character),
	    cmocka_unit_test(test_csv_quotes_and_keeps_null_apart_from_empty),
	    cmocka_unit_test(test_csv_disarms_formulas_but_not_numbers),
	    cmocka_unit_test(test_markdown_escapes_its_own_marks),
	    cmocka_unit_test(test_no_rows_still_have_a_header),
	    cmocka_unit_test(test_real_numbers_are_shown_without_noise),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

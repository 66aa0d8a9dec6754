#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/utf8.h"

static int saved_stderr = -1;
static FILE *capture;

/* stderr goes to a file of the test's own while lines are written. */
static int begin(void **state)
{
	(void)state;
	capture = tmpfile();
	saved_stderr = dup(STDERR_FILENO);
	return dup2(fileno(capture), STDERR_FILENO) < 0;
}

static int end(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	return fclose(capture);
}

static const char *captured(void)
{
	static char text[70000];

	rewind(capture);
	text[fread(text, 1, sizeof(text) - 1, capture)] = '\0';
	return text;
}

static void test_line_has_level_component_and_message(void **state)
{
	(void)state;
	log_init("executor", LOG_LEVEL_INFO);
	log_warn("worker lost pid=%d", 12);
	assert_string_equal(captured(), "warn executor worker lost pid=12\n");
}

static void test_levels_above_the_maximum_are_left_out(void **state)
{
	(void)state;
	log_init("x", LOG_LEVEL_WARN);
	log_debug("d");
	log_info("i");
	log_warn("w");
	log_error("e");
	assert_string_equal(captured(), "warn x w\nerror x e\n");
}

static void test_control_characters_cannot_forge_a_line(void **state)
{
	(void)state;
	log_init("x", LOG_LEVEL_INFO);
	log_info("a\nerror x forged\x1b[0m\xff");
	assert_string_equal(captured(), "info x a\\x0Aerror x forged\\x1B[0m\\xFF\n");
}

static void test_overlong_messages_are_one_bounded_line(void **state)
{
	char *text = malloc(100000);
	const char *line;

	(void)state;
	memset(text, '\n', 99999);
	text[99999] = '\0';
	log_init("x", LOG_LEVEL_INFO);
	log_info("%s", text);
	line = captured();
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	assert_in_range(strlen(line), 2000, 20000);
	free(text);
}

static void test_journal_gets_a_level_prefix(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	fstat(STDERR_FILENO, &st);
	snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_init("x", LOG_LEVEL_INFO);
	log_error("e");
	/* The variable names another stream: stderr was redirected. */
	setenv("JOURNAL_STREAM", "1:2", 1);
	log_init("x", LOG_LEVEL_INFO);
	log_error("f");
	unsetenv("JOURNAL_STREAM");
	assert_string_equal(captured(), "<3>error x e\nerror x f\n");
}

static void test_closed_stderr_does_no_harm(void **state)
{
	(void)state;
	log_init("x", LOG_LEVEL_INFO);
	close(STDERR_FILENO);
	log_error("nobody reads this");
	assert_int_equal(dup2(fileno(capture), STDERR_FILENO), STDERR_FILENO);
}

static void test_level_names(void **state)
{
	enum log_level level = LOG_LEVEL_ERROR;

	(void)state;
	assert_int_equal(log_level_parse("debug", &level), 0);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_int_equal(log_level_parse("Debug", &level), -1);
	assert_int_equal(log_level_parse("", &level), -1);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
}

static void test_quote_escapes_and_cuts(void **state)
{
	char buf[1000], small[8], text[700];

	(void)state;
	assert_string_equal(
	    log_quote(buf, sizeof(buf), "say \"hi\"\n\\"), "\"say \\\"hi\\\"\\x0A\\\\\"");
	assert_string_equal(log_quote(buf, sizeof(buf), ""), "\"\"");
	assert_string_equal(log_quote(buf, sizeof(buf), NULL), "\"\"");
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "中\0", 4);
	log_quote(buf, sizeof(buf), text);
	assert_int_equal(strlen(buf), 1 + 198 + 4);
	assert_string_equal(buf + 1 + 198, "...\"");
	assert_true(utf8_valid(buf, strlen(buf)));
	log_quote(small, sizeof(small), text);
	assert_string_equal(small, "\"中中");
	small[0] = 'x';
	log_quote(small, 0, text);
	assert_int_equal(small[0], 'x');
	assert_string_equal(log_quote(small, 1, text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_line_has_level_component_and_message, begin, end),
	    cmocka_unit_test_setup_teardown(test_levels_above_the_maximum_are_left_out, begin, end),
	    cmocka_unit_test_setup_teardown(
	        test_control_characters_cannot_forge_a_line, begin, end),
	    cmocka_unit_test_setup_teardown(
	        test_overlong_messages_are_one_bounded_line, begin, end),
	    cmocka_unit_test_setup_teardown(test_journal_gets_a_level_prefix, begin, end),
	    cmocka_unit_test_setup_teardown(test_closed_stderr_does_no_harm, begin, end),
	    cmocka_unit_test(test_level_names),
	    cmocka_unit_test(test_quote_escapes_and_cuts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

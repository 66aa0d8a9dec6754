#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/yaml.h"

static struct arena arena = ARENA_INIT;
static struct err err;

static int reset(void **state)
{
	(void)state;
	arena_done(&arena);
	memset(&err, 0, sizeof(err));
	return 0;
}

static struct yaml_node *parse_n(const char *text, size_t len)
{
	struct yaml_node *root = NULL;

	if (yaml_parse(&arena, "f.yaml", text, len, &root, &err))
		return NULL;
	return root;
}

static struct yaml_node *parse(const char *text)
{
	struct yaml_node *root = parse_n(text, strlen(text));

	if (!root)
		print_error("%s\n", err.text);
	return root;
}

static void expect_error_n(const char *text, size_t len, const char *want)
{
	assert_null(parse_n(text, len));
	assert_int_equal(err.code, ERR_CONFIG);
	assert_int_equal(err.phase, PHASE_CONFIG);
	if (!strstr(err.text, want))
		fail_msg("got \"%s\", want \"%s\"", err.text, want);
}

static void expect_error(const char *text, const char *want)
{
	expect_error_n(text, strlen(text), want);
}

static void test_reads_maps_lists_and_scalars_with_positions(void **state)
{
	struct yaml_node *root = parse("# note\na: 1\nb:\n  - x\n  - {y: \"2\"}\nc: ~\n"), *list;

	(void)state;
	assert_int_equal(root->kind, YAML_KIND_MAP);
	assert_int_equal(root->n, 3);
	assert_string_equal(root->keys[0], "a");
	assert_string_equal(yaml_get(root, "a")->scalar, "1");
	assert_false(yaml_get(root, "a")->quoted);
	list = yaml_get(root, "b");
	assert_int_equal(list->kind, YAML_KIND_LIST);
	assert_int_equal(list->n, 2);
	assert_string_equal(list->items[0]->scalar, "x");
	assert_true(yaml_get(list->items[1], "y")->quoted);
	assert_int_equal(list->items[1]->line, 5);
	assert_int_equal(list->items[1]->column, 5);
	assert_int_equal(root->key_nodes[2]->line, 6);
	assert_null(yaml_get(root, "d"));
	assert_null(yaml_get(list, "a"));
	assert_null(yaml_get(NULL, "a"));
}

static void test_empty_files_are_empty_maps(void **state)
{
	static const char *const empty[] = {
	    "", "\n\n", "# only a note\n", "---\n...\n", "\xef\xbb\xbf", "   "};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		struct yaml_node *root = parse(empty[i]);

		assert_non_null(root);
		assert_int_equal(root->n, 0);
		assert_int_equal(root->kind, YAML_KIND_MAP);
	}
}

static void test_bom_and_crlf_are_read(void **state)
{
	struct yaml_node *root = parse("\xef\xbb\xbf"
	                               "a: 1\r\nb: two words\r\n");

	(void)state;
	assert_string_equal(yaml_get(root, "a")->scalar, "1");
	assert_string_equal(yaml_get(root, "b")->scalar, "two words");
	assert_int_equal(yaml_get(root, "b")->line, 2);
}

static void test_duplicate_keys_are_refused_where_they_stand(void **state)
{
	(void)state;
	expect_error("a: 1\nb: 2\na: 3\n", "f.yaml:3: key \"a\" is given twice (first in line 1)");
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 1);
	expect_error("x:\n  a: 1\n  'a': 3\n", "f.yaml:3: key \"a\"");
	expect_error("- {k: 1, k: 2}", "given twice");
	assert_non_null(parse("x: {a: 1}\ny: {a: 1}\n"));
}

static void test_many_keys_are_checked_quickly(void **state)
{
	size_t cap = 1 << 20, len = 0;
	char *text = malloc(cap);

	(void)state;
	for (int i = 0; i < 80000; i++)
		len += (size_t)snprintf(text + len, cap - len, "k%d: v\n", i);
	assert_int_equal(parse_n(text, len)->n, 80000);
	len += (size_t)snprintf(text + len, cap - len, "k1: v\n");
	expect_error_n(text, len, "f.yaml:80001: key \"k1\" is given twice");
	free(text);
}

static void test_anchors_aliases_and_tags_are_refused(void **state)
{
	(void)state;
	expect_error("a: &x 1\n", "f.yaml:1: anchors and aliases");
	expect_error("a: 1\nb: *x\n", "f.yaml:2: anchors and aliases");
	expect_error("a: &x {b: 1}\n", "anchors");
	expect_error("a: &x [1]\n", "anchors");
	expect_error("&k a: 1\n", "anchors");
	expect_error("a: !!int 1\n", "f.yaml:1: tags");
	expect_error("a: !x {b: 1}\n", "tags");
	expect_error("a: !x [b]\n", "tags");
	expect_error("%TAG ! tag:x,2000:\n---\na: 1\n", "%TAG");
	assert_non_null(parse("%YAML 1.1\n---\na: '&x *y !z'\n"));
}

/* The usual way to make a small file large. */
static void test_billion_laughs_is_refused(void **state)
{
	(void)state;
	expect_error("a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n", "anchors");
}

static void test_one_document_only(void **state)
{
	(void)state;
	expect_error("a: 1\n---\nb: 2\n", "only one document");
	expect_error("---\na: 1\n---\n", "only one document");
	assert_non_null(parse("---\na: 1\n...\n"));
}

static void test_only_plain_words_are_keys(void **state)
{
	(void)state;
	expect_error("? [a, b]\n: 1\n", "a key must be");
	expect_error("{{a: 1}: 2}\n", "a key must be");
}

static void test_depth_is_limited(void **state)
{
	char text[200000];
	size_t len = 0;

	(void)state;
	memset(text, '[', 16);
	memset(text + 16, ']', 16);
	assert_non_null(parse_n(text, 32));
	memset(text, '[', 17);
	memset(text + 17, ']', 17);
	expect_error_n(text, 34, "nested deeper than 16");
	memset(text, '[', sizeof(text));
	expect_error_n(text, sizeof(text), "nested deeper");
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%*sk:\n", i, "");
	expect_error_n(text, len, "nested deeper");
}

static void test_bytes_that_are_not_text_are_refused(void **state)
{
	(void)state;
	expect_error_n("a: 1\nb: \0\n", 10, "f.yaml:2: a NUL byte");
	expect_error("a: \"x\\0y\"\n", "f.yaml:1: a value holds a NUL");
	expect_error("a: 1\n\nb: \xff\n", "f.yaml:3: not valid UTF-8");
	expect_error("a: \xed\xa0\x80\n", "not valid UTF-8");
	expect_error_n("\xff\xfe"
	               "a\0:\0",
	    6, "not valid UTF-8");
	expect_error("a: \x01\n", "f.yaml:1:");
	assert_string_equal(yaml_get(parse("a: \xef\xbf\xbd\n"), "a")->scalar, "\xef\xbf\xbd");
}

static void test_broken_syntax_names_the_line(void **state)
{
	(void)state;
	expect_error("a: 1\nb: [1, 2\n", "f.yaml:3:");
	expect_error("a: 1\n\tb: 2\n", "f.yaml:2:");
	expect_error("a: \"open\n", "f.yaml:");
	expect_error("a: b: c\n", "f.yaml:1:");
	expect_error("a: 1\n b: 2\n", "f.yaml:2:");
	expect_error("]", "f.yaml:1:");
}

static void test_size_is_limited(void **state)
{
	size_t max = 1024 * 1024;
	char *text = malloc(max + 1);

	(void)state;
	memset(text, '\n', max + 1);
	assert_non_null(parse_n(text, max));
	expect_error_n(text, max + 1, "larger than 1048576 bytes");
	free(text);
}

/* One long line of openings, quotes or question marks must not take for ever. */
static void test_hostile_repetition_ends_soon(void **state)
{
	static const char *const parts[] = {
	    "? ", "- ", "{", "a: ", "\"", "'", "|\n ", "&a ", "!t ", "#\n", ",", "k:\n "};
	size_t max = 300000;
	char *text = malloc(max);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t n = strlen(parts[i]), len = max / n * n;
		struct yaml_node *root;

		for (size_t at = 0; at < len; at++)
			text[at] = parts[i][at % n];
		yaml_parse(&arena, "f", text, len, &root, &err);
		reset(NULL);
	}
	free(text);
}

static void test_random_changes_of_a_good_file_do_no_harm(void **state)
{
	static const char good[] =
	    "a: {b: [1, \"x\", 'y'], c: |\n  text\n}\nd:\n  - e: >\n     f\n  - ~\n";
	static const char odd[] = "\0\xff{}[]:-?&*!|>'\"%@`#,\n\t \r~\xe4";
	unsigned int seed = 7;
	struct yaml_node *root;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		size_t n = sizeof(good) - 1;
		char *text = malloc(n);

		memcpy(text, good, n);
		for (int k = rand_r(&seed) % 4; k >= 0; k--)
			text[(size_t)rand_r(&seed) % n] =
			    odd[(size_t)rand_r(&seed) % (sizeof(odd) - 1)];
		if (yaml_parse(&arena, "f", text, n, &root, &err))
			assert_true(err.text[0]);
		free(text);
		reset(NULL);
	}
}

static void expect_load_error(const char *path, const char *want)
{
	struct yaml_node *root = NULL;

	assert_int_equal(yaml_load(&arena, path, &root, &err), ERR_CONFIG);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, want));
	assert_null(root);
}

static void test_load_reads_regular_files_only(void **state)
{
	char dir[] = "/tmp/nlq-yaml.XXXXXX", path[64], fifo[64];
	struct yaml_node *root = NULL;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.yaml", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	expect_load_error(path, "No such file");
	expect_load_error(dir, "not a regular file");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_load_error(fifo, "not a regular file"); /* and does not wait for a writer */
	expect_load_error("/dev/zero", "not a regular file");
	f = fopen(path, "w");
	fputs("a: 1\nb: 2\nb: 3\n", f);
	fclose(f);
	expect_load_error(path, ":3: key \"b\"");
	assert_int_equal(truncate(path, 9), 0);
	assert_int_equal(yaml_load(&arena, path, &root, &err), 0);
	assert_string_equal(yaml_get(root, "b")->file, path);
	assert_int_equal(truncate(path, 1024 * 1024 + 1), 0);
	expect_load_error(path, "larger than");
	unlink(path);
	unlink(fifo);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_reads_maps_lists_and_scalars_with_positions, reset),
	    cmocka_unit_test_setup(test_empty_files_are_empty_maps, reset),
	    cmocka_unit_test_setup(test_bom_and_crlf_are_read, reset),
	    cmocka_unit_test_setup(test_duplicate_keys_are_refused_where_they_stand, reset),
	    cmocka_unit_test_setup(test_many_keys_are_checked_quickly, reset),
	    cmocka_unit_test_setup(test_anchors_aliases_and_tags_are_refused, reset),
	    cmocka_unit_test_setup(test_billion_laughs_is_refused, reset),
	    cmocka_unit_test_setup(test_one_document_only, reset),
	    cmocka_unit_test_setup(test_only_plain_words_are_keys, reset),
	    cmocka_unit_test_setup(test_depth_is_limited, reset),
	    cmocka_unit_test_setup(test_bytes_that_are_not_text_are_refused, reset),
	    cmocka_unit_test_setup(test_broken_syntax_names_the_line, reset),
	    cmocka_unit_test_setup(test_size_is_limited, reset),
	    cmocka_unit_test_setup(test_hostile_repetition_ends_soon, reset),
	    cmocka_unit_test_setup(test_random_changes_of_a_good_file_do_no_harm, reset),
	    cmocka_unit_test_setup(test_load_reads_regular_files_only, reset),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	arena_done(&arena);
	return rc;
}

/* The stable JSON: parses, has every key, keeps numbers exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <string.h>

#include "orchestrator/cli/jsonout.h"

static cJSON *parse(struct strbuf *b)
{
	cJSON *root = cJSON_Parse(b->data);

	assert_non_null(root);
	assert_int_equal(b->data[b->len - 1], '\n');
	return root;
}

static void test_every_key_is_there_even_in_a_failure(void **state)
{
	static const char *const keys[] = {"request_id", "outcome", "answer", "unit", "sql",
	    "columns", "rows", "row_count", "truncated", "confidence", "assumptions", "definitions",
	    "certificate", "tables", "steps", "timings_ms", "error"};
	static const char *const error_keys[] = {
	    "code", "phase", "text", "fix", "position", "retry", "retries_left", "details_omitted"};
	struct answer a = {.outcome = "failed", .has_error = true};
	struct strbuf b;

	(void)state;
	err_set(&a.err, ERR_TIMEOUT, PHASE_RUN, "too slow");
	strbuf_init(&b, 100000);
	jsonout_answer(&b, &a);
	cJSON *root = parse(&b);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_true(cJSON_HasObjectItem(root, keys[i]));
	cJSON *error = cJSON_GetObjectItem(root, "error");

	for (size_t i = 0; i < ARRAY_SIZE(error_keys); i++)
		assert_true(cJSON_HasObjectItem(error, error_keys[i]));
	assert_string_equal(cJSON_GetObjectItem(error, "code")->valuestring, "timeout");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "request_id")));
	cJSON_Delete(root);
	strbuf_done(&b);
}

static void test_cells_are_exact_and_typed(void **state)
{
	const struct value cells[] = {
	    {.type = VALUE_INT, .i = INT64_MAX},
	    {.type = VALUE_REAL, .r = 0.1},
	    {.type = VALUE_NULL},
	    {.type = VALUE_TEXT, .text = "引号\"\n", .len = 8},
	    {.type = VALUE_BLOB, .text = "\x00\xff", .len = 2},
	};
	struct resultset *r = resultset_new();
	struct answer a = {
	    .outcome = "answered", .result = r, .has_confidence = true, .confidence = 0.87654};
	struct strbuf b;

	(void)state;
	r->n_columns = ARRAY_SIZE(cells);
	r->n_rows = 1;
	r->columns = arena_new_array(&r->arena, r->n_columns, struct result_column);
	for (size_t i = 0; i < r->n_columns; i++)
		r->columns[i].name = "c";
	r->cells = arena_memdup(&r->arena, cells, sizeof(cells));
	strbuf_init(&b, 100000);
	jsonout_answer(&b, &a);
	assert_non_null(strstr(b.data,
	    "\"rows\":[[9223372036854775807,0.1,null,\"引号\\\"\\n\",{\"blob\":\"00ff\"}]]"));
	assert_non_null(strstr(b.data, "\"row_count\":1,\"truncated\":false,\"confidence\":0.877"));
	cJSON_Delete(parse(&b));
	strbuf_done(&b);
	resultset_free(r);
}

static void test_steps_and_certificate_are_listed(void **state)
{
	struct certificate_line line = {"units", CHECK_UNKNOWN, "no unit known"};
	struct answer_step steps[2] = {
	    {.sql = "SELECT 1", .purpose = "first"}, {.sql = "SELECT x", .purpose = ""}};
	struct answer a = {
	    .outcome = "declined", .lines = &line, .n_lines = 1, .steps = steps, .n_steps = 2};
	struct strbuf b;

	(void)state;
	err_set(&steps[1].err, ERR_UNKNOWN_COLUMN, PHASE_RESOLVE, "no column x");
	strbuf_init(&b, 100000);
	jsonout_answer(&b, &a);
	cJSON *root = parse(&b), *list = cJSON_GetObjectItem(root, "steps");

	assert_int_equal(cJSON_GetArraySize(list), 2);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "error")));
	assert_string_equal(
	    cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 1), "error"), "code")
	        ->valuestring,
	    "unknown_column");
	list = cJSON_GetObjectItem(root, "certificate");
	assert_string_equal(
	    cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "verdict")->valuestring, "unknown");
	cJSON_Delete(root);
	strbuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_key_is_there_even_in_a_failure),
	    cmocka_unit_test(test_cells_are_exact_and_typed),
	    cmocka_unit_test(test_steps_and_certificate_are_listed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

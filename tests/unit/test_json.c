#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"

static struct strbuf out;
static struct json j;

static int reset(void **state)
{
	(void)state;
	strbuf_done(&out);
	strbuf_init(&out, 1 << 20);
	json_init(&j, &out, false);
	return 0;
}

static void test_places_commas_between_items(void **state)
{
	(void)state;
	json_object(&j);
	json_key(&j, "a");
	json_int(&j, 1);
	json_key(&j, "b");
	json_array(&j);
	json_null(&j);
	json_bool(&j, true);
	json_array(&j);
	json_array_end(&j);
	json_object(&j);
	json_object_end(&j);
	json_string(&j, NULL);
	json_array_end(&j);
	json_key(&j, "c");
	json_bool(&j, false);
	json_object_end(&j);
	assert_string_equal(out.data, "{\"a\":1,\"b\":[null,true,[],{},null],\"c\":false}");
}

static void test_pretty_form_has_the_same_content(void **state)
{
	(void)state;
	json_init(&j, &out, true);
	json_object(&j);
	json_key(&j, "a");
	json_array(&j);
	json_int(&j, 1);
	json_int(&j, 2);
	json_array_end(&j);
	json_key(&j, "empty");
	json_object(&j);
	json_object_end(&j);
	json_object_end(&j);
	assert_string_equal(out.data, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"empty\": {}\n}");
}

static void test_integers_are_exact(void **state)
{
	(void)state;
	json_array(&j);
	json_int(&j, INT64_MIN);
	json_int(&j, INT64_MAX);
	json_uint(&j, UINT64_MAX);
	json_int(&j, 9007199254740993);
	json_array_end(&j);
	assert_string_equal(out.data,
	    "[-9223372036854775808,9223372036854775807,18446744073709551615,9007199254740993]");
}

static void test_doubles_are_short_and_read_back(void **state)
{
	(void)state;
	json_array(&j);
	json_double(&j, 0.1);
	json_double(&j, 1611.5);
	json_double(&j, 0.1 + 0.2);
	json_double(&j, 1e300);
	json_double(&j, -0.0);
	json_double(&j, 5);
	json_double(&j, (double)NAN);
	json_double(&j, -(double)INFINITY);
	json_array_end(&j);
	assert_string_equal(out.data, "[0.1,1611.5,0.30000000000000004,1e+300,-0,5,null,null]");
}

static void test_random_doubles_read_back_exactly(void **state)
{
	unsigned int seed = 3;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = (uint64_t)rand_r(&seed) << 42 ^ (uint64_t)rand_r(&seed) << 21 ^
		    (uint64_t)rand_r(&seed);
		double v;

		memcpy(&v, &bits, sizeof(v));
		reset(NULL);
		json_double(&j, v);
		if (isfinite(v) && strtod(out.data, NULL) != v)
			fail_msg("%a became %s", v, out.data);
	}
}

static void test_strings_are_escaped(void **state)
{
	(void)state;
	json_string_n(&j, "\"\\/\n\r\t\b\x01\x1f\x7f\0中\xf0\x9f\x98\x80", 18);
	assert_string_equal(out.data,
	    "\"\\\"\\\\/\\n\\r\\t\\u0008\\u0001\\u001f\\u007f\\u0000中\xf0\x9f\x98\x80\"");
}

static void test_broken_bytes_become_the_replacement_character(void **state)
{
	(void)state;
	json_array(&j);
	json_string(&j,
	    "a\xff"
	    "b\xe4\xb8");
	json_string(&j, "\xed\xa0\x80");
	json_array_end(&j);
	assert_string_equal(out.data,
	    "[\"a\xef\xbf\xbd"
	    "b\xef\xbf\xbd\xef\xbf\xbd\",\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"]");
}

static void test_keys_are_escaped_too(void **state)
{
	(void)state;
	json_object(&j);
	json_key(&j, "a\"\n\xff");
	json_int(&j, 1);
	json_object_end(&j);
	assert_string_equal(out.data, "{\"a\\\"\\n\xef\xbf\xbd\":1}");
}

/* Whatever bytes come in, another program's reader takes what comes out. */
static void test_random_strings_are_read_by_another_parser(void **state)
{
	unsigned int seed = 5;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char s[40];
		cJSON *read;

		for (size_t k = 0; k < sizeof(s); k++)
			s[k] = (char)(rand_r(&seed) % 256);
		reset(NULL);
		json_array(&j);
		json_string_n(&j, s, sizeof(s));
		json_array_end(&j);
		read = cJSON_Parse(out.data);
		if (!read || !cJSON_IsString(cJSON_GetArrayItem(read, 0)))
			fail_msg("not read: %s", out.data);
		cJSON_Delete(read);
	}
}

static void test_deep_nesting_up_to_the_limit(void **state)
{
	(void)state;
	for (int i = 0; i < 63; i++)
		json_array(&j);
	for (int i = 0; i < 63; i++)
		json_array_end(&j);
	assert_int_equal(out.len, 126);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_places_commas_between_items, reset),
	    cmocka_unit_test_setup(test_pretty_form_has_the_same_content, reset),
	    cmocka_unit_test_setup(test_integers_are_exact, reset),
	    cmocka_unit_test_setup(test_doubles_are_short_and_read_back, reset),
	    cmocka_unit_test_setup(test_random_doubles_read_back_exactly, reset),
	    cmocka_unit_test_setup(test_strings_are_escaped, reset),
	    cmocka_unit_test_setup(test_broken_bytes_become_the_replacement_character, reset),
	    cmocka_unit_test_setup(test_keys_are_escaped_too, reset),
	    cmocka_unit_test_setup(test_random_strings_are_read_by_another_parser, reset),
	    cmocka_unit_test_setup(test_deep_nesting_up_to_the_limit, reset),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	strbuf_done(&out);
	return rc;
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "common/base/hash.h"

static const char abc_hex[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char empty_hex[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void test_sha256_of_known_texts(void **state)
{
	struct hash h;
	char hex[2 * HASH_LEN + 1];

	(void)state;
	hash_bytes("abc", 3, &h);
	hash_hex(&h, hex);
	assert_string_equal(hex, abc_hex);
	hash_bytes("", 0, &h);
	hash_hex(&h, hex);
	assert_string_equal(hex, empty_hex);
}

static void hash_two(const char *a, const char *b, struct hash *ret)
{
	struct hash_ctx c;

	hash_begin(&c);
	hash_field(&c, a, strlen(a));
	hash_field(&c, b, strlen(b));
	hash_end(&c, ret);
	assert_null(c.md);
}

static void test_fields_are_not_just_joined(void **state)
{
	struct hash x, y, z, plain;

	(void)state;
	hash_two("ab", "c", &x);
	hash_two("a", "bc", &y);
	hash_two("ab", "c", &z);
	hash_bytes("abc", 3, &plain);
	assert_false(hash_equal(&x, &y));
	assert_true(hash_equal(&x, &z));
	assert_false(hash_equal(&x, &plain));
}

static void test_field_prefix_is_eight_bytes_little_endian(void **state)
{
	struct hash got, want;
	struct hash_ctx c;

	(void)state;
	hash_begin(&c);
	hash_field(&c, "abc", 3);
	hash_end(&c, &got);
	hash_bytes("\3\0\0\0\0\0\0\0abc", 11, &want);
	assert_true(hash_equal(&got, &want));
}

static void test_hex_goes_there_and_back(void **state)
{
	struct hash h, back, untouched = {{1}};
	char hex[2 * HASH_LEN + 1];

	(void)state;
	hash_bytes("x", 1, &h);
	hash_hex(&h, hex);
	assert_int_equal(hash_from_hex(hex, &back), 0);
	assert_true(hash_equal(&h, &back));
	hex[5] = 'g';
	assert_int_equal(hash_from_hex(hex, &untouched), -1);
	assert_int_equal(untouched.bytes[0], 1);
	assert_int_equal(hash_from_hex("", &untouched), -1);
	assert_int_equal(hash_from_hex("ab", &untouched), -1);
}

static void test_table_hash_depends_on_all_bytes_and_the_seed(void **state)
{
	uint64_t seen[2000];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(seen); i++) {
		seen[i] = hash64(&i, sizeof(i), 0);
		for (uint32_t k = 0; k < i; k++)
			assert_true(seen[i] != seen[k]);
	}
	assert_true(hash64("a", 1, 1) != hash64("a", 1, 2));
	assert_true(hash64("", 0, 0) == hash64(NULL, 0, 0));
}

/* A table takes the low bits: 4,096 names must not crowd into a few places. */
static void test_table_hash_spreads_over_the_low_bits(void **state)
{
	uint32_t count[256] = {0};

	(void)state;
	for (uint32_t i = 0; i < 4096; i++) {
		uint8_t key[8] = {'c', 'o', 'l', '_', (uint8_t)('0' + i / 512),
		    (uint8_t)(i / 64 % 8), (uint8_t)(i / 8 % 8), (uint8_t)(i % 8)};

		count[hash64(key, sizeof(key), 0) & 255]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(count); i++)
		assert_in_range(count[i], 2, 45);
}

static void test_random_bytes_differ(void **state)
{
	uint8_t a[300] = {0}, b[300] = {0};

	(void)state;
	random_bytes(a, sizeof(a));
	random_bytes(b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a + 280, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	random_bytes(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sha256_of_known_texts),
	    cmocka_unit_test(test_fields_are_not_just_joined),
	    cmocka_unit_test(test_field_prefix_is_eight_bytes_little_endian),
	    cmocka_unit_test(test_hex_goes_there_and_back),
	    cmocka_unit_test(test_table_hash_depends_on_all_bytes_and_the_seed),
	    cmocka_unit_test(test_table_hash_spreads_over_the_low_bits),
	    cmocka_unit_test(test_random_bytes_differ),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

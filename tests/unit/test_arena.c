#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <string.h>

#include "common/base/arena.h"

static void test_memory_is_zeroed_aligned_and_apart(void **state)
{
	struct arena a = ARENA_INIT;
	unsigned char *last = NULL;

	(void)state;
	for (size_t size = 0; size < 3000; size += 7) {
		unsigned char *p = arena_alloc(&a, size);

		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xee, size);
		assert_ptr_not_equal(p, last);
		last = p;
	}
	arena_done(&a);
}

static void test_large_objects_do_not_waste_the_open_block(void **state)
{
	struct arena a = ARENA_INIT;
	char *first, *second;

	(void)state;
	first = arena_alloc(&a, 16);
	memset(arena_alloc(&a, (size_t)1 << 20), 1, (size_t)1 << 20);
	second = arena_alloc(&a, 16);
	assert_ptr_equal(second, first + 16);
	assert_int_equal(a.used, 32 + (1 << 20));
	arena_done(&a);
}

static void test_arena_can_be_used_again_after_done(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	arena_done(&a);
	arena_strdup(&a, "x");
	arena_done(&a);
	assert_string_equal(arena_strdup(&a, "y"), "y");
	arena_done(&a);
	assert_int_equal(a.used, 0);
}

static void test_copies_keep_bytes_and_end_with_nul(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	assert_null(arena_strdup(&a, NULL));
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, NULL, 0), "");
	assert_memory_equal(arena_memdup(&a, "a\0b", 3), "a\0b", 3);
	assert_string_equal(arena_printf(&a, "%s-%05d", "x", 42), "x-00042");
	arena_done(&a);
}

static void test_push_keeps_what_was_pushed_before(void **state)
{
	struct arena a = ARENA_INIT;
	uint32_t *items = NULL;
	size_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t *item = arena_push(&a, items, n);

		assert_int_equal(*item, 0);
		*item = i;
	}
	assert_int_equal(n, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(items[i], i);
	arena_done(&a);
}

static void test_push_after_a_shortened_vector_gives_zero(void **state)
{
	struct arena a = ARENA_INIT;
	int *items = NULL;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		*arena_push(&a, items, n) = 9;
	n = 2;
	assert_int_equal(*arena_push(&a, items, n), 0);
	n = 3;
	assert_int_equal(*arena_push(&a, items, n), 0);
	arena_done(&a);
}

/* The storage of a vector that was made with exactly n places, n a power of two. */
static void test_push_to_an_exact_array_moves_it(void **state)
{
	struct arena a = ARENA_INIT;
	int *exact = arena_new_array(&a, 4, int), *items = exact;
	size_t n = 4;

	(void)state;
	exact[3] = 7;
	*arena_push(&a, items, n) = 1;
	assert_ptr_not_equal(items, exact);
	assert_int_equal(items[3], 7);
	arena_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory_is_zeroed_aligned_and_apart),
	    cmocka_unit_test(test_large_objects_do_not_waste_the_open_block),
	    cmocka_unit_test(test_arena_can_be_used_again_after_done),
	    cmocka_unit_test(test_copies_keep_bytes_and_end_with_nul),
	    cmocka_unit_test(test_push_keeps_what_was_pushed_before),
	    cmocka_unit_test(test_push_after_a_shortened_vector_gives_zero),
	    cmocka_unit_test(test_push_to_an_exact_array_moves_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

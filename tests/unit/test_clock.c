#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <time.h>

#include "common/base/clock.h"

static void test_monotonic_time_never_goes_back(void **state)
{
	uint64_t last = clock_mono_us();

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_mono_us();

		assert_true(now >= last);
		last = now;
	}
	assert_true(clock_mono_ms() >= last / 1000);
	assert_true(clock_mono_ms() - last / 1000 < 10000);
}

static void test_wall_time_is_microseconds_since_the_epoch(void **state)
{
	int64_t seconds = time(NULL);

	(void)state;
	assert_in_range(clock_wall_us() / 1000000, seconds - 1, seconds + 10);
}

static void test_time_left_ends_at_zero_and_is_capped(void **state)
{
	uint64_t now = clock_mono_ms();

	(void)state;
	assert_int_equal(clock_left_ms(0), 0);
	assert_int_equal(clock_left_ms(now), 0);
	assert_in_range(clock_left_ms(now + 60000), 50000, 60000);
	assert_int_equal(clock_left_ms(now + 10ull * UINT32_MAX), UINT32_MAX);
	assert_int_equal(clock_left_ms(UINT64_MAX), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_monotonic_time_never_goes_back),
	    cmocka_unit_test(test_wall_time_is_microseconds_since_the_epoch),
	    cmocka_unit_test(test_time_left_ends_at_zero_and_is_capped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

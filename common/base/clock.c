#include "common/base/clock.h"

#include <time.h>

static uint64_t now_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t clock_mono_us(void)
{
	return now_us(CLOCK_MONOTONIC);
}

uint64_t clock_mono_ms(void)
{
	return now_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_wall_us(void)
{
	return (int64_t)now_us(CLOCK_REALTIME);
}

uint32_t clock_left_ms(uint64_t deadline_ms)
{
	uint64_t now = clock_mono_ms();

	if (deadline_ms <= now)
		return 0;
	return deadline_ms - now > UINT32_MAX ? UINT32_MAX : (uint32_t)(deadline_ms - now);
}

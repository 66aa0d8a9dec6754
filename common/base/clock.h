/* Monotonic time, deadlines and wall-clock stamps. Deadlines never use the
 * wall clock (it jumps); messages carry the time left, not a time of day. */
#ifndef NLQ_CLOCK_H
#define NLQ_CLOCK_H

#include "common/base/base.h"

uint64_t clock_mono_us(void); /* CLOCK_MONOTONIC, microseconds */
uint64_t clock_mono_ms(void);
int64_t clock_wall_us(void); /* since the epoch, for display and the trace */
/* Milliseconds until a CLOCK_MONOTONIC deadline in ms, 0 if it has passed,
 * capped at UINT32_MAX. */
uint32_t clock_left_ms(uint64_t deadline_ms);

#endif

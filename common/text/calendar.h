/* Dates of the proleptic Gregorian calendar, without time zone or clock. */
#ifndef NLQ_TEXT_CALENDAR_H
#define NLQ_TEXT_CALENDAR_H

#include "common/base/base.h"

struct date {
	int year, month, day;
};

bool date_ok(struct date d);                            /* years 1 to 9999 */
bool date_read(const char *iso, struct date *ret_date); /* YYYY-MM-DD, whole text */
void date_print(struct date d, char out[11]);
struct date date_add_days(struct date d, int days);
struct date date_add_months(struct date d, int months); /* clamped to the month's end */
int date_compare(struct date a, struct date b);
int date_weekday(struct date d); /* Monday 0 */

#endif

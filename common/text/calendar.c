/* Day numbers count from 0000-03-01, so that a leap day ends its year. */
#include "common/text/calendar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

bool date_ok(struct date d)
{
	return d.year >= 1 && d.year <= 9999 && d.month >= 1 && d.month <= 12 && d.day >= 1 &&
	    d.day <= days_in_month(d.year, d.month);
}

bool date_read(const char *iso, struct date *ret_date)
{
	struct date d;
	size_t i;

	if (!iso || strlen(iso) != 10)
		return false;
	for (i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? iso[i] != '-' : iso[i] < '0' || iso[i] > '9')
			return false;
	d.year = atoi(iso);
	d.month = atoi(iso + 5);
	d.day = atoi(iso + 8);
	if (!date_ok(d))
		return false;
	*ret_date = d;
	return true;
}

/* What a shift leaves outside the years 1 to 9999 is printed as their edge. */
void date_print(struct date d, char out[11])
{
	char text[40];

	if (d.year < 1)
		d = (struct date){1, 1, 1};
	if (d.year > 9999)
		d = (struct date){9999, 12, 31};
	snprintf(text, sizeof(text), "%04d-%02d-%02d", d.year, d.month, d.day);
	memcpy(out, text, 10);
	out[10] = '\0';
}

static int64_t day_number(struct date d)
{
	int64_t y = d.month <= 2 ? d.year - 1 : d.year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
}

static struct date from_day_number(int64_t n)
{
	int64_t era = (n >= 0 ? n : n - 146096) / 146097, of_era = n - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
	struct date d;

	d.day = (int)(of_year - (153 * m + 2) / 5 + 1);
	d.month = (int)(m < 10 ? m + 3 : m - 9);
	d.year = (int)(y + era * 400 + (d.month <= 2));
	return d;
}

struct date date_add_days(struct date d, int days)
{
	return from_day_number(day_number(d) + days);
}

struct date date_add_months(struct date d, int months)
{
	int total = d.year * 12 + d.month - 1 + months, last;

	d.year = total >= 0 ? total / 12 : (total - 11) / 12;
	d.month = total - d.year * 12 + 1;
	last = days_in_month(d.year, d.month);
	if (d.day > last)
		d.day = last;
	return d;
}

int date_compare(struct date a, struct date b)
{
	int64_t x = day_number(a), y = day_number(b);

	return x < y ? -1 : x > y;
}

int date_weekday(struct date d)
{
	/* 0000-03-01 was a Wednesday. */
	int64_t w = (day_number(d) + 2) % 7;

	return (int)(w < 0 ? w + 7 : w);
}

/* See period_atom.h: dates, quarters, years, "last 3 months", 去年三季度. */
#include "common/text/period_atom.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text/lexicon.h"
#include "common/text/numeral.h"
#include "common/text/unit.h"

#define YEAR_MIN 1800
#define YEAR_MAX 2100

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char at_byte(const struct period_cursor *c, size_t i)
{
	return i < c->len ? c->s[i] : '\0';
}

static void skip_blanks(struct period_cursor *c)
{
	while (at_byte(c, c->at) == ' ')
		c->at++;
}

bool period_atom_eat(struct period_cursor *c, const char *word)
{
	size_t at = c->at, n;

	while (at_byte(c, at) == ' ')
		at++;
	/* Most words end at their first byte: letters differ by more than their case. */
	if (((at_byte(c, at) ^ word[0]) & ~32) != 0)
		return false;
	n = strlen(word);
	if (n > c->len - at || strncasecmp(c->s + at, word, n))
		return false;
	if (is_letter(word[n - 1]) &&
	    (is_letter(at_byte(c, at + n)) || is_digit(at_byte(c, at + n))))
		return false;
	c->at = at + n;
	return true;
}

bool period_atom_eat_any(struct period_cursor *c, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (period_atom_eat(c, words[i]))
			return true;
	return false;
}

bool period_atom_int(struct period_cursor *c, int *ret_value)
{
	struct period_cursor t = *c;
	struct numeral n;

	skip_blanks(&t);
	if (!numeral_parse(t.s + t.at, t.len - t.at, &n) || n.scale || n.digits > 9999 ||
	    memchr(t.s + t.at, ',', n.len))
		return false;
	t.at += n.len;
	*ret_value = (int)n.digits;
	*c = t;
	return true;
}

/* Exactly `digits` ASCII digits. */
static bool eat_digits(struct period_cursor *c, int digits, int *ret_value)
{
	size_t at = c->at;
	int i, v = 0;

	for (i = 0; i < digits; i++, at++) {
		if (!is_digit(at_byte(c, at)))
			return false;
		v = v * 10 + (at_byte(c, at) - '0');
	}
	*ret_value = v;
	c->at = at;
	return true;
}

static void set_unit(struct period_atom *a, enum period_grain grain, struct date first, int units)
{
	a->grain = grain;
	a->from = first;
	switch (grain) {
	case GRAIN_YEAR: a->to = date_add_months(first, 12 * units); break;
	case GRAIN_QUARTER: a->to = date_add_months(first, 3 * units); break;
	case GRAIN_MONTH: a->to = date_add_months(first, units); break;
	case GRAIN_DAY: a->to = date_add_days(first, units); break;
	}
}

static bool set_date(struct period_atom *a, int year, int month, int day)
{
	struct date d = {year, month ? month : 1, day ? day : 1};

	if (!date_ok(d))
		return false;
	set_unit(a, day ? GRAIN_DAY : month ? GRAIN_MONTH : GRAIN_YEAR, d, 1);
	return true;
}

static bool set_quarter(struct period_atom *a, int year, int quarter)
{
	if (quarter < 1 || quarter > 4)
		return false;
	set_unit(a, GRAIN_QUARTER, (struct date){year, quarter * 3 - 2, 1}, 1);
	return true;
}

static void set_half(struct period_atom *a, int year, int half)
{
	set_unit(a, GRAIN_MONTH, (struct date){year, half == 1 ? 1 : 7, 1}, 6);
}

bool period_atom_part(struct period_cursor *c, int year, struct period_atom *a)
{
	struct period_cursor t = *c;
	int v, day;

	if (period_atom_eat(&t, "前") && period_atom_int(&t, &v) && v >= 1 && v <= 4 &&
	    EAT_ANY(&t, "个季度", "季度"))
		set_unit(a, GRAIN_QUARTER, (struct date){year, 1, 1}, v);
	else if (t = *c,
	    period_atom_eat(&t, "前") && period_atom_int(&t, &v) && v >= 1 && v <= 12 &&
	        period_atom_eat(&t, "个月"))
		set_unit(a, GRAIN_MONTH, (struct date){year, 1, 1}, v);
	else if (t = *c, EAT_ANY(&t, "上半年", "H1", "first half"))
		set_half(a, year, 1);
	else if (EAT_ANY(&t, "下半年", "H2", "second half"))
		set_half(a, year, 2);
	else if (EAT_ANY(&t, "Q1", "Q2", "Q3", "Q4"))
		set_quarter(a, year, t.s[t.at - 1] - '0');
	else if ((period_atom_eat(&t, "第"), period_atom_int(&t, &v)) &&
	    period_atom_eat(&t, "季度") && set_quarter(a, year, v))
		;
	else if (t = *c,
	    period_atom_int(&t, &v) && EAT_ANY(&t, "月份", "月") && v >= 1 && v <= 12) {
		struct period_cursor u = t;

		if (period_atom_int(&u, &day) && EAT_ANY(&u, "日", "号") &&
		    set_date(a, year, v, day))
			t = u;
		else if (!set_date(a, year, v, 0))
			return false;
	} else {
		return false;
	}
	*c = t;
	return true;
}

static const char *const months[] = {"january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december"};

static bool eat_month_name(struct period_cursor *c, int *ret_month)
{
	char abbr[4] = "";
	int i;

	for (i = 0; i < 12; i++) {
		memcpy(abbr, months[i], 3);
		if (period_atom_eat(c, months[i]) || period_atom_eat(c, abbr) ||
		    (i == 8 && period_atom_eat(c, "sept"))) {
			if (at_byte(c, c->at) == '.')
				c->at++;
			*ret_month = i + 1;
			return true;
		}
	}
	return false;
}

static bool eat_year_number(struct period_cursor *c, int *ret_year)
{
	struct period_cursor t = *c;

	skip_blanks(&t);
	if (!eat_digits(&t, 4, ret_year) || is_digit(at_byte(&t, t.at)) || *ret_year < YEAR_MIN ||
	    *ret_year > YEAR_MAX)
		return false;
	*c = t;
	return true;
}

/* "March 15, 2023", "March 2023", "15 March 2023" */
static bool eat_english_date(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	int month, day = 0, year;

	if (!eat_month_name(&t, &month)) {
		if (!period_atom_int(&t, &day) ||
		    (period_atom_eat(&t, "of"), !eat_month_name(&t, &month)))
			return false;
		period_atom_eat(&t, ",");
		period_atom_eat(&t, "of");
		if (!eat_year_number(&t, &year))
			return false;
	} else {
		period_atom_eat(&t, ",");
		period_atom_eat(&t, "of");
		if (!eat_year_number(&t, &year)) {
			if (!period_atom_int(&t, &day))
				return false;
			period_atom_eat(&t, ",");
			if (!eat_year_number(&t, &year))
				return false;
		}
	}
	if (day > 31 || !set_date(a, year, month, day))
		return false;
	*c = t;
	return true;
}

/* 2023-03-15, 2023/3/15, 2023-03, 2023.03.15 */
static bool eat_iso_date(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	int year, month, day;
	char sep;

	skip_blanks(&t);
	if (!eat_digits(&t, 4, &year) || year < 1000)
		return false;
	sep = at_byte(&t, t.at);
	if (sep != '-' && sep != '/' && sep != '.')
		return false;
	t.at++;
	if (!eat_digits(&t, 2, &month) && !eat_digits(&t, 1, &month))
		return false;
	if (at_byte(&t, t.at) == sep) {
		t.at++;
		if (!eat_digits(&t, 2, &day) && !eat_digits(&t, 1, &day))
			return false;
	} else if (sep == '-') {
		day = 0;
	} else {
		return false;
	}
	if (is_digit(at_byte(&t, t.at)) || !month || (sep == '.' && !day) ||
	    !set_date(a, year, month, day))
		return false;
	*c = t;
	return true;
}

static bool eat_english_quarter(struct period_cursor *c, struct period_atom *a)
{
	static const char *const ordinals[] = {
	    "first", "second", "third", "fourth", "last", "1st", "2nd", "3rd", "4th"};
	static const int numbers[] = {1, 2, 3, 4, 4, 1, 2, 3, 4};
	struct period_cursor t = *c;
	int year, quarter = 0;
	bool half = false;
	size_t i;

	period_atom_eat(&t, "the");
	if (EAT_ANY(&t, "Q1", "Q2", "Q3", "Q4"))
		quarter = t.s[t.at - 1] - '0';
	for (i = 0; !quarter && i < ARRAY_SIZE(ordinals); i++)
		if (period_atom_eat(&t, ordinals[i]))
			quarter = numbers[i];
	if (!quarter ||
	    (!is_digit(t.s[t.at - 1]) && !period_atom_eat(&t, "quarter") &&
	        !(half = period_atom_eat(&t, "half"))))
		return false;
	period_atom_eat(&t, "of");
	period_atom_eat(&t, ",");
	if (!eat_year_number(&t, &year))
		return false;
	if (half && quarter <= 2)
		set_half(a, year, quarter);
	else if (half || !set_quarter(a, year, quarter))
		return false;
	*c = t;
	return true;
}

/* What follows says that the number is a quantity: 2000元, 2000 people, 2000.5. */
static bool is_quantity(const struct period_cursor *c)
{
	char next = at_byte(c, c->at), after = at_byte(c, c->at + 1);
	struct unit u;
	char cjk[4] = "";

	/* 2023-02-29 is no date, so 2023 in it is no year; 2021-2023 is a range. */
	if ((next == '-' || next == '/') && is_digit(after) &&
	    !(is_digit(at_byte(c, c->at + 3)) && is_digit(at_byte(c, c->at + 4))))
		return true;
	if (is_letter(next) || next == '%' || ((next == '.' || next == ',') && is_digit(after)))
		return true;
	if (c->len - c->at >= 3) {
		memcpy(cjk, c->s + c->at, 3);
		if (lexicon_is_classifier(cjk))
			return true;
	}
	return unit_parse(c->s + c->at, c->len - c->at, &u);
}

/* 2023年, 2023年度, 二〇二三年第一季度, the year 2023, FY2023, 1990s, 2023 */
static bool eat_year(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	int year;
	bool said;

	said = EAT_ANY(&t, "the calendar year", "the fiscal year", "the year of", "the year",
	    "year of", "year", "fiscal year", "calendar year");
	if (!said &&
	    (period_atom_eat(&t, "FY") ||
	        (at_byte(&t, t.at) == 'F' && at_byte(&t, t.at + 1) == 'Y' && (t.at += 2))))
		said = true;
	if (!period_atom_int(&t, &year) || year < 1000 || year > 2999)
		return false;
	if (EAT_ANY(&t, "年度", "年")) {
		if (!period_atom_part(&t, year, a))
			set_date(a, year, 0, 0);
	} else if (at_byte(&t, t.at) == 's' && year % 10 == 0 &&
	    !is_letter(at_byte(&t, t.at + 1))) {
		t.at++;
		set_unit(a, GRAIN_YEAR, (struct date){year, 1, 1}, year % 100 ? 10 : 100);
	} else if (period_atom_part(&t, year, a)) {
		;
	} else {
		if (year < YEAR_MIN || year > YEAR_MAX || is_quantity(&t) ||
		    !is_digit(t.s[t.at - 1]))
			return false;
		set_date(a, year, 0, 0);
		a->bare = !said;
	}
	*c = t;
	return true;
}

static struct date start_of(enum period_grain grain, struct date d)
{
	switch (grain) {
	case GRAIN_YEAR: return (struct date){d.year, 1, 1};
	case GRAIN_QUARTER: return (struct date){d.year, (d.month - 1) / 3 * 3 + 1, 1};
	case GRAIN_MONTH: return (struct date){d.year, d.month, 1};
	case GRAIN_DAY: break;
	}
	return d;
}

static int months_of(enum period_grain grain)
{
	return grain == GRAIN_YEAR ? 12 : grain == GRAIN_QUARTER ? 3 : 1;
}

/* The calendar unit `offset` units from the current one. */
static void set_relative(
    struct period_cursor *c, struct period_atom *a, enum period_grain grain, int offset)
{
	struct date first = start_of(grain, c->today);

	first = grain == GRAIN_DAY ? date_add_days(first, offset)
	                           : date_add_months(first, offset * months_of(grain));
	set_unit(a, grain, first, 1);
	a->relative = true;
}

static void set_week(struct period_cursor *c, struct period_atom *a, int offset)
{
	struct date monday = date_add_days(c->today, -date_weekday(c->today) + 7 * offset);

	set_unit(a, GRAIN_DAY, monday, 7);
	a->relative = true;
}

/* n units of the past: days, weeks and months end today; quarters and years are
 * the complete calendar ones before the current. */
static void set_window(
    struct period_cursor *c, struct period_atom *a, enum period_grain grain, int n, bool weeks)
{
	struct date end = date_add_days(c->today, 1), this_one = start_of(grain, c->today);

	a->relative = true;
	a->grain = grain;
	if (grain == GRAIN_DAY) {
		a->from = date_add_days(end, -n * (weeks ? 7 : 1));
		a->to = end;
	} else if (grain == GRAIN_MONTH) {
		a->from = date_add_months(end, -n);
		a->to = end;
	} else {
		a->from = date_add_months(this_one, -n * months_of(grain));
		a->to = this_one;
	}
}

static bool eat_grain(struct period_cursor *c, enum period_grain *ret_grain, bool *ret_weeks)
{
	*ret_weeks = false;
	if (EAT_ANY(c, "calendar years", "years", "year", "年"))
		*ret_grain = GRAIN_YEAR;
	else if (EAT_ANY(c, "quarters", "quarter", "个季度", "季度", "季"))
		*ret_grain = GRAIN_QUARTER;
	else if (EAT_ANY(c, "months", "month", "个月", "月"))
		*ret_grain = GRAIN_MONTH;
	else if (EAT_ANY(c, "weeks", "week", "周", "个星期", "星期"))
		*ret_weeks = true, *ret_grain = GRAIN_DAY;
	else if (EAT_ANY(c, "days", "day", "天", "日"))
		*ret_grain = GRAIN_DAY;
	else
		return false;
	return true;
}

/* "last 3 years", "the past six months", 近30天, 最近三年, 过去两个季度 */
static bool eat_window(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	enum period_grain grain;
	bool weeks;
	int n;

	period_atom_eat(&t, "the");
	if (!EAT_ANY(&t, "last", "past", "previous", "most recent", "recent", "最近", "近", "过去",
	        "前") ||
	    !period_atom_int(&t, &n) || n < 1 || !eat_grain(&t, &grain, &weeks))
		return false;
	if (n > 1200)
		return false;
	set_window(c, a, grain, n, weeks);
	*c = t;
	return true;
}

/* A year named relative to today, then perhaps a part of it. */
static bool eat_chinese_relative(struct period_cursor *c, struct period_atom *a)
{
	static const struct {
		const char *word;
		int offset;
	} years[] = {{"今年", 0}, {"本年度", 0}, {"本年", 0}, {"去年", -1}, {"上年度", -1},
	    {"上一年", -1}, {"前年", -2}, {"明年", 1}};
	static const struct {
		const char *word;
		enum period_grain grain;
		int offset;
	} units[] = {{"本月", GRAIN_MONTH, 0}, {"这个月", GRAIN_MONTH, 0},
	    {"上个月", GRAIN_MONTH, -1}, {"上月", GRAIN_MONTH, -1}, {"下个月", GRAIN_MONTH, 1},
	    {"本季度", GRAIN_QUARTER, 0}, {"这个季度", GRAIN_QUARTER, 0},
	    {"上个季度", GRAIN_QUARTER, -1}, {"上季度", GRAIN_QUARTER, -1},
	    {"上一季度", GRAIN_QUARTER, -1}, {"今天", GRAIN_DAY, 0}, {"今日", GRAIN_DAY, 0},
	    {"昨天", GRAIN_DAY, -1}, {"昨日", GRAIN_DAY, -1}, {"前天", GRAIN_DAY, -2},
	    {"明天", GRAIN_DAY, 1}};
	size_t i;
	int year;

	for (i = 0; i < ARRAY_SIZE(years); i++) {
		if (!period_atom_eat(c, years[i].word))
			continue;
		year = c->today.year + years[i].offset;
		if (!period_atom_part(c, year, a))
			set_date(a, year, 0, 0);
		a->relative = true;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (period_atom_eat(c, units[i].word)) {
			set_relative(c, a, units[i].grain, units[i].offset);
			return true;
		}
	if (EAT_ANY(c, "本周", "这周", "这个星期"))
		set_week(c, a, 0);
	else if (EAT_ANY(c, "上周", "上个星期", "上一周"))
		set_week(c, a, -1);
	else if (period_atom_eat(c, "上半年"))
		set_half(a, c->today.year, 1);
	else if (period_atom_eat(c, "下半年"))
		set_half(a, c->today.year, 2);
	else if (EAT_ANY(c, "年初至今", "今年以来")) {
		a->from = start_of(GRAIN_YEAR, c->today);
		a->to = date_add_days(c->today, 1);
		a->grain = GRAIN_DAY;
	} else {
		return false;
	}
	a->relative = true;
	return true;
}

static bool eat_english_relative(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	enum period_grain grain;
	bool weeks;
	int offset;

	if (EAT_ANY(&t, "year to date", "ytd", "this year so far", "so far this year")) {
		a->from = start_of(GRAIN_YEAR, c->today);
		a->to = date_add_days(c->today, 1);
		a->grain = GRAIN_DAY;
	} else if (period_atom_eat(&t, "today")) {
		set_relative(c, a, GRAIN_DAY, 0);
	} else if (period_atom_eat(&t, "yesterday")) {
		set_relative(c, a, GRAIN_DAY, -1);
	} else {
		period_atom_eat(&t, "the");
		if (EAT_ANY(&t, "this", "current"))
			offset = 0;
		else if (EAT_ANY(&t, "last", "previous", "past"))
			offset = -1;
		else if (period_atom_eat(&t, "next"))
			offset = 1;
		else
			return false;
		if (!eat_grain(&t, &grain, &weeks))
			return false;
		if (weeks)
			set_week(c, a, offset);
		else
			set_relative(c, a, grain, offset);
	}
	a->relative = true;
	*c = t;
	return true;
}

bool period_atom_read(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;

	*a = (struct period_atom){.grain = GRAIN_YEAR};
	if (!(eat_iso_date(&t, a) || (t = *c, eat_english_date(&t, a)) ||
	        (t = *c, eat_english_quarter(&t, a)) || (t = *c, eat_window(&t, a)) ||
	        (t = *c, eat_chinese_relative(&t, a)) || (t = *c, eat_english_relative(&t, a)) ||
	        (t = *c, eat_year(&t, a))))
		return false;
	*c = t;
	return true;
}

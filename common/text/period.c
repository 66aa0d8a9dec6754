/*
 * A hand-written reader over the bytes of the question. An *atom* is one
 * calendar unit or relative window (a year, a quarter, "last month"); what
 * stands around atoms (since, between .. and .., 至, 之前) makes them ranges.
 */
#include "common/text/period.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text/calendar.h"
#include "common/text/lexicon.h"
#include "common/text/numeral.h"
#include "common/text/unit.h"

#define YEAR_MIN 1800
#define YEAR_MAX 2100

struct cursor {
	const char *s;
	size_t at, len;
	struct date today;
};

struct atom {
	struct date from, to; /* half-open */
	enum period_grain grain;
	bool relative, bare;
};

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char at_byte(const struct cursor *c, size_t i)
{
	return i < c->len ? c->s[i] : '\0';
}

static void skip_blanks(struct cursor *c)
{
	while (at_byte(c, c->at) == ' ')
		c->at++;
}

/* Eats a text; English words (several with single spaces) at word boundaries
 * and in any case, leading blanks skipped. Nothing is eaten if it is not there. */
static bool eat(struct cursor *c, const char *word)
{
	size_t at = c->at, n = strlen(word);

	while (at_byte(c, at) == ' ')
		at++;
	if (n > c->len - at || strncasecmp(c->s + at, word, n))
		return false;
	if (is_letter(word[n - 1]) &&
	    (is_letter(at_byte(c, at + n)) || is_digit(at_byte(c, at + n))))
		return false;
	c->at = at + n;
	return true;
}

static bool eat_any(struct cursor *c, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (eat(c, words[i]))
			return true;
	return false;
}

#define EAT_ANY(c, ...)                                  \
	eat_any((c), (const char *const[]){__VA_ARGS__}, \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* A whole number of at most four digits or a Chinese numeral; ordinals count. */
static bool eat_int(struct cursor *c, int *ret_value)
{
	struct cursor t = *c;
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
static bool eat_digits(struct cursor *c, int digits, int *ret_value)
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

static void set_unit(struct atom *a, enum period_grain grain, struct date first, int units)
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

static bool set_date(struct atom *a, int year, int month, int day)
{
	struct date d = {year, month ? month : 1, day ? day : 1};

	if (!date_ok(d))
		return false;
	set_unit(a, day ? GRAIN_DAY : month ? GRAIN_MONTH : GRAIN_YEAR, d, 1);
	return true;
}

static bool set_quarter(struct atom *a, int year, int quarter)
{
	if (quarter < 1 || quarter > 4)
		return false;
	set_unit(a, GRAIN_QUARTER, (struct date){year, quarter * 3 - 2, 1}, 1);
	return true;
}

static void set_half(struct atom *a, int year, int half)
{
	set_unit(a, GRAIN_MONTH, (struct date){year, half == 1 ? 1 : 7, 1}, 6);
}

/* 第一季度, 三季度, Q3, 上半年, 3月, 3月15日 behind a year that was read. */
static bool eat_part_of_year(struct cursor *c, int year, struct atom *a)
{
	struct cursor t = *c;
	int v, day;

	if (eat(&t, "前") && eat_int(&t, &v) && v >= 1 && v <= 4 && EAT_ANY(&t, "个季度", "季度"))
		set_unit(a, GRAIN_QUARTER, (struct date){year, 1, 1}, v);
	else if (t = *c, eat(&t, "前") && eat_int(&t, &v) && v >= 1 && v <= 12 && eat(&t, "个月"))
		set_unit(a, GRAIN_MONTH, (struct date){year, 1, 1}, v);
	else if (t = *c, EAT_ANY(&t, "上半年", "H1", "first half"))
		set_half(a, year, 1);
	else if (EAT_ANY(&t, "下半年", "H2", "second half"))
		set_half(a, year, 2);
	else if (EAT_ANY(&t, "Q1", "Q2", "Q3", "Q4"))
		set_quarter(a, year, t.s[t.at - 1] - '0');
	else if ((eat(&t, "第"), eat_int(&t, &v)) && eat(&t, "季度") && set_quarter(a, year, v))
		;
	else if (t = *c, eat_int(&t, &v) && EAT_ANY(&t, "月份", "月") && v >= 1 && v <= 12) {
		struct cursor u = t;

		if (eat_int(&u, &day) && EAT_ANY(&u, "日", "号") && set_date(a, year, v, day))
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

static bool eat_month_name(struct cursor *c, int *ret_month)
{
	char abbr[4] = "";
	int i;

	for (i = 0; i < 12; i++) {
		memcpy(abbr, months[i], 3);
		if (eat(c, months[i]) || eat(c, abbr) || (i == 8 && eat(c, "sept"))) {
			if (at_byte(c, c->at) == '.')
				c->at++;
			*ret_month = i + 1;
			return true;
		}
	}
	return false;
}

static bool eat_year_number(struct cursor *c, int *ret_year)
{
	struct cursor t = *c;

	skip_blanks(&t);
	if (!eat_digits(&t, 4, ret_year) || is_digit(at_byte(&t, t.at)) || *ret_year < YEAR_MIN ||
	    *ret_year > YEAR_MAX)
		return false;
	*c = t;
	return true;
}

/* "March 15, 2023", "March 2023", "15 March 2023" */
static bool eat_english_date(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
	int month, day = 0, year;

	if (!eat_month_name(&t, &month)) {
		if (!eat_int(&t, &day) || (eat(&t, "of"), !eat_month_name(&t, &month)))
			return false;
		eat(&t, ",");
		eat(&t, "of");
		if (!eat_year_number(&t, &year))
			return false;
	} else {
		eat(&t, ",");
		eat(&t, "of");
		if (!eat_year_number(&t, &year)) {
			if (!eat_int(&t, &day))
				return false;
			eat(&t, ",");
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
static bool eat_iso_date(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
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

static bool eat_english_quarter(struct cursor *c, struct atom *a)
{
	static const char *const ordinals[] = {
	    "first", "second", "third", "fourth", "last", "1st", "2nd", "3rd", "4th"};
	static const int numbers[] = {1, 2, 3, 4, 4, 1, 2, 3, 4};
	struct cursor t = *c;
	int year, quarter = 0;
	bool half = false;
	size_t i;

	eat(&t, "the");
	if (EAT_ANY(&t, "Q1", "Q2", "Q3", "Q4"))
		quarter = t.s[t.at - 1] - '0';
	for (i = 0; !quarter && i < ARRAY_SIZE(ordinals); i++)
		if (eat(&t, ordinals[i]))
			quarter = numbers[i];
	if (!quarter ||
	    (!is_digit(t.s[t.at - 1]) && !eat(&t, "quarter") && !(half = eat(&t, "half"))))
		return false;
	eat(&t, "of");
	eat(&t, ",");
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
static bool is_quantity(const struct cursor *c)
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
static bool eat_year(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
	int year;
	bool said;

	said = EAT_ANY(&t, "the calendar year", "the fiscal year", "the year of", "the year",
	    "year of", "year", "fiscal year", "calendar year");
	if (!said &&
	    (eat(&t, "FY") ||
	        (at_byte(&t, t.at) == 'F' && at_byte(&t, t.at + 1) == 'Y' && (t.at += 2))))
		said = true;
	if (!eat_int(&t, &year) || year < 1000 || year > 2999)
		return false;
	if (EAT_ANY(&t, "年度", "年")) {
		if (!eat_part_of_year(&t, year, a))
			set_date(a, year, 0, 0);
	} else if (at_byte(&t, t.at) == 's' && year % 10 == 0 &&
	    !is_letter(at_byte(&t, t.at + 1))) {
		t.at++;
		set_unit(a, GRAIN_YEAR, (struct date){year, 1, 1}, year % 100 ? 10 : 100);
	} else if (eat_part_of_year(&t, year, a)) {
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
static void set_relative(struct cursor *c, struct atom *a, enum period_grain grain, int offset)
{
	struct date first = start_of(grain, c->today);

	first = grain == GRAIN_DAY ? date_add_days(first, offset)
	                           : date_add_months(first, offset * months_of(grain));
	set_unit(a, grain, first, 1);
	a->relative = true;
}

static void set_week(struct cursor *c, struct atom *a, int offset)
{
	struct date monday = date_add_days(c->today, -date_weekday(c->today) + 7 * offset);

	set_unit(a, GRAIN_DAY, monday, 7);
	a->relative = true;
}

/* n units of the past: days, weeks and months end today; quarters and years are
 * the complete calendar ones before the current. */
static void set_window(struct cursor *c, struct atom *a, enum period_grain grain, int n, bool weeks)
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

static bool eat_grain(struct cursor *c, enum period_grain *ret_grain, bool *ret_weeks)
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
static bool eat_window(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
	enum period_grain grain;
	bool weeks;
	int n;

	eat(&t, "the");
	if (!EAT_ANY(&t, "last", "past", "previous", "most recent", "recent", "最近", "近", "过去",
	        "前") ||
	    !eat_int(&t, &n) || n < 1 || !eat_grain(&t, &grain, &weeks))
		return false;
	if (n > 1200)
		return false;
	set_window(c, a, grain, n, weeks);
	*c = t;
	return true;
}

/* A year named relative to today, then perhaps a part of it. */
static bool eat_chinese_relative(struct cursor *c, struct atom *a)
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
		if (!eat(c, years[i].word))
			continue;
		year = c->today.year + years[i].offset;
		if (!eat_part_of_year(c, year, a))
			set_date(a, year, 0, 0);
		a->relative = true;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (eat(c, units[i].word)) {
			set_relative(c, a, units[i].grain, units[i].offset);
			return true;
		}
	if (EAT_ANY(c, "本周", "这周", "这个星期"))
		set_week(c, a, 0);
	else if (EAT_ANY(c, "上周", "上个星期", "上一周"))
		set_week(c, a, -1);
	else if (eat(c, "上半年"))
		set_half(a, c->today.year, 1);
	else if (eat(c, "下半年"))
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

static bool eat_english_relative(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
	enum period_grain grain;
	bool weeks;
	int offset;

	if (EAT_ANY(&t, "year to date", "ytd", "this year so far", "so far this year")) {
		a->from = start_of(GRAIN_YEAR, c->today);
		a->to = date_add_days(c->today, 1);
		a->grain = GRAIN_DAY;
	} else if (eat(&t, "today")) {
		set_relative(c, a, GRAIN_DAY, 0);
	} else if (eat(&t, "yesterday")) {
		set_relative(c, a, GRAIN_DAY, -1);
	} else {
		eat(&t, "the");
		if (EAT_ANY(&t, "this", "current"))
			offset = 0;
		else if (EAT_ANY(&t, "last", "previous", "past"))
			offset = -1;
		else if (eat(&t, "next"))
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

static bool eat_atom(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;

	*a = (struct atom){.grain = GRAIN_YEAR};
	if (!(eat_iso_date(&t, a) || (t = *c, eat_english_date(&t, a)) ||
	        (t = *c, eat_english_quarter(&t, a)) || (t = *c, eat_window(&t, a)) ||
	        (t = *c, eat_chinese_relative(&t, a)) || (t = *c, eat_english_relative(&t, a)) ||
	        (t = *c, eat_year(&t, a))))
		return false;
	*c = t;
	return true;
}

/* B of "A to B" where B repeats only its own part: 2021-2023, 2021至2023年,
 * 2023年1月至3月. */
static bool eat_second(struct cursor *c, const struct atom *first, struct atom *a)
{
	struct cursor t = *c;

	if (eat_atom(&t, a)) {
		*c = t;
		return true;
	}
	return first->grain == GRAIN_MONTH && eat_part_of_year(c, first->from.year, a);
}

static bool eat_joiner(struct cursor *c, bool between)
{
	if (between && EAT_ANY(c, "and", "和", "与"))
		return true;
	return EAT_ANY(
	    c, "to", "through", "until", "till", "up to", "至", "到", "-", "~", "–", "—", "～");
}

static void finish(const struct cursor *c, size_t at, const struct atom *a, bool from, bool to,
    struct period_found *r)
{
	memset(r, 0, sizeof(*r));
	r->period.start = (uint32_t)at;
	r->period.len = (uint32_t)(c->at - at);
	r->period.grain = a->grain;
	r->period.relative = a->relative;
	r->bare = a->bare;
	if (from)
		date_print(a->from, r->period.from);
	if (to)
		date_print(a->to, r->period.to);
}

/* A range of two atoms; "between" decides whether "and" joins. */
static bool eat_range(struct cursor *c, struct atom *a)
{
	struct cursor t = *c;
	struct atom b;
	bool between = EAT_ANY(&t, "between", "from", "介于", "从", "自", "在");

	if (!eat_atom(&t, a) || !eat_joiner(&t, between) || !eat_second(&t, a, &b) ||
	    date_compare(a->from, b.from) > 0)
		return false;
	EAT_ANY(&t, "年之间", "之间", "期间", "年间", "年");
	a->to = b.to;
	a->bare = false;
	a->relative = a->relative || b.relative;
	*c = t;
	return true;
}

/* Prefix words that leave one side open. */
enum side { SIDE_NONE, SIDE_FROM, SIDE_AFTER, SIDE_BEFORE, SIDE_UNTIL };

static enum side eat_prefix(struct cursor *c)
{
	if (EAT_ANY(c, "since", "starting from", "starting in", "from", "on or after",
	        "in or after", "no earlier than", "not earlier than", "beginning in", "自从", "自",
	        "从"))
		return SIDE_FROM;
	if (EAT_ANY(c, "after", "later than"))
		return SIDE_AFTER;
	if (EAT_ANY(c, "before", "prior to", "earlier than"))
		return SIDE_BEFORE;
	if (EAT_ANY(c, "until", "till", "up to", "through", "no later than", "not later than",
	        "in or before", "on or before", "by the end of", "as of", "by", "截至", "截止到",
	        "截止"))
		return SIDE_UNTIL;
	return SIDE_NONE;
}

static enum side eat_suffix(struct cursor *c)
{
	struct cursor t;
	int n;

	if (EAT_ANY(c, "or later", "or after", "and later", "and after", "onwards", "onward",
	        "and onwards", "or newer", "以来", "及以后", "及之后", "或之后", "或以后", "至今",
	        "起"))
		return SIDE_FROM;
	if (EAT_ANY(c, "or before", "or earlier", "and before", "and earlier", "or older", "及以前",
	        "及之前", "或之前", "或以前", "为止"))
		return SIDE_UNTIL;
	if (EAT_ANY(c, "以后", "之后"))
		return SIDE_AFTER;
	if (EAT_ANY(c, "以前", "之前"))
		return SIDE_BEFORE;
	/* 2023年前三名, 2023年后两位: not before and after, but top and bottom. */
	t = *c;
	if (EAT_ANY(&t, "后", "前") && !eat_int(&t, &n))
		return EAT_ANY(c, "后") ? SIDE_AFTER : (eat(c, "前"), SIDE_BEFORE);
	return SIDE_NONE;
}

/* "from 2023" alone is no open range: only with a suffix, or said as since. */
static bool is_plain_from(const struct cursor *c, size_t at)
{
	struct cursor t = *c;

	t.at = at;
	return EAT_ANY(&t, "from", "自", "从");
}

static bool eat_open(struct cursor *c, size_t at, struct period_found *r)
{
	struct cursor t = *c, next;
	enum side prefix = eat_prefix(&t), suffix;
	struct atom a, other;

	if (!eat_atom(&t, &a))
		return false;
	/* "before 1948 or after 1949" are two. */
	next = t;
	suffix = eat_suffix(&next);
	if (suffix != SIDE_NONE &&
	    eat_atom(&(struct cursor){next.s, next.at, next.len, next.today}, &other))
		suffix = SIDE_NONE;
	if (suffix != SIDE_NONE)
		t = next;
	if (suffix != SIDE_NONE)
		prefix = suffix;
	else if (prefix == SIDE_FROM && is_plain_from(c, at))
		return false;
	if (prefix == SIDE_NONE)
		return false;
	*c = t;
	a.bare = false;
	if (prefix == SIDE_AFTER)
		a.from = a.to;
	if (prefix == SIDE_BEFORE)
		a.to = a.from;
	finish(c, at, &a, prefix == SIDE_FROM || prefix == SIDE_AFTER,
	    prefix == SIDE_BEFORE || prefix == SIDE_UNTIL, r);
	return true;
}

bool period_parse(const char *text, size_t at, const char *today, struct period_found *ret_found)
{
	struct cursor c = {text, at, strlen(text), {0, 0, 0}};
	struct atom a;

	if (at >= c.len || text[at] == ' ' || !date_read(today, &c.today))
		return false;
	if (at && is_digit(text[at]) &&
	    (is_digit(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '$'))
		return false;
	if (eat_range(&c, &a)) {
		finish(&c, at, &a, true, true, ret_found);
		return true;
	}
	c.at = at;
	if (eat_open(&c, at, ret_found))
		return true;
	c.at = at;
	if (!eat_atom(&c, &a))
		return false;
	finish(&c, at, &a, true, true, ret_found);
	return true;
}

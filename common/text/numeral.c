/* Three readers behind one entry: digits, English number words, Chinese
 * numerals. All arithmetic is checked; what does not fit is no numeral. */
#include "common/text/numeral.h"

#include <string.h>

#include "common/base/utf8.h"

#define DIGITS_MAX 17

static uint32_t fold(uint32_t cp)
{
	return cp >= 0xFF01 && cp <= 0xFF5E ? cp - 0xFEE0 : cp;
}

/* Value of the digit at text (folded), its bytes in *ret_len; -1 if none. */
static int digit_at(const char *text, size_t len, size_t *ret_len)
{
	uint32_t cp;

	if (!len)
		return -1;
	*ret_len = utf8_next(text, len, &cp);
	cp = fold(cp);
	return cp >= '0' && cp <= '9' ? (int)(cp - '0') : -1;
}

static uint32_t char_at(const char *text, size_t len, size_t *ret_len)
{
	uint32_t cp = 0;

	*ret_len = 0;
	if (len)
		*ret_len = utf8_next(text, len, &cp);
	return fold(cp);
}

static bool three_digits(const char *text, size_t len)
{
	size_t at = 0, n;
	int i;

	for (i = 0; i < 3; i++) {
		if (digit_at(text + at, len - at, &n) < 0)
			return false;
		at += n;
	}
	return digit_at(text + at, len - at, &n) < 0;
}

static bool parse_digits(const char *text, size_t len, struct numeral *r)
{
	size_t at = 0, n, m;
	int d, count = 0;
	bool point = false;
	uint32_t cp;

	if (digit_at(text, len, &n) < 0)
		return false;
	while (at < len) {
		d = digit_at(text + at, len - at, &n);
		if (d >= 0) {
			if (r->digits && ++count > DIGITS_MAX)
				return false;
			r->digits = r->digits * 10 + d;
			r->scale += point;
			at += n;
			continue;
		}
		cp = char_at(text + at, len - at, &n);
		if (cp == ',' && !point && three_digits(text + at + n, len - at - n))
			at += n;
		else if (cp == '.' && !point && digit_at(text + at + n, len - at - n, &m) >= 0)
			at += n, point = true;
		else
			break;
	}
	if (!point && at + 2 <= len &&
	    (!strncasecmp(text + at, "st", 2) || !strncasecmp(text + at, "nd", 2) ||
	        !strncasecmp(text + at, "rd", 2) || !strncasecmp(text + at, "th", 2))) {
		cp = char_at(text + at + 2, len - at - 2, &n);
		if (!n || (cp | 32) < 'a' || (cp | 32) > 'z') {
			at += 2;
			r->is_ordinal = true;
		}
	}
	r->len = (uint32_t)at;
	return true;
}

struct word_value {
	const char *word;
	int64_t value;
	bool ordinal;
};

static const struct word_value number_words[] = {
    {"zero", 0, false},
    {"one", 1, false},
    {"two", 2, false},
    {"three", 3, false},
    {"four", 4, false},
    {"five", 5, false},
    {"six", 6, false},
    {"seven", 7, false},
    {"eight", 8, false},
    {"nine", 9, false},
    {"ten", 10, false},
    {"eleven", 11, false},
    {"twelve", 12, false},
    {"dozen", 12, false},
    {"thirteen", 13, false},
    {"fourteen", 14, false},
    {"fifteen", 15, false},
    {"sixteen", 16, false},
    {"seventeen", 17, false},
    {"eighteen", 18, false},
    {"nineteen", 19, false},
    {"twenty", 20, false},
    {"thirty", 30, false},
    {"forty", 40, false},
    {"fifty", 50, false},
    {"sixty", 60, false},
    {"seventy", 70, false},
    {"eighty", 80, false},
    {"ninety", 90, false},
    {"hundred", 100, false},
    {"first", 1, true},
    {"second", 2, true},
    {"third", 3, true},
    {"fourth", 4, true},
    {"fifth", 5, true},
    {"sixth", 6, true},
    {"seventh", 7, true},
    {"eighth", 8, true},
    {"ninth", 9, true},
    {"tenth", 10, true},
};

static const struct word_value *word_at(const char *text, size_t len, size_t *ret_len)
{
	size_t n = 0, i;

	while (n < len && (text[n] | 32) >= 'a' && (text[n] | 32) <= 'z')
		n++;
	for (i = 0; n && i < ARRAY_SIZE(number_words); i++)
		if (strlen(number_words[i].word) == n &&
		    !strncasecmp(number_words[i].word, text, n)) {
			*ret_len = n;
			return &number_words[i];
		}
	return NULL;
}

/* "two hundred and five", "twenty-three"; a lone ordinal is marked as one. */
static bool parse_words(const char *text, size_t len, struct numeral *r)
{
	const struct word_value *w;
	size_t at = 0, n, gap = 0;
	int64_t previous = 0;

	while ((w = word_at(text + at + gap, len - at - gap, &n))) {
		if (at && !(w->value == 100 && previous < 100) &&
		    !(previous >= 100 && w->value < 100) &&
		    !(previous >= 20 && previous < 100 && w->value && w->value < 10))
			break;
		if (at && (w->ordinal || r->is_ordinal))
			break;
		r->digits = w->value == 100 && at ? r->digits * 100 : r->digits + w->value;
		r->is_ordinal = w->ordinal;
		previous = w->value;
		at += gap + n;
		gap = 0;
		while (at + gap < len && (text[at + gap] == ' ' || text[at + gap] == '-'))
			gap++;
		if (previous >= 100 && len - at - gap > 4 &&
		    !strncasecmp(text + at + gap, "and ", 4))
			gap += 4;
		if (!gap)
			break;
	}
	r->is_word = true;
	r->len = (uint32_t)at;
	return at > 0;
}

static int zh_digit(uint32_t cp)
{
	static const uint32_t digits[] = {
	    0x96F6, 0x4E00, 0x4E8C, 0x4E09, 0x56DB, 0x4E94, 0x516D, 0x4E03, 0x516B, 0x4E5D};
	int i;

	if (cp == 0x4E24) /* 两 */
		return 2;
	if (cp == 0x3007) /* 〇 */
		return 0;
	for (i = 0; i < 10; i++)
		if (digits[i] == cp)
			return i;
	return -1;
}

static int64_t zh_factor(uint32_t cp)
{
	switch (cp) {
	case 0x5341: return 10;        /* 十 */
	case 0x767E: return 100;       /* 百 */
	case 0x5343: return 1000;      /* 千 */
	case 0x4E07: return 10000;     /* 万 */
	case 0x4EBF: return 100000000; /* 亿 */
	default: return 0;
	}
}

static bool zh_continues(const char *text, size_t len)
{
	size_t n;
	uint32_t cp = char_at(text, len, &n);

	return zh_digit(cp) >= 0 || cp == 0x5341;
}

/* 一百二十三, 两千, 三千五百 (万 left to the unit), 一亿两千万 (whole), 二〇二三.
 * A 万 or 亿 is part of the number only if more of the number follows, or a
 * greater one stands before it. */
static bool parse_chinese(const char *text, size_t len, struct numeral *r)
{
	int64_t total = 0, section = 0, factor;
	size_t at = 0, n, count = 0;
	int d, digit = -1, run = 0;
	uint32_t cp;

	while (at < len) {
		cp = char_at(text + at, len - at, &n);
		d = zh_digit(cp);
		factor = zh_factor(cp);
		if (d >= 0) {
			digit = run ? digit * 10 + d : d;
			if (++run > 9)
				return false;
		} else if (factor >= 10000) {
			if (!count || (!total && !zh_continues(text + at + n, len - at - n)))
				break;
			section = (section + (digit > 0 ? digit : 0)) * factor;
			total += section;
			section = 0;
			digit = -1;
			run = 0;
		} else if (factor) {
			if (digit < 0 && factor != 10)
				break;
			section += (digit < 0 ? 1 : digit) * factor;
			digit = -1;
			run = 0;
		} else {
			break;
		}
		at += n;
		count++;
	}
	if (!count || total > INT64_MAX / 10)
		return false;
	r->digits = total + section + (digit > 0 ? digit : 0);
	r->is_word = true;
	r->len = (uint32_t)at;
	return true;
}

bool numeral_parse(const char *text, size_t len, struct numeral *ret_numeral)
{
	struct numeral r = {0};

	if (!parse_digits(text, len, &r)) {
		r = (struct numeral){0};
		if (!parse_words(text, len, &r)) {
			r = (struct numeral){0};
			if (!parse_chinese(text, len, &r))
				return false;
		}
	}
	*ret_numeral = r;
	return true;
}

double numeral_as_double(int64_t digits, int32_t scale)
{
	double v = (double)digits, p = 1;
	int32_t i, n = scale < 0 ? -scale : scale;

	for (i = 0; i < n && i < 400; i++)
		p *= 10;
	return scale < 0 ? v * p : v / p;
}

/* Finding numbers in text, and the set of those that are allowed. */
#include "verify_agent/numbers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/hash.h"
#include "common/base/utf8.h"
#include "verify_agent/decimal.h"

#define NUMBER_MAX 128

void numbers_init(struct numbers *n, struct arena *a)
{
	*n = (struct numbers){.a = a};
}

/* 0..9 for a decimal digit of a script that people use, else -1. */
static int digit_of(uint32_t cp)
{
	static const uint32_t zeros[] = {0x0030, 0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10};
	for (size_t i = 0; i < ARRAY_SIZE(zeros); i++) {
		if (cp >= zeros[i] && cp <= zeros[i] + 9) {
			return (int)(cp - zeros[i]);
		}
	}
	if (cp >= 0x1d7ce && cp <= 0x1d7ff) { /* mathematical digits */
		return (int)((cp - 0x1d7ce) % 10);
	}
	return -1;
}

/* Characters that are numbers by themselves: circled, Roman, fractions, super-
 * and subscripts. They are never written by code. */
static bool is_number_sign(uint32_t cp)
{
	return (cp >= 0x2460 && cp <= 0x249b) || (cp >= 0x2776 && cp <= 0x2793) ||
	    (cp >= 0x2150 && cp <= 0x2189) || (cp >= 0x2070 && cp <= 0x2089) || cp == 0xb2 ||
	    cp == 0xb3 || cp == 0xb9 || (cp >= 0xbc && cp <= 0xbe) ||
	    (cp >= 0x3220 && cp <= 0x3229) || (cp >= 0x3280 && cp <= 0x3289);
}

static bool is_separator(uint32_t cp)
{
	return cp == '.' || cp == ',' || cp == 0xff0e || cp == 0xff0c || cp == 0x066b ||
	    cp == 0x066c;
}

static uint32_t peek(const char *s, size_t len, size_t at, size_t *ret_n)
{
	uint32_t cp = 0;
	*ret_n = at < len ? utf8_next(s + at, len - at, &cp) : 0;
	return cp;
}

/* The next number at or after *at in a plain form: ASCII digits, '.', exponent;
 * commas are left out. False if there is none. Numbers longer than the buffer
 * come in pieces, of which each must be allowed. */
static bool next_number(const char *s, size_t len, size_t *at, char out[NUMBER_MAX])
{
	size_t n, used = 0;
	uint32_t cp = peek(s, len, *at, &n);
	while (n && digit_of(cp) < 0 && !is_number_sign(cp)) {
		*at += n;
		cp = peek(s, len, *at, &n);
	}
	if (!n) {
		return false;
	}
	if (digit_of(cp) < 0) {
		used = utf8_encode(cp, out);
		*at += n;
		out[used] = '\0';
		return true;
	}
	while (n && used + 3 < NUMBER_MAX) {
		size_t n2;
		uint32_t ahead = peek(s, len, *at + n, &n2);
		if (digit_of(cp) >= 0) {
			out[used++] = (char)('0' + digit_of(cp));
		} else if (is_separator(cp) && n2 && digit_of(ahead) >= 0) {
			bool point = cp == '.' || cp == 0xff0e || cp == 0x066b;
			if (point) {
				out[used++] = '.';
			}
		} else if ((cp == 'e' || cp == 'E') && n2 &&
		    (digit_of(ahead) >= 0 ||
		        ((ahead == '+' || ahead == '-') && *at + 2 < len &&
		            isdigit((unsigned char)s[*at + 2])))) {
			out[used++] = 'e';
			if (digit_of(ahead) < 0) {
				out[used++] = (char)ahead;
				*at += n2;
			}
		} else {
			break;
		}
		*at += n;
		cp = peek(s, len, *at, &n);
	}
	out[used] = '\0';
	return true;
}

/* One spelling for one number: 1.50, 1.5 and 15e-1 are the same. */
static const char *normal_form(const char *number, char buf[DECIMAL_TEXT_MAX])
{
	struct decimal d;
	return decimal_parse(number, &d) ? decimal_print(d, buf) : number;
}

/* Slot of the key, or the free one where it belongs. */
static size_t slot_of(const struct numbers *n, const char *key)
{
	size_t i = (size_t)hash64(key, strlen(key), 0) & (n->n_slots - 1);
	while (n->slots[i] && strcmp(n->slots[i], key) != 0) {
		i = (i + 1) & (n->n_slots - 1);
	}
	return i;
}

static bool is_allowed(const struct numbers *n, const char *number)
{
	char buf[DECIMAL_TEXT_MAX];
	return n->n_slots && n->slots[slot_of(n, normal_form(number, buf))];
}

static void grow(struct numbers *n)
{
	struct numbers old = *n;
	n->n_slots = old.n_slots ? 2 * old.n_slots : 64;
	n->slots = arena_new_array(n->a, n->n_slots, const char *);
	for (size_t i = 0; i < old.n_slots; i++) {
		if (old.slots[i]) {
			n->slots[slot_of(n, old.slots[i])] = old.slots[i];
		}
	}
}

static void add_number(struct numbers *n, const char *number)
{
	char buf[DECIMAL_TEXT_MAX];
	const char *key = normal_form(number, buf);
	if (2 * n->n >= n->n_slots) {
		grow(n);
	}
	size_t i = slot_of(n, key);
	if (!n->slots[i]) {
		n->slots[i] = arena_strdup(n->a, key);
		n->n++;
	}
}

void numbers_allow(struct numbers *n, const char *text)
{
	char number[NUMBER_MAX];
	size_t at = 0, len = strlen(text);
	while (next_number(text, len, &at, number)) {
		add_number(n, number);
	}
}

void numbers_allow_count(struct numbers *n, size_t count)
{
	numbers_allow(n, arena_printf(n->a, "%zu", count));
}

const char *numbers_rounded(struct arena *a, double v)
{
	char text[64];
	double size = v < 0 ? -v : v;
	if (size < 1 || size >= 1e15) {
		snprintf(text, sizeof(text), size < 1 ? "%.6g" : "%.15g", v);
		return arena_strdup(a, text);
	}
	snprintf(text, sizeof(text), "%.6f", v);
	size_t n = strlen(text);
	while (text[n - 1] == '0') {
		n--;
	}
	return arena_strndup(a, text, text[n - 1] == '.' ? n - 1 : n);
}

void numbers_allow_result(struct numbers *n, const struct resultset *r)
{
	struct strbuf b;
	strbuf_init(&b, 128 * 1024);
	for (size_t i = 0; i < r->n_rows * r->n_columns; i++) {
		strbuf_clear(&b);
		value_print(&b, &r->cells[i]);
		numbers_allow(n, b.data);
		if (r->cells[i].type == VALUE_REAL) {
			numbers_allow(n, numbers_rounded(n->a, r->cells[i].r));
		}
	}
	for (size_t i = 0; i < r->n_columns; i++) {
		numbers_allow(n, r->columns[i].name);
	}
	numbers_allow_count(n, r->n_rows);
	strbuf_done(&b);
}

bool numbers_check(const struct numbers *n, const char *text, const char **ret_bad)
{
	char number[NUMBER_MAX];
	size_t at = 0, len = strlen(text);
	while (next_number(text, len, &at, number)) {
		if (!is_allowed(n, number)) {
			*ret_bad = arena_strdup(n->a, number);
			return false;
		}
	}
	return true;
}

/* --- number words ------------------------------------------------------------------- */

static const char *const english_words[] = {"zero", "one", "two", "three", "four", "five", "six",
    "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
    "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty",
    "seventy", "eighty", "ninety", "hundred", "thousand", "million", "billion", "trillion", "dozen",
    "half", "third", "quarter", "twice", "double", "triple", "hundreds", "thousands", "millions",
    "billions", "dozens", "once", "thrice", "first", "second", "fourth", "fifth", "tenth", "none"};

static bool is_english_number(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(english_words); i++) {
		if (strlen(english_words[i]) == len &&
		    strncasecmp(english_words[i], word, len) == 0) {
			return true;
		}
	}
	return false;
}

/* Words in which 一 and the like count nothing. */
static size_t idiom_len(const char *s, size_t len)
{
	static const char *const idioms[] = {"一共", "一般", "一直", "一样", "一致", "一定", "一起",
	    "一些", "统一", "唯一", "万一", "百分比", "千万不要"};
	for (size_t i = 0; i < ARRAY_SIZE(idioms); i++) {
		size_t n = strlen(idioms[i]);
		if (n <= len && memcmp(s, idioms[i], n) == 0) {
			return n;
		}
	}
	return 0;
}

static bool is_cjk_number(uint32_t cp)
{
	static const uint32_t signs[] = {0x96f6, 0x3007, 0x4e00, 0x4e8c, 0x4e09, 0x56db, 0x4e94,
	    0x516d, 0x4e03, 0x516b, 0x4e5d, 0x5341, 0x767e, 0x5343, 0x4e07, 0x842c, 0x4ebf, 0x5104,
	    0x4e24, 0x5169, 0x534a, 0x58f9, 0x8d30, 0x53c1, 0x8086, 0x4f0d, 0x9646, 0x67d2, 0x634c,
	    0x7396, 0x62fe, 0x4f70, 0x4edf};
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (cp == signs[i]) {
			return true;
		}
	}
	return false;
}

bool numbers_has_any(struct arena *a, const char *text, size_t len, const char **ret_word)
{
	size_t at = 0, n;
	while (at < len) {
		size_t skip = idiom_len(text + at, len - at);
		uint32_t cp = peek(text, len, at, &n);
		size_t word = 0;
		while (at + word < len && isalpha((unsigned char)text[at + word])) {
			word++;
		}
		if (skip) {
			n = skip;
		} else if (digit_of(cp) >= 0 || is_number_sign(cp) || is_cjk_number(cp)) {
			*ret_word = arena_strndup(a, text + at, n);
			return true;
		} else if (word) {
			if (is_english_number(text + at, word)) {
				*ret_word = arena_strndup(a, text + at, word);
				return true;
			}
			n = word;
		}
		at += n;
	}
	return false;
}

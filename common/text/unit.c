/* Magnitude words are few and fixed, base units are a data file; both are read
 * greedily, longest spelling first. */
#include "common/text/unit.h"

#include <string.h>
#include <strings.h>

#include "common/text/lexicon_tables.h"

struct magnitude {
	const char *word;
	int32_t power;
	bool attached;
};

/* attached: only directly behind the number ("10k"). Case matters there. */
static const struct magnitude magnitudes[] = {
    {"万亿", 12, false},
    {"千亿", 11, false},
    {"百亿", 10, false},
    {"十亿", 9, false},
    {"亿", 8, false},
    {"千万", 7, false},
    {"百万", 6, false},
    {"十万", 5, false},
    {"万", 4, false},
    {"千", 3, false},
    {"百", 2, false},
    {"thousand", 3, false},
    {"million", 6, false},
    {"millions", 6, false},
    {"billion", 9, false},
    {"billions", 9, false},
    {"trillion", 12, false},
    {"mn", 6, false},
    {"mln", 6, false},
    {"bn", 9, false},
    {"bln", 9, false},
    {"trn", 12, false},
    {"k", 3, true},
    {"K", 3, true},
    {"M", 6, true},
    {"B", 9, true},
    {"w", 4, true},
    {"W", 4, true},
};

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Bytes of `word` at the start of text, ending at a word boundary; 0 if not. */
static size_t word_len(const char *text, size_t len, const char *word, bool exact_case)
{
	size_t n;

	/* Most words end at their first byte: letters differ by more than their case. */
	if (len == 0 || ((text[0] ^ word[0]) & ~32) != 0)
		return 0;
	n = strlen(word);
	if (n > len || (exact_case ? strncmp(text, word, n) : strncasecmp(text, word, n)))
		return 0;
	if (is_letter(word[n - 1]) && n < len &&
	    (is_letter(text[n]) || (text[n] >= '0' && text[n] <= '9')))
		return 0;
	return n;
}

static size_t blanks(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (text[n] == ' ' || text[n] == '\t' || text[n] == '-'))
		n++;
	return n;
}

static size_t read_magnitude(const char *text, size_t len, bool at_start, int32_t *ret_power)
{
	size_t gap = blanks(text, len), i, n, best = 0;

	for (i = 0; i < ARRAY_SIZE(magnitudes); i++) {
		const struct magnitude *m = &magnitudes[i];

		if (m->attached && (gap || !at_start))
			continue;
		n = word_len(text + gap, len - gap, m->word, m->attached);
		if (n && gap + n > best) {
			best = gap + n;
			*ret_power = m->power;
		}
	}
	return best;
}

static size_t read_base(const char *text, size_t len, const char **ret_base)
{
	size_t gap = blanks(text, len), i, n, best = 0;
	bool spaced;

	for (i = 0; i < lexicon_table_units.n; i++) {
		const struct lexicon_row *row = &lexicon_table_units.rows[i];

		n = word_len(text + gap, len - gap, row->key, false);
		/* A lone letter is a unit only right behind the number ("5m"). */
		spaced = gap && strlen(row->key) == 1 && is_letter(row->key[0]);
		if (n && !spaced && gap + n > best) {
			best = gap + n;
			*ret_base = row->value;
		}
	}
	return best;
}

/* "of" and "in" between magnitude and base: "millions of yuan". */
static size_t read_of(const char *text, size_t len)
{
	size_t gap = blanks(text, len);

	return gap && len - gap > 3 && !strncasecmp(text + gap, "of ", 3) ? gap + 2 : 0;
}

bool unit_parse(const char *text, size_t len, struct unit *ret_unit)
{
	struct unit u = {"", 0, 0};
	const char *base = NULL;
	size_t at = 0, n, of;
	int32_t power = 0;

	while ((n = read_magnitude(text + at, len - at, at == 0, &power))) {
		u.magnitude += power;
		at += n;
	}
	of = at ? read_of(text + at, len - at) : 0;
	n = read_base(text + at + of, len - at - of, &base);
	if (n) {
		u.base = base;
		at += of + n;
	}
	u.len = (uint32_t)at;
	if (!at)
		return false;
	*ret_unit = u;
	return true;
}

void unit_parse_all(struct arena *a, const char *text, struct unit *ret_unit)
{
	size_t len = strlen(text), at = 0, n, of;
	struct unit u = {"", 0, 0};
	const char *base = NULL;
	int32_t power = 0;

	while ((n = read_magnitude(text + at, len - at, false, &power))) {
		u.magnitude += power;
		at += n;
	}
	of = at ? read_of(text + at, len - at) : 0;
	at += of;
	at += blanks(text + at, len - at);
	n = at < len ? read_base(text + at, len - at, &base) : 0;
	if (n && at + n == len)
		u.base = base;
	else if (at < len)
		u.base = arena_strdup(a, text + at);
	u.len = (uint32_t)len;
	*ret_unit = u;
}

/* Replaces a base by its root, adding the power. */
static const char *root_of(const char *base, int32_t *power)
{
	const struct lexicon_row *row;
	const char *s;
	int32_t p = 0;
	bool minus;

	if (!lexicon_find(&lexicon_table_unit_powers, base, &row))
		return base;
	s = row->value;
	minus = *s == '-';
	for (s += minus; *s >= '0' && *s <= '9'; s++)
		p = p * 10 + (*s - '0');
	*power += minus ? -p : p;
	return s + 1;
}

bool unit_power(const struct unit *from, const struct unit *to, int32_t *ret_power)
{
	int32_t a = from->magnitude, b = to->magnitude;
	const char *base_a, *base_b;

	if (!*from->base || !*to->base || !strcmp(from->base, to->base)) {
		*ret_power = a - b;
		return true;
	}
	base_a = root_of(from->base, &a);
	base_b = root_of(to->base, &b);
	if (strcasecmp(base_a, base_b))
		return false;
	*ret_power = a - b;
	return true;
}

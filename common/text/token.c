/* Tokeniser: one pass, folding each character first, so that full-width and
 * plain forms are cut alike. */
#include "common/text/token.h"

#include <string.h>

#include "common/base/utf8.h"
#include "common/text/lemma.h"

#define QUOTED_MAX 400

enum char_class { CHAR_SPACE, CHAR_LETTER, CHAR_DIGIT, CHAR_CJK, CHAR_PUNCT };

struct scan {
	struct arena *arena;
	const char *text;
	size_t len, at;
	bool quotes, begins_sentence;
	struct token_list *out;
};

static uint32_t fold(uint32_t cp)
{
	if (cp >= 0xFF01 && cp <= 0xFF5E)
		return cp - 0xFEE0;
	if (cp == 0x3000 || cp == 0xA0)
		return ' ';
	if (cp == 0x2018 || cp == 0x2019)
		return '\'';
	return cp;
}

/* Zero-width and direction marks: no reader sees them, so they cut no word and
 * are no part of one. */
static bool is_invisible(uint32_t cp)
{
	return cp == 0xAD || cp == 0x61C || cp == 0x180E || cp == 0xFEFF ||
	    (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x202A && cp <= 0x202E) ||
	    (cp >= 0x2060 && cp <= 0x206F) || (cp >= 0xFE00 && cp <= 0xFE0F);
}

static enum char_class classify(uint32_t cp)
{
	if (is_invisible(cp))
		return CHAR_SPACE;
	if (cp < 0x80) {
		if (cp <= ' ')
			return CHAR_SPACE;
		if (cp >= '0' && cp <= '9')
			return CHAR_DIGIT;
		if ((cp | 32) >= 'a' && (cp | 32) <= 'z')
			return CHAR_LETTER;
		return CHAR_PUNCT;
	}
	if (cp < 0xC0 || cp == 0xD7 || cp == 0xF7 || (cp >= 0x2000 && cp <= 0x2BFF))
		return CHAR_PUNCT;
	if ((cp >= 0x3000 && cp <= 0x3004) || (cp >= 0x3008 && cp <= 0x3020) ||
	    (cp >= 0xFE10 && cp <= 0xFE6F) || (cp >= 0x1F000 && cp <= 0x1FAFF) ||
	    (cp >= 0xFF5F && cp <= 0xFF65) || cp == 0xFFFD)
		return CHAR_PUNCT;
	if (utf8_cp_is_cjk(cp))
		return CHAR_CJK;
	return CHAR_LETTER;
}

/* Folded character at byte `at`; 0 at the end. */
static uint32_t peek(const struct scan *s, size_t at, size_t *ret_len)
{
	uint32_t cp;

	*ret_len = 0;
	if (at >= s->len)
		return 0;
	*ret_len = utf8_next(s->text + at, s->len - at, &cp);
	return fold(cp);
}

static enum char_class class_at(const struct scan *s, size_t at)
{
	size_t n;
	uint32_t cp = peek(s, at, &n);

	return n ? classify(cp) : CHAR_SPACE;
}

static const char *normalise(struct arena *a, const char *text, size_t len, bool keep_commas)
{
	char *out = arena_alloc(a, len * 2 + 1), *p = out;
	size_t at = 0;
	uint32_t cp;

	while (at < len) {
		at += utf8_next(text + at, len - at, &cp);
		cp = utf8_cp_lower(fold(cp));
		if ((cp == ',' && !keep_commas) || is_invisible(cp))
			continue;
		p += utf8_encode(cp, p);
	}
	*p = '\0';
	return out;
}

static struct token *push(struct scan *s, enum token_kind kind, size_t start, size_t end)
{
	struct token *t = arena_push(s->arena, s->out->items, s->out->n);

	t->kind = kind;
	t->start = t->inner_start = (uint32_t)start;
	t->len = t->inner_len = (uint32_t)(end - start);
	t->norm = normalise(s->arena, s->text + start, end - start, kind != TOKEN_NUMBER);
	t->lemma = t->norm;
	t->begins_sentence = s->begins_sentence;
	s->begins_sentence = false;
	s->at = end;
	return t;
}

static bool three_digits_follow(const struct scan *s, size_t at)
{
	size_t n;
	int i;

	for (i = 0; i < 3; i++) {
		if (classify(peek(s, at, &n)) != CHAR_DIGIT || !n)
			return false;
		at += n;
	}
	return class_at(s, at) != CHAR_DIGIT;
}

static void scan_number(struct scan *s)
{
	size_t start = s->at, at = s->at, n;
	bool point = false;
	uint32_t cp;

	for (;;) {
		cp = peek(s, at, &n);
		if (n &&
		    (classify(cp) == CHAR_DIGIT ||
		        (is_invisible(cp) && class_at(s, at + n) == CHAR_DIGIT)))
			at += n;
		else if (cp == ',' && !point && three_digits_follow(s, at + n))
			at += n;
		else if (cp == '.' && !point && class_at(s, at + n) == CHAR_DIGIT)
			at += n, point = true;
		else
			break;
	}
	push(s, TOKEN_NUMBER, start, at);
}

static bool is_upper(uint32_t cp)
{
	return utf8_cp_lower(cp) != cp;
}

/* True if an apostrophe at `at` is the possessive 's (or the bare ' of a plural). */
static bool is_possessive(const struct scan *s, size_t at, size_t apostrophe_len, size_t *ret_len)
{
	size_t n;
	uint32_t cp = peek(s, at + apostrophe_len, &n);

	if ((cp == 's' || cp == 'S') && class_at(s, at + apostrophe_len + n) != CHAR_LETTER) {
		*ret_len = apostrophe_len + n;
		return true;
	}
	*ret_len = apostrophe_len;
	return at > 0 && (s->text[at - 1] | 32) == 's' && (!n || classify(cp) == CHAR_SPACE) &&
	    s->quotes;
}

static void scan_word(struct scan *s)
{
	size_t start = s->at, at = s->at, n, first_len, letters = 0, uppers = 0, suffix = 0;
	struct token *t;
	char lemma[LEMMA_MAX];
	uint32_t cp, first = peek(s, at, &first_len);

	for (;;) {
		cp = peek(s, at, &n);
		if (n && classify(cp) == CHAR_LETTER) {
			letters++;
			uppers += is_upper(cp);
		} else if (n && is_invisible(cp) && class_at(s, at + n) == CHAR_LETTER) {
			; /* inside a word */
		} else if (cp != '\'' || is_possessive(s, at, n, &suffix) ||
		    class_at(s, at + n) != CHAR_LETTER) {
			break;
		}
		at += n;
	}
	if (cp != '\'' || !is_possessive(s, at, n, &suffix))
		suffix = 0;
	t = push(s, TOKEN_WORD, start, at);
	t->capital = is_upper(first);
	t->all_capitals = letters > 1 && uppers == letters;
	lemma_of(t->norm, lemma);
	if (strcmp(lemma, t->norm))
		t->lemma = arena_strdup(s->arena, lemma);
	if (suffix) {
		t = push(s, TOKEN_WORD, at, at + suffix);
		t->norm = t->lemma = "'s";
	}
}

static uint32_t closing_quote(uint32_t cp)
{
	static const uint32_t pairs[][2] = {
	    {'"', '"'},
	    {'\'', '\''},
	    {'`', '`'},
	    {0x201C, 0x201D},
	    {0x300C, 0x300D},
	    {0x300E, 0x300F},
	    {0x300A, 0x300B},
	    {0x3008, 0x3009},
	    {0xAB, 0xBB},
	    {0x201E, 0x201D},
	    {0x201D, 0x201D},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i][0] == cp)
			return pairs[i][1];
	return 0;
}

/* Reads quoted text if a quote that closes is here; plain apostrophes only
 * count between characters that are no letters. */
static bool scan_quoted(struct scan *s)
{
	size_t n, at, end_len;
	uint32_t open = peek(s, s->at, &n), close = closing_quote(open), cp;
	struct token *t;

	if (!close)
		return false;
	if (open == '\'' && s->at > 0 && class_at(s, s->at - 1) == CHAR_LETTER)
		return false;
	for (at = s->at + n; at < s->len && at - s->at <= QUOTED_MAX; at += end_len) {
		cp = peek(s, at, &end_len);
		if (cp == '\n')
			return false;
		if (cp != close || at == s->at + n)
			continue;
		if (close == '\'' &&
		    (class_at(s, at + end_len) == CHAR_LETTER ||
		        class_at(s, at + end_len) == CHAR_DIGIT))
			continue;
		t = arena_push(s->arena, s->out->items, s->out->n);
		t->kind = TOKEN_QUOTED;
		t->start = (uint32_t)s->at;
		t->len = (uint32_t)(at + end_len - s->at);
		t->inner_start = (uint32_t)(s->at + n);
		t->inner_len = (uint32_t)(at - s->at - n);
		t->norm = t->lemma = token_phrase_of(
		    s->arena, arena_strndup(s->arena, s->text + s->at + n, at - s->at - n));
		s->begins_sentence = false;
		s->at = at + end_len;
		return true;
	}
	return false;
}

static void scan_one(struct scan *s)
{
	size_t n;
	uint32_t cp = peek(s, s->at, &n);

	switch (classify(cp)) {
	case CHAR_SPACE: s->at += n; return;
	case CHAR_DIGIT: scan_number(s); return;
	case CHAR_LETTER: scan_word(s); return;
	case CHAR_CJK: push(s, TOKEN_CJK, s->at, s->at + n); return;
	case CHAR_PUNCT:
		if (s->quotes && scan_quoted(s))
			return;
		push(s, TOKEN_PUNCT, s->at, s->at + n);
		if (cp == '.' || cp == '?' || cp == '!' || cp == 0x3002)
			s->begins_sentence = true;
		return;
	}
}

void token_split(struct arena *a, const char *text, bool quotes, struct token_list *ret_tokens)
{
	struct scan s = {a, text, strlen(text), 0, quotes, true, ret_tokens};

	ret_tokens->items = NULL;
	ret_tokens->n = 0;
	while (s.at < s.len)
		scan_one(&s);
}

static const char *phrase(
    struct arena *a, const struct token_list *t, size_t from, size_t to, bool lemma)
{
	size_t i, size = 1, last = to;
	const struct token *prev = NULL;
	char *out, *p;

	for (i = from; i < to; i++) {
		size += strlen(t->items[i].norm) + strlen(t->items[i].lemma) + 1;
		if (t->items[i].kind != TOKEN_PUNCT)
			last = i;
	}
	out = p = arena_alloc(a, size);
	for (i = from; i < to; i++) {
		const struct token *k = &t->items[i];

		if (k->kind == TOKEN_PUNCT)
			continue;
		if (prev && prev->kind != TOKEN_CJK && k->kind != TOKEN_CJK)
			*p++ = ' ';
		p = stpcpy(p, lemma && i == last ? k->lemma : k->norm);
		prev = k;
	}
	return out;
}

const char *token_phrase(struct arena *a, const struct token_list *t, size_t from, size_t to)
{
	return phrase(a, t, from, to, false);
}

const char *token_phrase_lemma(struct arena *a, const struct token_list *t, size_t from, size_t to)
{
	return phrase(a, t, from, to, true);
}

const char *token_phrase_of(struct arena *a, const char *text)
{
	struct token_list t;

	token_split(a, text, false, &t);
	return token_phrase(a, &t, 0, t.n);
}

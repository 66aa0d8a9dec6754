/* Stored values with a spelling mistake, or without their accents. */
#include <string.h>

#include "common/base/utf8.h"
#include "common/text/lemma.h"
#include "common/text/lexicon.h"
#include "schema_agent/question.h"

#define TARGETS_MAX 12
#define SCORE_SPELLING 0.75f
#define SPELLING_MIN 6      /* letters; below: Maria and Marie are two */
#define SPELLING_MIN_TWO 10 /* for two wrong letters: Austria is not Australia */
#define SPELLING_BYTES_MAX 48

/* Without accents, and "oe" for "ö" like "o": Koeln, Koln and Köln are one. */
static bool fold_letters(const char *s, char out[SPELLING_BYTES_MAX])
{
	static const char plain[] = "aaaaaaaceeeeiiiidnooooo*ouuuuyts"
	                            "aaaaaaaceeeeiiiidnooooo/ouuuuyty";
	size_t n = 0, len = strlen(s), at = 0;
	uint32_t cp;

	if (len + 2 > SPELLING_BYTES_MAX)
		return false;
	while (at < len) {
		at += utf8_next(s + at, len - at, &cp);
		if (cp == 0xDF)
			out[n++] = 's';
		if (cp >= 0xC0 && cp <= 0xFF)
			cp = (unsigned char)plain[cp - 0xC0];
		if (cp >= 0x80)
			return false;
		if (cp == 'e' && n && strchr("aou", out[n - 1]))
			continue;
		out[n++] = (char)cp;
	}
	out[n] = '\0';
	return n > 0;
}

/* Letters wrong, missing or too many, at most two; 3: more. */
static unsigned edits(const char *a, const char *b)
{
	unsigned char row[SPELLING_BYTES_MAX + 1];
	size_t na = strlen(a), nb = strlen(b), i, k;

	if (na > nb + 2 || nb > na + 2)
		return 3;
	for (k = 0; k <= nb; k++)
		row[k] = (unsigned char)k;
	for (i = 1; i <= na; i++) {
		unsigned char diagonal = row[0];

		row[0] = (unsigned char)i;
		for (k = 1; k <= nb; k++) {
			unsigned char best = (unsigned char)(diagonal + (a[i - 1] != b[k - 1]));

			diagonal = row[k];
			if (best > diagonal + 1)
				best = (unsigned char)(diagonal + 1);
			if (best > row[k - 1] + 1)
				best = (unsigned char)(row[k - 1] + 1);
			row[k] = best;
		}
	}
	return row[nb] < 3 ? row[nb] : 3;
}

static bool is_misspelt(const char *said, const char *value)
{
	size_t n = strlen(said) > strlen(value) ? strlen(said) : strlen(value);
	unsigned wrong;

	if (said[0] != value[0])
		return false;
	wrong = edits(said, value);
	if (wrong == 0)
		return true;
	if (n < SPELLING_MIN)
		return false;
	return wrong == 1 || (wrong == 2 && n >= SPELLING_MIN_TWO) ||
	    lemma_is_misspelling(said, value);
}

bool question_value_spelling(
    struct question *q, uint32_t from, uint32_t to, struct candidate *ret_candidate)
{
	const char *phrase = token_phrase(q->arena, &q->tokens, from, to);
	char said[SPELLING_BYTES_MAX], value[SPELLING_BYTES_MAX];
	const char *first = NULL, *alias[1];
	struct candidate c = {.from = from,
	    .to = to,
	    .cls = CLASS_LOOSE,
	    .kind = SPAN_VALUE,
	    .quantity = TARGET_NONE,
	    .period = TARGET_NONE,
	    .open_term = TARGET_NONE};
	size_t i;

	/* A country that the lexicon knows is not another one misspelt. */
	if (!q->tokens.items[from].capital || !fold_letters(phrase, said) || strlen(said) < 4 ||
	    lexicon_value_aliases(phrase, alias, 1))
		return false;
	for (i = 0; i < q->ix->n_stored; i++) {
		const struct stored_value *s = &q->ix->stored[i];
		struct span_target t = {
		    s->table, s->column, TARGET_NONE, *s->value, SCORE_SPELLING, HOW_FUZZY};

		/* Most are out by their length (folding takes away, and may add one). */
		if (!q->in_scope[s->table] || strlen(s->phrase) + 3 < strlen(said) ||
		    strlen(s->phrase) > 2 * strlen(said) + 2 || !fold_letters(s->phrase, value) ||
		    !is_misspelt(said, value))
			continue;
		/* Two values that are as near: neither. */
		if (first && strcmp(first, s->phrase))
			return false;
		first = s->phrase;
		if (c.n_targets < TARGETS_MAX)
			candidate_target(q, &c, &t);
	}
	c.score = SCORE_SPELLING;
	*ret_candidate = c;
	return c.n_targets > 0;
}

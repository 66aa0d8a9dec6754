/* Inflection by rule. Irregular forms are a table of the lexicon's data; the
 * rules below cover the rest well enough for matching, not for writing. */
#include "common/text/lemma.h"

#include <string.h>

#include "common/text/lexicon.h"
#include "common/text/lexicon_tables.h"

static bool ends(const char *w, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);

	return n > m && !memcmp(w + n - m, suffix, m);
}

static bool is_vowel(char c)
{
	return c && strchr("aeiou", c);
}

/* Words that end in s and are no plural. */
static bool is_singular_in_s(const char *w, size_t n)
{
	return n < 4 || ends(w, n, "ss") || ends(w, n, "us") || ends(w, n, "is") ||
	    ends(w, n, "ics");
}

void lemma_of(const char *word, char out[LEMMA_MAX])
{
	const struct lexicon_row *row;
	size_t n = strlen(word);

	if (n >= LEMMA_MAX)
		n = LEMMA_MAX - 1;
	memcpy(out, word, n);
	out[n] = '\0';
	if (lexicon_find(&lexicon_table_irregular, out, &row)) {
		n = strlen(row->value);
		memcpy(out, row->value, n < LEMMA_MAX ? n + 1 : LEMMA_MAX);
		return;
	}
	if (n < 3 || out[n - 1] != 's' || is_singular_in_s(out, n))
		return;
	if (ends(out, n, "ies") && n > 4)
		strcpy(out + n - 3, "y");
	else if (ends(out, n, "sses") || ends(out, n, "xes") || ends(out, n, "ches") ||
	    ends(out, n, "shes") || ends(out, n, "zzes") || ends(out, n, "oes"))
		out[n - 2] = '\0';
	else
		out[n - 1] = '\0';
}

/* Undoes doubling ("stopp" -> "stop") and a lost e is not restored: both sides
 * of a comparison lose it. */
static void trim_stem(char *w)
{
	size_t n = strlen(w);

	if (n > 3 && w[n - 1] == w[n - 2] && !is_vowel(w[n - 1]) && !strchr("lsz", w[n - 1]))
		w[--n] = '\0';
	if (n > 3 && (w[n - 1] == 'e' || w[n - 1] == 'y'))
		w[n - 1] = '\0';
	else if (n > 3 && w[n - 1] == 'i')
		w[n - 1] = '\0';
}

void lemma_stem(const char *word, char out[LEMMA_MAX])
{
	static const char *const suffixes[] = {
	    "fulness",
	    "ousness",
	    "iveness",
	    "ments",
	    "ment",
	    "ness",
	    "ities",
	    "ity",
	    "ings",
	    "ing",
	    "ions",
	    "ion",
	    "ence",
	    "ance",
	    "able",
	    "ible",
	    "ally",
	    "ers",
	    "ors",
	    "ist",
	    "est",
	    "ial",
	    "ies",
	    "ied",
	    "ed",
	    "er",
	    "or",
	    "ly",
	    "al",
	    "ic",
	    "es",
	};
	size_t i, n;

	lemma_of(word, out);
	n = strlen(out);
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t m = strlen(suffixes[i]);

		if (n >= m + 3 && ends(out, n, suffixes[i])) {
			n -= m;
			out[n] = '\0';
			/* located and location, organize and organization */
			if (n >= 5 && ends(out, n, "at"))
				out[n - 2] = '\0';
			break;
		}
	}
	trim_stem(out);
}

bool lemma_is_misspelling(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), i = 0, tail = 0, shorter;

	if (na < 5 || nb < 5 || na > nb + 1 || nb > na + 1 || !strcmp(a, b))
		return false;
	shorter = na < nb ? na : nb;
	while (i < shorter && a[i] == b[i])
		i++;
	while (tail < shorter - i && a[na - 1 - tail] == b[nb - 1 - tail])
		tail++;
	if (na != nb)
		return i + tail == shorter;
	if (i + tail == na - 1)
		return true;
	return i + tail == na - 2 && a[i] == b[i + 1] && a[i + 1] == b[i];
}

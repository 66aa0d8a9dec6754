/* Look-ups in the compiled tables; see data/ for what is in them. */
#include "common/text/lexicon.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/text/lemma.h"
#include "common/text/lexicon_tables.h"
#include "common/text/numeral.h"

#define PATTERN_MAX 160
#define PATTERN_TOKENS 12
#define NUMBER_MAX 64

static size_t lower_bound(const struct lexicon_table *t, const char *key)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->rows[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* --- keys by hash: a question asks thousands of times, mostly for what is not there --- */

/* Open addressing, at most half full; a slot is 1 + the first row of a key. */
struct key_index {
	const struct lexicon_table *table;
	size_t longest; /* key */
	uint16_t *slots;
	size_t mask;
};

/* Those asked most come first. */
static struct key_index key_indexes[] = {
    {.table = &lexicon_table_synonyms},
    {.table = &lexicon_table_glossary},
    {.table = &lexicon_table_demonyms},
    {.table = &lexicon_table_stop},
    {.table = &lexicon_table_cues},
    {.table = &lexicon_table_attributes},
    {.table = &lexicon_table_columns},
    {.table = &lexicon_table_verbs},
    {.table = &lexicon_table_irregular},
    {.table = &lexicon_table_classifiers},
    {.table = &lexicon_table_abbreviations},
    {.table = &lexicon_table_generic},
};
static pthread_once_t key_indexes_once = PTHREAD_ONCE_INIT;

static void build_key_index(struct key_index *x)
{
	const struct lexicon_table *t = x->table;
	size_t n_slots = 16, i, len, at;

	while (n_slots < t->n * 2)
		n_slots *= 2;
	/* Without it (no memory, too many rows) the rows are searched. */
	x->slots = t->n < UINT16_MAX ? calloc(n_slots, sizeof(*x->slots)) : NULL;
	x->mask = n_slots - 1;
	for (i = 0; x->slots && i < t->n; i++) {
		if (i && !strcmp(t->rows[i].key, t->rows[i - 1].key))
			continue;
		len = strlen(t->rows[i].key);
		if (len > x->longest)
			x->longest = len;
		at = hash64(t->rows[i].key, len, 0) & x->mask;
		while (x->slots[at])
			at = (at + 1) & x->mask;
		x->slots[at] = (uint16_t)(i + 1);
	}
}

static void build_key_indexes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_indexes); i++)
		build_key_index(&key_indexes[i]);
}

/* First row with this key; t->n if there is none. */
static size_t first_row(const struct lexicon_table *t, const char *key)
{
	const struct key_index *x = key_indexes, *end = x + ARRAY_SIZE(key_indexes);
	size_t len, at;

	pthread_once(&key_indexes_once, build_key_indexes);
	while (x < end && x->table != t)
		x++;
	if (x == end || !x->slots) {
		at = lower_bound(t, key);
		return at < t->n && !strcmp(t->rows[at].key, key) ? at : t->n;
	}
	len = strlen(key);
	if (len > x->longest)
		return t->n;
	for (at = hash64(key, len, 0) & x->mask; x->slots[at]; at = (at + 1) & x->mask)
		if (!strcmp(t->rows[x->slots[at] - 1].key, key))
			return x->slots[at] - 1u;
	return t->n;
}

size_t lexicon_find(
    const struct lexicon_table *t, const char *key, const struct lexicon_row **ret_first)
{
	size_t first = first_row(t, key), n = 0;

	while (first + n < t->n && (!n || !strcmp(t->rows[first + n].key, key)))
		n++;
	if (n)
		*ret_first = &t->rows[first];
	return n;
}

/* Longest pattern of a table at a token. The phrase grows token by token; a
 * number may also be taken as the place holder {n}. */
struct match {
	const struct lexicon_table *table;
	const struct token_list *tokens;
	size_t first;
	size_t best_tokens;
	uint32_t best_number;
	const struct lexicon_row *best;
};

static bool has_prefix(const struct lexicon_table *t, const char *prefix)
{
	size_t at = lower_bound(t, prefix);

	return at < t->n && !strncmp(t->rows[at].key, prefix, strlen(prefix));
}

size_t lexicon_number_at(const struct token_list *t, size_t i, uint32_t *ret_number)
{
	char text[NUMBER_MAX] = "";
	struct numeral n;
	size_t len = 0, k, bytes = 0;

	for (k = i; k < t->n && k < i + 4 && t->items[k].kind == t->items[i].kind; k++) {
		if (len + strlen(t->items[k].norm) + 2 > sizeof(text))
			break;
		if (len && t->items[k].kind != TOKEN_CJK)
			text[len++] = ' ';
		len = (size_t)(stpcpy(text + len, t->items[k].norm) - text);
		if (t->items[k].kind == TOKEN_NUMBER)
			break;
	}
	if (!strcmp(t->items[i].norm, "one") || !numeral_parse(text, len, &n) || n.scale != 0 ||
	    n.digits < 1 || n.digits > 100000 || n.is_ordinal)
		return 0;
	*ret_number = (uint32_t)n.digits;
	for (k = i; bytes < n.len; k++)
		bytes += strlen(t->items[k].norm) + (t->items[k].kind == TOKEN_WORD && bytes != 0);
	return k - i;
}

static void grow(struct match *m, const char *so_far, size_t i, bool after_cjk, uint32_t number)
{
	char phrase[PATTERN_MAX];
	const struct token *t;
	const char *space;
	size_t n;
	uint32_t value;

	if (i >= m->tokens->n || i - m->first >= PATTERN_TOKENS)
		return;
	t = &m->tokens->items[i];
	if (t->kind == TOKEN_QUOTED || t->kind == TOKEN_PUNCT ||
	    strlen(so_far) + strlen(t->norm) + 8 > sizeof(phrase))
		return;
	space = i > m->first && !after_cjk ? " " : "";
	n = number ? 0 : lexicon_number_at(m->tokens, i, &value);
	if (n) {
		stpcpy(stpcpy(stpcpy(phrase, so_far), space), "{n}");
		if (lexicon_find(m->table, phrase, &m->best) && i + n - m->first > m->best_tokens) {
			m->best_tokens = i + n - m->first;
			m->best_number = value;
		}
		if (has_prefix(m->table, phrase))
			grow(m, phrase, i + n, false, value);
	}
	stpcpy(stpcpy(stpcpy(phrase, so_far), t->kind == TOKEN_CJK ? "" : space), t->norm);
	if (!has_prefix(m->table, phrase))
		return;
	if (i + 1 - m->first > m->best_tokens && lexicon_find(m->table, phrase, &m->best)) {
		m->best_tokens = i + 1 - m->first;
		m->best_number = number;
	}
	grow(m, phrase, i + 1, t->kind == TOKEN_CJK, number);
}

static bool longest(
    const struct lexicon_table *table, const struct token_list *t, size_t i, struct match *m)
{
	*m = (struct match){.table = table, .tokens = t, .first = i};
	grow(m, "", i, false, 0);
	return m->best_tokens > 0;
}

static enum cue_kind kind_of(const char *name, size_t len)
{
	unsigned k;

	for (k = 0; k < CUE_KIND_COUNT; k++) {
		const char *s = cue_kind_name((enum cue_kind)k);

		if (strlen(s) == len && !memcmp(s, name, len))
			return (enum cue_kind)k;
	}
	return CUE_NONE;
}

/* "most age, years | earliest birth date" */
static void read_hints(const char *value, struct lexicon_cue *cue)
{
	while (*value && cue->n_hints < ARRAY_SIZE(cue->hints)) {
		struct lexicon_hint *h = &cue->hints[cue->n_hints++];
		size_t word = strcspn(value, " ");

		h->kind = kind_of(value, strcspn(value, " :"));
		if (value[strcspn(value, " :")] == ':')
			cue->arg = (uint32_t)(value[word - 1] - '0');
		h->words = value + word + 1;
		h->len = strcspn(h->words, "|");
		value = h->words + h->len;
		value += strspn(value, "| ");
	}
	cue->kind = cue->hints[0].kind;
}

/* "gt", "than_avg:1", "most+count" */
static void read_kind(const char *value, struct lexicon_cue *cue)
{
	size_t len = strcspn(value, "+:");

	cue->kind = kind_of(value, len);
	if (value[len] == ':')
		cue->arg = (uint32_t)(value[len + 1] - '0');
	else if (value[len] == '+')
		cue->second = kind_of(value + len + 1, strlen(value + len + 1));
}

bool lexicon_cue_at(const struct token_list *t, size_t i, struct lexicon_cue *ret_cue)
{
	struct match plain, hinted;
	bool has_plain = longest(&lexicon_table_cues, t, i, &plain);
	bool has_hint = longest(&lexicon_table_attributes, t, i, &hinted);

	if (!has_plain && !has_hint)
		return false;
	memset(ret_cue, 0, sizeof(*ret_cue));
	if (has_hint && (!has_plain || hinted.best_tokens >= plain.best_tokens)) {
		ret_cue->n_tokens = hinted.best_tokens;
		read_hints(hinted.best->value, ret_cue);
	} else {
		ret_cue->n_tokens = plain.best_tokens;
		read_kind(plain.best->value, ret_cue);
		if (plain.best_number)
			ret_cue->arg = plain.best_number;
	}
	return true;
}

const char *lexicon_column_at(const struct token_list *t, size_t i, size_t *ret_n_tokens)
{
	struct match m;

	if (!longest(&lexicon_table_columns, t, i, &m))
		return NULL;
	*ret_n_tokens = m.best_tokens;
	return m.best->value;
}

static bool has(const struct lexicon_table *t, const char *word)
{
	const struct lexicon_row *row;

	return lexicon_find(t, word, &row) > 0;
}

const char *lexicon_time_verb(const char *word)
{
	const struct lexicon_row *row;

	return lexicon_find(&lexicon_table_time_verbs, word, &row) ? row->value : NULL;
}

const char *lexicon_row_verb(const char *word)
{
	const struct lexicon_row *row;

	return lexicon_find(&lexicon_table_row_verbs, word, &row) ? row->value : NULL;
}

const char *lexicon_measured(const char *cjk)
{
	const struct lexicon_row *row;

	return lexicon_find(&lexicon_table_measure_words, cjk, &row) ? row->value : NULL;
}

bool lexicon_is_stop(const char *word)
{
	return has(&lexicon_table_stop, word);
}

/* Undoes -ed and -ing ("located" -> "locat", "locate", "stopped" -> "stop"). */
static bool has_verb_form(const char *word, size_t cut)
{
	char base[LEMMA_MAX];
	size_t n = strlen(word);

	if (n < cut + 3 || n - cut + 2 > sizeof(base))
		return false;
	n -= cut;
	memcpy(base, word, n);
	base[n] = '\0';
	if (has(&lexicon_table_verbs, base))
		return true;
	if (n > 3 && base[n - 1] == base[n - 2]) {
		base[n - 1] = '\0';
		if (has(&lexicon_table_verbs, base))
			return true;
		base[n - 1] = base[n - 2];
	}
	if (base[n - 1] == 'i')
		base[n - 1] = 'y';
	else
		strcpy(base + n, "e");
	return has(&lexicon_table_verbs, base);
}

bool lexicon_is_relation_verb(const char *word)
{
	char lemma[LEMMA_MAX];
	size_t n = strlen(word);

	lemma_of(word, lemma);
	if (has(&lexicon_table_verbs, lemma))
		return true;
	if (n > 4 && !strcmp(word + n - 2, "ed"))
		return has_verb_form(word, 2);
	return n > 5 && !strcmp(word + n - 3, "ing") && has_verb_form(word, 3);
}

bool lexicon_is_classifier(const char *cjk)
{
	return has(&lexicon_table_classifiers, cjk);
}

bool lexicon_is_generic(const char *word)
{
	return has(&lexicon_table_generic, word);
}

const char *lexicon_expand(const char *word)
{
	const struct lexicon_row *row;

	return lexicon_find(&lexicon_table_abbreviations, word, &row) ? row->value : NULL;
}

static size_t values_of(
    const struct lexicon_table *t, const char *word, const char **out, size_t max)
{
	const struct lexicon_row *row;
	size_t n = lexicon_find(t, word, &row), i;

	for (i = 0; i < n && i < max; i++)
		out[i] = row[i].value;
	return i;
}

size_t lexicon_synonyms(const char *word, const char **out, size_t max)
{
	size_t n = values_of(&lexicon_table_synonyms, word, out, max);

	return n + values_of(&lexicon_table_glossary, word, out + n, max - n);
}

size_t lexicon_value_aliases(const char *word, const char **out, size_t max)
{
	return values_of(&lexicon_table_demonyms, word, out, max);
}

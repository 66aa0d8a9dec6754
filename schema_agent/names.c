/* See names.h. */
#include "schema_agent/names.h"

#include <string.h>
#include <strings.h>

#include "common/text/lemma.h"
#include "common/text/lexicon.h"

#define NAME_BYTES_MAX 200
#define PART_MIN 3

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* FName, LName, MName are abbreviations, not a prefix and a name. */
static bool is_name_initial(const char *s, size_t left)
{
	return left >= 5 && strchr("FLM", s[0]) && !strncasecmp(s + 1, "name", 4);
}

/* "StuID" -> "Stu ID", "HTTPServer" -> "HTTP Server", "a_b" -> "a b" */
static const char *open_up(struct arena *a, const char *name, size_t len)
{
	char *out = arena_alloc(a, len * 2 + 1), *p = out;
	size_t i;

	for (i = 0; i < len; i++) {
		char c = name[i], prev = i ? name[i - 1] : '\0',
		     next = i + 1 < len ? name[i + 1] : '\0';

		if (is_upper(c) && (is_lower(prev) || (is_upper(prev) && is_lower(next))) &&
		    !(i && is_name_initial(name + i - 1, len - i + 1)))
			*p++ = ' ';
		*p++ = c == '_' ? ' ' : c;
	}
	*p = '\0';
	return out;
}

static void add_word(struct name_words *w, const char *word)
{
	if (w->n < NAME_WORDS_MAX && *word)
		w->words[w->n++] = word;
}

/* Cuts "airportname" in two known words; the longest head wins. */
static bool unglue(struct arena *a, const char *word, name_known_fn *known, void *arg,
    const char **ret_head, const char **ret_tail)
{
	size_t n = strlen(word), cut;

	if (!known || n < 2 * PART_MIN || known(word, arg))
		return false;
	for (cut = n - 2; cut >= PART_MIN; cut--) {
		const char *head = arena_strndup(a, word, cut), *tail = word + cut;

		/* Two letters behind the cut only for the one that names need. */
		if (n - cut == 2 && strcmp(tail, "id"))
			continue;
		if (known(head, arg) && (n - cut == 2 || known(tail, arg))) {
			*ret_head = head;
			*ret_tail = tail;
			return true;
		}
	}
	return false;
}

static const char *lemma(struct arena *a, const char *word)
{
	char out[LEMMA_MAX];

	lemma_of(word, out);
	return arena_strdup(a, out);
}

/* Small words of a name: only "Of" alone would be a name. */
static bool is_small(const char *word)
{
	static const char *const small[] = {"of", "the", "and", "in", "for", "to", "by", "on", "at",
	    "a", "an", "is", "or", "with", "from", "s"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(small); i++)
		if (!strcmp(small[i], word))
			return true;
	return false;
}

static void add_token(
    struct arena *a, const struct token *t, name_known_fn *known, void *arg, struct name_words *w)
{
	const char *head, *tail;

	if (t->kind == TOKEN_WORD && unglue(a, t->norm, known, arg, &head, &tail)) {
		add_word(w, lemma(a, head));
		add_word(w, lemma(a, tail));
	} else {
		add_word(w, t->lemma);
	}
}

static void join(struct arena *a, struct name_words *w)
{
	size_t i, size = 1;
	char *glued;

	for (i = 0; i < w->n; i++)
		size += strlen(w->words[i]);
	glued = arena_alloc(a, size);
	for (i = 0, size = 0; i < w->n; i++)
		size = (size_t)(stpcpy(glued + size, w->words[i]) - glued);
	w->glued = glued;
}

/* A CJK name's words are its pairs of neighbouring characters. */
static void add_pairs(struct arena *a, const struct token_list *t, struct name_words *w)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		bool pair = i + 1 < t->n && t->items[i + 1].kind == TOKEN_CJK;

		if (t->items[i].kind != TOKEN_CJK) {
			if (t->items[i].kind != TOKEN_PUNCT)
				add_word(w, t->items[i].lemma);
		} else if (pair) {
			add_word(w, token_phrase(a, t, i, i + 2));
		} else if (t->n == 1) {
			add_word(w, t->items[i].norm);
		}
	}
}

void name_split(struct arena *a, const char *name, name_known_fn *known, void *arg,
    struct name_words *ret_words)
{
	struct name_words *w = ret_words;
	struct token_list t;
	size_t len = strlen(name), i;

	memset(w, 0, sizeof(*w));
	if (len > NAME_BYTES_MAX)
		len = NAME_BYTES_MAX;
	token_split(a, open_up(a, name, len), false, &t);
	for (i = 0; i < t.n; i++)
		w->is_cjk |= t.items[i].kind == TOKEN_CJK;
	if (w->is_cjk)
		add_pairs(a, &t, w);
	else
		for (i = 0; i < t.n; i++)
			if (t.items[i].kind != TOKEN_PUNCT &&
			    (t.n == 1 || !is_small(t.items[i].norm)))
				add_token(a, &t.items[i], known, arg, w);
	w->phrase = token_phrase(a, &t, 0, t.n);
	w->phrase_lemma = token_phrase_lemma(a, &t, 0, t.n);
	join(a, w);
}

bool name_expand(struct arena *a, const struct name_words *w, struct name_words *ret_words)
{
	struct name_words x = {0};
	struct token_list t;
	const char *full, *phrase = "";
	bool any = false;
	size_t i, k;

	if (w->is_cjk)
		return false;
	for (i = 0; i < w->n; i++) {
		full = lexicon_expand(w->words[i]);
		any |= full != NULL;
		token_split(a, full ? full : w->words[i], false, &t);
		for (k = 0; k < t.n; k++) {
			if (full && t.n > 1 && is_small(t.items[k].norm))
				continue;
			add_word(&x, t.items[k].lemma);
		}
		phrase = arena_printf(a, "%s%s%s", phrase, i ? " " : "", full ? full : w->words[i]);
	}
	if (!any)
		return false;
	x.phrase = x.phrase_lemma = phrase;
	join(a, &x);
	*ret_words = x;
	return true;
}

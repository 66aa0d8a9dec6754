/* Schema names and labels cut into words: at underscores, case changes, digits,
 * and inside glued words whose parts are known. */
#ifndef NLQ_SCHEMA_NAMES_H
#define NLQ_SCHEMA_NAMES_H

#include "common/text/token.h"

#define NAME_WORDS_MAX 16

struct name_words {
	const char *words[NAME_WORDS_MAX]; /* dictionary forms; CJK: pairs of characters */
	size_t n;
	bool is_cjk;        /* has CJK characters: matched as a whole text */
	const char *phrase; /* normal form of the whole name */
	const char *phrase_lemma;
	const char *glued; /* all words without blanks */
};

/* known(word, arg) says whether a part of a glued word is a word; may be NULL. */
typedef bool name_known_fn(const char *word, void *arg);

void name_split(struct arena *a, const char *name, name_known_fn *known, void *arg,
    struct name_words *ret_words);
/* The same name with abbreviations written out; false if it has none. */
bool name_expand(struct arena *a, const struct name_words *w, struct name_words *ret_words);

#endif

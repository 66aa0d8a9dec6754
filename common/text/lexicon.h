/*
 * Hand-written language knowledge, compiled from common/text/data into sorted
 * constant tables: cue phrases, adjectives that imply a column, synonyms,
 * abbreviations, demonyms, stop words. No file is read at run time.
 */
#ifndef NLQ_TEXT_LEXICON_H
#define NLQ_TEXT_LEXICON_H

#include "common/text/cue.h"
#include "common/text/token.h"

struct lexicon_row {
	const char *key, *value;
};
struct lexicon_table {
	const struct lexicon_row *rows;
	size_t n;
};

/* Rows with the key (lower case, phrase form), first row and count; 0 if none. */
size_t lexicon_find(
    const struct lexicon_table *t, const char *key, const struct lexicon_row **ret_first);

/* A column that an adjective implies: attribute words, comma separated. */
struct lexicon_hint {
	enum cue_kind kind; /* the cue's kind if the schema has one of these */
	const char *words;
	size_t len;
};

struct lexicon_cue {
	enum cue_kind kind;
	enum cue_kind second; /* "most common": MOST, then COUNT; else CUE_NONE */
	uint32_t arg;         /* value of {n} in the pattern, 1 of "than_avg:1", else 0 */
	size_t n_tokens;
	struct lexicon_hint hints[2]; /* "oldest": most age, or else earliest birth date */
	size_t n_hints;
};
/* Longest cue that starts at token i. Patterns may hold {n} for a number. */
bool lexicon_cue_at(const struct token_list *t, size_t i, struct lexicon_cue *ret_cue);

/* Tokens of a small whole number at token i ("five", 三十, 3); 0 if there is none.
 * "one" and ordinals do not count. */
size_t lexicon_number_at(const struct token_list *t, size_t i, uint32_t *ret_number);

/* Words that stand for a plain column ("how old"): attribute words, or NULL. */
const char *lexicon_column_at(const struct token_list *t, size_t i, size_t *ret_n_tokens);

/* Attributes of the time that a word beside a period means ("born": birth date,
 * ...), or NULL. */
const char *lexicon_time_verb(const char *word);

/* Things of which the verb says only that they are there ("placed": order, ...),
 * comma separated, or NULL. */
const char *lexicon_row_verb(const char *word);

/* What a Chinese measure word counts (家: company, ...), comma separated, or NULL. */
const char *lexicon_measured(const char *cjk);

bool lexicon_is_stop(const char *word); /* also auxiliaries and particles */
/* A verb (any regular form) that only says how two things hang together
 * ("performed", "located"). */
bool lexicon_is_relation_verb(const char *word);
bool lexicon_is_classifier(const char *cjk); /* 个 家 名 位 … */
bool lexicon_is_generic(const char *word);   /* id, name, code, 编号, 名称 … */
/* Expansion of a name's abbreviation ("qty" -> "quantity"), or NULL. */
const char *lexicon_expand(const char *word);
/* Words of the same meaning as the lemma or phrase, Chinese <-> English included,
 * at most max; returns how many. */
size_t lexicon_synonyms(const char *word, const char **out, size_t max);
/* Other spellings under which a value may be stored ("french" -> "france",
 * "france" -> "french"), at most max. */
size_t lexicon_value_aliases(const char *word, const char **out, size_t max);

#endif

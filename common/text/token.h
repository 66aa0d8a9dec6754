/*
 * Cuts a question (or a name, or a stored value) into tokens: words, numbers,
 * single CJK characters, quoted text, punctuation. Every token knows its bytes
 * in the original text and its normal form: lower case, full-width forms folded,
 * typographic apostrophes made plain.
 *
 * The same cutting is applied to questions, names and values, so two texts are
 * "the same but for case and punctuation" exactly if their phrase forms are
 * equal.
 */
#ifndef NLQ_TEXT_TOKEN_H
#define NLQ_TEXT_TOKEN_H

#include "common/base/arena.h"

enum token_kind {
	TOKEN_WORD,   /* letters of any script without CJK; "don't" is one word */
	TOKEN_NUMBER, /* 12, 1,234.5, full-width digits */
	TOKEN_CJK,    /* one character */
	TOKEN_QUOTED, /* quoted text with its quotes; norm is the phrase form inside */
	TOKEN_PUNCT,  /* one character */
};

struct token {
	enum token_kind kind;
	uint32_t start, len;             /* bytes of the text; QUOTED: with the quotes */
	uint32_t inner_start, inner_len; /* QUOTED: without them; else as above */
	const char *norm;
	const char *lemma; /* WORD: dictionary form; else the same as norm */
	bool capital;      /* WORD: begins with an upper-case letter */
	bool all_capitals; /* WORD of two or more letters, all upper case */
	bool begins_sentence;
};

struct token_list {
	struct token *items;
	size_t n;
};

/* quotes: recognise quoted text as one token (questions), else quotes are
 * punctuation (names and values). Everything lives in the arena. */
void token_split(struct arena *a, const char *text, bool quotes, struct token_list *ret_tokens);

/* The normal form of items[from..to): norms joined by one space, without spaces
 * beside CJK characters, punctuation left out. */
const char *token_phrase(struct arena *a, const struct token_list *t, size_t from, size_t to);
/* The same with the last word in its dictionary form. */
const char *token_phrase_lemma(struct arena *a, const struct token_list *t, size_t from, size_t to);
/* Phrase form of a whole text. */
const char *token_phrase_of(struct arena *a, const char *text);

#endif

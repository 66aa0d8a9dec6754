/*
 * The words of the dialect. Internal to common/sql: one table tells the lexer
 * which words are tokens and the printer which names need quotes.
 */
#ifndef NLQ_SQL_KEYWORD_H
#define NLQ_SQL_KEYWORD_H

#include "common/base/base.h"

struct sql_keyword {
	const char *name; /* upper case */
	int token;        /* of the grammar; TK_RESERVED if it has no use in a SELECT */
};

/* The keyword of that text (any case), or NULL: then it is a plain name. */
const struct sql_keyword *sql_keyword_find(const char *text, size_t len);
/* True if the text can be written as a name without quotes. */
bool sql_name_is_plain(const char *name);
/* The n-th keyword, NULL past the end. */
const struct sql_keyword *sql_keyword_at(size_t n);

#endif

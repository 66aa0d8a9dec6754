/*
 * What lexer, grammar and node makers share while one text is parsed.
 * Internal to common/sql.
 */
#ifndef NLQ_SQL_PARSE_H
#define NLQ_SQL_PARSE_H

#include "common/sql/sql.h"

struct sql_token {
	const char *start;
	uint32_t len;
	uint32_t line, col; /* 1-based; col counts characters */
};

struct sql_lexer {
	const char *text; /* NUL-terminated; no NUL before the end */
	const char *cursor;
	/* line and column of `mark`, at or before the cursor */
	const char *mark;
	uint32_t line, col;
};

/* The next token's number (0 at the end, -1 for what is no token). */
int sql_lex(struct sql_lexer *l, struct sql_token *ret_token);
/* Unquotes a name or a string; length without the NUL in *ret_len. */
char *sql_unquote(struct arena *a, const struct sql_token *t, size_t *ret_len);

struct sql_parser {
	struct arena *arena;
	struct sql_select *result;
	struct err *err;
	int rc;         /* first error, 0 */
	bool is_syntax; /* the error is the grammar's: parse.c words it */
};

/* Lemon's entry points. */
void sql_gramInit(void *yyp, struct sql_parser *p);
void sql_gramFinalize(void *yyp);
void *sql_gramAlloc(void *(*alloc)(size_t), struct sql_parser *p);
void sql_gram(void *yyp, int token, struct sql_token value);
void sql_gramFree(void *yyp, void (*release)(void *));
int sql_gramFallback(int token);
/* Tokens that could come next (0 is the end), in token order; returns how many. */
size_t sql_gram_expected(void *yyp, int *ret_tokens, size_t max);

/* Records the first error. */
void sql_parse_fail(struct sql_parser *p, enum err_code code, const struct sql_token *at,
    const char *fmt, ...) NLQ_PRINTF(4, 5);

/* Words what the grammar found and what could stand there: tokens[0..at] with
 * kinds, `at` being the one that does not fit (kind 0: the end). */
struct sql_lexed {
	int kind;
	struct sql_token token;
};
void sql_syntax_error(struct err *e, const struct sql_lexed *tokens, size_t at, const int *expected,
    size_t n_expected);

#endif

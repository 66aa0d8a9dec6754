/* Words a syntax error: what was found, what could stand there, and a hint
 * where the mistake is a usual one (a misspelt keyword, another engine's way). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"
#include "common/sql/keyword.h"
#include "common/sql/parse.h"
#include "sql_gram.h"

#define MAX_LISTED 8

static const struct {
	int token;
	const char *text;
} signs[] = {
    {TK_LP, "\"(\""},
    {TK_RP, "\")\""},
    {TK_COMMA, "\",\""},
    {TK_DOT, "\".\""},
    {TK_STAR, "\"*\""},
    {TK_STRING, "a string"},
    {TK_INTEGER, "a number"},
    {TK_ID, "a name"},
};

/* What starts an expression, beside names: not listed one by one. */
static const int starts_expr[] = {TK_NOT, TK_BITNOT, TK_MINUS, TK_PLUS, TK_LP, TK_NULL, TK_INTEGER,
    TK_FLOAT, TK_BLOB, TK_STRING, TK_CAST, TK_CASE, TK_EXISTS, TK_CTIME_KW, TK_ID, TK_INDEXED,
    TK_JOIN_KW, TK_PARAMETER};
/* What goes on with an expression. */
static const int continues_expr[] = {TK_AND, TK_OR, TK_NOT, TK_IS, TK_IN, TK_LIKE_KW, TK_MATCH,
    TK_BETWEEN, TK_ISNULL, TK_NOTNULL, TK_EQ, TK_NE, TK_LT, TK_LE, TK_GT, TK_GE, TK_BITAND,
    TK_BITOR, TK_LSHIFT, TK_RSHIFT, TK_PLUS, TK_MINUS, TK_STAR, TK_SLASH, TK_REM, TK_CONCAT, TK_PTR,
    TK_COLLATE};

static bool contains(const int *tokens, size_t n, int token)
{
	for (size_t i = 0; i < n; i++)
		if (tokens[i] == token)
			return true;
	return false;
}

/* The word or sign of a token, NULL if it has none. */
static const char *token_text(int token)
{
	const struct sql_keyword *k;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (signs[i].token == token)
			return signs[i].text;
	if (token == TK_JOIN_KW)
		return NULL; /* JOIN stands for all of them */
	for (size_t i = 0; (k = sql_keyword_at(i)) != NULL; i++)
		if (k->token == token && token != TK_RESERVED)
			return k->name;
	return NULL;
}

struct listing {
	char text[300];
	size_t len, n;
};

static void list_add(struct listing *l, const char *item)
{
	if (l->n++ >= MAX_LISTED)
		return;
	int n = snprintf(
	    l->text + l->len, sizeof(l->text) - l->len, "%s%s", l->len ? ", " : "", item);
	if (n > 0 && l->len + (size_t)n < sizeof(l->text))
		l->len += (size_t)n;
}

static void list_expected(struct listing *l, const int *expected, size_t n)
{
	bool is_expr = contains(expected, n, TK_INTEGER) && contains(expected, n, TK_ID);
	bool is_operator = contains(expected, n, TK_PLUS) && contains(expected, n, TK_IS);
	bool is_name = contains(expected, n, TK_ID);
	if (is_expr)
		list_add(l, "an expression");
	else if (is_name)
		list_add(l, "a name");
	/* Set operations can follow nearly everywhere: they come last. */
	for (size_t k = 0; k < 2 * n; k++) {
		int t = expected[k % n];
		bool is_set_op = t == TK_UNION || t == TK_EXCEPT || t == TK_INTERSECT;
		if (is_set_op != (k >= n))
			continue;
		/* Words that are names here anyway, and what was said already. */
		if ((is_name && (t == TK_ID || t == TK_STRING || sql_gramFallback(t) == TK_ID)) ||
		    (is_expr && contains(starts_expr, ARRAY_SIZE(starts_expr), t)) ||
		    (is_operator && contains(continues_expr, ARRAY_SIZE(continues_expr), t)))
			continue;
		const char *text = token_text(t);
		if (text)
			list_add(l, text);
	}
	if (is_operator)
		list_add(l, "an operator");
	if (contains(expected, n, 0))
		list_add(l, "the end");
}

static bool is_text(const struct sql_lexed *t, const char *word)
{
	return t->token.len == strlen(word) && strncasecmp(t->token.start, word, t->token.len) == 0;
}

/* Ways of other engines, by a word at the place of the error or just before it;
 * typed literals only where a string follows. */
static const struct {
	const char *word;
	const char *fix;
	bool before_string;
} foreign[] = {
    {"TOP", "write LIMIT n at the end instead of TOP n", false},
    {"FETCH", "write LIMIT n instead of FETCH FIRST n ROWS", false},
    {"ILIKE", "write LIKE: it does not tell upper from lower case", false},
    {"SIMILAR", "write LIKE or GLOB", false},
    {"RLIKE", "write LIKE or GLOB", false},
    {"EXTRACT", "write strftime('%Y', x) instead of EXTRACT(YEAR FROM x)", false},
    {"QUALIFY", "put the window function in a subquery and filter outside it", false},
    {"LATERAL", "put a correlated subquery in the select list instead of LATERAL", false},
    {"DIV", "write CAST(a / b AS INTEGER)", false},
    {"XOR", "write (a) <> (b)", false},
    {"DATE", "write a date as a string, '2023-01-31', and reckon with date(x, '+1 day')", true},
    {"TIMESTAMP", "write a time as a string, '2023-01-31 12:00:00'", true},
    {"INTERVAL", "reckon with date(x, '+1 day') instead of INTERVAL", true},
};

#define LOOK_BACK 3 /* tokens before the error that may be its cause */

static const char *foreign_fix(const struct sql_lexed *tokens, size_t at)
{
	for (size_t back = 0; back <= LOOK_BACK && back <= at; back++) {
		const struct sql_lexed *t = &tokens[at - back];
		for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
			if (is_text(t, foreign[i].word) &&
			    (!foreign[i].before_string ||
			        (back > 0 && tokens[at - back + 1].kind == TK_STRING)))
				return foreign[i].fix;
	}
	return NULL;
}

/* A name that is nearly a keyword. */
static const char *near_keyword(const struct sql_lexed *t)
{
	const char *names[150], *best[1];
	char word[24];
	const struct sql_keyword *k;
	size_t n = 0;
	if (t->kind != TK_ID || t->token.len < 3 || t->token.len >= sizeof(word))
		return NULL;
	memcpy(word, t->token.start, t->token.len);
	word[t->token.len] = '\0';
	for (size_t i = 0; (k = sql_keyword_at(i)) != NULL && n < ARRAY_SIZE(names); i++)
		if (k->token != TK_RESERVED && strlen(k->name) > 3)
			names[n++] = k->name;
	return sql_nearest(word, names, n, best, 1) == 1 ? best[0] : NULL;
}

static void hint(struct err *e, const struct sql_lexed *tokens, size_t at, bool name_expected)
{
	const char *fix = foreign_fix(tokens, at);
	const struct sql_token *t = &tokens[at].token;
	if (fix) {
		err_fix(e, "%s", fix);
		return;
	}
	for (size_t back = 0; back < LOOK_BACK && back <= at; back++) {
		const struct sql_token *near = &tokens[at - back].token;
		const char *keyword = near_keyword(&tokens[at - back]);
		if (keyword) {
			err_fix(e, "did you mean %s instead of %.*s?", keyword, (int)near->len,
			    near->start);
			return;
		}
	}
	if (at > 0 && tokens[at - 1].kind == TK_COMMA && tokens[at].kind != TK_ID) {
		err_fix(e, "is there a comma too many before it?");
		return;
	}
	if (name_expected && t->len > 0 && sql_keyword_find(t->start, t->len))
		err_fix(e, "to use %.*s as a name, write it as \"%.*s\"", (int)t->len, t->start,
		    (int)t->len, t->start);
}

void sql_syntax_error(struct err *e, const struct sql_lexed *tokens, size_t at, const int *expected,
    size_t n_expected)
{
	struct listing l = {.len = 0};
	const struct sql_token *t = &tokens[at].token;
	char found[100] = "the end of the text";
	list_expected(&l, expected, n_expected);
	if (tokens[at].kind != 0)
		snprintf(found, sizeof(found), "\"%.*s\"", (int)utf8_cut(t->start, t->len, 60),
		    t->start);
	err_set(e, ERR_SYNTAX, PHASE_PARSE, "the SQL does not parse: found %s%s%s%s", found,
	    l.n ? ", expected " : "", l.text, l.n > MAX_LISTED ? " ..." : "");
	if (!e)
		return;
	e->line = t->line;
	e->column = t->col;
	hint(e, tokens, at, contains(expected, n_expected, TK_ID));
}

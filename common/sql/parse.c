/* Text to tree: lexes everything first (texts are small and bounded), refuses
 * what is no single SELECT, then feeds the grammar. After a syntax error the
 * tokens before it are fed to a second parser, which is asked what could have
 * come next: the first one has already reduced on the wrong token. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"
#include "common/sql/parse.h"
#include "sql_gram.h"

struct lexed_text {
	struct sql_lexed *items;
	size_t n; /* without the end, which is items[n] */
};

void sql_parse_fail(
    struct sql_parser *p, enum err_code code, const struct sql_token *at, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;
	if (p->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->rc = err_set(p->err, code, PHASE_PARSE, "%s", text);
	if (p->err && at) {
		p->err->line = at->line;
		p->err->column = at->col;
	}
}

static int fail_at(
    struct err *e, enum err_code code, const struct sql_token *t, const char *text, const char *fix)
{
	err_set(e, code, PHASE_PARSE, "%s", text);
	if (fix)
		err_fix(e, "%s", fix);
	if (e && t) {
		e->line = t->line;
		e->column = t->col;
	}
	return code;
}

/* --- what is no single SELECT ----------------------------------------------------------- */

static bool is_word(const struct sql_token *t, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == t->len && strncasecmp(t->start, *words, t->len) == 0)
			return true;
	return false;
}

static const char *const verbs[] = {"ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY",
    "CREATE", "DELETE", "DESC", "DESCRIBE", "DETACH", "DROP", "END", "EXEC", "EXECUTE", "EXPLAIN",
    "GRANT", "INSERT", "LOAD", "LOCK", "MERGE", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "REVOKE",
    "ROLLBACK", "SAVEPOINT", "SET", "SHOW", "TRUNCATE", "UPDATE", "USE", "VACUUM", NULL};
static const char *const changing_verbs[] = {
    "DELETE", "INSERT", "MERGE", "REPLACE", "UPDATE", NULL};

/* The verb of a statement that is no SELECT, or NULL: its first word, or the
 * word after the last definition of a WITH. */
static const struct sql_token *other_verb(const struct lexed_text *l, size_t first)
{
	int depth = 0;
	if (first >= l->n)
		return NULL;
	if (is_word(&l->items[first].token, verbs))
		return &l->items[first].token;
	if (l->items[first].kind != TK_WITH)
		return NULL;
	for (size_t i = first + 1; i < l->n && l->items[i].kind != TK_SEMI; i++) {
		depth += (l->items[i].kind == TK_LP) - (l->items[i].kind == TK_RP);
		if (depth == 0 && l->items[i - 1].kind == TK_RP &&
		    is_word(&l->items[i].token, changing_verbs))
			return &l->items[i].token;
	}
	return NULL;
}

static int refuse_verb(struct err *e, const struct sql_token *t)
{
	char text[100];
	snprintf(text, sizeof(text), "%.*s is not a query: only SELECT statements are run",
	    (int)t->len, t->start);
	return fail_at(e, ERR_NOT_SELECT, t, text, "ask for data with one SELECT statement");
}

/* Cuts a trailing ';' off; anything behind it is a second statement. */
static int check_single(struct lexed_text *l, struct err *e)
{
	const struct sql_token *verb = other_verb(l, 0);
	if (verb)
		return refuse_verb(e, verb);
	size_t end = 0;
	while (end < l->n && l->items[end].kind != TK_SEMI)
		end++;
	if (end == 0)
		return fail_at(e, ERR_SYNTAX, &l->items[0].token, "there is no SQL to run",
		    "write one SELECT statement");
	for (size_t i = end; i < l->n; i++) {
		if (l->items[i].kind == TK_SEMI)
			continue;
		if ((verb = other_verb(l, i)) != NULL)
			return refuse_verb(e, verb);
		return fail_at(e, ERR_SYNTAX, &l->items[i].token,
		    "a second statement follows: only one SELECT is run at a time",
		    "send the statements one by one");
	}
	l->items[end].kind = 0;
	l->n = end;
	return 0;
}

/* --- lexing --------------------------------------------------------------------------------- */

static int bad_token(const struct sql_token *t, struct err *e)
{
	char text[100];
	size_t len = utf8_cut(t->start, t->len, 40);
	switch (t->start[0]) {
	case '\'':
		return fail_at(e, ERR_SYNTAX, t, "a string is not closed",
		    "close it with '; a ' inside a string is written twice");
	case '"':
	case '`':
	case '[':
		return fail_at(e, ERR_SYNTAX, t, "a quoted name is not closed", "close the quotes");
	case 'x':
	case 'X':
		return fail_at(
		    e, ERR_SYNTAX, t, "a blob must be pairs of hex digits", "write it as x'0aff'");
	case ':':
		return fail_at(e, ERR_SYNTAX, t, "':' is not part of SQL here",
		    "convert types with CAST(x AS type)");
	default: break;
	}
	snprintf(text, sizeof(text), "\"%.*s\" is not part of SQL", (int)len, t->start);
	return fail_at(e, ERR_SYNTAX, t, text, NULL);
}

static bool is_name_like(int kind)
{
	return kind == TK_ID || kind == TK_STRING || kind == TK_JOIN_KW || kind == TK_WINDOW ||
	    kind == TK_OVER || kind == TK_FILTER || kind == TK_INDEXED ||
	    (kind > 0 && sql_gramFallback(kind) == TK_ID);
}

/* OVER, FILTER and WINDOW are keywords only where they can be ones. */
static void settle_soft_keywords(struct lexed_text *l)
{
	for (size_t i = 0; i < l->n; i++) {
		int kind = l->items[i].kind;
		int before = i > 0 ? l->items[i - 1].kind : 0;
		int after = l->items[i + 1].kind;
		bool is_keyword = true;
		if (kind == TK_WINDOW)
			is_keyword = is_name_like(after) && l->items[i + 2].kind == TK_AS;
		else if (kind == TK_OVER)
			is_keyword = before == TK_RP && (after == TK_LP || is_name_like(after));
		else if (kind == TK_FILTER)
			is_keyword = before == TK_RP && after == TK_LP;
		if (!is_keyword)
			l->items[i].kind = TK_ID;
	}
}

static int lex_all(struct arena *a, const char *text, struct lexed_text *l, struct err *e)
{
	struct sql_lexer lexer = {text, text, text, 1, 1};
	size_t n = 0;
	for (;;) {
		struct sql_lexed *t = arena_push(a, l->items, n);
		t->kind = sql_lex(&lexer, &t->token);
		if (t->kind < 0 && (n == 1 || !is_word(&l->items[0].token, verbs)))
			return bad_token(&t->token, e);
		if (t->kind == TK_PARAMETER && !is_word(&l->items[0].token, verbs))
			return fail_at(e, ERR_SYNTAX, &t->token, "parameters are not allowed",
			    "write the value itself");
		if (t->kind == 0)
			break;
		if (n > SQL_MAX_TOKENS)
			return fail_at(e, ERR_TOO_COMPLEX, &t->token,
			    "the query has too many words", "ask for less at once");
	}
	l->n = n - 1;
	/* settle_soft_keywords looks two ahead. */
	(void)arena_push(a, l->items, n);
	(void)arena_push(a, l->items, n);
	settle_soft_keywords(l);
	return 0;
}

static int check_bytes(const char *text, size_t len, struct err *e)
{
	if (len > SQL_MAX_BYTES) {
		err_set(e, ERR_TOO_LARGE, PHASE_PARSE, "the SQL has %zu bytes, at most %d are read",
		    len, SQL_MAX_BYTES);
		return ERR_TOO_LARGE;
	}
	if (memchr(text, 0, len))
		return err_set(e, ERR_BAD_INPUT, PHASE_PARSE, "the SQL holds a NUL byte");
	if (!utf8_valid(text, len))
		return err_set(e, ERR_BAD_INPUT, PHASE_PARSE, "the SQL is not valid UTF-8");
	return 0;
}

/* --- parsing --------------------------------------------------------------------------------- */

/* Feeds up to n tokens; returns the place of the one that failed, n if none. */
static size_t feed(void *grammar, struct sql_parser *p, const struct lexed_text *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sql_gram(grammar, l->items[i].kind, l->items[i].token);
		if (p->rc)
			return i;
	}
	return n;
}

/* Words the syntax error at tokens[at]. */
static void explain(struct arena *a, const struct lexed_text *l, size_t at, struct err *e)
{
	int expected[200];
	struct sql_parser again = {.arena = a};
	void *grammar = sql_gramAlloc(malloc, &again);
	size_t n = 0;
	if (grammar && feed(grammar, &again, l, at) == at)
		n = sql_gram_expected(grammar, expected, ARRAY_SIZE(expected));
	sql_gramFree(grammar, free);
	sql_syntax_error(e, l->items, at, expected, n);
}

int sql_parse(struct arena *a, const struct sql_dialect *d, const char *text, size_t len,
    struct sql_select **ret_select, struct err *e)
{
	struct lexed_text l = {NULL, 0};
	struct sql_parser p = {.arena = a, .err = e};
	int rc = check_bytes(text, len, e);
	(void)d; /* one dialect has one grammar; a second engine brings its own */
	if (rc == 0)
		rc = lex_all(a, arena_strndup(a, text, len), &l, e);
	if (rc == 0)
		rc = check_single(&l, e);
	if (rc != 0)
		return rc;

	void *grammar = sql_gramAlloc(malloc, &p);
	if (!grammar)
		return err_set(e, ERR_NOMEM, PHASE_PARSE, "out of memory");
	size_t at = feed(grammar, &p, &l, l.n + 1);
	if (p.rc && p.is_syntax)
		explain(a, &l, at, e);
	sql_gramFree(grammar, free);
	if (p.rc)
		return p.rc;
	*ret_select = p.result;
	return 0;
}

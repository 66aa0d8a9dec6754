/* The lexer. Names may be written in four ways: bare, "x", `x`, [x]; strings
 * in one: 'x'. Parameters (?, :x, @x, $x) are tokens of their own so that they
 * can be refused by name. */
#include <string.h>

#include "common/sql/keyword.h"
#include "common/sql/parse.h"
#include "sql_gram.h"

/*!re2c
re2c:define:YYCTYPE = "unsigned char";
re2c:yyfill:enable = 0;
re2c:flags:case-ranges = 0;

space   = [ \t\n\f\r];
digit   = [0-9];
hex     = [0-9a-fA-F];
letter  = [a-zA-Z_\x80-\xff];
inname  = letter | digit | "$";
exp     = [eE] [+-]? digit+;
*/

/* Moves line and column up to p. */
static void advance_mark(struct sql_lexer *l, const char *p)
{
	for (; l->mark < p; l->mark++) {
		if (*l->mark == '\n') {
			l->line++;
			l->col = 1;
		} else if (((unsigned char)*l->mark & 0xc0) != 0x80) {
			l->col++;
		}
	}
}

/* A comment that is not closed goes to the end; at the very end it is none. */
static const char *skip_comment(const char *p)
{
	const char *end = *p ? strstr(p, "*/") : NULL;
	return end ? end + 2 : p + strlen(p);
}

static int scan(const char **cursor)
{
	const unsigned char *YYCURSOR = (const unsigned char *)*cursor;
	const unsigned char *YYMARKER = YYCURSOR;
	int token = -1;
	/*!re2c
	"\x00"                       { token = 0; goto done; }
	space+                       { token = TK_SPACE; goto done; }
	"--" [^\n\x00]*              { token = TK_SPACE; goto done; }
	"/*" {
		token = *YYCURSOR ? TK_SPACE : TK_SLASH;
		YYCURSOR = token == TK_SPACE ? (const unsigned char *)skip_comment((const char *)YYCURSOR) : YYCURSOR - 1;
		goto done;
	}
	"'" ([^'\x00] | "''")* "'"   { token = TK_STRING; goto done; }
	"\"" ([^"\x00] | "\"\"")* "\"" { token = TK_ID; goto done; }
	"`" ([^`\x00] | "``")* "`"   { token = TK_ID; goto done; }
	"[" [^\]\x00]* "]"           { token = TK_ID; goto done; }
	[xX] "'" (hex hex)* "'"      { token = TK_BLOB; goto done; }
	[xX] "'" [^'\x00]* "'"?      { token = -1; goto done; }
	digit+                       { token = TK_INTEGER; goto done; }
	"0" [xX] hex+                { token = TK_INTEGER; goto done; }
	(digit+ "." digit* | "." digit+) exp? { token = TK_FLOAT; goto done; }
	digit+ exp                   { token = TK_FLOAT; goto done; }
	(digit+ | "0" [xX] hex+ | (digit+ "." digit* | "." digit+) exp? | digit+ exp) inname+ { token = -1; goto done; }
	letter inname*               { token = TK_ID; goto done; }
	"->>"                        { token = TK_PTR; goto done; }
	"->"                         { token = TK_PTR; goto done; }
	"||"                         { token = TK_CONCAT; goto done; }
	"=" | "=="                   { token = TK_EQ; goto done; }
	"<>" | "!="                  { token = TK_NE; goto done; }
	"<="                         { token = TK_LE; goto done; }
	">="                         { token = TK_GE; goto done; }
	"<<"                         { token = TK_LSHIFT; goto done; }
	">>"                         { token = TK_RSHIFT; goto done; }
	"<"                          { token = TK_LT; goto done; }
	">"                          { token = TK_GT; goto done; }
	"("                          { token = TK_LP; goto done; }
	")"                          { token = TK_RP; goto done; }
	","                          { token = TK_COMMA; goto done; }
	";"                          { token = TK_SEMI; goto done; }
	"."                          { token = TK_DOT; goto done; }
	"*"                          { token = TK_STAR; goto done; }
	"+"                          { token = TK_PLUS; goto done; }
	"-"                          { token = TK_MINUS; goto done; }
	"/"                          { token = TK_SLASH; goto done; }
	"%"                          { token = TK_REM; goto done; }
	"&"                          { token = TK_BITAND; goto done; }
	"|"                          { token = TK_BITOR; goto done; }
	"~"                          { token = TK_BITNOT; goto done; }
	"?" digit* | [:@#$] inname+  { token = TK_PARAMETER; goto done; }
	*                            { token = -1; goto done; }
	*/
done:
	*cursor = (const char *)YYCURSOR;
	return token;
}

int sql_lex(struct sql_lexer *l, struct sql_token *ret_token)
{
	for (;;) {
		const char *start = l->cursor;
		int token = scan(&l->cursor);
		if (token == 0)
			l->cursor = start; /* stay at the end */
		ret_token->start = start;
		ret_token->len = (uint32_t)(l->cursor - start);
		advance_mark(l, start);
		ret_token->line = l->line;
		ret_token->col = l->col;
		if (token == TK_SPACE)
			continue;
		if (token == TK_ID) {
			const struct sql_keyword *k = sql_keyword_find(start, ret_token->len);
			if (k)
				token = k->token;
		}
		return token;
	}
}

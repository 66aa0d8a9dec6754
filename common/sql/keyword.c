/* Sorted by name (a unit test checks it). Words that SQLite reserves but that
 * have no use in a SELECT are here too, so that they are no names for us
 * either; words that it lets be names everywhere (KEY, ACTION ...) are not. */
#include "common/sql/keyword.h"

#include <string.h>
#include <strings.h>

#include "sql_gram.h"

static const struct sql_keyword keywords[] = {
    {"ADD", TK_RESERVED},
    {"ALL", TK_ALL},
    {"ALTER", TK_RESERVED},
    {"AND", TK_AND},
    {"AS", TK_AS},
    {"ASC", TK_ASC},
    {"AUTOINCREMENT", TK_RESERVED},
    {"BETWEEN", TK_BETWEEN},
    {"BY", TK_BY},
    {"CASE", TK_CASE},
    {"CAST", TK_CAST},
    {"CHECK", TK_RESERVED},
    {"COLLATE", TK_COLLATE},
    {"COMMIT", TK_RESERVED},
    {"CONSTRAINT", TK_RESERVED},
    {"CREATE", TK_RESERVED},
    {"CROSS", TK_JOIN_KW},
    {"CURRENT", TK_CURRENT},
    {"CURRENT_DATE", TK_CTIME_KW},
    {"CURRENT_TIME", TK_CTIME_KW},
    {"CURRENT_TIMESTAMP", TK_CTIME_KW},
    {"DEFAULT", TK_RESERVED},
    {"DEFERRABLE", TK_RESERVED},
    {"DELETE", TK_RESERVED},
    {"DESC", TK_DESC},
    {"DISTINCT", TK_DISTINCT},
    {"DROP", TK_RESERVED},
    {"ELSE", TK_ELSE},
    {"END", TK_END},
    {"ESCAPE", TK_ESCAPE},
    {"EXCEPT", TK_EXCEPT},
    {"EXCLUDE", TK_EXCLUDE},
    {"EXISTS", TK_EXISTS},
    {"FILTER", TK_FILTER},
    {"FIRST", TK_FIRST},
    {"FOLLOWING", TK_FOLLOWING},
    {"FOREIGN", TK_RESERVED},
    {"FROM", TK_FROM},
    {"FULL", TK_JOIN_KW},
    {"GLOB", TK_LIKE_KW},
    {"GROUP", TK_GROUP},
    {"GROUPS", TK_GROUPS},
    {"HAVING", TK_HAVING},
    {"IN", TK_IN},
    {"INDEX", TK_RESERVED},
    {"INDEXED", TK_INDEXED},
    {"INNER", TK_JOIN_KW},
    {"INSERT", TK_RESERVED},
    {"INTERSECT", TK_INTERSECT},
    {"INTO", TK_RESERVED},
    {"IS", TK_IS},
    {"ISNULL", TK_ISNULL},
    {"JOIN", TK_JOIN},
    {"LAST", TK_LAST},
    {"LEFT", TK_JOIN_KW},
    {"LIKE", TK_LIKE_KW},
    {"LIMIT", TK_LIMIT},
    {"MATCH", TK_MATCH},
    {"MATERIALIZED", TK_MATERIALIZED},
    {"NATURAL", TK_JOIN_KW},
    {"NO", TK_NO},
    {"NOT", TK_NOT},
    {"NOTHING", TK_RESERVED},
    {"NOTNULL", TK_NOTNULL},
    {"NULL", TK_NULL},
    {"NULLS", TK_NULLS},
    {"OFFSET", TK_OFFSET},
    {"ON", TK_ON},
    {"OR", TK_OR},
    {"ORDER", TK_ORDER},
    {"OTHERS", TK_OTHERS},
    {"OUTER", TK_JOIN_KW},
    {"OVER", TK_OVER},
    {"PARTITION", TK_PARTITION},
    {"PRECEDING", TK_PRECEDING},
    {"PRIMARY", TK_RESERVED},
    {"RANGE", TK_RANGE},
    {"RECURSIVE", TK_RECURSIVE},
    {"REFERENCES", TK_RESERVED},
    {"REGEXP", TK_LIKE_KW},
    {"RETURNING", TK_RESERVED},
    {"RIGHT", TK_JOIN_KW},
    {"ROW", TK_ROW},
    {"ROWS", TK_ROWS},
    {"SELECT", TK_SELECT},
    {"SET", TK_RESERVED},
    {"TABLE", TK_RESERVED},
    {"THEN", TK_THEN},
    {"TIES", TK_TIES},
    {"TO", TK_RESERVED},
    {"TRANSACTION", TK_RESERVED},
    {"UNBOUNDED", TK_UNBOUNDED},
    {"UNION", TK_UNION},
    {"UNIQUE", TK_RESERVED},
    {"UPDATE", TK_RESERVED},
    {"USING", TK_USING},
    {"VALUES", TK_VALUES},
    {"WHEN", TK_WHEN},
    {"WHERE", TK_WHERE},
    {"WINDOW", TK_WINDOW},
    {"WITH", TK_WITH},
};

#define LONGEST_KEYWORD 17 /* CURRENT_TIMESTAMP */

const struct sql_keyword *sql_keyword_find(const char *text, size_t len)
{
	size_t lo = 0, hi = ARRAY_SIZE(keywords);
	if (len < 2 || len > LONGEST_KEYWORD)
		return NULL;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int order = strncasecmp(text, keywords[mid].name, len);
		if (order == 0 && keywords[mid].name[len] != '\0')
			order = -1;
		if (order == 0)
			return &keywords[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

const struct sql_keyword *sql_keyword_at(size_t n)
{
	return n < ARRAY_SIZE(keywords) ? &keywords[n] : NULL;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	    c == '_' || (unsigned char)c >= 0x80;
}

bool sql_name_is_plain(const char *name)
{
	size_t len = strlen(name);
	if (len == 0 || (name[0] >= '0' && name[0] <= '9'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_name_byte(name[i]))
			return false;
	/* As literals they would win over a column of that name. */
	return !sql_keyword_find(name, len) && strcasecmp(name, "true") != 0 &&
	    strcasecmp(name, "false") != 0;
}

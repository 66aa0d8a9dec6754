/* Two tables: result codes, and the messages of SQLITE_ERROR that have a meaning
 * for the author of a query. */
#include "executor/errmap.h"

#include <string.h>

static const struct {
	int rc; /* primary result code */
	enum err_code code;
	bool retry;
	const char *text, *fix;
} by_code[] = {
    {SQLITE_INTERRUPT, ERR_TIMEOUT, false, "the query did not end in time",
        "ask for less, or raise the query's time limit"},
    {SQLITE_TOOBIG, ERR_RESULT_TOO_BIG, false, "a value in the query grows over the limit of 1 MiB",
        "select less text, or a part of it"},
    {SQLITE_BUSY, ERR_BUSY, true, "the database is locked by a writer", ""},
    {SQLITE_LOCKED, ERR_BUSY, true, "the database is locked by a writer", ""},
    {SQLITE_CORRUPT, ERR_SOURCE_CORRUPT, false, "the database file is damaged",
        "restore it from a backup"},
    {SQLITE_NOTADB, ERR_SOURCE_NOT_DB, false, "the file is not a SQLite database", ""},
    {SQLITE_IOERR, ERR_IO, true, "the database file cannot be read", ""},
    {SQLITE_CANTOPEN, ERR_IO, true, "the database file cannot be opened", ""},
    /* A journal that looks left behind: mostly a writer between two steps. A fresh
     * connection tells (db_open). */
    {SQLITE_READONLY, ERR_SOURCE_CHANGED, true, "a writer is at work in the database", ""},
    {SQLITE_SCHEMA, ERR_SOURCE_CHANGED, true, "the schema changed while the query was prepared",
        ""},
    {SQLITE_AUTH, ERR_ENGINE_MISMATCH, false,
        "the query would read or call something that it does not name", ""},
};

/* Matched as parts of the engine's message. */
static const struct {
	const char *part;
	enum err_code code;
	const char *text, *fix;
} by_message[] = {
    {"misuse of aggregate", ERR_SYNTAX, "an aggregate function stands where none is allowed",
        "move it to the select list or to HAVING, or use a subquery"},
    {"misuse of window function", ERR_SYNTAX, "a window function stands where none is allowed",
        "compute it in a subquery and filter outside"},
    {"do not have the same number of result columns", ERR_SYNTAX,
        "the parts of a UNION, INTERSECT or EXCEPT have different numbers of columns", ""},
    {"wrong number of arguments", ERR_SYNTAX,
        "a function is called with a wrong number of arguments", ""},
    {"sub-select returns", ERR_SYNTAX, "a subquery in an expression returns more than one column",
        "select one column there"},
    {"row value misused", ERR_SYNTAX, "a list in parentheses stands where one value is needed", ""},
    {"ORDER BY term does not match", ERR_SYNTAX, "ORDER BY of a UNION must name an output column",
        ""},
    {"ORDER BY term out of range", ERR_SYNTAX, "ORDER BY names a column number that is not there",
        ""},
    {"GROUP BY term out of range", ERR_SYNTAX, "GROUP BY names a column number that is not there",
        ""},
    {"GROUP BY clause is required", ERR_SYNTAX, "HAVING needs a GROUP BY", ""},
    {"aggregate functions are not allowed in the GROUP BY", ERR_SYNTAX,
        "GROUP BY contains an aggregate function", ""},
    {"all VALUES must have the same number", ERR_SYNTAX,
        "the rows of VALUES have different numbers of columns", ""},
    {"circular reference", ERR_SYNTAX, "a WITH table refers to itself in a circle", ""},
    {"circularly defined", ERR_RUNTIME, "a view of the database is defined through itself", ""},
    {"recursive reference", ERR_SYNTAX,
        "a recursive WITH table refers to itself more than once or "
        "in a subquery",
        ""},
    {"no such collation", ERR_SYNTAX, "there is no such collation", "use BINARY, NOCASE or RTRIM"},
    {"no query solution", ERR_SYNTAX, "the query cannot be carried out as written", ""},
    {"datatype mismatch", ERR_RUNTIME, "a value has the wrong type", "LIMIT needs a whole number"},
    {"integer overflow", ERR_RUNTIME, "a whole number grew over 64 bits",
        "compute with real numbers"},
    {"malformed JSON", ERR_RUNTIME, "a value is not valid JSON", ""},
    {"JSON path error", ERR_RUNTIME, "a JSON path is not valid", ""},
    {"ESCAPE expression must be", ERR_RUNTIME, "ESCAPE needs exactly one character", ""},
    {"LIKE or GLOB pattern too complex", ERR_TOO_COMPLEX, "a LIKE or GLOB pattern is too long", ""},
    {"too many", ERR_TOO_COMPLEX, "the query has too many tables, columns, terms or arguments",
        "split it or ask for less"},
    {"at most", ERR_TOO_COMPLEX, "the query joins too many tables", "split it or ask for less"},
    {"tree is too large", ERR_TOO_COMPLEX, "an expression is nested too deeply",
        "use IN (...) or split it"},
    {"stack overflow", ERR_TOO_COMPLEX, "the query is nested too deeply", "split it"},
    {"not authorized", ERR_ENGINE_MISMATCH, "the query would call something that is not allowed",
        ""},
    {"prohibited", ERR_ENGINE_MISMATCH, "the query would read something that is not allowed", ""},
    {"unsafe use", ERR_DENIED, "a view of the database uses a function that is not allowed", ""},
    {"no such", ERR_ENGINE_MISMATCH, "the database does not know a name that its catalog has",
        "ask again: the catalog may be out of date"},
};

static int fill(struct err *e, enum err_code code, enum err_phase phase, bool retry,
    const char *text, const char *fix)
{
	err_set(e, code, phase, "%s", text);
	if (fix[0] != '\0')
		err_fix(e, "%s", fix);
	if (e != NULL) {
		e->retry = retry;
		e->details_omitted = true;
	}
	return code;
}

static int from_message(struct err *e, const char *message, enum err_phase phase)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_message); i++)
		if (strstr(message, by_message[i].part) != NULL)
			return fill(e, by_message[i].code, phase, false, by_message[i].text,
			    by_message[i].fix);
	return fill(e, phase == PHASE_RUN ? ERR_RUNTIME : ERR_SYNTAX, phase, false,
	    phase == PHASE_RUN ? "the query failed while it ran"
	                       : "the database does not accept this query",
	    "");
}

int errmap(struct err *e, sqlite3 *db, int rc, enum err_phase phase)
{
	/* Too many opcodes and too much memory look alike to the engine. */
	if ((rc & 0xff) == SQLITE_NOMEM)
		return phase == PHASE_PREPARE
		    ? fill(e, ERR_TOO_COMPLEX, phase, false, "the query is too complex",
		          "split it or ask for less")
		    : fill(e, ERR_COST, phase, false, "the query needs more memory than it may use",
		          "sort, group or select less");
	for (size_t i = 0; i < ARRAY_SIZE(by_code); i++)
		if (by_code[i].rc == (rc & 0xff))
			return fill(e, by_code[i].code, phase, by_code[i].retry, by_code[i].text,
			    by_code[i].fix);
	return from_message(e, db != NULL ? sqlite3_errmsg(db) : "", phase);
}

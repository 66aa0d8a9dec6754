/*
 * Questions about the schema itself ("what tables are there", "which columns does
 * orders have", 有哪些表, companies 有哪些字段): answered from the catalog, without a
 * query. A question counts as one only if nothing else is in it: every word is a
 * word for tables or columns, the name of one table, a cue or a stop word, and the
 * database has nothing of its own by those words.
 */
#ifndef NLQ_ABOUT_H
#define NLQ_ABOUT_H

#include "common/model/catalog.h"
#include "common/model/semantic.h"

enum about_kind { ABOUT_DATA, ABOUT_TABLES, ABOUT_COLUMNS };

struct about {
	enum about_kind kind;
	uint32_t table; /* ABOUT_COLUMNS */
};

/* s may be NULL. */
struct about about_question(
    const char *question, const struct catalog *c, const struct semantic *s);
/* The answer's text, in the arena, in the question's language. */
const char *about_text(struct arena *a, const struct about *about, const char *question,
    const struct catalog *c, const struct semantic *s);

#endif

/*
 * Groundings made by hand: a catalog described from SQL text, and a question put
 * together word by word, each word with the span that linking would give it.
 */
#ifndef NLQ_TESTS_COMPOSE_KIT_H
#define NLQ_TESTS_COMPOSE_KIT_H

#include "common/text/cue.h"
#include "sql_agent/compose/compose.h"
#include "sql_agent/compose/roles.h"

struct kit {
	struct grounding *g;
	struct strbuf question;
	struct arena arena; /* for what the tests derive */
	struct view *view;  /* after kit_read */
	struct items items;
	struct roles roles;
};

/* A music database: singer, concert, stadium, singer_in_concert, song. */
extern const char kit_music[];
/* Companies with financials (亿元) and production (unit in a column). */
extern const char kit_energy[];

void kit_open(struct kit *k, const char *ddl);
void kit_close(struct kit *k);
/* Index of a table / column written "table" or "table.column"; fails the test if
 * there is none. */
uint32_t kit_table_index(const struct kit *k, const char *name);
uint32_t kit_column_index(const struct kit *k, const char *name, uint32_t *ret_table);

void kit_text(struct kit *k, const char *text); /* punctuation */
void kit_unknown(struct kit *k, const char *text);
void kit_stop(struct kit *k, const char *text);
void kit_table(struct kit *k, const char *text, const char *name);
void kit_column(struct kit *k, const char *text, const char *name);
/* A further target of the last span. */
void kit_or_column(struct kit *k, const char *name, float score);
void kit_value(struct kit *k, const char *text, const char *column, const char *stored);
void kit_cue(struct kit *k, const char *text, enum cue_kind cue, uint32_t arg);
void kit_cue_hint(struct kit *k, const char *text, enum cue_kind cue, const char *column);
void kit_number(struct kit *k, const char *text, int64_t digits, int32_t scale, const char *base,
    int32_t magnitude);
void kit_years(
    struct kit *k, const char *text, const char *from, const char *to, const char *column);
void kit_unit(struct kit *k, const char *column, const char *unit, const char *unit_column);

/* The question is complete: view, items, resolve and roles are run. */
void kit_read(struct kit *k);
/* One step of the composer; the caller frees the reply. */
struct compose_reply *kit_step(
    struct kit *k, const struct compose_past *past, size_t n_past, double floor);
/* The SQL of a first step with floor 0, in the kit's arena; fails the test
 * unless it is a candidate. */
const char *kit_sql(struct kit *k);

#endif

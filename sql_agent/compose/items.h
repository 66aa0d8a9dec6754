/*
 * The question as a row of items: the grounding's spans without stop words,
 * with the punctuation that separates clauses put back, and later with one
 * target chosen for each (resolve.h). The role passes read items and mark what
 * they used; what stays unused lowers the confidence.
 */
#ifndef NLQ_COMPOSE_ITEMS_H
#define NLQ_COMPOSE_ITEMS_H

#include "common/text/cue.h"
#include "sql_agent/compose/view.h"

enum item_kind {
	ITEM_END, /* past the last item */
	ITEM_TABLE,
	ITEM_COLUMN,
	ITEM_VALUE,
	ITEM_METRIC,
	ITEM_NUMBER,
	ITEM_PERIOD,
	ITEM_CUE,
	ITEM_TEXT, /* quoted text that is no stored value */
	ITEM_UNKNOWN,
	ITEM_COMMA,
	ITEM_SENTENCE, /* end of a sentence */
};

struct item {
	enum item_kind kind;
	uint32_t span;                    /* IR_NONE for punctuation */
	const struct span_target *target; /* the chosen one, NULL if there is none */
	uint32_t table, column, metric;   /* of the target; a cue's hint */
	uint32_t second;                  /* last name where column is the first name; IR_NONE */
	enum cue_kind cue;
	uint32_t n;       /* number that belongs to the cue, 0 none */
	const char *text; /* as written, lower case for ASCII */
	float margin;     /* to the second best target; 1 if alone */
	bool owned;       /* "their X", "its X", 其 X */
	bool fixed;       /* set by a rule, not open to resolving */
	bool used;
};

struct items {
	struct item *list;
	size_t n;
	const struct view *view;
};

void items_build(struct arena *a, const struct view *v, struct items *ret_items);
/* Item i; one of kind ITEM_END outside the row (also for -1). */
const struct item *items_at(const struct items *s, size_t i);
/* The item before i; of kind ITEM_END if i is the first. */
const struct item *items_before(const struct items *s, size_t i);
bool item_is_cue(const struct items *s, size_t i, enum cue_kind cue);
/* First item at or after i that is no connecting word (of, for, with, that, all). */
size_t items_skip(const struct items *s, size_t i);
/* Table named right behind a list of columns: "name and age of all singers". */
uint32_t items_table_behind(const struct items *s, size_t i);
/* Table named right before: "singer name", "the singer's name", 公司的名称. */
uint32_t items_table_before(const struct items *s, size_t i);

#endif

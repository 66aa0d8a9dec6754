/* Ways in which tokens of the question name a form of the index: what match_name.c
 * turns into candidates. */
#ifndef NLQ_SCHEMA_NAMED_H
#define NLQ_SCHEMA_NAMED_H

#include "schema_agent/question.h"

/* One way in which tokens name a form. whole: all of its words but those that
 * repeat its table's name. */
struct named {
	uint32_t from, to, form;
	float score;
	enum target_how how;
	bool whole;
};
struct named_list {
	struct named *items;
	size_t n;
};

/* Forms of tables that are not in scope are left out. */
void named_add(struct question *q, struct named_list *l, uint32_t from, uint32_t to, uint32_t form,
    float score, enum target_how how, bool whole);

/* By words of a name (match_word.c); by a piece of a CJK name. */
void named_words(struct question *q, struct named_list *l);
void named_pieces(struct question *q, struct named_list *l);
/* "X and Y N" at token X: N may belong to both. */
bool named_is_coordination(const struct question *q, uint32_t token);

#endif

/* Between match_text.c and match_cue.c: looking at tokens. */
#ifndef NLQ_SCHEMA_MATCH_TEXT_H
#define NLQ_SCHEMA_MATCH_TEXT_H

#include "schema_agent/question.h"

bool text_is_word(const struct question *q, size_t token, const char *word);
bool text_is_one_of(const char *s, const char *const *words, size_t n);
#define TEXT_IS_ONE_OF(s, ...)                                  \
	text_is_one_of((s), (const char *const[]){__VA_ARGS__}, \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
/* Digits, a number word, or a sign or currency before digits. */
bool text_is_number(const struct question *q, size_t token);

/* Candidates for cues, and for columns that words imply (match_cue.c). */
void text_cues(struct question *q);

#endif

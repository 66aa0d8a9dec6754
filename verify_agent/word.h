/*
 * The answer's text, written by code from cells: one value, one row, a short
 * list, a table that is only counted, a count, or nothing found; in the
 * question's language. What earlier steps found is said first.
 */
#ifndef NLQ_WORD_H
#define NLQ_WORD_H

#include "verify_agent/shown.h"

/* Every step must have run. The text lives in c's arena. */
const char *word_answer(struct cert *c);

#endif

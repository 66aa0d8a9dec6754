/*
 * Answers that a model words: text with references, filled by code.
 *   {r2.c1} {r2.c1.3}  cell of step 2's result: column 1, row 1 or 3 (from 1)
 *   {r2.rows}          its row count
 *   {q1} {p1}          the first quantity / period of the question, in its words
 * A number's unit is added by code; if the text goes on with that very unit, it
 * is not written twice, and any other unit there is refused. Digits and number
 * words outside references are refused, so are unknown references.
 */
#ifndef NLQ_TEMPLATE_H
#define NLQ_TEMPLATE_H

#include "verify_agent/shown.h"

#define TEMPLATE_MAX_BYTES (16 * 1024)

/* The filled text in c's arena; ERR_BAD_INPUT with the reason if it is refused. */
int template_fill(struct cert *c, const char *text, const char **ret_answer, struct err *e);

#endif

/*
 * Holds common/sql against the engine, for any text: parse, print, parse again
 * gives the same tree; what resolves against a fixed schema prints to SQL that
 * the engine prepares, reading only what our facts name; and so does what is
 * shown. Prints the text and aborts where they disagree.
 */
#ifndef NLQ_TESTS_SQL_AGREE_H
#define NLQ_TESTS_SQL_AGREE_H

#include <stddef.h>

void sql_agree_check(const void *data, size_t size);
void sql_agree_done(void); /* closes the engine */

#endif

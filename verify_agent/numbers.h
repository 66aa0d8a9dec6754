/*
 * The number wall: every number of an answer has a source that code has seen.
 * Sources are texts; a number is allowed if it stands in one of them (as the
 * same decimal number). Digits of any script count, and digit groups with
 * separators are read as one number.
 */
#ifndef NLQ_NUMBERS_H
#define NLQ_NUMBERS_H

#include "common/model/resultset.h"

struct numbers {
	struct arena *a;
	const char **slots; /* hash set of the allowed numbers in normal form */
	size_t n_slots, n;
};

void numbers_init(struct numbers *n, struct arena *a);
/* Every number of the text is a source from now on. */
void numbers_allow(struct numbers *n, const char *text);
void numbers_allow_count(struct numbers *n, size_t count);
/* A real as a sentence gives it: six places behind the point, six digits below one.
 * The table keeps the cell. */
const char *numbers_rounded(struct arena *a, double v);
/* All cells as they are and as a sentence rounds them, and the row count. */
void numbers_allow_result(struct numbers *n, const struct resultset *r);
/* True if every number of the text has a source; else *ret_bad is the first
 * that has none. */
bool numbers_check(const struct numbers *n, const char *text, const char **ret_bad);
/* True if the text has a digit or a number word ("three", 三家); *ret_word is it.
 * For text that a model wrote outside references. */
bool numbers_has_any(struct arena *a, const char *text, size_t len, const char **ret_word);

#endif

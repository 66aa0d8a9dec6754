/* Checks of what a person typed, before any work is done with it. Used by the
 * client, for an early answer, and by the orchestrator, which trusts nobody. */
#ifndef NLQ_INPUT_H
#define NLQ_INPUT_H

#include "common/base/err.h"

#define INPUT_QUESTION_MAX 4096
#define INPUT_SQL_MAX (64 * 1024)

/* UTF-8, not blank, at most 4 KiB, no control characters but tab and newline. */
int input_check_question(const char *s, size_t len, struct err *e);
int input_check_sql(const char *s, size_t len, struct err *e);
/* An ISO date that exists, 2026-02-28. */
int input_check_date(const char *s, struct err *e);

#endif

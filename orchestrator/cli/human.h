/* The answer for people. */
#ifndef NLQ_CLI_HUMAN_H
#define NLQ_CLI_HUMAN_H

#include "common/base/strbuf.h"
#include "orchestrator/cli/answer.h"

/* Escape sequences, all "" without colour. */
struct colours {
	const char *bold, *dim, *red, *green, *yellow, *plain;
};
extern const struct colours colours_none, colours_ansi;

void human_answer(struct strbuf *out, const struct answer *a, const struct colours *c);
void human_result(struct strbuf *out, const struct resultset *r, const struct colours *c);
/* "nlq: text" and, on the next line, what would help. */
void human_error(struct strbuf *out, const struct err *e, const struct colours *c);

#endif

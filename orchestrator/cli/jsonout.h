/* The stable JSON of the client: one object on one line, a newline after it. */
#ifndef NLQ_CLI_JSONOUT_H
#define NLQ_CLI_JSONOUT_H

#include "common/base/json.h"
#include "orchestrator/cli/answer.h"

/* nlq ask --json. Keys are always there; what does not apply is null or empty. */
void jsonout_answer(struct strbuf *out, const struct answer *a);
/* nlq sql run --json: request_id, sql, columns, rows, row_count, truncated, error. */
void jsonout_result(
    struct strbuf *out, const char *request_id, const struct resultset *r, const struct err *e);
/* The error object, as a value. */
void jsonout_error(struct json *j, const struct err *e);

#endif

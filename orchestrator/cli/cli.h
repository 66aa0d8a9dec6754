/* The commands of nlq. Each gets the words after its name and returns the exit
 * code: 0 answered or described, 1 failure, 2 usage, 3 declined, 4 clarification
 * needed, 5 refused by policy, 6 dependency unavailable, 7 timeout, 130 Ctrl-C. */
#ifndef NLQ_CLI_H
#define NLQ_CLI_H

#include "common/base/err.h"

int cmd_ask(int argc, char **argv);
int cmd_up(int argc, char **argv);
int cmd_sql(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_schema(int argc, char **argv);

/* All of stdin up to max bytes (ERR_TOO_LARGE above), NUL-terminated, trailing
 * line breaks removed; free() it. */
int cli_read_stdin(const char *what, size_t max, char **ret_text, struct err *e);
/* The words joined by spaces; "-" alone is stdin. free() it. */
int cli_text(const char *what, const char *const *words, size_t n, size_t max, char **ret_text,
    struct err *e);
/* Picks a sub-command by name; -1 with e naming what is near. */
int cli_pick(const char *word, const char *const *names, size_t n, struct err *e);

#endif

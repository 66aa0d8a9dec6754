/* Command line options as a table: --name value, --name=value, -n value, flags;
 * "--" ends them, "-" alone is an argument. Unknown ones are met with what is
 * near. */
#ifndef NLQ_CLI_OPTIONS_H
#define NLQ_CLI_OPTIONS_H

#include "common/base/err.h"

enum option_type {
	OPTION_FLAG,     /* bool * */
	OPTION_STRING,   /* const char **, borrowed from argv */
	OPTION_UINT,     /* uint32_t * */
	OPTION_SECONDS,  /* uint32_t *, milliseconds; accepts 5, 0.5, 5s, 200ms, 2m */
	OPTION_FRACTION, /* float *, 0..1 */
};

struct option_row {
	const char *name; /* without dashes */
	char letter;      /* 0: none */
	enum option_type type;
	void *target;
	const char *value; /* name of the value in the help; NULL for a flag */
	const char *help;
};

#define OPTIONS_ARGS_MAX 64

/* Sets the targets; the other words go to args in order. -h, --help sets
 * *ret_help. ERR_USAGE. */
int options_parse(int argc, char **argv, const struct option_row *rows, size_t n, const char **args,
    size_t *ret_n_args, bool *ret_help, struct err *e);
void options_help(const struct option_row *rows, size_t n);

#endif

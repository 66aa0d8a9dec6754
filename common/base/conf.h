/*
 * Settings as a table of typed rows. The same table gives the configuration
 * file's keys (dotted, "trace.sync" = key sync in map trace), the command line
 * (--trace.sync=full), the help text, range checks, and the test that every
 * key is in deploy/conf. Unknown or duplicate keys, wrong types and values out
 * of range are ERR_CONFIG with file:line.
 */
#ifndef NLQ_CONF_H
#define NLQ_CONF_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/yaml.h"

enum conf_type {
	CONF_STRING, /* const char ** */
	CONF_UINT,   /* uint32_t *, min..max */
	CONF_SIZE,   /* uint64_t *; bytes, accepts 64KiB, 4MiB, 1GiB */
	CONF_MS,     /* uint32_t *; milliseconds, accepts 500ms, 10s, 2m */
	CONF_BOOL,   /* bool *; true|false */
	CONF_ENUM,   /* int *; index into `names` */
	CONF_NODE,   /* const struct yaml_node **: read by the caller (lists of maps); file only */
};

struct conf_row {
	const char *key;
	enum conf_type type;
	void *target;             /* holds the default before conf_load */
	uint64_t min, max;        /* UINT, SIZE, MS; max 0 = no upper limit */
	const char *const *names; /* ENUM: NULL-terminated */
	const char *help;         /* one line */
};

/* Applies the file (NULL: none). Strings live in the arena. */
int conf_load(
    struct arena *a, const struct conf_row *rows, size_t n, const char *path, struct err *e);
/* Applies one command line word "key=value". */
int conf_set(
    struct arena *a, const struct conf_row *rows, size_t n, const char *word, struct err *e);
/* Prints key, default and help of every row to stdout. */
void conf_help(const struct conf_row *rows, size_t n);

#endif

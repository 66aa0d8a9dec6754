/* Which names stand for which files. Configured names come from the settings and
 * never take a path from a message; in a private stack (adhoc) a message may name the
 * file of a source that is not configured. */
#ifndef NLQ_EXECUTOR_SOURCES_H
#define NLQ_EXECUTOR_SOURCES_H

#include "common/base/err.h"
#include "common/base/yaml.h"

struct source {
	const char *name;
	const char *path; /* absolute */
};

struct sources {
	struct source *items;
	size_t n;
	bool adhoc;
};

/* node: a list of maps {name, path}, or NULL. Strings live in the arena. ERR_CONFIG
 * with file:line. */
int sources_load(struct arena *a, const struct yaml_node *node, bool adhoc,
    struct sources *ret_sources, struct err *e);

/* Path of a source, borrowed from s or from the message. path may be NULL or "". */
int sources_resolve(const struct sources *s, const char *name, const char *path,
    const char **ret_path, struct err *e);

#endif

/* The orchestrator's settings and the data sources it knows. */
#ifndef NLQ_ORCH_SETTINGS_H
#define NLQ_ORCH_SETTINGS_H

#include "common/base/conf.h"

struct source_conf {
	const char *name, *path, *semantic;
}; /* "" where not given */

struct settings {
	const char *run_dir;   /* sockets: run_dir/<role>/sock, run_dir/client/sock */
	const char *state_dir; /* the trace */
	bool is_private;
	const struct yaml_node *sources_node;
	struct source_conf *sources;
	size_t n_sources;
	const char *users[4]; /* name or number of the uid of each role; "" = our own */
	uint32_t uids[4];
	uint32_t steps, repairs, request_ms, query_ms, rows;
	uint32_t running, running_per_principal, waiting_per_principal, per_source;
	uint32_t column_ms, domain_max;
	int trace_payload, trace_sync;
};

enum settings_role { SETTINGS_SCHEMA, SETTINGS_SQL, SETTINGS_VERIFY, SETTINGS_EXECUTOR };

extern struct settings settings;
extern const struct conf_row settings_rows[];
extern const size_t settings_n_rows;

/* Reads the sources list, looks up the users, fills in what depends on the
 * machine. ERR_CONFIG. */
int settings_check(struct arena *a, struct err *e);
/* True for a name of letters, digits, '_', '-' and '.', 1 to 64 long. */
bool settings_is_source_name(const char *name);

#endif

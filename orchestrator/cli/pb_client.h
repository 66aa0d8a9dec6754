/* What the client asks of the orchestrator, in plain structs. */
#ifndef NLQ_CLI_PB_CLIENT_H
#define NLQ_CLI_PB_CLIENT_H

#include "common/rpc/client.h"
#include "orchestrator/cli/answer.h"

struct ask_options {
	const char *question, *source, *today; /* source, today: NULL if not given */
	const uint8_t *key;                    /* 16 bytes */
	struct semantic_names tables;
	float floor;                   /* < 0: not given */
	uint32_t max_rows, timeout_ms; /* 0: not given */
	/* A line of progress; NULL: none is asked for. */
	void (*progress)(void *arg, const char *step, const char *text);
	void *arg;
};
/* 0 with *ret_answer filled (whatever the outcome), or why there is none. After
 * a lost connection the answer is looked up once over a new one (url). */
int client_ask(struct rpc_client *c, const char *url, const struct ask_options *o, struct arena *a,
    struct answer *ret_answer, struct err *e);

int client_sql_run(struct rpc_client *c, const char *sql, const char *source, const uint8_t *key,
    uint32_t max_rows, uint32_t timeout_ms, char ret_id[33], struct resultset **ret_result,
    struct err *e);
/* id: 16 bytes, a request's id or a client key. */
int client_cancel(struct rpc_client *c, const uint8_t *id, struct err *e);
int client_add_source(
    struct rpc_client *c, const char *name, const char *path, const char *semantic, struct err *e);

struct status_component {
	const char *role, *version, *sandbox;
	uint32_t pid, slots, busy;
	uint64_t rss_kb;
	bool is_draining;
};
struct status_source {
	const char *name, *path;
	int tables;
	struct semantic_names problems;
};
struct status {
	uint32_t pid, running, waiting;
	const char *version;
	uint64_t uptime_ms, jobs_done, jobs_retried, heals;
	bool is_private;
	struct status_component *components;
	size_t n_components;
	struct status_source *sources;
	size_t n_sources;
};
int client_status(struct rpc_client *c, struct arena *a, struct status *ret_status, struct err *e);

struct schema_row {
	const char *table, *column, *type, *label, *unit, *note;
	int64_t n_rows;
	float score;
};
int client_schema(struct rpc_client *c, struct arena *a, const char *action, const char *source,
    const char *name, struct schema_row **ret_rows, size_t *ret_n, struct err *e);

struct trace_line {
	char id[33];
	int64_t at_us;
	const char *question, *outcome, *source, *error_class;
	double ms;
};
struct trace_span_line {
	uint32_t seq;
	const char *component, *operation, *status, *detail, *instance;
	double start_ms, ms;
	char request_hash[65], reply_hash[65], chain_hash[65];
};
/* c NULL: read the folder instead. */
int client_trace_list(struct rpc_client *c, const char *dir, struct arena *a, uint32_t limit,
    struct trace_line **ret_lines, size_t *ret_n, struct err *e);
int client_trace_show(struct rpc_client *c, const char *dir, struct arena *a, const char *id,
    struct trace_line *ret_line, struct trace_span_line **ret_spans, size_t *ret_n,
    struct answer *ret_answer, bool *ret_has_answer, struct err *e);

#endif

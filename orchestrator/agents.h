/*
 * Typed calls of the four agents: one function per operation, plain structs in
 * and out, a trace span for each. Replies keep their message, a grounding its bytes,
 * so that they can be handed on without being taken apart; freed with the request.
 */
#ifndef NLQ_ORCH_AGENTS_H
#define NLQ_ORCH_AGENTS_H

#include "common/model/catalog.h"
#include "common/model/semantic.h"
#include "common/model/verdict.h"
#include "orchestrator/trace_writer.h"

struct dispatch;

/* What every call of one request needs. Owned by the request's thread. */
struct call_ctx {
	struct dispatch *dispatch;
	struct trace *trace;
	struct arena *arena; /* what replies leave behind lives here */
	uint8_t request[16];
	uint32_t uid;
	const char *principal;
	const char *source;      /* name */
	const char *path;        /* private stack: its file; "" */
	uint64_t deadline_ms;    /* CLOCK_MONOTONIC */
	uint64_t began_us;       /* CLOCK_MONOTONIC */
	uint32_t rows, query_ms; /* budget of one query */
	uint32_t domain_max, column_ms;
	struct agent_kept *kept; /* messages to free; agents_done */
};
void agents_done(struct call_ctx *x);

/* Where a snapshot is published for the agents; hash of its bytes. */
int agent_publish_catalog(struct dispatch *d, struct trace *t, const struct catalog *c,
    struct hash *ret_hash, struct err *e);
int agent_publish_semantic(struct dispatch *d, struct trace *t, const struct semantic *s,
    struct hash *ret_hash, struct err *e);

/* executor */
int agent_describe(struct call_ctx *x, struct catalog **ret_catalog, struct err *e);
int agent_check_version(struct call_ctx *x, struct hash *ret_version, struct err *e);

struct agent_hits {
	void *message;
	size_t n;
};
int agent_find_values(struct call_ctx *x, const struct semantic_names *spans,
    struct agent_hits *ret_hits, struct err *e);

struct agent_rows {
	const char *sql_shown, *sql_run;
	size_t n_rows, n_columns;
	bool truncated, stale, all_null;
	struct hash digest, data_version;
	struct semantic_names tables; /* that the engine read */
	uint64_t elapsed_us;
	void *message; /* RunReply */
};
int agent_run(struct call_ctx *x, const char *sql, const struct hash *data_version,
    struct agent_rows *ret_rows, struct err *e);
/* The cells of the rows as a result set; caller frees with resultset_free. */
struct resultset;
int agent_rows_read(const struct agent_rows *rows, struct resultset **ret_result, struct err *e);

/* schema_agent */
struct agent_ground_args {
	const char *question, *today;
	struct hash catalog, semantic;
	bool has_semantic, is_cold;      /* cold: no agent has built its index yet */
	const struct catalog *full;      /* that `catalog` is the hash of */
	const struct agent_hits *values; /* NULL: not looked for yet */
	struct semantic_names only_tables;
};
struct agent_table {
	const char *name, *why;
};
struct agent_grounding {
	struct semantic_names need_values; /* n > 0: nothing else is set */
	bool sufficient, is_chinese;
	struct semantic_names missing, near;
	struct agent_table *tables;
	size_t n_tables;
	struct {
		const char *text;
		struct semantic_names options;
	} * ambiguities;
	size_t n_ambiguities;
	uint32_t n_searched;
	struct {
		const uint8_t *bytes;
		size_t len;
	} packed; /* the Grounding as it came, for the other agents */
};
/* ret_grounding holds the need_values of the call before, which args->values
 * answers. */
int agent_ground(struct call_ctx *x, const struct agent_ground_args *args,
    struct agent_grounding *ret_grounding, struct err *e);

struct agent_found {
	const char *table, *column, *why;
	float score;
};
int agent_search(struct call_ctx *x, const char *words, const struct hash *catalog,
    const struct hash *semantic, uint32_t limit, struct agent_found **ret_found, size_t *ret_n,
    struct err *e);

/* sql_agent and verify_agent */
struct agent_observation {
	const char *sql, *purpose;
	const struct agent_rows *rows; /* or */
	const struct err *err;
};
enum agent_step_kind { AGENT_CANDIDATE, AGENT_DECLINE, AGENT_CLARIFY };
struct agent_step {
	enum agent_step_kind kind;
	const char *generator;
	const char *sql, *purpose; /* candidate */
	float confidence;
	bool more;
	struct semantic_names assumptions;
	const char *text; /* decline: reason; clarify: question */
	struct semantic_names unmapped, near, options;
};
int agent_step(struct call_ctx *x, const struct agent_grounding *g,
    const struct agent_observation *history, size_t n, float floor, uint32_t steps_left,
    const struct semantic_names *revise, struct agent_step *ret_step, struct err *e);
/* Caller frees the verdict with verdict_free. */
int agent_verify(struct call_ctx *x, const struct agent_grounding *g,
    const struct agent_observation *steps, size_t n, const struct agent_step *candidate,
    struct verdict **ret_verdict, struct err *e);

#endif

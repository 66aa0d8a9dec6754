/* What a worker process holds; shared by its loop (worker.c) and its messages
 * (pb_worker.c). */
#ifndef NLQ_EXECUTOR_SEALED_H
#define NLQ_EXECUTOR_SEALED_H

#include "common/base/strbuf.h"
#include "executor/db.h"
#include "executor/frame.h"
#include "executor/worker.h"

struct sealed {
	const struct worker_conf *conf;
	struct source_file file;
	char copy[PATH_MAX]; /* private copy that is read instead; "" */
	struct db db;
	struct catalog *schema; /* without profile, for name resolution */
	int64_t schema_version;
	sqlite3_stmt *version_of; /* asks for it; NULL: not prepared */
	size_t widest;            /* columns of its widest table */
	struct hash version;      /* of the data, when the call began */
	uint64_t deadline_ms;     /* of the call */
};

/* The schema as it is now, kept until the engine's schema version moves. */
int sealed_schema(struct sealed *s, const struct catalog **ret_schema, struct err *e);

/* One call: decodes the request that head->kind names, does it, appends the packed
 * reply. */
int pb_worker_call(struct sealed *s, const struct call_head *head, const void *body, size_t len,
    struct strbuf *ret_reply, struct err *e);

#endif

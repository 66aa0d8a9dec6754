/*
 * The executor without its daemon: sandbox, zygote and pool of this process, calls by
 * their messages. For tests of workers and for measuring them.
 */
#ifndef NLQ_TESTS_EXECUTOR_RIG_H
#define NLQ_TESTS_EXECUTOR_RIG_H

#include "common/model/catalog.h"
#include "common/model/resultset.h"
#include "exec.pb-c.h"
#include "executor/pool.h"
#include "executor/sandbox.h"

struct rig {
	char dir[64];     /* private folder of the test */
	char copies[256]; /* where workers' private copies lie */
	struct sandbox sandbox;
	struct pool *pool;
	int unexpected_exits; /* workers that ended without being told to */
	int last_signal;      /* of those */
	bool zygote_gone;
};

/* Defaults of the daemon; NULL or a change to them. Call before any thread. */
int rig_open(struct rig *r, void (*change)(struct pool_conf *conf), struct err *e);
void rig_close(struct rig *r); /* removes the folder and the files in it */

/* "<dir>/<name>", in one of a few static buffers. */
const char *rig_path(const struct rig *r, const char *name);
/* Opens or makes a database and runs the statements; aborts on an error. */
void rig_sql(const char *path, const char *sql);

/* One RUN. *ret_result NULL on failure. ms: budget of the query. */
int rig_run(struct rig *r, const char *path, const char *sql, uint32_t ms, int cancel_fd,
    struct resultset **ret_result, struct err *e);
int rig_describe(struct rig *r, const char *path, struct catalog **ret_catalog, struct err *e);
int rig_version(struct rig *r, const char *path, struct hash *ret_version, struct err *e);
/* Caller frees with wire_free. */
int rig_values(struct rig *r, const char *path, char **spans, size_t n_spans,
    Nlq__FindValuesReply **ret_reply, struct err *e);

#endif

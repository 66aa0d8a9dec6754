#include "tests/lib/executor_rig.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/model/pb_catalog.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"
#include "executor/snapshot.h"

#define CALL_MS 20000

static void on_exit_report(pid_t pid, int status, bool expected, void *arg)
{
	struct rig *r = arg;

	(void)pid;
	if (expected)
		return;
	r->unexpected_exits++;
	r->last_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void on_zygote_gone(void *arg)
{
	((struct rig *)arg)->zygote_gone = true;
}

int rig_open(struct rig *r, void (*change)(struct pool_conf *conf), struct err *e)
{
	struct pool_conf conf = {
	    .worker = {.sandbox = &r->sandbox,
	        .heap_bytes = 256u << 20,
	        .cache_kib = 16 << 10,
	        .opcodes_max = 2000000000,
	        .check_max_bytes = 64u << 20,
	        .check_ms = 500,
	        .snapshot_max_bytes = 256u << 20,
	        .snapshot_base = r->copies,
	        .result_max_rows = 1000,
	        .result_max_bytes = 2u << 20,
	        .cell_max_bytes = 64u << 10,
	        .describe_ms = 10000},
	    .workers_max = 8,
	    .per_source_max = 4,
	    .idle_ms = 60000,
	    .start_ms = 10000,
	    .on_exit = on_exit_report,
	    .on_zygote_gone = on_zygote_gone,
	    .arg = r,
	};
	int rc;

	memset(r, 0, sizeof(*r));
	strcpy(r->dir, "/tmp/nlq-rig.XXXXXX");
	if (mkdtemp(r->dir) == NULL)
		return ERR_IO;
	rc = sandbox_init(&r->sandbox, 512u << 20, 600, e);
	if (rc == 0)
		rc = snapshot_base_name(r->copies, e);
	if (change != NULL)
		change(&conf);
	if (rc == 0)
		rc = pool_new(&conf, &r->pool, e);
	return rc != 0 ? rc : pool_start(r->pool, e);
}

void rig_close(struct rig *r)
{
	DIR *d = opendir(r->dir);
	struct dirent *x;
	char path[400];

	pool_free(r->pool);
	sandbox_done(&r->sandbox);
	while (d != NULL && (x = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", r->dir, x->d_name);
		if (unlink(path) != 0)
			rmdir(path);
	}
	if (d != NULL)
		closedir(d);
	rmdir(r->dir);
}

const char *rig_path(const struct rig *r, const char *name)
{
	static char paths[8][400];
	static unsigned next;
	char *p = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(p, sizeof(paths[0]), "%s/%s", r->dir, name);
	return p;
}

void rig_sql(const char *path, const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "rig_sql %s: %s\n", path, message ? message : "cannot open");
		abort();
	}
	sqlite3_close(db);
}

static int call(struct rig *r, Nlq__Kind kind, const char *path, const void *request, uint32_t ms,
    int cancel_fd, const ProtobufCMessageDescriptor *d, ProtobufCMessage **ret_reply, struct err *e)
{
	struct pool_call c = {.path = path,
	    .kind = kind,
	    .query_ms = ms,
	    .deadline_ms = clock_mono_ms() + CALL_MS,
	    .cancel_fd = cancel_fd};
	struct strbuf body, reply;
	int rc;

	strbuf_init(&body, 8u << 20);
	strbuf_init(&reply, 8u << 20);
	rc = wire_pack(&body, request, e);
	c.body = body.data;
	c.len = body.len;
	if (rc == 0)
		rc = pool_call(r->pool, &c, &reply, e);
	if (rc == 0)
		rc = wire_unpack(d, reply.data, reply.len, ret_reply, e);
	strbuf_done(&body);
	strbuf_done(&reply);
	return rc;
}

static Nlq__SourceRef test_source = {
    .base = PROTOBUF_C_MESSAGE_INIT(&nlq__source_ref__descriptor), .name = (char *)"test"};

int rig_run(struct rig *r, const char *path, const char *sql, uint32_t ms, int cancel_fd,
    struct resultset **ret_result, struct err *e)
{
	Nlq__RunRequest q = NLQ__RUN_REQUEST__INIT;
	ProtobufCMessage *m = NULL;
	int rc;

	q.source = &test_source;
	q.sql = (char *)(uintptr_t)sql;
	*ret_result = NULL;
	rc = call(r, NLQ__KIND__RUN, path, &q, ms, cancel_fd, &nlq__run_reply__descriptor, &m, e);
	if (rc == 0)
		rc = pb_result_read(((Nlq__RunReply *)m)->result, ret_result, e);
	wire_free(m);
	return rc;
}

int rig_describe(struct rig *r, const char *path, struct catalog **ret_catalog, struct err *e)
{
	Nlq__DescribeRequest q = NLQ__DESCRIBE_REQUEST__INIT;
	ProtobufCMessage *m = NULL;
	int rc;

	q.source = &test_source;
	rc = call(
	    r, NLQ__KIND__DESCRIBE, path, &q, 15000, -1, &nlq__describe_reply__descriptor, &m, e);
	if (rc == 0)
		rc = pb_catalog_read(((Nlq__DescribeReply *)m)->catalog, ret_catalog, e);
	wire_free(m);
	return rc;
}

int rig_version(struct rig *r, const char *path, struct hash *ret_version, struct err *e)
{
	Nlq__CheckVersionRequest q = NLQ__CHECK_VERSION_REQUEST__INIT;
	ProtobufCMessage *m = NULL;
	int rc;

	q.source = &test_source;
	rc = call(r, NLQ__KIND__CHECK_VERSION, path, &q, 5000, -1,
	    &nlq__check_version_reply__descriptor, &m, e);
	if (rc == 0)
		memcpy(
		    ret_version->bytes, ((Nlq__CheckVersionReply *)m)->data_version.data, HASH_LEN);
	wire_free(m);
	return rc;
}

int rig_values(struct rig *r, const char *path, char **spans, size_t n_spans,
    Nlq__FindValuesReply **ret_reply, struct err *e)
{
	Nlq__FindValuesRequest q = NLQ__FIND_VALUES_REQUEST__INIT;
	ProtobufCMessage *m = NULL;
	int rc;

	q.source = &test_source;
	q.spans = spans;
	q.n_spans = n_spans;
	rc = call(r, NLQ__KIND__FIND_VALUES, path, &q, 5000, -1,
	    &nlq__find_values_reply__descriptor, &m, e);
	if (rc == 0)
		*ret_reply = (Nlq__FindValuesReply *)m;
	return rc;
}

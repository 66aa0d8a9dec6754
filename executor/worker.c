/* Birth, loop and end of a worker. */
#include "executor/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "executor/cell.h"
#include "executor/describe.h"
#include "executor/sandbox.h"
#include "executor/sealed.h"
#include "executor/snapshot.h"

#define SOCK 3
#define N_COPY_FDS 3

static const struct frame_wait for_ever = {UINT64_MAX, -1};

/* Leaves the socket as descriptor 3, /dev/null as 0 to 2, and nothing else. */
static int drop_descriptors(int sock)
{
	int null;

	if (sock != SOCK && dup2(sock, SOCK) < 0)
		return -1;
	if (syscall(SYS_close_range, SOCK + 1, UINT_MAX, 0) != 0)
		return -1;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return -1;
#ifndef NLQ_SANITIZER /* a sanitizer's report goes to the daemon's own stderr */
	if (dup2(null, 2) < 0)
		return -1;
#endif
	return close(null);
}

static int say_error(enum frame_type type, uint32_t id, const struct err *e)
{
	struct strbuf out;
	int rc;

	strbuf_init(&out, 4 * ERR_TEXT_MAX);
	frame_put_err(&out, e);
	rc = frame_send(SOCK, type, id, out.data, out.len, &for_ever);
	strbuf_done(&out);
	return rc;
}

/* --- birth --------------------------------------------------------------------------- */

static int open_copy(struct sealed *s, int fds[N_COPY_FDS], struct err *e)
{
	static const char *const suffixes[N_COPY_FDS] = {"", "-wal", "-shm"};
	char path[PATH_MAX + 8];
	int rc = snapshot_copy(
	    &s->file, s->conf->snapshot_base, s->conf->snapshot_max_bytes, s->copy, e);

	for (int i = 0; rc == 0 && i < N_COPY_FDS; i++) {
		strcpy(stpcpy(path, s->copy), suffixes[i]);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			rc = err_set(e, ERR_IO, PHASE_DESCRIBE, "cannot open the private copy");
	}
	return rc;
}

/* Everything up to the walls: nothing of the file is interpreted but its header. */
static int enter(struct sealed *s, const char *path, struct err *e)
{
	int fds[SOURCE_N_FDS + N_COPY_FDS] = {-1, -1, -1, -1, -1, -1, -1};
	const char *wall;
	int rc = source_file_open(&s->file, path, e);

	if (rc == 0 && s->file.mode == SOURCE_COPY)
		rc = open_copy(s, fds + SOURCE_N_FDS, e);
	if (rc != 0)
		return rc;
	memcpy(fds, s->file.fds, sizeof(s->file.fds));
	if (db_warm_up(s->conf->heap_bytes) != 0)
		return err_set(e, ERR_INTERNAL, PHASE_DESCRIBE, "the engine does not start");
	wall = sandbox_enter(s->conf->sandbox, fds, ARRAY_SIZE(fds));
	if (wall != NULL)
		return err_set(e, ERR_INTERNAL, PHASE_DESCRIBE,
		    "the sandbox wall %s could not be put up", wall);
	return 0;
}

/* An open connection in WAL mode holds a lock for life: while it stands, the last
 * writer's close neither writes the -wal back nor removes it. So between calls such
 * a file is closed. */
static bool closes_between_calls(const struct sealed *s)
{
	return s->file.mode == SOURCE_LOCKED && s->file.fds[SOURCE_WAL] >= 0;
}

/* What the engine said, seen again beside the file: an IMMUTABLE or copied file that
 * changed meanwhile may have given any rows; and a failure to read may only mean that
 * a writer's -wal or -journal came, which this process may not open. */
static int recheck(const struct sealed *s, int rc, struct err *e)
{
	bool failed = rc == ERR_SOURCE_CORRUPT || rc == ERR_IO;
	struct err changed = ERR_INIT;
	struct hash now;
	int late = 0;

	if (failed || (rc == 0 && s->file.mode != SOURCE_LOCKED))
		late = source_file_version(&s->file, &now, &changed);
	if (late == 0 && failed && source_file_has_new_journal(&s->file))
		late = err_set(
		    &changed, ERR_SOURCE_CHANGED, PHASE_RUN, "a writer is at work in the database");
	if (late == 0)
		return rc;
	*e = changed;
	return late;
}

static void close_source(struct sealed *s)
{
	sqlite3_finalize(s->version_of);
	s->version_of = NULL;
	db_close(&s->db);
}

/* Behind the walls: the engine may look at the file. */
static int open_source(struct sealed *s, struct err *e)
{
	enum db_check check = DB_CHECK_SKIPPED;
	int rc = db_open(&s->db, s->copy[0] != '\0' ? s->copy : s->file.path, s->file.mode,
	    s->conf->cache_kib, e);

	if (rc == 0 && s->file.size <= s->conf->check_max_bytes)
		rc = db_quick_check(&s->db, clock_mono_ms() + s->conf->check_ms, &check, e);
	if (closes_between_calls(s))
		close_source(s);
	return recheck(s, rc, e);
}

/* --- calls --------------------------------------------------------------------------- */

/* The statement is kept: preparing it costs more than a small query. */
static int64_t schema_version(struct sealed *s)
{
	int64_t v = -1;

	if (s->version_of == NULL &&
	    cell_prepare(s->db.h, &s->version_of, "PRAGMA main.schema_version") != SQLITE_OK)
		return -1;
	if (sqlite3_step(s->version_of) == SQLITE_ROW)
		v = sqlite3_column_int64(s->version_of, 0);
	sqlite3_reset(s->version_of);
	return v;
}

int sealed_schema(struct sealed *s, const struct catalog **ret_schema, struct err *e)
{
	const struct describe_options o = {.schema_only = true};
	int64_t version = schema_version(s);
	int rc;

	if (s->schema == NULL || version < 0 || version != s->schema_version) {
		catalog_free(s->schema);
		s->schema = NULL;
		rc = describe_catalog(s->db.h, "", &o, &s->schema, e);
		if (rc != 0)
			return rc;
		s->schema_version = version;
		s->widest = 0;
		for (size_t i = 0; i < s->schema->n_tables; i++)
			if (s->schema->tables[i].n_columns > s->widest)
				s->widest = s->schema->tables[i].n_columns;
		db_set_columns(&s->db, s->widest);
	}
	*ret_schema = s->schema;
	return 0;
}

static int open_for_call(struct sealed *s, struct err *e)
{
	int rc = source_file_version(&s->file, &s->version, e);

	if (rc == 0 && s->db.h == NULL)
		rc = db_open(&s->db, s->file.path, s->file.mode, s->conf->cache_kib, e);
	if (rc == 0 && s->schema != NULL)
		db_set_columns(&s->db, s->widest);
	if (rc == 0)
		db_arm(&s->db, s->deadline_ms, 0);
	return rc;
}

static int do_call(struct sealed *s, const struct frame *f, struct strbuf *reply, struct err *e)
{
	struct call_head head;
	size_t body;
	int rc;

	if (f->type != FRAME_CALL ||
	    frame_get_call(f->payload.data, f->payload.len, &head, &body) != 0)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "not a call");
	s->deadline_ms = clock_mono_ms() + head.query_ms;
	rc = open_for_call(s, e);
	if (rc == 0)
		rc = pb_worker_call(
		    s, &head, f->payload.data + body, f->payload.len - body, reply, e);
	if (closes_between_calls(s))
		close_source(s);
	return recheck(s, rc, e);
}

/* Codes after which this process is not trusted with another call. */
static bool ends_worker(int rc)
{
	return rc == ERR_SOURCE_CHANGED || rc == ERR_NOMEM || rc == ERR_COST ||
	    rc == ERR_PROTOCOL || rc == ERR_INTERNAL || rc == ERR_SOURCE_CORRUPT || rc == ERR_IO;
}

/* Half of its processor time is used: the next call gets a fresh process. */
static bool is_old(const struct sealed *s)
{
	struct timespec t;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0 ||
	    (uint64_t)t.tv_sec >= s->conf->sandbox->cpu_s / 2;
}

static void serve(struct sealed *s)
{
	struct strbuf reply;
	struct frame f;

	frame_init(&f, FRAME_MAX);
	strbuf_init(&reply, FRAME_MAX);
	while (frame_recv(SOCK, &f, &for_ever) == 0) {
		struct err e = ERR_INIT;
		bool last;
		int rc;

		strbuf_clear(&reply);
		rc = do_call(s, &f, &reply, &e);
		if (rc == 0 && reply.failed)
			rc = err_set(&e, ERR_TOO_LARGE, PHASE_RUN, "the reply is too large");
		last = ends_worker(rc) || is_old(s);
		if (rc != 0)
			rc = say_error(last ? FRAME_BYE : FRAME_ERROR, f.id, &e);
		else
			rc = frame_send(SOCK, last ? FRAME_LAST : FRAME_REPLY, f.id, reply.data,
			    reply.len, &for_ever);
		if (rc != 0 || last)
			break;
	}
	/* Freed for the leak checker's sake; the process ends without its exit handlers. */
	frame_done(&f);
	strbuf_done(&reply);
}

NLQ_NORETURN void worker_main(int sock, const char *path, const struct worker_conf *conf)
{
	static struct sealed s;
	struct err e = ERR_INIT;

	if (drop_descriptors(sock) != 0)
		_exit(1);
	s.conf = conf;
	if (enter(&s, path, &e) != 0 || open_source(&s, &e) != 0) {
		say_error(FRAME_BYE, 0, &e);
		_exit(0);
	}
	if (frame_send(SOCK, FRAME_HELLO, 0, NULL, 0, &for_ever) == 0)
		serve(&s);
	_exit(0);
}

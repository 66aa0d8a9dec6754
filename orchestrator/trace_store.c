/* See trace_store.h. The engine's own error text is not passed on: what can go
 * wrong here is the disk, and the code says that. */
#include "orchestrator/trace_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 2000
#define WAL_PAGES_MAX 1000
#define DAY_LEN 11 /* YYYY-MM-DD and a NUL */

static const char schema_sql[] =
    "CREATE TABLE IF NOT EXISTS event(seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
    " request BLOB NOT NULL, at_us INTEGER NOT NULL, uid INTEGER NOT NULL, source TEXT NOT NULL,"
    " component TEXT NOT NULL, operation TEXT NOT NULL, instance BLOB NOT NULL,"
    " start_us INTEGER NOT NULL, duration_us INTEGER NOT NULL, status TEXT NOT NULL,"
    " detail TEXT NOT NULL, client_key BLOB NOT NULL, request_hash BLOB NOT NULL,"
    " reply_hash BLOB NOT NULL, digest BLOB NOT NULL, chain BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS event_request ON event(request, kind);"
    "CREATE INDEX IF NOT EXISTS event_begin ON event(at_us) WHERE kind = 1;"
    "CREATE TABLE IF NOT EXISTS payload(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
    " bytes BLOB NOT NULL);";

struct trace_store {
	char *dir;
	bool is_sync_full;
	char day[DAY_LEN];
	sqlite3 *db;
	sqlite3_stmt *add_event, *add_payload;
	int64_t seq;           /* of the newest event */
	struct hash head;      /* its chain hash */
	int64_t committed_seq; /* what rollback goes back to */
	struct hash committed_head;
	int wal_pages;
};

static int io_error(struct err *e, int rc, const char *what)
{
	err_set(e, ERR_IO, PHASE_TRACE, "the trace store cannot be written (%s: %s)", what,
	    rc == SQLITE_FULL                                 ? "no space left"
	        : rc == SQLITE_BUSY || rc == SQLITE_LOCKED    ? "locked by another process"
	        : rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB ? "the file is damaged"
	                                                      : "input/output error");
	err_fix(e, "check the state folder (state_dir): free space, permissions, other processes");
	if (e)
		e->retry = true;
	return ERR_IO;
}

static void day_of(int64_t now_us, char out[DAY_LEN])
{
	time_t t = (time_t)(now_us / 1000000);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, DAY_LEN, "%Y-%m-%d", &tm);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_trace_name(const char *name)
{
	return strlen(name) == strlen("trace-2000-01-01.sqlite") &&
	    strncmp(name, "trace-", 6) == 0 && strcmp(name + 16, ".sqlite") == 0;
}

int trace_files(const char *dir, char ***ret_names, struct err *e)
{
	DIR *d = opendir(dir);
	char **names = NULL;
	size_t n = 0;
	struct dirent *entry;

	if (!d)
		return err_set(e, ERR_IO, PHASE_TRACE, "cannot read the folder \"%s\": %s", dir,
		    strerror(errno));
	while ((entry = readdir(d))) {
		char **grown;

		if (!is_trace_name(entry->d_name))
			continue;
		grown = realloc(names, (n + 1) * sizeof(*names));
		if (!grown)
			break;
		names = grown;
		names[n] = strdup(entry->d_name);
		if (!names[n])
			break;
		n++;
	}
	closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), compare_names);
	*ret_names = names;
	return (int)n;
}

static void blob_read(sqlite3_stmt *row, int column, void *out, size_t len)
{
	const void *p = sqlite3_column_blob(row, column);
	size_t have = (size_t)sqlite3_column_bytes(row, column);

	memset(out, 0, len);
	if (p)
		memcpy(out, p, have < len ? have : len);
}

static const char *text_read(sqlite3_stmt *row, int column)
{
	const unsigned char *p = sqlite3_column_text(row, column);

	return p ? (const char *)p : "";
}

void trace_row_read(
    sqlite3_stmt *row, int64_t *ret_seq, struct trace_event *ret_event, struct hash *ret_chain)
{
	struct trace_event *ev = ret_event;

	memset(ev, 0, sizeof(*ev));
	*ret_seq = sqlite3_column_int64(row, 0);
	ev->kind = (enum trace_kind)sqlite3_column_int(row, 1);
	blob_read(row, 2, ev->request, sizeof(ev->request));
	ev->at_us = sqlite3_column_int64(row, 3);
	ev->uid = (uint32_t)sqlite3_column_int64(row, 4);
	ev->source = text_read(row, 5);
	ev->component = text_read(row, 6);
	ev->operation = text_read(row, 7);
	blob_read(row, 8, ev->instance, sizeof(ev->instance));
	ev->start_us = (uint64_t)sqlite3_column_int64(row, 9);
	ev->duration_us = (uint64_t)sqlite3_column_int64(row, 10);
	ev->status = text_read(row, 11);
	ev->detail = text_read(row, 12);
	blob_read(row, 13, ev->client_key, sizeof(ev->client_key));
	blob_read(row, 14, &ev->request_hash, sizeof(ev->request_hash));
	blob_read(row, 15, &ev->reply_hash, sizeof(ev->reply_hash));
	blob_read(row, 16, &ev->digest, sizeof(ev->digest));
	if (ret_chain)
		blob_read(row, 17, ret_chain, sizeof(*ret_chain));
}

static void hash_text(struct hash_ctx *c, const char *s)
{
	hash_field(c, s, strlen(s));
}

void trace_chain_hash(
    const struct hash *prev, int64_t seq, const struct trace_event *ev, struct hash *ret_hash)
{
	int64_t numbers[6] = {
	    seq, ev->kind, ev->at_us, ev->uid, (int64_t)ev->start_us, (int64_t)ev->duration_us};
	struct hash_ctx c;

	hash_begin(&c);
	hash_field(&c, prev, sizeof(*prev));
	hash_field(&c, numbers, sizeof(numbers));
	hash_field(&c, ev->request, sizeof(ev->request));
	hash_text(&c, ev->source);
	hash_text(&c, ev->component);
	hash_text(&c, ev->operation);
	hash_field(&c, ev->instance, sizeof(ev->instance));
	hash_text(&c, ev->status);
	hash_text(&c, ev->detail);
	hash_field(&c, ev->client_key, sizeof(ev->client_key));
	hash_field(&c, &ev->request_hash, sizeof(ev->request_hash));
	hash_field(&c, &ev->reply_hash, sizeof(ev->reply_hash));
	hash_field(&c, &ev->digest, sizeof(ev->digest));
	hash_end(&c, ret_hash);
}

/* The newest number and chain hash of a file; 0 and zeros if it is empty. */
static int read_head(sqlite3 *db, int64_t *ret_seq, struct hash *ret_head)
{
	sqlite3_stmt *row = NULL;
	int rc = sqlite3_prepare_v2(
	    db, "SELECT seq, chain FROM event ORDER BY seq DESC LIMIT 1", -1, &row, NULL);

	*ret_seq = 0;
	memset(ret_head, 0, sizeof(*ret_head));
	if (rc == SQLITE_OK) {
		rc = sqlite3_step(row);
		if (rc == SQLITE_ROW) {
			*ret_seq = sqlite3_column_int64(row, 0);
			blob_read(row, 1, ret_head, sizeof(*ret_head));
		}
	}
	sqlite3_finalize(row);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : rc;
}

/* Last hash of the newest file before the day; zeros if there is none. */
static void head_before(const char *dir, const char *day, struct hash *ret_head)
{
	char **names = NULL;
	char path[4096], today[40];
	int n = trace_files(dir, &names, NULL);
	const char *before = NULL;

	memset(ret_head, 0, sizeof(*ret_head));
	snprintf(today, sizeof(today), "trace-%s.sqlite", day);
	for (int i = 0; i < n; i++) {
		if (strcmp(names[i], today) < 0)
			before = names[i];
	}
	if (before && snprintf(path, sizeof(path), "%s/%s", dir, before) < (int)sizeof(path)) {
		sqlite3 *db = NULL;
		int64_t seq;

		if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
			read_head(db, &seq, ret_head);
		sqlite3_close(db);
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int on_wal(void *arg, sqlite3 *db, const char *name, int pages)
{
	(void)db;
	(void)name;
	((struct trace_store *)arg)->wal_pages = pages;
	return SQLITE_OK;
}

static void close_file(struct trace_store *s)
{
	sqlite3_finalize(s->add_event);
	sqlite3_finalize(s->add_payload);
	sqlite3_close(s->db);
	s->add_event = s->add_payload = NULL;
	s->db = NULL;
}

static int prepare_file(struct trace_store *s)
{
	int rc;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	rc = sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db,
		    s->is_sync_full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", NULL,
		    NULL, NULL);
	/* Moving the WAL is done when there is time, not inside a commit. */
	if (rc == SQLITE_OK)
		rc = sqlite3_wal_autocheckpoint(s->db, 0);
	sqlite3_wal_hook(s->db, on_wal, s);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, schema_sql, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(s->db,
		    "INSERT INTO event(" TRACE_COLUMNS ")"
		    " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		    -1, SQLITE_PREPARE_PERSISTENT, &s->add_event, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(s->db,
		    "INSERT OR IGNORE INTO payload(hash, bytes) VALUES(?,?)", -1,
		    SQLITE_PREPARE_PERSISTENT, &s->add_payload, NULL);
	return rc;
}

static int open_file(struct trace_store *s, const char *day, struct err *e)
{
	char path[4096];
	struct hash before;
	int fd, rc;

	if (snprintf(path, sizeof(path), "%s/trace-%s.sqlite", s->dir, day) >= (int)sizeof(path))
		return err_set(e, ERR_CONFIG, PHASE_TRACE, "the state folder's name is too long");
	head_before(s->dir, day, &before);
	/* Made here so that it is ours alone from its first byte. */
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(
		    e, ERR_IO, PHASE_TRACE, "cannot write \"%s\": %s", path, strerror(errno));
	close(fd);
	rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK)
		rc = prepare_file(s);
	if (rc == SQLITE_OK)
		rc = read_head(s->db, &s->seq, &s->head);
	if (rc != SQLITE_OK) {
		close_file(s);
		return io_error(e, rc, "opening today's file");
	}
	memcpy(s->day, day, DAY_LEN);
	s->committed_seq = s->seq;
	s->committed_head = s->head;
	if (s->seq == 0)
		s->head = before; /* the head event that trace_store_begin adds continues it */
	return 0;
}

int trace_store_open(const char *dir, bool is_sync_full, int64_t now_us,
    struct trace_store **ret_store, struct err *e)
{
	struct trace_store *s = calloc(1, sizeof(*s));
	char day[DAY_LEN];
	int rc;

	if (!s || !(s->dir = strdup(dir))) {
		free(s);
		return err_set(e, ERR_NOMEM, PHASE_TRACE, "out of memory");
	}
	s->is_sync_full = is_sync_full;
	day_of(now_us, day);
	rc = open_file(s, day, e);
	if (rc) {
		trace_store_close(s);
		return rc;
	}
	*ret_store = s;
	return 0;
}

void trace_store_close(struct trace_store *s)
{
	if (!s)
		return;
	close_file(s);
	free(s->dir);
	free(s);
}

static int append(struct trace_store *s, const struct trace_event *ev)
{
	sqlite3_stmt *q = s->add_event;
	struct hash chain;
	int64_t seq = s->seq + 1;
	int rc;

	trace_chain_hash(&s->head, seq, ev, &chain);
	sqlite3_bind_int64(q, 1, seq);
	sqlite3_bind_int(q, 2, ev->kind);
	sqlite3_bind_blob(q, 3, ev->request, sizeof(ev->request), SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, ev->at_us);
	sqlite3_bind_int64(q, 5, ev->uid);
	sqlite3_bind_text(q, 6, ev->source, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 7, ev->component, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 8, ev->operation, -1, SQLITE_STATIC);
	sqlite3_bind_blob(q, 9, ev->instance, sizeof(ev->instance), SQLITE_STATIC);
	sqlite3_bind_int64(q, 10, (int64_t)ev->start_us);
	sqlite3_bind_int64(q, 11, (int64_t)ev->duration_us);
	sqlite3_bind_text(q, 12, ev->status, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 13, ev->detail, -1, SQLITE_STATIC);
	sqlite3_bind_blob(q, 14, ev->client_key, sizeof(ev->client_key), SQLITE_STATIC);
	sqlite3_bind_blob(q, 15, &ev->request_hash, sizeof(ev->request_hash), SQLITE_STATIC);
	sqlite3_bind_blob(q, 16, &ev->reply_hash, sizeof(ev->reply_hash), SQLITE_STATIC);
	sqlite3_bind_blob(q, 17, &ev->digest, sizeof(ev->digest), SQLITE_STATIC);
	sqlite3_bind_blob(q, 18, &chain, sizeof(chain), SQLITE_STATIC);
	rc = sqlite3_step(q);
	sqlite3_reset(q);
	if (rc != SQLITE_DONE)
		return rc;
	s->seq = seq;
	s->head = chain;
	return SQLITE_OK;
}

int trace_store_begin(struct trace_store *s, int64_t now_us, struct err *e)
{
	char day[DAY_LEN];
	int rc;

	day_of(now_us, day);
	if (!s->db || strcmp(day, s->day) > 0) {
		close_file(s);
		rc = open_file(s, day, e);
		if (rc)
			return rc;
	}
	rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK && s->seq == 0) {
		struct trace_event head = TRACE_EVENT_INIT;

		head.kind = TRACE_HEAD;
		head.at_us = now_us;
		head.request_hash = s->head; /* zero in the very first file */
		rc = append(s, &head);
		if (rc != SQLITE_OK)
			trace_store_rollback(s);
	}
	return rc == SQLITE_OK ? 0 : io_error(e, rc, "beginning");
}

int trace_store_append(struct trace_store *s, const struct trace_event *ev, struct err *e)
{
	int rc = append(s, ev);

	return rc == SQLITE_OK ? 0 : io_error(e, rc, "appending");
}

int trace_store_payload(
    struct trace_store *s, const struct hash *h, const void *bytes, size_t len, struct err *e)
{
	int rc;

	sqlite3_bind_blob(s->add_payload, 1, h, sizeof(*h), SQLITE_STATIC);
	sqlite3_bind_blob64(s->add_payload, 2, len ? bytes : "", len, SQLITE_STATIC);
	rc = sqlite3_step(s->add_payload);
	sqlite3_reset(s->add_payload);
	return rc == SQLITE_DONE ? 0 : io_error(e, rc, "appending payload");
}

int trace_store_commit(struct trace_store *s, struct err *e)
{
	int rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);

	if (rc != SQLITE_OK) {
		trace_store_rollback(s);
		return io_error(e, rc, "committing");
	}
	s->committed_seq = s->seq;
	s->committed_head = s->head;
	return 0;
}

void trace_store_rollback(struct trace_store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->seq = s->committed_seq;
	s->head = s->committed_head;
	/* A file whose head event was not kept starts from the file before it. */
	if (s->seq == 0)
		head_before(s->dir, s->day, &s->head);
}

void trace_store_rest(struct trace_store *s)
{
	if (!s->db || s->wal_pages < WAL_PAGES_MAX)
		return;
	sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	s->wal_pages = 0;
}

/* Appends an END for every row (request, uid, at_us) of the query on db. */
static int end_rows(struct trace_store *s, sqlite3_stmt *row, int64_t now_us, int *n_ended)
{
	int rc;

	while ((rc = sqlite3_step(row)) == SQLITE_ROW) {
		struct trace_event ev = TRACE_EVENT_INIT;

		ev.kind = TRACE_END;
		blob_read(row, 0, ev.request, sizeof(ev.request));
		ev.uid = (uint32_t)sqlite3_column_int64(row, 1);
		ev.at_us = now_us;
		ev.duration_us = (uint64_t)(now_us - sqlite3_column_int64(row, 2));
		ev.status = "failed";
		ev.detail = "infrastructure";
		rc = append(s, &ev);
		if (rc != SQLITE_OK)
			return rc;
		(*n_ended)++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static const char orphans_sql[] =
    "SELECT request, uid, at_us FROM %s.event AS b WHERE kind = 1"
    " AND NOT EXISTS (SELECT 1 FROM %s.event AS x WHERE x.request = b.request AND x.kind = 3)"
    " AND NOT EXISTS (SELECT 1 FROM main.event AS x WHERE x.request = b.request AND x.kind = 3)";

static int close_orphans_in(struct trace_store *s, const char *schema, int64_t now_us, int *n)
{
	sqlite3_stmt *row = NULL;
	char sql[512];
	int rc;

	snprintf(sql, sizeof(sql), orphans_sql, schema, schema);
	rc = sqlite3_prepare_v2(s->db, sql, -1, &row, NULL);
	if (rc == SQLITE_OK)
		rc = end_rows(s, row, now_us, n);
	sqlite3_finalize(row);
	return rc;
}

/* Attaches the newest file before today's as "old"; false if there is none. */
static bool attach_old(struct trace_store *s)
{
	char **names = NULL;
	int n = trace_files(s->dir, &names, NULL);
	bool done = false;

	for (int i = n - 1; i >= 0 && !done; i--) {
		char path[4096];
		sqlite3_stmt *q = NULL;

		if (strncmp(names[i] + 6, s->day, DAY_LEN - 1) >= 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", s->dir, names[i]) >= (int)sizeof(path))
			break;
		if (sqlite3_prepare_v2(s->db, "ATTACH ? AS old", -1, &q, NULL) == SQLITE_OK) {
			sqlite3_bind_text(q, 1, path, -1, SQLITE_STATIC);
			done = sqlite3_step(q) == SQLITE_DONE;
		}
		sqlite3_finalize(q);
		break;
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return done;
}

int trace_store_close_orphans(struct trace_store *s, int64_t now_us, struct err *e)
{
	bool has_old = attach_old(s);
	int n = 0, rc = trace_store_begin(s, now_us, e);

	if (!rc) {
		int sqlite_rc = close_orphans_in(s, "main", now_us, &n);

		if (sqlite_rc == SQLITE_OK && has_old)
			sqlite_rc = close_orphans_in(s, "old", now_us, &n);
		if (sqlite_rc != SQLITE_OK) {
			trace_store_rollback(s);
			rc = io_error(e, sqlite_rc, "closing open requests");
		} else {
			rc = trace_store_commit(s, e);
		}
	}
	if (has_old)
		sqlite3_exec(s->db, "DETACH old", NULL, NULL, NULL);
	return rc ? rc : n;
}

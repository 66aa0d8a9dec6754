/* See trace_read.h. Files are opened read-only, one at a time. A request that
 * began before midnight has its last events in the next day's file. */
#include "orchestrator/trace_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUSY_MS 2000
#define SPANS_MAX 2000

static sqlite3 *open_file(const char *dir, const char *name)
{
	char path[4200];
	sqlite3 *db = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return NULL;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK) {
		sqlite3_close(db);
		return NULL;
	}
	sqlite3_busy_timeout(db, BUSY_MS);
	return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q = NULL;

	if (!db || sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		return NULL;
	return q;
}

static void copy_event(struct arena *a, struct trace_event *to, const struct trace_event *from)
{
	*to = *from;
	to->source = arena_strdup(a, from->source);
	to->component = arena_strdup(a, from->component);
	to->operation = arena_strdup(a, from->operation);
	to->status = arena_strdup(a, from->status);
	to->detail = arena_strdup(a, from->detail);
}

static const void *payload(struct arena *a, sqlite3 *db, const struct hash *h, size_t *ret_len)
{
	static const struct hash none;
	sqlite3_stmt *q;
	const void *out = NULL;

	if (hash_equal(h, &none))
		return NULL;
	q = prepare(db, "SELECT bytes FROM payload WHERE hash = ?");
	if (!q)
		return NULL;
	sqlite3_bind_blob(q, 1, h, sizeof(*h), SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW) {
		*ret_len = (size_t)sqlite3_column_bytes(q, 0);
		out = arena_memdup(a, sqlite3_column_blob(q, 0), *ret_len);
	}
	sqlite3_finalize(q);
	return out;
}

static void entry_begin(
    struct arena *a, sqlite3 *db, const struct trace_event *ev, struct trace_entry *entry)
{
	memcpy(entry->request, ev->request, sizeof(entry->request));
	entry->at_us = ev->at_us;
	entry->uid = ev->uid;
	entry->operation = arena_strdup(a, ev->operation);
	entry->source = arena_strdup(a, ev->source);
	entry->outcome = "open";
	entry->error_class = "";
	entry->ask = payload(a, db, &ev->request_hash, &entry->ask_len);
}

static void entry_end(struct arena *a, sqlite3 *db, const struct trace_event *ev, bool with_reply,
    struct trace_entry *entry)
{
	entry->outcome = arena_strdup(a, ev->status);
	entry->error_class = arena_strdup(a, ev->detail);
	entry->ms = (double)ev->duration_us / 1000;
	if (with_reply)
		entry->reply = payload(a, db, &ev->reply_hash, &entry->reply_len);
}

/* Fills in the END event of the entry from one file, if it is there. */
static void find_end(struct arena *a, sqlite3 *db, struct trace_entry *entry)
{
	sqlite3_stmt *q = prepare(
	    db, "SELECT " TRACE_COLUMNS " FROM event WHERE request = ? AND kind = 3 LIMIT 1");
	struct trace_event ev;
	int64_t seq;

	if (!q)
		return;
	sqlite3_bind_blob(q, 1, entry->request, sizeof(entry->request), SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW) {
		trace_row_read(q, &seq, &ev, NULL);
		entry_end(a, db, &ev, false, entry);
	}
	sqlite3_finalize(q);
}

size_t trace_dirs(struct arena *a, const char *dir, const char ***ret_dirs)
{
	const char **dirs = NULL;
	size_t n = 0;

	*arena_push(a, dirs, n) = arena_strdup(a, dir);
	for (int i = 1; i <= 64; i++) {
		struct stat st;
		char *path = arena_printf(a, "%s/par-%d", dir, i);

		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			*arena_push(a, dirs, n) = path;
	}
	*ret_dirs = dirs;
	return n;
}

/* Every trace file of the folder and its par-N folders, newest day first
 * within each folder. `newer` is the file of the same folder after it. */
struct file {
	const char *dir, *name, *newer;
};

static int all_files(
    struct arena *a, const char *dir, struct file **ret_files, size_t *ret_n, struct err *e)
{
	const char **dirs;
	size_t n_dirs = trace_dirs(a, dir, &dirs), n = 0;
	struct file *files = NULL;

	for (size_t d = 0; d < n_dirs; d++) {
		char **names = NULL;
		int count = trace_files(dirs[d], &names, e);

		if (count < 0)
			return count;
		for (int i = count - 1; i >= 0; i--) {
			struct file *f = arena_push(a, files, n);

			f->dir = dirs[d];
			f->name = arena_strdup(a, names[i]);
			f->newer = i + 1 < count ? arena_strdup(a, names[i + 1]) : NULL;
		}
		for (int i = 0; i < count; i++)
			free(names[i]);
		free(names);
	}
	*ret_files = files;
	*ret_n = n;
	return 0;
}

static int newest_first(const void *x, const void *y)
{
	const struct trace_entry *a = x, *b = y;

	return a->at_us < b->at_us ? 1 : a->at_us > b->at_us ? -1 : 0;
}

int trace_list(struct arena *a, const char *dir, uint64_t uid, size_t max,
    struct trace_entry **ret_entries, size_t *ret_n, struct err *e)
{
	struct trace_entry *entries = NULL;
	struct file *files = NULL;
	size_t n = 0, n_files = 0;
	int rc = all_files(a, dir, &files, &n_files, e);

	for (size_t i = 0; !rc && i < n_files; i++) {
		size_t here = 0;
		sqlite3 *db = open_file(files[i].dir, files[i].name);
		sqlite3 *newer = files[i].newer ? open_file(files[i].dir, files[i].newer) : NULL;
		sqlite3_stmt *q = prepare(db,
		    "SELECT " TRACE_COLUMNS " FROM event WHERE kind = 1"
		    " AND (?1 < 0 OR uid = ?1) ORDER BY at_us DESC LIMIT ?2");

		if (q) {
			sqlite3_bind_int64(q, 1, uid == TRACE_ANYONE ? -1 : (int64_t)uid);
			sqlite3_bind_int64(q, 2, (int64_t)max);
		}
		while (q && here < max && sqlite3_step(q) == SQLITE_ROW) {
			struct trace_entry *entry = arena_push(a, entries, n);
			struct trace_event ev;
			int64_t seq;

			trace_row_read(q, &seq, &ev, NULL);
			entry_begin(a, db, &ev, entry);
			find_end(a, db, entry);
			if (newer && strcmp(entry->outcome, "open") == 0)
				find_end(a, newer, entry);
			here++;
		}
		sqlite3_finalize(q);
		sqlite3_close(newer);
		sqlite3_close(db);
	}
	if (rc)
		return rc;
	if (n)
		qsort(entries, n, sizeof(*entries), newest_first);
	*ret_entries = entries;
	*ret_n = n < max ? n : max;
	return 0;
}

static void read_events(
    struct arena *a, sqlite3 *db, const uint8_t id[16], struct trace_detail *detail)
{
	sqlite3_stmt *q = prepare(
	    db, "SELECT " TRACE_COLUMNS " FROM event WHERE request = ? ORDER BY seq");

	if (q)
		sqlite3_bind_blob(q, 1, id, 16, SQLITE_STATIC);
	while (q && detail->n_spans < SPANS_MAX && sqlite3_step(q) == SQLITE_ROW) {
		struct trace_event ev;
		struct hash chain;
		int64_t seq;

		trace_row_read(q, &seq, &ev, &chain);
		if (ev.kind == TRACE_BEGIN)
			entry_begin(a, db, &ev, &detail->entry);
		if (ev.kind == TRACE_END)
			entry_end(a, db, &ev, true, &detail->entry);
		struct trace_span *span = arena_push(a, detail->spans, detail->n_spans);

		span->seq = seq;
		span->chain = chain;
		copy_event(a, &span->ev, &ev);
	}
	sqlite3_finalize(q);
}

/* Finds BEGIN events by a condition on ?1..?2; counts and keeps the place. */
struct found {
	uint8_t id[16];
	struct file file;
	size_t n;
};

static void find_begin(sqlite3_stmt *q, const struct file *f, struct found *found)
{
	while (q && found->n < 2 && sqlite3_step(q) == SQLITE_ROW) {
		const void *id = sqlite3_column_blob(q, 0);

		if (!id || sqlite3_column_bytes(q, 0) != 16)
			continue;
		memcpy(found->id, id, 16);
		found->file = *f;
		found->n++;
	}
}

static int read_found(struct arena *a, const struct found *found, struct trace_detail *ret_detail)
{
	struct trace_detail detail = {0};
	sqlite3 *db = open_file(found->file.dir, found->file.name);

	read_events(a, db, found->id, &detail);
	sqlite3_close(db);
	if (found->file.newer) {
		db = open_file(found->file.dir, found->file.newer);
		read_events(a, db, found->id, &detail);
		sqlite3_close(db);
	}
	*ret_detail = detail;
	return 0;
}

static int from_hex(const char *hex, uint8_t lo[16], uint8_t hi[16])
{
	size_t len = strlen(hex);

	if (len < 4 || len > 32 || strspn(hex, "0123456789abcdefABCDEF") != len)
		return -1;
	memset(lo, 0, 16);
	memset(hi, 0xff, 16);
	for (size_t i = 0; i < len; i++) {
		char digit[2] = {hex[i], 0};
		uint8_t v = (uint8_t)strtoul(digit, NULL, 16);
		int shift = i % 2 ? 0 : 4;

		lo[i / 2] |= (uint8_t)(v << shift);
		hi[i / 2] &= (uint8_t) ~((0xf & ~v) << shift);
	}
	return 0;
}

int trace_show(struct arena *a, const char *dir, uint64_t uid, const char *hex,
    struct trace_detail *ret_detail, struct err *e)
{
	uint8_t lo[16], hi[16];
	struct found found = {0};
	struct file *files = NULL;
	size_t n = 0;
	int rc;

	if (from_hex(hex, lo, hi)) {
		err_set(e, ERR_BAD_INPUT, PHASE_TRACE, "a request id is 4 to 32 hex digits");
		err_fix(e, "nlq trace list shows the ids");
		return ERR_BAD_INPUT;
	}
	rc = all_files(a, dir, &files, &n, e);
	for (size_t i = 0; !rc && i < n && found.n < 2; i++) {
		sqlite3 *db = open_file(files[i].dir, files[i].name);
		sqlite3_stmt *q = prepare(db,
		    "SELECT request FROM event WHERE request BETWEEN ?1 AND ?2"
		    " AND kind = 1 AND (?3 < 0 OR uid = ?3) LIMIT 2");

		if (q) {
			sqlite3_bind_blob(q, 1, lo, 16, SQLITE_STATIC);
			sqlite3_bind_blob(q, 2, hi, 16, SQLITE_STATIC);
			sqlite3_bind_int64(q, 3, uid == TRACE_ANYONE ? -1 : (int64_t)uid);
		}
		find_begin(q, &files[i], &found);
		sqlite3_finalize(q);
		sqlite3_close(db);
	}
	if (rc)
		return rc;
	if (found.n == 0) {
		err_set(e, ERR_NOT_FOUND, PHASE_TRACE, "no request whose id starts with %s", hex);
		err_fix(e, "nlq trace list shows the ids");
		return ERR_NOT_FOUND;
	}
	if (found.n > 1) {
		err_set(e, ERR_BAD_INPUT, PHASE_TRACE,
		    "several requests have an id that starts with %s", hex);
		err_fix(e, "give more digits");
		return ERR_BAD_INPUT;
	}
	return read_found(a, &found, ret_detail);
}

int trace_lookup(struct arena *a, const char *dir, uint64_t uid, const uint8_t key[16],
    struct trace_detail *ret_detail, struct err *e)
{
	struct found found = {0};
	struct file *files = NULL;
	size_t n = 0;
	int rc = all_files(a, dir, &files, &n, e);

	/* A lost answer is of today or, around midnight, of yesterday. */
	for (size_t i = 0; !rc && i < n && i < 2 && !found.n; i++) {
		sqlite3 *db = open_file(files[i].dir, files[i].name);
		sqlite3_stmt *q = prepare(db,
		    "SELECT request FROM event WHERE kind = 1"
		    " AND client_key = ?1 AND uid = ?2 ORDER BY at_us DESC LIMIT 1");

		if (q) {
			sqlite3_bind_blob(q, 1, key, 16, SQLITE_STATIC);
			sqlite3_bind_int64(q, 2, (int64_t)uid);
		}
		find_begin(q, &files[i], &found);
		sqlite3_finalize(q);
		sqlite3_close(db);
	}
	if (rc)
		return rc;
	if (!found.n)
		return err_set(e, ERR_NOT_FOUND, PHASE_TRACE, "no request with this key");
	return read_found(a, &found, ret_detail);
}

static int broken(struct trace_check_result *r, const char *file, int64_t seq, const char *why)
{
	r->is_sound = false;
	snprintf(r->broken_file, sizeof(r->broken_file), "%s", file);
	r->broken_seq = seq;
	snprintf(r->why, sizeof(r->why), "%s", why);
	return 1;
}

/* One file's chain, from the last hash of the file before it. A folder whose
 * oldest files were removed starts from whatever its first head says. */
static int verify_events(
    sqlite3 *db, const char *name, bool is_first, struct hash *head, struct trace_check_result *r)
{
	sqlite3_stmt *q = prepare(db, "SELECT " TRACE_COLUMNS " FROM event ORDER BY seq");
	int64_t expected = 1;
	int bad = 0, rc = SQLITE_ERROR;

	while (q && !bad && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct trace_event ev;
		struct hash chain, own;
		int64_t seq;

		trace_row_read(q, &seq, &ev, &chain);
		if (seq == 1 && is_first)
			*head = ev.request_hash;
		trace_chain_hash(head, seq, &ev, &own);
		if (seq != expected)
			bad = broken(r, name, expected, "an event is missing");
		else if (seq == 1 && ev.kind != TRACE_HEAD)
			bad = broken(r, name, seq, "the first event is no head");
		else if (seq == 1 && !hash_equal(&ev.request_hash, head))
			bad = broken(r, name, seq, "the head does not continue the file before it");
		else if (!hash_equal(&own, &chain))
			bad = broken(r, name, seq, "the event was changed");
		*head = chain;
		expected++;
		r->events++;
	}
	sqlite3_finalize(q);
	if (!bad && rc != SQLITE_DONE)
		bad = broken(r, name, expected, "the file cannot be read");
	return bad;
}

static int verify_payloads(sqlite3 *db, const char *name, struct trace_check_result *r)
{
	sqlite3_stmt *q = prepare(db, "SELECT id, hash, bytes FROM payload");
	int bad = 0;

	while (q && !bad && sqlite3_step(q) == SQLITE_ROW) {
		struct hash own;

		hash_bytes(sqlite3_column_blob(q, 2), (size_t)sqlite3_column_bytes(q, 2), &own);
		if (sqlite3_column_bytes(q, 1) != HASH_LEN ||
		    memcmp(sqlite3_column_blob(q, 1), &own, HASH_LEN) != 0)
			bad = broken(r, name, sqlite3_column_int64(q, 0), "a payload was changed");
		r->payloads++;
	}
	sqlite3_finalize(q);
	return bad;
}

int trace_verify(const char *dir, struct trace_check_result *ret_result, struct err *e)
{
	char **names = NULL;
	int n = trace_files(dir, &names, e), bad = 0;
	struct hash head = {0};

	memset(ret_result, 0, sizeof(*ret_result));
	if (n < 0)
		return n;
	ret_result->is_sound = true;
	for (int i = 0; i < n && !bad; i++) {
		sqlite3 *db = open_file(dir, names[i]);

		bad = verify_events(db, names[i], i == 0, &head, ret_result);
		if (!bad)
			bad = verify_payloads(db, names[i], ret_result);
		ret_result->files++;
		sqlite3_close(db);
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return 0;
}

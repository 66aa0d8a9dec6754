/* Flags, limits, pragmas, progress handler. */
#include "executor/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "executor/errmap.h"

#define OPCODES_PER_LOOK 1000
#define BUSY_MS 1000
#define FIRST_READ_TRIES 10
#define FIRST_READ_WAIT_MS 20

int db_warm_up(uint64_t heap_bytes)
{
	char bytes[8];
	sqlite3 *h = NULL;
	time_t now = time(NULL);
	struct tm tm;

	tzset();
	localtime_r(&now, &tm);
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1); /* the heap limit needs it */
	sqlite3_config(SQLITE_CONFIG_URI, 0);
	if (sqlite3_initialize() != SQLITE_OK)
		return -1;
	sqlite3_randomness(sizeof(bytes), bytes);
	if (sqlite3_open_v2(":memory:", &h, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return -1;
	sqlite3_exec(h, "SELECT date('now','localtime'), random()", NULL, NULL, NULL);
	sqlite3_close(h);
	sqlite3_hard_heap_limit64((sqlite3_int64)heap_bytes);
	return 0;
}

static int look(void *arg)
{
	struct db *d = arg;

	d->opcodes += OPCODES_PER_LOOK;
	if (d->opcodes_max != 0 && d->opcodes >= d->opcodes_max)
		d->is_out_of_opcodes = true;
	return d->is_out_of_opcodes || clock_mono_ms() >= d->deadline_ms;
}

void db_arm(struct db *d, uint64_t deadline_ms, uint64_t opcodes_max)
{
	d->deadline_ms = deadline_ms;
	d->opcodes = 0;
	d->opcodes_max = opcodes_max;
	d->is_out_of_opcodes = false;
	sqlite3_progress_handler(d->h, OPCODES_PER_LOOK, look, d);
}

static void set_limits(sqlite3 *h)
{
	static const struct {
		int id, value;
	} limits[] = {
	    {SQLITE_LIMIT_LENGTH, 1 << 20},
	    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
	    {SQLITE_LIMIT_EXPR_DEPTH, 200},
	    {SQLITE_LIMIT_COMPOUND_SELECT, 20},
	    {SQLITE_LIMIT_VDBE_OP, 250000},
	    {SQLITE_LIMIT_FUNCTION_ARG, 16},
	    {SQLITE_LIMIT_ATTACHED, 0},
	    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500},
	    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},
	    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
	    {SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		sqlite3_limit(h, limits[i].id, limits[i].value);
}

static int set_config(sqlite3 *h)
{
	static const struct {
		int op, on;
	} ops[] = {
	    {SQLITE_DBCONFIG_DEFENSIVE, 1},
	    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
	    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	    {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
	    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
	    {SQLITE_DBCONFIG_DQS_DML, 0},
	    {SQLITE_DBCONFIG_DQS_DDL, 0},
	    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (sqlite3_db_config(h, ops[i].op, ops[i].on, NULL) != SQLITE_OK)
			return SQLITE_ERROR;
	return SQLITE_OK;
}

/* What needs no look at the file. temp_store first: setting it drops temporary
 * objects. */
static int set_pragmas(sqlite3 *h)
{
	return sqlite3_exec(h,
	    "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA cell_size_check=ON;"
	    "PRAGMA query_only=ON",
	    NULL, NULL, NULL);
}

static int set_cache(sqlite3 *h, uint32_t cache_kib)
{
	char text[64];

	snprintf(text, sizeof(text), "PRAGMA cache_size=-%u", (unsigned)cache_kib);
	return sqlite3_exec(h, text, NULL, NULL, NULL);
}

/* file:...?immutable=1 with what a URI cannot hold as %XX. */
static char *immutable_uri(const char *path)
{
	static const char hex[] = "0123456789ABCDEF";
	static const char tail[] = "?immutable=1";
	char *uri = malloc(5 + 3 * strlen(path) + sizeof(tail)), *p = uri;

	if (uri == NULL)
		return NULL;
	p = stpcpy(p, "file:");
	for (const unsigned char *s = (const unsigned char *)path; *s != '\0'; s++) {
		bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		    (*s >= '0' && *s <= '9') || strchr("/._-", *s) != NULL;

		if (plain) {
			*p++ = (char)*s;
		} else {
			*p++ = '%';
			*p++ = hex[*s >> 4];
			*p++ = hex[*s & 15];
		}
	}
	strcpy(p, tail);
	return uri;
}

/* The first read of the file: header, schema, -wal, -journal. What looks like the
 * journal of a crashed writer may be one at work, for a moment: it gets some. */
static int first_read(sqlite3 *h, struct err *e)
{
	int rc = SQLITE_OK;

	for (int i = 0; i < FIRST_READ_TRIES; i++) {
		rc = sqlite3_exec(h, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
		if ((rc & 0xff) != SQLITE_READONLY && (rc & 0xff) != SQLITE_CANTOPEN)
			break;
		sqlite3_sleep(FIRST_READ_WAIT_MS);
	}
	if (rc == SQLITE_OK)
		return 0;
	if ((rc & 0xff) != SQLITE_READONLY)
		return errmap(e, h, rc, PHASE_DESCRIBE);
	rc = err_set(e, ERR_SOURCE_CORRUPT, PHASE_DESCRIBE,
	    "the database was left in the middle of a write");
	err_fix(e, "open it once with a program that may write, so that the write is undone");
	return rc;
}

int db_open(
    struct db *d, const char *path, enum source_mode mode, uint32_t cache_kib, struct err *e)
{
	char *uri = mode == SOURCE_IMMUTABLE ? immutable_uri(path) : NULL;
	int rc;

	memset(d, 0, sizeof(*d));
	authz_init(&d->authz);
	rc = sqlite3_open_v2(uri != NULL ? uri : path, &d->h,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE | (uri != NULL ? SQLITE_OPEN_URI : 0),
	    NULL);
	free(uri);
	if (rc == SQLITE_OK) {
		sqlite3_extended_result_codes(d->h, 1);
		sqlite3_busy_timeout(d->h, BUSY_MS);
		rc = set_config(d->h);
	}
	if (rc == SQLITE_OK)
		rc = set_pragmas(d->h);
	if (rc == SQLITE_OK)
		set_limits(d->h);
	if (rc != SQLITE_OK)
		return errmap(e, d->h, rc, PHASE_DESCRIBE);
	rc = first_read(d->h, e);
	if (rc == 0 && set_cache(d->h, cache_kib) != SQLITE_OK)
		rc = errmap(e, d->h, sqlite3_errcode(d->h), PHASE_DESCRIBE);
	if (rc == 0)
		sqlite3_set_authorizer(d->h, authz_callback, &d->authz);
	return rc;
}

void db_close(struct db *d)
{
	sqlite3_close(d->h);
	d->h = NULL;
	authz_done(&d->authz);
}

/* Lines about the data, not about the structure: rows that a constraint of today
 * would not let in. They are read as they are. */
static bool is_about_data(const char *line)
{
	return strncmp(line, "CHECK constraint failed", 23) == 0 ||
	    strstr(line, " value in ") != NULL;
}

static int note_line(void *arg, int n, char **values, char **names)
{
	bool *found = arg;

	(void)names;
	if (n > 0 && values[0] != NULL && strcmp(values[0], "ok") != 0 && !is_about_data(values[0]))
		*found = true;
	return 0;
}

int db_quick_check(struct db *d, uint64_t deadline_ms, enum db_check *ret_check, struct err *e)
{
	bool found = false;
	int rc;

	sqlite3_set_authorizer(d->h, NULL, NULL);
	db_arm(d, deadline_ms, 0);
	rc = sqlite3_exec(d->h, "PRAGMA quick_check(20)", note_line, &found, NULL);
	sqlite3_set_authorizer(d->h, authz_callback, &d->authz);
	if ((rc & 0xff) == SQLITE_CORRUPT)
		found = true;
	if (!found && rc != SQLITE_OK && (rc & 0xff) != SQLITE_INTERRUPT)
		return errmap(e, d->h, rc, PHASE_DESCRIBE);
	*ret_check = rc == SQLITE_OK ? DB_CHECK_PASSED : DB_CHECK_CUT;
	if (!found)
		return 0;
	rc = err_set(e, ERR_SOURCE_CORRUPT, PHASE_DESCRIBE, "the database file is damaged");
	err_fix(e, "restore it from a backup, or recover it with the sqlite3 program's .recover");
	return rc;
}

void db_set_columns(struct db *d, size_t widest)
{
	size_t n = widest * 2 < 100 ? 100 : widest * 2;

	sqlite3_limit(d->h, SQLITE_LIMIT_COLUMN, n > 2000 ? 2000 : (int)n);
}

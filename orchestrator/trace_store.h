/*
 * The trace on disk: one SQLite file a day (UTC) in WAL mode, an append-only
 * table of events in a hash chain, and the payload bytes beside it by hash.
 *
 * Every event has a gapless number and the SHA-256 over the hash before it and
 * all its own fields, each with its length. Payload is not part of the chain
 * (its hash is): dropping it leaves the chain valid. Each day's file starts
 * with a head event that carries the last hash of the file before it.
 *
 * Not thread safe: the writer thread owns the store; readers open files of
 * their own (trace_read.h).
 */
#ifndef NLQ_TRACE_STORE_H
#define NLQ_TRACE_STORE_H

#include <sqlite3.h>

#include "common/base/err.h"
#include "common/base/hash.h"

enum trace_kind { TRACE_HEAD, TRACE_BEGIN, TRACE_SPAN, TRACE_END };

/* Strings are never NULL; what a kind does not use is "" or zero. */
struct trace_event {
	enum trace_kind kind;
	uint8_t request[16];
	int64_t at_us; /* wall clock, since the epoch */
	uint32_t uid;
	const char *source;                   /* BEGIN */
	const char *component;                /* SPAN: role that answered */
	const char *operation;                /* BEGIN: ask, sql_run; SPAN: ground, step ... */
	uint8_t instance[16];                 /* SPAN: process that answered */
	uint64_t start_us;                    /* SPAN: since the request's begin */
	uint64_t duration_us;                 /* SPAN, END */
	const char *status;                   /* SPAN: ok or error code; END: outcome */
	const char *detail;                   /* END: error class; SPAN: attempts and the like */
	uint8_t client_key[16];               /* BEGIN */
	struct hash request_hash, reply_hash; /* of the message bytes; zero: none */
	struct hash digest;                   /* of a result; zero: none */
};

#define TRACE_EVENT_INIT                                                                   \
	{                                                                                  \
		.source = "", .component = "", .operation = "", .status = "", .detail = "" \
	}

struct trace_store;

/* Opens (makes) the folder's file of the day of now_us. ERR_IO if the folder
 * cannot be written or the newest file cannot be continued. */
int trace_store_open(const char *dir, bool is_sync_full, int64_t now_us,
    struct trace_store **ret_store, struct err *e);
void trace_store_close(struct trace_store *s); /* NULL is fine */

/* A transaction; the file of a new day is begun here. After a failed append or
 * commit nothing of the transaction is kept. */
int trace_store_begin(struct trace_store *s, int64_t now_us, struct err *e);
int trace_store_append(struct trace_store *s, const struct trace_event *ev, struct err *e);
/* Keeps the bytes under their hash, once per file. */
int trace_store_payload(
    struct trace_store *s, const struct hash *h, const void *bytes, size_t len, struct err *e);
int trace_store_commit(struct trace_store *s, struct err *e);
void trace_store_rollback(struct trace_store *s);
/* Moves the WAL into the file when it has grown; call when there is time. */
void trace_store_rest(struct trace_store *s);
/* Ends every request without an END event in the two newest files as
 * failed/infrastructure; a transaction of its own. Returns how many, or ERR_*. */
int trace_store_close_orphans(struct trace_store *s, int64_t now_us, struct err *e);

/* The chain hash of an event; shared with the check. */
void trace_chain_hash(
    const struct hash *prev, int64_t seq, const struct trace_event *ev, struct hash *ret_hash);
/* Columns of a row "SELECT TRACE_COLUMNS FROM event": strings stay valid until
 * the statement moves. ret_chain may be NULL. */
#define TRACE_COLUMNS                                                              \
	"seq, kind, request, at_us, uid, source, component, operation, instance, " \
	"start_us, duration_us, status, detail, client_key, request_hash, "        \
	"reply_hash, digest, chain"
void trace_row_read(
    sqlite3_stmt *row, int64_t *ret_seq, struct trace_event *ret_event, struct hash *ret_chain);
/* Names of the folder's trace files (without the folder), oldest first; the
 * caller frees each and the list. Returns the number, or ERR_IO. */
int trace_files(const char *dir, char ***ret_names, struct err *e);

#endif

/*
 * The one thread that writes the trace. Callers hand over events and go on;
 * the writer commits whatever has come together (group commit). An END event
 * may carry a callback, which runs on the writer's thread once the event is
 * durable: that is when a client gets its answer.
 *
 * When the disk is full or the store is locked, END callbacks are told so, the
 * requests concerned are later closed as failed, and trace_check refuses new
 * requests until writing works again.
 */
#ifndef NLQ_TRACE_WRITER_H
#define NLQ_TRACE_WRITER_H

#include "orchestrator/trace_store.h"

enum trace_payload { TRACE_PAYLOAD_FULL, TRACE_PAYLOAD_NONE };

struct trace_conf {
	const char *dir; /* made if missing, 0700 */
	enum trace_payload payload;
	bool is_sync_full;
	bool may_share; /* private stack: use dir/par-N when dir is in use */
};

struct trace;

/* Locks the folder, closes what an earlier process left open, starts the
 * thread. ERR_BUSY if another process uses the folder. */
int trace_open(const struct trace_conf *conf, struct trace **ret_trace, struct err *e);
/* Writes what is queued, then ends the thread. NULL is fine. */
void trace_close(struct trace *t);
/* The folder that is written. */
const char *trace_dir(const struct trace *t);

/* 0, or ERR_IO while the store cannot be written. */
int trace_check(struct trace *t, struct err *e);

struct trace_part {
	const void *bytes;
	size_t len;
};
typedef void trace_done_fn(void *arg, const struct err *e); /* e NULL: durable */

/* Queues the event (everything is copied) with the bytes of its request and
 * reply, whose hashes are computed here and set in the event's copy. done may
 * be NULL; otherwise it is called exactly once, also from trace_close. Events
 * with done are written at once, the others when one of those comes or after
 * a moment. */
void trace_put(struct trace *t, const struct trace_event *ev, struct trace_part request,
    struct trace_part reply, trace_done_fn *done, void *arg);
/* Keeps bytes that spans refer to by hash (snapshots). */
void trace_put_payload(struct trace *t, const struct hash *h, const void *bytes, size_t len);

#endif

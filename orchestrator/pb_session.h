/*
 * Requests that take a while (ask, sql run, schema) from arrival to their
 * terminal event: who waits for them, what has happened so far, and their
 * end. Whatever happens, a session ends once: its END event is durable in the
 * trace before its client is answered.
 *
 *   QUEUED -taken-> RUNNING -session_finish-> ENDING -END durable-> DONE
 *   client gone, CANCEL: a queued one ends at once, a running one's jobs are
 *   cancelled and its flow ends it.
 */
#ifndef NLQ_ORCH_PB_SESSION_H
#define NLQ_ORCH_PB_SESSION_H

#include <protobuf-c/protobuf-c.h>

#include "common/rpc/server.h"
#include "orchestrator/orch.h"

struct sessions;
struct session;

/* What a flow thread needs to know of its session; constant while it runs. */
struct session_view {
	Nlq__Kind kind;
	const ProtobufCMessage *message; /* AskRequest, SqlRunRequest, SchemaRequest */
	const uint8_t *id;
	uint32_t uid;
	const char *principal, *source, *path;
	uint64_t deadline_ms, began_us;
};

int sessions_new(struct orch *o, struct sessions **ret_sessions, struct err *e);
void sessions_free(struct sessions *t); /* NULL is fine */

struct session_start {
	Nlq__Kind kind;
	ProtobufCMessage *message; /* taken, also on failure */
	const void *bytes;
	size_t len;                /* of the message, for the trace */
	const char *source, *path; /* copied */
	const char *operation;     /* for the trace */
	const uint8_t *client_key; /* 16 bytes or NULL */
	bool wants_events;
	uint32_t timeout_ms;
};
/* Admits the request and takes the exchange over, or answers it with why not. */
void session_begin(struct sessions *t, struct rpc_exchange *x, const struct session_start *start);

/* Flow threads: the next session to run, NULL when closed; then exactly one
 * session_finish, after which the session must not be used. */
struct session *session_take(struct sessions *t);
void session_view(struct session *s, struct session_view *ret_view);
bool session_is_cancelled(struct session *s);
/* A line of progress. */
void session_event(struct session *s, const char *step, const char *text);
/* The end: a reply of the kind, or (kind FAILED) the error. outcome and class
 * go to the trace. */
void session_finish(struct session *s, Nlq__Kind kind, const void *body, size_t len,
    const struct err *e, const char *outcome);

/* Client messages about a session. Each answers or keeps the exchange. */
void session_next_event(
    struct sessions *t, struct rpc_exchange *x, const uint8_t id[16], uint32_t after);
/* id: a request's id or the key that its client gave. */
void session_cancel(struct sessions *t, struct rpc_exchange *x, const uint8_t id[16]);
/* False if no session in memory has the key (the exchange is untouched). */
bool session_lookup(struct sessions *t, struct rpc_exchange *x, const uint8_t key[16]);
void session_peer_gone(struct sessions *t, uint32_t peer);
/* Cancels everything (the daemon stops and the drain time is over). */
void sessions_cancel_all(struct sessions *t);
size_t sessions_open(struct sessions *t);

#endif

/* What pb_session.c and pb_session_client.c share; nobody else includes it. All
 * functions here are called with the table's mutex held, but session_answer_send. */
#ifndef NLQ_ORCH_PB_SESSION_IN_H
#define NLQ_ORCH_PB_SESSION_IN_H

#include <pthread.h>

#include "client.pb-c.h"
#include "common/base/strbuf.h"
#include "orchestrator/pb_session.h"

#define EVENTS_MAX 200 /* lines of progress that are kept */

enum state { QUEUED, RUNNING, ENDING, DONE };

struct event {
	char *step, *text;
	uint64_t at_us;
};

struct session {
	struct sessions *table;
	struct session *next; /* in the table's list, newest first */
	enum state state;
	uint8_t id[16], client_key[16];
	bool has_key, wants_events, is_cancelled;
	uint32_t uid, peer;
	char principal[24];
	char *source, *path;
	Nlq__Kind kind;
	ProtobufCMessage *message;
	uint64_t deadline_ms, began_us, done_ms;
	struct rpc_exchange *asker;    /* waits for acceptance or for the end */
	struct rpc_exchange *listener; /* waits for an event after listener_after */
	uint32_t listener_after;
	struct event events[EVENTS_MAX];
	uint32_t n_events;
	Nlq__Kind reply_kind;
	void *reply;
	size_t reply_len;
	struct err err;
};

struct sessions {
	struct orch *o;
	pthread_mutex_t mutex;
	struct session *list;
	size_t n, n_open;
};

/* What is to be sent once the mutex is free. */
struct session_answer {
	struct rpc_exchange *x;
	Nlq__Kind kind;
	struct strbuf body;
	struct err err;
};

void session_answer_init(struct session_answer *a, struct rpc_exchange *x);
/* Without the mutex. */
void session_answer_send(struct session_answer *a);
struct session *session_find_id(struct sessions *t, const uint8_t id[16], uint64_t uid);
struct session *session_find_key(struct sessions *t, const uint8_t key[16], uint64_t uid);
/* Fill the answer: the request was taken; its end; events after a number. */
void session_accepted(struct session *s, struct session_answer *a);
void session_end_of(struct session *s, struct session_answer *a);
void session_events_after(struct session *s, uint32_t after, struct session_answer *a);

#endif

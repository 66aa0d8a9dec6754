/*
 * What the parts of dispatch share; only dispatch*.c include it.
 *
 * One mutex guards all of it. Under it there is no I/O: an answer is attached to
 * its listener_call and put on `todo`, and dispatch_unlock sends what is there
 * after it has let the mutex go. Jobs live on the stack of dispatch_call.
 */
#ifndef NLQ_RPC_DISPATCH_IMPL_H
#define NLQ_RPC_DISPATCH_IMPL_H

#include <pthread.h>
#include <sys/queue.h>

#include "common/rpc/dispatch.h"
#include "common/rpc/listener.h"
#include "common/wire/wire.h"

#define MAX_ROLES 16
#define MAX_INSTANCES 128  /* agent processes in all */
#define MAX_SLOTS 64       /* of one process */
#define MAX_HELD 32        /* snapshots that a process may report */
#define MAX_ORDERS 256     /* unacknowledged, per process */
#define MAX_REDELIVERIES 5 /* of a job whose message never reached the worker */
#define CONTROL_MS 5000    /* a poll is answered at least this often */
#define BETWEEN_MS 5000    /* a slot that was told IDLE asks again within */
#define PIPE_BUCKETS 64
/* A job id is boot id (8 bytes), counter (7) and attempt (1): an order to stop one
 * attempt must not stop the next, but any attempt's result is the job's. */
#define JOB_KEY_LEN (WIRE_ID_LEN - 1)

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE };

struct job {
	const struct dispatch_request *r;
	struct dispatch_reply *reply;
	struct err *e;
	int rc;
	enum job_state state;
	uint8_t id[WIRE_ID_LEN];
	uint32_t attempts, redeliveries;
	uint64_t queued_us, started_us;
	uint64_t lease_due_ms;
	struct slot *slot;     /* RUNNING */
	struct queue *queue;   /* QUEUED */
	TAILQ_ENTRY(job) link; /* in queue->jobs or role->running */
	pthread_cond_t done;
};
TAILQ_HEAD(job_list, job);

/* Waiting jobs of one principal for one role. */
struct queue {
	uint32_t uid;
	char *principal;
	struct job_list jobs;
	TAILQ_ENTRY(queue) link;
};
TAILQ_HEAD(queue_list, queue);

enum slot_state {
	SLOT_PARKED,   /* its READY waits in call */
	SLOT_BUSY,     /* job, or NULL if that ended without it */
	SLOT_DETACHED, /* busy, and its pipe is gone: due_ms */
	SLOT_BETWEEN,  /* was told IDLE, will ask again: due_ms */
};

struct slot {
	struct instance *instance;
	uint32_t number;
	enum slot_state state;
	uint32_t pipe;              /* 0: none */
	struct listener_call *call; /* PARKED */
	uint64_t due_ms;            /* PARKED, DETACHED, BETWEEN */
	struct job *job;
	uint8_t job_id[WIRE_ID_LEN]; /* of the job it was given last */
	bool is_cancelled;           /* that job was called off, its result is not news */
	uint64_t source_tag;         /* hash of the last job's source */
	TAILQ_ENTRY(slot) link;      /* in instance->slots */
	TAILQ_ENTRY(slot) parked;    /* in role->parked, longest wait first */
};
TAILQ_HEAD(slot_list, slot);

struct order {
	uint64_t seq;
	bool is_drop;
	struct hash subject; /* job id (16 bytes) or snapshot hash */
};

/* One agent process. */
struct instance {
	uint8_t id[WIRE_ID_LEN];
	struct role *role;
	uint32_t pid; /* attested */
	int pidfd;    /* -1: not to be had */
	bool is_draining;
	uint32_t told_slots; /* Poll.slots */
	uint64_t rss_kb;
	char version[32], sandbox[256];
	struct hash held[MAX_HELD];
	size_t n_held;
	uint32_t control_pipe;
	struct listener_call *control;
	uint64_t control_due_ms;
	uint64_t seq; /* of the newest order */
	struct order orders[MAX_ORDERS];
	size_t n_orders;
	uint8_t called_off[MAX_SLOTS][WIRE_ID_LEN]; /* ring: cancels given so far */
	uint32_t n_called_off;
	struct slot_list slots;
	uint32_t n_slots;
	TAILQ_ENTRY(instance) link;
};
TAILQ_HEAD(instance_list, instance);

struct pipe {
	uint32_t id, pid;
	bool is_dead; /* its process is gone, the removal has not come yet */
	struct pipe *next;
};

struct role {
	struct dispatch *d;
	Nlq__Role id;
	struct listener *listener; /* NULL: not served */
	struct queue_list queues;  /* whose turn it is comes first */
	struct job_list running;
	struct slot_list parked;
	uint32_t n_slots;
	uint64_t absent_since_ms; /* n_slots is 0 since */
};

struct published {
	struct hash hash;
	uint8_t *bytes;
	size_t len;
	uint32_t refs;
	struct published *next;
};

struct cancelled {
	uint8_t request_id[WIRE_ID_LEN];
	struct cancelled *next;
};

struct dispatch {
	struct dispatch_conf conf;
	uint8_t boot[8];
	uint64_t counter;
	pthread_mutex_t mutex;
	pthread_cond_t left; /* a caller has left dispatch_call */
	uint32_t n_callers;
	bool closing;
	struct listener_call *todo;
	struct role roles[MAX_ROLES];
	struct pipe *pipes[PIPE_BUCKETS];
	struct instance_list instances;
	uint32_t n_instances;
	struct published *published;
	struct cancelled *cancelled;
	struct dispatch_stats stats;
	pthread_t timer;
	bool has_timer;
	int kick_fd; /* wakes the timer thread */
	bool kick;   /* to be written after unlock */
	uint64_t timer_next_ms;
};

/* dispatch.c */
void dispatch_lock(struct dispatch *d);
void dispatch_unlock(struct dispatch *d); /* and sends what is on todo */
/* Ends a call with this answer (NULL: none) once the mutex is free. */
void dispatch_answer(struct dispatch *d, struct listener_call *c, nng_msg *answer);
void dispatch_init_cond(pthread_cond_t *c);
const char *dispatch_role_name(Nlq__Role role);

/* dispatch_jobs.c */
void job_enqueue(struct role *role, struct job *j);
/* Gives waiting jobs to parked slots, principals in turn. */
void job_pump(struct role *role);
/* Ends the job, wakes its caller; a slot that is BUSY with it is told to stop (the
 * slot that reports its end is not BUSY any more). */
void job_end(struct dispatch *d, struct job *j, int rc);
/* Fails it with this error. */
void job_fail(struct dispatch *d, struct job *j, const struct err *why);
/* Its worker is gone, or never got it (was_delivered false): again, or failed. The
 * slot is left without it, the caller sees to the slot. Pump afterwards. */
void job_lost(struct dispatch *d, struct job *j, bool was_delivered, const char *how);
/* The open job of the role that this id is an attempt of, or NULL. */
struct job *job_find(struct role *role, const uint8_t *id);

/* dispatch_slots.c */
struct pipe *pipe_find(struct dispatch *d, uint32_t id);
void pipe_added(uint32_t pipe, uint64_t uid, uint32_t pid, void *arg);
void pipe_removed(uint32_t pipe, void *arg);
/* The process behind the pipe, made known if it is new. NULL with e filled. */
struct instance *instance_get(
    struct role *role, struct pipe *p, const ProtobufCBinaryData *id, struct err *e);
void instance_set_held(struct instance *in, size_t n, const ProtobufCBinaryData *held);
bool instance_holds(const struct instance *in, const struct hash *h);
/* The process is dead: its jobs are given to others. */
void instance_died(struct dispatch *d, struct instance *in);
void instance_free(struct dispatch *d, struct instance *in);
/* Frees it if it has neither a slot nor a control connection left. */
void instance_free_if_gone(struct dispatch *d, struct instance *in);
struct slot *slot_get(struct instance *in, uint32_t number, struct err *e);
struct slot *slot_find(struct role *role, const Nlq__Ready *who); /* or NULL */
/* Parks the call as the slot's READY, or answers it if the process drains. */
void slot_park(struct slot *s, uint32_t pipe, struct listener_call *c);
void slot_unpark(struct slot *s);
void slot_remove(struct slot *s);

/* dispatch_control.c */
void control_poll(struct instance *in, struct listener_call *c, const Nlq__Poll *poll);
void control_cancel(struct instance *in, const uint8_t *job_id);
void control_drop(struct instance *in, const struct hash *h);
/* The process says that it drains: it gets no more jobs, and what it has parked is
 * sent home (those slots are gone afterwards). */
void control_drain(struct instance *in);
/* Answers the waiting poll, if any. */
void control_answer(struct instance *in);

/* dispatch_snapshots.c */
struct published *published_ref(struct dispatch *d, const ProtobufCBinaryData *hash);
void published_unref(struct published *p); /* with the mutex held; NULL is fine */
nng_msg *published_chunk(const struct published *p, uint64_t offset);

/* dispatch_in.c: the listener's callback; arg is a struct role */
void dispatch_on_message(struct listener_call *c, const Nlq__Envelope *env, void *arg);

/* dispatch_timer.c */
int timer_start(struct dispatch *d, struct err *e);
void timer_stop(struct dispatch *d);
/* Something is due at this time. */
void timer_at(struct dispatch *d, uint64_t due_ms);

#endif

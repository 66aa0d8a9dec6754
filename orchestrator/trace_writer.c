/* See trace_writer.h. A record is one allocation: the event, its strings and
 * its payload bytes behind it. */
#include "orchestrator/trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"

#define MOMENT_MS 5     /* what nobody waits for stays this long for company */
#define RETRY_MS 500    /* after a failed commit */
#define QUEUE_MAX 20000 /* records; above it spans and payloads are dropped while failing */
#define PAR_MAX 64

struct record {
	struct record *next;
	bool is_event; /* else payload only */
	struct trace_event ev;
	struct hash hashes[2]; /* of the parts */
	struct trace_part parts[2];
	trace_done_fn *done;
	void *arg;
};

struct trace {
	struct trace_conf conf;
	char dir[4096];
	int lock_fd;
	struct trace_store *store; /* the thread's alone once it runs */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct record *head, **tail;
	size_t n_queued;
	bool is_urgent, is_closing, is_failing;
	struct err failure;
};

static int lock_dir(struct trace *t, struct err *e)
{
	char path[4200];

	if (mkdir(t->dir, 0700) && errno != EEXIST)
		return err_set(e, ERR_IO, PHASE_TRACE, "cannot make the state folder \"%s\": %s",
		    t->dir, strerror(errno));
	snprintf(path, sizeof(path), "%s/lock", t->dir);
	t->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (t->lock_fd < 0)
		return err_set(e, ERR_IO, PHASE_TRACE,
		    "cannot write in the state folder \"%s\": %s", t->dir, strerror(errno));
	if (flock(t->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	close(t->lock_fd);
	t->lock_fd = -1;
	err_set(
	    e, ERR_BUSY, PHASE_TRACE, "another orchestrator uses the state folder \"%s\"", t->dir);
	err_fix(e, "stop it, or give this one another state_dir");
	return ERR_BUSY;
}

/* Several private stacks of one user trace side by side, each in its folder. */
static int take_dir(struct trace *t, struct err *e)
{
	int rc;

	if (snprintf(t->dir, sizeof(t->dir), "%s", t->conf.dir) >= (int)sizeof(t->dir) - 16)
		return err_set(e, ERR_CONFIG, PHASE_TRACE, "the state folder's name is too long");
	rc = lock_dir(t, e);
	for (int i = 1; rc == ERR_BUSY && t->conf.may_share && i <= PAR_MAX; i++) {
		snprintf(t->dir, sizeof(t->dir), "%.4000s/par-%d", t->conf.dir, i);
		rc = lock_dir(t, e);
	}
	return rc;
}

static void finish(struct record *r, const struct err *e)
{
	while (r) {
		struct record *next = r->next;

		if (r->done)
			r->done(r->arg, e);
		free(r);
		r = next;
	}
}

static int write_one(struct trace *t, const struct record *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < 2 && !rc; i++) {
		if (r->parts[i].bytes)
			rc = trace_store_payload(
			    t->store, &r->hashes[i], r->parts[i].bytes, r->parts[i].len, e);
	}
	return rc || !r->is_event ? rc : trace_store_append(t->store, &r->ev, e);
}

static int write_batch(struct trace *t, const struct record *batch, struct err *e)
{
	int rc = trace_store_begin(t->store, clock_wall_us(), e);

	if (rc)
		return rc;
	for (const struct record *r = batch; r && !rc; r = r->next)
		rc = write_one(t, r, e);
	if (!rc)
		return trace_store_commit(t->store, e);
	trace_store_rollback(t->store);
	return rc;
}

/* Takes the record's callback; an answer that nobody got is kept as a failure. */
static trace_done_fn *fail_record(struct record *r)
{
	trace_done_fn *done = r->done;

	r->done = NULL;
	if (r->ev.kind == TRACE_END) {
		r->ev.status = "failed";
		r->ev.detail = "infrastructure";
		r->parts[1].bytes = NULL;
		memset(&r->ev.reply_hash, 0, sizeof(r->ev.reply_hash));
	}
	return done;
}

/* After a failed commit: whoever waits is told, and what is kept says so too;
 * the records go back to the front of the queue for another try. */
static void put_back(struct trace *t, struct record *batch, const struct err *e)
{
	struct record **last = &batch;
	size_t n = 0;

	/* First: whoever is told here and asks again must meet trace_check's refusal. */
	pthread_mutex_lock(&t->mutex);
	if (!t->is_failing)
		log_error("trace: %s", e->text);
	t->is_failing = true;
	t->failure = *e;
	pthread_mutex_unlock(&t->mutex);
	for (struct record *r = batch; r; r = r->next, n++) {
		if (r->done)
			fail_record(r)(r->arg, e);
		last = &r->next;
	}
	pthread_mutex_lock(&t->mutex);
	*last = t->head;
	if (!t->head)
		t->tail = last;
	t->head = batch;
	t->n_queued += n;
	pthread_mutex_unlock(&t->mutex);
}

/* While failing, nobody may wait for a commit that is not tried for a while. */
static void fail_waiting(struct trace *t)
{
	for (struct record *r = t->head; r; r = r->next) {
		if (!r->done)
			continue;
		struct err e = t->failure;
		trace_done_fn *done = fail_record(r);

		pthread_mutex_unlock(&t->mutex);
		done(r->arg, &e);
		pthread_mutex_lock(&t->mutex);
	}
}

static void wait_ms(struct trace *t, uint32_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&t->wake, &t->mutex, &until);
}

/* Returns the queue when it is time to write it; NULL: closed and empty. */
static struct record *next_batch(struct trace *t)
{
	struct record *batch;
	bool waited = false;

	pthread_mutex_lock(&t->mutex);
	while (!t->is_closing && (!t->head || (!t->is_urgent && !waited) || t->is_failing)) {
		if (t->is_failing) {
			fail_waiting(t);
			t->is_urgent = false;
			wait_ms(t, RETRY_MS);
			if (!t->is_urgent)
				break;
		} else if (!t->head) {
			pthread_cond_wait(&t->wake, &t->mutex);
		} else {
			wait_ms(t, MOMENT_MS);
			waited = true;
		}
	}
	batch = t->head;
	t->head = NULL;
	t->tail = &t->head;
	t->n_queued = 0;
	t->is_urgent = false;
	pthread_mutex_unlock(&t->mutex);
	return batch;
}

static void *run(void *arg)
{
	struct trace *t = arg;

	for (;;) {
		struct record *batch = next_batch(t);
		struct err e = ERR_INIT;

		if (!batch && t->is_closing)
			break;
		if (write_batch(t, batch, &e) == 0) {
			pthread_mutex_lock(&t->mutex);
			t->is_failing = false;
			pthread_mutex_unlock(&t->mutex);
			finish(batch, NULL);
			trace_store_rest(t->store);
		} else if (t->is_closing) {
			log_error("trace: %s; the last records are lost", e.text);
			finish(batch, &e);
			break;
		} else {
			put_back(t, batch, &e);
		}
	}
	return NULL;
}

int trace_open(const struct trace_conf *conf, struct trace **ret_trace, struct err *e)
{
	struct trace *t = calloc(1, sizeof(*t));
	pthread_condattr_t attr;
	int rc;

	if (!t)
		return err_set(e, ERR_NOMEM, PHASE_TRACE, "out of memory");
	t->conf = *conf;
	t->lock_fd = -1;
	t->tail = &t->head;
	pthread_mutex_init(&t->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = take_dir(t, e);
	if (!rc)
		rc = trace_store_open(t->dir, conf->is_sync_full, clock_wall_us(), &t->store, e);
	if (!rc)
		rc = trace_store_close_orphans(t->store, clock_wall_us(), e);
	if (rc > 0)
		log_warn("trace: closed requests that an earlier process left open count=%d", rc);
	if (rc >= 0 && pthread_create(&t->thread, NULL, run, t))
		rc = err_set(e, ERR_INTERNAL, PHASE_TRACE, "cannot start the trace's thread");
	if (rc < 0) {
		trace_store_close(t->store);
		if (t->lock_fd >= 0)
			close(t->lock_fd);
		free(t);
		return rc;
	}
	*ret_trace = t;
	return 0;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->mutex);
	t->is_closing = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->mutex);
	pthread_join(t->thread, NULL);
	trace_store_close(t->store);
	close(t->lock_fd);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->mutex);
	free(t);
}

const char *trace_dir(const struct trace *t)
{
	return t->dir;
}

int trace_check(struct trace *t, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&t->mutex);
	if (t->is_failing) {
		if (e)
			*e = t->failure;
		rc = t->failure.code;
	}
	pthread_mutex_unlock(&t->mutex);
	return rc;
}

static void enqueue(struct trace *t, struct record *r, bool is_urgent)
{
	pthread_mutex_lock(&t->mutex);
	if (t->is_failing && t->n_queued >= QUEUE_MAX && !r->done && r->ev.kind != TRACE_END) {
		free(r);
		r = NULL;
	} else {
		*t->tail = r;
		t->tail = &r->next;
		t->n_queued++;
	}
	if (is_urgent)
		t->is_urgent = true;
	/* A span only needs to start the moment; the writer sleeps without end
	 * when there is nothing at all. */
	if (r && (is_urgent || t->n_queued == 1))
		pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->mutex);
}

static char *copy_text(char **at, const char *s)
{
	size_t len = strlen(s) + 1;
	char *to = memcpy(*at, s, len);

	*at += len;
	return to;
}

void trace_put(struct trace *t, const struct trace_event *ev, struct trace_part request,
    struct trace_part reply, trace_done_fn *done, void *arg)
{
	const struct trace_part *parts[2] = {&request, &reply};
	bool keep = t->conf.payload == TRACE_PAYLOAD_FULL;
	size_t text = strlen(ev->source) + strlen(ev->component) + strlen(ev->operation) +
	    strlen(ev->status) + strlen(ev->detail) + 5;
	size_t bytes = keep ? request.len + reply.len : 0;
	struct record *r = malloc(sizeof(*r) + text + bytes);
	char *at;

	if (!r) {
		struct err e = ERR_INIT;

		err_set(&e, ERR_NOMEM, PHASE_TRACE, "out of memory");
		if (done)
			done(arg, &e);
		return;
	}
	memset(r, 0, sizeof(*r));
	r->is_event = true;
	r->ev = *ev;
	r->done = done;
	r->arg = arg;
	at = (char *)(r + 1);
	r->ev.source = copy_text(&at, ev->source);
	r->ev.component = copy_text(&at, ev->component);
	r->ev.operation = copy_text(&at, ev->operation);
	r->ev.status = copy_text(&at, ev->status);
	r->ev.detail = copy_text(&at, ev->detail);
	for (size_t i = 0; i < 2; i++) {
		if (!parts[i]->bytes)
			continue;
		hash_bytes(parts[i]->bytes, parts[i]->len, &r->hashes[i]);
		if (keep) {
			r->parts[i] = (struct trace_part){at, parts[i]->len};
			memcpy(at, parts[i]->bytes, parts[i]->len);
			at += parts[i]->len;
		}
	}
	r->ev.request_hash = r->hashes[0];
	r->ev.reply_hash = r->hashes[1];
	enqueue(t, r, done != NULL);
}

void trace_put_payload(struct trace *t, const struct hash *h, const void *bytes, size_t len)
{
	struct record *r;

	if (t->conf.payload != TRACE_PAYLOAD_FULL)
		return;
	r = malloc(sizeof(*r) + len);
	if (!r)
		return;
	memset(r, 0, sizeof(*r));
	r->hashes[0] = *h;
	r->parts[0] = (struct trace_part){r + 1, len};
	memcpy(r + 1, bytes, len);
	enqueue(t, r, false);
}

/* Which worker takes a call, and what becomes of the worker afterwards. */
#include "executor/pool.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "executor/frame.h"
#include "executor/snapshot.h"
#include "executor/spawner.h"

#define TRIES 5 /* of one call */
#define TRY_PAUSE_MS 10
#define WAIT_SLICE_MS 10

struct worker {
	struct worker *next;
	char *path;
	struct spawned s;
	bool busy;
	uint64_t idle_since_ms;
	uint32_t next_id;
};

struct pool {
	struct pool_conf conf;
	struct spawner *spawner;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	struct worker *workers;
	uint32_t n_workers;
	struct pool_stats stats;
};

static void worker_drop(struct pool *p, struct worker *w, bool kill)
{
	if (kill)
		spawner_kill(p->spawner, &w->s);
	spawned_close(&w->s);
	free(w->path);
	free(w);
}

/* Takes w out of the list; the lock is held. */
static void unlink_worker(struct pool *p, struct worker *w)
{
	struct worker **at = &p->workers;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	p->n_workers--;
	pthread_cond_broadcast(&p->freed);
}

static bool is_dead(const struct worker *w)
{
	struct pollfd fd = {w->s.sock, POLLIN, 0};

	/* An idle worker has nothing to say: anything readable is its end. */
	return poll(&fd, 1, 0) != 0;
}

static struct worker *find_idle(struct pool *p, const char *path)
{
	for (struct worker *w = p->workers, *next; w != NULL; w = next) {
		next = w->next;
		if (w->busy || strcmp(w->path, path) != 0)
			continue;
		if (!is_dead(w))
			return w;
		unlink_worker(p, w);
		worker_drop(p, w, true);
	}
	return NULL;
}

static uint32_t count_path(const struct pool *p, const char *path)
{
	uint32_t n = 0;

	for (const struct worker *w = p->workers; w != NULL; w = w->next)
		n += strcmp(w->path, path) == 0;
	return n;
}

/* Ends the worker that was idle longest, of any source; the lock is held. */
static bool evict_idle(struct pool *p)
{
	struct worker *oldest = NULL;

	for (struct worker *w = p->workers; w != NULL; w = w->next)
		if (!w->busy && (oldest == NULL || w->idle_since_ms < oldest->idle_since_ms))
			oldest = w;
	if (oldest == NULL)
		return false;
	unlink_worker(p, oldest);
	worker_drop(p, oldest, false);
	return true;
}

/* A busy entry without a process: it holds the place while the zygote forks. */
static struct worker *reserve(struct pool *p, const char *path)
{
	struct worker *w;

	if (count_path(p, path) >= p->conf.per_source_max)
		return NULL;
	if (p->n_workers >= p->conf.workers_max && !evict_idle(p))
		return NULL;
	w = calloc(1, sizeof(*w));
	if (w == NULL || (w->path = strdup(path)) == NULL) {
		free(w);
		return NULL;
	}
	w->s = (struct spawned){.pid = 0, .sock = -1, .pidfd = -1};
	w->next = p->workers;
	p->workers = w;
	p->n_workers++;
	return w;
}

static bool is_cancelled(int fd)
{
	struct pollfd c = {fd, POLLIN, 0};

	return fd >= 0 && poll(&c, 1, 0) > 0;
}

static void wait_slice(struct pool *p)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += WAIT_SLICE_MS * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&p->freed, &p->lock, &t);
}

static int call_cancelled(struct err *e)
{
	return err_set(e, ERR_CANCELLED, PHASE_RUN, "the request was cancelled");
}

/* Finds or reserves a worker; it is busy when this returns 0. */
static int acquire(
    struct pool *p, const struct pool_call *c, struct worker **ret_worker, struct err *e)
{
	struct worker *w = NULL;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		if (!spawner_is_alive(p->spawner)) {
			rc = spawner_gone(e);
			break;
		}
		w = find_idle(p, c->path);
		if (w == NULL)
			w = reserve(p, c->path);
		if (w != NULL)
			break;
		if (is_cancelled(c->cancel_fd)) {
			rc = call_cancelled(e);
			break;
		}
		if (clock_left_ms(c->deadline_ms) == 0) {
			rc = err_set(e, ERR_BUSY, PHASE_RUN, "all workers are busy");
			if (e != NULL)
				e->retry = true;
			break;
		}
		wait_slice(p);
	}
	if (w != NULL) {
		w->busy = true;
		p->stats.calls++;
	}
	pthread_mutex_unlock(&p->lock);
	*ret_worker = w;
	return rc;
}

static void release(struct pool *p, struct worker *w, bool keep, bool kill)
{
	pthread_mutex_lock(&p->lock);
	if (keep) {
		w->busy = false;
		w->idle_since_ms = clock_mono_ms();
		pthread_cond_broadcast(&p->freed);
	} else {
		unlink_worker(p, w);
		p->stats.killed += kill;
	}
	pthread_mutex_unlock(&p->lock);
	if (!keep)
		worker_drop(p, w, kill);
}

/* Why a worker's socket closed: from its wait status, which the zygote reports. */
static int died(struct pool *p, const struct worker *w, struct err *e)
{
	int status = 0;

	if (spawner_exit_status(p->spawner, w->s.pid, &status) && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGXCPU)
		return err_set(e, ERR_TIMEOUT, PHASE_RUN, "the query used up its processor time");
	if (!spawner_is_alive(p->spawner))
		return spawner_gone(e);
	err_set(e, ERR_INTERNAL, PHASE_RUN, "the worker that ran the query ended unexpectedly");
	if (e != NULL)
		e->retry = true;
	return ERR_INTERNAL;
}

static int transport_error(struct pool *p, const struct worker *w, int rc, struct err *e)
{
	switch (rc) {
	case ERR_TIMEOUT:
		rc = err_set(e, ERR_TIMEOUT, PHASE_RUN, "the query did not end in time");
		err_fix(e, "ask for less, or raise the query's time limit");
		return rc;
	case ERR_CANCELLED: return call_cancelled(e);
	case ERR_PROTOCOL:
		return err_set(e, ERR_INTERNAL, PHASE_RUN, "the worker's answer was not valid");
	default: return died(p, w, e);
	}
}

/* The first message of a new worker. */
static int await_hello(
    struct pool *p, struct worker *w, const struct pool_call *c, struct frame *f, struct err *e)
{
	uint64_t start = clock_mono_ms() + p->conf.start_ms;
	struct frame_wait wait = {start < c->deadline_ms ? start : c->deadline_ms, c->cancel_fd};
	int rc = frame_recv(w->s.sock, f, &wait);

	spawner_started(p->spawner, rc != ERR_UNAVAILABLE);
	/* Whatever it copied it has open by now. */
	snapshot_remove(p->conf.worker.snapshot_base, w->s.pid);
	if (rc != 0)
		return transport_error(p, w, rc, e);
	if (f->type == FRAME_BYE || f->type == FRAME_ERROR)
		return frame_get_err(f->payload.data, f->payload.len, e) == 0
		    ? (int)e->code
		    : transport_error(p, w, ERR_PROTOCOL, e);
	return f->type == FRAME_HELLO ? 0 : transport_error(p, w, ERR_PROTOCOL, e);
}

static int send_call(
    struct worker *w, const struct pool_call *c, uint32_t query_ms, const struct frame_wait *wait)
{
	struct call_head head = {c->kind, query_ms, c->max_rows};
	struct strbuf out;
	int rc;

	strbuf_init(&out, FRAME_MAX);
	frame_put_call(&out, &head);
	strbuf_add(&out, c->body, c->len);
	rc = out.failed ? ERR_PROTOCOL
	                : frame_send(w->s.sock, FRAME_CALL, w->next_id, out.data, out.len, wait);
	strbuf_done(&out);
	return rc;
}

/* Sends the call and takes the answer; *ret_keep says whether the worker is still
 * good for another. */
static int exchange(struct pool *p, struct worker *w, const struct pool_call *c, struct frame *f,
    bool *ret_keep, struct err *e)
{
	uint32_t left = clock_left_ms(c->deadline_ms);
	uint32_t query_ms = c->query_ms < left ? c->query_ms : left;
	struct frame_wait wait = {clock_mono_ms() + query_ms + POOL_GRACE_MS, c->cancel_fd};
	int rc;

	w->next_id++;
	rc = send_call(w, c, query_ms, &wait);
	if (rc == 0)
		rc = frame_recv(w->s.sock, f, &wait);
	if (rc != 0)
		return transport_error(p, w, rc, e);
	if (f->id != w->next_id || f->type == FRAME_HELLO || f->type == FRAME_CALL)
		return transport_error(p, w, ERR_PROTOCOL, e);
	*ret_keep = f->type == FRAME_REPLY || f->type == FRAME_ERROR;
	if (f->type == FRAME_REPLY || f->type == FRAME_LAST)
		return 0;
	if (frame_get_err(f->payload.data, f->payload.len, e) == 0)
		return e->code;
	*ret_keep = false;
	return transport_error(p, w, ERR_PROTOCOL, e);
}

/* *ret_fresh: the worker was made for this call. */
static int call_once(
    struct pool *p, const struct pool_call *c, struct frame *f, bool *ret_fresh, struct err *e)
{
	struct worker *w = NULL;
	bool keep = false;
	int rc = acquire(p, c, &w, e);

	if (rc != 0)
		return rc;
	*ret_fresh = w->s.sock < 0;
	if (*ret_fresh) {
		rc = spawner_spawn(p->spawner, c->path, c->deadline_ms, &w->s, e);
		if (rc == 0)
			rc = await_hello(p, w, c, f, e);
	}
	if (rc == 0)
		rc = exchange(p, w, c, f, &keep, e);
	release(p, w, keep, !keep && w->s.sock >= 0);
	return rc;
}

int pool_call(struct pool *p, const struct pool_call *c, struct strbuf *ret_reply, struct err *e)
{
	struct err own = ERR_INIT;
	struct frame f;
	int rc = 0;

	frame_init(&f, FRAME_MAX);
	/* A worker that finds its file changed says so and ends; a fresh one reads the
	 * file as it is now. A standing one may have died before the call reached it: a
	 * fresh one shows whether the call is at fault. */
	for (int i = 0; i < TRIES; i++) {
		bool fresh = true;

		if (i > 0)
			poll(NULL, 0, TRY_PAUSE_MS);
		rc = call_once(p, c, &f, &fresh, &own);
		if (rc != ERR_SOURCE_CHANGED && (rc != ERR_INTERNAL || fresh))
			break;
	}
	if (rc == 0)
		strbuf_add(ret_reply, f.payload.data, f.payload.len);
	else if (e != NULL)
		*e = own;
	frame_done(&f);
	if (rc == 0 && ret_reply->failed)
		rc = err_set(e, ERR_TOO_LARGE, PHASE_RUN, "the reply is too large");
	return rc;
}

/* Every second, on the spawner's thread. */
static void on_tick(void *arg)
{
	struct pool *p = arg;
	uint64_t now;

	pthread_mutex_lock(&p->lock);
	now = clock_mono_ms(); /* under the lock: not before any idle_since_ms */
	for (struct worker *w = p->workers, *next; w != NULL; w = next) {
		next = w->next;
		if (w->busy || (now - w->idle_since_ms < p->conf.idle_ms && !is_dead(w)))
			continue;
		unlink_worker(p, w);
		worker_drop(p, w, false); /* it ends when its socket closes */
	}
	pthread_mutex_unlock(&p->lock);
}

int pool_new(const struct pool_conf *conf, struct pool **ret_pool, struct err *e)
{
	struct spawner_conf sc = {
	    conf->worker, on_tick, conf->on_exit, conf->on_zygote_gone, NULL, conf->arg};
	struct pool *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;
	int rc;

	if (p == NULL)
		return err_set(e, ERR_NOMEM, PHASE_CONFIG, "out of memory");
	p->conf = *conf;
	sc.tick_arg = p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->freed, &attr);
	pthread_condattr_destroy(&attr);
	rc = spawner_new(&sc, &p->spawner, e);
	if (rc != 0) {
		pool_free(p);
		return rc;
	}
	*ret_pool = p;
	return 0;
}

int pool_start(struct pool *p, struct err *e)
{
	return spawner_start(p->spawner, e);
}

void pool_free(struct pool *p)
{
	if (p == NULL)
		return;
	while (p->workers != NULL) {
		struct worker *w = p->workers;

		unlink_worker(p, w);
		worker_drop(p, w, true);
	}
	spawner_free(p->spawner);
	pthread_cond_destroy(&p->freed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

bool pool_is_alive(struct pool *p)
{
	return spawner_is_alive(p->spawner);
}

void pool_get_stats(struct pool *p, struct pool_stats *ret_stats)
{
	pthread_mutex_lock(&p->lock);
	*ret_stats = p->stats;
	ret_stats->workers = p->n_workers;
	ret_stats->busy = 0;
	for (const struct worker *w = p->workers; w != NULL; w = w->next)
		ret_stats->busy += w->busy;
	pthread_mutex_unlock(&p->lock);
	spawner_get_stats(p->spawner, &ret_stats->spawned, &ret_stats->zygote);
}

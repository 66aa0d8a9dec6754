/* Orders in flight, exits remembered, one reading thread. */
#include "executor/spawner.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "executor/zlink.h"
#include "executor/zygote.h"

#define EXITS 64 /* reports that are remembered */
#define TICK_MS 1000
#define STATUS_WAIT_MS 200
#define FAILED_STARTS_MAX 3
#define BACK_OFF_MS 1000

struct order { /* lives on the ordering thread's stack */
	struct order *next;
	uint32_t serial;
	bool done;
	int error; /* errno; 0: spawned */
	struct spawned result;
};

struct seen { /* a worker that was started, killed or ended */
	pid_t pid;
	int status;
	bool ended, killed;
};

struct spawner {
	struct spawner_conf conf;
	struct zygote zygote;
	pthread_mutex_t lock;
	pthread_cond_t news;
	pthread_t thread;
	bool has_thread, gone;
	int stop_fd;
	uint32_t next_serial;
	struct order *orders;
	struct seen seen[EXITS];
	size_t next_seen;
	uint32_t failed_starts; /* in a row, without a word from the worker */
	uint64_t blocked_until_ms;
	uint64_t n_spawned;
};

void spawned_close(struct spawned *s)
{
	if (s->sock >= 0)
		close(s->sock);
	if (s->pidfd >= 0)
		close(s->pidfd);
	s->sock = s->pidfd = -1;
}

/* The entry of a pid, made in place of the oldest if there is none. Lock held. */
static struct seen *seen_entry(struct spawner *s, pid_t pid)
{
	struct seen *x;

	for (size_t i = 0; i < EXITS; i++)
		if (s->seen[i].pid == pid)
			return &s->seen[i];
	x = &s->seen[s->next_seen++ % EXITS];
	*x = (struct seen){.pid = pid};
	return x;
}

static void take_spawned(struct spawner *s, const struct zlink_message *m, const int fds[2])
{
	struct spawned got = {m->pid, fds[0], fds[1]};
	struct order *o;

	pthread_mutex_lock(&s->lock);
	for (o = s->orders; o != NULL && o->serial != m->serial; o = o->next)
		;
	if (o != NULL) {
		o->done = true;
		o->error = m->type == ZLINK_SPAWNED && fds[0] >= 0 && fds[1] >= 0 ? 0 : EAGAIN;
		if (o->error == 0) {
			o->result = got;
			*seen_entry(s, got.pid) = (struct seen){.pid = got.pid};
			s->n_spawned++;
		}
		pthread_cond_broadcast(&s->news);
	}
	pthread_mutex_unlock(&s->lock);
	/* Nobody waits any more: without its socket the worker ends. */
	if (o == NULL || o->error != 0)
		spawned_close(&got);
}

static void take_exited(struct spawner *s, const struct zlink_message *m)
{
	struct seen *x;
	bool expected;

	pthread_mutex_lock(&s->lock);
	x = seen_entry(s, m->pid);
	x->ended = true;
	x->status = m->status;
	expected = x->killed || m->status == 0;
	pthread_cond_broadcast(&s->news);
	pthread_mutex_unlock(&s->lock);
	if (s->conf.on_exit != NULL)
		s->conf.on_exit(m->pid, m->status, expected, s->conf.arg);
}

static void zygote_gone(struct spawner *s)
{
	pthread_mutex_lock(&s->lock);
	s->gone = true;
	for (struct order *o = s->orders; o != NULL; o = o->next) {
		o->done = true;
		o->error = EPIPE;
	}
	pthread_cond_broadcast(&s->news);
	pthread_mutex_unlock(&s->lock);
	if (s->conf.on_gone != NULL)
		s->conf.on_gone(s->conf.arg);
}

static void *reader(void *arg)
{
	struct spawner *s = arg;
	struct pollfd fds[2] = {{s->zygote.fd, POLLIN, 0}, {s->stop_fd, POLLIN, 0}};
	uint64_t next_tick = clock_mono_ms() + TICK_MS;
	struct zlink_message m;
	int got[2];

	for (;;) {
		poll(fds, 2, (int)clock_left_ms(next_tick));
		if (fds[1].revents != 0)
			return NULL;
		if (fds[0].revents != 0) {
			if (zlink_recv(s->zygote.fd, &m, got) <= 0) {
				zygote_gone(s);
				return NULL;
			}
			if (m.type == ZLINK_SPAWNED || m.type == ZLINK_REFUSED)
				take_spawned(s, &m, got);
			else if (m.type == ZLINK_EXITED)
				take_exited(s, &m);
		}
		if (clock_left_ms(next_tick) == 0) {
			next_tick = clock_mono_ms() + TICK_MS;
			s->conf.tick(s->conf.tick_arg);
		}
	}
}

static void wait_news(struct spawner *s, uint64_t until_ms)
{
	struct timespec t = {(time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};

	pthread_cond_timedwait(&s->news, &s->lock, &t);
}

static void remove_order(struct spawner *s, struct order *o)
{
	struct order **at = &s->orders;

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
}

int spawner_gone(struct err *e)
{
	int rc = err_set(
	    e, ERR_UNAVAILABLE, PHASE_RUN, "the executor lost its workers and is starting again");

	if (e != NULL)
		e->retry = true;
	return rc;
}

/* Whether an order may be given now; lock held. */
static int may_order(struct spawner *s, struct err *e)
{
	if (s->gone)
		return spawner_gone(e);
	if (clock_left_ms(s->blocked_until_ms) == 0)
		return 0;
	err_set(e, ERR_UNAVAILABLE, PHASE_RUN, "workers end before they start; waiting a second");
	if (e != NULL)
		e->retry = true;
	return ERR_UNAVAILABLE;
}

int spawner_spawn(struct spawner *s, const char *path, uint64_t deadline_ms,
    struct spawned *ret_spawned, struct err *e)
{
	struct zlink_message m = {.type = ZLINK_SPAWN};
	struct order o = {.result = {0, -1, -1}};
	int rc;

	if (strlen(path) >= sizeof(m.path))
		return err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the path is too long");
	strcpy(m.path, path);
	pthread_mutex_lock(&s->lock);
	rc = may_order(s, e);
	if (rc == 0) {
		m.serial = o.serial = ++s->next_serial;
		o.next = s->orders;
		s->orders = &o;
		/* Under the lock: orders are small and the zygote always reads. */
		if (zlink_send(s->zygote.fd, &m, NULL) != 0) {
			o.done = true;
			o.error = errno;
		}
		while (!o.done && clock_left_ms(deadline_ms) > 0)
			wait_news(s, deadline_ms);
		remove_order(s, &o);
	}
	pthread_mutex_unlock(&s->lock);
	if (rc != 0)
		return rc;
	if (!o.done)
		return err_set(e, ERR_TIMEOUT, PHASE_RUN, "no worker was there in time");
	if (o.error != 0)
		return spawner_gone(e);
	*ret_spawned = o.result;
	return 0;
}

void spawner_started(struct spawner *s, bool spoke)
{
	pthread_mutex_lock(&s->lock);
	s->failed_starts = spoke ? 0 : s->failed_starts + 1;
	if (s->failed_starts >= FAILED_STARTS_MAX) {
		s->blocked_until_ms = clock_mono_ms() + BACK_OFF_MS;
		s->failed_starts = 0;
	}
	pthread_mutex_unlock(&s->lock);
}

void spawner_kill(struct spawner *s, const struct spawned *w)
{
	if (w->pidfd < 0)
		return;
	pthread_mutex_lock(&s->lock);
	seen_entry(s, w->pid)->killed = true;
	pthread_mutex_unlock(&s->lock);
	syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
}

bool spawner_exit_status(struct spawner *s, pid_t pid, int *ret_status)
{
	uint64_t until = clock_mono_ms() + STATUS_WAIT_MS;
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct seen *x = seen_entry(s, pid);

		found = x->ended;
		*ret_status = x->status;
		if (found || s->gone || clock_left_ms(until) == 0)
			break;
		wait_news(s, until);
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool spawner_is_alive(struct spawner *s)
{
	bool alive;

	pthread_mutex_lock(&s->lock);
	alive = !s->gone;
	pthread_mutex_unlock(&s->lock);
	return alive;
}

void spawner_get_stats(struct spawner *s, uint64_t *ret_spawned, pid_t *ret_zygote)
{
	pthread_mutex_lock(&s->lock);
	*ret_spawned = s->n_spawned;
	*ret_zygote = s->zygote.pid;
	pthread_mutex_unlock(&s->lock);
}

int spawner_new(const struct spawner_conf *conf, struct spawner **ret_spawner, struct err *e)
{
	struct spawner *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int rc;

	if (s == NULL)
		return err_set(e, ERR_NOMEM, PHASE_CONFIG, "out of memory");
	s->conf = *conf;
	s->zygote.fd = -1;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->news, &attr);
	pthread_condattr_destroy(&attr);
	rc = s->stop_fd < 0
	    ? err_set(e, ERR_INTERNAL, PHASE_CONFIG, "no eventfd: %s", strerror(errno))
	    : zygote_start(&conf->worker, &s->zygote, e);
	if (rc != 0) {
		spawner_free(s);
		return rc;
	}
	*ret_spawner = s;
	return 0;
}

int spawner_start(struct spawner *s, struct err *e)
{
	if (pthread_create(&s->thread, NULL, reader, s) != 0)
		return err_set(e, ERR_INTERNAL, PHASE_CONFIG, "cannot start a thread");
	s->has_thread = true;
	return 0;
}

void spawner_free(struct spawner *s)
{
	uint64_t one = 1;

	if (s == NULL)
		return;
	if (s->has_thread) {
		if (write(s->stop_fd, &one, sizeof(one)) == sizeof(one))
			pthread_join(s->thread, NULL);
	}
	zygote_stop(&s->zygote);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	pthread_cond_destroy(&s->news);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

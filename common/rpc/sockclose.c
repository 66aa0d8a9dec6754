/* nng_close on a thread of its own, which is left behind if it hangs. */
#include "common/rpc/sockclose.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/log.h"

#define PATIENCE_MS 2000
#define PATIENCE_LATER_MS 100 /* once it has hung */

static atomic_bool has_hung;

struct closing {
	nng_socket sock;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool is_closed;
	bool is_left; /* nobody waits any more: the thread frees this */
};

static void closing_free(struct closing *c)
{
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

static void *run(void *arg)
{
	struct closing *c = arg;
	bool is_left;

	nng_close(c->sock);
	pthread_mutex_lock(&c->mutex);
	c->is_closed = true;
	is_left = c->is_left;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->mutex);
	if (is_left)
		closing_free(c);
	return NULL;
}

static struct closing *start(nng_socket sock, pthread_t *ret_thread)
{
	struct closing *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return NULL;
	c->sock = sock;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(ret_thread, NULL, run, c)) {
		closing_free(c);
		return NULL;
	}
	return c;
}

bool sockclose(nng_socket sock)
{
	uint64_t until_ms = clock_mono_ms() +
	    (atomic_load(&has_hung) ? PATIENCE_LATER_MS : PATIENCE_MS);
	const struct timespec until = {
	    (time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};
	pthread_t thread;
	struct closing *c = start(sock, &thread);
	bool is_closed;

	if (!c) { /* no memory for a thread: then the plain way */
		nng_close(sock);
		return true;
	}
	pthread_mutex_lock(&c->mutex);
	while (!c->is_closed)
		if (pthread_cond_timedwait(&c->changed, &c->mutex, &until))
			break;
	is_closed = c->is_closed;
	c->is_left = !is_closed;
	pthread_mutex_unlock(&c->mutex);
	if (is_closed) {
		pthread_join(thread, NULL);
		closing_free(c);
	} else {
		pthread_detach(thread);
		atomic_store(&has_hung, true);
		log_warn("nng does not close a socket; it is left behind");
	}
	return is_closed;
}

/* Life of the worker side: threads come and go here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/rpc/worker_impl.h"

void worker_pause(struct rpc_worker *w, uint32_t ms)
{
	uint64_t until_ms = clock_mono_ms() + ms;
	struct timespec until = {(time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};

	pthread_mutex_lock(&w->mutex);
	while (!atomic_load(&w->is_stopping))
		if (pthread_cond_timedwait(&w->stopping, &w->mutex, &until))
			break;
	pthread_mutex_unlock(&w->mutex);
}

static int open_slot(struct rpc_worker *w, struct rpc_slot *s, uint32_t number, struct err *e)
{
	int rc;

	s->w = w;
	s->number = number;
	strbuf_init(&s->out, WIRE_MAX_MESSAGE);
	s->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->cancel_fd < 0)
		return err_set(e, ERR_IO, PHASE_RPC, "cannot make an eventfd: %s", strerror(errno));
	rc = req_open(w->conf.url, w->conf.peer_uid, &s->req, e);
	if (rc)
		return rc;
	if (pthread_create(&s->thread, NULL, slot_run, s))
		return err_set(e, ERR_NOMEM, PHASE_RPC, "cannot start a thread");
	s->has_thread = true;
	return 0;
}

static int open_control(struct rpc_worker *w, struct err *e)
{
	int rc = req_open(w->conf.url, w->conf.peer_uid, &w->control, e);

	if (rc)
		return rc;
	if (pthread_create(&w->control_thread, NULL, control_run, w))
		return err_set(e, ERR_NOMEM, PHASE_RPC, "cannot start a thread");
	w->has_control_thread = true;
	return 0;
}

int rpc_worker_start(
    const struct rpc_worker_conf *conf, struct rpc_worker **ret_worker, struct err *e)
{
	struct rpc_worker *w;
	pthread_condattr_t attr;
	int rc = 0;

	if (conf->slots == 0 || conf->slots > WORKER_MAX_SLOTS)
		return err_set(e, ERR_CONFIG, PHASE_RPC, "slots must be 1 to %d", WORKER_MAX_SLOTS);
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a worker");
	w->conf = *conf;
	random_bytes(w->instance, sizeof(w->instance));
	atomic_init(&w->answered_ms, clock_mono_ms());
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->stopping, &attr);
	pthread_condattr_destroy(&attr);
	w->cache = cache_new(conf->cache_bytes);
	w->slots = calloc(conf->slots, sizeof(*w->slots));
	if (!w->cache || !w->slots)
		rc = err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a worker");
	for (uint32_t i = 0; w->slots && i < conf->slots; i++)
		w->slots[i].cancel_fd = -1;
	if (!rc)
		rc = open_control(w, e);
	for (uint32_t i = 0; !rc && i < conf->slots; i++)
		rc = open_slot(w, &w->slots[i], i, e);
	if (rc)
		rpc_worker_stop(w);
	else
		*ret_worker = w;
	return rc;
}

bool rpc_worker_is_ready(const struct rpc_worker *w)
{
	for (uint32_t i = 0; i < w->conf.slots; i++)
		if (!atomic_load(&w->slots[i].was_ready) && !atomic_load(&w->slots[i].is_sent))
			return false;
	return true;
}

uint64_t rpc_worker_silent_ms(const struct rpc_worker *w)
{
	uint64_t answered = atomic_load(&w->answered_ms), now = clock_mono_ms();

	return now > answered ? now - answered : 0;
}

void rpc_worker_drain(struct rpc_worker *w)
{
	if (atomic_exchange(&w->is_draining, true))
		return;
	/* The control thread tells the orchestrator, which sends the parked slots
	 * home; those without a connection have nobody to wait for. */
	req_interrupt(w->control);
	for (uint32_t i = 0; i < w->conf.slots; i++)
		if (!atomic_load(&w->slots[i].is_sent))
			req_interrupt(w->slots[i].req);
}

bool rpc_worker_is_idle(const struct rpc_worker *w)
{
	for (uint32_t i = 0; i < w->conf.slots; i++)
		if (!atomic_load(&w->slots[i].has_ended))
			return false;
	return true;
}

static void interrupt_all(struct rpc_worker *w)
{
	atomic_store(&w->is_stopping, true);
	pthread_mutex_lock(&w->mutex);
	pthread_cond_broadcast(&w->stopping);
	pthread_mutex_unlock(&w->mutex);
	if (w->control)
		req_interrupt(w->control);
	for (uint32_t i = 0; w->slots && i < w->conf.slots; i++) {
		if (w->slots[i].cancel_fd >= 0)
			slot_cancel(&w->slots[i]);
		if (w->slots[i].req)
			req_interrupt(w->slots[i].req);
	}
}

static void close_slot(struct rpc_slot *s)
{
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	req_close(s->req);
	if (s->cancel_fd >= 0)
		close(s->cancel_fd);
	if (s->w)
		strbuf_done(&s->out);
}

void rpc_worker_stop(struct rpc_worker *w)
{
	if (!w)
		return;
	interrupt_all(w);
	if (w->has_control_thread)
		pthread_join(w->control_thread, NULL);
	req_close(w->control);
	for (uint32_t i = 0; w->slots && i < w->conf.slots; i++)
		close_slot(&w->slots[i]);
	cache_free(w->cache);
	pthread_cond_destroy(&w->stopping);
	pthread_mutex_destroy(&w->mutex);
	free(w->slots);
	free(w);
}

/* The control connection: polls for orders, reports what the process does. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/rpc/envelope.h"
#include "common/rpc/worker_impl.h"

#define PAUSE_MS 200

static uint64_t own_rss_kb(void)
{
	unsigned long long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static size_t list_jobs(struct rpc_worker *w, uint8_t ids[][WIRE_ID_LEN])
{
	size_t n = 0;

	pthread_mutex_lock(&w->mutex);
	for (uint32_t i = 0; i < w->conf.slots; i++)
		if (w->slots[i].has_job)
			memcpy(ids[n++], w->slots[i].job_id, WIRE_ID_LEN);
	pthread_mutex_unlock(&w->mutex);
	return n;
}

static int pack_poll(struct rpc_worker *w, struct strbuf *out)
{
	Nlq__Envelope env;
	Nlq__Poll m = NLQ__POLL__INIT;
	uint8_t ids[WORKER_MAX_SLOTS][WIRE_ID_LEN];
	ProtobufCBinaryData jobs[WORKER_MAX_SLOTS], held[WORKER_MAX_HELD];
	struct hash hashes[WORKER_MAX_HELD];

	envelope_bytes(&m.instance, w->instance, WIRE_ID_LEN);
	m.role = w->conf.role;
	m.pid = (uint32_t)getpid();
	m.version = (char *)NLQ_VERSION;
	m.has_rss_kb = true;
	m.rss_kb = own_rss_kb();
	m.n_jobs = list_jobs(w, ids);
	m.jobs = jobs;
	for (size_t i = 0; i < m.n_jobs; i++)
		envelope_bytes(&jobs[i], ids[i], WIRE_ID_LEN);
	m.n_held = cache_list(w->cache, hashes, WORKER_MAX_HELD);
	m.held = held;
	for (size_t i = 0; i < m.n_held; i++)
		envelope_bytes(&held[i], hashes[i].bytes, HASH_LEN);
	m.has_draining = m.draining = atomic_load(&w->is_draining);
	m.has_ack_seq = true;
	m.ack_seq = w->ack_seq;
	m.has_slots = true;
	m.slots = w->conf.slots;
	m.sandbox = (char *)w->conf.sandbox;
	envelope_init(&env, NLQ__KIND__POLL);
	strbuf_clear(out);
	return envelope_to_strbuf(&env, &m.base, out, NULL);
}

bool control_was_cancelled(const struct rpc_worker *w, const uint8_t *job_id)
{
	for (uint32_t i = 0; i < w->n_cancels && i < REMEMBERED_CANCELS; i++)
		if (memcmp(w->cancels[i], job_id, WIRE_ID_LEN) == 0)
			return true;
	return false;
}

static void cancel(struct rpc_worker *w, const ProtobufCBinaryData *job_id)
{
	if (job_id->len != WIRE_ID_LEN)
		return;
	pthread_mutex_lock(&w->mutex);
	if (!control_was_cancelled(w, job_id->data))
		memcpy(w->cancels[w->n_cancels++ % REMEMBERED_CANCELS], job_id->data, WIRE_ID_LEN);
	for (uint32_t i = 0; i < w->conf.slots; i++)
		if (w->slots[i].has_job &&
		    memcmp(w->slots[i].job_id, job_id->data, WIRE_ID_LEN) == 0)
			slot_cancel(&w->slots[i]);
	pthread_mutex_unlock(&w->mutex);
}

static void carry_out(struct rpc_worker *w, const Nlq__Orders *m)
{
	for (size_t i = 0; i < m->n_cancel; i++)
		cancel(w, &m->cancel[i]);
	for (size_t i = 0; i < m->n_drop; i++) {
		struct hash h;

		if (m->drop[i].len != HASH_LEN)
			continue;
		memcpy(h.bytes, m->drop[i].data, HASH_LEN);
		cache_drop(w->cache, &h);
	}
	w->ack_seq = m->seq;
	if (m->drain)
		rpc_worker_drain(w);
}

static int on_answer(struct rpc_worker *w, nng_msg *msg, struct err *e)
{
	Nlq__Envelope *env = NULL;
	ProtobufCMessage *m = NULL;
	int rc = envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, e);

	if (rc) {
		nng_msg_free(msg);
		return rc;
	}
	if (env->kind == NLQ__KIND__ORDERS)
		rc = wire_unpack(&nlq__orders__descriptor, env->body.data, env->body.len, &m, e);
	else if (env->kind == NLQ__KIND__FAILED && env->error)
		wire_error_to_err(e, env->error), rc = e->code;
	else
		rc = err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "a poll got a message of kind %d", env->kind);
	if (!rc)
		carry_out(w, (const Nlq__Orders *)m);
	wire_free(m);
	envelope_free(env);
	nng_msg_free(msg);
	return rc;
}

void *control_run(void *arg)
{
	struct rpc_worker *w = arg;
	struct strbuf out;

	strbuf_init(&out, WIRE_MAX_MESSAGE);
	while (!atomic_load(&w->is_stopping)) {
		struct err e = ERR_INIT;
		nng_msg *msg = NULL;
		uint64_t uid;
		int rc = req_greet(w->control, WORKER_CONNECT_MS);

		if (!rc && pack_poll(w, &out))
			rc = NNG_ENOMEM;
		if (!rc)
			rc = req_exchange(w->control, out.data, out.len, WORKER_CONNECT_MS,
			    CONTROL_WAIT_MS, &msg, NULL);
		if (rc == NNG_ECANCELED) {
			/* Drain or stop; or a stranger listens there, as the slots report. */
			if (req_met_foreigner(w->control, &uid))
				worker_pause(w, PAUSE_MS);
			continue;
		}
		if (rc) {
			w->ack_seq = 0; /* the next one to answer may count from the start */
			if (rc != NNG_ECONNRESET && req_redial(w->control))
				worker_pause(w, PAUSE_MS);
			continue;
		}
		atomic_store(&w->answered_ms, clock_mono_ms());
		if (on_answer(w, msg, &e)) {
			log_warn("control connection: %s", e.text);
			worker_pause(w, PAUSE_MS);
		}
	}
	strbuf_done(&out);
	return NULL;
}

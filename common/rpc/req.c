/* nng's REQ socket with the settings that pull dispatch needs. */
#include "common/rpc/req.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <nng/protocol/reqrep0/req.h>

#include "common/rpc/address.h"
#include "common/rpc/envelope.h"
#include "common/rpc/sockclose.h"

/* nng waits a random part of this after a connection is lost. An agent that is not
 * admitted dials for ever: at 20 ms six such connections made 600 a second, which
 * stopped nng 1.5.2's reaper in the orchestrator. */
#define RECONNECT_MIN_MS 100
#define RECONNECT_MAX_MS 250
#define GREET_MS 2000

struct req {
	char *url;
	uint64_t peer_uid;
	nng_socket sock;
	nng_aio *aio;
	bool is_left; /* callbacks of a socket that does not close may still come */
	atomic_bool interrupted;
	_Atomic uint32_t n_connects;
	uint32_t greeted;      /* n_connects at the last greeting; 0: none yet */
	pthread_mutex_t mutex; /* guards what follows */
	bool met_foreigner;
	uint64_t foreign_uid;
};

/* Runs on nng's threads. */
static void pipe_event(nng_pipe p, nng_pipe_ev ev, void *arg)
{
	struct req *q = arg;
	uint64_t uid = UINT64_MAX;

	if (ev == NNG_PIPE_EV_ADD_POST) {
		atomic_fetch_add(&q->n_connects, 1);
		return;
	}
	if (q->peer_uid == UINT64_MAX)
		return;
	if (nng_pipe_get_uint64(p, NNG_OPT_IPC_PEER_UID, &uid) == 0 && uid == q->peer_uid)
		return;
	nng_pipe_close(p);
	pthread_mutex_lock(&q->mutex);
	q->met_foreigner = true;
	q->foreign_uid = uid;
	pthread_mutex_unlock(&q->mutex);
	req_interrupt(q);
}

static int dial(struct req *q)
{
	nng_dialer dialer;
	int rc = nng_req0_open(&q->sock);

	if (rc)
		return rc;
	if ((rc = nng_socket_set_ms(q->sock, NNG_OPT_REQ_RESENDTIME, NNG_DURATION_INFINITE)) ||
	    (rc = nng_socket_set_size(q->sock, NNG_OPT_RECVMAXSZ, ENVELOPE_RECV_MAX)) ||
	    (rc = nng_socket_set_ms(q->sock, NNG_OPT_RECONNMINT, RECONNECT_MIN_MS)) ||
	    (rc = nng_socket_set_ms(q->sock, NNG_OPT_RECONNMAXT, RECONNECT_MAX_MS)) ||
	    (rc = nng_pipe_notify(q->sock, NNG_PIPE_EV_ADD_PRE, pipe_event, q)) ||
	    (rc = nng_pipe_notify(q->sock, NNG_PIPE_EV_ADD_POST, pipe_event, q)) ||
	    (rc = nng_dial(q->sock, q->url, &dialer, NNG_FLAG_NONBLOCK)))
		nng_close(q->sock);
	return rc;
}

int req_open(const char *url, uint64_t peer_uid, struct req **ret_req, struct err *e)
{
	struct req *q;
	const char *path;
	int rc = address_path(url, &path, e);

	if (rc)
		return rc;
	q = calloc(1, sizeof(*q));
	if (!q || !(q->url = strdup(url)) || nng_aio_alloc(&q->aio, NULL, NULL)) {
		if (q)
			free(q->url);
		free(q);
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a connection");
	}
	q->peer_uid = peer_uid;
	pthread_mutex_init(&q->mutex, NULL);
	rc = dial(q);
	if (rc) {
		err_set(e, ERR_UNAVAILABLE, PHASE_RPC, "cannot dial %s: %s", url, nng_strerror(rc));
		q->sock.id = 0;
		req_close(q);
		return ERR_UNAVAILABLE;
	}
	*ret_req = q;
	return 0;
}

void req_close(struct req *q)
{
	if (!q)
		return;
	if (q->sock.id && !sockclose(q->sock))
		q->is_left = true;
	if (q->is_left)
		return;
	nng_aio_free(q->aio);
	pthread_mutex_destroy(&q->mutex);
	free(q->url);
	free(q);
}

int req_redial(struct req *q)
{
	int rc;

	if (q->sock.id && !sockclose(q->sock))
		q->is_left = true;
	q->greeted = 0;
	q->met_foreigner = false;
	rc = dial(q);
	if (rc)
		q->sock.id = 0;
	return rc;
}

/* Waits for the operation that was just started on the aio. */
static int finish(struct req *q)
{
	if (atomic_load(&q->interrupted))
		nng_aio_cancel(q->aio);
	nng_aio_wait(q->aio);
	return nng_aio_result(q->aio);
}

static void set_timeout(struct req *q, uint32_t ms)
{
	nng_aio_set_timeout(q->aio, ms > INT32_MAX ? INT32_MAX : (nng_duration)ms);
}

static int send_and_receive(struct req *q, const void *bytes, size_t len, uint32_t send_ms,
    uint32_t receive_ms, nng_msg **ret_msg, atomic_bool *sent)
{
	nng_msg *msg = NULL;
	int rc;

	if (!q->sock.id)
		return NNG_ECLOSED;
	if ((rc = nng_msg_alloc(&msg, len)))
		return rc;
	memcpy(nng_msg_body(msg), bytes, len);
	set_timeout(q, send_ms);
	nng_aio_set_msg(q->aio, msg);
	nng_send_aio(q->sock, q->aio);
	rc = finish(q);
	if (rc) {
		nng_msg_free(nng_aio_get_msg(q->aio));
		nng_aio_set_msg(q->aio, NULL);
		return rc;
	}
	if (sent)
		atomic_store(sent, true);
	/* Only after the send has ended: receiving earlier crashes nng 1.5.2. */
	set_timeout(q, receive_ms);
	nng_recv_aio(q->sock, q->aio);
	rc = finish(q);
	if (!rc)
		*ret_msg = nng_aio_get_msg(q->aio);
	nng_aio_set_msg(q->aio, NULL);
	return rc;
}

int req_exchange(struct req *q, const void *bytes, size_t len, uint32_t send_ms,
    uint32_t receive_ms, nng_msg **ret_msg, atomic_bool *sent)
{
	int rc = send_and_receive(q, bytes, len, send_ms, receive_ms, ret_msg, sent);

	if (rc == NNG_ECANCELED)
		atomic_store(&q->interrupted, false);
	return rc;
}

void req_interrupt(struct req *q)
{
	atomic_store(&q->interrupted, true);
	nng_aio_cancel(q->aio);
}

int req_greet(struct req *q, uint32_t connect_ms)
{
	Nlq__Envelope env;
	struct strbuf out;
	nng_msg *msg = NULL;
	int rc = 0;

	if (q->greeted != 0 && q->greeted == atomic_load(&q->n_connects))
		return 0;
	envelope_init(&env, NLQ__KIND__PING);
	strbuf_init(&out, 256);
	if (envelope_to_strbuf(&env, NULL, &out, NULL))
		rc = NNG_ENOMEM;
	else
		rc = req_exchange(q, out.data, out.len, connect_ms, GREET_MS, &msg, NULL);
	if (rc == 0)
		q->greeted = atomic_load(&q->n_connects);
	nng_msg_free(msg);
	strbuf_done(&out);
	return rc;
}

bool req_met_foreigner(struct req *q, uint64_t *ret_uid)
{
	bool met;

	pthread_mutex_lock(&q->mutex);
	met = q->met_foreigner;
	*ret_uid = q->foreign_uid;
	pthread_mutex_unlock(&q->mutex);
	return met;
}

/* A client's connection; see client.h. */
#include "common/rpc/client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "common/rpc/address.h"
#include "common/rpc/envelope.h"
#include "common/rpc/req.h"

#define CONNECT_MIN_MS 250 /* for a socket file that is there */
#define REDIAL_MS 1500

struct rpc_client {
	struct req *req;
};

static int explain(struct req *q, const char *path, struct err *e)
{
	uint64_t uid;

	if (req_met_foreigner(q, &uid))
		return err_set(e, ERR_DENIED, PHASE_RPC, "the listener on %s belongs to uid %llu",
		    path, (unsigned long long)uid);
	err_set(e, ERR_UNAVAILABLE, PHASE_RPC, "nobody answers on %s", path);
	err_fix(e, "start the orchestrator, or run: nlq up --db FILE");
	e->retry = true;
	return ERR_UNAVAILABLE;
}

/* A dialer can be stuck with a listener that has died: a new one from time to time. */
static bool connect_within(struct req *q, uint32_t wait_ms)
{
	uint64_t deadline = clock_mono_ms() + wait_ms, uid;

	for (;;) {
		uint32_t left = clock_left_ms(deadline);

		if (req_greet(q, left < REDIAL_MS ? left : REDIAL_MS) == 0)
			return true;
		if (req_met_foreigner(q, &uid) || clock_left_ms(deadline) == 0 || req_redial(q))
			return false;
	}
}

int rpc_client_open(const char *url, uint32_t wait_ms, uint64_t owner_uid,
    struct rpc_client **ret_client, struct err *e)
{
	struct rpc_client *c;
	struct err local = ERR_INIT;
	struct stat st;
	const char *path;
	int rc;

	if (!e)
		e = &local;
	rc = address_path(url, &path, e);
	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a connection");
	rc = req_open(url, owner_uid, &c->req, e);
	if (!rc && wait_ms == 0 && lstat(path, &st) && errno == ENOENT)
		rc = explain(c->req, path, e);
	if (!rc && !connect_within(c->req, wait_ms < CONNECT_MIN_MS ? CONNECT_MIN_MS : wait_ms))
		rc = explain(c->req, path, e);
	if (rc)
		rpc_client_close(c);
	else
		*ret_client = c;
	return rc;
}

void rpc_client_close(struct rpc_client *c)
{
	if (!c)
		return;
	req_close(c->req);
	free(c);
}

static int on_answer(nng_msg *msg, Nlq__Kind *ret_kind, struct strbuf *ret_body, struct err *e)
{
	Nlq__Envelope *env = NULL;
	int rc = envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, e);

	if (rc)
		return rc;
	if (env->kind == NLQ__KIND__FAILED) {
		if (env->error) {
			wire_error_to_err(e, env->error);
			rc = e->code;
		} else {
			rc = err_set(
			    e, ERR_PROTOCOL, PHASE_RPC, "the answer is a failure without an error");
		}
	} else {
		strbuf_add(ret_body, env->body.data, env->body.len);
		*ret_kind = env->kind;
		if (ret_body->failed)
			rc = err_set(e, ERR_TOO_LARGE, PHASE_RPC,
			    "the answer has %zu bytes, more than there is room for", env->body.len);
	}
	envelope_free(env);
	return rc;
}

int rpc_client_call(struct rpc_client *c, Nlq__Kind kind, const void *body, size_t len,
    uint32_t timeout_ms, Nlq__Kind *ret_kind, struct strbuf *ret_body, struct err *e)
{
	Nlq__Envelope env;
	struct strbuf out;
	struct err local = ERR_INIT;
	nng_msg *msg = NULL;
	int rc, nrc;

	if (!e)
		e = &local;
	envelope_init(&env, kind);
	env.has_body = len > 0;
	envelope_bytes(&env.body, body, len);
	strbuf_init(&out, WIRE_MAX_MESSAGE);
	rc = envelope_to_strbuf(&env, NULL, &out, e);
	if (rc)
		goto out;
	/* After a timeout the connection stays: REQ drops answers to earlier requests. */
	nrc = req_exchange(c->req, out.data, out.len, timeout_ms, timeout_ms, &msg, NULL);
	if (nrc == NNG_ETIMEDOUT) {
		rc = err_set(e, ERR_TIMEOUT, PHASE_RPC, "no answer within %u ms", timeout_ms);
	} else if (nrc) {
		rc = err_set(e, ERR_UNAVAILABLE, PHASE_RPC, "the connection was lost (%s)",
		    nng_strerror(nrc));
		err_fix(e, "the request may or may not have run: ask again");
		e->retry = true;
	} else {
		rc = on_answer(msg, ret_kind, ret_body, e);
	}
out:
	nng_msg_free(msg);
	strbuf_done(&out);
	return rc;
}

/* Packs and checks envelopes; knows nothing of sockets. */
#include "common/rpc/envelope.h"

#include <string.h>

#ifdef NLQ_SANITIZER
/* nng 1.5.2 loses a message whose connection goes while it is being sent. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:pack_msg\n";
}
#endif

static bool has_length(protobuf_c_boolean has, const ProtobufCBinaryData *b, size_t len)
{
	return !has || b->len == len;
}

int envelope_unpack(const void *bytes, size_t len, Nlq__Envelope **ret_env, struct err *e)
{
	ProtobufCMessage *m = NULL;
	Nlq__Envelope *env;
	int rc = wire_unpack(&nlq__envelope__descriptor, bytes, len, &m, e);

	if (rc)
		return rc;
	env = (Nlq__Envelope *)m;
	if (env->version != PROTO_VERSION) {
		rc = err_set(e, ERR_VERSION, PHASE_RPC,
		    "the peer speaks protocol version %u, this is %u", env->version, PROTO_VERSION);
		err_fix(e, "run programs of the same release");
	} else if (env->kind == NLQ__KIND__KIND_NONE) {
		rc = err_set(e, ERR_PROTOCOL, PHASE_RPC, "bad message: it has no kind");
	} else if (!has_length(env->has_request_id, &env->request_id, WIRE_ID_LEN) ||
	    !has_length(env->has_job_id, &env->job_id, WIRE_ID_LEN)) {
		rc = err_set(e, ERR_PROTOCOL, PHASE_RPC, "bad message: an id has the wrong length");
	}
	if (rc)
		wire_free(m);
	else
		*ret_env = env;
	return rc;
}

void envelope_free(Nlq__Envelope *env)
{
	wire_free((ProtobufCMessage *)env);
}

void envelope_init(Nlq__Envelope *env, Nlq__Kind kind)
{
	nlq__envelope__init(env);
	env->version = PROTO_VERSION;
	env->kind = kind;
}

int envelope_to_strbuf(
    Nlq__Envelope *env, const ProtobufCMessage *body, struct strbuf *out, struct err *e)
{
	struct strbuf inner;
	int rc;

	if (!body)
		return wire_pack(out, &env->base, e);
	strbuf_init(&inner, WIRE_MAX_MESSAGE);
	rc = wire_pack(&inner, body, e);
	if (!rc) {
		env->has_body = true;
		envelope_bytes(&env->body, inner.data, inner.len);
		rc = wire_pack(out, &env->base, e);
		env->has_body = false;
	}
	strbuf_done(&inner);
	return rc;
}

static __attribute__((noinline)) int pack_msg(
    const Nlq__Envelope *env, nng_msg **ret_msg, struct err *e)
{
	size_t size = protobuf_c_message_get_packed_size(&env->base);
	nng_msg *msg = NULL;
	int rc;

	if (size > WIRE_MAX_MESSAGE)
		return err_set(e, ERR_TOO_LARGE, PHASE_RPC,
		    "the message has %zu bytes, the limit is %u", size, WIRE_MAX_MESSAGE);
	if (nng_msg_alloc(&msg, size))
		return err_set(
		    e, ERR_NOMEM, PHASE_RPC, "no memory for a message of %zu bytes", size);
	rc = wire_pack_into(nng_msg_body(msg), size, &env->base, e);
	if (rc)
		nng_msg_free(msg);
	else
		*ret_msg = msg;
	return rc;
}

int envelope_to_msg(
    Nlq__Envelope *env, const ProtobufCMessage *body, nng_msg **ret_msg, struct err *e)
{
	struct strbuf inner;
	int rc;

	if (!body)
		return pack_msg(env, ret_msg, e);
	strbuf_init(&inner, WIRE_MAX_MESSAGE);
	rc = wire_pack(&inner, body, e);
	if (!rc) {
		env->has_body = true;
		envelope_bytes(&env->body, inner.data, inner.len);
		rc = pack_msg(env, ret_msg, e);
		env->has_body = false;
	}
	strbuf_done(&inner);
	return rc;
}

nng_msg *envelope_simple(Nlq__Kind kind, const ProtobufCMessage *body)
{
	Nlq__Envelope env;
	nng_msg *msg = NULL;

	envelope_init(&env, kind);
	return envelope_to_msg(&env, body, &msg, NULL) ? NULL : msg;
}

nng_msg *envelope_failed(const struct err *failure)
{
	Nlq__Envelope env;
	Nlq__Error error;
	struct err plain;
	nng_msg *msg = NULL;

	envelope_init(&env, NLQ__KIND__FAILED);
	wire_error_from_err(&error, failure);
	env.error = &error;
	if (envelope_to_msg(&env, NULL, &msg, NULL)) {
		/* A text that is not UTF-8: the code still tells what happened. */
		err_set(&plain, failure->code, failure->phase, "%s", err_code_name(failure->code));
		wire_error_from_err(&error, &plain);
		msg = NULL;
		(void)envelope_to_msg(&env, NULL, &msg, NULL);
	}
	return msg;
}

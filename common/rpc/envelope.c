/* Packs and checks envelopes; knows nothing of sockets. */
#include "common/rpc/envelope.h"

#include <string.h>

#include "common/wire/scan.h"

/* Number of Envelope.body, its last field; a unit test holds it to the .proto. */
#define BODY_FIELD 10

#ifdef NLQ_SANITIZER
/* nng 1.5.2 loses a message whose connection goes while it is being sent, and a
 * dialer that is closed while it connects. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:envelope_to_msg\nleak:send_and_receive\nleak:nng_dial\n";
}
#endif

static bool has_length(protobuf_c_boolean has, const ProtobufCBinaryData *b, size_t len)
{
	return !has || b->len == len;
}

static int check(const Nlq__Envelope *env, struct err *e)
{
	if (env->version != PROTO_VERSION) {
		err_set(e, ERR_VERSION, PHASE_RPC,
		    "the peer speaks protocol version %u, this is %u", env->version, PROTO_VERSION);
		err_fix(e, "run programs of the same release");
		return ERR_VERSION;
	}
	if (env->kind == NLQ__KIND__KIND_NONE)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "bad message: it has no kind");
	if (!has_length(env->has_request_id, &env->request_id, WIRE_ID_LEN) ||
	    !has_length(env->has_job_id, &env->job_id, WIRE_ID_LEN))
		return err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "bad message: an id has the wrong length");
	return 0;
}

int envelope_unpack(const void *bytes, size_t len, Nlq__Envelope **ret_env, struct err *e)
{
	ProtobufCMessage *m = NULL;
	Nlq__Envelope *env;
	size_t head = len, start = 0;
	bool has_body = scan_ends_with(bytes, len, BODY_FIELD, &head, &start);
	int rc;

	if (len > WIRE_MAX_MESSAGE)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC,
		    "bad message: %zu bytes, the limit is %u", len, WIRE_MAX_MESSAGE);
	/* The body is most of it: it is left where it is instead of being copied. */
	rc = wire_unpack(&nlq__envelope__descriptor, bytes, has_body ? head : len, &m, e);
	if (rc)
		return rc;
	env = (Nlq__Envelope *)m;
	rc = check(env, e);
	if (!rc && has_body && env->has_body)
		rc = err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "bad message: Envelope.body appears twice");
	if (rc) {
		wire_free(m);
		return rc;
	}
	if (has_body) {
		env->has_body = true;
		envelope_bytes(&env->body, (const uint8_t *)bytes + start, len - start);
	}
	*ret_env = env;
	return 0;
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

/* Sizes of the parts of an envelope that is written with its body last. */
struct layout {
	size_t head, body, total;
	uint8_t prefix[16]; /* tag and length of the body */
	size_t n_prefix;
};

static void plan(const Nlq__Envelope *env, const ProtobufCMessage *body, struct layout *ret_layout)
{
	struct layout l = {.head = protobuf_c_message_get_packed_size(&env->base)};
	uint64_t v;

	if (body) {
		l.body = protobuf_c_message_get_packed_size(body);
		l.prefix[l.n_prefix++] = BODY_FIELD << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
		for (v = l.body; v >= 0x80; v >>= 7)
			l.prefix[l.n_prefix++] = (uint8_t)(v | 0x80);
		l.prefix[l.n_prefix++] = (uint8_t)v;
	}
	l.total = l.head + l.n_prefix + l.body;
	*ret_layout = l;
}

static int write_parts(const struct layout *l, uint8_t *buf, const Nlq__Envelope *env,
    const ProtobufCMessage *body, struct err *e)
{
	int rc = wire_pack_into(buf, l->head, &env->base, e);

	if (rc || !body)
		return rc;
	memcpy(buf + l->head, l->prefix, l->n_prefix);
	return wire_pack_into(buf + l->head + l->n_prefix, l->body, body, e);
}

static int check_total(const struct layout *l, struct err *e)
{
	if (l->total <= WIRE_MAX_MESSAGE)
		return 0;
	err_set(e, ERR_TOO_LARGE, PHASE_RPC, "the message has %zu bytes, the limit is %u", l->total,
	    WIRE_MAX_MESSAGE);
	err_fix(e, "ask for less at once");
	return ERR_TOO_LARGE;
}

int envelope_to_strbuf(
    const Nlq__Envelope *env, const ProtobufCMessage *body, struct strbuf *out, struct err *e)
{
	struct layout l;
	char *buf;
	int rc;

	plan(env, body, &l);
	rc = check_total(&l, e);
	if (rc)
		return rc;
	buf = strbuf_reserve(out, l.total);
	if (!buf)
		return err_set(
		    e, ERR_TOO_LARGE, PHASE_RPC, "no room for a message of %zu bytes", l.total);
	rc = write_parts(&l, (uint8_t *)buf, env, body, e);
	if (!rc)
		out->len += l.total;
	out->data[out->len] = 0;
	return rc;
}

int envelope_to_msg(
    const Nlq__Envelope *env, const ProtobufCMessage *body, nng_msg **ret_msg, struct err *e)
{
	struct layout l;
	nng_msg *msg = NULL;
	int rc;

	plan(env, body, &l);
	rc = check_total(&l, e);
	if (rc)
		return rc;
	if (nng_msg_alloc(&msg, l.total))
		return err_set(
		    e, ERR_NOMEM, PHASE_RPC, "no memory for a message of %zu bytes", l.total);
	rc = write_parts(&l, nng_msg_body(msg), env, body, e);
	if (rc)
		nng_msg_free(msg);
	else
		*ret_msg = msg;
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

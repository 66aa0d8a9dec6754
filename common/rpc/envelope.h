/* Envelopes as nng messages: the one place where they are packed and checked. */
#ifndef NLQ_RPC_ENVELOPE_H
#define NLQ_RPC_ENVELOPE_H

#include <nng/nng.h>

#include "common/base/err.h"
#include "common/wire/wire.h"

/* What a peer may send: nng counts its own header too. */
#define ENVELOPE_RECV_MAX (WIRE_MAX_MESSAGE + 64)

/* Checks size, form, version, kind and the length of ids. The error is
 * ERR_PROTOCOL or ERR_VERSION. env->body borrows from bytes. */
int envelope_unpack(const void *bytes, size_t len, Nlq__Envelope **ret_env, struct err *e);
void envelope_free(Nlq__Envelope *env); /* NULL is fine */
/* Sets version and kind. */
void envelope_init(Nlq__Envelope *env, Nlq__Kind kind);
/* Packs env with body as its body; NULL: with env->body as it stands. (env->has_body
 * must be false where body is given.) */
int envelope_to_msg(
    const Nlq__Envelope *env, const ProtobufCMessage *body, nng_msg **ret_msg, struct err *e);
int envelope_to_strbuf(
    const Nlq__Envelope *env, const ProtobufCMessage *body, struct strbuf *out, struct err *e);
/* A message of this kind with only a body; NULL if it cannot be made. */
nng_msg *envelope_simple(Nlq__Kind kind, const ProtobufCMessage *body);
/* A FAILED message; NULL only without memory. */
nng_msg *envelope_failed(const struct err *failure);

static inline void envelope_bytes(ProtobufCBinaryData *out, const void *p, size_t len)
{
	out->data = (uint8_t *)p;
	out->len = len;
}

#endif

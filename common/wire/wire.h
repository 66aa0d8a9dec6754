/*
 * Encoding and decoding of every message, in one place. Decoding checks, in
 * this order: size, a pre-scan of the bytes against the message's descriptor
 * (depth, number of fields and elements, wire types, unknown fields, duplicate
 * scalars, missing fields, enum range, NaN, UTF-8 and NUL in strings), then
 * protobuf-c's unpack with an allocator that stops at a cap. Whatever fails is
 * ERR_PROTOCOL.
 */
#ifndef NLQ_WIRE_H
#define NLQ_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "envelope.pb-c.h"

#define PROTO_VERSION 1
#define WIRE_MAX_MESSAGE (4u * 1024 * 1024)
#define WIRE_MAX_CHUNK (1024u * 1024)
#define WIRE_ID_LEN 16
/* What an envelope may add to its body: a body up to WIRE_MAX_BODY always fits. */
#define WIRE_MAX_BODY (WIRE_MAX_MESSAGE - 16u * 1024)

/* Checks and unpacks; free with wire_free, and only with it (the message and all
 * its parts are one allocation). The descriptor is the generated
 * nlq__x__descriptor. */
int wire_unpack(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len,
    ProtobufCMessage **ret_message, struct err *e);
void wire_free(ProtobufCMessage *m); /* NULL is fine; only messages of wire_unpack */
/* Appends the packed message. ERR_TOO_LARGE if it is over WIRE_MAX_MESSAGE (or
 * does not fit in out), ERR_PROTOCOL if wire_unpack would refuse it (broken text
 * in a string field, NaN): the sender finds out, not the receiver. On failure out
 * is as it was. */
int wire_pack(struct strbuf *out, const ProtobufCMessage *m, struct err *e);
/* The same into a buffer of protobuf_c_message_get_packed_size(m) bytes. */
int wire_pack_into(uint8_t *buf, size_t len, const ProtobufCMessage *m, struct err *e);

/* Struct err <-> protobuf Error. The text fields borrow from e. */
void wire_error_from_err(Nlq__Error *out, const struct err *e);
void wire_error_to_err(struct err *out, const Nlq__Error *m);

#endif

/*
 * Encoding and decoding of every message, in one place. Decoding checks, in
 * this order: size, a pre-scan of the bytes against the message's descriptor
 * (depth, number of fields and elements, wire types, unknown fields, duplicate
 * scalars, enum range, UTF-8 and NUL in strings), then protobuf-c's unpack with
 * an allocator that stops at a cap. Whatever fails is ERR_PROTOCOL.
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

/* Checks and unpacks; free with wire_free. The descriptor is the generated
 * nlq__x__descriptor. */
int wire_unpack(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len,
    ProtobufCMessage **ret_message, struct err *e);
void wire_free(ProtobufCMessage *m); /* NULL is fine */
/* Appends the packed message. ERR_TOO_LARGE if it is over WIRE_MAX_MESSAGE. */
int wire_pack(struct strbuf *out, const ProtobufCMessage *m, struct err *e);

/* Struct err <-> protobuf Error. The text fields borrow from e. */
void wire_error_from_err(Nlq__Error *out, const struct err *e);
void wire_error_to_err(struct err *out, const Nlq__Error *m);

#endif

/*
 * The pre-scan of a message's bytes against its descriptor, before protobuf-c
 * sees them: the protocol is closed, so whatever we would not write ourselves is
 * refused (unknown or repeated scalar fields, odd wire types, overlong varints,
 * values out of range, NaN, broken text).
 */
#ifndef NLQ_WIRE_SCAN_H
#define NLQ_WIRE_SCAN_H

#include <protobuf-c/protobuf-c.h>

#include "common/base/err.h"

#define SCAN_MAX_DEPTH 16
#define SCAN_MAX_FIELDS (512u * 1024) /* fields of the message and all inside it */

/* 0 or ERR_PROTOCOL with a text that names message and field. */
int scan_message(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len, struct err *e);

/* Whether the message's last field is a length-prefixed one with this number; then
 * *ret_before is the length of what stands before it and *ret_start where its bytes
 * begin (they reach to the end). */
bool scan_ends_with(
    const void *bytes, size_t len, unsigned field, size_t *ret_before, size_t *ret_start);

#endif

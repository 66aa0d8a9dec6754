/*
 * From checked bytes to a message: the shape of protobuf-c's unpack, for bytes
 * that scan_message has accepted. protobuf-c's own looks at everything again and
 * takes several times as long.
 */
#ifndef NLQ_WIRE_DECODE_H
#define NLQ_WIRE_DECODE_H

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "common/base/base.h"

struct decode_block;

/* Where messages live: a chain of blocks, freed together. `left` is the cap on
 * what is still to come; set by the caller, the rest starts as zero. */
struct decode_pool {
	struct decode_block *first, *last; /* in order of allocation: the message opens the first */
	size_t left;
};

/* NULL if the message needs more than the pool may give; the pool is the caller's
 * to free then. Never to be called for bytes that scan_message did not accept. */
ProtobufCMessage *decode_message(
    struct decode_pool *p, const ProtobufCMessageDescriptor *d, const uint8_t *bytes, size_t len);
void decode_pool_free(struct decode_pool *p);
/* All of the pool whose message this is. */
void decode_free(ProtobufCMessage *m);

#endif

/* One call of an agent: pack, dispatch, trace, unpack. Shared by the pb_*
 * files that know the messages. */
#ifndef NLQ_ORCH_PB_CALL_H
#define NLQ_ORCH_PB_CALL_H

#include "common/rpc/dispatch.h"
#include "common/wire/wire.h"
#include "orchestrator/agents.h"

struct pb_op {
	Nlq__Role role;
	Nlq__Kind kind;
	const char *component, *name;
	uint32_t lease_ms; /* of one attempt; 0: query budget + 1 s */
	uint32_t retries;
	enum err_phase phase;
	const ProtobufCMessageDescriptor *reply;
};

/* *ret_reply lives until agents_done. digest_of (may be NULL) gives the result
 * digest for the span from the reply. */
int pb_call(struct call_ctx *x, const struct pb_op *op, const ProtobufCMessage *request,
    const struct hash *prefer, const ProtobufCBinaryData *(*digest_of)(const ProtobufCMessage *),
    ProtobufCMessage **ret_reply, struct err *e);
/* Frees the message with the request, as if it were a reply. */
void pb_keep(struct call_ctx *x, ProtobufCMessage *m);

struct semantic_names pb_names(struct arena *a, char **items, size_t n);
int pb_hash(const ProtobufCBinaryData *from, struct hash *ret_hash, struct err *e);
#define PB_BYTES(p, n) ((ProtobufCBinaryData){(n), (uint8_t *)(uintptr_t)(p)})
/* protobuf-c's strings are not const; nothing writes through them. */
#define PB_STR(s) ((char *)(uintptr_t)(s))

#endif

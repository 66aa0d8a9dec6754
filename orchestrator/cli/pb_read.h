/* Messages of the orchestrator into the client's plain structs. */
#ifndef NLQ_CLI_PB_READ_H
#define NLQ_CLI_PB_READ_H

#include "client.pb-c.h"
#include "common/rpc/client.h"
#include "common/wire/wire.h"
#include "orchestrator/cli/answer.h"

/* protobuf-c's strings are not const; nothing writes through them. */
#define PB_CLIENT_STR(s) ((char *)(uintptr_t)(s))

/* 32 hex digits; "" if the bytes are no id. */
void pb_read_id(const ProtobufCBinaryData *id, char out[33]);
/* Strings are copied into the arena, results are on the heap: free those of the
 * answer with pb_answer_done. */
int pb_read_answer(
    const Nlq__AskReply *m, struct arena *a, struct answer *ret_answer, struct err *e);
void pb_answer_done(struct answer *a);
int pb_read_result(const Nlq__ResultSet *m, struct resultset **ret_result, struct err *e);
struct semantic_names pb_read_names(struct arena *a, char **items, size_t n);

/* One round trip; the second form also checks the kind and unpacks. */
int pb_client_call(struct rpc_client *c, Nlq__Kind kind, const ProtobufCMessage *request,
    uint32_t timeout_ms, Nlq__Kind *ret_kind, struct strbuf *ret_body, struct err *e);
int pb_client_get(struct rpc_client *c, Nlq__Kind kind, const ProtobufCMessage *request,
    uint32_t timeout_ms, Nlq__Kind want, const ProtobufCMessageDescriptor *d,
    ProtobufCMessage **ret_reply, struct err *e);

#endif

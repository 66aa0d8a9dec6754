/* struct semantic <-> protobuf; see pb_catalog.h for the conventions. */
#ifndef NLQ_PB_SEMANTIC_H
#define NLQ_PB_SEMANTIC_H
#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "common/model/semantic.h"
#include "snapshot.pb-c.h"

Nlq__Semantic *pb_semantic_message(struct arena *a, const struct semantic *s);
int pb_semantic_read(const Nlq__Semantic *m, struct semantic **ret_model, struct err *e);
int pb_semantic_pack(struct strbuf *out, const struct semantic *s, struct err *e);
int pb_semantic_unpack(const void *bytes, size_t len, struct semantic **ret_model, struct err *e);
#endif

/* struct grounding and struct verdict <-> protobuf; see pb_catalog.h. */
#ifndef NLQ_PB_GROUNDING_H
#define NLQ_PB_GROUNDING_H
#include "agents.pb-c.h"
#include "common/base/err.h"
#include "common/model/grounding.h"
#include "common/model/verdict.h"
#include "schema.pb-c.h"

Nlq__Grounding *pb_grounding_message(struct arena *a, const struct grounding *g);
int pb_grounding_read(const Nlq__Grounding *m, struct grounding **ret_grounding, struct err *e);
Nlq__VerifyReply *pb_verdict_message(struct arena *a, const struct verdict *v);
int pb_verdict_read(const Nlq__VerifyReply *m, struct verdict **ret_verdict, struct err *e);
#endif

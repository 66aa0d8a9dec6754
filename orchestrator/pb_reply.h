/* The outcome of a flow as the message that clients get. */
#ifndef NLQ_ORCH_PB_REPLY_H
#define NLQ_ORCH_PB_REPLY_H

#include "common/base/strbuf.h"
#include "orchestrator/flow.h"

/* Packs an AskReply. When everything together is over the message limit, the
 * results of earlier steps are left out. */
int pb_reply_pack(struct strbuf *out, const struct flow *f, double total_ms, struct err *e);
const char *pb_reply_outcome(const struct flow *f);

#endif

/* What flow threads do: questions, queries and schema look-ups, from the
 * session's message to its reply. */
#ifndef NLQ_ORCH_PB_WORK_H
#define NLQ_ORCH_PB_WORK_H

#include "orchestrator/orch.h"

/* Body of a flow thread: works until the sessions are closed. arg: struct orch *. */
void *pb_work_thread(void *arg);

#endif

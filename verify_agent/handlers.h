/* Messages to plain structs and back: the only file of this daemon that sees
 * protobuf. */
#ifndef NLQ_VERIFY_HANDLERS_H
#define NLQ_VERIFY_HANDLERS_H

#include "common/rpc/worker.h"

rpc_handler_fn handle_verify;

#endif

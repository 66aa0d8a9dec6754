/* The executor's job kinds: which file, how much time, which worker. */
#ifndef NLQ_EXECUTOR_HANDLERS_H
#define NLQ_EXECUTOR_HANDLERS_H

#include "common/rpc/worker.h"
#include "executor/pool.h"
#include "executor/sources.h"

struct executor {
	struct sources sources;
	struct pool *pool;
	uint32_t query_ms;    /* RUN without a budget of its own */
	uint32_t describe_ms; /* profile of a whole source */
	uint32_t values_ms;   /* FIND_VALUES */
};

/* The one executor of this process: handlers have no argument. Set before the worker
 * starts. */
void executor_handlers_init(const struct executor *x);

extern const struct rpc_handler executor_handlers[];
extern const size_t executor_n_handlers;

#endif

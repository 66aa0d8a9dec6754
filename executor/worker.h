/*
 * The sealed process that runs SQL: one source for life, one call at a time. It
 * trusts nothing but its own image: the database, the query and the messages may
 * all be hostile, and it holds no descriptor but its socket and the source's files.
 */
#ifndef NLQ_EXECUTOR_WORKER_H
#define NLQ_EXECUTOR_WORKER_H

#include "common/base/base.h"

struct sandbox;

struct worker_conf {
	const struct sandbox *sandbox;
	uint64_t heap_bytes;         /* hard limit of the engine's memory */
	uint32_t cache_kib;          /* page cache */
	uint64_t opcodes_max;        /* per query, 0: no limit */
	uint64_t check_max_bytes;    /* quick_check is run for files up to this size */
	uint32_t check_ms;           /* its time box */
	uint64_t snapshot_max_bytes; /* largest private copy */
	const char *snapshot_base;   /* private folder for copies */
	uint32_t result_max_rows;
	uint64_t result_max_bytes;
	uint32_t cell_max_bytes;
	uint32_t describe_ms; /* profile of a whole source */
};

/* Runs in a fresh child of the zygote until its socket closes; never returns.
 * sock is moved to descriptor 3 and everything else is closed. */
NLQ_NORETURN void worker_main(int sock, const char *path, const struct worker_conf *conf);

#endif

/* The executor's settings: one struct, and the table of rows that fills it. */
#ifndef NLQ_EXECUTOR_SETTINGS_H
#define NLQ_EXECUTOR_SETTINGS_H

#include "common/base/conf.h"

struct executor_settings {
	const struct yaml_node *sources;
	bool adhoc_sources;
	uint32_t query_ms, describe_ms, values_ms, check_ms, idle_ms, start_ms, cpu_ms;
	uint32_t workers, workers_per_source, result_rows;
	uint64_t worker_memory, cache, check_max, snapshot_max, result_bytes, cell_bytes;
	uint64_t opcodes;
};

extern struct executor_settings executor_settings; /* defaults until they are read */
extern const struct conf_row executor_rows[];
extern const size_t executor_n_rows;

#endif

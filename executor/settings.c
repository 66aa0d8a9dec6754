/* Names, limits and defaults; deploy/conf/executor.yaml says the same to people. */
#include "executor/settings.h"

#define set executor_settings

struct executor_settings executor_settings = {
    .query_ms = 10000,
    .describe_ms = 10000,
    .values_ms = 2000,
    .check_ms = 500,
    .idle_ms = 60000,
    .start_ms = 10000,
    .cpu_ms = 600000,
    .workers = 8,
    .workers_per_source = 4,
    .result_rows = 1000,
    .worker_memory = 512ull << 20,
    .cache = 16ull << 20,
    .check_max = 64ull << 20,
    .snapshot_max = 256ull << 20,
    .result_bytes = 2ull << 20,
    .cell_bytes = 64ull << 10,
    .opcodes = 2000000000,
};

const struct conf_row executor_rows[] = {
    {"sources", CONF_NODE, &set.sources, 0, 0, NULL, "databases: list of {name, path}"},
    {"adhoc_sources", CONF_BOOL, &set.adhoc_sources, 0, 0, NULL,
        "a request may name a file (private stack only)"},
    {"query_ms", CONF_MS, &set.query_ms, 10, 600000, NULL, "time of one query"},
    {"describe_ms", CONF_MS, &set.describe_ms, 100, 600000, NULL, "time of a source's profile"},
    {"values_ms", CONF_MS, &set.values_ms, 10, 60000, NULL, "time of one look-up of values"},
    {"check_ms", CONF_MS, &set.check_ms, 0, 60000, NULL, "time of a file's quick check"},
    {"check_max", CONF_SIZE, &set.check_max, 0, 0, NULL, "largest file that is quick-checked"},
    {"workers", CONF_UINT, &set.workers, 1, 64, NULL, "most worker processes"},
    {"workers_per_source", CONF_UINT, &set.workers_per_source, 1, 64, NULL,
        "most worker processes of one source"},
    {"worker_idle_ms", CONF_MS, &set.idle_ms, 100, 3600000, NULL, "an idle worker ends after that"},
    {"worker_start_ms", CONF_MS, &set.start_ms, 100, 600000, NULL,
        "a worker must be ready in that"},
    {"worker_cpu_ms", CONF_MS, &set.cpu_ms, 10000, 86400000, NULL,
        "processor time of a worker's whole life"},
    {"worker_memory", CONF_SIZE, &set.worker_memory, 64u << 20, 64ull << 30, NULL,
        "address space of a worker"},
    {"cache", CONF_SIZE, &set.cache, 1u << 20, 4ull << 30, NULL, "page cache of a worker"},
    {"snapshot_max", CONF_SIZE, &set.snapshot_max, 0, 0, NULL,
        "largest private copy of a database with a -wal of its own"},
    {"result_rows", CONF_UINT, &set.result_rows, 1, 100000, NULL, "most rows of a result"},
    {"result_bytes", CONF_SIZE, &set.result_bytes, 1024, 3u << 20, NULL, "most bytes of a result"},
    {"cell_bytes", CONF_SIZE, &set.cell_bytes, 16, 1u << 20, NULL, "most bytes of one cell"},
    {"opcodes", CONF_SIZE, &set.opcodes, 0, 0, NULL,
        "most steps of the engine in one query; 0: any"},
};
const size_t executor_n_rows = ARRAY_SIZE(executor_rows);

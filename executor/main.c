/* nlq-executor: settings, and what happens before and after its life as an agent.
 * The sandbox is proved and the zygote forked while the process has one thread. */
#include <signal.h>
#include <sys/wait.h>

#include "common/base/log.h"
#include "common/daemon/daemon.h"
#include "executor/handlers.h"
#include "executor/pool.h"
#include "executor/sandbox.h"
#include "executor/snapshot.h"

static struct {
	const struct yaml_node *sources;
	bool adhoc_sources;
	uint32_t query_ms, describe_ms, values_ms, check_ms, idle_ms, start_ms, cpu_ms;
	uint32_t workers, workers_per_source, result_rows;
	uint64_t worker_memory, cache, check_max, snapshot_max, result_bytes, cell_bytes;
	uint64_t opcodes;
} set = {
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

static const struct conf_row rows[] = {
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
    {"worker_start_ms", CONF_MS, &set.start_ms, 100, 600000, NULL, "a worker must be ready in that"},
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
    {"opcodes", CONF_SIZE, &set.opcodes, 0, 0, NULL, "most steps of the engine in one query; 0: any"},
};

static struct sandbox sandbox;
static struct executor executor;
static char snapshot_base[SNAPSHOT_BASE_MAX];

static int check(struct err *e)
{
	return sources_load(
	    daemon_arena(), set.sources, set.adhoc_sources, &executor.sources, e);
}

static void on_exit_report(pid_t pid, int status, bool expected, void *arg)
{
	(void)arg;
	if (!expected && WIFSIGNALED(status))
		log_warn("worker ended pid=%ld signal=%d%s", (long)pid, WTERMSIG(status),
		    WTERMSIG(status) == SIGSYS ? " (it made a call that it may not make)" : "");
	else if (!expected)
		log_warn("worker ended pid=%ld status=%d", (long)pid, WEXITSTATUS(status));
}

static void on_zygote_gone(void *arg)
{
	(void)arg;
	daemon_exit(1, "the zygote is gone");
}

static int prepare(struct err *e)
{
	struct pool_conf conf = {
	    .worker = {&sandbox, set.worker_memory / 2, (uint32_t)(set.cache >> 10), set.opcodes,
		set.check_max, set.check_ms, set.snapshot_max, snapshot_base, set.result_rows,
		set.result_bytes, (uint32_t)set.cell_bytes, set.describe_ms},
	    .workers_max = set.workers,
	    .per_source_max = set.workers_per_source,
	    .idle_ms = set.idle_ms,
	    .start_ms = set.start_ms,
	    .on_exit = on_exit_report,
	    .on_zygote_gone = on_zygote_gone,
	};
	int rc = sandbox_init(&sandbox, set.worker_memory, set.cpu_ms / 1000, e);

	if (rc == 0)
		rc = snapshot_base_name(snapshot_base, e);
	if (rc == 0)
		rc = pool_new(&conf, &executor.pool, e);
	return rc;
}

static int start(struct err *e)
{
	executor.query_ms = set.query_ms;
	executor.describe_ms = set.describe_ms;
	executor.values_ms = set.values_ms;
	handlers_init(&executor);
	return pool_start(executor.pool, e);
}

static void stop(void)
{
	pool_free(executor.pool);
	executor.pool = NULL;
	sandbox_done(&sandbox);
}

static const char *sandbox_status(void)
{
	return sandbox.text;
}

static bool is_alive(void)
{
	return pool_is_alive(executor.pool);
}

int main(int argc, char **argv)
{
	const struct agent_spec spec = {
	    .name = "executor",
	    .help = "runs checked SQL in sealed workers, and describes databases",
	    .role = NLQ__ROLE__ROLE_EXECUTOR,
	    .default_slots = 4,
	    .rows = rows,
	    .n_rows = ARRAY_SIZE(rows),
	    .handlers = executor_handlers,
	    .n_handlers = executor_n_handlers,
	    .check = check,
	    .prepare = prepare,
	    .start = start,
	    .stop = stop,
	    .sandbox = sandbox_status,
	    .is_alive = is_alive,
	};

	return agent_main(argc, argv, &spec);
}

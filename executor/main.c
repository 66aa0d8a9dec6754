/* nlq-executor: what happens before and after its life as an agent.
 * The sandbox is proved and the zygote forked while the process has one thread. */
#include <signal.h>
#include <sys/wait.h>

#include "common/base/log.h"
#include "common/daemon/daemon.h"
#include "executor/handlers.h"
#include "executor/pool.h"
#include "executor/sandbox.h"
#include "executor/settings.h"
#include "executor/snapshot.h"

#define set executor_settings

static struct sandbox sandbox;
static struct executor executor;
static char snapshot_base[SNAPSHOT_BASE_MAX];

static int check(struct err *e)
{
	return sources_load(daemon_arena(), set.sources, set.adhoc_sources, &executor.sources, e);
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
	    .worker = {.sandbox = &sandbox,
	        .heap_bytes = set.worker_memory / 2,
	        .cache_kib = (uint32_t)(set.cache >> 10),
	        .opcodes_max = set.opcodes,
	        .check_max_bytes = set.check_max,
	        .check_ms = set.check_ms,
	        .snapshot_max_bytes = set.snapshot_max,
	        .snapshot_base = snapshot_base,
	        .result_max_rows = set.result_rows,
	        .result_max_bytes = set.result_bytes,
	        .cell_max_bytes = (uint32_t)set.cell_bytes,
	        .describe_ms = set.describe_ms},
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
	executor_handlers_init(&executor);
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
	    .rows = executor_rows,
	    .n_rows = executor_n_rows,
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

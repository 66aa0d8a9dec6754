/* daemon_main's callbacks have no argument, so the one agent of this process is
 * a file-static object. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/daemon/daemon.h"

#define N_AGENT_ROWS 6
#define HINT_MS 3000

static struct {
	const struct agent_spec *spec;
	const char *connect;
	const char *peer; /* the setting */
	uint64_t peer_uid;
	uint32_t slots, park_ms, peer_timeout_ms;
	uint64_t cache_bytes;
	uint64_t hint_at_ms; /* 0: said */
	struct rpc_worker *worker;
} agent;

/* Folder of the role's socket below /run/nlq. */
static const char *role_folder(Nlq__Role role)
{
	switch (role) {
	case NLQ__ROLE__ROLE_SCHEMA: return "schema";
	case NLQ__ROLE__ROLE_SQL: return "sql";
	case NLQ__ROLE__ROLE_VERIFY: return "verify";
	case NLQ__ROLE__ROLE_EXECUTOR: return "executor";
	default: return "dummy";
	}
}

/* "any", a number or an account's name; empty: our own uid. */
static int resolve_peer(const char *peer, uint64_t *ret_uid, struct err *e)
{
	const struct passwd *pw;
	char *end = NULL;
	unsigned long v;

	if (!*peer) {
		*ret_uid = getuid();
		return 0;
	}
	if (strcmp(peer, "any") == 0) {
		*ret_uid = UINT64_MAX;
		return 0;
	}
	errno = 0;
	v = strtoul(peer, &end, 10);
	if (peer[0] >= '0' && peer[0] <= '9' && !errno && !*end && v < UINT32_MAX) {
		*ret_uid = v;
		return 0;
	}
	pw = getpwnam(peer);
	if (!pw) {
		err_set(
		    e, ERR_CONFIG, PHASE_CONFIG, "peer_uid: there is no account \"%.64s\"", peer);
		err_fix(e, "name the account of the orchestrator, its number, or any");
		return ERR_CONFIG;
	}
	*ret_uid = pw->pw_uid;
	return 0;
}

static int agent_check(struct err *e)
{
	int rc = resolve_peer(agent.peer, &agent.peer_uid, e);

	if (!rc && strncmp(agent.connect, "ipc://", 6) != 0) {
		rc = err_set(e, ERR_CONFIG, PHASE_CONFIG,
		    "connect: \"%.100s\" is not an ipc:// address", agent.connect);
		err_fix(e, "give the orchestrator's socket of this role, ipc:///run/nlq/.../sock");
	}
	if (!rc && agent.spec->check)
		rc = agent.spec->check(e);
	return rc;
}

static int agent_start(struct err *e)
{
	const struct agent_spec *spec = agent.spec;
	struct rpc_worker_conf conf = {
	    .url = agent.connect,
	    .role = spec->role,
	    .slots = agent.slots,
	    .park_ms = agent.park_ms,
	    .cache_bytes = agent.cache_bytes,
	    .peer_uid = agent.peer_uid,
	    .handlers = spec->handlers,
	    .n_handlers = spec->n_handlers,
	};
	int rc = spec->start ? spec->start(e) : 0;

	if (rc)
		return rc;
	agent.hint_at_ms = clock_mono_ms() + HINT_MS;
	conf.sandbox = spec->sandbox ? spec->sandbox() : NULL;
	return rpc_worker_start(&conf, &agent.worker, e);
}

/* An agent may wait for its orchestrator for ever; it says so once. */
static bool agent_is_ready(void)
{
	bool is_ready = rpc_worker_is_ready(agent.worker);

	if (!is_ready && agent.hint_at_ms && clock_mono_ms() > agent.hint_at_ms) {
		log_warn("waits for the orchestrator at %s (not running, or not of peer_uid)",
		    agent.connect);
		agent.hint_at_ms = 0;
	}
	return is_ready;
}

static bool agent_is_alive(void)
{
	/* Nobody is left to work for: the stack's orchestrator is gone for good. */
	if (daemon_is_private() && agent.peer_timeout_ms &&
	    rpc_worker_silent_ms(agent.worker) > agent.peer_timeout_ms)
		daemon_exit(1, "the orchestrator is silent");
	return !agent.spec->is_alive || agent.spec->is_alive();
}

static void agent_drain(void)
{
	rpc_worker_drain(agent.worker);
}

static bool agent_is_drained(void)
{
	return rpc_worker_is_idle(agent.worker);
}

static void agent_stop(void)
{
	rpc_worker_stop(agent.worker);
	if (agent.spec->stop)
		agent.spec->stop();
}

int agent_main(int argc, char **argv, const struct agent_spec *spec)
{
	const struct conf_row agent_rows[N_AGENT_ROWS] = {
	    {"connect", CONF_STRING, &agent.connect, 0, 0, NULL,
	        "address of the orchestrator's socket for this role"},
	    {"slots", CONF_UINT, &agent.slots, 1, 64, NULL,
	        "jobs that this process works on at once"},
	    {"cache_bytes", CONF_SIZE, &agent.cache_bytes, 1024 * 1024, 0, NULL,
	        "memory for catalogs and semantic models"},
	    {"peer_uid", CONF_STRING, &agent.peer, 0, 0, NULL,
	        "owner of that socket: account, number or any; empty: our own"},
	    {"park_ms", CONF_MS, &agent.park_ms, 100, 600000, NULL,
	        "longest wait for a job before asking again; as the orchestrator's"},
	    {"peer_timeout_ms", CONF_MS, &agent.peer_timeout_ms, 0, 3600000, NULL,
	        "in a private stack, end when the orchestrator is silent for so long; 0: never"},
	};
	size_t n = spec->n_rows + N_AGENT_ROWS;
	struct conf_row *rows = arena_new_array(daemon_arena(), n, struct conf_row);
	struct daemon_spec d = {
	    .name = spec->name,
	    .help = spec->help,
	    .rows = rows,
	    .n_rows = n,
	    .check = agent_check,
	    .prepare = spec->prepare,
	    .start = agent_start,
	    .is_ready = agent_is_ready,
	    .is_alive = agent_is_alive,
	    .drain = agent_drain,
	    .is_drained = agent_is_drained,
	    .stop = agent_stop,
	};

	memcpy(rows, agent_rows, sizeof(agent_rows));
	if (spec->n_rows)
		memcpy(rows + N_AGENT_ROWS, spec->rows, spec->n_rows * sizeof(*rows));
	agent.spec = spec;
	agent.connect = arena_printf(
	    daemon_arena(), "ipc:///run/nlq/%s/sock", role_folder(spec->role));
	agent.peer = "";
	agent.slots = spec->default_slots;
	agent.park_ms = 20000;
	agent.peer_timeout_ms = 10000;
	agent.cache_bytes = 256ull * 1024 * 1024;
	return daemon_main(argc, argv, &d);
}

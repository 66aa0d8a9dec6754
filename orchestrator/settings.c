/* Settings: the table, and the checks that a table cannot say. */
#include "orchestrator/settings.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/trace_writer.h"

struct settings settings = {
    .run_dir = "/run/nlq",
    .state_dir = "/var/lib/nlq",
    .users = {"", "", "", ""},
    .steps = 8,
    .repairs = 3,
    .request_ms = 60000,
    .query_ms = 10000,
    .rows = 1000,
    .running_per_principal = 4,
    .waiting_per_principal = 16,
    .per_source = 8,
    .column_ms = 200,
    .domain_max = 200,
    .trace_payload = TRACE_PAYLOAD_FULL,
};

/* no_cells stands in the list so that asking for it gets a clear answer. */
static const char *const payload_names[] = {"full", "none", "no_cells", NULL};
enum { PAYLOAD_NO_CELLS = 2 };
static const char *const sync_names[] = {"normal", "full", NULL};

const struct conf_row settings_rows[] = {
    {"run_dir", CONF_STRING, &settings.run_dir, 0, 0, NULL, "folder of the sockets"},
    {"state_dir", CONF_STRING, &settings.state_dir, 0, 0, NULL, "folder of the trace"},
    {"private", CONF_BOOL, &settings.is_private, 0, 0, NULL,
        "serve one user, who may add sources (nlq up)"},
    {"sources", CONF_NODE, &settings.sources_node, 0, 0, NULL,
        "list of {name, path, semantic}: the data that can be asked"},
    {"users.schema_agent", CONF_STRING, &settings.users[SETTINGS_SCHEMA], 0, 0, NULL,
        "user that the schema agents run as (name or number; empty: our own)"},
    {"users.sql_agent", CONF_STRING, &settings.users[SETTINGS_SQL], 0, 0, NULL,
        "user that the SQL agents run as"},
    {"users.verify_agent", CONF_STRING, &settings.users[SETTINGS_VERIFY], 0, 0, NULL,
        "user that the verify agents run as"},
    {"users.executor", CONF_STRING, &settings.users[SETTINGS_EXECUTOR], 0, 0, NULL,
        "user that the executors run as"},
    {"limits.steps", CONF_UINT, &settings.steps, 1, 32, NULL, "queries of one request"},
    {"limits.repairs", CONF_UINT, &settings.repairs, 0, 16, NULL,
        "times that a query may be sent back"},
    {"limits.request", CONF_MS, &settings.request_ms, 100, 600000, NULL,
        "longest time of one request"},
    {"limits.query", CONF_MS, &settings.query_ms, 10, 600000, NULL, "longest time of one query"},
    {"limits.rows", CONF_UINT, &settings.rows, 1, 100000, NULL, "most rows of an answer"},
    {"limits.running", CONF_UINT, &settings.running, 0, 256, NULL,
        "requests at work at once (0: twice the processors, at least 4)"},
    {"limits.running_per_principal", CONF_UINT, &settings.running_per_principal, 1, 256, NULL,
        "of these, of one principal (a private stack has only one)"},
    {"limits.waiting_per_principal", CONF_UINT, &settings.waiting_per_principal, 0, 1024, NULL,
        "requests of one principal that wait; above it they are refused"},
    {"limits.per_source", CONF_UINT, &settings.per_source, 1, 256, NULL,
        "queries at work at once on one source"},
    {"profile.column", CONF_MS, &settings.column_ms, 1, 60000, NULL,
        "longest time to profile one column"},
    {"profile.domain_max", CONF_UINT, &settings.domain_max, 1, 2000, NULL,
        "values of a text column that the catalog keeps"},
    {"trace.payload", CONF_ENUM, &settings.trace_payload, 0, 0, payload_names,
        "bytes of the messages: full keeps them, none keeps their hashes"},
    {"trace.sync", CONF_ENUM, &settings.trace_sync, 0, 0, sync_names,
        "full also survives a power cut"},
};
const size_t settings_n_rows = ARRAY_SIZE(settings_rows);

bool settings_is_source_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 64 && name[0] != '-' && name[0] != '.' &&
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") ==
	    len;
}

static int read_source(const struct yaml_node *node, struct source_conf *ret_source, struct err *e)
{
	struct source_conf s = {"", "", ""};

	if (node->kind != YAML_KIND_MAP)
		return yaml_error(e, node, "a source is a map of name, path, semantic");
	for (size_t i = 0; i < node->n; i++) {
		const char **field = strcmp(node->keys[i], "name") == 0 ? &s.name
		    : strcmp(node->keys[i], "path") == 0                ? &s.path
		    : strcmp(node->keys[i], "semantic") == 0            ? &s.semantic
		                                                        : NULL;

		if (!field)
			return yaml_error(e, node->key_nodes[i],
			    "unknown key \"%s\" of a source (known: name, path, semantic)",
			    node->keys[i]);
		if (node->items[i]->kind != YAML_KIND_SCALAR)
			return yaml_error(e, node->items[i], "\"%s\" is one word", node->keys[i]);
		*field = node->items[i]->scalar;
	}
	if (!settings_is_source_name(s.name))
		return yaml_error(e, node, "a source needs a name of letters, digits, _ - and .");
	if (*s.path && *s.path != '/')
		return yaml_error(e, node, "the path of source \"%s\" must start with /", s.name);
	if (*s.semantic && *s.semantic != '/')
		return yaml_error(
		    e, node, "the semantic folder of source \"%s\" must start with /", s.name);
	*ret_source = s;
	return 0;
}

static int read_sources(struct arena *a, struct err *e)
{
	const struct yaml_node *list = settings.sources_node;

	settings.sources = NULL;
	settings.n_sources = 0;
	if (!list)
		return 0;
	if (list->kind != YAML_KIND_LIST)
		return yaml_error(e, list, "sources is a list");
	for (size_t i = 0; i < list->n; i++) {
		struct source_conf s;
		int rc = read_source(list->items[i], &s, e);

		if (rc)
			return rc;
		for (size_t k = 0; k < settings.n_sources; k++) {
			if (strcmp(settings.sources[k].name, s.name) == 0)
				return yaml_error(
				    e, list->items[i], "a second source named \"%s\"", s.name);
		}
		*arena_push(a, settings.sources, settings.n_sources) = s;
	}
	return 0;
}

static int find_user(const char *name, uint32_t *ret_uid, struct err *e)
{
	char *end;
	unsigned long n;
	struct passwd *pw;

	if (!*name) {
		*ret_uid = getuid();
		return 0;
	}
	errno = 0;
	n = strtoul(name, &end, 10);
	if (!*end && !errno && n < UINT32_MAX) {
		*ret_uid = (uint32_t)n;
		return 0;
	}
	pw = getpwnam(name);
	if (!pw) {
		err_set(
		    e, ERR_CONFIG, PHASE_CONFIG, "there is no user \"%s\" on this machine", name);
		err_fix(e, "make it (systemd-sysusers with deploy/sysusers) or change users.*");
		return ERR_CONFIG;
	}
	*ret_uid = pw->pw_uid;
	return 0;
}

int settings_check(struct arena *a, struct err *e)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int rc = read_sources(a, e);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(settings.users); i++)
		rc = find_user(settings.users[i], &settings.uids[i], e);
	if (rc)
		return rc;
	if (settings.trace_payload == PAYLOAD_NO_CELLS) {
		err_set(e, ERR_CONFIG, PHASE_CONFIG, "trace.payload: no_cells is not built yet");
		err_fix(e, "use none, which keeps no payload, or full");
		return ERR_CONFIG;
	}
	/* Sockets get at most 107 bytes of path. */
	if (strlen(settings.run_dir) > 80 || *settings.run_dir != '/')
		return err_set(e, ERR_CONFIG, PHASE_CONFIG,
		    "run_dir must start with / and have at most 80 bytes");
	if (*settings.state_dir != '/')
		return err_set(e, ERR_CONFIG, PHASE_CONFIG, "state_dir must start with /");
	if (!settings.running)
		settings.running = cores > 2 ? (uint32_t)cores * 2 : 4;
	if (settings.is_private || settings.running_per_principal > settings.running)
		settings.running_per_principal = settings.running;
	return 0;
}

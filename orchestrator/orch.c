/* Putting the orchestrator together, and taking it apart in reverse. */
#include "orchestrator/orch.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/daemon/daemon.h"
#include "orchestrator/agents.h"
#include "orchestrator/handlers.h"
#include "orchestrator/pb_session.h"
#include "orchestrator/pb_work.h"
#include "orchestrator/settings.h"

#define CONTEXTS 256  /* client requests in flight, long polls included */
#define QUEUE_MAX 512 /* jobs of agents */
#define PARK_MS 20000
#define DETACH_MS 500
#define SELF_DIAL_MS 5000
#define ABSENT_MS 5000 /* a restarted agent is back within this time */
#define THREADS_MAX 256

struct orch orch;
static pthread_t threads[THREADS_MAX + 1];
static size_t n_threads;

static const struct {
	Nlq__Role role;
	const char *folder;
	enum settings_role user;
} roles[] = {
    {NLQ__ROLE__ROLE_SCHEMA, "schema", SETTINGS_SCHEMA},
    {NLQ__ROLE__ROLE_SQL, "sql", SETTINGS_SQL},
    {NLQ__ROLE__ROLE_VERIFY, "verify", SETTINGS_VERIFY},
    {NLQ__ROLE__ROLE_EXECUTOR, "executor", SETTINGS_EXECUTOR},
};

static void on_fatal(const char *why, void *arg)
{
	(void)arg;
	daemon_exit(1, why);
}

/* A role's folder: ours and its group's alone (made by tmpfiles in a system
 * installation, by us in a private stack). */
static int make_folder(const char *folder, char *ret_url, size_t size, struct err *e)
{
	char path[108];

	if (snprintf(path, sizeof(path), "%s/%s", settings.run_dir, folder) >=
	    (int)sizeof(path) - 16)
		return err_set(e, ERR_CONFIG, PHASE_CONFIG, "run_dir is too long for a socket");
	if (mkdir(path, settings.is_private ? 0700 : 0750) && errno != EEXIST)
		return err_set(e, ERR_IO, PHASE_CONFIG, "cannot make the folder \"%s\": %s", path,
		    strerror(errno));
	snprintf(ret_url, size, "ipc://%s/sock", path);
	return 0;
}

static int listen_all(struct err *e)
{
	char url[128];
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(roles); i++) {
		rc = make_folder(roles[i].folder, url, sizeof(url), e);
		if (!rc)
			rc = dispatch_listen(
			    orch.dispatch, roles[i].role, url, settings.uids[roles[i].user], e);
	}
	return rc;
}

static int describe(void *ctx, struct catalog **ret_catalog, struct err *e)
{
	return agent_describe(ctx, ret_catalog, e);
}

static int publish_catalog(void *arg, const struct catalog *c, struct hash *ret_hash, struct err *e)
{
	struct orch *o = arg;

	return agent_publish_catalog(o->dispatch, o->trace, c, ret_hash, e);
}

static int publish_semantic(
    void *arg, const struct semantic *s, struct hash *ret_hash, struct err *e)
{
	struct orch *o = arg;

	return agent_publish_semantic(o->dispatch, o->trace, s, ret_hash, e);
}

static void withdraw(void *arg, const struct hash *h)
{
	dispatch_withdraw(((struct orch *)arg)->dispatch, h);
}

/* The configured sources. A semantic model that does not load stops the start. */
static int add_sources(struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < settings.n_sources; i++) {
		const struct source_conf *s = &settings.sources[i];
		struct semantic *model = NULL;

		if (*s->semantic)
			rc = semantic_load(s->semantic, &model, e);
		semantic_free(model);
		if (!rc)
			rc = catalogs_add(orch.catalogs, s->name, s->path, s->semantic, e);
	}
	return rc;
}

static int start_threads(struct err *e)
{
	int rc = pthread_create(&threads[n_threads], NULL, handlers_desk_thread, &orch);

	for (uint32_t i = 0; !rc && i < settings.running && i < THREADS_MAX; i++) {
		n_threads++;
		rc = pthread_create(&threads[n_threads], NULL, pb_work_thread, &orch);
	}
	if (rc)
		return err_set(e, ERR_INTERNAL, PHASE_CONFIG, "cannot start threads");
	n_threads++;
	return 0;
}

static int make_parts(struct err *e)
{
	struct dispatch_conf dispatch = {.park_ms = PARK_MS,
	    .detach_ms = DETACH_MS,
	    .queue_max = QUEUE_MAX,
	    .per_source_max = settings.per_source,
	    .self_dial_ms = SELF_DIAL_MS,
	    .absent_ms = ABSENT_MS,
	    .fatal = on_fatal};
	struct catalogs_ops ops = {describe, publish_catalog, publish_semantic, withdraw, &orch};
	struct admit_conf requests = {
	    settings.running, settings.running_per_principal, settings.waiting_per_principal};
	struct admit_conf desk = {1, 1, 64};
	struct trace_conf trace = {settings.state_dir, (enum trace_payload)settings.trace_payload,
	    settings.trace_sync != 0, settings.is_private};
	int rc = trace_open(&trace, &orch.trace, e);

	if (!rc)
		rc = dispatch_new(&dispatch, &orch.dispatch, e);
	if (!rc)
		rc = catalogs_new(&ops, &orch.catalogs, e);
	if (!rc)
		rc = add_sources(e);
	if (!rc)
		rc = admit_new(&requests, &orch.requests, e);
	if (!rc)
		rc = admit_new(&desk, &orch.desk, e);
	return rc ? rc : sessions_new(&orch, &orch.sessions, e);
}

int orch_start(struct err *e)
{
	char url[128];
	struct rpc_server_conf server = {.url = url,
	    .contexts = CONTEXTS,
	    .self_dial_ms = SELF_DIAL_MS,
	    .on_request = handlers_on_request,
	    .on_gone = handlers_on_gone,
	    .fatal = on_fatal,
	    .arg = &orch};
	int rc;

	orch.started_ms = clock_mono_ms();
	rc = make_parts(e);
	if (!rc)
		rc = listen_all(e);
	if (!rc)
		rc = start_threads(e);
	if (!rc)
		rc = make_folder("client", url, sizeof(url), e);
	if (!rc)
		rc = rpc_server_start(&server, &orch.server, e);
	return rc;
}

void orch_drain(void)
{
	admit_close(orch.requests);
}

bool orch_is_drained(void)
{
	return sessions_open(orch.sessions) == 0;
}

void orch_stop(void)
{
	if (orch.requests)
		admit_close(orch.requests);
	if (orch.desk)
		admit_close(orch.desk);
	/* What is still open when the drain time is over ends as cancelled. */
	if (orch.sessions)
		sessions_cancel_all(orch.sessions);
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	trace_close(orch.trace);
	rpc_server_stop(orch.server);
	catalogs_free(orch.catalogs);
	dispatch_free(orch.dispatch);
	sessions_free(orch.sessions);
	admit_free(orch.requests);
	admit_free(orch.desk);
}

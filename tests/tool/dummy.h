/*
 * The dummy role of the tests: one handler for ECHO whose body says what to do.
 *   pid          -> the process id
 *   sleep MS     -> works for so long unless it is cancelled, then the process id
 *   deaf MS      -> the same, but never looks at its cancel flag
 *   big N        -> a reply of N bytes
 *   error        -> ERR_RUNTIME
 *   kill         -> the process kills itself
 *   hold HEX     -> fetches the snapshot of this hash, answers with its length
 *   who          -> uid, principal and budget of the job
 *   anything else comes back as it is
 */
#ifndef NLQ_TESTS_DUMMY_H
#define NLQ_TESTS_DUMMY_H

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/rpc/worker.h"

struct dummy_bytes {
	size_t len;
};
static _Atomic unsigned dummy_runs, dummy_cancels, dummy_builds;

static int dummy_build(const void *bytes, size_t len, void **ret_object, struct err *e)
{
	struct dummy_bytes *o = malloc(sizeof(*o));

	(void)e;
	if (len > 0 && ((const char *)bytes)[0] == '!') {
		free(o);
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "this snapshot does not build");
	}
	o->len = len;
	dummy_builds++;
	*ret_object = o;
	return 0;
}

static const struct snapshot_type dummy_snapshot = {"dummy", dummy_build, free};

static int dummy_sleep(struct rpc_job *job, uint32_t ms, bool is_deaf, struct err *e)
{
	struct pollfd fd = {.fd = rpc_job_cancel_fd(job), .events = POLLIN};

	if (is_deaf) {
		usleep(ms * 1000);
		return 0;
	}
	if (poll(&fd, 1, (int)ms) == 0)
		return 0;
	dummy_cancels++;
	return err_set(e, ERR_CANCELLED, PHASE_RUN, "cancelled while it slept");
}

static int dummy_hold(struct rpc_job *job, const char *hex, struct strbuf *out, struct err *e)
{
	struct snapshot *s = NULL;
	struct hash h;
	int rc;

	if (hash_from_hex(hex, &h))
		return err_set(e, ERR_BAD_INPUT, PHASE_RUN, "not a hash");
	rc = rpc_job_snapshot(job, &dummy_snapshot, h.bytes, HASH_LEN, &s, e);
	if (!rc)
		strbuf_printf(out, "%zu", ((struct dummy_bytes *)s->object)->len);
	snapshot_unref(s);
	return rc;
}

static int dummy_echo(struct rpc_job *job, struct strbuf *out, struct err *e)
{
	char text[128] = "";
	int rc = 0;

	dummy_runs++;
	memcpy(text, job->body, job->len < sizeof(text) ? job->len : sizeof(text) - 1);
	if (strncmp(text, "sleep ", 6) == 0 || strncmp(text, "deaf ", 5) == 0)
		rc = dummy_sleep(job, (uint32_t)atoi(strchr(text, ' ')), text[0] == 'd', e);
	if (rc)
		return rc;
	if (strncmp(text, "sleep ", 6) == 0 || strncmp(text, "deaf ", 5) == 0 ||
	    !strcmp(text, "pid"))
		strbuf_printf(out, "%d", (int)getpid());
	else if (strncmp(text, "big ", 4) == 0)
		for (long i = atol(text + 4); i > 0 && !out->failed; i--)
			strbuf_putc(out, 'b');
	else if (strcmp(text, "error") == 0)
		rc = err_set(e, ERR_RUNTIME, PHASE_RUN, "asked to fail");
	else if (strcmp(text, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strncmp(text, "hold ", 5) == 0)
		rc = dummy_hold(job, text + 5, out, e);
	else if (strcmp(text, "who") == 0)
		strbuf_printf(out, "%u %s %u %u", job->uid, job->principal, job->budget_rows,
		    job->budget_query_ms);
	else
		strbuf_add(out, job->body, job->len);
	return rc;
}

static const struct rpc_handler dummy_handlers[] = {{NLQ__KIND__ECHO, "echo", dummy_echo}};

#endif

/* A dispatcher and its workers for the rpc tests: workers as threads of this
 * process or as processes of test_tool (which NLQ_TESTS finds). */
#ifndef NLQ_TESTS_RPC_RIG_H
#define NLQ_TESTS_RPC_RIG_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "common/rpc/dispatch.h"
#include "common/rpc/envelope.h"
#include "tests/tool/dummy.h"

#define RIG_WAIT_MS 10000

struct rig {
	char dir[64];
	char url[96];
	struct dispatch *d;
	_Atomic uint32_t next_request;
};

/* Waits for a condition; fails the test when it does not come. */
#define RIG_UNTIL(cond)                                          \
	do {                                                     \
		uint64_t until_ = clock_mono_ms() + RIG_WAIT_MS; \
		while (!(cond)) {                                \
			if (clock_mono_ms() > until_)            \
				fail_msg("never: %s", #cond);    \
			usleep(1000);                            \
		}                                                \
	} while (0)

static inline void rig_listen(struct rig *r, const struct dispatch_conf *conf)
{
	struct dispatch_conf c = conf ? *conf : (struct dispatch_conf){0};
	struct err e = ERR_INIT;

	c.park_ms = c.park_ms ? c.park_ms : 20000;
	c.detach_ms = c.detach_ms ? c.detach_ms : 500;
	c.queue_max = c.queue_max ? c.queue_max : 1000;
	if (dispatch_new(&c, &r->d, &e) ||
	    dispatch_listen(r->d, NLQ__ROLE__ROLE_DUMMY, r->url, UINT64_MAX, &e))
		fail_msg("%s", e.text);
}

static inline void rig_open(struct rig *r, const struct dispatch_conf *conf)
{
	memset(r, 0, sizeof(*r));
	log_init("test", LOG_LEVEL_ERROR);
	snprintf(r->dir, sizeof(r->dir), "/tmp/nlq-rpc-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->url, sizeof(r->url), "ipc://%s/sock", r->dir);
	rig_listen(r, conf);
}

static inline void rig_close(struct rig *r)
{
	dispatch_free(r->d);
	if (rmdir(r->dir))
		fail_msg("something is left in %s", r->dir);
}

/* Where nng cannot be closed any more: only the folder goes. */
static inline void rig_abandon(struct rig *r)
{
	char path[128];

	unlink(r->url + strlen("ipc://"));
	snprintf(path, sizeof(path), "%s/sock.lock", r->dir);
	unlink(path);
	assert_int_equal(rmdir(r->dir), 0);
}

static inline struct rpc_worker *rig_worker(struct rig *r, uint32_t slots)
{
	struct rpc_worker_conf conf = {
	    .url = r->url,
	    .role = NLQ__ROLE__ROLE_DUMMY,
	    .slots = slots,
	    .park_ms = 20000,
	    .cache_bytes = 1024 * 1024,
	    .peer_uid = UINT64_MAX,
	    .handlers = dummy_handlers,
	    .n_handlers = 1,
	    .sandbox = "none",
	};
	uint32_t before = dispatch_slots(r->d, NLQ__ROLE__ROLE_DUMMY);
	struct rpc_worker *w = NULL;
	struct err e = ERR_INIT;

	if (rpc_worker_start(&conf, &w, &e))
		fail_msg("%s", e.text);
	RIG_UNTIL(dispatch_slots(r->d, NLQ__ROLE__ROLE_DUMMY) == before + slots);
	return w;
}

/* As a daemon does it: nothing is under way when the sockets are closed. */
static inline void rig_worker_stop(struct rpc_worker *w)
{
	rpc_worker_drain(w);
	RIG_UNTIL(rpc_worker_is_idle(w));
	rpc_worker_stop(w);
}

/* Starts test_tool worker URL SLOTS; does not wait for it. */
static inline pid_t rig_spawn(struct rig *r, const char *slots)
{
	const char *folder = getenv("NLQ_TESTS");
	char program[512];
	char *argv[] = {program, (char *)"worker", r->url, (char *)slots, NULL};
	extern char **environ;
	pid_t pid = -1;

	snprintf(program, sizeof(program), "%s/test_tool", folder ? folder : "build/release/tests");
	assert_int_equal(posix_spawn(&pid, program, NULL, NULL, argv, environ), 0);
	return pid;
}

static inline void rig_kill(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static inline struct dispatch_request rig_request(struct rig *r, const char *body, uint32_t time_ms)
{
	struct dispatch_request q = {
	    .role = NLQ__ROLE__ROLE_DUMMY,
	    .kind = NLQ__KIND__ECHO,
	    .uid = 1000,
	    .principal = "uid:1000",
	    .body = body,
	    .len = strlen(body),
	    .lease_ms = time_ms,
	    .deadline_ms = clock_mono_ms() + time_ms,
	    .retries = 2,
	};
	uint32_t n = ++r->next_request;

	memcpy(q.request_id, &n, sizeof(n));
	return q;
}

/* One call with 10 s; the reply's text goes into out. */
static inline int rig_call(struct rig *r, const char *body, char *out, size_t size, struct err *e)
{
	struct dispatch_request q = rig_request(r, body, RIG_WAIT_MS);
	struct dispatch_reply reply;
	int rc = dispatch_call(r->d, &q, &reply, e);

	snprintf(out, size, "%s", reply.body.data);
	strbuf_done(&reply.body);
	return rc;
}

/* A call on a thread of its own. */
struct rig_caller {
	struct rig *rig;
	struct dispatch_request q;
	char out[64];
	struct err e;
	int rc;
	uint32_t attempts;
	uint64_t done_us, elapsed_us;
	_Atomic bool is_done;
	pthread_t thread;
};

static inline void *rig_caller_run(void *arg)
{
	struct rig_caller *c = arg;
	struct dispatch_reply reply;

	c->rc = dispatch_call(c->rig->d, &c->q, &reply, &c->e);
	c->done_us = clock_mono_us();
	c->attempts = reply.attempts;
	c->elapsed_us = reply.elapsed_us;
	snprintf(c->out, sizeof(c->out), "%s", reply.body.data);
	strbuf_done(&reply.body);
	c->is_done = true;
	return NULL;
}

static inline void rig_start(
    struct rig *r, struct rig_caller *c, const char *body, uint32_t time_ms)
{
	*c = (struct rig_caller){.rig = r, .q = rig_request(r, body, time_ms)};
	assert_int_equal(pthread_create(&c->thread, NULL, rig_caller_run, c), 0);
}

static inline void rig_join(struct rig_caller *c)
{
	pthread_join(c->thread, NULL);
}

static inline struct dispatch_stats rig_stats(struct rig *r)
{
	struct dispatch_stats s;

	dispatch_get_stats(r->d, &s);
	return s;
}

#endif

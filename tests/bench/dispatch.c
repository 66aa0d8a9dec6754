/*
 * dispatch_call against a bare nng REQ/REP hop, both to another process on ipc
 * with the same payload, in turns within one run, so that the ratio means
 * something on a busy machine. Prints JSON.
 *   dispatch [ROUNDS [BYTES]]
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>

#include "common/base/log.h"
#include "common/rpc/dispatch.h"
#include "tests/tool/dummy.h"

#define BLOCK 50 /* calls of one kind before the other's turn */

static void check(int rc, const char *what)
{
	if (rc) {
		fprintf(stderr, "dispatch: %s failed (%d)\n", what, rc);
		exit(1);
	}
}

static NLQ_NORETURN void run_echo(const char *url)
{
	nng_socket rep;
	nng_msg *msg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	check(nng_rep0_open(&rep), "open");
	check(nng_listen(rep, url, NULL, 0), "listen");
	for (;;) {
		check(nng_recvmsg(rep, &msg, 0), "receive");
		check(nng_sendmsg(rep, msg, 0), "send");
	}
}

static NLQ_NORETURN void run_worker(const char *url)
{
	struct rpc_worker_conf conf = {.url = url,
	    .role = NLQ__ROLE__ROLE_DUMMY,
	    .slots = 2,
	    .park_ms = 20000,
	    .peer_uid = UINT64_MAX,
	    .handlers = dummy_handlers,
	    .n_handlers = 1};
	struct rpc_worker *w;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	check(rpc_worker_start(&conf, &w, NULL), "start");
	for (;;)
		pause();
}

static pid_t spawn(const char *what, const char *url)
{
	char *args[] = {(char *)"dispatch", (char *)what, (char *)url, NULL};
	extern char **environ;
	pid_t pid;

	check(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ), "spawn");
	return pid;
}

static uint64_t call_bare(nng_socket req, const char *payload, size_t len)
{
	uint64_t start = clock_mono_us();
	nng_msg *msg;

	check(nng_msg_alloc(&msg, len), "allocate");
	memcpy(nng_msg_body(msg), payload, len);
	check(nng_sendmsg(req, msg, 0), "send");
	check(nng_recvmsg(req, &msg, 0), "receive");
	nng_msg_free(msg);
	return clock_mono_us() - start;
}

static uint64_t call_dispatch(struct dispatch *d, const char *payload, size_t len)
{
	uint64_t start = clock_mono_us();
	struct dispatch_request q = {.role = NLQ__ROLE__ROLE_DUMMY,
	    .kind = NLQ__KIND__ECHO,
	    .principal = "bench",
	    .body = payload,
	    .len = len,
	    .lease_ms = 5000,
	    .deadline_ms = start / 1000 + 10000};
	struct dispatch_reply reply;

	check(dispatch_call(d, &q, &reply, NULL), "call");
	strbuf_done(&reply.body);
	return clock_mono_us() - start;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure(nng_socket req, struct dispatch *d, int rounds, size_t len)
{
	uint64_t *bare = calloc((size_t)rounds, sizeof(*bare)),
	         *ours = calloc((size_t)rounds, sizeof(*ours));
	char *payload = malloc(len);
	int p50 = rounds / 2, p99 = (int)((long)rounds * 99 / 100);

	memset(payload, 'x', len);
	for (int i = 0; i < rounds; i += BLOCK) {
		for (int j = i; j < i + BLOCK && j < rounds; j++)
			bare[j] = call_bare(req, payload, len);
		for (int j = i; j < i + BLOCK && j < rounds; j++)
			ours[j] = call_dispatch(d, payload, len);
	}
	qsort(bare, (size_t)rounds, sizeof(*bare), by_value);
	qsort(ours, (size_t)rounds, sizeof(*ours), by_value);
	printf("{\"bytes\":%zu,\"rounds\":%d,\"bare_p50_us\":%llu,\"bare_p99_us\":%llu,"
	       "\"dispatch_p50_us\":%llu,\"dispatch_p99_us\":%llu,\"ratio_p50\":%.2f}\n",
	    len, rounds, (unsigned long long)bare[p50], (unsigned long long)bare[p99],
	    (unsigned long long)ours[p50], (unsigned long long)ours[p99],
	    (double)ours[p50] / (double)bare[p50]);
	free(bare);
	free(ours);
	free(payload);
}

int main(int argc, char **argv)
{
	struct dispatch_conf conf = {.park_ms = 20000, .detach_ms = 500, .queue_max = 100};
	int rounds = argc > 1 ? atoi(argv[1]) : 5000;
	size_t len = argc > 2 ? (size_t)atol(argv[2]) : 1024;
	char dir[] = "/tmp/nlq-bench-XXXXXX", bare_url[64], url[64];
	struct dispatch *d;
	nng_socket req;
	pid_t echo, worker;
	int rc;

	log_init("bench", LOG_LEVEL_ERROR);
	if (argc == 3 && strcmp(argv[1], "echo") == 0)
		run_echo(argv[2]);
	if (argc == 3 && strcmp(argv[1], "worker") == 0)
		run_worker(argv[2]);
	if (rounds < 1 || len < 16 || len > 1024 * 1024 || !mkdtemp(dir)) {
		fprintf(stderr, "usage: dispatch [ROUNDS [BYTES]]\n");
		return 2;
	}
	snprintf(bare_url, sizeof(bare_url), "ipc://%s/bare", dir);
	snprintf(url, sizeof(url), "ipc://%s/sock", dir);
	echo = spawn("echo", bare_url);
	check(dispatch_new(&conf, &d, NULL), "new");
	check(dispatch_listen(d, NLQ__ROLE__ROLE_DUMMY, url, UINT64_MAX, NULL), "listen");
	worker = spawn("worker", url);
	check(nng_req0_open(&req), "open");
	check(nng_socket_set_ms(req, NNG_OPT_REQ_RESENDTIME, NNG_DURATION_INFINITE), "resend time");
	for (int i = 0; (rc = nng_dial(req, bare_url, NULL, 0)) != 0 && i < 5000; i++)
		usleep(1000);
	check(rc, "dial");
	measure(req, d, rounds, len);
	nng_close(req);
	kill(echo, SIGKILL);
	kill(worker, SIGKILL);
	waitpid(echo, NULL, 0);
	waitpid(worker, NULL, 0);
	dispatch_free(d);
	unlink(bare_url + strlen("ipc://"));
	rmdir(dir);
	return 0;
}

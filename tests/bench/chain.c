/*
 * A chain of bare nng REQ/REP hops: N processes on ipc, each passing a payload on
 * to the next and the answer back. Prints round trip times as JSON. It is the
 * denominator of `make bench`.
 *   chain [HOPS [ROUNDS [BYTES]]]     default 4 hops, 2000 rounds, 1024 bytes
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>

#include "common/base/clock.h"

#define MAX_HOPS 16
#define WARM_UP 100

static void check(int rc, const char *what)
{
	if (rc) {
		fprintf(stderr, "chain: %s: %s\n", what, nng_strerror(rc));
		exit(1);
	}
}

static nng_socket dial(const char *url)
{
	nng_socket req;
	int rc;

	check(nng_req0_open(&req), "open");
	check(nng_socket_set_ms(req, NNG_OPT_REQ_RESENDTIME, NNG_DURATION_INFINITE), "resend time");
	check(nng_socket_set_ms(req, NNG_OPT_RECVTIMEO, 10000), "timeout");
	for (int i = 0; (rc = nng_dial(req, url, NULL, 0)) != 0 && i < 5000; i++)
		usleep(1000);
	check(rc, "dial");
	return req;
}

/* Passes every message on to `next` (or answers it, at the end of the chain). */
static NLQ_NORETURN void run_hop(const char *url, const char *next)
{
	nng_socket rep, req = NNG_SOCKET_INITIALIZER;
	nng_msg *msg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	check(nng_rep0_open(&rep), "open");
	check(nng_listen(rep, url, NULL, 0), "listen");
	if (next)
		req = dial(next);
	for (;;) {
		check(nng_recvmsg(rep, &msg, 0), "receive");
		if (next) {
			check(nng_sendmsg(req, msg, 0), "send");
			check(nng_recvmsg(req, &msg, 0), "receive");
		}
		check(nng_sendmsg(rep, msg, 0), "send");
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure(const char *url, int hops, int rounds, size_t bytes)
{
	uint64_t *us = calloc((size_t)rounds, sizeof(*us));
	nng_socket req = dial(url);
	uint64_t begin = 0, total;

	for (int i = -WARM_UP; us && i < rounds; i++) {
		uint64_t start = clock_mono_us();
		nng_msg *msg;

		if (i == 0)
			begin = start;
		check(nng_msg_alloc(&msg, bytes), "allocate");
		memset(nng_msg_body(msg), 'x', bytes);
		check(nng_sendmsg(req, msg, 0), "send");
		check(nng_recvmsg(req, &msg, 0), "receive");
		nng_msg_free(msg);
		if (i >= 0)
			us[i] = clock_mono_us() - start;
	}
	total = clock_mono_us() - begin;
	qsort(us, (size_t)rounds, sizeof(*us), by_value);
	printf(
	    "{\"hops\":%d,\"bytes\":%zu,\"rounds\":%d,\"p50_us\":%llu,\"p99_us\":%llu,\"per_second\":%.0f}\n",
	    hops, bytes, rounds, (unsigned long long)us[rounds / 2],
	    (unsigned long long)us[(size_t)rounds * 99 / 100], rounds * 1e6 / (double)total);
	free(us);
	nng_close(req);
}

int main(int argc, char **argv)
{
	int hops = argc > 1 ? atoi(argv[1]) : 4, rounds = argc > 2 ? atoi(argv[2]) : 2000;
	size_t bytes = argc > 3 ? (size_t)atol(argv[3]) : 1024;
	char dir[] = "/tmp/nlq-chain-XXXXXX", url[MAX_HOPS][64], path[64];
	pid_t pid[MAX_HOPS];
	extern char **environ;

	if (argc > 2 && strcmp(argv[1], "hop") == 0)
		run_hop(argv[2], argc > 3 ? argv[3] : NULL);
	if (hops < 1 || hops > MAX_HOPS || rounds < 1 || bytes > 4 * 1024 * 1024 || !mkdtemp(dir)) {
		fprintf(stderr, "usage: chain [HOPS 1..%d [ROUNDS [BYTES]]]\n", MAX_HOPS);
		return 2;
	}
	for (int i = 0; i < hops; i++)
		snprintf(url[i], sizeof(url[i]), "ipc://%s/%d", dir, i);
	for (int i = 0; i < hops; i++) {
		char *args[] = {
		    argv[0], (char *)"hop", url[i], i + 1 < hops ? url[i + 1] : NULL, NULL};

		if (posix_spawn(&pid[i], "/proc/self/exe", NULL, NULL, args, environ)) {
			fprintf(stderr, "chain: cannot start a hop: %s\n", strerror(errno));
			return 1;
		}
	}
	measure(url[0], hops, rounds, bytes);
	for (int i = 0; i < hops; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
	return 0;
}

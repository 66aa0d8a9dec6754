/*
 * Asks a running orchestrator the same question again and again and prints the
 * times as JSON: one caller for the latency, then several at once for the
 * throughput. The bare query on the same file stands beside it.
 *   ask URL QUESTION DATABASE SQL [ROUNDS [CALLERS]]   default 500 rounds, 8 callers
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.pb-c.h"
#include "common/base/clock.h"
#include "common/base/strbuf.h"
#include "common/rpc/client.h"
#include "common/wire/wire.h"

#define WARM_UP 50
#define CALLERS_MAX 64

static const char *url;
static struct strbuf request;

static NLQ_NORETURN void die(const char *what, const char *why)
{
	fprintf(stderr, "ask: %s: %s\n", what, why);
	exit(1);
}

static struct rpc_client *dial(void)
{
	struct rpc_client *c = NULL;
	struct err e = ERR_INIT;

	if (rpc_client_open(url, 5000, UINT64_MAX, &c, &e))
		die("dial", e.text);
	return c;
}

/* One question; anything but an answer ends the measurement. */
static void ask(struct rpc_client *c)
{
	struct strbuf body;
	struct err e = ERR_INIT;
	ProtobufCMessage *m = NULL;
	Nlq__Kind kind;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	if (rpc_client_call(c, NLQ__KIND__ASK, request.data, request.len, 60000, &kind, &body, &e))
		die("ask", e.text);
	if (kind != NLQ__KIND__ASK_REPLY ||
	    wire_unpack(&nlq__ask_reply__descriptor, body.data, body.len, &m, &e))
		die("ask", "no reply to a question");
	if (strcmp(((Nlq__AskReply *)m)->outcome, "answered") != 0)
		die("outcome", ((Nlq__AskReply *)m)->outcome);
	wire_free(m);
	strbuf_done(&body);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_times(const char *name, uint64_t *us, size_t n)
{
	qsort(us, n, sizeof(*us), compare);
	printf("\"%s_p50_us\":%llu,\"%s_p99_us\":%llu,", name, (unsigned long long)us[n / 2], name,
	    (unsigned long long)us[n * 99 / 100]);
}

static void time_alone(size_t rounds)
{
	struct rpc_client *c = dial();
	uint64_t *us = calloc(rounds, sizeof(*us));

	for (size_t i = 0; i < WARM_UP; i++)
		ask(c);
	for (size_t i = 0; us && i < rounds; i++) {
		uint64_t start = clock_mono_us();

		ask(c);
		us[i] = clock_mono_us() - start;
	}
	if (us)
		print_times("ask", us, rounds);
	free(us);
	rpc_client_close(c);
}

static void *caller(void *arg)
{
	struct rpc_client *c = dial();

	for (size_t i = 0; i < *(const size_t *)arg; i++)
		ask(c);
	rpc_client_close(c);
	return NULL;
}

static void time_together(size_t rounds, size_t callers)
{
	pthread_t threads[CALLERS_MAX];
	size_t each = rounds / callers + 1;
	uint64_t start = clock_mono_us();

	for (size_t i = 0; i < callers; i++) {
		if (pthread_create(&threads[i], NULL, caller, &each))
			die("thread", "cannot start");
	}
	for (size_t i = 0; i < callers; i++)
		pthread_join(threads[i], NULL);
	printf("\"callers\":%zu,\"per_second\":%.0f,", callers,
	    (double)(each * callers) * 1e6 / (double)(clock_mono_us() - start));
}

/* Prepare, step to the end, finalize: what the answer would cost without us. */
static void time_bare(const char *file, const char *sql, size_t rounds)
{
	uint64_t *us = calloc(rounds, sizeof(*us));
	sqlite3 *db = NULL;

	if (!us || sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL))
		die("open", file);
	for (size_t i = 0; i < rounds; i++) {
		uint64_t start = clock_mono_us();
		sqlite3_stmt *q = NULL;

		if (sqlite3_prepare_v2(db, sql, -1, &q, NULL))
			die("bare query", sqlite3_errmsg(db));
		while (sqlite3_step(q) == SQLITE_ROW)
			;
		sqlite3_finalize(q);
		us[i] = clock_mono_us() - start;
	}
	print_times("bare_sqlite", us, rounds);
	free(us);
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	Nlq__AskRequest m = NLQ__ASK_REQUEST__INIT;
	size_t rounds = argc > 5 ? (size_t)atol(argv[5]) : 500;
	size_t callers = argc > 6 ? (size_t)atol(argv[6]) : 8;
	struct err e = ERR_INIT;

	if (argc < 5 || argc > 7 || rounds < 1 || rounds > 1000000 || callers < 1 ||
	    callers > CALLERS_MAX) {
		fprintf(stderr, "usage: ask URL QUESTION DATABASE SQL [ROUNDS [CALLERS 1..%d]]\n",
		    CALLERS_MAX);
		return 2;
	}
	url = argv[1];
	m.question = argv[2];
	strbuf_init(&request, WIRE_MAX_MESSAGE);
	if (wire_pack(&request, &m.base, &e))
		die("pack", e.text);
	printf("{");
	time_alone(rounds);
	time_together(rounds, callers);
	time_bare(argv[3], argv[4], rounds);
	printf("\"rounds\":%zu}\n", rounds);
	strbuf_done(&request);
	return 0;
}

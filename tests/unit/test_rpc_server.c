/* Client and server of the client socket. */
#include <unistd.h>

#include "common/rpc/client.h"
#include "common/rpc/server.h"
#include "tests/unit/rpc_rig.h"

/* STATUS: answered at once with uid and pid; ASK: kept until released; CANCEL:
 * fails; TRACE_LIST: an answer that is too large. */
struct front {
	char dir[64], url[96];
	struct rpc_server *s;
	pthread_mutex_t mutex;
	struct rpc_exchange *kept[8];
	unsigned n_kept;
	_Atomic unsigned gone;
	_Atomic uint32_t last_peer, gone_peer;
};

static void on_request(struct rpc_exchange *x, const Nlq__Envelope *env, void *arg)
{
	struct front *f = arg;
	struct err e = ERR_INIT;
	char text[64];

	f->last_peer = rpc_exchange_peer(x);
	switch (env->kind) {
	case NLQ__KIND__STATUS:
		snprintf(text, sizeof(text), "%llu %u", (unsigned long long)rpc_exchange_uid(x),
		    rpc_exchange_pid(x));
		rpc_exchange_reply(x, NLQ__KIND__STATUS_REPLY, text, strlen(text));
		break;
	case NLQ__KIND__ASK:
		pthread_mutex_lock(&f->mutex);
		f->kept[f->n_kept++] = x;
		pthread_mutex_unlock(&f->mutex);
		break;
	case NLQ__KIND__TRACE_LIST: {
		char *big = calloc(1, WIRE_MAX_MESSAGE);

		rpc_exchange_reply(x, NLQ__KIND__TRACE_LIST_REPLY, big, WIRE_MAX_MESSAGE);
		free(big);
		break;
	}
	default:
		err_set(&e, ERR_NOT_FOUND, PHASE_REQUEST, "no such request");
		err_fix(&e, "ask again");
		rpc_exchange_fail(x, &e);
	}
}

static void on_gone(uint32_t peer, void *arg)
{
	struct front *f = arg;

	f->gone_peer = peer;
	f->gone++;
}

static void front_open(struct front *f, uint32_t contexts)
{
	struct rpc_server_conf conf = {.url = f->url,
	    .contexts = contexts,
	    .self_dial_ms = 50,
	    .on_request = on_request,
	    .on_gone = on_gone,
	    .arg = f};
	struct err e = ERR_INIT;

	memset(f, 0, sizeof(*f));
	log_init("test", LOG_LEVEL_ERROR);
	pthread_mutex_init(&f->mutex, NULL);
	strcpy(f->dir, "/tmp/nlq-rpc-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->url, sizeof(f->url), "ipc://%s/client", f->dir);
	if (rpc_server_start(&conf, &f->s, &e))
		fail_msg("%s", e.text);
}

static void front_close(struct front *f)
{
	rpc_server_stop(f->s);
	assert_int_equal(rmdir(f->dir), 0);
}

static void front_release(struct front *f)
{
	pthread_mutex_lock(&f->mutex);
	while (f->n_kept > 0)
		rpc_exchange_reply(f->kept[--f->n_kept], NLQ__KIND__ASK_REPLY, "late", 4);
	pthread_mutex_unlock(&f->mutex);
}

static unsigned front_kept(struct front *f)
{
	pthread_mutex_lock(&f->mutex);
	unsigned n = f->n_kept;
	pthread_mutex_unlock(&f->mutex);
	return n;
}

static struct rpc_client *client(struct front *f)
{
	struct rpc_client *c = NULL;
	struct err e = ERR_INIT;

	if (rpc_client_open(f->url, 1000, geteuid(), &c, &e))
		fail_msg("%s", e.text);
	return c;
}

static int call(
    struct rpc_client *c, Nlq__Kind kind, uint32_t ms, char *out, size_t size, struct err *e)
{
	Nlq__Kind got = NLQ__KIND__KIND_NONE;
	struct strbuf body;
	int rc;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	rc = rpc_client_call(c, kind, NULL, 0, ms, &got, &body, e);
	snprintf(out, size, "%s", body.data);
	strbuf_done(&body);
	return rc;
}

static void test_server_attests_who_asks(void **state)
{
	struct front f;
	char out[64], expect[64];
	struct err e = ERR_INIT;

	(void)state;
	front_open(&f, 4);
	struct rpc_client *c = client(&f);
	assert_int_equal(call(c, NLQ__KIND__STATUS, 1000, out, sizeof(out), &e), 0);
	snprintf(expect, sizeof(expect), "%u %d", geteuid(), (int)getpid());
	assert_string_equal(out, expect);
	assert_int_equal(call(c, NLQ__KIND__CANCEL, 1000, out, sizeof(out), &e), ERR_NOT_FOUND);
	assert_int_equal(e.phase, PHASE_REQUEST);
	assert_string_equal(e.fix, "ask again");
	assert_int_equal(call(c, NLQ__KIND__TRACE_LIST, 1000, out, sizeof(out), &e), ERR_TOO_LARGE);
	rpc_client_close(c);
	front_close(&f);
}

static void test_timeout_is_told_and_late_answers_are_not_mixed_up(void **state)
{
	struct front f;
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	front_open(&f, 4);
	struct rpc_client *c = client(&f);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(call(c, NLQ__KIND__ASK, 20, out, sizeof(out), &e), ERR_TIMEOUT);
		front_release(&f);
		assert_int_equal(call(c, NLQ__KIND__STATUS, 1000, out, sizeof(out), &e), 0);
		assert_string_not_equal(out, "late");
	}
	rpc_client_close(c);
	front_close(&f);
}

static void test_server_learns_that_a_client_is_gone(void **state)
{
	struct front f;
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	front_open(&f, 4);
	struct rpc_client *c = client(&f);
	assert_int_equal(call(c, NLQ__KIND__ASK, 20, out, sizeof(out), &e), ERR_TIMEOUT);
	uint32_t peer = f.last_peer;
	rpc_client_close(c);
	RIG_UNTIL(f.gone > 0 && f.gone_peer == peer);
	front_release(&f); /* an answer that nobody waits for */
	front_close(&f);
}

struct asker {
	struct front *f;
	int rc;
	char out[64];
	pthread_t thread;
};

static void *ask(void *arg)
{
	struct asker *a = arg;
	struct rpc_client *c = client(a->f);
	struct err e = ERR_INIT;

	a->rc = call(c, NLQ__KIND__ASK, 5000, a->out, sizeof(a->out), &e);
	rpc_client_close(c);
	return NULL;
}

static void test_many_wait_at_once_and_the_rest_hear_busy(void **state)
{
	struct front f;
	struct asker a[3];
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	front_open(&f, 3);
	for (int i = 0; i < 3; i++) {
		a[i] = (struct asker){.f = &f};
		pthread_create(&a[i].thread, NULL, ask, &a[i]);
	}
	RIG_UNTIL(front_kept(&f) == 3);
	struct rpc_client *c = client(&f);
	assert_int_equal(call(c, NLQ__KIND__ASK, 1000, out, sizeof(out), &e), ERR_BUSY);
	front_release(&f);
	for (int i = 0; i < 3; i++) {
		pthread_join(a[i].thread, NULL);
		assert_int_equal(a[i].rc, 0);
		assert_string_equal(a[i].out, "late");
	}
	assert_int_equal(call(c, NLQ__KIND__STATUS, 1000, out, sizeof(out), &e), 0);
	rpc_client_close(c);
	front_close(&f);
}

static void test_client_is_told_when_nobody_or_a_stranger_listens(void **state)
{
	struct front f;
	struct rpc_client *c = NULL;
	struct err e = ERR_INIT;
	char url[128];
	uint64_t start = clock_mono_ms();

	(void)state;
	front_open(&f, 1);
	snprintf(url, sizeof(url), "%s-no", f.url);
	assert_int_equal(rpc_client_open(url, 0, UINT64_MAX, &c, &e), ERR_UNAVAILABLE);
	assert_true(e.fix[0] && clock_mono_ms() - start < 200);
	assert_int_equal(rpc_client_open(url, 50, UINT64_MAX, &c, &e), ERR_UNAVAILABLE);
	assert_int_equal(rpc_client_open(f.url, 1000, geteuid() + 1, &c, &e), ERR_DENIED);
	assert_int_equal(rpc_client_open("tcp://localhost:1", 0, UINT64_MAX, &c, &e), ERR_CONFIG);
	assert_null(c);
	front_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_server_attests_who_asks),
	    cmocka_unit_test(test_timeout_is_told_and_late_answers_are_not_mixed_up),
	    cmocka_unit_test(test_server_learns_that_a_client_is_gone),
	    cmocka_unit_test(test_many_wait_at_once_and_the_rest_hear_busy),
	    cmocka_unit_test(test_client_is_told_when_nobody_or_a_stranger_listens),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

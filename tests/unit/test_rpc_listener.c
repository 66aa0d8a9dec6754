/* Addresses, foreign bytes, and a listener that dies and is healed. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/rpc/address.h"
#include "common/rpc/req.h"
#include "tests/unit/rpc_rig.h"

static void listen_fails(const char *url, int code, const char *why)
{
	struct dispatch_conf conf = {.park_ms = 1000, .queue_max = 1};
	struct dispatch *d = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(dispatch_new(&conf, &d, &e), 0);
	assert_int_equal(dispatch_listen(d, NLQ__ROLE__ROLE_DUMMY, url, UINT64_MAX, &e), code);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
	dispatch_free(d);
}

static void test_bad_addresses_are_refused_with_the_reason(void **state)
{
	char dir[] = "/tmp/nlq-rpc-XXXXXX", url[300], path[256], longest[300];
	struct stat st;
	int fd;

	(void)state;
	log_init("test", LOG_LEVEL_ERROR);
	assert_non_null(mkdtemp(dir));
	listen_fails("tcp://127.0.0.1:4711", ERR_CONFIG, "not an ipc://");
	listen_fails("ipc://relative/sock", ERR_CONFIG, "not absolute");
	snprintf(url, sizeof(url), "ipc://%s/missing/sock", dir);
	listen_fails(url, ERR_CONFIG, "missing");
	/* 107 bytes are fine, 108 are not */
	memset(path, 'x', sizeof(path));
	memcpy(path, dir, strlen(dir));
	path[strlen(dir)] = '/';
	path[ADDRESS_PATH_MAX + 1] = 0;
	snprintf(longest, sizeof(longest), "ipc://%s", path);
	listen_fails(longest, ERR_CONFIG, "limit is 107");
	longest[strlen(longest) - 1] = 0;
	struct rig r = {0};
	memcpy(r.dir, dir, sizeof(dir));
	struct dispatch_conf conf = {.park_ms = 1000};
	struct err e = ERR_INIT;
	assert_int_equal(dispatch_new(&conf, &r.d, &e), 0);
	assert_int_equal(dispatch_listen(r.d, NLQ__ROLE__ROLE_DUMMY, longest, UINT64_MAX, &e), 0);
	/* a second process (here: dispatcher) on the same path */
	listen_fails(longest, ERR_BUSY, "another process");
	dispatch_free(r.d);
	/* a regular file stays what it is */
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(url, sizeof(url), "ipc://%s", path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && write(fd, "precious", 8) == 8);
	close(fd);
	listen_fails(url, ERR_CONFIG, "not a socket");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 8);
	unlink(path);
	/* nor is a link followed */
	assert_int_equal(symlink("/tmp/nlq-nowhere", path), 0);
	listen_fails(url, ERR_CONFIG, "not a socket");
	unlink(path);
	snprintf(path, sizeof(path), "%s/file.lock", dir);
	unlink(path);
	chmod(dir, 0777);
	listen_fails(url, ERR_CONFIG, "written by everyone");
	assert_int_equal(rmdir(dir), 0);
}

static void test_socket_left_by_a_dead_process_is_replaced(void **state)
{
	struct rig r;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	rig_open(&r, NULL);
	dispatch_free(r.d);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/sock", r.dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
	rig_listen(&r, NULL);
	assert_int_equal(stat(addr.sun_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	rig_close(&r);
}

/* t0100 shows the same with nng 1.5.2's accept loop, which dies of a peer that
 * connects and closes. */
static void test_vanished_socket_is_healed_without_touching_connections(void **state)
{
	struct rig r;
	struct dispatch_conf conf = {.self_dial_ms = 100};
	char path[96], out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, &conf);
	struct rpc_worker *before = rig_worker(&r, 1);
	snprintf(path, sizeof(path), "%s/sock", r.dir);
	for (uint64_t heals = 0; heals < 3; heals++) {
		assert_int_equal(unlink(path), 0);
		RIG_UNTIL(rig_stats(&r).heals > heals);
		assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	}
	struct rpc_worker *after = rig_worker(&r, 1);
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	rig_worker_stop(after);
	rig_worker_stop(before);
	rig_close(&r);
}

/* Sends raw bytes as one nng message; returns the answer's kind and error code. */
static void send_bytes(
    struct rig *r, const void *bytes, size_t len, Nlq__Kind *ret_kind, int *ret_code)
{
	struct req *q = NULL;
	struct err e = ERR_INIT;
	nng_msg *msg = NULL;
	Nlq__Envelope *env = NULL;

	*ret_kind = NLQ__KIND__KIND_NONE;
	*ret_code = 0;
	assert_int_equal(req_open(r->url, UINT64_MAX, &q, &e), 0);
	if (req_exchange(q, bytes, len, 3000, 3000, &msg, NULL) == 0) {
		assert_int_equal(envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, &e), 0);
		*ret_kind = env->kind;
		if (env->error)
			*ret_code = -(int)env->error->code;
	}
	envelope_free(env);
	nng_msg_free(msg);
	req_close(q);
}

static void expect_failed(struct rig *r, const void *bytes, size_t len, int code)
{
	Nlq__Kind kind;
	int got;

	send_bytes(r, bytes, len, &kind, &got);
	assert_int_equal(kind, NLQ__KIND__FAILED);
	assert_int_equal(got, code);
}

static void test_bad_messages_are_answered_and_change_nothing(void **state)
{
	struct rig r;
	struct strbuf b;
	Nlq__Envelope env;
	Nlq__Ready ready = NLQ__READY__INIT;
	uint8_t noise[300];
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	expect_failed(&r, "", 0, ERR_PROTOCOL);
	expect_failed(&r, "GET / HTTP/1.1\r\n\r\n", 18, ERR_PROTOCOL);
	random_bytes(noise, sizeof(noise));
	noise[0] = 0xff;
	expect_failed(&r, noise, sizeof(noise), ERR_PROTOCOL);
	/* another version; a kind that has no place here; another role's worker */
	strbuf_init(&b, 10000);
	envelope_init(&env, NLQ__KIND__READY);
	env.version = PROTO_VERSION + 1;
	assert_int_equal(envelope_to_strbuf(&env, NULL, &b, NULL), 0);
	expect_failed(&r, b.data, b.len, ERR_VERSION);
	strbuf_clear(&b);
	envelope_init(&env, NLQ__KIND__STATUS);
	assert_int_equal(envelope_to_strbuf(&env, NULL, &b, NULL), 0);
	expect_failed(&r, b.data, b.len, ERR_PROTOCOL);
	strbuf_clear(&b);
	envelope_init(&env, NLQ__KIND__READY);
	envelope_bytes(&ready.instance, noise, WIRE_ID_LEN);
	ready.role = NLQ__ROLE__ROLE_EXECUTOR;
	assert_int_equal(envelope_to_strbuf(&env, &ready.base, &b, NULL), 0);
	expect_failed(&r, b.data, b.len, ERR_PROTOCOL);
	for (size_t len = 1; len < b.len; len++)
		expect_failed(&r, b.data, len, ERR_PROTOCOL);
	strbuf_clear(&b);
	ready.role = NLQ__ROLE__ROLE_DUMMY;
	envelope_bytes(&ready.instance, noise, 5);
	assert_int_equal(envelope_to_strbuf(&env, &ready.base, &b, NULL), 0);
	expect_failed(&r, b.data, b.len, ERR_PROTOCOL);
	strbuf_done(&b);
	assert_int_equal(dispatch_slots(r.d, NLQ__ROLE__ROLE_DUMMY), 1);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	rig_worker_stop(w);
	rig_close(&r);
}

static void test_oversize_message_costs_the_sender_its_connection(void **state)
{
	struct rig r;
	Nlq__Kind kind;
	int code;
	size_t size = WIRE_MAX_MESSAGE + 1000;
	uint8_t *big = calloc(1, size);
	char out[64];
	struct err e = ERR_INIT;

	(void)state;
	rig_open(&r, NULL);
	struct rpc_worker *w = rig_worker(&r, 1);
	send_bytes(&r, big, size, &kind, &code);
	assert_int_equal(kind, NLQ__KIND__KIND_NONE);
	assert_int_equal(rig_call(&r, "x", out, sizeof(out), &e), 0);
	assert_int_equal(rig_stats(&r).jobs_retried, 0);
	free(big);
	rig_worker_stop(w);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_addresses_are_refused_with_the_reason),
	    cmocka_unit_test(test_socket_left_by_a_dead_process_is_replaced),
	    cmocka_unit_test(test_vanished_socket_is_healed_without_touching_connections),
	    cmocka_unit_test(test_bad_messages_are_answered_and_change_nothing),
	    cmocka_unit_test(test_oversize_message_costs_the_sender_its_connection),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

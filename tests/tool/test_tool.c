/*
 * Helper programs of the tests in one binary:
 *   worker URL SLOTS      dummy role; drains and ends on SIGTERM
 *   broker URL            dispatcher of the dummy role; every line of stdin is a
 *                         job, answered by a line "CODE ATTEMPTS TEXT"
 *   send URL HEX          one nng REQ message of these bytes; prints the answer's
 *                         kind and error
 *   raw PATH MODE         bytes on the Unix socket without nng: http, tls, random,
 *                         header, close, huge; prints how many bytes came back
 *   listen PATH           a listener that never accepts, until it is killed
 * Whatever it is, it dies with its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "common/base/log.h"
#include "common/rpc/dispatch.h"
#include "common/rpc/envelope.h"
#include "common/rpc/req.h"
#include "tests/tool/dummy.h"

static int fail(const struct err *e)
{
	fprintf(stderr, "%s: %s\n", err_code_name(e->code), e->text);
	return 1;
}

static int run_worker(const char *url, const char *slots)
{
	struct rpc_worker_conf conf = {
	    .url = url,
	    .role = NLQ__ROLE__ROLE_DUMMY,
	    .slots = (uint32_t)atoi(slots),
	    .park_ms = 20000,
	    .cache_bytes = 16 * 1024 * 1024,
	    .peer_uid = UINT64_MAX,
	    .handlers = dummy_handlers,
	    .n_handlers = 1,
	};
	struct rpc_worker *w = NULL;
	struct err e = ERR_INIT;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (rpc_worker_start(&conf, &w, &e))
		return fail(&e);
	sigwait(&set, &sig);
	rpc_worker_drain(w);
	for (int i = 0; i < 10000 && !rpc_worker_is_idle(w); i++)
		usleep(1000);
	rpc_worker_stop(w);
	return 0;
}

static void broker_job(struct dispatch *d, const char *line, uint32_t n)
{
	struct dispatch_request q = {
	    .role = NLQ__ROLE__ROLE_DUMMY,
	    .kind = NLQ__KIND__ECHO,
	    .principal = "tester",
	    .body = line,
	    .len = strlen(line),
	    .lease_ms = 5000,
	    .deadline_ms = clock_mono_ms() + 20000,
	    .retries = 2,
	};
	struct dispatch_reply reply;
	struct err e = ERR_INIT;
	int rc;

	memcpy(q.request_id, &n, sizeof(n));
	rc = dispatch_call(d, &q, &reply, &e);
	printf("%s %u %s\n", rc ? err_code_name(e.code) : "ok", reply.attempts,
	    rc ? e.text : reply.body.data);
	fflush(stdout);
	strbuf_done(&reply.body);
}

static int run_broker(const char *url)
{
	struct dispatch_conf conf = {
	    .park_ms = 20000, .detach_ms = 500, .queue_max = 100, .self_dial_ms = 200};
	struct dispatch *d = NULL;
	struct err e = ERR_INIT;
	char line[1024];

	if (dispatch_new(&conf, &d, &e) ||
	    dispatch_listen(d, NLQ__ROLE__ROLE_DUMMY, url, UINT64_MAX, &e)) {
		dispatch_free(d);
		return fail(&e);
	}
	printf("ready\n");
	fflush(stdout);
	for (uint32_t n = 1; fgets(line, sizeof(line), stdin); n++) {
		line[strcspn(line, "\n")] = 0;
		broker_job(d, line, n);
	}
	dispatch_free(d);
	fflush(stdout);
	_exit(0); /* as daemons do: what nng has left behind is nobody's business */
}

static size_t from_hex(const char *hex, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned byte;

	while (n < max && sscanf(hex + 2 * n, "%2x", &byte) == 1)
		out[n++] = (uint8_t)byte;
	return n;
}

static int run_send(const char *url, const char *hex)
{
	uint8_t bytes[4096];
	size_t len = from_hex(hex, bytes, sizeof(bytes));
	struct req *q = NULL;
	struct err e = ERR_INIT;
	Nlq__Envelope *env = NULL;
	nng_msg *msg = NULL;
	int rc;

	if (req_open(url, UINT64_MAX, &q, &e))
		return fail(&e);
	rc = req_exchange(q, bytes, len, 3000, 3000, &msg, NULL);
	if (rc)
		printf("nng %s\n", nng_strerror(rc));
	else if (envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, &e))
		printf("undecodable %s\n", e.text);
	else
		printf("kind %d %s\n", env->kind, env->error ? env->error->text : "");
	envelope_free(env);
	nng_msg_free(msg);
	req_close(q);
	return 0;
}

static int unix_socket(const char *path, struct sockaddr_un *ret_addr)
{
	*ret_addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(ret_addr->sun_path, sizeof(ret_addr->sun_path), "%s", path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static size_t raw_bytes(const char *mode, uint8_t *buf, size_t size)
{
	static const uint8_t header[] = {0, 'S', 'P', 0, 0, 0x30, 0, 0}; /* as a REQ peer */
	static const uint8_t huge[] = {1, 0, 0, 0x01, 0, 0, 0, 0, 0};    /* 2^40 bytes to come */

	memset(buf, 0, size);
	if (strcmp(mode, "http") == 0)
		return (size_t)snprintf(
		    (char *)buf, size, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	if (strcmp(mode, "tls") == 0) {
		memcpy(buf, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
		return 200;
	}
	if (strcmp(mode, "random") == 0)
		return (size_t)getrandom(buf, 512, 0);
	if (strcmp(mode, "close") == 0)
		return 0;
	memcpy(buf, header, sizeof(header));
	if (strcmp(mode, "header") == 0)
		return sizeof(header);
	memcpy(buf + sizeof(header), huge, sizeof(huge));
	return sizeof(header) + sizeof(huge);
}

static int run_raw(const char *path, const char *mode)
{
	uint8_t buf[1024];
	struct sockaddr_un addr;
	struct timeval wait = {0, 300000};
	int fd = unix_socket(path, &addr);
	size_t len = raw_bytes(mode, buf, sizeof(buf));
	ssize_t got = 0;

	signal(SIGPIPE, SIG_IGN);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		printf("connect: %s\n", strerror(errno));
		return 1;
	}
	if (len > 0 && write(fd, buf, len) == (ssize_t)len) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		got = read(fd, buf, sizeof(buf));
	}
	printf("%zd\n", got);
	close(fd);
	return 0;
}

static int run_listen(const char *path)
{
	struct sockaddr_un addr;
	int fd = unix_socket(path, &addr);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 16)) {
		printf("listen: %s\n", strerror(errno));
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log_init("test_tool", LOG_LEVEL_ERROR);
	if (argc == 4 && strcmp(argv[1], "worker") == 0)
		return run_worker(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "broker") == 0)
		return run_broker(argv[2]);
	if (argc == 4 && strcmp(argv[1], "send") == 0)
		return run_send(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "raw") == 0)
		return run_raw(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "listen") == 0)
		return run_listen(argv[2]);
	fprintf(stderr,
	    "usage: test_tool worker URL SLOTS | broker URL | send URL HEX | raw PATH MODE | "
	    "listen PATH\n");
	return 2;
}

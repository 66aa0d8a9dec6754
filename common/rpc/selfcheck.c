/*
 * The health of a listener, on a thread of its own. Every round dials the
 * listener as a client would. No answer: the accept loop has died, so the path is
 * unlinked and a second nng listener opened on the same socket; the dead one stays
 * open (closing it would close its living pipes and can hang). The check's own
 * pipe must then be reaped: when nng's reaper hangs, or the descriptors run out,
 * the process has to end and be started again, which is what fatal is for.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/rpc/envelope.h"
#include "common/rpc/listener_impl.h"

#define ECHO_MS 500
#define REAP_MS 10000
#define MAX_HEALS 20   /* each leaves descriptors behind, in nng 1.5.2 some that spin */
#define MAX_FAILURES 5 /* heals in a row that did not help */

/* Waits for a change at most until the deadline; with the mutex held. */
static bool wait_until(struct listener *l, uint64_t deadline_ms)
{
	struct timespec t = {(time_t)(deadline_ms / 1000), (long)(deadline_ms % 1000) * 1000000};

	return pthread_cond_timedwait(&l->changed, &l->mutex, &t) == 0;
}

void selfcheck_on_ping(struct listener *l, uint32_t pipe, const Nlq__Envelope *env)
{
	pthread_mutex_lock(&l->mutex);
	if (env->has_request_id && memcmp(env->request_id.data, l->nonce, WIRE_ID_LEN) == 0)
		l->check_pipe = pipe;
	pthread_mutex_unlock(&l->mutex);
}

static bool send_all(int fd, const void *bytes, size_t len)
{
	return send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool receive_all(int fd, uint8_t *buf, size_t len)
{
	return recv(fd, buf, len, MSG_WAITALL) == (ssize_t)len;
}

static int connect_to(const char *path, uint32_t timeout_ms)
{
	struct timeval t = {timeout_ms / 1000, (suseconds_t)(timeout_ms % 1000) * 1000};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd >= 0 &&
	    (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) ||
	        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)) ||
	        connect(fd, (struct sockaddr *)&addr, sizeof(addr)))) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Says the SP handshake of a REQ peer, sends one request and waits for its reply,
 * all by hand: another nng socket in this process would have to be closed every
 * time, and closing is what can hang nng 1.5.2. A frame is type 1, the length in 8
 * bytes, then request id (4 bytes) and body.
 */
static bool exchange(int fd, const struct strbuf *body)
{
	static const uint8_t req_peer[8] = {0, 'S', 'P', 0, 0, 0x30, 0, 0};
	static const uint8_t rep_peer[8] = {0, 'S', 'P', 0, 0, 0x31, 0, 0};
	uint8_t frame[13] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 1}, buf[13];

	frame[7] = (uint8_t)((body->len + 4) >> 8);
	frame[8] = (uint8_t)(body->len + 4);
	return send_all(fd, req_peer, sizeof(req_peer)) && receive_all(fd, buf, sizeof(rep_peer)) &&
	    memcmp(buf, rep_peer, sizeof(rep_peer)) == 0 && send_all(fd, frame, sizeof(frame)) &&
	    send_all(fd, body->data, body->len) && receive_all(fd, buf, sizeof(buf));
}

/* One dial and echo as a client would do it. */
static bool echo(struct listener *l, uint32_t timeout_ms)
{
	Nlq__Envelope env;
	struct strbuf body;
	uint8_t nonce[WIRE_ID_LEN];
	bool ok = false;
	int fd;

	random_bytes(nonce, sizeof(nonce));
	pthread_mutex_lock(&l->mutex);
	memcpy(l->nonce, nonce, sizeof(nonce));
	l->check_pipe = 0;
	l->check_pipe_gone = false;
	pthread_mutex_unlock(&l->mutex);
	envelope_init(&env, NLQ__KIND__PING);
	env.has_request_id = true;
	envelope_bytes(&env.request_id, nonce, sizeof(nonce));
	strbuf_init(&body, 1024);
	fd = envelope_to_strbuf(&env, NULL, &body, NULL) ? -1 : connect_to(l->path, timeout_ms);
	if (fd >= 0) {
		ok = exchange(fd, &body);
		close(fd);
	}
	strbuf_done(&body);
	return ok;
}

static bool was_reaped(struct listener *l)
{
	uint64_t deadline = clock_mono_ms() + REAP_MS;
	bool gone;

	pthread_mutex_lock(&l->mutex);
	while (!l->check_pipe_gone && !l->closing)
		if (!wait_until(l, deadline) && clock_mono_ms() >= deadline)
			break;
	gone = l->check_pipe_gone || l->closing;
	pthread_mutex_unlock(&l->mutex);
	return gone;
}

/* True when more than three quarters of the descriptors are in use. */
static bool descriptors_run_out(void)
{
	struct rlimit limit;
	rlim_t used = 0;
	DIR *dir;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	dir = opendir("/proc/self/fd");
	if (!dir)
		return false;
	while (readdir(dir))
		used++;
	closedir(dir);
	return used > limit.rlim_cur / 4 * 3;
}

static void heal(struct listener *l)
{
	struct err e = ERR_INIT;

	if (unlink(l->path))
		log_warn("cannot remove %s, trying to listen all the same", l->path);
	if (listener_listen(l, &e)) {
		log_error("%s", e.text);
		return;
	}
	pthread_mutex_lock(&l->mutex);
	l->heals++;
	pthread_mutex_unlock(&l->mutex);
	log_warn("the listener on %s did not answer; opened another", l->path);
}

static void report_refused(struct listener *l, uint64_t *reported)
{
	uint64_t refused;

	pthread_mutex_lock(&l->mutex);
	refused = l->n_refused;
	pthread_mutex_unlock(&l->mutex);
	if (refused > *reported)
		log_warn("refused %llu connections to %s: wrong user, or too many",
		    (unsigned long long)(refused - *reported), l->path);
	*reported = refused;
}

/* NULL, or why the process should end. */
static const char *check(struct listener *l, unsigned *failures)
{
	if (descriptors_run_out())
		return "file descriptors run out";
	/* More patience each time: a busy machine is not a dead listener. */
	if (echo(l, ECHO_MS * (1 + *failures))) {
		*failures = 0;
		return was_reaped(l) ? NULL : "nng no longer removes closed connections";
	}
	if (++*failures > MAX_FAILURES || listener_heals(l) >= MAX_HEALS)
		return "a listener could not be healed";
	heal(l);
	return NULL;
}

static void *run(void *arg)
{
	struct listener *l = arg;
	uint64_t next = clock_mono_ms() + l->conf.self_dial_ms, reported = 0;
	unsigned failures = 0;
	const char *why = NULL;

	pthread_mutex_lock(&l->mutex);
	while (!l->closing) {
		/* After a heal the next round comes at once. */
		if (failures == 0 && clock_mono_ms() < next) {
			wait_until(l, next);
			continue;
		}
		pthread_mutex_unlock(&l->mutex);
		report_refused(l, &reported);
		why = check(l, &failures);
		next = clock_mono_ms() + l->conf.self_dial_ms;
		pthread_mutex_lock(&l->mutex);
		if (why)
			break;
	}
	pthread_mutex_unlock(&l->mutex);
	if (why) {
		log_error("%s: %s", l->path, why);
		if (l->conf.fatal)
			l->conf.fatal(why, l->conf.arg);
	}
	return NULL;
}

int selfcheck_start(struct listener *l, struct err *e)
{
	if (pthread_create(&l->thread, NULL, run, l))
		return err_set(e, ERR_NOMEM, PHASE_RPC, "cannot start a thread");
	l->has_thread = true;
	return 0;
}

void selfcheck_stop(struct listener *l)
{
	if (!l->has_thread)
		return;
	pthread_mutex_lock(&l->mutex);
	l->closing = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->mutex);
	pthread_join(l->thread, NULL);
	l->has_thread = false;
}

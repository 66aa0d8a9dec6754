/*
 * Messages between the daemon and a worker over a seqpacket socketpair. A
 * message is cut into packets of at most FRAME_PACKET bytes: 16 bytes of header
 * (type, id, total bytes, offset; little endian) and a piece of the payload.
 *
 * The daemon takes a worker's packets for hostile: the reader checks every field
 * and never holds more than its cap; anything odd is ERR_PROTOCOL, and the worker
 * is ended.
 */
#ifndef NLQ_EXECUTOR_FRAME_H
#define NLQ_EXECUTOR_FRAME_H

#include "common/base/err.h"
#include "common/base/strbuf.h"

#define FRAME_PACKET (64u * 1024)
#define FRAME_HEAD 16u
#define FRAME_MAX (6u * 1024 * 1024) /* payload of one message */

enum frame_type {
	FRAME_HELLO = 1, /* worker: ready; payload: hello_put */
	FRAME_CALL,      /* daemon: kind and time in the payload's head, then the request */
	FRAME_REPLY,     /* worker: the packed reply */
	FRAME_LAST,      /* worker: a reply, and the worker ends after it */
	FRAME_ERROR,     /* worker: payload: frame_put_err */
	FRAME_BYE,       /* worker: an error, and the worker ends after it */
};

/* One message that is being put together. */
struct frame {
	enum frame_type type;
	uint32_t id;
	uint32_t total;
	bool open;             /* the first packet has come */
	struct strbuf payload; /* capped by frame_init */
};

void frame_init(struct frame *f, size_t max_bytes);
void frame_done(struct frame *f);
void frame_clear(struct frame *f); /* ready for the next message */
/* Takes one packet: 1 message complete, 0 more to come, ERR_PROTOCOL. */
int frame_take(struct frame *f, const void *packet, size_t len);

/* How long to wait, and for what. cancel_fd -1: nothing; deadline_ms UINT64_MAX:
 * for ever (then only read and write are used, which a worker's filter allows). */
struct frame_wait {
	uint64_t deadline_ms; /* CLOCK_MONOTONIC */
	int cancel_fd;
};

/* Both return 0, ERR_TIMEOUT, ERR_CANCELLED, ERR_UNAVAILABLE (the other end is
 * gone), or ERR_PROTOCOL. frame_recv clears f first. */
int frame_send(int fd, enum frame_type type, uint32_t id, const void *p, size_t len,
    const struct frame_wait *w);
int frame_recv(int fd, struct frame *f, const struct frame_wait *w);

/* Small payloads. Readers return 0 or ERR_PROTOCOL. */
struct call_head {
	uint32_t kind;     /* of envelope.proto */
	uint32_t query_ms; /* time for the work */
	uint32_t max_rows; /* 0: the worker's own */
};
void frame_put_call(struct strbuf *out, const struct call_head *h);
int frame_get_call(const void *p, size_t len, struct call_head *ret_head, size_t *ret_body);

void frame_put_err(struct strbuf *out, const struct err *e);
int frame_get_err(const void *p, size_t len, struct err *ret_err);

#endif

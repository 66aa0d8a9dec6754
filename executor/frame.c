/* Packets, their reader, and the two fixed payloads. Owns no descriptor. */
#include "executor/frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/utf8.h"

static void put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void frame_init(struct frame *f, size_t max_bytes)
{
	memset(f, 0, sizeof(*f));
	strbuf_init(&f->payload, max_bytes);
}

void frame_done(struct frame *f)
{
	strbuf_done(&f->payload);
}

void frame_clear(struct frame *f)
{
	f->open = false;
	strbuf_clear(&f->payload);
}

static int take_first(struct frame *f, uint32_t type, uint32_t id, uint32_t total)
{
	if (type < FRAME_HELLO || type > FRAME_BYE || total > f->payload.max)
		return ERR_PROTOCOL;
	f->type = (enum frame_type)type;
	f->id = id;
	f->total = total;
	f->open = true;
	return 0;
}

int frame_take(struct frame *f, const void *packet, size_t len)
{
	const uint8_t *p = packet;
	uint32_t total, offset;
	size_t n;

	if (len < FRAME_HEAD || len > FRAME_PACKET)
		return ERR_PROTOCOL;
	total = get_u32(p + 8);
	offset = get_u32(p + 12);
	n = len - FRAME_HEAD;
	if (!f->open && take_first(f, get_u32(p), get_u32(p + 4), total) != 0)
		return ERR_PROTOCOL;
	if (get_u32(p) != f->type || get_u32(p + 4) != f->id || total != f->total ||
	    offset != f->payload.len || n > total - offset || (n == 0 && total != 0))
		return ERR_PROTOCOL;
	strbuf_add(&f->payload, p + FRAME_HEAD, n);
	if (f->payload.failed)
		return ERR_PROTOCOL;
	return f->payload.len == total ? 1 : 0;
}

/* Waits until fd is ready for events; 0 or why not. */
static int wait_ready(int fd, short events, const struct frame_wait *w)
{
	struct pollfd fds[2] = {{fd, events, 0}, {w->cancel_fd, POLLIN, 0}};

	for (;;) {
		uint32_t left = clock_left_ms(w->deadline_ms);
		int n;

		if (left == 0)
			return ERR_TIMEOUT;
		n = poll(fds, w->cancel_fd >= 0 ? 2 : 1, left > INT32_MAX ? INT32_MAX : (int)left);
		if (n < 0 && errno != EINTR)
			return ERR_UNAVAILABLE;
		if (n > 0 && fds[1].revents != 0)
			return ERR_CANCELLED;
		if (n > 0 && fds[0].revents != 0)
			return 0;
	}
}

static int broken(ssize_t n)
{
	return n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

int frame_send(int fd, enum frame_type type, uint32_t id, const void *p, size_t len,
    const struct frame_wait *w)
{
	uint8_t packet[FRAME_PACKET];
	size_t offset = 0;

	if (len > FRAME_MAX)
		return ERR_PROTOCOL;
	put_u32(packet, (uint32_t)type);
	put_u32(packet + 4, id);
	put_u32(packet + 8, (uint32_t)len);
	do {
		size_t n = len - offset < FRAME_PACKET - FRAME_HEAD ? len - offset
		                                                    : FRAME_PACKET - FRAME_HEAD;
		ssize_t sent;

		put_u32(packet + 12, (uint32_t)offset);
		if (n > 0)
			memcpy(packet + FRAME_HEAD, (const uint8_t *)p + offset, n);
		if (w->deadline_ms == UINT64_MAX) {
			sent = write(fd, packet, FRAME_HEAD + n);
		} else {
			int rc = wait_ready(fd, POLLOUT, w);

			if (rc != 0)
				return rc;
			sent = send(fd, packet, FRAME_HEAD + n, MSG_DONTWAIT | MSG_NOSIGNAL);
		}
		if (broken(sent))
			continue;
		if (sent != (ssize_t)(FRAME_HEAD + n))
			return ERR_UNAVAILABLE;
		offset += n;
	} while (offset < len);
	return 0;
}

int frame_recv(int fd, struct frame *f, const struct frame_wait *w)
{
	uint8_t packet[FRAME_PACKET];

	frame_clear(f);
	for (;;) {
		ssize_t n;
		int rc;

		if (w->deadline_ms == UINT64_MAX) {
			n = read(fd, packet, sizeof(packet));
		} else {
			rc = wait_ready(fd, POLLIN, w);
			if (rc != 0)
				return rc;
			/* MSG_TRUNC: a packet that is too long shows its real length. */
			n = recv(fd, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC);
		}
		if (broken(n))
			continue;
		if (n <= 0)
			return ERR_UNAVAILABLE;
		if ((size_t)n > sizeof(packet))
			return ERR_PROTOCOL;
		rc = frame_take(f, packet, (size_t)n);
		if (rc < 0)
			return rc;
		if (rc == 1)
			return 0;
	}
}

/* --- fixed payloads -------------------------------------------------------------- */

static void add_u32(struct strbuf *out, uint32_t v)
{
	uint8_t b[4];

	put_u32(b, v);
	strbuf_add(out, b, sizeof(b));
}

void frame_put_call(struct strbuf *out, const struct call_head *h)
{
	add_u32(out, h->kind);
	add_u32(out, h->query_ms);
	add_u32(out, h->max_rows);
}

int frame_get_call(const void *p, size_t len, struct call_head *ret_head, size_t *ret_body)
{
	const uint8_t *b = p;

	if (len < 12)
		return ERR_PROTOCOL;
	ret_head->kind = get_u32(b);
	ret_head->query_ms = get_u32(b + 4);
	ret_head->max_rows = get_u32(b + 8);
	*ret_body = 12;
	return 0;
}

static void add_text(struct strbuf *out, const char *s)
{
	add_u32(out, (uint32_t)strlen(s));
	strbuf_puts(out, s);
}

void frame_put_err(struct strbuf *out, const struct err *e)
{
	add_u32(out, (uint32_t) - (int)e->code);
	add_u32(out, (uint32_t)e->phase);
	add_u32(out, e->line);
	add_u32(out, e->column);
	add_u32(out, (e->retry ? 1u : 0) | (e->details_omitted ? 2u : 0));
	add_text(out, e->text);
	add_text(out, e->fix);
}

static int get_text(const uint8_t *b, size_t len, size_t *pos, char out[ERR_TEXT_MAX])
{
	uint32_t n;

	if (len - *pos < 4)
		return ERR_PROTOCOL;
	n = get_u32(b + *pos);
	*pos += 4;
	if (n >= ERR_TEXT_MAX || n > len - *pos)
		return ERR_PROTOCOL;
	if (!utf8_valid((const char *)b + *pos, n) || memchr(b + *pos, 0, n) != NULL)
		return ERR_PROTOCOL;
	memcpy(out, b + *pos, n);
	out[n] = '\0';
	*pos += n;
	return 0;
}

int frame_get_err(const void *p, size_t len, struct err *ret_err)
{
	const uint8_t *b = p;
	struct err e = ERR_INIT;
	size_t pos = 20;
	uint32_t flags;

	if (len < pos || get_u32(b) > INT32_MAX || get_u32(b + 4) > INT32_MAX)
		return ERR_PROTOCOL;
	if (!err_code_known(-(int)get_u32(b)) || !err_phase_known((int)get_u32(b + 4)))
		return ERR_PROTOCOL;
	e.code = (enum err_code) - (int)get_u32(b);
	e.phase = (enum err_phase)get_u32(b + 4);
	e.line = get_u32(b + 8);
	e.column = get_u32(b + 12);
	flags = get_u32(b + 16);
	e.retry = (flags & 1) != 0;
	e.details_omitted = (flags & 2) != 0;
	if (e.code == ERR_OK || get_text(b, len, &pos, e.text) != 0 ||
	    get_text(b, len, &pos, e.fix) != 0 || pos != len)
		return ERR_PROTOCOL;
	*ret_err = e;
	return 0;
}

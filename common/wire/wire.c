/*
 * The only caller of protobuf-c's pack and unpack. A decoded message lives in a
 * chain of blocks, so freeing it is a few free() calls whatever its shape, and
 * the cap on its memory is exact.
 */
#include "common/wire/wire.h"

#include <stdlib.h>
#include <string.h>

#include "common/wire/scan.h"

/* Legitimate worst case: a Value of 4 bytes becomes 112 bytes and a pointer, and
 * protobuf-c's list of scanned members adds some 40. */
#define MEMORY_PER_BYTE 64
#define MEMORY_FIXED (64u * 1024)
#define MEMORY_MAX (64u * 1024 * 1024)

#define ALIGNMENT 16

struct block {
	struct block *next;
	size_t used, cap;
	size_t pad;
};
_Static_assert(sizeof(struct block) % ALIGNMENT == 0, "blocks keep the alignment");

struct pool {
	struct block *first, *last; /* in order of allocation: the message opens the first */
	size_t left;
};

static struct block *pool_grow(struct pool *p, size_t size)
{
	size_t cap = p->last ? p->last->cap * 2 : 1024;
	struct block *b;

	if (cap < size)
		cap = size;
	if (cap > p->left)
		cap = p->left;
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return NULL;
	*b = (struct block){.cap = cap};
	p->left -= cap;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = b;
	return b;
}

static void *pool_alloc(void *data, size_t size)
{
	struct pool *p = data;
	struct block *b = p->last;
	void *mem;

	if (size > MEMORY_MAX)
		return NULL;
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!b || b->cap - b->used < size) {
		if (size > p->left)
			return NULL;
		b = pool_grow(p, size);
		if (!b)
			return NULL;
	}
	mem = (char *)(b + 1) + b->used;
	b->used += size;
	return mem;
}

/* All of it goes at once, in wire_free. */
static void pool_free(NLQ_UNUSED void *data, NLQ_UNUSED void *mem)
{
}

static void blocks_free(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

int wire_unpack(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len,
    ProtobufCMessage **ret_message, struct err *e)
{
	struct pool pool = {0};
	ProtobufCAllocator allocator = {pool_alloc, pool_free, &pool};
	ProtobufCMessage *m;
	int rc;

	if (len > WIRE_MAX_MESSAGE)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC,
		    "bad message: %s has %zu bytes, the limit is %u", d->short_name, len,
		    WIRE_MAX_MESSAGE);
	rc = scan_message(d, bytes, len, e);
	if (rc)
		return rc;
	pool.left = len * MEMORY_PER_BYTE + MEMORY_FIXED;
	if (pool.left > MEMORY_MAX)
		pool.left = MEMORY_MAX;
	m = protobuf_c_message_unpack(d, &allocator, len, bytes);
	/* wire_free finds the blocks through the message's address. */
	if (!m || (void *)m != (void *)(pool.first + 1)) {
		blocks_free(pool.first);
		return err_set(e, ERR_PROTOCOL, PHASE_RPC,
		    "bad message: %s does not decode or needs more than its share of memory",
		    d->short_name);
	}
	*ret_message = m;
	return 0;
}

void wire_free(ProtobufCMessage *m)
{
	if (m)
		blocks_free((struct block *)(void *)m - 1);
}

int wire_pack_into(uint8_t *buf, size_t len, const ProtobufCMessage *m, struct err *e)
{
	protobuf_c_message_pack(m, buf);
	return scan_message(m->descriptor, buf, len, e);
}

int wire_pack(struct strbuf *out, const ProtobufCMessage *m, struct err *e)
{
	size_t size = protobuf_c_message_get_packed_size(m);
	bool failed = out->failed;
	char *buf = size <= WIRE_MAX_MESSAGE ? strbuf_reserve(out, size) : NULL;
	int rc;

	if (!buf) {
		out->failed = failed;
		err_set(e, ERR_TOO_LARGE, PHASE_RPC, "the message %s has %zu bytes, over the limit",
		    m->descriptor->short_name, size);
		err_fix(e, "ask for less at once; the limit of one message is %u bytes",
		    WIRE_MAX_MESSAGE);
		return ERR_TOO_LARGE;
	}
	rc = wire_pack_into((uint8_t *)buf, size, m, e);
	if (rc)
		*buf = 0;
	else {
		out->len += size;
		out->data[out->len] = 0;
	}
	return rc;
}

void wire_error_from_err(Nlq__Error *out, const struct err *e)
{
	nlq__error__init(out);
	out->code = (uint32_t) - (int)e->code;
	out->phase = e->phase;
	out->text = (char *)e->text;
	out->fix = e->fix[0] ? (char *)e->fix : NULL;
	out->has_line = e->line > 0;
	out->line = e->line;
	out->has_column = e->column > 0;
	out->column = e->column;
	out->has_retry = e->retry;
	out->retry = e->retry;
	out->has_retries_left = e->retries_left > 0;
	out->retries_left = e->retries_left;
	out->has_details_omitted = e->details_omitted;
	out->details_omitted = e->details_omitted;
}

void wire_error_to_err(struct err *out, const Nlq__Error *m)
{
	bool known = m->code > 0 && m->code <= INT32_MAX && err_code_known(-(int)m->code);
	bool known_phase = m->phase <= INT32_MAX && err_phase_known((int)m->phase);

	err_set(out, known ? (enum err_code) - (int)m->code : ERR_INTERNAL,
	    known_phase ? (enum err_phase)m->phase : PHASE_NONE, "%s", m->text);
	if (m->fix && m->fix[0])
		err_fix(out, "%s", m->fix);
	out->line = m->line;
	out->column = m->column;
	out->retry = m->retry;
	out->retries_left = m->retries_left;
	out->details_omitted = m->details_omitted;
}

/*
 * The only caller of protobuf-c's pack. A decoded message
 * lives in a chain of blocks, so freeing it is a few free() calls whatever its
 * shape, and the cap on its memory is exact.
 */
#include "common/wire/wire.h"

#include "common/wire/decode.h"
#include "common/wire/scan.h"

/* Legitimate worst case: a Value of 4 bytes becomes 112 bytes and a pointer, 30 for
 * each; half as much again for blocks that are not full. */
#define MEMORY_PER_BYTE 48
#define MEMORY_FIXED (64u * 1024)
#define MEMORY_MAX (64u * 1024 * 1024)

int wire_unpack(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len,
    ProtobufCMessage **ret_message, struct err *e)
{
	struct decode_pool pool = {0};
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
	m = decode_message(&pool, d, bytes, len);
	if (!m) {
		decode_pool_free(&pool);
		return err_set(e, ERR_PROTOCOL, PHASE_RPC,
		    "bad message: %s needs more than its share of memory", d->short_name);
	}
	*ret_message = m;
	return 0;
}

void wire_free(ProtobufCMessage *m)
{
	decode_free(m);
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

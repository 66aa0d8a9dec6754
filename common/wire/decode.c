/*
 * Two passes over one message's fields: the first counts the elements of its
 * lists, the second fills them in. What is nested is stepped over in the first
 * and decoded in the second, so every byte is read at most twice for each level
 * that it is below, and those are few.
 */
#include "common/wire/decode.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16
#define FIRST_BLOCK 1024
#define FIELDS_MAX 64 /* scan_message refuses messages with more */

struct decode_block {
	struct decode_block *next;
	size_t used, cap;
	size_t pad;
};
_Static_assert(sizeof(struct decode_block) % ALIGNMENT == 0, "blocks keep the alignment");

/* --- memory ------------------------------------------------------------------- */

static struct decode_block *grow(struct decode_pool *p, size_t size)
{
	size_t cap = p->last ? p->last->cap * 2 : FIRST_BLOCK;
	struct decode_block *b;

	if (cap < size)
		cap = size;
	if (cap > p->left)
		cap = p->left;
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return NULL;
	*b = (struct decode_block){.cap = cap};
	p->left -= cap;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = b;
	return b;
}

static void *take(struct decode_pool *p, size_t size, size_t alignment)
{
	struct decode_block *b = p->last;
	size_t at = b ? (b->used + alignment - 1) / alignment * alignment : 0;

	if (!b || at > b->cap || b->cap - at < size) {
		if (size > p->left)
			return NULL;
		b = grow(p, size);
		if (!b)
			return NULL;
		at = 0;
	}
	b->used = at + size;
	return (char *)(b + 1) + at;
}

static void blocks_free(struct decode_block *b)
{
	while (b) {
		struct decode_block *next = b->next;

		free(b);
		b = next;
	}
}

void decode_pool_free(struct decode_pool *p)
{
	blocks_free(p->first);
	*p = (struct decode_pool){0};
}

void decode_free(ProtobufCMessage *m)
{
	if (m)
		blocks_free((struct decode_block *)(void *)m - 1);
}

/* --- bytes -------------------------------------------------------------------- */

static uint64_t read_varint(const uint8_t **p)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*p)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
}

static void step_over(const uint8_t **p, uint64_t tag)
{
	switch (tag & 7) {
	case PROTOBUF_C_WIRE_TYPE_VARINT: read_varint(p); break;
	case PROTOBUF_C_WIRE_TYPE_64BIT: *p += 8; break;
	case PROTOBUF_C_WIRE_TYPE_32BIT: *p += 4; break;
	default: {
		uint64_t len = read_varint(p);

		*p += len;
	}
	}
}

/* Fields come in the order of their numbers, mostly: look from `hint` on. */
static unsigned field_index(const ProtobufCMessageDescriptor *d, uint64_t number, unsigned hint)
{
	for (unsigned i = hint; i < d->n_fields; i++)
		if (d->fields[i].id == number)
			return i;
	return (unsigned)(protobuf_c_message_descriptor_get_field(d, (unsigned)number) - d->fields);
}

/* --- values ------------------------------------------------------------------- */

static size_t element_size(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE: return 8;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
	default: return 4;
	}
}

static uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

static void put_varint(const ProtobufCFieldDescriptor *f, uint64_t v, void *to)
{
	uint32_t narrow;
	protobuf_c_boolean yes;

	switch (f->type) {
	case PROTOBUF_C_TYPE_SINT64: v = unzigzag(v); /* fall through */
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64: memcpy(to, &v, 8); break;
	case PROTOBUF_C_TYPE_BOOL:
		yes = v != 0;
		memcpy(to, &yes, sizeof(yes));
		break;
	case PROTOBUF_C_TYPE_SINT32: v = unzigzag(v); /* fall through */
	default: narrow = (uint32_t)v; memcpy(to, &narrow, 4);
	}
}

/* The value at *p, as the member at `to`; false: no memory. */
static bool put_value(
    struct decode_pool *pool, const ProtobufCFieldDescriptor *f, const uint8_t **p, void *to)
{
	size_t len;
	void *made;

	switch (f->type) {
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FLOAT:
		memcpy(to, *p, 4);
		*p += 4;
		return true;
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		memcpy(to, *p, 8);
		*p += 8;
		return true;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
	case PROTOBUF_C_TYPE_MESSAGE: break;
	default: put_varint(f, read_varint(p), to); return true;
	}
	len = (size_t)read_varint(p);
	if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
		made = decode_message(pool, f->descriptor, *p, len);
	} else {
		made = take(pool, len + 1, 1);
		if (made) {
			memcpy(made, *p, len);
			((char *)made)[len] = '\0';
		}
	}
	*p += len;
	if (f->type == PROTOBUF_C_TYPE_BYTES)
		*(ProtobufCBinaryData *)to = (ProtobufCBinaryData){len, made};
	else
		*(void **)to = made;
	return made != NULL;
}

static bool make_lists(
    struct decode_pool *pool, const ProtobufCMessageDescriptor *d, char *m, const uint32_t *counts)
{
	for (unsigned i = 0; i < d->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &d->fields[i];
		void *list;

		if (f->label != PROTOBUF_C_LABEL_REPEATED || !counts[i])
			continue;
		list = take(pool, counts[i] * element_size(f->type), ALIGNMENT);
		if (!list)
			return false;
		*(void **)(void *)(m + f->offset) = list;
	}
	return true;
}

/* True if there is a list; counts has its elements then. */
static bool count_lists(
    const ProtobufCMessageDescriptor *d, const uint8_t *p, const uint8_t *end, uint32_t *counts)
{
	unsigned at = 0;
	bool any = false;

	for (unsigned i = 0; i < d->n_fields && !any; i++)
		any = d->fields[i].label == PROTOBUF_C_LABEL_REPEATED;
	if (!any)
		return false;
	memset(counts, 0, d->n_fields * sizeof(*counts));
	while (p < end) {
		uint64_t tag = read_varint(&p);

		at = field_index(d, tag >> 3, at);
		counts[at]++;
		step_over(&p, tag);
	}
	return true;
}

static bool fill(struct decode_pool *pool, const ProtobufCMessageDescriptor *d, char *m,
    const uint8_t *p, const uint8_t *end)
{
	unsigned at = 0;

	while (p < end) {
		const ProtobufCFieldDescriptor *f;
		void *to;

		at = field_index(d, read_varint(&p) >> 3, at);
		f = &d->fields[at];
		to = m + f->offset;
		if (f->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t *n = (size_t *)(void *)(m + f->quantifier_offset);

			to = *(char **)to + (*n)++ * element_size(f->type);
		} else if (f->label == PROTOBUF_C_LABEL_OPTIONAL && f->quantifier_offset) {
			*(protobuf_c_boolean *)(void *)(m + f->quantifier_offset) = 1;
		}
		if (!put_value(pool, f, &p, to))
			return false;
	}
	return true;
}

ProtobufCMessage *decode_message(
    struct decode_pool *pool, const ProtobufCMessageDescriptor *d, const uint8_t *bytes, size_t len)
{
	uint32_t counts[FIELDS_MAX];
	char *m = take(pool, d->sizeof_message, ALIGNMENT);

	if (!m)
		return NULL;
	d->message_init((ProtobufCMessage *)(void *)m);
	if (count_lists(d, bytes, bytes + len, counts) && !make_lists(pool, d, m, counts))
		return NULL;
	return fill(pool, d, m, bytes, bytes + len) ? (ProtobufCMessage *)(void *)m : NULL;
}

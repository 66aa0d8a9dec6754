/*
 * One pass over the bytes, recursive by message type; no type is recursive, so
 * the stack is bounded by SCAN_MAX_DEPTH small frames. Allocates nothing.
 */
#include "common/wire/scan.h"

#include <math.h>
#include <string.h>

#include "common/base/utf8.h"

struct scan {
	size_t n_fields;
	struct err *e;
};

struct cursor {
	const uint8_t *p, *end;
};

static int refuse(
    struct scan *s, const ProtobufCMessageDescriptor *d, const char *field, const char *what)
{
	return err_set(
	    s->e, ERR_PROTOCOL, PHASE_RPC, "bad message: %s.%s %s", d->short_name, field, what);
}

/* The shortest form of a value only, at most 64 bits. */
static inline bool read_varint(struct cursor *c, uint64_t *ret_value)
{
	uint64_t v = 0;

	if (c->p < c->end && *c->p < 0x80) {
		*ret_value = *c->p++;
		return true;
	}
	for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		if (shift == 63 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			if (byte == 0 && shift > 0)
				return false;
			*ret_value = v;
			return true;
		}
	}
	return false;
}

static unsigned wire_type_of(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FLOAT: return PROTOBUF_C_WIRE_TYPE_32BIT;
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE: return PROTOBUF_C_WIRE_TYPE_64BIT;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
	case PROTOBUF_C_TYPE_MESSAGE: return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
	default: return PROTOBUF_C_WIRE_TYPE_VARINT;
	}
}

/* Whether the varint is a value that the field's type can hold. */
static bool varint_fits(const ProtobufCFieldDescriptor *f, uint64_t v)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_BOOL: return v <= 1;
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_SINT32: return v <= UINT32_MAX;
	case PROTOBUF_C_TYPE_INT32: return v <= INT32_MAX || v >= (uint64_t)INT32_MIN;
	case PROTOBUF_C_TYPE_ENUM:
		return v <= INT32_MAX &&
		    protobuf_c_enum_descriptor_get_value(f->descriptor, (int)v);
	default: return true;
	}
}

static bool is_nan(ProtobufCType type, const uint8_t *p)
{
	float f;
	double d;

	if (type == PROTOBUF_C_TYPE_FLOAT) {
		memcpy(&f, p, sizeof(f));
		return isnan(f);
	}
	if (type == PROTOBUF_C_TYPE_DOUBLE) {
		memcpy(&d, p, sizeof(d));
		return isnan(d);
	}
	return false;
}

static int scan_fields(
    struct scan *s, const ProtobufCMessageDescriptor *d, struct cursor c, unsigned depth);

static int scan_length_prefixed(struct scan *s, const ProtobufCMessageDescriptor *d,
    const ProtobufCFieldDescriptor *f, struct cursor *c, unsigned depth)
{
	struct cursor inner;
	uint64_t len;
	size_t plain = 0;

	if (!read_varint(c, &len) || len > (size_t)(c->end - c->p))
		return refuse(s, d, f->name, "is cut off");
	inner.p = c->p;
	inner.end = c->p + len;
	c->p += len;
	if (f->type == PROTOBUF_C_TYPE_MESSAGE)
		return scan_fields(s, f->descriptor, inner, depth + 1);
	if (f->type == PROTOBUF_C_TYPE_STRING) {
		if (memchr(inner.p, 0, len))
			return refuse(s, d, f->name, "has a NUL byte");
		while (plain < len && inner.p[plain] < 0x80)
			plain++;
		if (plain < len && !utf8_valid((const char *)inner.p + plain, len - plain))
			return refuse(s, d, f->name, "is not UTF-8");
	}
	return 0;
}

static int scan_value(struct scan *s, const ProtobufCMessageDescriptor *d,
    const ProtobufCFieldDescriptor *f, struct cursor *c, unsigned depth)
{
	unsigned type = wire_type_of(f->type);
	size_t width = type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 8;
	uint64_t v;

	if (type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
		return scan_length_prefixed(s, d, f, c, depth);
	if (type == PROTOBUF_C_WIRE_TYPE_VARINT) {
		if (!read_varint(c, &v))
			return refuse(s, d, f->name, "is cut off");
		return varint_fits(f, v) ? 0 : refuse(s, d, f->name, "is out of range");
	}
	if ((size_t)(c->end - c->p) < width)
		return refuse(s, d, f->name, "is cut off");
	if (is_nan(f->type, c->p))
		return refuse(s, d, f->name, "is not a number");
	c->p += width;
	return 0;
}

static int check_required(struct scan *s, const ProtobufCMessageDescriptor *d, uint64_t seen)
{
	for (unsigned i = 0; i < d->n_fields; i++)
		if (d->fields[i].label == PROTOBUF_C_LABEL_REQUIRED && !(seen & (1ull << i)))
			return refuse(s, d, d->fields[i].name, "is missing");
	return 0;
}

/* Fields come in the order of their numbers, mostly: look from the last one on. */
static const ProtobufCFieldDescriptor *find_field(
    const ProtobufCMessageDescriptor *d, const ProtobufCFieldDescriptor *last, unsigned number)
{
	for (; last < d->fields + d->n_fields && last->id <= number; last++)
		if (last->id == number)
			return last;
	return protobuf_c_message_descriptor_get_field(d, number);
}

static int scan_fields(
    struct scan *s, const ProtobufCMessageDescriptor *d, struct cursor c, unsigned depth)
{
	const ProtobufCFieldDescriptor *f = d->fields;
	uint64_t seen = 0; /* a unit test holds every message to 64 fields */

	if (depth > SCAN_MAX_DEPTH || d->n_fields > 64)
		return refuse(s, d, "*", "is nested too deep");
	while (c.p < c.end) {
		uint64_t tag, bit;
		int rc;

		if (++s->n_fields > SCAN_MAX_FIELDS)
			return refuse(s, d, "*", "has too many fields");
		if (!read_varint(&c, &tag) || tag > UINT32_MAX)
			return refuse(s, d, "*", "has a broken tag");
		f = find_field(d, f, (unsigned)(tag >> 3));
		if (!f)
			return refuse(s, d, "*", "has an unknown field");
		if ((tag & 7) != wire_type_of(f->type))
			return refuse(s, d, f->name, "has the wrong wire type");
		bit = 1ull << (f - d->fields);
		if (f->label != PROTOBUF_C_LABEL_REPEATED && (seen & bit))
			return refuse(s, d, f->name, "appears twice");
		seen |= bit;
		rc = scan_value(s, d, f, &c, depth);
		if (rc)
			return rc;
	}
	return check_required(s, d, seen);
}

int scan_message(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len, struct err *e)
{
	struct scan s = {0, e};
	struct cursor c = {bytes, (const uint8_t *)bytes + len};

	return scan_fields(&s, d, c, 0);
}

/* Steps over one field's value. */
static bool skip_value(struct cursor *c, unsigned wire_type)
{
	uint64_t v, skip = 0;

	if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)
		return read_varint(c, &v);
	if (wire_type == PROTOBUF_C_WIRE_TYPE_32BIT)
		skip = 4;
	else if (wire_type == PROTOBUF_C_WIRE_TYPE_64BIT)
		skip = 8;
	else if (wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED || !read_varint(c, &skip))
		return false;
	if (skip > (size_t)(c->end - c->p))
		return false;
	c->p += skip;
	return true;
}

bool scan_ends_with(
    const void *bytes, size_t len, unsigned field, size_t *ret_before, size_t *ret_start)
{
	const uint8_t *begin = bytes;
	struct cursor c = {begin, begin + len};

	while (c.p < c.end) {
		const uint8_t *at = c.p;
		uint64_t tag, size;

		if (!read_varint(&c, &tag))
			return false;
		if (tag == (field << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)) {
			if (!read_varint(&c, &size) || size != (size_t)(c.end - c.p))
				return false;
			*ret_before = (size_t)(at - begin);
			*ret_start = (size_t)(c.p - begin);
			return true;
		}
		if (!skip_value(&c, tag & 7))
			return false;
	}
	return false;
}

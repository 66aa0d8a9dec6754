/* Result sets as protobuf, with all cells packed into one bytes field. */
#include "common/model/pb_result.h"

#include <string.h>

#include "common/base/utf8.h"
#include "common/model/pb_util.h"

#define MAX_CELLS_BYTES (4u * 1024 * 1024)

static void put_varint(struct strbuf *out, uint64_t v)
{
	while (v >= 0x80) {
		strbuf_putc(out, (char)(v | 0x80));
		v >>= 7;
	}
	strbuf_putc(out, (char)v);
}

void pb_cell_pack(struct strbuf *out, const struct value *v)
{
	uint64_t bits = 0;
	strbuf_putc(out, (char)v->type);
	switch (v->type) {
	case VALUE_NULL: break;
	case VALUE_INT: put_varint(out, ((uint64_t)v->i << 1) ^ (uint64_t)(v->i >> 63)); break;
	case VALUE_REAL:
		memcpy(&bits, &v->r, sizeof(bits));
		for (int i = 0; i < 8; i++) {
			strbuf_putc(out, (char)(bits >> (8 * i)));
		}
		break;
	case VALUE_TEXT:
	case VALUE_BLOB:
		put_varint(out, v->len);
		strbuf_add(out, v->text, v->len);
		break;
	}
}

/* Shortest form only: a value has one encoding. */
static int get_varint(const uint8_t *bytes, size_t len, size_t *pos, uint64_t *ret_value)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 70 && *pos < len; shift += 7) {
		uint8_t b = bytes[(*pos)++];
		if (shift == 63 && b > 1) {
			return -1;
		}
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*ret_value = v;
			return b || !shift ? 0 : -1;
		}
	}
	return -1;
}

static int get_bytes(
    struct arena *a, const uint8_t *bytes, size_t len, size_t *pos, struct value *v, struct err *e)
{
	uint64_t n;
	if (get_varint(bytes, len, pos, &n) < 0 || n > len - *pos) {
		return pb_bad(e, "a cell is cut short");
	}
	v->len = (size_t)n;
	v->text = arena_strndup(a, (const char *)bytes + *pos, v->len);
	*pos += v->len;
	if (v->type == VALUE_TEXT && !utf8_valid(v->text, v->len)) {
		return pb_bad(e, "a text cell is not UTF-8");
	}
	return 0;
}

int pb_cell_unpack(struct arena *a, const uint8_t *bytes, size_t len, size_t *pos,
    struct value *ret_value, struct err *e)
{
	struct value v = {.type = VALUE_NULL};
	uint64_t bits = 0;
	if (*pos >= len) {
		return pb_bad(e, "a cell is missing");
	}
	if (bytes[*pos] > VALUE_BLOB) {
		return pb_bad(e, "a cell has an unknown type");
	}
	v.type = bytes[(*pos)++];
	switch (v.type) {
	case VALUE_NULL: break;
	case VALUE_INT:
		if (get_varint(bytes, len, pos, &bits) < 0) {
			return pb_bad(e, "an integer cell is broken");
		}
		v.i = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
		break;
	case VALUE_REAL:
		if (len - *pos < 8) {
			return pb_bad(e, "a cell is cut short");
		}
		for (int i = 0; i < 8; i++) {
			bits |= (uint64_t)bytes[(*pos)++] << (8 * i);
		}
		memcpy(&v.r, &bits, sizeof(bits));
		break;
	case VALUE_TEXT:
	case VALUE_BLOB: {
		int r = get_bytes(a, bytes, len, pos, &v, e);
		if (r < 0) {
			return r;
		}
		break;
	}
	}
	*ret_value = v;
	return 0;
}

static Nlq__ResultColumn *column_message(struct arena *a, const struct result_column *c)
{
	Nlq__ResultColumn *m = arena_new(a, Nlq__ResultColumn);
	nlq__result_column__init(m);
	m->name = pb_text(c->name);
	m->type = pb_optional_text(c->type);
	m->table = pb_optional_text(c->table);
	m->column = pb_optional_text(c->column);
	return m;
}

Nlq__ResultSet *pb_result_message(struct arena *a, const struct resultset *r)
{
	Nlq__ResultSet *m = arena_new(a, Nlq__ResultSet);
	struct strbuf cells;

	nlq__result_set__init(m);
	m->n_columns = r->n_columns;
	m->columns = arena_new_array(a, r->n_columns, Nlq__ResultColumn *);
	for (size_t i = 0; i < r->n_columns; i++) {
		m->columns[i] = column_message(a, &r->columns[i]);
	}
	strbuf_init(&cells, MAX_CELLS_BYTES);
	for (size_t i = 0; i < r->n_rows * r->n_columns; i++) {
		pb_cell_pack(&cells, &r->cells[i]);
	}
	/* What is over the maximum is refused by wire_pack as too large: the bytes
	 * that did fit never go out as if they were all. */
	m->cells.len = cells.failed ? MAX_CELLS_BYTES + 1 : cells.len;
	m->cells.data = arena_alloc(a, m->cells.len);
	memcpy(m->cells.data, cells.data, cells.len);
	strbuf_done(&cells);
	m->n_rows = r->n_rows;
	m->has_truncated = m->truncated = r->truncated;
	m->sql_shown = pb_text(r->sql_shown);
	m->sql_run = pb_text(r->sql_run);
	m->data_version.data = (uint8_t *)r->data_version.bytes;
	m->data_version.len = HASH_LEN;
	m->digest.data = (uint8_t *)r->digest.bytes;
	m->digest.len = HASH_LEN;
	m->has_opcodes = m->has_full_scan_steps = m->has_sorts = m->has_elapsed_us = true;
	m->opcodes = r->stats.opcodes;
	m->full_scan_steps = r->stats.full_scan_steps;
	m->sorts = r->stats.sorts;
	m->elapsed_us = r->stats.elapsed_us;
	return m;
}

static int read_cells(struct resultset *r, const ProtobufCBinaryData *cells, struct err *e)
{
	/* A cell takes a byte at least, which bounds the product. */
	if (r->n_columns == 0 ? r->n_rows > 0 : r->n_rows > cells->len / r->n_columns) {
		return pb_bad(e, "a result has fewer cells than it says");
	}
	size_t n = r->n_rows * r->n_columns, pos = 0;
	r->cells = arena_new_array(&r->arena, n, struct value);
	for (size_t i = 0; i < n; i++) {
		int rc = pb_cell_unpack(&r->arena, cells->data, cells->len, &pos, &r->cells[i], e);
		if (rc < 0) {
			return rc;
		}
	}
	return pos == cells->len ? 0 : pb_bad(e, "a result has more cells than it says");
}

int pb_result_read(const Nlq__ResultSet *m, struct resultset **ret_result, struct err *e)
{
	struct resultset *r = resultset_new();
	struct hash digest;
	int rc;
	if (m->data_version.len != HASH_LEN || m->digest.len != HASH_LEN ||
	    m->n_columns > PB_MAX_COLUMNS || m->n_rows > MAX_CELLS_BYTES) {
		rc = pb_bad(e, "a result is out of range");
		goto out;
	}
	r->n_columns = m->n_columns;
	r->columns = arena_new_array(&r->arena, m->n_columns, struct result_column);
	for (size_t i = 0; i < m->n_columns; i++) {
		const Nlq__ResultColumn *c = m->columns[i];
		r->columns[i].name = pb_copy(&r->arena, c->name);
		r->columns[i].type = pb_copy(&r->arena, c->type);
		r->columns[i].table = pb_copy(&r->arena, c->table);
		r->columns[i].column = pb_copy(&r->arena, c->column);
	}
	r->n_rows = (size_t)m->n_rows;
	r->truncated = m->truncated;
	r->sql_shown = pb_copy(&r->arena, m->sql_shown);
	r->sql_run = pb_copy(&r->arena, m->sql_run);
	memcpy(r->data_version.bytes, m->data_version.data, HASH_LEN);
	memcpy(r->digest.bytes, m->digest.data, HASH_LEN);
	r->stats = (struct result_stats){.opcodes = m->opcodes,
	    .full_scan_steps = m->full_scan_steps,
	    .sorts = m->sorts,
	    .elapsed_us = m->elapsed_us};
	rc = read_cells(r, &m->cells, e);
	if (rc < 0) {
		goto out;
	}
	resultset_digest(r, &digest);
	if (!hash_equal(&digest, &r->digest)) {
		rc = pb_bad(e, "a result does not have its digest");
		goto out;
	}
	*ret_result = r;
	r = NULL;
out:
	resultset_free(r);
	return rc;
}

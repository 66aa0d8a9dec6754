/* Result sets: life cycle, cells, digest. */
#include "common/model/resultset.h"

#include <stdlib.h>
#include <string.h>

struct resultset *resultset_new(void)
{
	struct resultset *r = calloc(1, sizeof(*r));
	if (!r) {
		abort(); /* as arena_alloc: out of memory ends the process */
	}
	arena_init(&r->arena);
	r->sql_shown = "";
	r->sql_run = "";
	return r;
}

void resultset_free(struct resultset *r)
{
	if (!r) {
		return;
	}
	arena_done(&r->arena);
	free(r);
}

const struct value *resultset_cell(const struct resultset *r, size_t row, size_t column)
{
	return &r->cells[row * r->n_columns + column];
}

static void digest_value(struct hash_ctx *c, const struct value *v)
{
	uint8_t type = (uint8_t)v->type;
	hash_field(c, &type, 1);
	switch (v->type) {
	case VALUE_NULL: break;
	case VALUE_INT: hash_field(c, &v->i, sizeof(v->i)); break;
	case VALUE_REAL: hash_field(c, &v->r, sizeof(v->r)); break;
	case VALUE_TEXT:
	case VALUE_BLOB: hash_field(c, v->text, v->len); break;
	}
}

void resultset_digest(const struct resultset *r, struct hash *ret_hash)
{
	struct hash_ctx c;
	hash_begin(&c);
	uint64_t shape[2] = {r->n_columns, r->n_rows};
	hash_field(&c, shape, sizeof(shape));
	for (size_t i = 0; i < r->n_columns; i++) {
		hash_field(&c, r->columns[i].name, strlen(r->columns[i].name));
	}
	for (size_t i = 0; i < r->n_rows * r->n_columns; i++) {
		digest_value(&c, &r->cells[i]);
	}
	hash_end(&c, ret_hash);
}

/* Values and catalogs as protobuf. */
#include "common/model/pb_catalog.h"

#include <string.h>

#include "common/base/utf8.h"
#include "common/model/pb_util.h"
#include "common/wire/wire.h"

Nlq__Value *pb_value_message(struct arena *a, const struct value *v)
{
	Nlq__Value *m = arena_new(a, Nlq__Value);
	nlq__value__init(m);
	switch (v->type) {
	case VALUE_NULL: break;
	case VALUE_INT:
		m->has_i = true;
		m->i = v->i;
		break;
	case VALUE_REAL:
		m->has_r = true;
		m->r = v->r;
		break;
	case VALUE_TEXT:
		m->has_text = true;
		m->text.data = (uint8_t *)v->text;
		m->text.len = v->len;
		break;
	case VALUE_BLOB:
		m->has_blob = true;
		m->blob.data = (uint8_t *)v->text;
		m->blob.len = v->len;
		break;
	}
	return m;
}

int pb_value_read(struct arena *a, const Nlq__Value *m, struct value *ret_value, struct err *e)
{
	struct value v = {.type = VALUE_NULL};
	if (m && m->has_i + m->has_r + m->has_text + m->has_blob > 1) {
		return pb_bad(e, "a value has two types");
	}
	if (m && m->has_i) {
		v.type = VALUE_INT;
		v.i = m->i;
	} else if (m && m->has_r) {
		v.type = VALUE_REAL;
		v.r = m->r;
	} else if (m && m->has_text) {
		if (!utf8_valid((const char *)m->text.data, m->text.len)) {
			return pb_bad(e, "a text value is not UTF-8");
		}
		v.type = VALUE_TEXT;
		v.text = arena_strndup(a, (const char *)m->text.data, m->text.len);
		v.len = m->text.len;
	} else if (m && m->has_blob) {
		v.type = VALUE_BLOB;
		v.text = arena_memdup(a, m->blob.data, m->blob.len);
		v.len = m->blob.len;
	}
	*ret_value = v;
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static Nlq__Value **value_messages(struct arena *a, const struct value *v, size_t n)
{
	Nlq__Value **out = arena_new_array(a, n, Nlq__Value *);
	for (size_t i = 0; i < n; i++) {
		out[i] = pb_value_message(a, &v[i]);
	}
	return out;
}

/* The samples of a column with a domain are its first values: not sent twice. */
static bool begins_with_samples(const struct catalog_column *c)
{
	if (c->n_samples == 0 || c->n_samples > c->n_domain) {
		return false;
	}
	for (size_t i = 0; i < c->n_samples; i++) {
		if (c->domain[i].type != c->samples[i].type ||
		    !value_equal(&c->domain[i], &c->samples[i])) {
			return false;
		}
	}
	return true;
}

static Nlq__CatalogColumn *column_message(struct arena *a, const struct catalog_column *c)
{
	Nlq__CatalogColumn *m = arena_new(a, Nlq__CatalogColumn);
	nlq__catalog_column__init(m);
	m->name = pb_text(c->name);
	m->decl_type = pb_text(c->decl_type);
	m->affinity = c->affinity;
	m->has_not_null = m->not_null = c->not_null;
	m->has_pk_position = c->pk_position > 0;
	m->pk_position = (uint32_t)c->pk_position;
	m->has_is_unique = m->is_unique = c->is_unique;
	m->has_n_distinct = c->n_distinct >= 0;
	m->n_distinct = c->n_distinct;
	m->has_n_null = c->n_null >= 0;
	m->n_null = c->n_null;
	if (c->has_range) {
		m->min = pb_value_message(a, &c->min);
		m->max = pb_value_message(a, &c->max);
	}
	m->n_domain = c->n_domain;
	m->domain = value_messages(a, c->domain, c->n_domain);
	m->has_domain_complete = m->domain_complete = c->domain_complete;
	m->has_n_samples_of_domain = begins_with_samples(c);
	if (m->has_n_samples_of_domain) {
		m->n_samples_of_domain = (uint32_t)c->n_samples;
	} else {
		m->n_samples = c->n_samples;
		m->samples = value_messages(a, c->samples, c->n_samples);
	}
	m->has_sensitivity = c->sensitivity != SENSITIVITY_NONE;
	m->sensitivity = c->sensitivity;
	return m;
}

static Nlq__CatalogTable *table_message(struct arena *a, const struct catalog_table *t)
{
	Nlq__CatalogTable *m = arena_new(a, Nlq__CatalogTable);
	nlq__catalog_table__init(m);
	m->name = pb_text(t->name);
	m->kind = t->kind;
	m->has_n_rows = t->n_rows >= 0;
	m->n_rows = t->n_rows;
	m->n_columns = t->n_columns;
	m->columns = arena_new_array(a, t->n_columns, Nlq__CatalogColumn *);
	for (size_t i = 0; i < t->n_columns; i++) {
		m->columns[i] = column_message(a, &t->columns[i]);
	}
	m->n_pk = t->n_pk;
	m->pk = t->pk;
	m->n_unique_keys = t->n_unique_keys;
	m->unique_keys = arena_new_array(a, t->n_unique_keys, Nlq__CatalogKey *);
	for (size_t i = 0; i < t->n_unique_keys; i++) {
		Nlq__CatalogKey *k = arena_new(a, Nlq__CatalogKey);
		nlq__catalog_key__init(k);
		k->n_columns = t->unique_keys[i].n_columns;
		k->columns = t->unique_keys[i].columns;
		m->unique_keys[i] = k;
	}
	return m;
}

static Nlq__CatalogRelation *relation_message(struct arena *a, const struct catalog_relation *r)
{
	Nlq__CatalogRelation *m = arena_new(a, Nlq__CatalogRelation);
	nlq__catalog_relation__init(m);
	m->from_table = r->from_table;
	m->to_table = r->to_table;
	m->n_from_columns = m->n_to_columns = r->n_columns;
	m->from_columns = r->from_columns;
	m->to_columns = r->to_columns;
	m->cardinality = r->cardinality;
	m->origin = r->origin;
	m->evidence = pb_optional_text(r->evidence);
	return m;
}

Nlq__Catalog *pb_catalog_message(struct arena *a, const struct catalog *c)
{
	Nlq__Catalog *m = arena_new(a, Nlq__Catalog);
	nlq__catalog__init(m);
	m->source = pb_text(c->source);
	m->engine = pb_text(c->engine);
	m->schema = pb_text(c->schema);
	m->data_version.data = (uint8_t *)c->data_version.bytes;
	m->data_version.len = HASH_LEN;
	m->n_tables = c->n_tables;
	m->tables = arena_new_array(a, c->n_tables, Nlq__CatalogTable *);
	for (size_t i = 0; i < c->n_tables; i++) {
		m->tables[i] = table_message(a, &c->tables[i]);
	}
	m->n_relations = c->n_relations;
	m->relations = arena_new_array(a, c->n_relations, Nlq__CatalogRelation *);
	for (size_t i = 0; i < c->n_relations; i++) {
		m->relations[i] = relation_message(a, &c->relations[i]);
	}
	m->has_profile_cut = m->profile_cut = c->profile_cut;
	return m;
}

int pb_catalog_pack(struct strbuf *out, const struct catalog *c, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = wire_pack(out, &pb_catalog_message(&a, c)->base, e);
	arena_done(&a);
	return r;
}

/* --- reading ----------------------------------------------------------------- */

static int read_values(
    struct arena *a, Nlq__Value *const *m, size_t n, struct value **ret_values, struct err *e)
{
	struct value *v = arena_new_array(a, n, struct value);
	for (size_t i = 0; i < n; i++) {
		int r = pb_value_read(a, m[i], &v[i], e);
		if (r < 0) {
			return r;
		}
	}
	*ret_values = v;
	return 0;
}

static int read_column(
    struct arena *a, const Nlq__CatalogColumn *m, struct catalog_column *c, struct err *e)
{
	if (m->affinity > AFFINITY_REAL || m->sensitivity > SENSITIVITY_SECRET ||
	    !m->min != !m->max || m->pk_position > PB_MAX_COLUMNS ||
	    m->n_samples_of_domain > m->n_domain || (m->n_samples_of_domain && m->n_samples)) {
		return pb_bad(e, "a column of the catalog is out of range");
	}
	c->name = arena_strdup(a, m->name);
	c->decl_type = arena_strdup(a, m->decl_type);
	c->affinity = m->affinity;
	c->not_null = m->not_null;
	c->pk_position = (int)m->pk_position;
	c->is_unique = m->is_unique;
	c->n_distinct = m->has_n_distinct ? m->n_distinct : -1;
	c->n_null = m->has_n_null ? m->n_null : -1;
	c->has_range = m->min != NULL;
	c->n_domain = m->n_domain;
	c->domain_complete = m->domain_complete;
	c->n_samples = m->n_samples_of_domain ? m->n_samples_of_domain : m->n_samples;
	c->sensitivity = m->sensitivity;
	int r = 0;
	if (c->has_range) {
		r = pb_value_read(a, m->min, &c->min, e);
		r = r < 0 ? r : pb_value_read(a, m->max, &c->max, e);
	}
	r = r < 0 ? r : read_values(a, m->domain, m->n_domain, &c->domain, e);
	if (r == 0 && m->n_samples_of_domain) {
		c->samples = c->domain;
		return 0;
	}
	return r < 0 ? r : read_values(a, m->samples, m->n_samples, &c->samples, e);
}

/* A list of column indexes of a table with n_columns columns. */
static int read_indexes(struct arena *a, const uint32_t *in, size_t n, size_t n_columns,
    uint32_t **ret_indexes, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i] >= n_columns) {
			return pb_bad(e, "a key of the catalog names no column");
		}
	}
	*ret_indexes = arena_memdup(a, in, n * sizeof(*in));
	return 0;
}

static int read_table(
    struct arena *a, const Nlq__CatalogTable *m, struct catalog_table *t, struct err *e)
{
	if (m->kind > CATALOG_VIEW || m->n_columns > PB_MAX_COLUMNS) {
		return pb_bad(e, "a table of the catalog is out of range");
	}
	t->name = arena_strdup(a, m->name);
	t->kind = m->kind;
	t->n_rows = m->has_n_rows ? m->n_rows : -1;
	t->n_columns = m->n_columns;
	t->columns = arena_new_array(a, m->n_columns, struct catalog_column);
	for (size_t i = 0; i < m->n_columns; i++) {
		int r = read_column(a, m->columns[i], &t->columns[i], e);
		if (r < 0) {
			return r;
		}
	}
	int r = read_indexes(a, m->pk, m->n_pk, m->n_columns, &t->pk, e);
	t->n_pk = m->n_pk;
	t->n_unique_keys = m->n_unique_keys;
	t->unique_keys = arena_new_array(a, m->n_unique_keys, struct catalog_key);
	for (size_t i = 0; r == 0 && i < m->n_unique_keys; i++) {
		const Nlq__CatalogKey *k = m->unique_keys[i];
		t->unique_keys[i].n_columns = k->n_columns;
		r = read_indexes(
		    a, k->columns, k->n_columns, m->n_columns, &t->unique_keys[i].columns, e);
	}
	return r;
}

static int read_relation(
    struct catalog *c, const Nlq__CatalogRelation *m, struct catalog_relation *x, struct err *e)
{
	if (m->from_table >= c->n_tables || m->to_table >= c->n_tables ||
	    m->n_from_columns != m->n_to_columns || !m->n_from_columns ||
	    m->cardinality > CARDINALITY_MANY_TO_MANY || m->origin > RELATION_MODEL) {
		return pb_bad(e, "a relation of the catalog is out of range");
	}
	x->from_table = m->from_table;
	x->to_table = m->to_table;
	x->n_columns = m->n_from_columns;
	x->cardinality = m->cardinality;
	x->origin = m->origin;
	x->evidence = arena_strdup(&c->arena, m->evidence ? m->evidence : "");
	int r = read_indexes(&c->arena, m->from_columns, x->n_columns,
	    c->tables[x->from_table].n_columns, &x->from_columns, e);
	return r < 0 ? r
	             : read_indexes(&c->arena, m->to_columns, x->n_columns,
	                   c->tables[x->to_table].n_columns, &x->to_columns, e);
}

int pb_catalog_read(const Nlq__Catalog *m, struct catalog **ret_catalog, struct err *e)
{
	struct catalog *c = catalog_new();
	int r = 0;
	if (m->data_version.len != HASH_LEN) {
		r = pb_bad(e, "a catalog has no data version");
		goto out;
	}
	memcpy(c->data_version.bytes, m->data_version.data, HASH_LEN);
	c->source = arena_strdup(&c->arena, m->source);
	c->engine = arena_strdup(&c->arena, m->engine);
	c->schema = arena_strdup(&c->arena, m->schema);
	c->profile_cut = m->profile_cut;
	c->n_tables = m->n_tables;
	c->tables = arena_new_array(&c->arena, m->n_tables, struct catalog_table);
	for (size_t i = 0; r == 0 && i < m->n_tables; i++) {
		r = read_table(&c->arena, m->tables[i], &c->tables[i], e);
	}
	c->n_relations = m->n_relations;
	c->relations = arena_new_array(&c->arena, m->n_relations, struct catalog_relation);
	for (size_t i = 0; r == 0 && i < m->n_relations; i++) {
		r = read_relation(c, m->relations[i], &c->relations[i], e);
	}
	if (r == 0) {
		*ret_catalog = c;
		c = NULL;
	}
out:
	catalog_free(c);
	return r;
}

int pb_catalog_unpack(const void *bytes, size_t len, struct catalog **ret_catalog, struct err *e)
{
	ProtobufCMessage *m = NULL;
	int r = wire_unpack(&nlq__catalog__descriptor, bytes, len, &m, e);
	if (r == 0) {
		r = pb_catalog_read((const Nlq__Catalog *)m, ret_catalog, e);
	}
	wire_free(m);
	return r;
}

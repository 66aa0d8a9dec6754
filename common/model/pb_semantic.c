/* The semantic model as protobuf. */
#include "common/model/pb_semantic.h"

#include "common/model/pb_util.h"
#include "common/wire/wire.h"

/* --- writing ----------------------------------------------------------------- */

static Nlq__SemanticField *field_message(struct arena *a, const struct semantic_field *f)
{
	Nlq__SemanticField *m = arena_new(a, Nlq__SemanticField);
	nlq__semantic_field__init(m);
	m->name = pb_text(f->name);
	m->label = pb_optional_text(f->label);
	m->description = pb_optional_text(f->description);
	m->n_synonyms = f->synonyms.n;
	m->synonyms = (char **)f->synonyms.items;
	m->unit = pb_optional_text(f->unit);
	m->unit_column = pb_optional_text(f->unit_column);
	m->n_domain = f->n_domain;
	m->domain = arena_new_array(a, f->n_domain, Nlq__SemanticValue *);
	for (size_t i = 0; i < f->n_domain; i++) {
		Nlq__SemanticValue *v = arena_new(a, Nlq__SemanticValue);
		nlq__semantic_value__init(v);
		v->value = pb_text(f->domain[i].value);
		v->label = pb_optional_text(f->domain[i].label);
		v->n_synonyms = f->domain[i].synonyms.n;
		v->synonyms = (char **)f->domain[i].synonyms.items;
		m->domain[i] = v;
	}
	m->n_samples = f->samples.n;
	m->samples = (char **)f->samples.items;
	m->null_means = pb_optional_text(f->null_means);
	m->time = pb_optional_text(f->time);
	m->has_sensitivity = f->sensitivity != SENSITIVITY_NONE;
	m->sensitivity = f->sensitivity;
	m->has_is_display = m->is_display = f->is_display;
	m->file = pb_optional_text(f->file);
	m->has_line = f->line != 0;
	m->line = f->line;
	return m;
}

static Nlq__SemanticDataset *dataset_message(struct arena *a, const struct semantic_dataset *d)
{
	Nlq__SemanticDataset *m = arena_new(a, Nlq__SemanticDataset);
	nlq__semantic_dataset__init(m);
	m->name = pb_text(d->name);
	m->source = pb_text(d->source);
	m->label = pb_optional_text(d->label);
	m->description = pb_optional_text(d->description);
	m->n_synonyms = d->synonyms.n;
	m->synonyms = (char **)d->synonyms.items;
	m->has_status = d->status != SEMANTIC_ACTIVE;
	m->status = d->status;
	m->use_instead = pb_optional_text(d->use_instead);
	m->n_primary_key = d->primary_key.n;
	m->primary_key = (char **)d->primary_key.items;
	m->n_unique_keys = d->n_unique_keys;
	m->unique_keys = arena_new_array(a, d->n_unique_keys, Nlq__NameList *);
	for (size_t i = 0; i < d->n_unique_keys; i++) {
		Nlq__NameList *k = arena_new(a, Nlq__NameList);
		nlq__name_list__init(k);
		k->n_items = d->unique_keys[i].n;
		k->items = (char **)d->unique_keys[i].items;
		m->unique_keys[i] = k;
	}
	m->default_filter = pb_optional_text(d->default_filter);
	m->n_not_for = d->not_for.n;
	m->not_for = (char **)d->not_for.items;
	m->n_fields = d->n_fields;
	m->fields = arena_new_array(a, d->n_fields, Nlq__SemanticField *);
	for (size_t i = 0; i < d->n_fields; i++) {
		m->fields[i] = field_message(a, &d->fields[i]);
	}
	m->file = pb_optional_text(d->file);
	m->has_line = d->line != 0;
	m->line = d->line;
	return m;
}

static Nlq__SemanticRelationship *relationship_message(
    struct arena *a, const struct semantic_relationship *r)
{
	Nlq__SemanticRelationship *m = arena_new(a, Nlq__SemanticRelationship);
	nlq__semantic_relationship__init(m);
	m->name = pb_text(r->name);
	m->from = pb_text(r->from);
	m->to = pb_text(r->to);
	m->n_from_columns = r->from_columns.n;
	m->from_columns = (char **)r->from_columns.items;
	m->n_to_columns = r->to_columns.n;
	m->to_columns = (char **)r->to_columns.items;
	m->file = pb_optional_text(r->file);
	m->has_line = r->line != 0;
	m->line = r->line;
	return m;
}

static Nlq__SemanticMetric *metric_message(struct arena *a, const struct semantic_metric *x)
{
	Nlq__SemanticMetric *m = arena_new(a, Nlq__SemanticMetric);
	nlq__semantic_metric__init(m);
	m->name = pb_text(x->name);
	m->label = pb_optional_text(x->label);
	m->description = pb_optional_text(x->description);
	m->n_synonyms = x->synonyms.n;
	m->synonyms = (char **)x->synonyms.items;
	m->expression = pb_text(x->expression);
	m->unit = pb_optional_text(x->unit);
	m->file = pb_optional_text(x->file);
	m->has_line = x->line != 0;
	m->line = x->line;
	return m;
}

static Nlq__SemanticTerm *term_message(struct arena *a, const struct semantic_term *t)
{
	Nlq__SemanticTerm *m = arena_new(a, Nlq__SemanticTerm);
	nlq__semantic_term__init(m);
	m->term = pb_text(t->term);
	m->n_synonyms = t->synonyms.n;
	m->synonyms = (char **)t->synonyms.items;
	m->target = pb_optional_text(t->target);
	m->aggregate = pb_optional_text(t->aggregate);
	m->window_column = pb_optional_text(t->window_column);
	m->window_length = pb_optional_text(t->window_length);
	m->note = pb_optional_text(t->note);
	m->n_variants = t->n_variants;
	m->variants = arena_new_array(a, t->n_variants, Nlq__SemanticVariant *);
	for (size_t i = 0; i < t->n_variants; i++) {
		Nlq__SemanticVariant *v = arena_new(a, Nlq__SemanticVariant);
		nlq__semantic_variant__init(v);
		v->target = pb_text(t->variants[i].target);
		v->scope = pb_optional_text(t->variants[i].scope);
		v->n_words = t->variants[i].words.n;
		v->words = (char **)t->variants[i].words.items;
		v->note = pb_optional_text(t->variants[i].note);
		m->variants[i] = v;
	}
	m->precedence = pb_optional_text(t->precedence);
	m->has_hot = m->hot = t->hot;
	m->file = pb_optional_text(t->file);
	m->has_line = t->line != 0;
	m->line = t->line;
	return m;
}

static Nlq__SemanticVerified *verified_message(struct arena *a, const struct semantic_verified *v)
{
	Nlq__SemanticVerified *m = arena_new(a, Nlq__SemanticVerified);
	nlq__semantic_verified__init(m);
	m->question = pb_text(v->question);
	m->sql = pb_text(v->sql);
	m->file = pb_optional_text(v->file);
	m->has_line = v->line != 0;
	m->line = v->line;
	return m;
}

/* One list of the model, each item by its own function. */
#define WRITE_LIST(list, type, fn)                                        \
	do {                                                              \
		m->n_##list = s->n_##list;                                \
		m->list = arena_new_array(a, s->n_##list, Nlq__##type *); \
		for (size_t i = 0; i < s->n_##list; i++) {                \
			m->list[i] = fn(a, &s->list[i]);                  \
		}                                                         \
	} while (0)

Nlq__Semantic *pb_semantic_message(struct arena *a, const struct semantic *s)
{
	Nlq__Semantic *m = arena_new(a, Nlq__Semantic);
	nlq__semantic__init(m);
	m->name = pb_optional_text(s->name);
	m->description = pb_optional_text(s->description);
	WRITE_LIST(datasets, SemanticDataset, dataset_message);
	WRITE_LIST(relationships, SemanticRelationship, relationship_message);
	WRITE_LIST(metrics, SemanticMetric, metric_message);
	WRITE_LIST(terms, SemanticTerm, term_message);
	WRITE_LIST(verified, SemanticVerified, verified_message);
	return m;
}

int pb_semantic_pack(struct strbuf *out, const struct semantic *s, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = wire_pack(out, &pb_semantic_message(&a, s)->base, e);
	arena_done(&a);
	return r;
}

/* --- reading ------------------------------------------------------------------ */

static int read_field(
    struct arena *a, const Nlq__SemanticField *m, struct semantic_field *f, struct err *e)
{
	if (m->sensitivity > SENSITIVITY_SECRET) {
		return pb_bad(e, "a field of the semantic model is out of range");
	}
	f->name = pb_copy(a, m->name);
	f->label = pb_copy(a, m->label);
	f->description = pb_copy(a, m->description);
	f->synonyms = pb_copy_names(a, m->synonyms, m->n_synonyms);
	f->unit = pb_copy(a, m->unit);
	f->unit_column = pb_copy(a, m->unit_column);
	f->n_domain = m->n_domain;
	f->domain = arena_new_array(a, m->n_domain, struct semantic_value);
	for (size_t i = 0; i < m->n_domain; i++) {
		const Nlq__SemanticValue *v = m->domain[i];
		f->domain[i].value = pb_copy(a, v->value);
		f->domain[i].label = pb_copy(a, v->label);
		f->domain[i].synonyms = pb_copy_names(a, v->synonyms, v->n_synonyms);
	}
	f->samples = pb_copy_names(a, m->samples, m->n_samples);
	f->null_means = pb_copy(a, m->null_means);
	f->time = pb_copy(a, m->time);
	f->sensitivity = m->sensitivity;
	f->is_display = m->is_display;
	f->file = pb_copy(a, m->file);
	f->line = m->line;
	return 0;
}

static int read_dataset(
    struct arena *a, const Nlq__SemanticDataset *m, struct semantic_dataset *d, struct err *e)
{
	if (m->status > SEMANTIC_TRAP) {
		return pb_bad(e, "a dataset of the semantic model is out of range");
	}
	d->name = pb_copy(a, m->name);
	d->source = pb_copy(a, m->source);
	d->label = pb_copy(a, m->label);
	d->description = pb_copy(a, m->description);
	d->synonyms = pb_copy_names(a, m->synonyms, m->n_synonyms);
	d->status = m->status;
	d->use_instead = pb_copy(a, m->use_instead);
	d->primary_key = pb_copy_names(a, m->primary_key, m->n_primary_key);
	d->n_unique_keys = m->n_unique_keys;
	d->unique_keys = arena_new_array(a, m->n_unique_keys, struct semantic_names);
	for (size_t i = 0; i < m->n_unique_keys; i++) {
		d->unique_keys[i] = pb_copy_names(
		    a, m->unique_keys[i]->items, m->unique_keys[i]->n_items);
	}
	d->default_filter = pb_copy(a, m->default_filter);
	d->not_for = pb_copy_names(a, m->not_for, m->n_not_for);
	d->file = pb_copy(a, m->file);
	d->line = m->line;
	d->n_fields = m->n_fields;
	d->fields = arena_new_array(a, m->n_fields, struct semantic_field);
	int r = 0;
	for (size_t i = 0; r == 0 && i < m->n_fields; i++) {
		r = read_field(a, m->fields[i], &d->fields[i], e);
	}
	return r;
}

static int read_relationship(struct arena *a, const Nlq__SemanticRelationship *m,
    struct semantic_relationship *r, struct err *e)
{
	if (!m->n_from_columns || m->n_from_columns != m->n_to_columns) {
		return pb_bad(e, "a relationship of the semantic model is out of range");
	}
	r->name = pb_copy(a, m->name);
	r->from = pb_copy(a, m->from);
	r->to = pb_copy(a, m->to);
	r->from_columns = pb_copy_names(a, m->from_columns, m->n_from_columns);
	r->to_columns = pb_copy_names(a, m->to_columns, m->n_to_columns);
	r->file = pb_copy(a, m->file);
	r->line = m->line;
	return 0;
}

static int read_metric(
    struct arena *a, const Nlq__SemanticMetric *m, struct semantic_metric *x, struct err *e)
{
	(void)e;
	x->name = pb_copy(a, m->name);
	x->label = pb_copy(a, m->label);
	x->description = pb_copy(a, m->description);
	x->synonyms = pb_copy_names(a, m->synonyms, m->n_synonyms);
	x->expression = pb_copy(a, m->expression);
	x->unit = pb_copy(a, m->unit);
	x->file = pb_copy(a, m->file);
	x->line = m->line;
	return 0;
}

static int read_term(
    struct arena *a, const Nlq__SemanticTerm *m, struct semantic_term *t, struct err *e)
{
	(void)e;
	t->term = pb_copy(a, m->term);
	t->synonyms = pb_copy_names(a, m->synonyms, m->n_synonyms);
	t->target = pb_copy(a, m->target);
	t->aggregate = pb_copy(a, m->aggregate);
	t->window_column = pb_copy(a, m->window_column);
	t->window_length = pb_copy(a, m->window_length);
	t->note = pb_copy(a, m->note);
	t->n_variants = m->n_variants;
	t->variants = arena_new_array(a, m->n_variants, struct semantic_variant);
	for (size_t i = 0; i < m->n_variants; i++) {
		const Nlq__SemanticVariant *v = m->variants[i];
		t->variants[i].target = pb_copy(a, v->target);
		t->variants[i].scope = pb_copy(a, v->scope);
		t->variants[i].words = pb_copy_names(a, v->words, v->n_words);
		t->variants[i].note = pb_copy(a, v->note);
	}
	t->precedence = pb_copy(a, m->precedence);
	t->hot = m->hot;
	t->file = pb_copy(a, m->file);
	t->line = m->line;
	return 0;
}

static int read_verified(
    struct arena *a, const Nlq__SemanticVerified *m, struct semantic_verified *v, struct err *e)
{
	(void)e;
	v->question = pb_copy(a, m->question);
	v->sql = pb_copy(a, m->sql);
	v->file = pb_copy(a, m->file);
	v->line = m->line;
	return 0;
}

#define READ_LIST(list, type, fn)                                               \
	do {                                                                    \
		s->n_##list = m->n_##list;                                      \
		s->list = arena_new_array(&s->arena, m->n_##list, struct type); \
		for (size_t i = 0; r == 0 && i < m->n_##list; i++) {            \
			r = fn(&s->arena, m->list[i], &s->list[i], e);          \
		}                                                               \
	} while (0)

int pb_semantic_read(const Nlq__Semantic *m, struct semantic **ret_model, struct err *e)
{
	struct semantic *s = semantic_new();
	int r = 0;
	s->name = pb_copy(&s->arena, m->name);
	s->description = pb_copy(&s->arena, m->description);
	READ_LIST(datasets, semantic_dataset, read_dataset);
	READ_LIST(relationships, semantic_relationship, read_relationship);
	READ_LIST(metrics, semantic_metric, read_metric);
	READ_LIST(terms, semantic_term, read_term);
	READ_LIST(verified, semantic_verified, read_verified);
	if (r < 0) {
		semantic_free(s);
		return r;
	}
	*ret_model = s;
	return 0;
}

int pb_semantic_unpack(const void *bytes, size_t len, struct semantic **ret_model, struct err *e)
{
	ProtobufCMessage *m = NULL;
	int r = wire_unpack(&nlq__semantic__descriptor, bytes, len, &m, e);
	if (r == 0) {
		r = pb_semantic_read((const Nlq__Semantic *)m, ret_model, e);
	}
	wire_free(m);
	return r;
}

/*
 * The value index: normal forms of the catalog's domains, and of the labels and
 * synonyms that the semantic model gives to single values. Secret columns are
 * left out.
 */
#include <stdlib.h>
#include <string.h>

#include "schema_agent/index.h"

#define VALUE_BYTES_MAX 80
#define PART_POSTINGS_MAX 64
#define PART_BYTES_MIN 3

static void add_parts(struct ground_index *ix, const struct token_list *t, uint32_t id)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct token *k = &t->items[i];

		if (k->kind == TOKEN_CJK) {
			if (i + 1 < t->n && t->items[i + 1].kind == TOKEN_CJK && t->n > 2)
				phrase_map_add(&ix->value_parts,
				    token_phrase(&ix->arena, t, i, i + 2), id, PART_POSTINGS_MAX);
		} else if (k->kind == TOKEN_WORD && t->n > 1 && strlen(k->norm) >= PART_BYTES_MIN) {
			phrase_map_add(&ix->value_parts, k->norm, id, PART_POSTINGS_MAX);
		}
	}
}

static void add_value(struct ground_index *ix, uint32_t table, uint32_t column,
    const struct value *v, const char *text, enum target_how how)
{
	uint32_t id = (uint32_t)ix->n_stored;
	struct stored_value *s;
	struct token_list t;

	if (strlen(text) > VALUE_BYTES_MAX)
		return;
	token_split(&ix->arena, text, false, &t);
	s = arena_push(&ix->arena, ix->stored, ix->n_stored);
	s->table = table;
	s->column = column;
	s->value = v;
	s->how = how;
	s->phrase = token_phrase(&ix->arena, &t, 0, t.n);
	phrase_map_add(&ix->values, s->phrase, id, 0);
	add_parts(ix, &t, id);
}

/* A value that the model names but the domain (cut, or empty) does not have. */
static const struct value *model_value(
    struct ground_index *ix, const struct catalog_column *c, const char *text)
{
	const struct value *found = index_stored_text(c, text);
	struct value *v;
	char *end;

	if (found || c->domain_complete)
		return found;
	v = arena_new(&ix->arena, struct value);
	v->type = VALUE_TEXT;
	v->text = text;
	v->len = strlen(text);
	if (c->affinity == AFFINITY_INTEGER) {
		v->i = strtoll(text, &end, 10);
		if (*text && !*end)
			v->type = VALUE_INT;
	}
	return v;
}

static void add_labels(
    struct ground_index *ix, uint32_t table, uint32_t column, const struct semantic_field *f)
{
	const struct catalog_column *c = &ix->catalog->tables[table].columns[column];
	size_t i, k;

	for (i = 0; f && i < f->n_domain; i++) {
		const struct semantic_value *sv = &f->domain[i];
		const struct value *v = model_value(ix, c, sv->value);

		if (!v)
			continue;
		if (!c->domain_complete && v->type == VALUE_TEXT)
			add_value(ix, table, column, v, sv->value, HOW_STORED);
		if (sv->label && *sv->label)
			add_value(ix, table, column, v, sv->label, HOW_STORED_LABEL);
		for (k = 0; k < sv->synonyms.n; k++)
			add_value(ix, table, column, v, sv->synonyms.items[k], HOW_STORED_LABEL);
	}
}

void index_values_build(struct ground_index *ix)
{
	const struct catalog *c = ix->catalog;
	const struct semantic_field *f;
	uint32_t t, k;
	size_t i;

	for (t = 0; t < c->n_tables; t++)
		for (k = 0; k < c->tables[t].n_columns; k++) {
			const struct catalog_column *col = &c->tables[t].columns[k];

			f = semantic_field_of(ix->semantic, c, t, k);
			if (col->sensitivity == SENSITIVITY_SECRET ||
			    (f && f->sensitivity == SENSITIVITY_SECRET))
				continue;
			for (i = 0; i < col->n_domain; i++)
				if (col->domain[i].type == VALUE_TEXT)
					add_value(ix, t, k, &col->domain[i], col->domain[i].text,
					    HOW_STORED);
			add_labels(ix, t, k, f);
		}
}

/*
 * Builds the index. Word weights of a name: 1.0 content, 0.45 generic (id, name,
 * code ...), 0.2 if it repeats its table's name or is the code of a type, 0.1 for a prefix that (nearly)
 * all columns of the table share.
 */
#include "schema_agent/index.h"

#include <stdlib.h>
#include <string.h>

#include "common/text/lemma.h"
#include "common/text/lexicon.h"
#include "schema_agent/ground.h"

#define WEIGHT_CONTENT 1.0f
#define WEIGHT_GENERIC 0.45f
#define WEIGHT_REPEAT 0.2f
#define WEIGHT_PREFIX 0.1f
#define FACTOR_EXPANDED 0.95f

uint32_t index_word_find(const struct ground_index *ix, const char *text)
{
	uint32_t at = phrase_map_find(&ix->word_ids, text);

	return at ? ix->word_ids.entries[at - 1].payload : TARGET_NONE;
}

static uint32_t word_id(struct ground_index *ix, const char *text)
{
	uint32_t id = index_word_find(ix, text);
	struct index_word *w;
	char stem[LEMMA_MAX];

	if (id != TARGET_NONE)
		return id;
	id = (uint32_t)ix->n_words;
	w = arena_push(&ix->arena, ix->words, ix->n_words);
	w->text = arena_strdup(&ix->arena, text);
	lemma_stem(text, stem);
	w->stem = arena_strdup(&ix->arena, stem);
	phrase_map_add(&ix->word_ids, w->text, id, 0);
	phrase_map_add(&ix->stems, w->stem, id, 0);
	return id;
}

/* What a form is built from. */
struct form_spec {
	enum form_kind kind;
	uint32_t table, column, item;
	enum target_how how;
	const struct name_words *table_words; /* COLUMN: its table's own name */
	const char *shared_prefix;            /* COLUMN: first word that all have; NULL */
};

static bool has_word(const struct name_words *w, const char *word)
{
	size_t i;

	for (i = 0; w && i < w->n; i++)
		if (!strcmp(w->words[i], word))
			return true;
	return false;
}

/* The code of a type_code, the id of a status_id: nobody says it. */
static bool is_silent(const struct name_words *w, size_t i)
{
	static const char *const kinds[] = {"type", "status", "method", "category", "kind", "role"};
	static const char *const marks[] = {"code", "id", "cd"};
	bool kind = false, mark = false;
	size_t k;

	for (k = 0; i > 0 && k < ARRAY_SIZE(kinds); k++)
		kind |= !strcmp(w->words[i - 1], kinds[k]);
	for (k = 0; kind && k < ARRAY_SIZE(marks); k++)
		mark |= !strcmp(w->words[i], marks[k]);
	return mark;
}

static float weight_of(const struct form_spec *s, const struct name_words *w, size_t i)
{
	if (w->n > 1 && (has_word(s->table_words, w->words[i]) || is_silent(w, i)))
		return WEIGHT_REPEAT;
	if (i == 0 && w->n > 1 &&
	    ((s->shared_prefix && !strcmp(s->shared_prefix, w->words[0])) ||
	        (s->kind == FORM_COLUMN && !w->words[0][1] &&
	            (unsigned char)w->words[0][0] >= 'a')))
		return WEIGHT_PREFIX;
	return lexicon_is_generic(w->words[i]) ? WEIGHT_GENERIC : WEIGHT_CONTENT;
}

/* A word that the model says does not mean this dataset. */
static bool is_excluded(struct ground_index *ix, uint32_t table, const char *word)
{
	const struct semantic_dataset *d = table == TARGET_NONE ? NULL : ix->tables[table].dataset;
	char lemma[LEMMA_MAX];
	size_t i;

	for (i = 0; d && i < d->not_for.n; i++) {
		lemma_of(d->not_for.items[i], lemma);
		if (!strcmp(lemma, word) || !strcmp(d->not_for.items[i], word))
			return true;
	}
	return false;
}

static void add_form(
    struct ground_index *ix, const struct form_spec *s, const struct name_words *w, float factor)
{
	uint32_t id = (uint32_t)ix->n_forms, k;
	struct form *f;
	struct word_posting *p;
	size_t i;

	if (!w->n)
		return;
	f = arena_push(&ix->arena, ix->forms, ix->n_forms);
	f->kind = s->kind;
	f->table = s->table;
	f->column = s->column;
	f->item = s->item;
	f->how = s->how;
	f->factor = factor;
	f->is_cjk = w->is_cjk;
	f->phrase = w->phrase;
	f->n_words = (uint32_t)w->n;
	f->words = arena_new_array(&ix->arena, w->n, uint32_t);
	f->weights = arena_new_array(&ix->arena, w->n, float);
	for (i = 0; i < w->n; i++) {
		struct index_word *word;

		k = word_id(ix, w->words[i]);
		word = &ix->words[k];
		f->words[i] = k;
		f->weights[i] = weight_of(s, w, i);
		f->total += f->weights[i];
		if (f->weights[i] <= WEIGHT_REPEAT)
			f->repeat += f->weights[i];
		if (is_excluded(ix, s->table, word->text))
			continue;
		p = arena_push(&ix->arena, word->forms, word->n_forms);
		p->form = id;
		p->weight = f->weights[i];
		if (s->table != TARGET_NONE && word->last_table != s->table + 1) {
			word->last_table = s->table + 1;
			word->n_tables++;
		}
	}
	if (is_excluded(ix, s->table, w->phrase_lemma))
		return;
	phrase_map_add(&ix->names, w->phrase, id, 0);
	phrase_map_add(&ix->names, w->phrase_lemma, id, 0);
	if (w->n > 1 && !w->is_cjk)
		phrase_map_add(&ix->names, w->glued, id, 0);
}

static bool is_known(const char *word, void *arg)
{
	return phrase_map_find(&((struct ground_index *)arg)->known, word) != 0;
}

static bool is_lexicon_word(const char *word, void *arg)
{
	const char *one;

	return is_known(word, arg) || lexicon_is_generic(word) || lexicon_expand(word) ||
	    lexicon_is_relation_verb(word) || lexicon_synonyms(word, &one, 1) > 0;
}

static void add_name(struct ground_index *ix, const struct form_spec *s, const char *name)
{
	struct name_words w, x;
	struct form_spec expanded = *s;

	if (!name || !*name)
		return;
	name_split(&ix->arena, name, is_lexicon_word, ix, &w);
	add_form(ix, s, &w, 1.0f);
	if (s->how == HOW_EXACT && name_expand(&ix->arena, &w, &x)) {
		expanded.how = HOW_SYNONYM;
		add_form(ix, &expanded, &x, FACTOR_EXPANDED);
	}
}

static void add_names(struct ground_index *ix, struct form_spec *s, const char *label,
    const struct semantic_names *synonyms)
{
	size_t i;

	s->how = HOW_LABEL;
	add_name(ix, s, label);
	for (i = 0; i < synonyms->n; i++)
		add_name(ix, s, synonyms->items[i]);
}

static void add_notes(struct ground_index *ix, uint32_t table, const char *text)
{
	struct token_list t;
	size_t i;

	if (!text || !*text)
		return;
	token_split(&ix->arena, text, false, &t);
	for (i = 0; i < t.n; i++) {
		const char *word = t.items[i].lemma;
		struct index_word *w;
		uint32_t id;

		if (t.items[i].kind == TOKEN_CJK) {
			if (i + 1 >= t.n || t.items[i + 1].kind != TOKEN_CJK)
				continue;
			word = token_phrase(&ix->arena, &t, i, i + 2);
		} else if (t.items[i].kind != TOKEN_WORD || lexicon_is_stop(t.items[i].norm)) {
			continue;
		}
		id = word_id(ix, word); /* may move the words */
		w = &ix->words[id];
		if (!w->n_note_tables || w->note_tables[w->n_note_tables - 1] != table)
			*arena_push(&ix->arena, w->note_tables, w->n_note_tables) = table;
	}
}

/* Words of names, so that "airportname" can be cut. */
static void collect_known(struct ground_index *ix)
{
	const struct catalog *c = ix->catalog;
	struct name_words w;
	size_t t, k, i;

	for (t = 0; t < c->n_tables; t++)
		for (k = 0; k <= c->tables[t].n_columns; k++) {
			name_split(&ix->arena,
			    k ? c->tables[t].columns[k - 1].name : c->tables[t].name, NULL, NULL,
			    &w);
			for (i = 0; i < w.n && (w.n > 1 || k == 0); i++)
				if (!w.is_cjk && strlen(w.words[i]) >= 3)
					phrase_map_add(&ix->known, w.words[i], 0, 1);
		}
}

/* First word that at least four of five columns (and three) share; NULL if none. */
static const char *shared_prefix(struct ground_index *ix, const struct catalog_table *t)
{
	struct name_words w;
	const char *first = NULL;
	size_t i, n = 0;

	for (i = 0; i < t->n_columns; i++) {
		name_split(&ix->arena, t->columns[i].name, NULL, NULL, &w);
		if (w.n < 2 || w.is_cjk)
			continue;
		if (!first)
			first = w.words[0];
		n += !strcmp(first, w.words[0]);
	}
	return n >= 3 && n * 5 >= t->n_columns * 4 ? first : NULL;
}

static void add_table(struct ground_index *ix, uint32_t t)
{
	const struct catalog_table *table = &ix->catalog->tables[t];
	const struct semantic_dataset *d = semantic_dataset_of(ix->semantic, ix->catalog, t);
	const struct semantic_field *f;
	struct form_spec s = {FORM_TABLE, t, TARGET_NONE, TARGET_NONE, HOW_EXACT, NULL, NULL};
	struct name_words own;
	uint32_t k;

	ix->tables[t].dataset = d;
	ix->tables[t].offered = !d || d->status == SEMANTIC_ACTIVE;
	add_name(ix, &s, table->name);
	if (d) {
		add_names(ix, &s, d->label, &d->synonyms);
		add_notes(ix, t, d->description);
	}
	name_split(&ix->arena, table->name, is_lexicon_word, ix, &own);
	s.kind = FORM_COLUMN;
	s.table_words = &own;
	s.shared_prefix = shared_prefix(ix, table);
	for (k = 0; k < table->n_columns; k++) {
		const struct catalog_column *col = &table->columns[k];

		s.column = k;
		s.how = HOW_EXACT;
		add_name(ix, &s, col->name);
		f = semantic_field_of(ix->semantic, ix->catalog, t, k);
		if (f) {
			add_names(ix, &s, f->label, &f->synonyms);
			add_notes(ix, t, f->description);
		}
		if (col->affinity == AFFINITY_TEXT && !col->domain_complete)
			ix->tables[t].has_incomplete_text = true;
	}
}

static void add_model_items(struct ground_index *ix)
{
	const struct semantic *m = ix->semantic;
	struct form_spec s = {FORM_METRIC, TARGET_NONE, TARGET_NONE, 0, HOW_EXACT, NULL, NULL};
	size_t i;

	for (i = 0; m && i < m->n_metrics; i++) {
		s.item = (uint32_t)i;
		s.how = HOW_EXACT;
		add_name(ix, &s, m->metrics[i].name);
		add_names(ix, &s, m->metrics[i].label, &m->metrics[i].synonyms);
	}
	s.kind = FORM_TERM;
	for (i = 0; m && i < m->n_terms; i++) {
		s.item = (uint32_t)i;
		add_names(ix, &s, m->terms[i].term, &m->terms[i].synonyms);
	}
}

static void add_vectors(struct ground_index *ix)
{
	const struct catalog *c = ix->catalog;
	struct name_words w;
	size_t t, k, i;

	ix->vectors = vector_space_new(&ix->arena, c->n_tables);
	for (t = 0; t < c->n_tables; t++) {
		const struct semantic_dataset *d = ix->tables[t].dataset;

		for (k = 0; k <= c->tables[t].n_columns; k++) {
			name_split(&ix->arena,
			    k ? c->tables[t].columns[k - 1].name : c->tables[t].name,
			    is_lexicon_word, ix, &w);
			for (i = 0; i < w.n && !w.is_cjk; i++)
				if (!is_excluded(ix, (uint32_t)t, w.words[i]))
					vector_add(ix->vectors, t, w.words[i], k ? 1.0f : 3.0f);
			if (w.is_cjk)
				vector_add(ix->vectors, t, w.phrase, k ? 1.0f : 3.0f);
		}
		if (!d)
			continue;
		vector_add(ix->vectors, t, d->label, 3.0f);
		vector_add(ix->vectors, t, d->description, 1.0f);
		for (i = 0; i < d->synonyms.n; i++)
			vector_add(ix->vectors, t, d->synonyms.items[i], 2.0f);
		for (k = 0; k < d->n_fields; k++) {
			vector_add(ix->vectors, t, d->fields[k].label, 1.0f);
			vector_add(ix->vectors, t, d->fields[k].description, 0.5f);
			for (i = 0; i < d->fields[k].synonyms.n; i++)
				vector_add(ix->vectors, t, d->fields[k].synonyms.items[i], 1.0f);
		}
	}
	vector_finish(ix->vectors);
}

struct ground_index *ground_index_new(const struct catalog *c, const struct semantic *s)
{
	struct ground_index *ix = calloc(1, sizeof(*ix));
	uint32_t t;

	if (!ix)
		abort();
	arena_init(&ix->arena);
	ix->catalog = c;
	ix->semantic = s;
	ix->tables = arena_new_array(&ix->arena, c->n_tables, struct table_info);
	phrase_map_init(&ix->word_ids, &ix->arena);
	phrase_map_init(&ix->stems, &ix->arena);
	phrase_map_init(&ix->names, &ix->arena);
	phrase_map_init(&ix->values, &ix->arena);
	phrase_map_init(&ix->value_parts, &ix->arena);
	phrase_map_init(&ix->known, &ix->arena);
	collect_known(ix);
	for (t = 0; t < c->n_tables; t++)
		add_table(ix, t);
	add_model_items(ix);
	index_values_build(ix);
	index_relations_build(ix);
	add_vectors(ix);
	return ix;
}

void ground_index_free(struct ground_index *ix)
{
	if (!ix)
		return;
	arena_done(&ix->arena);
	free(ix);
}

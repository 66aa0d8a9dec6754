/* The semantic model: life cycle, look-ups, and what of it fits a catalog. */
#include "common/model/semantic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 512

struct semantic *semantic_new(void)
{
	struct semantic *s = calloc(1, sizeof(*s));
	if (!s) {
		abort(); /* as arena_alloc: out of memory ends the process */
	}
	arena_init(&s->arena);
	s->name = "";
	s->description = "";
	return s;
}

void semantic_free(struct semantic *s)
{
	if (!s) {
		return;
	}
	arena_done(&s->arena);
	free(s);
}

int semantic_find_dataset(const struct semantic *s, const char *name)
{
	for (size_t i = 0; i < s->n_datasets; i++) {
		if (strcasecmp(s->datasets[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

int semantic_find_metric(const struct semantic *s, const char *name)
{
	for (size_t i = 0; i < s->n_metrics; i++) {
		if (strcasecmp(s->metrics[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

/* The table part of "table", "schema.table" or "source.schema.table"; NULL if
 * the qualifiers are not those of the catalog. A table whose own name has a dot
 * is found by the first comparison of the caller. */
static const char *source_table(const char *source, const struct catalog *c)
{
	const char *dot = strrchr(source, '.');
	if (!dot) {
		return source;
	}
	size_t len = (size_t)(dot - source), schema_len = strlen(c->schema);
	if (len == schema_len && strncasecmp(source, c->schema, len) == 0) {
		return dot + 1;
	}
	size_t source_len = strlen(c->source);
	if (len == source_len + 1 + schema_len && source[source_len] == '.' &&
	    strncasecmp(source, c->source, source_len) == 0 &&
	    strncasecmp(source + source_len + 1, c->schema, schema_len) == 0) {
		return dot + 1;
	}
	return NULL;
}

int semantic_dataset_table(const struct semantic_dataset *d, const struct catalog *c)
{
	int table = catalog_find_table(c, d->source);
	const char *name = table < 0 ? source_table(d->source, c) : NULL;
	return name ? catalog_find_table(c, name) : table;
}

static bool is_for_table(const struct semantic_dataset *d, const struct catalog *c, uint32_t table)
{
	const char *name = c->tables[table].name;
	if (strcasecmp(d->source, name) == 0) {
		return true;
	}
	const char *rest = source_table(d->source, c);
	return rest && strcasecmp(rest, name) == 0;
}

const struct semantic_dataset *semantic_dataset_of(
    const struct semantic *s, const struct catalog *c, uint32_t table)
{
	if (!s || table >= c->n_tables) {
		return NULL;
	}
	for (size_t i = 0; i < s->n_datasets; i++) {
		if (is_for_table(&s->datasets[i], c, table)) {
			return &s->datasets[i];
		}
	}
	return NULL;
}

const struct semantic_field *semantic_field_of(
    const struct semantic *s, const struct catalog *c, uint32_t table, uint32_t column)
{
	const struct semantic_dataset *d = semantic_dataset_of(s, c, table);
	if (!d || column >= c->tables[table].n_columns) {
		return NULL;
	}
	for (size_t i = 0; i < d->n_fields; i++) {
		if (strcasecmp(d->fields[i].name, c->tables[table].columns[column].name) == 0) {
			return &d->fields[i];
		}
	}
	return NULL;
}

/* A column by name, else by the label that the dataset gives it. */
static int find_column(
    const struct semantic_dataset *d, const struct catalog_table *t, const char *name)
{
	int column = catalog_find_column(t, name);
	for (size_t i = 0; d && column < 0 && i < d->n_fields; i++) {
		if (strcasecmp(d->fields[i].label, name) == 0) {
			column = catalog_find_column(t, d->fields[i].name);
		}
	}
	return column;
}

int semantic_resolve(const struct semantic *s, const struct catalog *c, const char *target,
    uint32_t *ret_table, uint32_t *ret_column)
{
	const char *dot = strrchr(target, '.');
	char name[NAME_MAX_BYTES];
	size_t len = dot ? (size_t)(dot - target) : 0;
	if (!len || len >= sizeof(name)) {
		return -1;
	}
	memcpy(name, target, len);
	name[len] = '\0';
	int i = semantic_find_dataset(s, name);
	const struct semantic_dataset *d = i >= 0 ? &s->datasets[i] : NULL;
	int table = d ? semantic_dataset_table(d, c) : catalog_find_table(c, name);
	if (table < 0) {
		return -1;
	}
	int column = find_column(d, &c->tables[table], dot + 1);
	if (column < 0) {
		return -1;
	}
	*ret_table = (uint32_t)table;
	*ret_column = (uint32_t)column;
	return 0;
}

struct check {
	const struct semantic *s;
	const struct catalog *c;
	struct arena *a;
	struct semantic_problem *problems;
	size_t n;
};

static void add_problem(struct check *k, const char *file, uint32_t line, const char *text)
{
	struct semantic_problem *p = arena_push(k->a, k->problems, k->n);
	p->file = file;
	p->line = line;
	p->text = text;
}

static void check_column(struct check *k, const struct semantic_dataset *d,
    const struct catalog_table *t, const char *what, const char *name, uint32_t line)
{
	if (catalog_find_column(t, name) < 0) {
		add_problem(k, d->file, line,
		    arena_printf(k->a, "%s: table %s has no column %s", what, t->name, name));
	}
}

static void check_dataset(struct check *k, const struct semantic_dataset *d)
{
	int table = semantic_dataset_table(d, k->c);
	if (table < 0) {
		add_problem(k, d->file, d->line,
		    arena_printf(k->a, "dataset %s: there is no table %s", d->name, d->source));
		return;
	}
	const struct catalog_table *t = &k->c->tables[table];
	for (size_t i = 0; i < d->n_fields; i++) {
		const struct semantic_field *f = &d->fields[i];
		check_column(k, d, t, "field", f->name, f->line);
		if (f->unit_column[0]) {
			check_column(k, d, t, "unit_column", f->unit_column, f->line);
		}
	}
	for (size_t i = 0; i < d->primary_key.n; i++) {
		check_column(k, d, t, "primary_key", d->primary_key.items[i], d->line);
	}
	for (size_t i = 0; i < d->n_unique_keys; i++) {
		for (size_t j = 0; j < d->unique_keys[i].n; j++) {
			check_column(k, d, t, "unique_keys", d->unique_keys[i].items[j], d->line);
		}
	}
	if (d->use_instead[0] && semantic_find_dataset(k->s, d->use_instead) < 0 &&
	    catalog_find_table(k->c, d->use_instead) < 0) {
		add_problem(k, d->file, d->line,
		    arena_printf(k->a, "dataset %s: use_instead names no dataset: %s", d->name,
		        d->use_instead));
	}
}

/* One end of a relationship: its dataset and all its columns must exist. */
static void check_end(struct check *k, const struct semantic_relationship *r, const char *dataset,
    const struct semantic_names *columns)
{
	int i = semantic_find_dataset(k->s, dataset);
	const struct semantic_dataset *d = i >= 0 ? &k->s->datasets[i] : NULL;
	int table = d ? semantic_dataset_table(d, k->c) : catalog_find_table(k->c, dataset);
	if (table < 0) {
		add_problem(k, r->file, r->line,
		    arena_printf(
		        k->a, "relationship %s: there is no dataset %s", r->name, dataset));
		return;
	}
	for (size_t j = 0; j < columns->n; j++) {
		if (catalog_find_column(&k->c->tables[table], columns->items[j]) < 0) {
			add_problem(k, r->file, r->line,
			    arena_printf(k->a, "relationship %s: %s has no column %s", r->name,
			        dataset, columns->items[j]));
		}
	}
}

static bool target_resolves(const struct check *k, const char *target)
{
	uint32_t table, column;
	return semantic_find_metric(k->s, target) >= 0 ||
	    semantic_resolve(k->s, k->c, target, &table, &column) == 0;
}

static void check_term(struct check *k, const struct semantic_term *t)
{
	if (t->target[0] && !target_resolves(k, t->target)) {
		add_problem(k, t->file, t->line,
		    arena_printf(
		        k->a, "term %s: target %s is no column or metric", t->term, t->target));
	}
	for (size_t i = 0; i < t->n_variants; i++) {
		if (!target_resolves(k, t->variants[i].target)) {
			add_problem(k, t->file, t->line,
			    arena_printf(k->a, "term %s: target %s is no column or metric", t->term,
			        t->variants[i].target));
		}
	}
	if (t->window_column[0] && !target_resolves(k, t->window_column)) {
		add_problem(k, t->file, t->line,
		    arena_printf(k->a, "term %s: window column %s does not exist", t->term,
		        t->window_column));
	}
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* Every dataset.column of a metric's expression. The expression itself is
 * parsed by the SQL layer above; here only its names are looked up. */
static void check_metric(struct check *k, const struct semantic_metric *m)
{
	const char *p = m->expression;
	char quote = '\0';
	while (*p) {
		if (quote || *p == '\'') {
			quote = *p == '\'' ? (quote ? '\0' : '\'') : quote;
			p++;
			continue;
		}
		const char *end = p;
		while (is_name_byte(*end)) {
			end++;
		}
		if (end == p) {
			p++;
			continue;
		}
		char *word = arena_strndup(k->a, p, (size_t)(end - p));
		uint32_t table, column;
		if (strchr(word, '.') && !isdigit((unsigned char)word[0]) && word[0] != '.' &&
		    semantic_resolve(k->s, k->c, word, &table, &column) < 0) {
			add_problem(k, m->file, m->line,
			    arena_printf(k->a, "metric %s: there is no %s", m->name, word));
		}
		p = end;
	}
}

size_t semantic_check(const struct semantic *s, const struct catalog *c, struct arena *a,
    struct semantic_problem **ret_problems)
{
	struct check k = {.s = s, .c = c, .a = a};
	for (size_t i = 0; i < s->n_datasets; i++) {
		check_dataset(&k, &s->datasets[i]);
	}
	for (size_t i = 0; i < s->n_relationships; i++) {
		const struct semantic_relationship *r = &s->relationships[i];
		check_end(&k, r, r->from, &r->from_columns);
		check_end(&k, r, r->to, &r->to_columns);
	}
	for (size_t i = 0; i < s->n_metrics; i++) {
		check_metric(&k, &s->metrics[i]);
	}
	for (size_t i = 0; i < s->n_terms; i++) {
		check_term(&k, &s->terms[i]);
	}
	*ret_problems = k.problems;
	return k.n;
}

/*
 * Reads a semantic model from a folder of YAML files. What each map may hold is
 * a table of rows {key, kind, place}; whatever is not in the table stops the
 * load with file, line and the nearest key that is known.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/model/semantic_read.h"

#define MAX_FILES 256

static const char *const status_words[] = {"active", "deprecated", "trap", NULL};
static const char *const sensitivity_words[] = {"none", "personal", "secret", NULL};
static const char *const time_words[] = {"year", "quarter", "month", "date", "timestamp", NULL};
static const char *const aggregate_words[] = {
    "count", "count_distinct", "sum", "avg", "min", "max", NULL};

#define TEXT(type, key, member)                                                 \
	{                                                                       \
		key, KEY_TEXT, false, offsetof(struct type, member), NULL, NULL \
	}
#define NEED(type, key, member)                                                \
	{                                                                      \
		key, KEY_TEXT, true, offsetof(struct type, member), NULL, NULL \
	}
#define NAMES(type, key, member)                                                 \
	{                                                                        \
		key, KEY_NAMES, false, offsetof(struct type, member), NULL, NULL \
	}
#define FLAG(type, key, member)                                                 \
	{                                                                       \
		key, KEY_BOOL, false, offsetof(struct type, member), NULL, NULL \
	}
#define CHOICE(type, key, member, list)                                           \
	{                                                                         \
		key, KEY_CHOICE, false, offsetof(struct type, member), list, NULL \
	}
#define WORD(type, key, member, list)                                           \
	{                                                                       \
		key, KEY_WORD, false, offsetof(struct type, member), list, NULL \
	}
#define READ(type, key, member, fn)                                           \
	{                                                                     \
		key, KEY_READ, false, offsetof(struct type, member), NULL, fn \
	}

/* ai_context: {synonyms: [...]}; the target is the item's synonyms. */
static int read_ai_context(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	static const struct semantic_key rows[] = {{"synonyms", KEY_NAMES, false, 0, NULL, NULL}};
	return semantic_read_map(l, n, rows, ARRAY_SIZE(rows), target);
}

/* --- datasets --------------------------------------------------------------- */

static int read_domain(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	static const struct semantic_key rows[] = {
	    NEED(semantic_value, "value", value),
	    TEXT(semantic_value, "label", label),
	    NAMES(semantic_value, "synonyms", synonyms),
	};
	struct semantic_field *f = target;
	int r = semantic_expect_list(l, n);
	for (size_t i = 0; r == 0 && i < n->n; i++) {
		struct semantic_value *v = arena_push(l->a, f->domain, f->n_domain);
		if (n->items[i]->kind == YAML_KIND_MAP) {
			r = semantic_read_map(l, n->items[i], rows, ARRAY_SIZE(rows), v);
		} else {
			v->label = "";
			r = semantic_read_text(l, n->items[i], &v->value);
		}
	}
	return r;
}

static int read_dimension(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	bool is_time = false;
	const struct semantic_key rows[] = {{"is_time", KEY_BOOL, false, 0, NULL, NULL}};
	(void)target; /* `time` says what kind of time it is; is_time is Ossie's weaker word */
	return semantic_read_map(l, n, rows, ARRAY_SIZE(rows), &is_time);
}

/* Ossie separates a field's name from its expression. Only a plain column name
 * is understood: it becomes the name, and the author's name a label. */
static int read_expression(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	struct semantic_field *f = target;
	const char *text = NULL;
	int r = semantic_read_text(l, n, &text);
	if (r < 0) {
		return r;
	}
	if (!text[0] || strpbrk(text, "()+-*/|<>=,'; \t\n")) {
		r = yaml_error(
		    l->e, n, "only the name of a column is allowed as a field's expression");
		err_fix(l->e, "use a metric for what is computed");
		return r;
	}
	if (strcasecmp(text, f->name) != 0) {
		if (!f->label[0]) {
			f->label = f->name;
		} else {
			*arena_push(l->a, f->synonyms.items, f->synonyms.n) = f->name;
		}
		f->name = text;
	}
	return 0;
}

/* Keys are read in file order, so the expression is taken last. */
static int keep_expression(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	(void)target;
	const char *text;
	return semantic_read_text(l, n, &text);
}

static const struct semantic_key field_rows[] = {
    NEED(semantic_field, "name", name),
    READ(semantic_field, "expression", name, keep_expression),
    TEXT(semantic_field, "label", label),
    TEXT(semantic_field, "description", description),
    READ(semantic_field, "ai_context", synonyms, read_ai_context),
    {"dimension", KEY_READ, false, 0, NULL, read_dimension},
    TEXT(semantic_field, "unit", unit),
    TEXT(semantic_field, "unit_column", unit_column),
    {"domain", KEY_READ, false, 0, NULL, read_domain},
    NAMES(semantic_field, "samples", samples),
    TEXT(semantic_field, "null_means", null_means),
    WORD(semantic_field, "time", time, time_words),
    CHOICE(semantic_field, "sensitivity", sensitivity, sensitivity_words),
    FLAG(semantic_field, "display", is_display),
};

static int read_field(
    struct semantic_loader *l, const struct yaml_node *n, struct semantic_dataset *d)
{
	struct semantic_field *f = arena_push(l->a, d->fields, d->n_fields);
	f->file = l->file;
	f->line = n->line;
	int r = semantic_read_map(l, n, field_rows, ARRAY_SIZE(field_rows), f);
	if (r < 0) {
		return r;
	}
	const struct yaml_node *expression = yaml_get(n, "expression");
	if (expression) {
		r = read_expression(l, expression, f);
	}
	if (r == 0 && f->unit[0] && f->unit_column[0]) {
		return yaml_error(l->e, n, "field %s has both unit and unit_column", f->name);
	}
	for (size_t i = 0; r == 0 && i + 1 < d->n_fields; i++) {
		if (strcasecmp(d->fields[i].name, f->name) == 0) {
			return yaml_error(l->e, n, "field %s is there twice (first in line %u)",
			    f->name, d->fields[i].line);
		}
	}
	return r;
}

static int read_fields(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	int r = semantic_expect_list(l, n);
	for (size_t i = 0; r == 0 && i < n->n; i++) {
		r = read_field(l, n->items[i], target);
	}
	return r;
}

static int read_unique_keys(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	struct semantic_dataset *d = target;
	int r = semantic_expect_list(l, n);
	for (size_t i = 0; r == 0 && i < n->n; i++) {
		r = semantic_read_names(
		    l, n->items[i], arena_push(l->a, d->unique_keys, d->n_unique_keys));
	}
	return r;
}

static const struct semantic_key dataset_rows[] = {
    NEED(semantic_dataset, "name", name),
    TEXT(semantic_dataset, "source", source),
    TEXT(semantic_dataset, "label", label),
    TEXT(semantic_dataset, "description", description),
    READ(semantic_dataset, "ai_context", synonyms, read_ai_context),
    CHOICE(semantic_dataset, "status", status, status_words),
    TEXT(semantic_dataset, "use_instead", use_instead),
    NAMES(semantic_dataset, "primary_key", primary_key),
    {"unique_keys", KEY_READ, false, 0, NULL, read_unique_keys},
    TEXT(semantic_dataset, "default_filter", default_filter),
    NAMES(semantic_dataset, "not_for", not_for),
    {"fields", KEY_READ, false, 0, NULL, read_fields},
};

static int read_dataset(struct semantic_loader *l, const struct yaml_node *n)
{
	struct semantic_dataset d = {.file = l->file, .line = n->line};
	int r = semantic_read_map(l, n, dataset_rows, ARRAY_SIZE(dataset_rows), &d);
	if (r < 0) {
		return r;
	}
	int other = semantic_find_dataset(l->s, d.name);
	if (other >= 0) {
		return yaml_error(l->e, n, "dataset %s is there twice (first in %s:%u)", d.name,
		    l->s->datasets[other].file, l->s->datasets[other].line);
	}
	if (!d.source[0]) {
		d.source = d.name;
	}
	*arena_push(l->a, l->s->datasets, l->s->n_datasets) = d;
	return 0;
}

/* --- relationships, metrics, terms, verified questions ------------------------ */

static const struct semantic_key relationship_rows[] = {
    NEED(semantic_relationship, "name", name),
    NEED(semantic_relationship, "from", from),
    NEED(semantic_relationship, "to", to),
    {"from_columns", KEY_NAMES, true, offsetof(struct semantic_relationship, from_columns), NULL,
        NULL},
    {"to_columns", KEY_NAMES, true, offsetof(struct semantic_relationship, to_columns), NULL, NULL},
};

static int read_relationship(struct semantic_loader *l, const struct yaml_node *n)
{
	struct semantic_relationship x = {.file = l->file, .line = n->line};
	int r = semantic_read_map(l, n, relationship_rows, ARRAY_SIZE(relationship_rows), &x);
	if (r < 0) {
		return r;
	}
	if (!x.from_columns.n || x.from_columns.n != x.to_columns.n) {
		return yaml_error(l->e, n,
		    "relationship %s: from_columns and to_columns must have "
		    "the same number of columns",
		    x.name);
	}
	for (size_t i = 0; i < l->s->n_relationships; i++) {
		if (strcasecmp(l->s->relationships[i].name, x.name) == 0) {
			return yaml_error(l->e, n, "relationship %s is there twice", x.name);
		}
	}
	*arena_push(l->a, l->s->relationships, l->s->n_relationships) = x;
	return 0;
}

static const struct semantic_key metric_rows[] = {
    NEED(semantic_metric, "name", name),
    TEXT(semantic_metric, "label", label),
    TEXT(semantic_metric, "description", description),
    READ(semantic_metric, "ai_context", synonyms, read_ai_context),
    NEED(semantic_metric, "expression", expression),
    TEXT(semantic_metric, "unit", unit),
};

static int read_metric(struct semantic_loader *l, const struct yaml_node *n)
{
	struct semantic_metric m = {.file = l->file, .line = n->line};
	int r = semantic_read_map(l, n, metric_rows, ARRAY_SIZE(metric_rows), &m);
	if (r < 0) {
		return r;
	}
	if (semantic_find_metric(l->s, m.name) >= 0) {
		return yaml_error(l->e, n, "metric %s is there twice", m.name);
	}
	*arena_push(l->a, l->s->metrics, l->s->n_metrics) = m;
	return 0;
}

static int read_scope(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	static const struct semantic_key rows[] = {
	    NEED(semantic_variant, "name", scope),
	    NAMES(semantic_variant, "words", words),
	};
	return semantic_read_map(l, n, rows, ARRAY_SIZE(rows), target);
}

static int read_variants(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	static const struct semantic_key rows[] = {
	    NEED(semantic_variant, "target", target),
	    TEXT(semantic_variant, "note", note),
	    {"scope", KEY_READ, false, 0, NULL, read_scope},
	};
	struct semantic_term *t = target;
	int r = semantic_expect_list(l, n);
	for (size_t i = 0; r == 0 && i < n->n; i++) {
		struct semantic_variant *v = arena_push(l->a, t->variants, t->n_variants);
		v->scope = "";
		r = semantic_read_map(l, n->items[i], rows, ARRAY_SIZE(rows), v);
	}
	return r;
}

static int read_window(struct semantic_loader *l, const struct yaml_node *n, void *target)
{
	static const struct semantic_key rows[] = {
	    NEED(semantic_term, "column", window_column),
	    NEED(semantic_term, "length", window_length),
	};
	struct semantic_term *t = target;
	int r = semantic_read_map(l, n, rows, ARRAY_SIZE(rows), t);
	if (r < 0) {
		return r;
	}
	char *end = NULL;
	long length = strtol(t->window_length, &end, 10);
	if (length <= 0 || length > 10000 || !end[0] || end[1] || !strchr("dwmqy", end[0])) {
		return yaml_error(l->e, n,
		    "length must be a number and one of d, w, m, q, y "
		    "(\"30d\"), not \"%s\"",
		    t->window_length);
	}
	return 0;
}

static const struct semantic_key term_rows[] = {
    NEED(semantic_term, "term", term),
    NAMES(semantic_term, "synonyms", synonyms),
    TEXT(semantic_term, "target", target),
    WORD(semantic_term, "aggregate", aggregate, aggregate_words),
    {"window", KEY_READ, false, 0, NULL, read_window},
    TEXT(semantic_term, "note", note),
    {"variants", KEY_READ, false, 0, NULL, read_variants},
    TEXT(semantic_term, "precedence", precedence),
    FLAG(semantic_term, "hot", hot),
};

static int check_precedence(
    struct semantic_loader *l, const struct yaml_node *n, const struct semantic_term *t)
{
	for (size_t i = 0; i < t->n_variants; i++) {
		if (strcmp(t->variants[i].scope, t->precedence) == 0) {
			return 0;
		}
	}
	return yaml_error(l->e, n, "term %s: precedence names no scope of its variants: %s",
	    t->term, t->precedence);
}

static int read_term(struct semantic_loader *l, const struct yaml_node *n)
{
	struct semantic_term t = {
	    .window_column = "", .window_length = "", .file = l->file, .line = n->line};
	int r = semantic_read_map(l, n, term_rows, ARRAY_SIZE(term_rows), &t);
	if (r < 0) {
		return r;
	}
	if (!t.target[0] == !t.n_variants) {
		return yaml_error(l->e, n, "term %s needs either a target or variants", t.term);
	}
	if (t.precedence[0] && check_precedence(l, n, &t) < 0) {
		return ERR_CONFIG;
	}
	for (size_t i = 0; i < l->s->n_terms; i++) {
		if (strcmp(l->s->terms[i].term, t.term) == 0) {
			return yaml_error(l->e, n, "term %s is there twice", t.term);
		}
	}
	*arena_push(l->a, l->s->terms, l->s->n_terms) = t;
	return 0;
}

static const struct semantic_key verified_rows[] = {
    NEED(semantic_verified, "question", question),
    NEED(semantic_verified, "sql", sql),
};

static int read_verified(struct semantic_loader *l, const struct yaml_node *n)
{
	struct semantic_verified v = {.file = l->file, .line = n->line};
	int r = semantic_read_map(l, n, verified_rows, ARRAY_SIZE(verified_rows), &v);
	if (r == 0) {
		*arena_push(l->a, l->s->verified, l->s->n_verified) = v;
	}
	return r;
}

/* --- files ------------------------------------------------------------------- */

static int read_each(struct semantic_loader *l, const struct yaml_node *n,
    int (*read)(struct semantic_loader *, const struct yaml_node *))
{
	int r = semantic_expect_list(l, n);
	for (size_t i = 0; r == 0 && i < n->n; i++) {
		r = read(l, n->items[i]);
	}
	return r;
}

#define SECTION(name)                                                           \
	static int read_section_##name(                                         \
	    struct semantic_loader *l, const struct yaml_node *n, void *target) \
	{                                                                       \
		(void)target;                                                   \
		return read_each(l, n, read_##name);                            \
	}
SECTION(dataset)
SECTION(relationship)
SECTION(metric)
SECTION(term)
SECTION(verified)

static const struct semantic_key root_rows[] = {
    TEXT(semantic, "name", name),
    TEXT(semantic, "description", description),
    {"datasets", KEY_READ, false, 0, NULL, read_section_dataset},
    {"relationships", KEY_READ, false, 0, NULL, read_section_relationship},
    {"metrics", KEY_READ, false, 0, NULL, read_section_metric},
    {"terms", KEY_READ, false, 0, NULL, read_section_term},
    {"verified", KEY_READ, false, 0, NULL, read_section_verified},
};

static int load_file(struct semantic_loader *l, const char *folder, const char *name)
{
	struct yaml_node *root = NULL;
	const char *path = arena_printf(l->a, "%s/%s", folder, name);
	int r = yaml_load(l->a, path, &root, l->e);
	if (r < 0) {
		return r;
	}
	l->file = arena_strdup(l->a, name);
	return semantic_read_map(l, root, root_rows, ARRAY_SIZE(root_rows), l->s);
}

static int is_model_file(const struct dirent *d)
{
	size_t len = strlen(d->d_name);
	return len > 5 && d->d_name[0] != '.' && strcmp(d->d_name + len - 5, ".yaml") == 0;
}

/* Byte order, so that the same folder gives the same model everywhere. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int semantic_load(const char *folder, struct semantic **ret_model, struct err *e)
{
	struct dirent **files = NULL;
	int r, n = scandir(folder, &files, is_model_file, by_name);
	if (n < 0) {
		r = err_set(e, ERR_CONFIG, PHASE_CONFIG,
		    "cannot read the semantic model folder %s: %s", folder, strerror(errno));
		err_fix(e, "give a folder of .yaml files");
		return r;
	}
	struct semantic *s = semantic_new();
	struct semantic_loader l = {.s = s, .a = &s->arena, .e = e};
	if (n == 0 || n > MAX_FILES) {
		r = err_set(e, ERR_CONFIG, PHASE_CONFIG,
		    "%s has %d .yaml files; 1 to %d are expected", folder, n, MAX_FILES);
		goto out;
	}
	r = 0;
	for (int i = 0; r == 0 && i < n; i++) {
		r = load_file(&l, folder, files[i]->d_name);
	}
	if (r == 0) {
		*ret_model = s;
		s = NULL;
	}
out:
	for (int i = 0; i < n; i++) {
		free(files[i]);
	}
	free(files);
	semantic_free(s);
	return r;
}

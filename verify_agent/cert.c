/* The table of checks, and what the families share. */
#include "verify_agent/cert.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "common/text/cue.h"
#include "common/text/lemma.h"

#define DETAIL_MAX_BYTES (16 * 1024)
#define ORIGIN_MAX_DEPTH 32 /* a recursive CTE names itself */

/* The weights say how much less often an answer with such a line is right, as
 * far as that is known today; a later issue fits them to public sets. */
static const struct cert_check checks[] = {
    {"input", cert_check_input, 1.0, false},
    {"context", cert_check_context, 1.0, true},
    {"names", cert_check_names, 1.0, true},
    {"status", cert_check_status, 0.7, true},
    {"words", cert_check_words, 0.9, false},
    {"columns", cert_check_columns, 0.6, true},
    {"joins", cert_check_joins, 0.8, true},
    {"fan_out", cert_check_fan_out, 0.7, true},
    {"literals", cert_check_literals, 0.8, true},
    {"values", cert_check_values, 0.8, true},
    {"quantities", cert_check_quantities, 0.8, true},
    {"units", cert_check_units, 0.8, true},
    {"unit_mix", cert_check_unit_mix, 0.95, false},
    {"metric", cert_check_metric, 0.7, true},
    {"aggregate", cert_check_aggregate, 0.8, true},
    {"counted", cert_check_counted, 0.8, true},
    {"text", cert_check_text, 0.8, false},
    {"beside", cert_check_beside, 0.8, true},
    {"grain", cert_check_grain, 0.8, true},
    {"condition", cert_check_condition, 0.8, true},
    {"constant", cert_check_constant, 0.8, true},
    {"change", cert_check_change, 0.8, true},
    {"whose", cert_check_whose, 0.7, true},
    {"compared", cert_check_compared, 0.8, true},
    {"superlative", cert_check_superlative, 0.8, true},
    {"ties", cert_check_ties, 0.94, false},
    {"grouping", cert_check_grouping, 0.85, true},
    {"distinct", cert_check_distinct, 0.9, true},
    {"repeats", cert_check_repeats, 0.6, true},
    {"negation", cert_check_negation, 0.7, true},
    {"periods", cert_check_periods, 0.8, true},
    {"coverage", cert_check_coverage, 0.9, false},
    {"integer_division", cert_check_division, 0.8, true},
    {"not_in_null", cert_check_not_in, 0.8, true},
    {"subject", cert_check_subject, 0.4, true},
    {"outputs", cert_check_outputs, 1.0, true},
};

void cert_run(struct cert *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		checks[i].run(c, &checks[i]);
	}
}

void cert_open(struct cert *c, const struct verify_step *steps, size_t n_steps)
{
	c->n_steps = n_steps;
	c->steps = arena_new_array(c->a, n_steps, struct cert_step);
	for (size_t i = 0; i < n_steps; i++) {
		struct cert_step *s = &c->steps[i];
		struct sql_select *tree = NULL;
		s->in = &steps[i];
		int r = sql_parse(c->a, &sql_dialect_sqlite, steps[i].sql, strlen(steps[i].sql),
		    &tree, &s->error);
		if (r == 0) {
			r = sql_resolve(c->a, &sql_dialect_sqlite, tree, c->g->catalog, &s->error);
		}
		if (r == 0) {
			s->tree = tree;
			sql_facts(c->a, tree, c->g->catalog, &s->facts);
		}
	}
}

uint32_t cert_roles_of(const struct cert *c, uint32_t table, uint32_t column)
{
	uint32_t roles = 0;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			if (f->columns[j].table == table && f->columns[j].column == column) {
				roles |= f->columns[j].roles;
			}
		}
	}
	return roles;
}

bool cert_is_mentioned(const struct cert *c, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; j < s->n_targets; j++) {
			if (s->targets[j].table == table && s->targets[j].column == column) {
				return true;
			}
		}
	}
	return false;
}

void cert_line(
    struct cert *c, const struct cert_check *k, enum check_verdict verdict, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b, DETAIL_MAX_BYTES);
	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	verdict_line(c->v, k->id, verdict, "%s", b.data);
	strbuf_done(&b);
	if (verdict == CHECK_UNKNOWN) {
		c->confidence *= k->weight;
	}
	if (verdict == CHECK_FAIL && !k->is_mendable) {
		c->is_final = true;
	}
}

void cert_add_name(struct cert *c, struct semantic_names *names, const char *text)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->items[i], text) == 0) {
			return;
		}
	}
	*arena_push(c->a, names->items, names->n) = arena_strdup(c->a, text);
}

const char *cert_join_names(struct cert *c, const struct semantic_names *names, const char *between)
{
	struct strbuf b;
	strbuf_init(&b, DETAIL_MAX_BYTES);
	for (size_t i = 0; i < names->n; i++) {
		strbuf_printf(&b, "%s%s", i ? between : "", names->items[i]);
	}
	const char *text = arena_strndup(c->a, b.data, b.len);
	strbuf_done(&b);
	return text;
}

/* Selects that stand in FROM, nested joins included. */
static void push_from(
    struct cert *c, struct sql_source **from, size_t n, struct sql_select ***list, size_t *n_list)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i]->select) {
			*arena_push(c->a, *list, *n_list) = from[i]->select;
		}
		push_from(c, from[i]->from, from[i]->n_from, list, n_list);
	}
}

struct select_walk {
	struct arena *a;
	struct sql_select **list;
	size_t n;
};

static int push_expression(struct sql_expr *x, void *arg)
{
	struct select_walk *w = arg;
	if (x->select) {
		*arena_push(w->a, w->list, w->n) = x->select;
	}
	return 0;
}

size_t cert_selects(struct cert *c, struct sql_select *root, struct sql_select ***ret_list)
{
	struct select_walk w = {.a = c->a};
	if (!root) {
		return 0;
	}
	*arena_push(c->a, w.list, w.n) = root;
	sql_walk(root, push_expression, &w); /* at every depth */
	for (size_t i = 0; i < w.n; i++) {
		const struct sql_select *s = w.list[i];
		for (size_t j = 0; j < s->n_ctes; j++) {
			*arena_push(c->a, w.list, w.n) = s->ctes[j]->select;
		}
		for (size_t j = 0; j < s->n_cores; j++) {
			const struct sql_core *core = s->cores[j];
			push_from(c, core->from, core->n_from, &w.list, &w.n);
		}
	}
	*ret_list = w.list;
	return w.n;
}

void cert_assume(struct cert *c, const char *text)
{
	cert_add_name(c, &c->v->assumptions, text);
}

void cert_define(struct cert *c, const char *text)
{
	cert_add_name(c, &c->v->definitions, text);
}

void cert_quote(struct cert *c, const char *text)
{
	cert_add_name(c, &c->quotations, text);
}

const char *cert_span_text(const struct cert *c, const struct grounding_span *s)
{
	return arena_strndup(c->a, c->g->question + s->start, s->len);
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80) {
		s++;
	}
	return !*s;
}

/* The first of label, synonyms and name that is written in the question's
 * script; else the name with its underscores as blanks. */
static const char *pick_label(const struct cert *c, const char *label,
    const struct semantic_names *synonyms, const char *name)
{
	if (label[0] && is_ascii(label) == !c->zh) {
		return label;
	}
	for (size_t i = 0; i < synonyms->n; i++) {
		if (is_ascii(synonyms->items[i]) == !c->zh) {
			return synonyms->items[i];
		}
	}
	if (c->zh && label[0]) {
		return label;
	}
	char *plain = arena_strdup(c->a, name);
	for (char *p = plain; *p; p++) {
		*p = *p == '_' ? ' ' : *p;
	}
	return plain;
}

const char *cert_table_label(const struct cert *c, uint32_t table)
{
	const struct semantic_dataset *d = semantic_dataset_of(
	    c->g->semantic, c->g->catalog, table);
	const char *name = c->g->catalog->tables[table].name;
	return d ? pick_label(c, d->label, &d->synonyms, name) : name;
}

const char *cert_column_label(const struct cert *c, uint32_t table, uint32_t column)
{
	static const struct semantic_names none = {NULL, 0};
	const struct semantic_field *f = semantic_field_of(
	    c->g->semantic, c->g->catalog, table, column);
	const char *name = c->g->catalog->tables[table].columns[column].name;
	return pick_label(c, f ? f->label : "", f ? &f->synonyms : &none, name);
}

const struct catalog_column *cert_column(const struct cert *c, uint32_t table, uint32_t column)
{
	if (table >= c->g->catalog->n_tables || column >= c->g->catalog->tables[table].n_columns) {
		return NULL;
	}
	return &c->g->catalog->tables[table].columns[column];
}

const struct sql_expr *cert_inner(const struct sql_expr *x)
{
	if (x->kind != SQL_COLUMN) {
		return NULL;
	}
	if (x->bound.is_output) {
		return x->bound.target;
	}
	const struct sql_source *s = x->bound.source;
	const struct sql_select *inner = NULL;
	if (s && s->kind == SQL_SOURCE_SELECT) {
		inner = s->select;
	} else if (s && s->kind == SQL_SOURCE_CTE && s->cte) {
		inner = s->cte->select;
	}
	if (!inner || x->bound.column < 0 ||
	    (size_t)x->bound.column >= inner->cores[0]->n_outputs) {
		return NULL;
	}
	return inner->cores[0]->outputs[x->bound.column].expr;
}

bool cert_origin(const struct sql_expr *x, uint32_t *ret_table, uint32_t *ret_column)
{
	for (int depth = 0; x && x->kind == SQL_COLUMN && depth < ORIGIN_MAX_DEPTH; depth++) {
		const struct sql_source *s = x->bound.source;
		if (!x->bound.is_output && s && s->kind == SQL_SOURCE_TABLE && s->table >= 0 &&
		    x->bound.column >= 0) {
			*ret_table = (uint32_t)s->table;
			*ret_column = (uint32_t)x->bound.column;
			return true;
		}
		x = cert_inner(x);
	}
	return false;
}

bool cert_literal_decimal(const struct sql_fact_literal *l, struct decimal *ret_decimal)
{
	if (l->expr->kind != SQL_NUMBER && l->expr->kind != SQL_STRING) {
		return false;
	}
	if (!decimal_parse(l->expr->text, ret_decimal)) {
		return false;
	}
	if (l->negative) {
		ret_decimal->digits = -ret_decimal->digits;
	}
	return true;
}

const char *cert_literal_text(const struct cert *c, const struct sql_fact_literal *l)
{
	if (!l->expr->text) {
		return "";
	}
	return l->negative ? arena_printf(c->a, "-%s", l->expr->text) : l->expr->text;
}

bool cert_literal_is(const struct sql_fact_literal *l, const struct value *v)
{
	struct decimal x, y;
	if (l->expr->kind == SQL_STRING && v->type == VALUE_TEXT) {
		return l->expr->text_len == v->len && memcmp(l->expr->text, v->text, v->len) == 0;
	}
	if (!cert_literal_decimal(l, &x)) {
		return false;
	}
	switch (v->type) {
	case VALUE_INT: y = decimal_make(v->i, 0); break;
	case VALUE_REAL:
		if (!decimal_from_double(v->r, &y)) {
			return false;
		}
		break;
	case VALUE_TEXT:
		if (!decimal_parse(v->text, &y)) {
			return false;
		}
		break;
	default: return false;
	}
	return decimal_equal(x, y);
}

const char *cert_value_text(const struct cert *c, const struct value *v)
{
	struct strbuf b;
	strbuf_init(&b, DETAIL_MAX_BYTES);
	value_print(&b, v);
	const char *text = arena_strndup(c->a, b.data, b.len);
	strbuf_done(&b);
	return text;
}

struct decimal cert_quantity_plain(const struct quantity *q)
{
	return decimal_make(q->digits, q->magnitude - q->scale);
}

bool cert_has_cue(const struct cert *c, uint32_t cue)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		if (c->g->spans[i].kind == SPAN_CUE && c->g->spans[i].cue == cue) {
			return true;
		}
	}
	return false;
}

enum sql_op cert_effective_op(const struct sql_fact_literal *l)
{
	if (!l->negated) {
		return l->op;
	}
	switch (l->op) {
	case SQL_OP_LT: return SQL_OP_GE;
	case SQL_OP_LE: return SQL_OP_GT;
	case SQL_OP_GT: return SQL_OP_LE;
	case SQL_OP_GE: return SQL_OP_LT;
	case SQL_OP_EQ: return SQL_OP_NE;
	case SQL_OP_NE: return SQL_OP_EQ;
	default: return l->op;
	}
}

bool cert_has_aggregate(const struct cert *c, const char *a, const char *b)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_aggregates; j++) {
			const char *name = f->aggregates[j].function;
			if (strcmp(name, a) == 0 || (b && strcmp(name, b) == 0)) {
				return true;
			}
		}
	}
	return false;
}

bool cert_uses_column(const struct cert *c, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			if (f->columns[j].table == table && f->columns[j].column == column) {
				return true;
			}
		}
	}
	return false;
}

bool cert_uses_words(const struct cert *c, const struct grounding_span *s)
{
	const char *text = cert_span_text(c, s);
	char word[LEMMA_MAX];
	if (s->len >= LEMMA_MAX) {
		return false;
	}
	char *lower = arena_strdup(c->a, text);
	for (char *p = lower; *p; p++) {
		*p = (char)tolower((unsigned char)*p);
	}
	lemma_of(lower, word);
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			const struct catalog_table *t = &c->g->catalog->tables[f->columns[j].table];
			if (strcasestr(t->columns[f->columns[j].column].name, word)) {
				return true;
			}
		}
	}
	return false;
}

bool cert_is_stored(const struct cert *c, const struct grounding_span *s)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct span_target *t = &s->targets[i];
		if (t->column != TARGET_NONE && t->how == HOW_EXACT &&
		    cert_uses_column(c, t->table, t->column)) {
			return true;
		}
	}
	return false;
}

bool cert_is_name(const struct cert *c, uint32_t table, uint32_t column)
{
	static const char *const parts[] = {"name", "title", "名称", "姓名", "名字"};
	const struct semantic_field *f = semantic_field_of(
	    c->g->semantic, c->g->catalog, table, column);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strcasestr(cert_column(c, table, column)->name, parts[i])) {
			return true;
		}
	}
	return f && f->is_display;
}

bool cert_is_key(const struct cert *c, uint32_t table, uint32_t column)
{
	const struct catalog *cat = c->g->catalog;
	if (cat->tables[table].columns[column].pk_position) {
		return true;
	}
	for (size_t i = 0; i < cat->n_relations; i++) {
		const struct catalog_relation *r = &cat->relations[i];
		for (size_t j = 0; j < r->n_columns; j++) {
			if (r->from_table == table && r->from_columns[j] == column) {
				return true;
			}
		}
	}
	return false;
}

/* Groundings and verdicts as protobuf. Reading checks every index, so that the
 * agents can follow them without looking. */
#include "common/model/pb_grounding.h"

#include <string.h>

#include "common/model/pb_catalog.h"
#include "common/model/pb_semantic.h"
#include "common/model/pb_util.h"

#define MAX_SCALE 400 /* decimal places of a number: no double has more */

/* --- writing ------------------------------------------------------------------ */

static Nlq__SpanTarget *target_message(struct arena *a, const struct span_target *t)
{
	Nlq__SpanTarget *m = arena_new(a, Nlq__SpanTarget);
	nlq__span_target__init(m);
	m->has_table = t->table != TARGET_NONE;
	m->table = t->table;
	m->has_column = t->column != TARGET_NONE;
	m->column = t->column;
	m->has_metric = t->metric != TARGET_NONE;
	m->metric = t->metric;
	m->value = t->value.type != VALUE_NULL ? pb_value_message(a, &t->value) : NULL;
	m->score = t->score;
	m->how = t->how;
	return m;
}

static Nlq__Span *span_message(struct arena *a, const struct grounding_span *s)
{
	Nlq__Span *m = arena_new(a, Nlq__Span);
	nlq__span__init(m);
	m->start = s->start;
	m->len = s->len;
	m->kind = s->kind;
	m->n_targets = s->n_targets;
	m->targets = arena_new_array(a, s->n_targets, Nlq__SpanTarget *);
	for (size_t i = 0; i < s->n_targets; i++) {
		m->targets[i] = target_message(a, &s->targets[i]);
	}
	m->has_cue = s->kind == SPAN_CUE;
	m->cue = s->cue;
	m->has_cue_arg = s->cue_arg != 0;
	m->cue_arg = s->cue_arg;
	m->has_quantity = s->kind == SPAN_QUANTITY;
	m->quantity = s->quantity;
	m->has_period = s->kind == SPAN_PERIOD;
	m->period = s->period;
	m->has_in_quotes = m->in_quotes = s->in_quotes;
	return m;
}

static Nlq__Quantity *quantity_message(struct arena *a, const struct quantity *q)
{
	Nlq__Quantity *m = arena_new(a, Nlq__Quantity);
	nlq__quantity__init(m);
	m->start = q->start;
	m->len = q->len;
	m->digits = q->digits;
	m->scale = q->scale;
	m->unit = pb_optional_text(q->unit);
	m->base_unit = pb_optional_text(q->base);
	m->has_magnitude = q->magnitude != 0;
	m->magnitude = q->magnitude;
	return m;
}

static Nlq__Period *period_message(struct arena *a, const struct period *p)
{
	Nlq__Period *m = arena_new(a, Nlq__Period);
	nlq__period__init(m);
	m->start = p->start;
	m->len = p->len;
	m->from = pb_optional_text(p->from);
	m->to = pb_optional_text(p->to);
	m->grain = p->grain;
	m->has_relative = m->relative = p->relative;
	return m;
}

static Nlq__GroundedTable *table_message(struct arena *a, const struct grounding_table *t)
{
	Nlq__GroundedTable *m = arena_new(a, Nlq__GroundedTable);
	nlq__grounded_table__init(m);
	m->table = t->table;
	m->score = t->score;
	m->score_vector = t->score_vector;
	m->score_keyword = t->score_keyword;
	m->has_literal = m->literal = t->literal;
	m->has_by_relation = m->by_relation = t->by_relation;
	m->why = pb_optional_text(t->why);
	return m;
}

static Nlq__Ambiguity *ambiguity_message(struct arena *a, const struct grounding_ambiguity *x)
{
	Nlq__Ambiguity *m = arena_new(a, Nlq__Ambiguity);
	nlq__ambiguity__init(m);
	m->span = x->span;
	m->text = pb_text(x->text);
	m->n_options = x->options.n;
	m->options = (char **)x->options.items;
	return m;
}

#define WRITE_LIST(from, to, type, fn)                                  \
	do {                                                            \
		m->n_##to = g->n_##from;                                \
		m->to = arena_new_array(a, g->n_##from, Nlq__##type *); \
		for (size_t i = 0; i < g->n_##from; i++) {              \
			m->to[i] = fn(a, &g->from[i]);                  \
		}                                                       \
	} while (0)

Nlq__Grounding *pb_grounding_message(struct arena *a, const struct grounding *g)
{
	Nlq__Grounding *m = arena_new(a, Nlq__Grounding);
	nlq__grounding__init(m);
	m->question = pb_text(g->question);
	m->lang = g->lang;
	m->today = pb_text(g->today);
	m->catalog = pb_catalog_message(a, g->catalog);
	m->semantic = pb_semantic_message(a, g->semantic);
	WRITE_LIST(tables, tables, GroundedTable, table_message);
	for (size_t i = 0; i < g->n_tables; i++) {
		if (g->tables[i].table < g->catalog->n_tables) {
			m->tables[i]->name = pb_text(g->catalog->tables[g->tables[i].table].name);
		}
	}
	WRITE_LIST(spans, spans, Span, span_message);
	WRITE_LIST(quantities, quantities, Quantity, quantity_message);
	WRITE_LIST(periods, periods, Period, period_message);
	WRITE_LIST(ambiguities, ambiguities, Ambiguity, ambiguity_message);
	m->sufficient = g->sufficient;
	m->n_missing = g->missing.n;
	m->missing = (char **)g->missing.items;
	m->n_near = g->near.n;
	m->near = (char **)g->near.items;
	m->has_n_tables_searched = true;
	m->n_tables_searched = g->n_tables_searched;
	return m;
}

/* --- reading ------------------------------------------------------------------- */

static bool span_fits(const struct grounding *g, uint32_t start, uint32_t len)
{
	size_t n = strlen(g->question);
	return start <= n && len <= n - start;
}

static int read_target(
    struct grounding *g, const Nlq__SpanTarget *m, struct span_target *t, struct err *e)
{
	const struct catalog *c = g->catalog;
	if ((m->has_table && m->table >= c->n_tables) || (m->has_column && !m->has_table) ||
	    (m->has_column && m->column >= c->tables[m->table].n_columns) ||
	    (m->has_metric && m->metric >= g->semantic->n_metrics) ||
	    (!m->has_table && !m->has_metric) || m->how > HOW_STORED_PARTIAL ||
	    !(m->score >= 0 && m->score <= 1)) {
		return pb_bad(e, "a target of the grounding is out of range");
	}
	t->table = m->has_table ? m->table : TARGET_NONE;
	t->column = m->has_column ? m->column : TARGET_NONE;
	t->metric = m->has_metric ? m->metric : TARGET_NONE;
	t->score = m->score;
	t->how = m->how;
	return pb_value_read(&g->arena, m->value, &t->value, e);
}

static int read_span(
    struct grounding *g, const Nlq__Span *m, struct grounding_span *s, struct err *e)
{
	if (!span_fits(g, m->start, m->len) || m->kind > SPAN_QUOTED ||
	    (m->has_quantity && m->quantity >= g->n_quantities) ||
	    (m->has_period && m->period >= g->n_periods) ||
	    (m->kind == SPAN_QUANTITY && !m->has_quantity) ||
	    (m->kind == SPAN_PERIOD && !m->has_period)) {
		return pb_bad(e, "a span of the grounding is out of range");
	}
	s->start = m->start;
	s->len = m->len;
	s->kind = m->kind;
	s->cue = m->cue;
	s->cue_arg = m->cue_arg;
	s->quantity = m->has_quantity ? m->quantity : TARGET_NONE;
	s->period = m->has_period ? m->period : TARGET_NONE;
	s->in_quotes = m->in_quotes;
	s->n_targets = m->n_targets;
	s->targets = arena_new_array(&g->arena, m->n_targets, struct span_target);
	int r = 0;
	for (size_t i = 0; r == 0 && i < m->n_targets; i++) {
		r = read_target(g, m->targets[i], &s->targets[i], e);
	}
	return r;
}

static int read_quantity(
    struct grounding *g, const Nlq__Quantity *m, struct quantity *q, struct err *e)
{
	if (!span_fits(g, m->start, m->len) || m->scale > MAX_SCALE || m->scale < -MAX_SCALE ||
	    m->magnitude > MAX_SCALE || m->magnitude < -MAX_SCALE) {
		return pb_bad(e, "a quantity of the grounding is out of range");
	}
	q->start = m->start;
	q->len = m->len;
	q->digits = m->digits;
	q->scale = m->scale;
	q->unit = pb_copy(&g->arena, m->unit);
	q->base = pb_copy(&g->arena, m->base_unit);
	q->magnitude = m->magnitude;
	return 0;
}

/* "" or YYYY-MM-DD. */
static bool is_date(const char *s)
{
	static const char shape[] = "0000-00-00";
	if (!s || !s[0]) {
		return true;
	}
	for (size_t i = 0; i < sizeof(shape); i++) {
		bool digit = s[i] >= '0' && s[i] <= '9';
		if (shape[i] == '0' ? !digit : s[i] != shape[i]) {
			return false;
		}
	}
	return true;
}

static int read_period(struct grounding *g, const Nlq__Period *m, struct period *p, struct err *e)
{
	if (!span_fits(g, m->start, m->len) || !is_date(m->from) || !is_date(m->to) ||
	    m->grain > GRAIN_DAY) {
		return pb_bad(e, "a period of the grounding is out of range");
	}
	p->start = m->start;
	p->len = m->len;
	strcpy(p->from, m->from ? m->from : "");
	strcpy(p->to, m->to ? m->to : "");
	p->grain = m->grain;
	p->relative = m->relative;
	return 0;
}

static int read_table(
    struct grounding *g, const Nlq__GroundedTable *m, struct grounding_table *t, struct err *e)
{
	if (m->table >= g->catalog->n_tables) {
		return pb_bad(e, "a table of the grounding is out of range");
	}
	t->table = m->table;
	t->score = m->score;
	t->score_vector = m->score_vector;
	t->score_keyword = m->score_keyword;
	t->literal = m->literal;
	t->by_relation = m->by_relation;
	t->why = pb_copy(&g->arena, m->why);
	return 0;
}

static int read_ambiguity(
    struct grounding *g, const Nlq__Ambiguity *m, struct grounding_ambiguity *x, struct err *e)
{
	if (m->span >= g->n_spans) {
		return pb_bad(e, "an ambiguity of the grounding is out of range");
	}
	x->span = m->span;
	x->text = pb_copy(&g->arena, m->text);
	x->options = pb_copy_names(&g->arena, m->options, m->n_options);
	return 0;
}

#define READ_LIST(list, type, fn)                                               \
	do {                                                                    \
		g->n_##list = m->n_##list;                                      \
		g->list = arena_new_array(&g->arena, m->n_##list, struct type); \
		for (size_t i = 0; r == 0 && i < m->n_##list; i++) {            \
			r = fn(g, m->list[i], &g->list[i], e);                  \
		}                                                               \
	} while (0)

static int read_parts(struct grounding *g, const Nlq__Grounding *m, struct err *e)
{
	int r = 0;
	/* Spans last: they point into quantities and periods. */
	READ_LIST(tables, grounding_table, read_table);
	READ_LIST(quantities, quantity, read_quantity);
	READ_LIST(periods, period, read_period);
	READ_LIST(spans, grounding_span, read_span);
	READ_LIST(ambiguities, grounding_ambiguity, read_ambiguity);
	g->sufficient = m->sufficient;
	g->missing = pb_copy_names(&g->arena, m->missing, m->n_missing);
	g->near = pb_copy_names(&g->arena, m->near, m->n_near);
	g->n_tables_searched = m->n_tables_searched;
	return r;
}

int pb_grounding_read(const Nlq__Grounding *m, struct grounding **ret_grounding, struct err *e)
{
	struct grounding *g = grounding_new();
	int r;
	if (m->lang > LANG_ZH || !is_date(m->today)) {
		r = pb_bad(e, "a grounding is out of range");
		goto out;
	}
	g->question = pb_copy(&g->arena, m->question);
	g->lang = m->lang;
	g->today = pb_copy(&g->arena, m->today);
	catalog_free(g->catalog);
	g->catalog = NULL;
	semantic_free(g->semantic);
	g->semantic = NULL;
	r = pb_catalog_read(m->catalog, &g->catalog, e);
	r = r < 0 ? r : pb_semantic_read(m->semantic, &g->semantic, e);
	r = r < 0 ? r : read_parts(g, m, e);
	if (r == 0) {
		*ret_grounding = g;
		g = NULL;
	}
out:
	grounding_free(g);
	return r;
}

/* --- verdicts ------------------------------------------------------------------- */

Nlq__VerifyReply *pb_verdict_message(struct arena *a, const struct verdict *v)
{
	Nlq__VerifyReply *m = arena_new(a, Nlq__VerifyReply);
	nlq__verify_reply__init(m);
	m->verdict = v->kind;
	m->has_tier = true;
	m->tier = v->tier;
	m->n_lines = v->n_lines;
	m->lines = arena_new_array(a, v->n_lines, Nlq__CertificateLine *);
	for (size_t i = 0; i < v->n_lines; i++) {
		Nlq__CertificateLine *l = arena_new(a, Nlq__CertificateLine);
		nlq__certificate_line__init(l);
		l->check = pb_text(v->lines[i].check);
		l->verdict = v->lines[i].verdict;
		l->detail = pb_optional_text(v->lines[i].detail);
		m->lines[i] = l;
	}
	m->confidence = v->confidence;
	m->answer = pb_optional_text(v->answer);
	m->unit = (char *)v->unit;
	m->n_assumptions = v->assumptions.n;
	m->assumptions = (char **)v->assumptions.items;
	m->n_definitions = v->definitions.n;
	m->definitions = (char **)v->definitions.items;
	m->n_reasons = v->reasons.n;
	m->reasons = (char **)v->reasons.items;
	return m;
}

int pb_verdict_read(const Nlq__VerifyReply *m, struct verdict **ret_verdict, struct err *e)
{
	if (m->verdict > VERDICT_CLARIFY || !(m->confidence >= 0 && m->confidence <= 1)) {
		return pb_bad(e, "a verdict is out of range");
	}
	for (size_t i = 0; i < m->n_lines; i++) {
		if (m->lines[i]->verdict > CHECK_NOTE) {
			return pb_bad(e, "a line of the certificate is out of range");
		}
	}
	struct verdict *v = verdict_new();
	struct arena *a = &v->arena;
	v->kind = m->verdict;
	v->tier = m->tier;
	v->n_lines = m->n_lines;
	v->lines = arena_new_array(a, m->n_lines, struct certificate_line);
	for (size_t i = 0; i < m->n_lines; i++) {
		v->lines[i].check = pb_copy(a, m->lines[i]->check);
		v->lines[i].verdict = m->lines[i]->verdict;
		v->lines[i].detail = pb_copy(a, m->lines[i]->detail);
	}
	v->confidence = m->confidence;
	v->answer = pb_copy(a, m->answer);
	v->unit = m->unit ? pb_copy(a, m->unit) : NULL;
	v->assumptions = pb_copy_names(a, m->assumptions, m->n_assumptions);
	v->definitions = pb_copy_names(a, m->definitions, m->n_definitions);
	v->reasons = pb_copy_names(a, m->reasons, m->n_reasons);
	*ret_verdict = v;
	return 0;
}

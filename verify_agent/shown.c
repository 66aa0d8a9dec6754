/* Results as people read them, see shown.h. */
#include "verify_agent/shown.h"

#include <string.h>
#include <strings.h>

#include "common/base/strbuf.h"
#include "common/base/utf8.h"
#include "verify_agent/numbers.h"

#define CELL_MAX_BYTES 200 /* of one cell in a sentence; the table has the rest */

static bool is_asked(const struct cert *c, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->n_targets && s->targets[0].table == table &&
		    s->targets[0].column == column) {
			return true;
		}
	}
	return false;
}

static int column_with(const struct shown *v, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < v->r->n_columns; i++) {
		uint32_t t, k;
		if (v->exprs[i] && cert_origin(v->exprs[i], &t, &k) && t == table && k == column) {
			return (int)i;
		}
	}
	return -1;
}

static void find_unit_columns(struct shown *v)
{
	for (size_t i = 0; i < v->r->n_columns; i++) {
		const struct measure *m = &v->measures[i];
		v->unit_columns[i] =
		    m->kind == MEASURE_ROWS ? column_with(v, m->table, m->unit_column) : -1;
	}
}

/* The unit of another column is shown with it; keys nobody asked for are left
 * out where something else is left. */
static bool is_extra(const struct shown *v, size_t column, bool keys)
{
	uint32_t t, k;
	for (size_t i = 0; i < v->r->n_columns; i++) {
		if (v->unit_columns[i] == (int)column) {
			return true;
		}
	}
	return keys && v->exprs[column] && cert_origin(v->exprs[column], &t, &k) &&
	    cert_is_key(v->c, t, k) && !is_asked(v->c, t, k);
}

/* One person's name in two columns. */
bool shown_is_name_pair(const struct shown *v, size_t first, size_t second)
{
	static const char *const firsts[] = {"first", "fore", "given", "fname"};
	static const char *const lasts[] = {"last", "sur", "family", "lname"};
	uint32_t t1, c1, t2, c2;
	bool is_first = false, is_last = false;
	if (!v->exprs[first] || !v->exprs[second] || !cert_origin(v->exprs[first], &t1, &c1) ||
	    !cert_origin(v->exprs[second], &t2, &c2) || t1 != t2) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++) {
		is_first |= strcasestr(cert_column(v->c, t1, c1)->name, firsts[i]) != NULL;
		is_last |= strcasestr(cert_column(v->c, t2, c2)->name, lasts[i]) != NULL;
	}
	return is_first && is_last && strcasestr(cert_column(v->c, t1, c1)->name, "name") &&
	    strcasestr(cert_column(v->c, t2, c2)->name, "name");
}

static void choose_columns(struct shown *v)
{
	for (int keys = 1; keys >= 0 && !v->n_shown; keys--) {
		for (size_t i = 0; i < v->r->n_columns; i++) {
			if (!is_extra(v, i, keys)) {
				v->shown[v->n_shown++] = i;
			}
		}
	}
}

void shown_open(struct shown *v, struct cert *c, size_t step)
{
	const struct resultset *r = c->steps[step].in->result;
	const struct sql_select *tree = c->steps[step].tree;
	size_t n = r->n_columns;
	*v = (struct shown){.c = c, .step = step, .r = r};
	v->exprs = arena_new_array(c->a, n, const struct sql_expr *);
	v->measures = arena_new_array(c->a, n, struct measure);
	v->unit_columns = arena_new_array(c->a, n, int);
	v->shown = arena_new_array(c->a, n, size_t);
	/* Stars are expanded in the tree, so the two lists run in step. */
	bool aligned = tree && tree->cores[0]->n_outputs == n;
	for (size_t i = 0; i < n; i++) {
		v->exprs[i] = aligned ? tree->cores[0]->outputs[i].expr : NULL;
		v->measures[i] = measure_of(c, step, v->exprs[i]);
	}
	find_unit_columns(v);
	choose_columns(v);
}

/* "average {revenue}": what a function makes of its argument. */
static const char *call_label(
    const struct cert *c, const struct sql_expr *x, uint32_t table, uint32_t column)
{
	static const struct {
		const char *function, *zh_before, *zh_after, *en;
	} words[] = {{"sum", "", "合计", "total"}, {"total", "", "合计", "total"},
	    {"avg", "平均", "", "average"}, {"min", "最低", "", "lowest"},
	    {"max", "最高", "", "highest"}};
	const char *label = cert_column_label(c, table, column);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(x->text, words[i].function) == 0) {
			return c->zh ? arena_printf(c->a, "%s%s%s", words[i].zh_before, label,
			                   words[i].zh_after)
			             : arena_printf(c->a, "%s %s", words[i].en, label);
		}
	}
	return label;
}

/* The first column that an operand is made of. */
static bool first_column(const struct sql_expr *x, uint32_t *ret_table, uint32_t *ret_column)
{
	for (int depth = 0; x && depth < 16; depth++) {
		if (cert_origin(x, ret_table, ret_column)) {
			return true;
		}
		if (x->select) {
			x = x->select->cores[0]->n_outputs ? x->select->cores[0]->outputs[0].expr
			                                   : NULL;
		} else {
			x = x->n_args ? x->args[0] : x->left;
		}
	}
	return false;
}

/* "营业收入之差", "difference in revenue"; a ratio of two things has no short name. */
static const char *arithmetic_label(const struct shown *v, size_t column, const struct sql_expr *x)
{
	const struct measure *m = &v->measures[column];
	if (x->kind != SQL_BINARY) {
		return NULL;
	}
	if (x->op == SQL_OP_SUB && m->table != CERT_NONE) {
		return arena_printf(v->c->a, SAY(v->c, "%s之差", "difference in %s"),
		    cert_column_label(v->c, m->table, m->column));
	}
	if (x->op == SQL_OP_SUB) {
		return SAY(v->c, "差", "difference");
	}
	uint32_t table, k;
	if (x->op == SQL_OP_DIV && m->kind == MEASURE_NONE && first_column(x->left, &table, &k)) {
		return arena_printf(
		    v->c->a, SAY(v->c, "%s之比", "ratio of %s"), cert_column_label(v->c, table, k));
	}
	return m->kind == MEASURE_UNIT && strcmp(m->unit, "%") == 0 ? SAY(v->c, "占比", "share")
	                                                            : NULL;
}

const char *shown_label(const struct shown *v, size_t column)
{
	const struct sql_expr *x = v->exprs[column], *inner;
	uint32_t table, k;
	for (int depth = 0; x && depth < 8; depth++) {
		if (cert_origin(x, &table, &k)) {
			return cert_column_label(v->c, table, k);
		}
		if (x->kind == SQL_CALL && strcasecmp(x->text, "count") == 0) {
			return SAY(v->c, "数量", "count");
		}
		if (x->kind == SQL_CALL && x->n_args == 1 && cert_origin(x->args[0], &table, &k)) {
			return call_label(v->c, x, table, k);
		}
		if (x->kind == SQL_CALL && strcasecmp(x->text, "round") == 0 && x->n_args) {
			x = x->args[0];
		} else if ((inner = cert_inner(x))) {
			x = inner;
		} else {
			break;
		}
	}
	for (size_t i = 0; x && i < v->c->g->semantic->n_metrics; i++) {
		const struct semantic_metric *m = &v->c->g->semantic->metrics[i];
		if (measure_is_metric(v->c, x, m)) {
			return m->label[0] && v->c->zh ? m->label : m->name;
		}
	}
	const char *label = x ? arithmetic_label(v, column, x) : NULL;
	return label ? label : v->r->columns[column].name;
}

bool shown_is_number(const struct shown *v, size_t column)
{
	bool any = false;
	for (size_t i = 0; i < v->r->n_rows; i++) {
		const struct value *cell = resultset_cell(v->r, i, column);
		if (cell->type != VALUE_NULL && !value_is_number(cell)) {
			return false;
		}
		any |= cell->type != VALUE_NULL;
	}
	return any;
}

const char *shown_unit(const struct shown *v, size_t row, size_t column)
{
	const struct measure *m = &v->measures[column];
	if (!value_is_number(resultset_cell(v->r, row, column))) {
		return "";
	}
	if (m->kind == MEASURE_UNIT) {
		return m->unit;
	}
	if (v->unit_columns[column] >= 0) {
		const struct value *u = resultset_cell(v->r, row, (size_t)v->unit_columns[column]);
		return u->type == VALUE_TEXT ? u->text : "";
	}
	return "";
}

/* People know a value by the label that the model gives it in their language. */
static const char *value_label(const struct shown *v, size_t column, const char *text)
{
	uint32_t table, k;
	if (v->c->zh || !v->exprs[column] || !cert_origin(v->exprs[column], &table, &k)) {
		return text;
	}
	const struct semantic_field *f = semantic_field_of(
	    v->c->g->semantic, v->c->g->catalog, table, k);
	for (size_t i = 0; f && i < f->n_domain; i++) {
		if (strcmp(f->domain[i].value, text) == 0 && f->domain[i].label[0] &&
		    strcmp(f->domain[i].label, text) != 0) {
			return arena_printf(v->c->a, "%s (%s)", f->domain[i].label, text);
		}
	}
	return text;
}

static const char *null_text(const struct shown *v, size_t column)
{
	uint32_t table, k;
	if (v->exprs[column] && cert_origin(v->exprs[column], &table, &k)) {
		const struct semantic_field *f = semantic_field_of(
		    v->c->g->semantic, v->c->g->catalog, table, k);
		if (f && f->null_means[0]) {
			return f->null_means;
		}
	}
	return SAY(v->c, "（空）", "(none)");
}

const char *shown_value(const struct shown *v, size_t row, size_t column)
{
	const struct value *cell = resultset_cell(v->r, row, column);
	if (cell->type == VALUE_NULL) {
		return null_text(v, column);
	}
	if (cell->type == VALUE_BLOB) {
		return SAY(v->c, "（二进制）", "(binary)");
	}
	const char *text = cell->type == VALUE_REAL ? numbers_rounded(v->c->a, cell->r)
	                                            : cert_value_text(v->c, cell);
	size_t len = strlen(text);
	if (len > CELL_MAX_BYTES) {
		size_t cut = utf8_cut(text, len, CELL_MAX_BYTES);
		return arena_printf(v->c->a, "%.*s…", (int)cut, text);
	}
	return cell->type == VALUE_TEXT ? value_label(v, column, text) : text;
}

const char *shown_cell(const struct shown *v, size_t row, size_t column)
{
	const char *unit = shown_unit(v, row, column), *text = shown_value(v, row, column);
	if (strcmp(unit, "%") == 0) {
		return arena_printf(v->c->a, "%s%%", text);
	}
	return unit[0] ? arena_printf(v->c->a, "%s %s", text, unit) : text;
}

const char *shown_single_unit(const struct shown *v)
{
	const char *unit = NULL;
	size_t n_numbers = 0;
	for (size_t i = 0; i < v->n_shown; i++) {
		size_t k = v->shown[i];
		if (!shown_is_number(v, k) || v->measures[k].kind == MEASURE_NONE) {
			continue;
		}
		n_numbers++;
		for (size_t row = 0; row < v->r->n_rows; row++) {
			const char *u = shown_unit(v, row, k);
			if (resultset_cell(v->r, row, k)->type == VALUE_NULL) {
				continue;
			}
			if (!u[0] || (unit && strcmp(unit, u) != 0)) {
				return NULL;
			}
			unit = u;
		}
	}
	return n_numbers == 1 ? unit : NULL;
}

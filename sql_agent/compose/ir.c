/* Building and printing the intermediate form; it trusts its indexes. */
#include "sql_agent/compose/ir.h"

struct ir *ir_new(struct arena *a)
{
	struct ir *ir = arena_new(a, struct ir);

	ir->entity = IR_NONE;
	return ir;
}

struct ir_term ir_column(uint32_t table, uint32_t column)
{
	struct ir_term t = {.kind = IR_COLUMN, .table = table, .column = column};

	t.metric = t.via = IR_NONE;
	return t;
}

struct ir_term ir_rows(uint32_t table)
{
	struct ir_term t = {.kind = IR_ROWS, .table = table, .aggregate = IR_COUNT};

	t.column = t.metric = t.via = IR_NONE;
	return t;
}

bool ir_term_equal(const struct ir_term *a, const struct ir_term *b)
{
	return a->kind == b->kind && a->table == b->table && a->column == b->column &&
	    a->metric == b->metric && a->via == b->via && a->aggregate == b->aggregate &&
	    a->grain == b->grain;
}

static bool has_term(const struct ir_term *terms, size_t n, const struct ir_term *t)
{
	for (size_t i = 0; i < n; i++)
		if (ir_term_equal(&terms[i], t))
			return true;
	return false;
}

void ir_add_output(struct arena *a, struct ir *ir, struct ir_term t)
{
	if (!has_term(ir->outputs, ir->n_outputs, &t))
		*arena_push(a, ir->outputs, ir->n_outputs) = t;
}

void ir_add_group(struct arena *a, struct ir *ir, struct ir_term t)
{
	if (!has_term(ir->groups, ir->n_groups, &t))
		*arena_push(a, ir->groups, ir->n_groups) = t;
}

static void condition_set(
    struct ir_condition *c, struct ir_term t, enum ir_test test, uint32_t span)
{
	c->term = t;
	c->test = test;
	c->span = span;
}

struct ir_condition *ir_add_condition(
    struct arena *a, struct ir *ir, struct ir_term t, enum ir_test test, uint32_t span)
{
	struct ir_condition *c = arena_push(a, ir->conditions, ir->n_conditions);

	condition_set(c, t, test, span);
	return c;
}

struct ir_condition *ir_add_having(
    struct arena *a, struct ir *ir, struct ir_term t, enum ir_test test, uint32_t span)
{
	struct ir_condition *c = arena_push(a, ir->having, ir->n_having);

	condition_set(c, t, test, span);
	return c;
}

void ir_add_order(struct arena *a, struct ir *ir, struct ir_term t, bool desc)
{
	struct ir_order *o;

	for (size_t i = 0; i < ir->n_order; i++)
		if (ir_term_equal(&ir->order[i].term, &t))
			return;
	o = arena_push(a, ir->order, ir->n_order);
	o->term = t;
	o->desc = desc;
}

void ir_touch(struct arena *a, struct ir *ir, uint32_t table)
{
	for (size_t i = 0; i < ir->n_touched; i++)
		if (ir->touched[i] == table)
			return;
	*arena_push(a, ir->touched, ir->n_touched) = table;
}

bool ir_has_aggregate(const struct ir *ir)
{
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].aggregate != IR_PLAIN || ir->outputs[i].kind != IR_COLUMN)
			return true;
	return false;
}

static void print_term(struct strbuf *out, const struct ir_term *t, const struct catalog *c)
{
	static const char *const names[] = {"", "count ", "sum ", "avg ", "min ", "max "};

	strbuf_puts(out, names[t->aggregate]);
	if (t->distinct)
		strbuf_puts(out, "distinct ");
	if (t->kind == IR_METRIC)
		strbuf_printf(out, "metric %u", t->metric);
	else if (t->kind == IR_ROWS)
		strbuf_printf(out, "rows of %s", c->tables[t->table].name);
	else
		strbuf_printf(out, "%s.%s", c->tables[t->table].name,
		    c->tables[t->table].columns[t->column].name);
}

static void print_condition(
    struct strbuf *out, const struct ir_condition *k, const struct catalog *c)
{
	static const char *const tests[] = {
	    "=", "<>", "<", "<=", ">", ">=", "between", "like", "is null"};

	strbuf_puts(out, k->negated ? " not(" : " (");
	print_term(out, &k->term, c);
	strbuf_printf(out, " %s", tests[k->test]);
	if (k->against == IR_LITERAL && k->low.text)
		strbuf_printf(out, " %s", k->low.text);
	if (k->high.text)
		strbuf_printf(out, "..%s", k->high.text);
	if (k->against == IR_AGGREGATE)
		strbuf_puts(out, " aggregate of it");
	if (k->against == IR_TERM) {
		strbuf_putc(out, ' ');
		print_term(out, &k->other, c);
	}
	strbuf_putc(out, ')');
	if (k->any_of)
		strbuf_printf(out, "|%u", k->any_of);
	if (k->branch)
		strbuf_printf(out, "#%u", k->branch);
}

static void print_terms(struct strbuf *out, const char *what, const struct ir_term *t, size_t n,
    const struct catalog *c)
{
	if (n == 0)
		return;
	strbuf_puts(out, what);
	for (size_t i = 0; i < n; i++) {
		strbuf_puts(out, i ? ", " : " ");
		print_term(out, &t[i], c);
	}
	strbuf_putc(out, '\n');
}

static void print_conditions(struct strbuf *out, const char *what, const struct ir_condition *k,
    size_t n, const struct catalog *c)
{
	if (n == 0)
		return;
	strbuf_puts(out, what);
	for (size_t i = 0; i < n; i++)
		print_condition(out, &k[i], c);
	strbuf_putc(out, '\n');
}

void ir_print(struct strbuf *out, const struct ir *ir, const struct catalog *c)
{
	if (ir->entity != IR_NONE)
		strbuf_printf(out, "entity %s\n", c->tables[ir->entity].name);
	print_terms(
	    out, ir->distinct ? "output distinct" : "output", ir->outputs, ir->n_outputs, c);
	print_conditions(out, "where", ir->conditions, ir->n_conditions, c);
	for (size_t i = 0; i < ir->n_exists; i++) {
		strbuf_printf(out, "%s %s", ir->exists[i].negated ? "not in" : "in",
		    c->tables[ir->exists[i].table].name);
		print_conditions(out, "", ir->exists[i].conditions, ir->exists[i].n_conditions, c);
		strbuf_putc(out, '\n');
	}
	print_terms(out, "group", ir->groups, ir->n_groups, c);
	print_conditions(out, "having", ir->having, ir->n_having, c);
	for (size_t i = 0; i < ir->n_order; i++) {
		strbuf_puts(out, ir->order[i].desc ? "order desc " : "order asc ");
		print_term(out, &ir->order[i].term, c);
		strbuf_putc(out, '\n');
	}
	for (size_t i = 0; i < ir->n_touched; i++)
		strbuf_printf(out, "touch %s\n", c->tables[ir->touched[i]].name);
	if (ir->limit)
		strbuf_printf(out, "limit %llu\n", (unsigned long long)ir->limit);
	if (ir->set)
		strbuf_printf(out, "set %d\n", (int)ir->set);
	if (ir->arithmetic)
		strbuf_printf(out, "arithmetic %d\n", (int)ir->arithmetic);
}

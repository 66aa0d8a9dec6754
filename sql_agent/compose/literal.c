/* Decimal arithmetic is on digits and powers of ten: no floating point. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/unit.h"
#include "sql_agent/compose/literal.h"

#define MAX_EXPONENT 40

const char *literal_decimal(struct arena *a, int64_t digits, int32_t exponent)
{
	struct strbuf b;
	char text[32];
	char *result;
	int len, point;

	snprintf(text, sizeof(text), "%llu",
	    (unsigned long long)(digits < 0 ? -(uint64_t)digits : (uint64_t)digits));
	strbuf_init(&b, 256);
	if (digits < 0)
		strbuf_putc(&b, '-');
	len = (int)strlen(text);
	while (exponent < 0 && len > 1 && text[len - 1] == '0') {
		text[--len] = '\0';
		exponent++;
	}
	if (digits == 0 || exponent < -MAX_EXPONENT || exponent > MAX_EXPONENT)
		exponent = 0;
	point = len + exponent; /* digits before the decimal point */
	if (exponent >= 0) {
		strbuf_puts(&b, text);
		for (int i = 0; i < exponent; i++)
			strbuf_putc(&b, '0');
	} else if (point > 0) {
		strbuf_add(&b, text, (size_t)point);
		strbuf_printf(&b, ".%s", text + point);
	} else {
		strbuf_puts(&b, "0.");
		for (int i = point; i < 0; i++)
			strbuf_putc(&b, '0');
		strbuf_puts(&b, text);
	}
	result = arena_strndup(a, b.data, b.len);
	strbuf_done(&b);
	return result;
}

enum literal_unit literal_in_unit(
    struct arena *a, const char *unit, const struct quantity *q, struct ir_literal *ret_literal)
{
	struct unit from = {.base = q->base, .magnitude = q->magnitude}, to;
	int32_t power = 0;

	ret_literal->is_number = true;
	if (!unit[0] || !q->unit[0]) {
		ret_literal->text = literal_decimal(a, q->digits, q->magnitude - q->scale);
		return unit[0] ? LITERAL_ASSUMED : LITERAL_AS_WRITTEN;
	}
	unit_parse_all(a, unit, &to);
	if (!unit_power(&from, &to, &power))
		return LITERAL_MISMATCH;
	ret_literal->text = literal_decimal(a, q->digits, power - q->scale);
	return LITERAL_CONVERTED;
}

enum literal_unit literal_quantity(struct arena *a, const struct view_column *vc,
    const struct quantity *q, struct ir_literal *ret_literal)
{
	return literal_in_unit(a, vc->field ? vc->field->unit : "", q, ret_literal);
}

void literal_value(struct arena *a, const struct value *v, struct ir_literal *ret_literal)
{
	struct strbuf b;

	ret_literal->is_number = value_is_number(v);
	if (v->type == VALUE_TEXT) {
		ret_literal->text = arena_strndup(a, v->text, v->len);
		return;
	}
	strbuf_init(&b, 64);
	value_print(&b, v);
	ret_literal->text = arena_strndup(a, b.data, b.len);
	strbuf_done(&b);
}

/* --- periods --------------------------------------------------------------------- */

static void add(struct arena *a, struct ir_condition **list, size_t *n, struct ir_term t,
    enum ir_test test, const char *text, bool is_number, uint32_t span)
{
	struct ir_condition *c = arena_push(a, *list, *n);

	c->term = t;
	c->test = test;
	c->low.text = text;
	c->low.is_number = is_number;
	c->span = span;
}

static bool is_new_year(const char *date)
{
	return !date[0] || strcmp(date + 4, "-01-01") == 0;
}

static bool years(struct arena *a, struct ir_term t, bool is_number, const struct period *p,
    uint32_t span, struct ir_condition **list, size_t *n)
{
	const char *from = p->from[0] ? arena_strndup(a, p->from, 4) : NULL;
	const char *last = p->to[0] ? arena_printf(a, "%d", atoi(p->to) - 1) : NULL;

	if (!is_new_year(p->from) || !is_new_year(p->to))
		return false;
	if (from && last && strcmp(from, last) == 0) {
		add(a, list, n, t, IR_EQ, from, is_number, span);
	} else if (from && last) {
		add(a, list, n, t, IR_BETWEEN, from, is_number, span);
		(*list)[*n - 1].high.text = last;
		(*list)[*n - 1].high.is_number = is_number;
	} else if (from) {
		add(a, list, n, t, IR_GE, from, is_number, span);
	} else if (last) {
		add(a, list, n, t, IR_LE, last, is_number, span);
	}
	return from || last;
}

bool literal_period(struct arena *a, const struct view *v, uint32_t table, uint32_t column,
    const struct period *p, uint32_t span, struct ir_condition **list, size_t *n)
{
	const struct view_column *vc = view_column(v, table, column);
	struct ir_term t = ir_column(table, column);

	if (vc->time == VIEW_YEAR || vc->is_number)
		return years(a, t, vc->is_number, p, span, list, n);
	if (vc->time != VIEW_DATE)
		return false;
	if (p->from[0])
		add(a, list, n, t, IR_GE, arena_strdup(a, p->from), false, span);
	if (p->to[0])
		add(a, list, n, t, IR_LT, arena_strdup(a, p->to), false, span);
	return p->from[0] || p->to[0];
}

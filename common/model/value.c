/* Values of a database: comparison as the engine does it, text for people. */
#include "common/model/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TWO_POW_63 9223372036854775808.0

static int sign_of(bool less, bool more)
{
	return more - less;
}

/* Exact: a double above 2^53 is not every integer, so the integer is never
 * rounded to a double for the decision. */
static int compare_int_real(int64_t i, double r)
{
	if (isnan(r)) {
		return 1;
	}
	if (r >= TWO_POW_63) {
		return -1;
	}
	if (r < -TWO_POW_63) {
		return 1;
	}
	int64_t whole = (int64_t)r;
	if (i != whole) {
		return i < whole ? -1 : 1;
	}
	double rest = r - (double)whole;
	return sign_of(rest > 0, rest < 0);
}

static int compare_real(double a, double b)
{
	if (isnan(a) || isnan(b)) {
		return sign_of(isnan(a) && !isnan(b), isnan(b) && !isnan(a));
	}
	return sign_of(a<b, a> b);
}

static int compare_bytes(const struct value *a, const struct value *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int d = n ? memcmp(a->text, b->text, n) : 0;
	if (d) {
		return d < 0 ? -1 : 1;
	}
	return sign_of(a->len<b->len, a->len> b->len);
}

static int type_rank(const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL: return 0;
	case VALUE_INT:
	case VALUE_REAL: return 1;
	case VALUE_TEXT: return 2;
	case VALUE_BLOB: break;
	}
	return 3;
}

int value_compare(const struct value *a, const struct value *b)
{
	int rank_a = type_rank(a), rank_b = type_rank(b);
	if (rank_a != rank_b) {
		return rank_a < rank_b ? -1 : 1;
	}
	if (rank_a == 0) {
		return 0;
	}
	if (rank_a > 1) {
		return compare_bytes(a, b);
	}
	if (a->type == VALUE_INT && b->type == VALUE_INT) {
		return sign_of(a->i<b->i, a->i> b->i);
	}
	if (a->type == VALUE_REAL && b->type == VALUE_REAL) {
		return compare_real(a->r, b->r);
	}
	if (a->type == VALUE_INT) {
		return compare_int_real(a->i, b->r);
	}
	return -compare_int_real(b->i, a->r);
}

bool value_equal(const struct value *a, const struct value *b)
{
	return value_compare(a, b) == 0;
}

void value_print(struct strbuf *out, const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL: break;
	case VALUE_INT: strbuf_printf(out, "%" PRId64, v->i); break;
	case VALUE_REAL:
		/* 0.0 takes the sign off a negative zero. */
		strbuf_printf(out, "%.15g", v->r == 0 ? 0.0 : v->r);
		break;
	case VALUE_TEXT: strbuf_add(out, v->text, v->len); break;
	case VALUE_BLOB:
		strbuf_puts(out, "x'");
		for (size_t i = 0; i < v->len; i++) {
			strbuf_printf(out, "%02x", (unsigned char)v->text[i]);
		}
		strbuf_putc(out, '\'');
		break;
	}
}

bool value_is_number(const struct value *v)
{
	return v->type == VALUE_INT || v->type == VALUE_REAL;
}

double value_as_double(const struct value *v)
{
	if (v->type == VALUE_INT) {
		return (double)v->i;
	}
	return v->type == VALUE_REAL ? v->r : 0;
}

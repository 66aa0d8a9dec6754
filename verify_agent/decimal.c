/* Exact decimals, see decimal.h. */
#include "verify_agent/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18 /* fit an int64_t whatever they are */
#define MAX_PLAIN_DIGITS 21
#define MAX_EXPONENT 400 /* beyond any double */

struct decimal decimal_make(int64_t digits, int32_t exponent)
{
	struct decimal d = {digits, exponent};
	if (digits == 0) {
		d.exponent = 0;
	}
	while (d.digits != 0 && d.digits % 10 == 0) {
		d.digits /= 10;
		d.exponent++;
	}
	return d;
}

bool decimal_parse(const char *text, struct decimal *ret_decimal)
{
	const char *p = text;
	bool negative = *p == '-', point = false, any = false;
	int64_t digits = 0;
	int32_t exponent = 0;
	int n = 0;
	if (*p == '-' || *p == '+') {
		p++;
	}
	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		any = true;
		n += digits != 0 || *p != '0';
		if (n > MAX_DIGITS || exponent < -MAX_EXPONENT) {
			return false;
		}
		digits = digits * 10 + (*p - '0');
		exponent -= point;
	}
	if (any && (*p == 'e' || *p == 'E')) {
		char *end = NULL;
		long more = strtol(p + 1, &end, 10);
		if (end == p + 1 || more > MAX_EXPONENT || more < -MAX_EXPONENT) {
			return false;
		}
		exponent += (int32_t)more;
		p = end;
	}
	if (!any || *p) {
		return false;
	}
	*ret_decimal = decimal_make(negative ? -digits : digits, exponent);
	return true;
}

bool decimal_from_double(double v, struct decimal *ret_decimal)
{
	char text[DECIMAL_TEXT_MAX];
	if (!isfinite(v)) {
		return false;
	}
	snprintf(text, sizeof(text), "%.15g", v);
	return decimal_parse(text, ret_decimal);
}

bool decimal_equal(struct decimal a, struct decimal b)
{
	return a.digits == b.digits && a.exponent == b.exponent;
}

double decimal_as_double(struct decimal d)
{
	char text[DECIMAL_TEXT_MAX];
	snprintf(text, sizeof(text), "%" PRId64 "e%" PRId32, d.digits, d.exponent);
	return strtod(text, NULL);
}

int decimal_compare(struct decimal a, struct decimal b)
{
	if (decimal_equal(a, b)) {
		return 0;
	}
	double x = decimal_as_double(a), y = decimal_as_double(b);
	return (x > y) - (x < y);
}

const char *decimal_print(struct decimal d, char out[DECIMAL_TEXT_MAX])
{
	char digits[DECIMAL_TEXT_MAX / 2];
	snprintf(digits, sizeof(digits), "%" PRIu64,
	    d.digits < 0 ? 0 - (uint64_t)d.digits : (uint64_t)d.digits);
	const char *sign = d.digits < 0 ? "-" : "";
	int n = (int)strlen(digits);
	if (d.exponent >= 0 && n + d.exponent <= MAX_PLAIN_DIGITS) {
		snprintf(out, DECIMAL_TEXT_MAX, "%s%s%.*s", sign, digits, d.exponent,
		    "000000000000000000000");
	} else if (d.exponent < 0 && -d.exponent < n) {
		int whole = n + d.exponent;
		snprintf(out, DECIMAL_TEXT_MAX, "%s%.*s.%s", sign, whole, digits, digits + whole);
	} else if (d.exponent < 0 && -d.exponent <= MAX_PLAIN_DIGITS) {
		snprintf(out, DECIMAL_TEXT_MAX, "%s0.%.*s%s", sign, -d.exponent - n,
		    "000000000000000000000", digits);
	} else {
		snprintf(out, DECIMAL_TEXT_MAX, "%s%se%" PRId32, sign, digits, d.exponent);
	}
	return out;
}

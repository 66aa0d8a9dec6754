/* Decimal numbers as people write them, compared exactly: 1亿元 against a column
 * in 亿元 must not be decided by binary rounding. */
#ifndef NLQ_DECIMAL_H
#define NLQ_DECIMAL_H

#include "common/base/base.h"

/* value = digits * 10^exponent; digits has no trailing zero; zero is {0, 0}. */
struct decimal {
	int64_t digits;
	int32_t exponent;
};

#define DECIMAL_TEXT_MAX 64

struct decimal decimal_make(int64_t digits, int32_t exponent);
/* "12", "-1.50", "1e3", "1,000" is not read. False if the text is no decimal
 * number or has more than 18 significant digits. */
bool decimal_parse(const char *text, struct decimal *ret_decimal);
/* The decimal that a double stands for when printed with 15 digits. */
bool decimal_from_double(double v, struct decimal *ret_decimal);
bool decimal_equal(struct decimal a, struct decimal b);
/* -1, 0, 1; by value, through doubles where the digits do not fit. */
int decimal_compare(struct decimal a, struct decimal b);
double decimal_as_double(struct decimal d);
/* Plain digits where that takes at most 21 of them, else with an exponent. */
const char *decimal_print(struct decimal d, char out[DECIMAL_TEXT_MAX]);

#endif

/* Numbers as people write them, exact: 1,234.5, 二百三十, 两, 3.5千, "twenty five",
 * full-width digits. A magnitude word at the end (万, 亿, million) belongs to the
 * unit (unit.h) and is left unread. */
#ifndef NLQ_TEXT_NUMERAL_H
#define NLQ_TEXT_NUMERAL_H

#include "common/base/base.h"

struct numeral {
	int64_t digits; /* value = digits * 10^-scale */
	int32_t scale;
	uint32_t len;    /* bytes read */
	bool is_word;    /* written in words or Chinese numerals */
	bool is_ordinal; /* first, third, 2nd */
};

/* The longest numeral at the start of the text. False if there is none or it
 * does not fit. An English word must end at a word boundary. */
bool numeral_parse(const char *text, size_t len, struct numeral *ret_numeral);
double numeral_as_double(int64_t digits, int32_t scale);

#endif

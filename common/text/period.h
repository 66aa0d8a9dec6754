/*
 * Times as people write them -> half-open ranges of ISO dates. English and
 * Chinese; "now" is a parameter, so that the same input gives the same range.
 */
#ifndef NLQ_TEXT_PERIOD_H
#define NLQ_TEXT_PERIOD_H

#include "common/model/grounding.h"

/* A period that starts exactly at text[at]. today is an ISO date. Sets start
 * and len in bytes of text, range, grain, relative. bare: only a bare year
 * number ("2000"), which may as well be a quantity.
 *
 * "last month", 上季度: the calendar one. "last 3 quarters", 近三年: complete
 * calendar ones before the current. "last 30 days", 近3个月: ending today.
 * "after 2010", 2010年之后: from 2011; "since 2010", 2010年起: from 2010. */
struct period_found {
	struct period period;
	bool bare;
};
bool period_parse(const char *text, size_t at, const char *today, struct period_found *ret_found);

#endif

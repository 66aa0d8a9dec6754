/* Tiers 0 and 1 of the ladder: it runs, and the result is sane. */
#ifndef NLQ_TIER_H
#define NLQ_TIER_H

#include "verify_agent/cert.h"

/* False if some query of the request failed: nothing further can be said. */
bool tier_ran(struct cert *c);
/* Looks at the rows; adds lines, lowers the confidence. False if a step that
 * the candidate builds on found nothing. */
bool tier_sane(struct cert *c);
/* True if the result has rows and every cell is NULL. */
bool tier_all_null(const struct resultset *r);

#endif

/* The data of a catalog's columns: counts, ranges, domains, samples, and the
 * relations that follow from values; each column and the whole in a time box. */
#ifndef NLQ_EXECUTOR_PROFILE_H
#define NLQ_EXECUTOR_PROFILE_H

#include <sqlite3.h>

#include "common/model/catalog.h"
#include "executor/describe.h"

#define PROFILE_VALUE_BYTES 80 /* longest value that is kept */
#define PROFILE_INT_DOMAIN 100 /* most distinct integers that are a domain */
#define PROFILE_SAMPLES 5

/* Never fails: what does not fit in its time stays "not profiled", and profile_cut
 * says so. o has no zero left. Uses the connection's progress handler. */
void profile_catalog(struct catalog *c, sqlite3 *db, const struct describe_options *o);

#endif

/* Keeps a catalog small enough to travel: its domains share one budget, and if that
 * is not enough, samples and ranges go. What goes is marked as not profiled. */
#ifndef NLQ_EXECUTOR_FIT_H
#define NLQ_EXECUTOR_FIT_H

#include "common/base/err.h"
#include "common/model/catalog.h"

#define FIT_DOMAIN_BYTES (1536u * 1024)  /* all domains together */
#define FIT_CATALOG_BYTES (3584u * 1024) /* packed, estimated */

/* Bytes that a list of values takes in a message, about. */
size_t fit_values_bytes(const struct value *v, size_t n);
/* Cuts the largest domains until all fit in max_bytes; returns how much one column
 * may have. */
size_t fit_domains(struct catalog *c, size_t max_bytes);
/* ERR_TOO_LARGE if even the bare schema does not fit. */
int fit_catalog(struct catalog *c, struct err *e);

#endif

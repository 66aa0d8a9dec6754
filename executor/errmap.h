/* The engine's result codes and messages, turned into our typed errors and our
 * own words. The engine's text is compared with what we know and never copied. */
#ifndef NLQ_EXECUTOR_ERRMAP_H
#define NLQ_EXECUTOR_ERRMAP_H

#include <sqlite3.h>

#include "common/base/err.h"

/* For a failed call on db in the phase PHASE_PREPARE, PHASE_RUN or PHASE_DESCRIBE. */
int errmap(struct err *e, sqlite3 *db, int rc, enum err_phase phase);

#endif

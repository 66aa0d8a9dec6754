/* Run folders that live for one call, and their end: also of those whose owner was
 * killed before it could clean up. */
#ifndef NLQ_CLI_RUNDIR_H
#define NLQ_CLI_RUNDIR_H

#include "common/base/err.h"

/* A new 0700 folder for one call. Folders of earlier calls that nobody holds the
 * lock of, and that are older than a minute, are removed on the way. */
int rundir_make_temporary(char *out, size_t size, struct err *e);
/* Removes the folder and all that is in it; errors are ignored. */
void rundir_remove(const char *dir);

#endif

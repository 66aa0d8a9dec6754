/* Where things of this user lie: run folders, the trace, the sockets to try.
 * Folders that others could write in are refused. */
#ifndef NLQ_CLI_PATHS_H
#define NLQ_CLI_PATHS_H

#include "common/base/err.h"

#define PATHS_SYSTEM_RUN "/run/nlq"

/* Run folder of the user's own stack: $XDG_RUNTIME_DIR/nlq, else a folder of
 * the user in /tmp. Not made. */
int paths_run_dir(char *out, size_t size, struct err *e);
/* $XDG_STATE_HOME/nlq, else ~/.local/state/nlq; made, 0700. */
int paths_state_dir(char *out, size_t size, struct err *e);
/* Makes the folder 0700 or checks that it is ours alone. */
int paths_make_private(const char *dir, struct err *e);
/* Where folders of one call are made: $XDG_RUNTIME_DIR if it is ours, else /tmp. */
const char *paths_runtime_base(void);
/* True if the folder is ours and no other can write there. */
bool paths_is_private(const char *dir);

#endif

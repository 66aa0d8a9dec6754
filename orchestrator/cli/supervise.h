/*
 * A private stack: the five daemons, found beside this program, as children of
 * this process, under the user's own uid, with their sockets in one 0700
 * folder. They end when this process ends, however it ends.
 */
#ifndef NLQ_CLI_SUPERVISE_H
#define NLQ_CLI_SUPERVISE_H

#include <sys/types.h>

#include "common/base/err.h"

enum { STACK_ORCHESTRATOR, STACK_EXECUTOR, STACK_DAEMONS = 5 };

struct stack {
	char run_dir[80];
	char state_dir[1024];
	char bin_dir[1024];
	bool is_temporary; /* run_dir is removed at the end */
	bool is_verbose;   /* set by the caller: daemons' messages go to our stderr, not
	                               to run_dir/log */
	int lock_fd, notify_fd;
	pid_t pids[STACK_DAEMONS]; /* 0: not running */
	bool ready[STACK_DAEMONS];
	uint64_t started_ms[STACK_DAEMONS];
	uint32_t n_fails[STACK_DAEMONS]; /* ends soon after a start, in a row */
	uint64_t retry_ms[STACK_DAEMONS];
};

/* Makes and locks the run folder: a new one for one call (run_dir NULL), or the
 * given one. ERR_DUPLICATE if a stack already runs there. */
int stack_init(struct stack *s, const char *run_dir, struct err *e);
/* Starts all that do not run and are not waiting for their back-off. */
int stack_start(struct stack *s, struct err *e);
/* Waits until all five said that they are ready. interrupted (may be NULL) is
 * looked at meanwhile. */
int stack_wait_ready(
    struct stack *s, uint32_t timeout_ms, const volatile bool *interrupted, struct err *e);
/* Waits for children that ended, notes them, and says which: its index, or -1
 * if none. The next stack_start starts it again after a growing pause. */
int stack_reap(struct stack *s, int *ret_status);
const char *stack_name(int daemon);
/* Ends everything and waits for it; removes a temporary folder. */
void stack_stop(struct stack *s);
/* What the daemons last wrote, for an error message; into buf. */
void stack_last_words(const struct stack *s, char *buf, size_t size);

#endif

/* A daemon that does what its test says, run by daemon_main in a child, with the
 * test program as its service manager. */
#ifndef NLQ_TESTS_FAKE_DAEMON_H
#define NLQ_TESTS_FAKE_DAEMON_H

#include <sys/types.h>

#include "common/daemon/daemon.h"

/* What the next daemon does; set before it is spawned. */
struct fake_acts {
	int check_rc, prepare_rc, start_rc;
	bool is_stuck, never_ready, is_dead, asks_exit, stop_hangs;
	uint32_t limit; /* the setting of the same name */
};
extern struct fake_acts fake_acts;

#define FAKE_WORDS(...) ((const char *const[]){"nlq-fake", ##__VA_ARGS__, NULL})

/* Makes the folder and the manager's socket; 0 / -1. */
int fake_begin(void);
void fake_end(void);
/* Forgets what the last case set and sent. */
void fake_reset(void);
/* Writes the settings file and returns its path. */
const char *fake_file(const char *text);

int fake_run(const char *const *argv); /* daemon_main in this process */
pid_t fake_spawn(const char *const *argv);
/* Exit code, or 1000 + signal. */
int fake_wait(pid_t pid);
/* What the last daemon wrote to stdout and stderr. */
const char *fake_output(void);
/* The next message to the service manager; "" if none comes in ms. */
const char *fake_message(int ms);

#endif

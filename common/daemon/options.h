/* Command line and settings of a daemon: the common rows, the daemon's own, and
 * what the user gave, checked. Private to common/daemon. */
#ifndef NLQ_DAEMON_OPTIONS_H
#define NLQ_DAEMON_OPTIONS_H

#include "common/base/conf.h"
#include "common/daemon/daemon.h"

/* Values of the common rows. */
struct options {
	int log_level; /* index into the row's names, see options_log_level */
	uint32_t drain_ms;
	bool die_with_parent;
	bool check_only; /* -t */
};

enum options_next {
	OPTIONS_RUN,
	OPTIONS_EXIT_OK,   /* -h or --version was answered */
	OPTIONS_EXIT_USAGE /* an error was printed */
};

/* Reads the command line and the settings file into the rows' targets. The
 * command line wins over the file, wherever -c stands in it. */
enum options_next options_read(int argc, char **argv, const struct daemon_spec *spec,
    struct arena *a, struct options *ret_options);
/* The numeric level of log.h for the options' log_level. */
int options_log_level(const struct options *o);
/* One line (two with a fix) on stderr, the form in which every start error is told. */
void options_print_error(const struct daemon_spec *spec, const struct err *e);

#endif

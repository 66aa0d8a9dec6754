/* The orchestrator daemon: settings and life cycle. */
#include "common/daemon/daemon.h"
#include "orchestrator/orch.h"
#include "orchestrator/settings.h"

static int check(struct err *e)
{
	return settings_check(daemon_arena(), e);
}

int main(int argc, char **argv)
{
	struct daemon_spec spec = {
	    .name = "orchestrator",
	    .help = "carries questions through the agents and keeps the trace",
	    .rows = settings_rows,
	    .n_rows = settings_n_rows,
	    .check = check,
	    .start = orch_start,
	    .drain = orch_drain,
	    .is_drained = orch_is_drained,
	    .stop = orch_stop,
	};

	return daemon_main(argc, argv, &spec);
}

# Everything but the two main files is one library, so that tests link the
# client's parts (table, csv, jsonout) as they link the daemon's.
orchestrator_SRCS := $(wildcard orchestrator/*.c) \
	$(filter-out orchestrator/cli/nlq.c,$(wildcard orchestrator/cli/*.c))
# The command line client lives beside the daemon that it talks to.
cli_SRCS := orchestrator/cli/nlq.c

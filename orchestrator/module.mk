orchestrator_SRCS := $(wildcard orchestrator/*.c)
# The command line client lives beside the daemon that it talks to.
cli_SRCS := $(wildcard orchestrator/cli/*.c)

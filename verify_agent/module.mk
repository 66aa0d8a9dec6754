verify_agent_SRCS := $(wildcard verify_agent/*.c)

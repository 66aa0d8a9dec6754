schema_agent_SRCS := $(wildcard schema_agent/*.c)

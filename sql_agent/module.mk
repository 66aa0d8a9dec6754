sql_agent_SRCS := $(wildcard sql_agent/*.c sql_agent/compose/*.c)

executor_SRCS := $(wildcard executor/*.c)

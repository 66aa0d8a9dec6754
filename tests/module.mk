tests_LIB_SRCS := $(wildcard tests/lib/*.c)

# Helpers that every test program may use.
tests_LIB_SRCS := $(wildcard tests/lib/*.c)

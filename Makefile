# nlq: one non-recursive Makefile. Each folder's module.mk only sets variables
# with its own prefix; the rules are all here. `make help` lists the targets.
#   DEBUG=1  SAN=address,undefined  COV=1   choose a variant: build/<variant>/

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
SHELL := /bin/bash

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
NLQ_DATA ?= ../shared/data
export NLQ_DATA

comma := ,
empty :=
ifdef SAN
VARIANT := san-$(subst $(comma),-,$(SAN))
OPT := -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all -DNLQ_SANITIZER
LDOPT := -fsanitize=$(SAN)
else ifdef COV
VARIANT := cov
OPT := -O0 --coverage
LDOPT := --coverage
else ifdef DEBUG
VARIANT := debug
OPT := -O0 -D_GLIBC_ASSERTIONS
else
VARIANT := release
OPT := -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong
endif

OUT := build/$(VARIANT)
GEN := build/gen
BIN := $(if $(filter release,$(VARIANT)),build/bin,$(OUT)/bin)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings
# Not with sanitizers: their checks make the compiler see paths that are not there.
ifdef CI
ifndef SAN
WARN += -Werror
endif
endif
CPPFLAGS := -I. -I$(GEN) -D_GNU_SOURCE
CFLAGS := -std=gnu11 -g -fPIE -pthread $(OPT) $(WARN)
LDFLAGS := -pie -pthread -Wl,-z,relro,-z,now $(LDOPT)
LIBS := -lnng -lprotobuf-c -lsqlite3 -lyaml -lseccomp -lcrypto -lcjson -lcurl -lm

DEPS_STAMP := build/.deps

# --- modules -----------------------------------------------------------------
DAEMONS := schema_agent sql_agent verify_agent executor orchestrator
FOLDERS := proto common $(DAEMONS) deploy deploy/demo tests
include $(FOLDERS:%=%/module.mk)

GEN_C := $(proto_GEN_C) $(common_GEN_C) $(tests_GEN_C)
GEN_H := $(proto_GEN_H) $(common_GEN_H)
obj = $(patsubst %.c,$(OUT)/%.o,$(patsubst $(GEN)/%.c,gen/%.c,$(1)))

# One library of everything below the daemons, one of each daemon's domain files
# (all but main.c), so that tests link what they need.
COMMON_LIB := $(OUT)/common.a
DAEMON_LIBS := $(DAEMONS:%=$(OUT)/%.a)
PROGRAMS := $(DAEMONS:%=$(BIN)/nlq-%) $(BIN)/nlq
PROGRAMS := $(subst _,-,$(PROGRAMS))

UNIT_TESTS := $(patsubst tests/unit/%.c,$(OUT)/tests/%,$(wildcard tests/unit/test_*.c))
TOOLS := $(patsubst tests/tool/%.c,$(OUT)/tests/%,$(wildcard tests/tool/*.c)) \
	$(patsubst tests/bench/%.c,$(OUT)/tests/%,$(wildcard tests/bench/*.c)) \
	$(patsubst tests/sandbox/%.c,$(OUT)/tests/%,$(wildcard tests/sandbox/*.c)) \
	$(patsubst tests/fuzz/%.c,$(OUT)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: all demo test test-unit test-integration bench corpus lint install deps clean help format programs tests
.DEFAULT_GOAL := all

all: programs

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20 | sort

# --- dependencies ------------------------------------------------------------
$(DEPS_STAMP): deploy/install-deps
	@mkdir -p build
	@deploy/install-deps
	@touch $@

deps: ## install the Debian packages that are missing (root or sudo)
	@deploy/install-deps
	@mkdir -p build && touch $(DEPS_STAMP)

# --- generated code ------------------------------------------------------------
# What is made through chains of pattern rules is kept, objects of tests too.
.SECONDARY:

$(GEN)/%.pb-c.c $(GEN)/%.pb-c.h &: proto/%.proto | $(DEPS_STAMP)
	@mkdir -p $(GEN)
	@protoc-c --proto_path=proto --c_out=$(GEN) $<

# --- compile -------------------------------------------------------------------
# A changed flag rebuilds everything of the variant.
FLAGS_STAMP := $(OUT)/.flags
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
ifneq ($(shell cat $(FLAGS_STAMP) 2>/dev/null),$(FLAGS_NOW))
$(shell mkdir -p $(OUT) && printf '%s' '$(FLAGS_NOW)' > $(FLAGS_STAMP))
endif

$(OUT)/%.o: %.c $(FLAGS_STAMP) | $(GEN_H) $(DEPS_STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Tests make odd texts on purpose, and cut them.
$(OUT)/tests/%.o: CFLAGS += -Wno-format-nonliteral -Wno-format-truncation

# Generated code is held to its generator's warnings, not to ours.
$(OUT)/gen/%.o: $(GEN)/%.c $(FLAGS_STAMP) | $(GEN_H)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -w -MMD -MP -c -o $@ $<

$(COMMON_LIB): $(call obj,$(common_SRCS) $(filter-out $(tests_GEN_C),$(GEN_C)))
	@rm -f $@ && ar rcs $@ $^

define daemon_rules
$(OUT)/$(1).a: $(call obj,$(filter-out %/main.c,$($(1)_SRCS)))
	@rm -f $$@ && ar rcs $$@ $$^
$(BIN)/nlq-$(subst _,-,$(1)): $(call obj,$(1)/main.c) $(OUT)/$(1).a $(COMMON_LIB)
	@mkdir -p $$(@D)
	@echo "  LINK    $$@"
	@$(CC) $(LDFLAGS) -o $$@ $$^ $(LIBS)
endef
$(foreach d,$(DAEMONS),$(eval $(call daemon_rules,$(d))))

$(BIN)/nlq: $(call obj,$(cli_SRCS)) $(OUT)/orchestrator.a $(COMMON_LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

programs: $(PROGRAMS)

# --- tests ---------------------------------------------------------------------
$(OUT)/tests.a: $(call obj,$(tests_LIB_SRCS))
	@rm -f $@ && ar rcs $@ $^

TEST_LIBS := $(OUT)/tests.a $(DAEMON_LIBS) $(COMMON_LIB)

define test_rule
$(OUT)/tests/%: $(OUT)/tests/$(1)/%.o $(TEST_LIBS)
	@mkdir -p $$(@D)
	@echo "  LINK    $$@"
	@$(CC) $(LDFLAGS) -o $$@ $$< -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(LIBS) -lcmocka
endef
$(foreach d,unit tool bench sandbox fuzz,$(eval $(call test_rule,$(d))))

tests: programs $(UNIT_TESTS) $(TOOLS) demo-data

RUN_ENV := NLQ_BIN=$(abspath $(BIN)) NLQ_TESTS=$(abspath $(OUT)/tests) NLQ_VARIANT=$(VARIANT)

test: tests ## install what is missing, build, run every test
	@$(RUN_ENV) tests/run.sh $(UNIT_TESTS) $(wildcard tests/integration/t*.sh)

test-unit: programs $(UNIT_TESTS) $(TOOLS) ## unit tests only
	@$(RUN_ENV) tests/run.sh $(UNIT_TESTS)

test-integration: tests ## integration tests only; T=tests/integration/tNNNN-x.sh for one
	@$(RUN_ENV) tests/run.sh $(or $(T),$(wildcard tests/integration/t*.sh))

bench: tests ## print the benchmark as JSON
	@$(RUN_ENV) tests/bench/run.sh

corpus: $(OUT)/tests/sql_corpus ## prove the SQL front end on the public queries of NLQ_DATA
	@$<

demo: programs demo-data ## build, make the demo databases, ask the demo questions
	@$(RUN_ENV) deploy/demo/run.sh

# --- care ------------------------------------------------------------------------
ALL_C := $(wildcard common/*/*.c common/*/*.h) $(foreach d,$(DAEMONS) tests,$(wildcard $(d)/*.c $(d)/*.h $(d)/*/*.c $(d)/*/*.h))

format: ## rewrite the sources with clang-format
	@clang-format -i $(ALL_C)

lint: $(GEN_C) $(GEN_H) programs ## formatter, clang-tidy, cppcheck, layers, units
	@deploy/install-deps --lint
	@BIN=$(BIN) CPPFLAGS="$(CPPFLAGS)" tests/lint.sh $(ALL_C)

DESTDIR ?=
PREFIX ?= /usr/local
install: programs ## install programs, units and sample configuration
	@DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) BIN=$(BIN) deploy/install

clean: ## remove build/
	@rm -rf build

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)

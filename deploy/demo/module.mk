# The demo databases, made from the data files of this folder.
DEMO := build/demo
demo_FILES := $(wildcard deploy/demo/*.sh deploy/demo/energy/*.csv deploy/demo/energy/*.sql deploy/demo/energy/*/*.yaml)

.PHONY: demo-data
demo-data: $(DEMO)/.made
$(DEMO)/.made: $(demo_FILES) | $(DEPS_STAMP)
	@mkdir -p $(DEMO)
	@deploy/demo/build.sh $(DEMO)
	@touch $@

# The shared library; its layers, lowest first: base wire model text sql rpc daemon.
common_LAYERS := base wire model text sql rpc daemon
common_SRCS := $(foreach l,$(common_LAYERS),$(wildcard common/$(l)/*.c))
-include $(common_LAYERS:%=common/%/module.mk)
common_GEN_C := $(text_GEN_C) $(sql_GEN_C)
common_GEN_H := $(text_GEN_H) $(sql_GEN_H)

# protoc-c output for every .proto of this folder.
proto_NAMES := envelope snapshot schema exec agents client
proto_GEN_C := $(proto_NAMES:%=$(GEN)/%.pb-c.c)
proto_GEN_H := $(proto_NAMES:%=$(GEN)/%.pb-c.h)

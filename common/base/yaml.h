/*
 * A YAML file as a small tree with file and line in every node (libyaml's
 * parser underneath). One document, no aliases or anchors, no tags, UTF-8,
 * at most 1 MiB, depth 16; a duplicate key is an error. The two readers of the
 * product's YAML (daemon configuration, semantic model) walk this tree and
 * report unknown keys with yaml_error.
 */
#ifndef NLQ_YAML_H
#define NLQ_YAML_H

#include "common/base/arena.h"
#include "common/base/err.h"

enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_LIST, YAML_KIND_MAP };

struct yaml_node {
	enum yaml_kind kind;
	const char *file;             /* as given to yaml_load */
	uint32_t line, column;        /* 1-based */
	const char *scalar;           /* SCALAR: its text */
	bool quoted;                  /* SCALAR: was quoted, so never null/bool/number */
	struct yaml_node **items;     /* LIST, MAP: values, in file order */
	const char **keys;            /* MAP: items[i]'s key */
	struct yaml_node **key_nodes; /* MAP: where the key stands */
	size_t n;
};

/* Reads a regular file; the tree lives in the arena. An empty file gives an
 * empty map. Errors: ERR_CONFIG with "file:line: ..." in text. */
int yaml_load(struct arena *a, const char *path, struct yaml_node **ret_root, struct err *e);
/* The same from memory; name stands for the file in messages. */
int yaml_parse(struct arena *a, const char *name, const char *text, size_t len,
    struct yaml_node **ret_root, struct err *e);
/* Value of a map's key, or NULL. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
/* ERR_CONFIG with "file:line: " before the text. */
int yaml_error(struct err *e, const struct yaml_node *at, const char *fmt, ...) NLQ_PRINTF(3, 4);

#endif

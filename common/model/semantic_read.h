/*
 * YAML maps read into structs by tables of rows {key, kind, place}: the part of
 * the semantic model's loader that knows no key. Private to common/model.
 */
#ifndef NLQ_SEMANTIC_READ_H
#define NLQ_SEMANTIC_READ_H

#include "common/base/yaml.h"
#include "common/model/semantic.h"

struct semantic_loader {
	struct semantic *s;
	struct arena *a;  /* the model's */
	const char *file; /* name of the file without its folder, for the items */
	struct err *e;
};

typedef int semantic_read_fn(struct semantic_loader *l, const struct yaml_node *n, void *target);

enum semantic_key_kind {
	KEY_TEXT,   /* const char * */
	KEY_NAMES,  /* struct semantic_names, from a list of scalars or one scalar */
	KEY_BOOL,   /* bool */
	KEY_CHOICE, /* int or enum: index of the word */
	KEY_WORD,   /* const char *: one of the words */
	KEY_READ,   /* by its own function, which gets the start of the struct */
};

struct semantic_key {
	const char *key;
	enum semantic_key_kind kind;
	bool required;
	size_t offset;
	const char *const *words; /* CHOICE, WORD; NULL-terminated */
	semantic_read_fn *read;   /* READ */
};

/* Fills *target from a map by the table: texts that are not given become "".
 * Unknown and missing keys, and values of the wrong kind, are ERR_CONFIG. */
int semantic_read_map(struct semantic_loader *l, const struct yaml_node *n,
    const struct semantic_key *rows, size_t n_rows, void *target);
int semantic_read_text(struct semantic_loader *l, const struct yaml_node *n, const char **ret_text);
int semantic_read_names(
    struct semantic_loader *l, const struct yaml_node *n, struct semantic_names *ret_names);
int semantic_expect_list(struct semantic_loader *l, const struct yaml_node *n);

#endif

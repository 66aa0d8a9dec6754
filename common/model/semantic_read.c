/* Table-driven reading of the semantic model's maps; see semantic_read.h. */
#include "common/model/semantic_read.h"

#include <stdio.h>
#include <string.h>

#define MAX_KEY_BYTES 64

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[MAX_KEY_BYTES + 1], n = strlen(b);
	for (size_t j = 0; j <= n; j++) {
		row[j] = j;
	}
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t change = diagonal + (a[i] != b[j]);
			diagonal = row[j + 1];
			size_t gap = (row[j] < diagonal ? row[j] : diagonal) + 1;
			row[j + 1] = change < gap ? change : gap;
		}
	}
	return row[n];
}

static const char *nearest_key(const char *key, const struct semantic_key *rows, size_t n)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;
	if (strlen(key) > MAX_KEY_BYTES) {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(key, rows[i].key);
		if (d < best_distance && d <= 1 + strlen(key) / 3) {
			best = rows[i].key;
			best_distance = d;
		}
	}
	return best;
}

static int unknown_key(struct semantic_loader *l, const struct yaml_node *at, const char *key,
    const struct semantic_key *rows, size_t n)
{
	const char *near = nearest_key(key, rows, n);
	int r = yaml_error(l->e, at, "unknown key \"%s\"", key);
	if (near) {
		err_fix(l->e, "did you mean \"%s\"?", near);
		return r;
	}
	char list[ERR_TEXT_MAX] = "";
	size_t used = 0;
	for (size_t i = 0; i < n && used + strlen(rows[i].key) + 3 < sizeof(list); i++) {
		used += (size_t)snprintf(
		    list + used, sizeof(list) - used, "%s%s", i ? ", " : "", rows[i].key);
	}
	err_fix(l->e, "known keys here: %s", list);
	return r;
}

int semantic_read_text(struct semantic_loader *l, const struct yaml_node *n, const char **ret_text)
{
	if (n->kind != YAML_KIND_SCALAR) {
		return yaml_error(l->e, n, "a single value is expected here");
	}
	*ret_text = arena_strdup(l->a, n->scalar);
	return 0;
}

int semantic_read_names(
    struct semantic_loader *l, const struct yaml_node *n, struct semantic_names *ret_names)
{
	if (n->kind == YAML_KIND_MAP) {
		return yaml_error(l->e, n, "a list of values is expected here");
	}
	size_t count = n->kind == YAML_KIND_LIST ? n->n : 1;
	const char **items = arena_new_array(l->a, count, const char *);
	for (size_t i = 0; i < count; i++) {
		int r = semantic_read_text(
		    l, n->kind == YAML_KIND_LIST ? n->items[i] : n, &items[i]);
		if (r < 0) {
			return r;
		}
	}
	ret_names->items = items;
	ret_names->n = count;
	return 0;
}

static int read_bool(struct semantic_loader *l, const struct yaml_node *n, bool *ret_value)
{
	bool yes = n->kind == YAML_KIND_SCALAR && !n->quoted && strcmp(n->scalar, "true") == 0;
	bool no = n->kind == YAML_KIND_SCALAR && !n->quoted && strcmp(n->scalar, "false") == 0;
	if (!yes && !no) {
		return yaml_error(l->e, n, "true or false is expected here");
	}
	*ret_value = yes;
	return 0;
}

static int read_word(
    struct semantic_loader *l, const struct yaml_node *n, const char *const *words, int *ret_index)
{
	char list[ERR_TEXT_MAX] = "";
	size_t used = 0;
	for (int i = 0; words[i]; i++) {
		if (n->kind == YAML_KIND_SCALAR && strcmp(n->scalar, words[i]) == 0) {
			*ret_index = i;
			return 0;
		}
		used += (size_t)snprintf(
		    list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
	}
	return yaml_error(l->e, n, "one of these words is expected here: %s", list);
}

static int read_value(struct semantic_loader *l, const struct yaml_node *n,
    const struct semantic_key *row, void *target)
{
	void *place = (char *)target + row->offset;
	int index, r;
	switch (row->kind) {
	case KEY_TEXT: return semantic_read_text(l, n, place);
	case KEY_NAMES: return semantic_read_names(l, n, place);
	case KEY_BOOL: return read_bool(l, n, place);
	case KEY_READ: return row->read(l, n, place);
	case KEY_CHOICE:
		r = read_word(l, n, row->words, &index);
		if (r == 0) {
			*(int *)place = index;
		}
		return r;
	case KEY_WORD:
		r = read_word(l, n, row->words, &index);
		if (r == 0) {
			*(const char **)place = row->words[index];
		}
		return r;
	}
	return yaml_error(l->e, n, "unreadable row");
}

static const struct semantic_key *find_row(
    const struct semantic_key *rows, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].key, key) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

int semantic_read_map(struct semantic_loader *l, const struct yaml_node *n,
    const struct semantic_key *rows, size_t n_rows, void *target)
{
	if (n->kind != YAML_KIND_MAP) {
		return yaml_error(l->e, n, "a map of keys is expected here");
	}
	for (size_t i = 0; i < n_rows; i++) {
		const char **place = (const char **)((char *)target + rows[i].offset);
		if ((rows[i].kind == KEY_TEXT || rows[i].kind == KEY_WORD) && !*place) {
			*place = "";
		}
		if (rows[i].required && !yaml_get(n, rows[i].key)) {
			return yaml_error(l->e, n, "key \"%s\" is missing", rows[i].key);
		}
	}
	for (size_t i = 0; i < n->n; i++) {
		const struct semantic_key *row = find_row(rows, n_rows, n->keys[i]);
		if (!row) {
			return unknown_key(l, n->key_nodes[i], n->keys[i], rows, n_rows);
		}
		int r = read_value(l, n->items[i], row, target);
		if (r < 0) {
			return r;
		}
		if (row->required && row->kind == KEY_TEXT && !n->items[i]->scalar[0]) {
			return yaml_error(l->e, n->items[i], "key \"%s\" is empty", row->key);
		}
	}
	return 0;
}

int semantic_expect_list(struct semantic_loader *l, const struct yaml_node *n)
{
	return n->kind == YAML_KIND_LIST ? 0 : yaml_error(l->e, n, "a list is expected here");
}

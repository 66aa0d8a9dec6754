#include "common/base/conf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRING 4096
#define MAX_KEY 128

/* A value to be set and where it came from (at NULL: the command line). */
struct source {
	const struct yaml_node *at;
	const char *key;
	const char *text;
	bool quoted;
};

static int bad(const struct source *s, struct err *e, const char *want)
{
	if (s->at)
		yaml_error(e, s->at, "%s: \"%.100s\" is not %s", s->key, s->text, want);
	else
		err_set(e, ERR_CONFIG, PHASE_CONFIG, "--%s: \"%.100s\" is not %s", s->key, s->text,
		    want);
	err_fix(e, "give %s", want);
	return ERR_CONFIG;
}

/* Digits only: no sign, no blank, no fraction. *ret_rest is what follows. */
static bool parse_digits(const char *text, uint64_t *ret_value, const char **ret_rest)
{
	const char *p = text;
	uint64_t v = 0;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	*ret_value = v;
	*ret_rest = p;
	return p != text;
}

struct suffix {
	const char *name;
	uint64_t factor;
};

static const struct suffix no_suffix[] = {{"", 1}, {NULL, 0}};
static const struct suffix size_suffix[] = {
    {"", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0}};
static const struct suffix ms_suffix[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {NULL, 0}};

static bool parse_number(const char *text, const struct suffix *suffixes, uint64_t *ret_value)
{
	const char *rest;
	uint64_t v;

	if (!parse_digits(text, &v, &rest))
		return false;
	for (; suffixes->name; suffixes++)
		if (strcmp(rest, suffixes->name) == 0)
			return !__builtin_mul_overflow(v, suffixes->factor, ret_value);
	return false;
}

/* Limits of the row, and of the type that it is stored in. */
static int set_number(const struct conf_row *row, const struct source *s,
    const struct suffix *suffixes, uint64_t type_max, const char *what, struct err *e)
{
	uint64_t v, max = row->max && row->max < type_max ? row->max : type_max;
	char want[160];

	snprintf(want, sizeof(want), "%s from %" PRIu64 " to %" PRIu64, what, row->min, max);
	if (s->quoted || !parse_number(s->text, suffixes, &v) || v < row->min || v > max)
		return bad(s, e, want);
	if (row->type == CONF_SIZE)
		*(uint64_t *)row->target = v;
	else
		*(uint32_t *)row->target = (uint32_t)v;
	return 0;
}

static int set_enum(const struct conf_row *row, const struct source *s, struct err *e)
{
	char want[300] = "one of";

	for (int i = 0; row->names[i]; i++) {
		size_t len = strlen(want);

		if (strcmp(row->names[i], s->text) == 0) {
			*(int *)row->target = i;
			return 0;
		}
		snprintf(want + len, sizeof(want) - len, "%s %s", i ? "," : "", row->names[i]);
	}
	return bad(s, e, want);
}

static int set_string(
    struct arena *a, const struct conf_row *row, const struct source *s, struct err *e)
{
	if (strlen(s->text) > MAX_STRING)
		return bad(s, e, "a text of at most 4096 bytes");
	if (s->at && !s->quoted &&
	    (!s->text[0] || strcmp(s->text, "~") == 0 || strcmp(s->text, "null") == 0))
		return bad(s, e, "a text (write \"\" for an empty one)");
	*(const char **)row->target = arena_strdup(a, s->text);
	return 0;
}

static int set_bool(const struct conf_row *row, const struct source *s, struct err *e)
{
	if (s->quoted || (strcmp(s->text, "true") != 0 && strcmp(s->text, "false") != 0))
		return bad(s, e, "true or false");
	*(bool *)row->target = s->text[0] == 't';
	return 0;
}

static int set_scalar(
    struct arena *a, const struct conf_row *row, const struct source *s, struct err *e)
{
	switch (row->type) {
	case CONF_STRING: return set_string(a, row, s, e);
	case CONF_UINT: return set_number(row, s, no_suffix, UINT32_MAX, "a whole number", e);
	case CONF_SIZE:
		return set_number(row, s, size_suffix, INT64_MAX,
		    "a size in bytes (or like 64KiB, 4MiB, 1GiB)", e);
	case CONF_MS:
		return set_number(row, s, ms_suffix, UINT32_MAX,
		    "a time in milliseconds (or like 500ms, 10s, 2m)", e);
	case CONF_BOOL: return set_bool(row, s, e);
	case CONF_ENUM: return set_enum(row, s, e);
	case CONF_NODE: break;
	}
	err_set(e, ERR_CONFIG, PHASE_CONFIG, "--%s can be set only in the settings file", row->key);
	return ERR_CONFIG;
}

static const struct conf_row *find_row(const struct conf_row *rows, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].key, key) == 0)
			return &rows[i];
	return NULL;
}

/* True if some row lies below: "trace" for "trace.sync". */
static bool is_group(const struct conf_row *rows, size_t n, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < n; i++)
		if (strncmp(rows[i].key, key, len) == 0 && rows[i].key[len] == '.')
			return true;
	return false;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[MAX_KEY + 1], la = strnlen(a, MAX_KEY), lb = strnlen(b, MAX_KEY);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

static void suggest(const struct conf_row *rows, size_t n, const char *key, struct err *e)
{
	const char *best = NULL;
	size_t best_distance = strlen(key) / 2 + 1;

	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(key, rows[i].key);

		if (d < best_distance) {
			best_distance = d;
			best = rows[i].key;
		}
	}
	if (best)
		err_fix(e, "did you mean %s? --help lists all settings", best);
	else
		err_fix(e, "--help lists all settings");
}

static int load_map(struct arena *a, const struct conf_row *rows, size_t n,
    const struct yaml_node *map, const char *prefix, struct err *e);

static int load_item(struct arena *a, const struct conf_row *rows, size_t n, const char *key,
    const struct yaml_node *at, const struct yaml_node *value, struct err *e)
{
	const struct conf_row *row = find_row(rows, n, key);
	struct source s = {.at = value, .key = key, .text = value->scalar, .quoted = value->quoted};

	if (row && row->type == CONF_NODE) {
		*(const struct yaml_node **)row->target = value;
		return 0;
	}
	if (row && value->kind != YAML_KIND_SCALAR)
		return yaml_error(e, value, "%s must be a single value", key);
	if (row)
		return set_scalar(a, row, &s, e);
	if (is_group(rows, n, key)) {
		if (value->kind != YAML_KIND_MAP)
			return yaml_error(e, value, "%s must be a map of settings", key);
		return load_map(a, rows, n, value, key, e);
	}
	yaml_error(e, at, "unknown setting \"%s\"", key);
	suggest(rows, n, key, e);
	return ERR_CONFIG;
}

static int load_map(struct arena *a, const struct conf_row *rows, size_t n,
    const struct yaml_node *map, const char *prefix, struct err *e)
{
	for (size_t i = 0; i < map->n; i++) {
		const char *name = map->keys[i];
		const char *key = *prefix ? arena_printf(a, "%s.%s", prefix, name) : name;
		int rc;

		/* One spelling only, or a key could be given twice unseen. */
		if (strchr(name, '.')) {
			yaml_error(e, map->key_nodes[i], "unknown setting \"%s\"", name);
			err_fix(e,
			    "a dotted setting is written as a map: \"trace.sync\" is sync under trace");
			return ERR_CONFIG;
		}
		rc = load_item(a, rows, n, key, map->key_nodes[i], map->items[i], e);
		if (rc)
			return rc;
	}
	return 0;
}

int conf_load(
    struct arena *a, const struct conf_row *rows, size_t n, const char *path, struct err *e)
{
	struct yaml_node *root = NULL;
	int rc;

	if (!path)
		return 0;
	rc = yaml_load(a, path, &root, e);
	if (rc)
		return rc;
	if (root->kind != YAML_KIND_MAP)
		return yaml_error(e, root, "a settings file is a map: lines of \"key: value\"");
	return load_map(a, rows, n, root, "", e);
}

int conf_set(
    struct arena *a, const struct conf_row *rows, size_t n, const char *word, struct err *e)
{
	const char *eq = strchr(word, '=');
	const struct conf_row *row;
	struct source s = {0};

	if (!eq) {
		err_set(e, ERR_CONFIG, PHASE_CONFIG, "--%.100s has no value", word);
		err_fix(e, "write --%.100s=VALUE", word);
		return ERR_CONFIG;
	}
	s.key = arena_strndup(a, word, (size_t)(eq - word));
	s.text = eq + 1;
	row = find_row(rows, n, s.key);
	if (!row) {
		err_set(e, ERR_CONFIG, PHASE_CONFIG, "unknown setting --%.100s", s.key);
		suggest(rows, n, s.key, e);
		return ERR_CONFIG;
	}
	return set_scalar(a, row, &s, e);
}

static void print_default(const struct conf_row *row, char *out, size_t size)
{
	switch (row->type) {
	case CONF_STRING: {
		const char *s = *(const char **)row->target;

		snprintf(out, size, "\"%s\"", s ? s : "");
		break;
	}
	case CONF_UINT:
	case CONF_MS: snprintf(out, size, "%" PRIu32, *(uint32_t *)row->target); break;
	case CONF_SIZE: snprintf(out, size, "%" PRIu64, *(uint64_t *)row->target); break;
	case CONF_BOOL: snprintf(out, size, "%s", *(bool *)row->target ? "true" : "false"); break;
	case CONF_ENUM: snprintf(out, size, "%s", row->names[*(int *)row->target]); break;
	case CONF_NODE: snprintf(out, size, "(settings file only)"); break;
	}
}

void conf_help(const struct conf_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char value[256];

		print_default(&rows[i], value, sizeof(value));
		printf("  %-32s %-24s %s\n", rows[i].key, value, rows[i].help);
		if (rows[i].type == CONF_ENUM) {
			printf("  %-32s one of:", "");
			for (int k = 0; rows[i].names[k]; k++)
				printf(" %s", rows[i].names[k]);
			printf("\n");
		}
	}
}

#include "common/base/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "common/base/hash.h"
#include "common/base/utf8.h"

#define MAX_BYTES ((size_t)1024 * 1024)
#define MAX_DEPTH 16

/* One open list or map. In a map, key is the one that waits for its value. */
struct level {
	struct yaml_node *node;
	struct yaml_node *key;
};

struct reader {
	struct arena *a;
	const char *file;
	yaml_parser_t parser;
	struct level levels[MAX_DEPTH];
	size_t depth;
	struct yaml_node *root;
	uint32_t documents;
};

int yaml_error(struct err *e, const struct yaml_node *at, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(e, ERR_CONFIG, PHASE_CONFIG, "%s:%u: %s", at->file, at->line, text);
	if (e) {
		e->line = at->line;
		e->column = at->column;
	}
	return ERR_CONFIG;
}

static struct yaml_node *node_new(struct reader *r, enum yaml_kind kind, yaml_mark_t mark)
{
	struct yaml_node *node = arena_new(r->a, struct yaml_node);

	node->kind = kind;
	node->file = r->file;
	node->line = (uint32_t)mark.line + 1;
	node->column = (uint32_t)mark.column + 1;
	return node;
}

static int error_at(struct reader *r, yaml_mark_t mark, struct err *e, const char *text)
{
	return yaml_error(e, node_new(r, YAML_KIND_SCALAR, mark), "%s", text);
}

/* Puts a finished or just opened node where it belongs: the root, the next item
 * of a list, the next key or value of a map. */
static int attach(struct reader *r, struct yaml_node *node, struct err *e)
{
	struct level *top = r->depth ? &r->levels[r->depth - 1] : NULL;
	struct yaml_node *parent = top ? top->node : NULL;

	if (!top) {
		r->root = node;
		return 0;
	}
	if (parent->kind == YAML_KIND_LIST) {
		*arena_push(r->a, parent->items, parent->n) = node;
		return 0;
	}
	if (!top->key) {
		if (node->kind != YAML_KIND_SCALAR)
			return yaml_error(
			    e, node, "a key must be a plain word, not a list or a map");
		top->key = node;
		return 0;
	}
	parent->items = arena_grow(r->a, parent->items, parent->n, sizeof(*parent->items));
	parent->keys = arena_grow(r->a, parent->keys, parent->n, sizeof(*parent->keys));
	parent->key_nodes = arena_grow(
	    r->a, parent->key_nodes, parent->n, sizeof(*parent->key_nodes));
	parent->items[parent->n] = node;
	parent->keys[parent->n] = top->key->scalar;
	parent->key_nodes[parent->n] = top->key;
	parent->n++;
	top->key = NULL;
	return 0;
}

/* Runs once per map, with a hash table: a file may have one map of many keys. */
static int check_duplicates(struct reader *r, const struct yaml_node *map, struct err *e)
{
	size_t slots = 4, at;
	size_t *table; /* index + 1 of a key, 0 = free */

	while (slots < 2 * map->n)
		slots *= 2;
	table = arena_new_array(r->a, slots, size_t);
	for (size_t i = 0; i < map->n; i++) {
		const char *key = map->keys[i];

		at = hash64(key, strlen(key), 0) & (slots - 1);
		for (; table[at]; at = (at + 1) & (slots - 1)) {
			size_t first = table[at] - 1;

			if (strcmp(map->keys[first], key) == 0)
				return yaml_error(e, map->key_nodes[i],
				    "key \"%s\" is given twice (first in line %u)", key,
				    map->key_nodes[first]->line);
		}
		table[at] = i + 1;
	}
	return 0;
}

static int open_level(struct reader *r, enum yaml_kind kind, yaml_event_t *ev, struct err *e)
{
	struct yaml_node *node = node_new(r, kind, ev->start_mark);
	int rc;

	if (r->depth == MAX_DEPTH)
		return yaml_error(e, node, "nested deeper than %d levels", MAX_DEPTH);
	rc = attach(r, node, e);
	if (rc)
		return rc;
	r->levels[r->depth++] = (struct level){.node = node};
	return 0;
}

static int on_scalar(struct reader *r, yaml_event_t *ev, struct err *e)
{
	struct yaml_node *node = node_new(r, YAML_KIND_SCALAR, ev->start_mark);
	const char *text = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;

	if (memchr(text, '\0', len))
		return yaml_error(e, node, "a value holds a NUL character");
	node->scalar = arena_strndup(r->a, text, len);
	node->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return attach(r, node, e);
}

static int on_document(struct reader *r, yaml_event_t *ev, struct err *e)
{
	if (r->documents++)
		return error_at(r, ev->start_mark, e, "only one document per file (\"---\" again)");
	if (ev->data.document_start.tag_directives.start !=
	    ev->data.document_start.tag_directives.end)
		return error_at(r, ev->start_mark, e, "%TAG is not supported");
	return 0;
}

/* Anchors and tags can stand at scalars, lists and maps. */
static int refuse_properties(struct reader *r, yaml_event_t *ev, struct err *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
		break;
	default: break;
	}
	if (anchor || ev->type == YAML_ALIAS_EVENT)
		return error_at(r, ev->start_mark, e,
		    "anchors and aliases (& and *) are not supported; quote the value if it is text");
	if (tag)
		return error_at(r, ev->start_mark, e,
		    "tags (!) are not supported; quote the value if it is text");
	return 0;
}

static int on_event(struct reader *r, yaml_event_t *ev, struct err *e)
{
	int rc = refuse_properties(r, ev, e);

	if (rc)
		return rc;
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT: return on_document(r, ev, e);
	case YAML_SCALAR_EVENT: return on_scalar(r, ev, e);
	case YAML_SEQUENCE_START_EVENT: return open_level(r, YAML_KIND_LIST, ev, e);
	case YAML_MAPPING_START_EVENT: return open_level(r, YAML_KIND_MAP, ev, e);
	case YAML_SEQUENCE_END_EVENT: r->depth--; return 0;
	case YAML_MAPPING_END_EVENT: return check_duplicates(r, r->levels[--r->depth].node, e);
	default: return 0;
	}
}

static int parser_error(struct reader *r, struct err *e)
{
	yaml_parser_t *p = &r->parser;
	const char *what = p->problem ? p->problem : "not valid YAML";

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(e, ERR_NOMEM, PHASE_CONFIG, "%s: out of memory", r->file);
	if (p->context)
		return yaml_error(
		    e, node_new(r, YAML_KIND_SCALAR, p->problem_mark), "%s %s", what, p->context);
	return error_at(r, p->problem_mark, e, what);
}

static int read_events(struct reader *r, struct err *e)
{
	bool done = false;
	yaml_event_t ev;
	int rc = 0;

	while (!done && !rc) {
		if (!yaml_parser_parse(&r->parser, &ev))
			return parser_error(r, e);
		done = ev.type == YAML_STREAM_END_EVENT;
		rc = on_event(r, &ev, e);
		yaml_event_delete(&ev);
	}
	return rc;
}

/* Line of the first byte that is not text. */
static int check_text(struct reader *r, const char *text, size_t len, struct err *e)
{
	yaml_mark_t mark = {0};
	size_t step;

	for (size_t i = 0; i < len; i += step) {
		uint32_t cp;

		step = utf8_next(text + i, len - i, &cp);
		if (cp == 0)
			return error_at(r, mark, e, "a NUL byte: not a text file");
		if (step == 1 && cp == 0xfffd)
			return error_at(r, mark, e, "not valid UTF-8; save the file as UTF-8");
		if (cp == '\n')
			mark.line++;
	}
	return 0;
}

int yaml_parse(struct arena *a, const char *name, const char *text, size_t len,
    struct yaml_node **ret_root, struct err *e)
{
	struct reader r = {.a = a, .file = arena_strdup(a, name)};
	int rc;

	if (len > MAX_BYTES)
		return err_set(
		    e, ERR_CONFIG, PHASE_CONFIG, "%s: larger than %zu bytes", name, MAX_BYTES);
	rc = check_text(&r, text, len, e);
	if (rc)
		return rc;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, ERR_NOMEM, PHASE_CONFIG, "%s: out of memory", name);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = read_events(&r, e);
	yaml_parser_delete(&r.parser);
	if (rc)
		return rc;
	/* "---" alone is an empty scalar. */
	if (!r.root || (r.root->kind == YAML_KIND_SCALAR && !r.root->quoted && !r.root->scalar[0]))
		r.root = node_new(&r, YAML_KIND_MAP, (yaml_mark_t){0});
	*ret_root = r.root;
	return 0;
}

/* Reads all of an open file, whatever its size was said to be. */
static int read_all(int fd, const char *path, char *buf, size_t *ret_len, struct err *e)
{
	size_t len = 0;

	while (len <= MAX_BYTES) {
		ssize_t n = read(fd, buf + len, MAX_BYTES + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(
			    e, ERR_CONFIG, PHASE_CONFIG, "%s: %s", path, strerror(errno));
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_len = len;
	return 0;
}

int yaml_load(struct arena *a, const char *path, struct yaml_node **ret_root, struct err *e)
{
	char *buf = NULL;
	struct stat st;
	size_t len = 0;
	int rc;
	/* Not blocking: the path may be a FIFO that nobody writes to. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = err_set(e, ERR_CONFIG, PHASE_CONFIG, "%s: %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = err_set(e, ERR_CONFIG, PHASE_CONFIG, "%s: not a regular file", path);
		goto out;
	}
	buf = malloc(MAX_BYTES + 1);
	if (!buf) {
		rc = err_set(e, ERR_NOMEM, PHASE_CONFIG, "%s: out of memory", path);
		goto out;
	}
	rc = read_all(fd, path, buf, &len, e);
	if (!rc)
		rc = yaml_parse(a, path, buf, len, ret_root, e);
out:
	free(buf);
	if (fd >= 0)
		close(fd);
	return rc;
}

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_KIND_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->keys[i], key) == 0)
			return map->items[i];
	return NULL;
}

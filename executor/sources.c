/* See sources.h. */
#include "executor/sources.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 64
#define PATH_MAX_BYTES 4000

static bool is_name(const char *s)
{
	size_t n = strlen(s);

	if (n == 0 || n > NAME_MAX_BYTES)
		return false;
	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && strchr("_.-", *s) == NULL)
			return false;
	return true;
}

static const struct source *find(const struct sources *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->items[i].name, name) == 0)
			return &s->items[i];
	return NULL;
}

static int load_one(struct arena *a, const struct yaml_node *m, struct sources *s, struct err *e)
{
	struct source out = {NULL, NULL};

	if (m->kind != YAML_KIND_MAP)
		return yaml_error(e, m, "a source is a map with name and path");
	for (size_t i = 0; i < m->n; i++) {
		const struct yaml_node *v = m->items[i];

		if (v->kind != YAML_KIND_SCALAR)
			return yaml_error(e, v, "%s must be one value", m->keys[i]);
		if (strcmp(m->keys[i], "name") == 0)
			out.name = v->scalar;
		else if (strcmp(m->keys[i], "path") == 0)
			out.path = v->scalar;
		else
			return yaml_error(
			    e, m->key_nodes[i], "unknown key %s of a source", m->keys[i]);
	}
	if (out.name == NULL || !is_name(out.name))
		return yaml_error(e, m, "a source needs a name of letters, digits, _ . -");
	if (out.path == NULL || out.path[0] != '/' || strlen(out.path) > PATH_MAX_BYTES)
		return yaml_error(e, m, "source %s needs an absolute path", out.name);
	if (find(s, out.name) != NULL)
		return yaml_error(e, m, "source %s stands here twice", out.name);
	*arena_push(a, s->items, s->n) = out;
	return 0;
}

int sources_load(struct arena *a, const struct yaml_node *node, bool adhoc,
    struct sources *ret_sources, struct err *e)
{
	struct sources s = {.adhoc = adhoc};
	int rc = 0;

	if (node != NULL && node->kind != YAML_KIND_LIST)
		return yaml_error(e, node, "sources is a list of maps with name and path");
	for (size_t i = 0; node != NULL && i < node->n && rc == 0; i++)
		rc = load_one(a, node->items[i], &s, e);
	if (rc == 0)
		*ret_sources = s;
	return rc;
}

int sources_resolve(const struct sources *s, const char *name, const char *path,
    const char **ret_path, struct err *e)
{
	const struct source *known = find(s, name);
	bool has_path = path != NULL && path[0] != '\0';
	int rc;

	if (known != NULL && !has_path) {
		*ret_path = known->path;
		return 0;
	}
	if (known != NULL || (has_path && !s->adhoc)) {
		rc = err_set(e, ERR_DENIED, PHASE_REQUEST,
		    "this executor takes the files of its sources from its configuration only");
		err_fix(e, "name a configured source without a path");
		return rc;
	}
	if (!has_path) {
		rc = err_set(e, ERR_NOT_FOUND, PHASE_REQUEST, "there is no source %.80s", name);
		if (s->n > 0)
			err_fix(
			    e, "configured: %s%s", s->items[0].name, s->n > 1 ? " and others" : "");
		return rc;
	}
	if (path[0] != '/' || strlen(path) > PATH_MAX_BYTES)
		return err_set(
		    e, ERR_BAD_INPUT, PHASE_REQUEST, "the path of a source must be absolute");
	*ret_path = path;
	return 0;
}

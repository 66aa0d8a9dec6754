/* See catalogs.h. */
#include "orchestrator/catalogs.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/clock.h"

#define SOURCES_MAX 256
#define LOOK_MS 1000 /* the model's files are looked at this often */

struct source {
	char *name, *path, *semantic;
	struct catalog_entry *entry; /* in force; holds one reference */
	bool is_describing;
};

struct catalogs {
	struct catalogs_ops ops;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct source *sources[SOURCES_MAX];
	size_t n_sources;
};

int catalogs_new(const struct catalogs_ops *ops, struct catalogs **ret_catalogs, struct err *e)
{
	struct catalogs *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return err_set(e, ERR_NOMEM, PHASE_DESCRIBE, "out of memory");
	c->ops = *ops;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &attr);
	pthread_condattr_destroy(&attr);
	*ret_catalogs = c;
	return 0;
}

static void entry_free(struct catalogs *c, struct catalog_entry *entry)
{
	static const struct hash none;

	if (!hash_equal(&entry->catalog_hash, &none))
		c->ops.withdraw(c->ops.arg, &entry->catalog_hash);
	if (entry->model && !hash_equal(&entry->model_hash, &none))
		c->ops.withdraw(c->ops.arg, &entry->model_hash);
	catalog_free(entry->catalog);
	semantic_free(entry->model);
	arena_done(&entry->arena);
	free(entry);
}

void catalogs_free(struct catalogs *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_sources; i++) {
		struct source *s = c->sources[i];

		if (s->entry)
			entry_free(c, s->entry);
		free(s->name);
		free(s->path);
		free(s->semantic);
		free(s);
	}
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

static struct source *find(struct catalogs *c, const char *name)
{
	for (size_t i = 0; i < c->n_sources; i++) {
		if (strcmp(c->sources[i]->name, name) == 0)
			return c->sources[i];
	}
	return NULL;
}

static int set_semantic(struct source *s, const char *semantic, struct err *e)
{
	char *copy = strdup(semantic);

	if (!copy)
		return err_set(e, ERR_NOMEM, PHASE_DESCRIBE, "out of memory");
	free(s->semantic);
	s->semantic = copy;
	if (s->entry)
		s->entry->model_stamp = -1; /* differs from any: read at the next use */
	if (s->entry)
		s->entry->looked_ms = 0;
	return 0;
}

int catalogs_add(
    struct catalogs *c, const char *name, const char *path, const char *semantic, struct err *e)
{
	struct source *s;
	int rc = 0;

	pthread_mutex_lock(&c->mutex);
	s = find(c, name);
	if (s && strcmp(s->path, path) != 0) {
		rc = err_set(e, ERR_DUPLICATE, PHASE_REQUEST,
		    "the name \"%s\" already stands for another database", name);
	} else if (s) {
		if (strcmp(s->semantic, semantic) != 0)
			rc = set_semantic(s, semantic, e);
	} else if (c->n_sources == SOURCES_MAX) {
		rc = err_set(e, ERR_TOO_LARGE, PHASE_REQUEST,
		    "there are %d sources, which is the limit", SOURCES_MAX);
	} else {
		s = calloc(1, sizeof(*s));
		if (s) {
			s->name = strdup(name);
			s->path = strdup(path);
			s->semantic = strdup(semantic);
		}
		if (!s || !s->name || !s->path || !s->semantic) {
			if (s) {
				free(s->name);
				free(s->path);
				free(s->semantic);
				free(s);
			}
			rc = err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
		} else {
			c->sources[c->n_sources++] = s;
		}
	}
	pthread_mutex_unlock(&c->mutex);
	return rc;
}

static int no_source(struct catalogs *c, const char *name, struct err *e)
{
	char list[300] = "";
	size_t len = 0;

	for (size_t i = 0; i < c->n_sources && len + 70 < sizeof(list); i++)
		len += (size_t)snprintf(
		    list + len, sizeof(list) - len, "%s%s", i ? ", " : "", c->sources[i]->name);
	if (!c->n_sources) {
		err_set(e, ERR_NOT_FOUND, PHASE_REQUEST, "no database is set up");
		err_fix(
		    e, "give one with --db FILE, or list it under sources in the configuration");
	} else {
		err_set(e, ERR_NOT_FOUND, PHASE_REQUEST, "there is no source \"%s\"", name);
		err_fix(e, "known sources: %s", list);
	}
	return ERR_NOT_FOUND;
}

int catalogs_find(struct catalogs *c, struct arena *a, const char *name, const char **ret_name,
    const char **ret_path, struct err *e)
{
	struct source *s;
	int rc = 0;

	pthread_mutex_lock(&c->mutex);
	s = name && *name ? find(c, name) : c->n_sources ? c->sources[0] : NULL;
	if (!s) {
		rc = no_source(c, name ? name : "", e);
	} else {
		*ret_name = arena_strdup(a, s->name);
		*ret_path = arena_strdup(a, s->path);
	}
	pthread_mutex_unlock(&c->mutex);
	return rc;
}

/* Newest change of the folder or a file in it; 0: no folder. */
static int64_t folder_stamp(const char *folder)
{
	DIR *d = *folder ? opendir(folder) : NULL;
	struct dirent *f;
	struct stat st;
	int64_t newest = 0;

	if (!d)
		return 0;
	if (fstat(dirfd(d), &st) == 0)
		newest = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	while ((f = readdir(d))) {
		size_t len = strlen(f->d_name);

		if (len < 6 || strcmp(f->d_name + len - 5, ".yaml") != 0 ||
		    fstatat(dirfd(d), f->d_name, &st, 0))
			continue;
		int64_t t = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;

		if (t > newest)
			newest = t;
	}
	closedir(d);
	return newest;
}

static int find_columns(
    const struct catalog_table *t, const struct semantic_names *names, uint32_t *out)
{
	for (size_t i = 0; i < names->n; i++) {
		int column = catalog_find_column(t, names->items[i]);

		if (column < 0)
			return -1;
		out[i] = (uint32_t)column;
	}
	return 0;
}

static bool has_relation(const struct catalog *c, const struct catalog_relation *r)
{
	for (size_t i = 0; i < c->n_relations; i++) {
		const struct catalog_relation *x = &c->relations[i];
		size_t bytes = r->n_columns * sizeof(*r->from_columns);

		if (x->n_columns != r->n_columns)
			continue;
		if (x->from_table == r->from_table && x->to_table == r->to_table &&
		    memcmp(x->from_columns, r->from_columns, bytes) == 0 &&
		    memcmp(x->to_columns, r->to_columns, bytes) == 0)
			return true;
		if (x->from_table == r->to_table && x->to_table == r->from_table &&
		    memcmp(x->from_columns, r->to_columns, bytes) == 0 &&
		    memcmp(x->to_columns, r->from_columns, bytes) == 0)
			return true;
	}
	return false;
}

/* A relationship names datasets; a dataset's source is table or schema.table. */
static int dataset_table(const struct catalog *c, const struct semantic *s, const char *name)
{
	for (size_t i = 0; i < s->n_datasets; i++) {
		const char *table = s->datasets[i].source, *dot;

		if (strcasecmp(s->datasets[i].name, name) != 0)
			continue;
		dot = strrchr(table, '.');
		int found = catalog_find_table(c, table);

		return found >= 0 || !dot ? found : catalog_find_table(c, dot + 1);
	}
	return catalog_find_table(c, name);
}

void catalogs_add_relations(struct catalog *c, const struct semantic *s)
{
	for (size_t i = 0; s && i < s->n_relationships; i++) {
		const struct semantic_relationship *rel = &s->relationships[i];
		struct catalog_relation r = {0};
		int from = dataset_table(c, s, rel->from), to = dataset_table(c, s, rel->to);

		if (from < 0 || to < 0 || !rel->from_columns.n ||
		    rel->from_columns.n != rel->to_columns.n)
			continue;
		r.n_columns = rel->from_columns.n;
		r.from_table = (uint32_t)from;
		r.to_table = (uint32_t)to;
		r.from_columns = arena_new_array(&c->arena, r.n_columns, uint32_t);
		r.to_columns = arena_new_array(&c->arena, r.n_columns, uint32_t);
		if (find_columns(&c->tables[from], &rel->from_columns, r.from_columns) ||
		    find_columns(&c->tables[to], &rel->to_columns, r.to_columns) ||
		    has_relation(c, &r))
			continue;
		bool to_one = catalog_is_unique(&c->tables[to], r.to_columns, r.n_columns);
		bool from_one = catalog_is_unique(&c->tables[from], r.from_columns, r.n_columns);

		/* The model says that `from` is the many side; data that says otherwise wins. */
		r.cardinality = to_one && from_one ? CARDINALITY_ONE_TO_ONE
		    : to_one                       ? CARDINALITY_MANY_TO_ONE
		                                   : CARDINALITY_MANY_TO_MANY;
		r.origin = RELATION_MODEL;
		r.evidence = arena_printf(&c->arena, "%s of the semantic model", rel->name);
		*arena_push(&c->arena, c->relations, c->n_relations) = r;
	}
}

static void note_problems(struct catalog_entry *entry)
{
	struct semantic_problem *problems = NULL;
	size_t n = semantic_check(entry->model, entry->catalog, &entry->arena, &problems);

	entry->problems = arena_new_array(&entry->arena, n, const char *);
	for (size_t i = 0; i < n; i++) {
		entry->problems[i] = arena_printf(&entry->arena, "%s:%u: %s", problems[i].file,
		    problems[i].line, problems[i].text);
	}
	entry->n_problems = n;
}

/* Everything that makes an entry; runs without the mutex. */
static int build(struct catalogs *c, const char *name, const char *path, const char *semantic,
    void *ctx, struct catalog_entry **ret_entry, struct err *e)
{
	struct catalog_entry *entry = calloc(1, sizeof(*entry));
	int rc;

	if (!entry)
		return err_set(e, ERR_NOMEM, PHASE_DESCRIBE, "out of memory");
	entry->source = arena_strdup(&entry->arena, name);
	entry->path = arena_strdup(&entry->arena, path);
	entry->refs = 1;
	entry->looked_ms = clock_mono_ms();
	/* Before reading: a change while we read is seen at the next look. */
	entry->model_stamp = folder_stamp(semantic);
	rc = *semantic ? semantic_load(semantic, &entry->model, e) : 0;
	if (!rc)
		rc = c->ops.describe(ctx, &entry->catalog, e);
	if (!rc && entry->model) {
		catalogs_add_relations(entry->catalog, entry->model);
		note_problems(entry);
		rc = c->ops.publish_semantic(c->ops.arg, entry->model, &entry->model_hash, e);
	}
	if (!rc)
		rc = c->ops.publish_catalog(c->ops.arg, entry->catalog, &entry->catalog_hash, e);
	if (rc) {
		entry_free(c, entry);
		return rc;
	}
	*ret_entry = entry;
	return 0;
}

static void unref(struct catalogs *c, struct catalog_entry *entry)
{
	if (entry && --entry->refs == 0)
		entry_free(c, entry);
}

/* Out of date by what the caller says, or because the model's files changed. */
static bool is_out_of_date(struct source *s, const struct catalog_entry *stale)
{
	uint64_t now = clock_mono_ms();

	if (!s->entry || s->entry == stale)
		return true;
	if (now - s->entry->looked_ms < LOOK_MS && s->entry->model_stamp >= 0)
		return false;
	s->entry->looked_ms = now;
	return folder_stamp(s->semantic) != s->entry->model_stamp;
}

static int wait_for_other(struct catalogs *c, uint64_t deadline_ms, struct err *e)
{
	struct timespec until = {
	    (time_t)(deadline_ms / 1000), (long)(deadline_ms % 1000) * 1000000};

	if (pthread_cond_timedwait(&c->wake, &c->mutex, &until) != ETIMEDOUT)
		return 0;
	return err_set(e, ERR_TIMEOUT, PHASE_DESCRIBE,
	    "the database was not described in the time of this request");
}

int catalogs_get(struct catalogs *c, const char *name, void *ctx, uint64_t deadline_ms,
    const struct catalog_entry *stale, struct catalog_entry **ret_entry, bool *ret_fresh,
    struct err *e)
{
	struct source *s;
	bool fresh = false;
	int rc = 0;

	pthread_mutex_lock(&c->mutex);
	s = find(c, name);
	if (!s)
		rc = no_source(c, name, e);
	while (!rc && s->is_describing)
		rc = wait_for_other(c, deadline_ms, e);
	if (!rc && is_out_of_date(s, stale)) {
		struct catalog_entry *made = NULL;
		char *path = strdup(s->path), *semantic = strdup(s->semantic);

		s->is_describing = true;
		pthread_mutex_unlock(&c->mutex);
		rc = path && semantic ? build(c, name, path, semantic, ctx, &made, e)
		                      : err_set(e, ERR_NOMEM, PHASE_DESCRIBE, "out of memory");
		pthread_mutex_lock(&c->mutex);
		s->is_describing = false;
		pthread_cond_broadcast(&c->wake);
		free(path);
		free(semantic);
		if (!rc) {
			unref(c, s->entry);
			s->entry = made;
			fresh = true;
		}
	}
	if (!rc) {
		s->entry->refs++;
		*ret_entry = s->entry;
		*ret_fresh = fresh;
	}
	pthread_mutex_unlock(&c->mutex);
	return rc;
}

void catalogs_put(struct catalogs *c, struct catalog_entry *entry)
{
	if (!entry)
		return;
	pthread_mutex_lock(&c->mutex);
	unref(c, entry);
	pthread_mutex_unlock(&c->mutex);
}

size_t catalogs_list(struct catalogs *c, struct arena *a, struct catalogs_status **ret_list)
{
	struct catalogs_status *list;
	size_t n;

	pthread_mutex_lock(&c->mutex);
	n = c->n_sources;
	list = arena_new_array(a, n, struct catalogs_status);
	for (size_t i = 0; i < n; i++) {
		const struct source *s = c->sources[i];
		const struct catalog_entry *entry = s->entry;

		list[i].name = arena_strdup(a, s->name);
		list[i].path = arena_strdup(a, s->path);
		list[i].tables = entry ? (int)entry->catalog->n_tables : -1;
		if (!entry)
			continue;
		list[i].n_problems = entry->n_problems;
		list[i].problems = arena_new_array(a, entry->n_problems, const char *);
		for (size_t k = 0; k < entry->n_problems; k++)
			list[i].problems[k] = arena_strdup(a, entry->problems[k]);
	}
	pthread_mutex_unlock(&c->mutex);
	*ret_list = list;
	return n;
}
